"""`TextFileDataset` and `CSVDataset`: datasets of lines of text files."""

import csv
import glob
from io import StringIO
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.random.samplers import Shuffle
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.lines import LineFile, Lines, shard_range
from msjax.ops.common.docstrings import documented_by


class TextFileDataset(GeneratorDataset):
    r"""Non-empty lines of text files, interleaved from the files in the order of their names.

    Args:
        dataset_files: a path or pattern (`*`, `?`), or a list of such; files in UTF-8.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: without effect.
        shuffle: True or `Shuffle.GLOBAL`: the lines come in another random order in each epoch; False: in their order.
        num_shards: read only one of so many equal parts of the rows; these are runs of neighbours.
        shard_id: which part.
        cache: not supported.

    Columns: `text`, a string.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there are no such files.
        NotImplementedError: for `cache`, and for other members of `Shuffle`.

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
        files = _files(op, dataset_files)
        self.dataset_files = list(map(str, files))
        _check(op, num_parallel_workers, cache)
        super().__init__(
            Lines(op, list(map(LineFile, files)), 0, num_shards, shard_id),
            ["text"],
            num_samples=num_samples,
            shuffle=check_shuffle(op, shuffle),
        )


@documented_by(TextFileDataset)
class CSVDataset(GeneratorDataset):
    """The rows of files of comma-separated values, by turns from each of the files in the order of their names.

    Args:
        dataset_files: as for `TextFileDataset`.
        field_delim: the character between the values.
        column_defaults: list of int, float or str, whose types are those of the columns: int32, float32 and strings.
            Default: all are strings.
        column_names: list of str. Default: the first line of the file.
        shuffle: as for `TextFileDataset`.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there are no such files.
        NotImplementedError: for `cache`, and for other members of `Shuffle`.
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
        files = _files(op, dataset_files)
        self.dataset_files = list(map(str, files))
        mark = "," if field_delim is None else field_delim
        if not isinstance(mark, str):
            checks.fail(TypeError, op, "field_delim", "be a str", mark)
        if len(mark) != 1 or mark in '"\r\n':
            checks.fail(ValueError, op, "field_delim", "be one character, no quote or line end", mark)
        _check(op, num_parallel_workers, cache)
        parts = [LineFile(path, quoted=True) for path in files]
        names = (
            _heading(op, parts, mark)
            if column_names is None
            else checks.check_column_names(op, "column_names", column_names)
        )
        kinds = _kinds(op, column_defaults, len(names))
        first = 1 if column_names is None else 0
        super().__init__(
            _Values(op, parts, first, num_shards, shard_id, mark, names, kinds),
            names,
            num_samples=num_samples,
            shuffle=check_shuffle(op, shuffle),
        )


class _Values(Lines):
    """The values in lines of CSV files."""

    def __init__(
        self,
        op: str,
        files: list[LineFile],
        first: int,
        num_shards: int | None,
        shard_id: int | None,
        mark: str,
        names: list[str],
        kinds: list[type],
    ) -> None:
        super().__init__(op, files, first, num_shards, shard_id)
        self.mark, self.names, self.kinds = mark, names, kinds

    def __getitem__(self, index: int) -> tuple[object, ...]:
        return _typed(self.op, _split(self.text(index), self.mark), self.names, self.kinds)


def _split(line: str, mark: str) -> list[str]:
    return next(csv.reader(StringIO(line, newline=""), delimiter=mark), [])


def _heading(op: str, files: list[LineFile], mark: str) -> list[str]:
    """The names of the columns in the first line of the files."""
    names = [_split(file.line(op, 0), mark) if len(file) else [] for file in files]
    for file, one in zip(files, names, strict=True):
        if not one or one != names[0]:
            raise RuntimeError(
                f"`{op}`: the first line of every file must name the same columns, unless `column_names` is given. "
                f"Received: {names[0]} in {files[0].path} and {one} in {file.path}."
            )
    return names[0]


_ABSENT = object()


def interleave(parts: list[list[Any]]) -> list[Any]:
    """Take one row of each part by turns, until all are used up."""
    return [one for one in chain.from_iterable(zip_longest(*parts, fillvalue=_ABSENT)) if one is not _ABSENT]


def take_shard(op: str, rows: list[Any], count: Any, number: Any) -> list[Any]:
    """Return the shard `number` of `count`: a run of rows; the last one may be shorter. All rows if both are None."""
    return rows[shard_range(op, len(rows), count, number)]


def _files(op: str, value: Any) -> list[Path]:
    patterns = [value] if isinstance(value, str) else value
    if not isinstance(patterns, list) or not all(isinstance(one, str) for one in patterns):
        checks.fail(TypeError, op, "dataset_files", "be a str or a list of str", value)
    found = sorted({path for one in patterns for path in glob.glob(one)})
    missing = [one for one in patterns if not glob.glob(one)]
    if missing or not patterns:
        checks.fail(ValueError, op, "dataset_files", "name files that exist", missing or value)
    return [Path(one) for one in found]


def _check(op: str, workers: Any, cache: Any) -> None:
    checks.check_num_workers(op, workers)
    if cache is not None:
        raise NotImplementedError(f"`{op}`: argument `cache` is not supported.")


def check_shuffle(op: str, value: Any) -> bool:
    """Return whether rows are shuffled; refuse the kinds of Shuffle that go by files."""
    if value is Shuffle.GLOBAL or isinstance(value, bool):
        return bool(value)
    if not isinstance(value, Shuffle):
        checks.fail(TypeError, op, "shuffle", "be a bool or a Shuffle", value)
    raise NotImplementedError(
        f"`{op}`: argument `shuffle` may be True, False or Shuffle.GLOBAL. Received: {value}."
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


def _typed(op: str, row: list[str], names: list[str], kinds: list[type]) -> tuple[Any, ...]:
    if len(row) != len(names):
        raise RuntimeError(f"`{op}`: a row must have {len(names)} values, for {names}. Received: {row}.")
    types: dict[type, Any] = {int: np.int32, float: np.float32, str: np.str_}
    try:
        return tuple(types[kind](kind(one)) for kind, one in zip(kinds, row, strict=True))
    except (ValueError, OverflowError) as error:
        raise RuntimeError(
            f"`{op}`: a value does not have the type of its column: {row}: {error}."
        ) from error
