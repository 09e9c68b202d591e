"""Readers of public datasets: one mechanism for all, and a table of readers, one for each format.

A row of a table (`text_corpora`, `labelled_images`, `speech`) gives the name, the constructor's signature as text, the
values that `usage` may have, and a reader. The reader makes the rows out of the arguments; what is costly to read is a
function in its place and is called when the row is asked for.
"""

import inspect
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.pipeline.nodes import FileRows
from msjax.dataset.random.samplers import Shuffle
from msjax.dataset.sources.file_order import FileOrder, FilesNode
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.image_folder import check_choice, check_folder
from msjax.dataset.sources.rows import FileValue, Rows
from msjax.dataset.vision.pixels import Decode

# The ends of the signatures: of files whose rows are read one after the other, and of those with random access.
LINES = "num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None"
LINES_LATE = LINES.replace("num_parallel_workers=None, ", "").replace(
    "cache", "num_parallel_workers=None, cache"
)
_CHOICES = ("num_samples", "shuffle", "num_shards", "shard_id")
_FLAGS = ("decode", "background", "small")
ROWS = "num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None"
DECODED = ROWS.replace("sampler=None", "decode=False, sampler=None")


T = TypeVar("T")


class ReaderResult(NamedTuple):
    """Result of a reader: columns, rows, classes.

    Args:
        columns: their names.
        rows: one value or function for each column, or a source of such rows; for files read by turns it has `counts`, the
            rows of each file.
        classes: the label of each name of a class, if there are classes.
        counts: whether these count for `num_classes`.
    """

    columns: Sequence[str]
    rows: Sequence[Any] | FileRows
    classes: Mapping[str, Any] | None = None
    counts: bool = True


Reader = Callable[[str, Mapping[str, Any]], ReaderResult]


class ReaderDataset(GeneratorDataset):
    """A dataset of the files of a public data set. Subclasses are made by :func:`make_reader_class`."""

    _read: Reader
    _usages: Mapping[str, Sequence[str]]
    _by_turns: bool
    _classes: Mapping[str, Any] | None = None
    _counts = True

    def _prepare(self, given: dict[str, Any]) -> None:
        op = type(self).__name__
        _check(op, given, self._usages)
        found = _read_files(type(self)._read, op, given)
        rows: Any = found.rows
        if not len(rows):
            where = next(iter(given))
            checks.fail(RuntimeError, op, where, f"hold the files of {op}", given[where])
        self._classes, self._counts = found.classes, found.counts
        label = next((i for i, name in enumerate(found.columns) if name.endswith("label")), None)
        source: Any = rows if isinstance(rows, FileRows) else Rows(rows, label)
        columns = list(found.columns)
        if not self._by_turns:
            chosen = {
                key: given[key] for key in ("num_samples", "shuffle", "sampler", "num_shards", "shard_id")
            }
            super().__init__(source, columns, **chosen)
            return
        shuffle = True if given["shuffle"] is None else given["shuffle"]
        chosen = {key: given[key] for key in ("num_samples", "num_shards", "shard_id")}
        order = FileOrder(op, source.counts, given["num_parallel_workers"], shuffle, **chosen)
        super().__init__(source, columns, sampler=order)
        self.node: Any = FilesNode(op, source, columns, None, order)

    def num_classes(self) -> int | None:
        """Return the number of classes, or None if the data set has none."""
        return len(self._classes) if self._classes is not None and self._counts else None

    def get_class_indexing(self) -> dict[str, Any]:
        """Return the label of each name of a class."""
        return dict(self._classes or {})


def make_reader_class(
    module: str,
    name: str,
    signature: str,
    read: Reader,
    usages: Mapping[str, Sequence[str]] | str = "",
    by_turns: bool = False,
) -> type[ReaderDataset]:
    """Return a dataset class.

    Args:
        module: where the class will be found.
        name: of the class.
        signature: of its constructor.
        read: the reader.
        usages: what arguments may be, by their names; a str is what `usage` may be.
        by_turns: whether the rows come from the files by turns (`FileOrder`).
    """
    allowed = {"usage": usages.split()} if isinstance(usages, str) and usages else usages or {}
    space: dict[str, Any] = {"Shuffle": Shuffle}
    exec(
        f"def __init__(self, {signature}):\n    self._prepare({{k: v for k, v in locals().items() if k != 'self'}})",
        space,
    )
    about = inspect.getdoc(read) or ""
    body = {
        "__init__": space["__init__"], "__module__": module, "__doc__": about, "_read": staticmethod(read),
        "_usages": allowed, "_by_turns": by_turns,
    }  # fmt: skip
    return type(name, (ReaderDataset,), body)


def _check(op: str, given: Mapping[str, Any], usages: Mapping[str, Sequence[str]]) -> None:
    for key in ("dataset_dir",):
        if key in given:
            check_folder(op, given[key])
    for key in ("annotation_file", "dataset_file"):
        if key in given:
            check_file(op, key, given[key])
    for key, allowed in usages.items():
        value = given[key]
        if value is not None and not isinstance(value, str):
            checks.fail(TypeError, op, key, "be a str", value)
        if value is not None and value not in allowed:
            checks.fail(ValueError, op, key, f"be one of {list(allowed)}", value)
    checks.check_num_workers(op, given.get("num_parallel_workers"))
    check_cache(op, given.get("cache"))
    for key in _FLAGS:
        if given.get(key) is not None:
            checks.check_bool(op, key, given[key])
    check_choice(op, given.get("sampler"), {key: given[key] for key in _CHOICES if key in given})


