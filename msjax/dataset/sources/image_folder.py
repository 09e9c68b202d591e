"""`ImageFolderDataset`: images in one folder per class."""

from collections.abc import Callable, Mapping
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
        files = _files(root, [name for name in found if name in self.class_indexing], extensions)
        if not files:
            rule = "hold a folder for each class, with files in them"
            checks.fail(RuntimeError, op, "dataset_dir", rule, dataset_dir)
        super().__init__(
            _Files(files, self.class_indexing, Decode() if decode else None, decrypt),
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
    """Each file is read when it is asked for."""

    def __init__(
        self,
        files: list[Path],
        labels: Mapping[str, int],
        decode: Callable[[Any], Any] | None,
        decrypt: Callable[[str], bytes] | None,
    ) -> None:
        self.files, self.labels_of, self.decode, self.decrypt = files, labels, decode, decrypt

    def __len__(self) -> int:
        return len(self.files)

    def file_of(self, index: int) -> Path:
        """Return the path of the file of a row."""
        return self.files[index]

    def labels(self) -> list[int]:
        """The label of each row."""
        return [self.labels_of[path.parent.name] for path in self.files]

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int32]:
        path = self.files[index]
        content = path.read_bytes() if self.decrypt is None else self.decrypt(str(path))
        image = np.frombuffer(content, np.uint8)
        return self.decode(image) if self.decode else image, np.int32(self.labels_of[path.parent.name])


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


def _files(root: Path, folders: list[str], extensions: list[str] | None) -> list[Path]:
    """Return the files of the folders with one of these extensions, in order."""
    return [
        path
        for name in folders
        for path in sorted((root / name).iterdir())
        if path.is_file() and (not extensions or path.suffix in extensions)
    ]
