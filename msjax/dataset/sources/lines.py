"""Memory-mapped lines of text files, each read when it is asked for: only where they begin and end is kept in memory."""

import mmap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.pipeline.nodes import FileRows

_PART = 2**24  # bytes that are searched at once
_LINE_END, _QUOTE = 10, 34


class LineFile:
    """The lines of a file that are not empty.

    Args:
        path: of the file.
        quoted: whether a line end between quotation marks belongs to the line, as in CSV.
    """

    def __init__(self, path: Path, quoted: bool = False) -> None:
        self.path, self.quoted = path, quoted
        with path.open("rb") as file:
            empty = not file.seek(0, 2)
            self._content = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        ends = self._line_ends()
        starts = np.concatenate(([0], ends[:-1] + 1)).astype(np.int64)
        filled = ends > starts
        self.starts, self.ends = starts[filled], ends[filled]

    def _line_ends(self) -> np.ndarray:
        found, quotes = [], 0
        for place in range(0, len(self._content), _PART):
            part = np.frombuffer(self._content[place : place + _PART], np.uint8)
            ends = np.flatnonzero(part == _LINE_END)
            if self.quoted:
                marks = np.flatnonzero(part == _QUOTE)
                ends = ends[(np.searchsorted(marks, ends) + quotes) % 2 == 0]
                quotes += len(marks)
            found.append(ends + place)
        return np.concatenate([*found, [len(self._content)]]).astype(np.int64)

    def __reduce__(self) -> tuple[type, tuple[Path, bool]]:
        return type(self), (self.path, self.quoted)

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, op: str, number: int) -> str:
        """The text of a line, without its end.

        Raises:
            RuntimeError: if it is not in UTF-8.
        """
        try:
            return self._content[self.starts[number] : self.ends[number]].decode("utf8")
        except UnicodeDecodeError as error:
            raise RuntimeError(f"`{op}`: {self.path} is not in UTF-8: {error}.") from error


class Lines(FileRows):
    """The lines of several files, by turns from each of them.

    Args:
        op: the dataset, for errors.
        files: where they come from.
        first: the first line of each file to give.
        num_shards: give one of so many runs of lines; None: all lines.
        shard_id: which.
    """

    def __init__(
        self,
        op: str,
        files: Sequence[LineFile],
        first: int = 0,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        self.op, self.files = op, files
        counts = [max(len(file) - first, 0) for file in files]
        numbers = np.concatenate([np.arange(first, first + count) for count in counts])
        sources = np.repeat(np.arange(len(files)), counts)
        by_turns = np.lexsort((sources, numbers))
        share = shard_range(op, len(numbers), num_shards, shard_id)
        self._numbers, self._sources = numbers[by_turns][share], sources[by_turns][share]

    def __len__(self) -> int:
        return len(self._numbers)

    def file_of(self, index: int) -> Path:
        """The path of the file of a row."""
        return self.files[self._sources[index]].path

    def __getitem__(self, index: int) -> tuple[object, ...]:
        return (np.str_(self.text(index)),)

    def text(self, index: int) -> str:
        """The line of a row."""
        return self.files[self._sources[index]].line(self.op, int(self._numbers[index]))


def shard_range(op: str, rows: int, count: int | None, number: int | None) -> slice:
    """Return the rows of shard `number` of `count`: a run; the last one may be shorter. All rows if both are None."""
    if count is None and number is None:
        return slice(None)
    if count is None or number is None:
        raise RuntimeError(f"`{op}`: arguments `num_shards` and `shard_id` must come together.")
    checks.check_int(op, "num_shards", count, 1)
    size = -(-rows // count)
    start = checks.check_int(op, "shard_id", number, 0, count - 1) * size
    return slice(start, start + size)