def _read_files(read: Reader, op: str, given: Mapping[str, Any]) -> ReaderResult:
    """Return what a reader finds in the files.

    Raises:
        RuntimeError: MindSpore's type for files that are not what they should be, whatever the reader stumbled over.
    """
    try:
        return read(op, given)
    except Exception as error:
        if str(error).startswith(f"`{op}`"):
            raise
        where, kind = next(iter(given.values())), type(error).__name__
        raise RuntimeError(
            f"`{op}`: the files of {where!r} are not those of the data set, or incomplete: {kind}: {error}"
        ) from error


def check_file(op: str, name: str, value: Any) -> Path:
    """Check that a file exists and return its path.

    Raises:
        TypeError, ValueError: for anything else.
    """
    if not isinstance(value, str | Path):
        checks.fail(TypeError, op, name, "be a str", value)
    if not Path(value).is_file():
        checks.fail(ValueError, op, name, "be a file that exists", value)
    return Path(value)


def require_file(op: str, path: Path) -> Path:
    """Return a file of the data set.

    Raises:
        RuntimeError: if it is not there.
    """
    if not path.exists():
        raise RuntimeError(f"`{op}`: there is no {path}.")
    return path


def read_lines(op: str, path: Path) -> Iterator[str]:
    """Return the lines of a text file, one after the other.

    Raises:
        RuntimeError: if there is no such file, or it is not in UTF-8.
    """
    require_file(op, path)

    def lines() -> Iterator[str]:
        try:
            with path.open(encoding="utf-8") as file:
                yield from (line.removesuffix("\n") for line in file)
        except UnicodeDecodeError as error:
            raise RuntimeError(f"`{op}`: {path} is not in UTF-8: {error}.") from error

    return lines()


def parse_lines(op: str, path: Path, parse: Callable[[str], T], first: int = 0) -> Iterator[T]:
    """Return what a function makes out of each line of a text file that is not blank.

    Args:
        op: the dataset.
        path: of the file.
        parse: the function.
        first: how many lines are left out.

    Raises:
        RuntimeError: if the function raises anything; file and line are named.
    """
    lines = enumerate(read_lines(op, path), 1)
    return (_parse_line(op, path, parse, *line) for line in islice(lines, first, None) if line[1].strip())


def _parse_line(op: str, path: Path, parse: Callable[[str], T], number: int, line: str) -> T:
    try:
        return parse(line)
    except Exception as error:
        where = f"line {number} of {path} is not what {op} has there"
        raise RuntimeError(
            f"`{op}`: {where}: {type(error).__name__}: {error}. Received: {line[:200]!r}."
        ) from error


def read_json(op: str, path: Path) -> Any:
    """Return what a file of JSON holds.

    Raises:
        RuntimeError: if there is no such file, or it holds something else.
    """
    return parse_json(op, str(path), require_file(op, path).read_bytes())


def parse_json(op: str, where: str, content: bytes) -> Any:
    """Return what JSON holds.

    Raises:
        RuntimeError: if it is none; `where` it stood is named.
    """
    try:
        return json.loads(content)
    except ValueError as error:
        raise RuntimeError(f"`{op}`: {where} holds no JSON: {error}.") from error


def read_idx(op: str, path: Path, rank: int | None = None) -> np.ndarray:
    """Return the numbers in a file of MNIST's format, bytes or big-endian int32, mapped into memory.

    Args:
        op: the dataset.
        path: of the file.
        rank: the number of axes. Default: any.

    Raises:
        RuntimeError: if there is no such file, it has another format, or it is shorter or longer than it says.
    """
    with require_file(op, path).open("rb") as file:
        heading = file.read(4)
        if (
            len(heading) < 4
            or heading[:2] != b"\0\0"
            or heading[2] not in (8, 12)
            or rank not in (None, heading[3])
        ):
            raise RuntimeError(f"`{op}`: {path} is not a file in MNIST's format.")
        sizes = file.read(4 * heading[3])
    shape = tuple(np.frombuffer(sizes[: len(sizes) // 4 * 4], ">u4").tolist())
    dtype, begin = np.dtype(np.uint8 if heading[2] == 8 else ">i4"), 4 + 4 * heading[3]
    size, there = begin + dtype.itemsize * math.prod(shape), path.stat().st_size
    if len(shape) != heading[3] or size != there:
        raise RuntimeError(
            f"`{op}`: {path} is not a whole file in MNIST's format: it must have {size} bytes. Received: {there}."
        )
    return np.memmap(path, dtype, "r", begin, shape).view(np.ndarray)


def lazy_image(path: Path, given: Mapping[str, Any]) -> FileValue:
    """Return an image when it is asked for: the bytes of a file, or with `decode` its pixels."""
    return FileValue(path, _image, given)


def _image(path: Path, given: Mapping[str, Any]) -> np.ndarray:
    decrypt = given.get("decrypt")
    content = decrypt(str(path)) if decrypt else path.read_bytes()
    data = np.frombuffer(content, np.uint8).copy()
    return Decode()(data) if given.get("decode") else data


def number_labels(names: Sequence[str]) -> dict[str, int]:
    """Numbers for names, in their order."""
    return {name: number for number, name in enumerate(names)}


def files_in(path: Path, endings: Sequence[str] = ()) -> list[Path]:
    """Return the files of a folder with one of these extensions, in order."""
    if not path.is_dir():
        return []
    with os.scandir(path) as found:  # which looks at none of them
        files = sorted(path / one.name for one in found if one.is_file())
    return [one for one in files if not endings or one.suffix.lower() in endings]
