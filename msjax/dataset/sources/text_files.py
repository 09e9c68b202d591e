"""`TextFileDataset` and `CSVDataset`: datasets of lines of text files."""

import csv
import functools
import glob
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.random.samplers import Shuffle
from msjax.dataset.sources.file_order import FileOrder, FilesDataset
from msjax.dataset.sources.image_folder import check_choice
from msjax.dataset.sources.lines import LineFile, Lines, find_records
from msjax.ops.common.docstrings import documented_by


class TextFileDataset(FilesDataset):
    r"""Non-empty lines of text files. Workers read the files, in the order of their names, and give a line each by turns.

    Args:
        dataset_files: a path or pattern (`*`, `?`), or a list of such; files in UTF-8.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: how many workers there are, which decides the order of lines of several files. Default: the
            configured number.
        shuffle: True or `Shuffle.GLOBAL`: files and lines come in another random order in each epoch, lines through a
            buffer; `Shuffle.FILES`: only the files; False: in their order.
        num_shards: read only one of so many equally long runs of lines, through all files; the last one may begin again.
        shard_id: which run.
        cache: needs MindSpore's cache server, which there is not here.

    Columns: `text`, a string.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there are no such files.
        RuntimeError: for `cache`.

    Examples:
        >>> import pathlib, tempfile
        >>> import msjax.dataset as ds
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "a.txt").write_text("one\n\ntwo\n")
        ...     data = ds.TextFileDataset(f"{folder}/*.txt", shuffle=False)
        ...     print([row["text"].item() for row in data.create_dict_iterator(1, output_numpy=True)])
        ['one', 'two']
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = type(self).__name__
        _check(op, num_parallel_workers, cache, num_samples, shuffle, num_shards, shard_id)
        files = _files(op, dataset_files)
        self.dataset_files = list(map(str, files))
        lines = Lines(op, list(map(LineFile, files)))
        order = FileOrder(op, lines.counts, num_parallel_workers, shuffle, num_samples, num_shards, shard_id)
        super().__init__(lines, ["text"], order)


@documented_by(TextFileDataset)
class CSVDataset(FilesDataset):
    """The rows of files of comma-separated values, in the order of `TextFileDataset`.

    Args:
        dataset_files: as for `TextFileDataset`.
        field_delim: the character between the values.
        column_defaults: list of int, float or str, whose types are those of the columns: int32, float32 and strings.
            Default: all are strings.
        column_names: list of str. Default: the first line of the file.
        shuffle: as for `TextFileDataset`.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there are no such files.
        RuntimeError: for `cache`.
        RuntimeError: if a row has more or fewer values than there are columns, or another type than its column.
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        field_delim: str | None = ",",
        column_defaults: list[Any] | None = None,
        column_names: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = type(self).__name__
        _check(op, num_parallel_workers, cache, num_samples, shuffle, num_shards, shard_id)
        files = _files(op, dataset_files)
        self.dataset_files = list(map(str, files))
        mark = "," if field_delim is None else field_delim
        if not isinstance(mark, str):
            checks.fail(TypeError, op, "field_delim", "be a str", mark)
        if len(mark) != 1 or mark in '"\r\n':
            checks.fail(ValueError, op, "field_delim", "be one character, no quote or line end", mark)
        parts = [LineFile(path, find_records) for path in files]
        names = (
            _read_heading(op, parts, mark)
            if column_names is None
            else checks.check_column_names(op, "column_names", column_names)
        )
        kinds = _kinds(op, column_defaults, len(names))
        first = 1 if column_names is None else 0
        parse = functools.partial(_values, op, mark, names, kinds)
        rows = Lines(op, parts, first, parse)
        order = FileOrder(op, rows.counts, num_parallel_workers, shuffle, num_samples, num_shards, shard_id)
        super().__init__(rows, names, order)


def _values(op: str, mark: str, names: list[str], kinds: list[type], line: str) -> tuple[object, ...]:
    return _convert_value(op, split_record(line, mark), names, kinds)


def split_record(line: str, mark: str = ",") -> list[str]:
    """Return the values in a record of CSV."""
    rows = list(csv.reader(StringIO(line, newline=""), delimiter=mark, strict=True))
    if len(rows) > 1:
        raise ValueError("a quotation mark stands in a value that does not begin with one")
    return rows[0] if rows else []


def _read_heading(op: str, files: list[LineFile], mark: str) -> list[str]:
    """The names of the columns in the first line of the files."""
    names = [split_record(file.line(op, 0), mark) if len(file) else [] for file in files]
    for file, one in zip(files, names, strict=True):
        if not one or one != names[0]:
            raise RuntimeError(
                f"`{op}`: the first line of every file must name the same columns, unless `column_names` is given. "
                f"Received: {names[0]} in {files[0].path} and {one} in {file.path}."
            )
    return names[0]


def _found(pattern: str) -> list[str]:
    """Return the files, not folders, that a pattern stands for."""
    return [path for path in glob.glob(pattern) if Path(path).is_file()]


def _files(op: str, value: Any) -> list[Path]:
    patterns = [value] if isinstance(value, str) else value
    if not isinstance(patterns, list) or not all(isinstance(one, str) for one in patterns):
        checks.fail(TypeError, op, "dataset_files", "be a str or a list of str", value)
    found = sorted({path for one in patterns for path in _found(one)})
    missing = [one for one in patterns if not _found(one)]
    if missing or not patterns:
        checks.fail(ValueError, op, "dataset_files", "name files that exist", missing or value)
    return [Path(one) for one in found]


def _check(op: str, workers: Any, cache: Any, *chosen: Any) -> None:
    checks.check_num_workers(op, workers)
    check_cache(op, cache)
    check_choice(
        op, None, dict(zip(("num_samples", "shuffle", "num_shards", "shard_id"), chosen, strict=True))
    )


def _kinds(op: str, defaults: Any, count: int) -> list[type]:
    if defaults is None:
        return [str] * count
    if not isinstance(defaults, list) or not all(type(one) in (int, float, str) for one in defaults):
        checks.fail(TypeError, op, "column_defaults", "be a list of int, float or str", defaults)
    if len(defaults) != count:
        checks.fail(
            RuntimeError, op, "column_defaults", f"hold {count} values, one for each column", defaults
        )
    return [type(one) for one in defaults]


def _convert_value(op: str, row: list[str], names: list[str], kinds: list[type]) -> tuple[Any, ...]:
    if len(row) != len(names):
        raise RuntimeError(f"`{op}`: a row must have {len(names)} values, for {names}. Received: {row}.")
    types: dict[type, Any] = {int: np.int32, float: np.float32, str: np.str_}
    try:
        return tuple(types[kind](kind(one)) for kind, one in zip(kinds, row, strict=True))
    except (ValueError, OverflowError) as error:
        raise RuntimeError(
            f"`{op}`: a value does not have the type of its column: {row}: {error}."
        ) from error
