"""MNIST and CIFAR datasets and their variants."""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.image_folder import check_choice, check_folder

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
        for part in parts:
            counts = [len(column) for column in part]
            if len(set(counts)) > 1:
                rule = f"hold as many labels as images. There are {counts[0]} images and {counts[1]} labels"
                checks.fail(RuntimeError, op, "dataset_dir", rule, dataset_dir)
        super().__init__(
            _Rows(parts),
            list(self._NAMES),
            num_samples=num_samples,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def _read(self, root: Path) -> list[Columns]:
        """Return the columns of each file."""
        raise NotImplementedError


class _Rows:
    """Random access across files, which are mapped into memory."""

    def __init__(self, parts: list[Columns]) -> None:
        self.parts = parts
        self.ends = np.cumsum([len(part[0]) for part in parts])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def labels(self) -> np.ndarray:
        """The first label of each row."""
        return np.concatenate([part[1] for part in self.parts])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        number = int(np.searchsorted(self.ends, index, "right"))
        place = index - (int(self.ends[number - 1]) if number else 0)
        image, *labels = (column[place] for column in self.parts[number])
        return np.array(image), *(np.uint32(label) for label in labels)


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

    def _read(self, root: Path) -> list[Columns]:
        prefixes = {"train": ["train"], "test": ["t10k"], "all": ["t10k", "train"]}[self.usage]
        found = [one for one in prefixes if (root / f"{one}-images-idx3-ubyte").is_file()]
        return [
            (
                _idx(self, root / f"{one}-images-idx3-ubyte", 3)[..., None],
                _idx(self, root / f"{one}-labels-idx1-ubyte", 1),
            )
            for one in found
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

    def _read(self, root: Path) -> list[Columns]:
        usages = ("train", "test") if self.usage == "all" else (self.usage,)
        patterns = [pattern for usage in usages for pattern in self._FILES[usage]]
        return [self._columns(path) for pattern in patterns for path in sorted(root.glob(pattern))]

    def _columns(self, path: Path) -> Columns:
        labels = len(self._NAMES) - 1
        record = labels + 3 * 32 * 32
        if not path.stat().st_size or path.stat().st_size % record:
            raise RuntimeError(f"`{type(self).__name__}`: {path} does not hold records of {record} bytes.")
        records = np.memmap(path, np.uint8, "r").reshape(-1, record)
        images = records[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return images, *(records[:, i] for i in range(labels))


class Cifar100Dataset(Cifar10Dataset):
    """Photographs of a hundred kinds of things in CIFAR-100's binary files, `train.bin` and `test.bin`.

    Arguments and errors are those of `Cifar10Dataset`.

    Columns: `image`, uint8 of shape (32, 32, 3); `coarse_label` and `fine_label`, uint32 of shape ().
    """

    _NAMES = ["image", "coarse_label", "fine_label"]
    _FILES = {"train": ("train.bin",), "test": ("test.bin",)}


def _idx(dataset: _Images, path: Path, rank: int) -> np.ndarray:
    """Return the bytes in a file of MNIST's format: a heading that holds the shape, then the values."""
    op = type(dataset).__name__
    if not path.is_file():
        raise RuntimeError(f"`{op}`: there is no file {path}.")
    with path.open("rb") as file:
        heading = file.read(4 * (rank + 1))
    shape = struct.unpack(f">{rank + 1}I", heading)[1:] if len(heading) == 4 * (rank + 1) else ()
    if heading[:4] != bytes([0, 0, 8, rank]) or path.stat().st_size != len(heading) + np.prod(shape):
        raise RuntimeError(f"`{op}`: {path} is not a file of bytes with {rank} axes in MNIST's format.")
    return np.memmap(path, np.uint8, "r", len(heading), tuple(shape))
