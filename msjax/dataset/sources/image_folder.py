"""`ImageFolderDataset`: images in one folder per class."""

import os
from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.pipeline.nodes import FileRows
from msjax.dataset.random.samplers import Shuffle, as_sampler
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.vision.pixels import Decode


class ImageFolderDataset(GeneratorDataset):
    """Images in a folder tree, with one label per folder.

    Folders and the files in them are taken in the order of their names. What lies deeper, or in no folder, is left out.

    Args:
        dataset_dir: the folder that holds one folder for each class.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: without effect.
        shuffle: whether the rows come in another random order in each epoch. Default: yes.
        sampler: a sampler or an iterable of row numbers, instead of `shuffle`, `num_samples` and shards.
        extensions: list of endings, such as ".jpg", that files are taken by. Default: all files.
        class_indexing: dict from the name of a folder to its label; folders that it lacks are left out. Default: the
            sorted folders are counted from 0.
        decode: give the pixels, uint8 of shape (height, width, 3), in place of a file's bytes. Needs pillow.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        cache: needs MindSpore's cache server, which there is not here.
        decrypt: a function from the path of a file to its bytes.

    Columns: `image`, uint8: the bytes of the file, or its pixels; `label`, int32 of shape ().

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there is no such folder.
        RuntimeError: for `cache`.
        RuntimeError: for arguments that contradict each other; if the folders hold no files; when the data is read,
            if one cannot be decoded.

    Examples:
        >>> import pathlib, tempfile
        >>> import msjax.dataset as ds
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("cat", "dog"):
        ...         path = pathlib.Path(folder, name)
        ...         path.mkdir()
        ...         _ = (path / "1.png").write_bytes(b"...")
        ...     data = ds.ImageFolderDataset(folder, shuffle=False)
        ...     print(data.get_class_indexing(), [int(row["label"]) for row in data.create_dict_iterator(1)])
        {'cat': 0, 'dog': 1} [0, 1]
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        extensions: list[str] | None = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        op = "ImageFolderDataset"
        root = check_folder(op, dataset_dir)
        checks.check_num_workers(op, num_parallel_workers)
        checks.check_bool(op, "decode", decode)
        _check_kinds(op, extensions, class_indexing)
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
        if decrypt is not None:
            checks.check_callable(op, "decrypt", decrypt)
        self.dataset_dir, self.decode = str(dataset_dir), decode
        found = sorted(path.name for path in root.iterdir() if path.is_dir())
        self.class_indexing = class_indexing or {name: label for label, name in enumerate(found)}
        names = {name: _find_names(root / name, extensions) for name in found if name in self.class_indexing}
        if not any(names.values()):
            rule = "hold a folder for each class, with files in them"
            checks.fail(RuntimeError, op, "dataset_dir", rule, dataset_dir)
        super().__init__(
            _Files(root, names, self.class_indexing, Decode() if decode else None, decrypt),
            ["image", "label"],
            num_samples=num_samples,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
        )

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self.class_indexing)

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each folder's name."""
        return dict(self.class_indexing)


class _Files(FileRows):
    """Each file is read when it is asked for; of a million of them the names alone are in memory.

    Args:
        root: the folder of the folders.
        names: the names of the files of each folder.
        labels: the label of each folder.
        decode: from the bytes of a file to its pixels.
        decrypt: from the path of a file to its bytes.
    """

    def __init__(
        self,
        root: Path,
        names: Mapping[str, list[str]],
        labels: Mapping[str, int],
        decode: Callable[[Any], Any] | None,
        decrypt: Callable[[str], bytes] | None,
    ) -> None:
        self.root, self.decode, self.decrypt = root, decode, decrypt
        self.folders = [(folder, found, labels[folder]) for folder, found in names.items() if found]
        self.ends = list(accumulate(len(found) for _, found, _ in self.folders))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def file_of(self, index: int) -> Path:
        """Return the path of the file of a row."""
        return Path(self._at(index)[0])

    def _at(self, index: int) -> tuple[str, int]:
        """The path of the file of a row, and its label."""
        index = range(len(self))[index]
        place = bisect_right(self.ends, index)
        folder, found, label = self.folders[place]
        return os.path.join(self.root, folder, found[index - self.ends[place]]), label

    def labels(self) -> list[int]:
        """The label of each row."""
        return [label for _, found, label in self.folders for _ in found]

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int32]:
        path, label = self._at(index)
        if self.decrypt is None:
            with open(path, "rb", buffering=0) as file:
                content = file.read()
        else:
            content = self.decrypt(path)
        image = np.frombuffer(content, np.uint8)
        return self.decode(image) if self.decode else image, np.int32(label)


def check_folder(op: str, dataset_dir: Any) -> Path:
    """Check that a folder exists and return its path.

    Raises:
        TypeError, ValueError: for anything else.
    """
    if not isinstance(dataset_dir, str | Path):
        checks.fail(TypeError, op, "dataset_dir", "be a str", dataset_dir)
    if not str(dataset_dir) or not Path(dataset_dir).is_dir():
        checks.fail(ValueError, op, "dataset_dir", "be a folder that exists", dataset_dir)
    return Path(dataset_dir)


def _check_kinds(op: str, extensions: Any, class_indexing: Any) -> None:
    if extensions is not None and not (
        isinstance(extensions, list) and all(isinstance(ending, str) for ending in extensions)
    ):
        checks.fail(TypeError, op, "extensions", "be a list of str", extensions)
    if class_indexing is not None and not isinstance(class_indexing, dict):
        checks.fail(TypeError, op, "class_indexing", "be a dict from str to int", class_indexing)
    for name, label in (class_indexing or {}).items():
        if not isinstance(name, str) or isinstance(label, bool) or not isinstance(label, int):
            checks.fail(TypeError, op, "class_indexing", "be a dict from str to int", class_indexing)


def check_choice(op: str, sampler: Any, others: Mapping[str, Any]) -> None:
    """Check arguments that choose rows, before any file is looked for.

    Args:
        op: the data set.
        sampler: None or a sampler.
        others: `num_samples`, `shuffle`, `num_shards` and `shard_id`, as far as there are such.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind.
        RuntimeError: if they contradict each other.
    """
    given = {name: value for name, value in others.items() if value is not None}
    if "num_samples" in given:
        checks.check_int(op, "num_samples", given["num_samples"], 0, checks.INT64_MAX)
    if "shuffle" in given and not isinstance(given["shuffle"], bool | Shuffle):
        checks.fail(TypeError, op, "shuffle", "be a bool or a Shuffle", given["shuffle"])
    for name, low in (("num_shards", 1), ("shard_id", 0)):
        if name in given:
            checks.check_int(op, name, given[name], low)
    if len({"num_shards", "shard_id"} & set(given)) == 1:
        raise RuntimeError(
            f"`{op}`: arguments `num_shards` and `shard_id` must come together. Received: {given}."
        )
    if "num_shards" in given:
        checks.check_int(op, "shard_id", given["shard_id"], 0, given["num_shards"] - 1)
    if sampler is not None:
        as_sampler(op, sampler)
        if given:
            raise RuntimeError(
                f"`{op}`: argument `sampler` excludes others that choose rows. Received: {given}."
            )


def _find_names(folder: Path, extensions: list[str] | None) -> list[str]:
    """Return the names of the files of a folder with one of these extensions, in order."""
    with os.scandir(folder) as found:
        names = [one.name for one in found if one.is_file()]
    return sorted(name for name in names if not extensions or os.path.splitext(name)[1] in extensions)
