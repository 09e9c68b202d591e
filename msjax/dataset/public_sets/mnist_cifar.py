"""MNIST and CIFAR datasets and their variants."""

from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.public_sets.reader_table import read_idx
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.image_folder import check_choice, check_folder
from msjax.dataset.sources.rows import ArrayFiles

Columns = tuple[np.ndarray, ...]


class _Images(GeneratorDataset):
    """Images and labels that files hold one after another. A subclass defines `_read`, `_NAMES` and `_USAGES`.

    Args:
        dataset_dir: the folder that holds the files.
        usage: "train", "test" or "all". Default: all.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: without effect.
        shuffle: whether the rows come in another random order in each epoch. Default: yes.
        sampler: a sampler or an iterable of row numbers, instead of `shuffle`, `num_samples` and shards.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        cache: needs MindSpore's cache server, which there is not here.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there is no such folder.
        RuntimeError: for `cache`.
        RuntimeError: for arguments that contradict each other; if the folder lacks the files.
    """

    _NAMES = ["image", "label"]
    _USAGES = ("train", "test", "all")

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = type(self).__name__
        root = check_folder(op, dataset_dir)
        if usage is not None and not isinstance(usage, str):
            checks.fail(TypeError, op, "usage", "be a str", usage)
        if usage is not None and usage not in self._USAGES:
            checks.fail(ValueError, op, "usage", f"be one of {self._USAGES}", usage)
        checks.check_num_workers(op, num_parallel_workers)
        check_cache(op, cache)
        check_choice(
            op,
            sampler,
            {
                "num_samples": num_samples,
                "shuffle": shuffle,
                "num_shards": num_shards,
                "shard_id": shard_id,
            },
        )
        self.dataset_dir, self.usage = str(dataset_dir), usage or "all"
        parts = self._read(root)
        if not parts:
            rule = f"hold the files of {op} for usage={self.usage!r}"
            checks.fail(RuntimeError, op, "dataset_dir", rule, dataset_dir)
        for path, part in parts:
            counts = [len(column) for column in part]
            if len(set(counts)) > 1:
                text = f"as many labels as images. There are {counts[0]} images and {counts[1]} labels"
                raise RuntimeError(f"`{op}`: there must be for {path} {text}.")
        super().__init__(
            ArrayFiles([path for path, _ in parts], [part for _, part in parts]),
            list(self._NAMES),
            num_samples=num_samples,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def _read(self, root: Path) -> list[tuple[Path, Columns]]:
        """Return each file and its columns."""
        raise NotImplementedError


class MnistDataset(_Images):
    """Handwritten digits in MNIST's files (Y. LeCun et al., 1998), the test images before the training images.

    Args:
        dataset_dir: the folder that holds `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, `t10k-...`.
        usage: "train", "test" or "all". Default: all.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: without effect.
        shuffle: whether the rows come in another random order in each epoch. Default: yes.
        sampler: a sampler or an iterable of row numbers, instead of `shuffle`, `num_samples` and shards.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        cache: needs MindSpore's cache server, which there is not here.

    Columns: `image`, uint8 of shape (height, width, 1); `label`, uint32 of shape ().

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there is no such folder.
        RuntimeError: for `cache`.
        RuntimeError: for arguments that contradict each other; if the folder lacks the files, or they hold something else.
    """

    def _read(self, root: Path) -> list[tuple[Path, Columns]]:
        prefixes = {"train": ["train"], "test": ["t10k"], "all": ["t10k", "train"]}[self.usage]
        op = type(self).__name__
        paths = [root / f"{one}-images-idx3-ubyte" for one in prefixes]
        labels = [root / f"{one}-labels-idx1-ubyte" for one in prefixes]
        return [
            (path, (read_idx(op, path, 3)[..., None], read_idx(op, other, 1).astype(np.uint32)))
            for path, other in zip(paths, labels, strict=True)
            if path.is_file()
        ]


class FashionMnistDataset(MnistDataset):
    """Pictures of clothes in files like MNIST's (H. Xiao et al., 2017); as `MnistDataset`."""


class KMnistDataset(MnistDataset):
    """Cursive Japanese characters in files like MNIST's (T. Clanuwat et al., 2018); as `MnistDataset`."""


class Cifar10Dataset(_Images):
    """Photographs of ten kinds of things in CIFAR-10's binary files (A. Krizhevsky, 2009).

    Args:
        dataset_dir: the folder that holds `data_batch_1.bin` ... `data_batch_5.bin` and `test_batch.bin`.
        usage: "train", "test" or "all". Default: all.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: without effect.
        shuffle: whether the rows come in another random order in each epoch. Default: yes.
        sampler: a sampler or an iterable of row numbers, instead of `shuffle`, `num_samples` and shards.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        cache: needs MindSpore's cache server, which there is not here.

    Columns: `image`, uint8 of shape (32, 32, 3); `label`, uint32 of shape ().

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there is no such folder.
        RuntimeError: for `cache`.
        RuntimeError: for arguments that contradict each other; if the folder lacks the files, or they hold something else.
    """

    _FILES: dict[str, tuple[str, ...]] = {"train": ("data_batch_*.bin",), "test": ("test_batch.bin",)}

    def _read(self, root: Path) -> list[tuple[Path, Columns]]:
        usages = ("train", "test") if self.usage == "all" else (self.usage,)
        patterns = [pattern for usage in usages for pattern in self._FILES[usage]]
        paths = sorted(path for pattern in patterns for path in root.glob(pattern))
        return [(path, self._columns(path)) for path in paths]

    def _columns(self, path: Path) -> Columns:
        labels = len(self._NAMES) - 1
        record = labels + 3 * 32 * 32
        if not path.stat().st_size or path.stat().st_size % record:
            raise RuntimeError(f"`{type(self).__name__}`: {path} does not hold records of {record} bytes.")
        records = np.memmap(path, np.uint8, "r").view(np.ndarray).reshape(-1, record)
        images = records[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return images, *(records[:, i].astype(np.uint32) for i in range(labels))


class Cifar100Dataset(Cifar10Dataset):
    """Photographs of a hundred kinds of things in CIFAR-100's binary files, `test.bin` and `train.bin`, in this order.

    Arguments and errors are those of `Cifar10Dataset`.

    Columns: `image`, uint8 of shape (32, 32, 3); `coarse_label` and `fine_label`, uint32 of shape ().
    """

    _NAMES = ["image", "coarse_label", "fine_label"]
    _FILES = {"train": ("train.bin",), "test": ("test.bin",)}
