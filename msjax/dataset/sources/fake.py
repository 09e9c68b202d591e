"""`FakeImageDataset`: random images, for programs without data."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.sources.generator import GeneratorDataset


class FakeImageDataset(GeneratorDataset):
    """Random images with random labels, the same at every read.

    Args:
        num_images: how many.
        image_size: (height, width, channels).
        num_classes: labels are in [0, num_classes).
        base_seed: the seed of images and labels.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: without effect.
        shuffle: whether the rows come in another random order in each epoch. Default: yes.
        sampler: a sampler or an iterable of row numbers, instead of `shuffle`, `num_samples` and shards.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        cache: needs MindSpore's cache server, which there is not here.

    Columns: `image`, uint8 of shape `image_size`; `label`, uint32 of shape ().

    Raises:
        TypeError, ValueError: for arguments of a wrong kind.
        RuntimeError: for `cache`.

    Examples:
        >>> import msjax.dataset as ds
        >>> ds.FakeImageDataset(4, (8, 8, 3), 10).output_shapes()
        [[8, 8, 3], []]
    """

    def __init__(
        self,
        num_images: int = 1000,
        image_size: Sequence[int] = (224, 224, 3),
        num_classes: int = 10,
        base_seed: int = 0,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "FakeImageDataset"
        checks.check_int(op, "num_images", num_images, 1)
        if not isinstance(image_size, list | tuple):
            checks.fail(TypeError, op, "image_size", "be three ints", image_size)
        if len(image_size) != 3:
            checks.fail(ValueError, op, "image_size", "be three ints", image_size)
        shape = tuple(checks.check_int(op, "image_size", size, 1) for size in image_size)
        self._classes = checks.check_int(op, "num_classes", num_classes, 1)
        checks.check_int(op, "base_seed", base_seed, 0)
        checks.check_num_workers(op, num_parallel_workers)
        check_cache(op, cache)
        super().__init__(
            _Images(num_images, shape, num_classes, base_seed),
            ["image", "label"],
            num_samples=num_samples,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self._classes


class _Images:
    """Draw each image when it is asked for, from its own generator."""

    def __init__(self, number: int, shape: tuple[int, ...], classes: int, seed: int) -> None:
        self.number, self.shape, self.classes, self.seed = number, shape, classes, seed

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.uint32]:
        draw = np.random.default_rng((self.seed, index))
        return draw.integers(0, 256, self.shape, np.uint8), np.uint32(draw.integers(self.classes))
