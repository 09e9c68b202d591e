"""Memory-mapped lines of text files, each read when it is asked for: only where they begin and end is kept in memory."""

import mmap
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from msjax.dataset.pipeline.nodes import FileRows

_PART = 2**24  # bytes that are searched at once
_LINE_END, _QUOTE = 10, 34


class LineFile:
    """The lines of a file that are not empty.

    Args:
        path: of the file.
        quoted: whether a line end between quotation marks belongs to the line, as in CSV.
        empty: whether empty lines count too, but for what follows the last line end.
    """

    def __init__(self, path: Path, quoted: bool = False, empty: bool = False) -> None:
        self.path, self.quoted, self.empty = path, quoted, empty
        with path.open("rb") as file:
            self._content = (
                b"" if not file.seek(0, 2) else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            )
        ends = self._line_ends()
        starts = np.concatenate(([0], ends[:-1] + 1)).astype(np.int64)
        filled = ends > starts
        filled[:-1] |= empty
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

    def __reduce__(self) -> tuple[type, tuple[Path, bool, bool]]:
        return type(self), (self.path, self.quoted, self.empty)

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
    """The lines of several files, one file after the other.

    Args:
        op: the dataset, for errors.
        files: where they come from.
        first: the first line of each file to give.
    """

    def __init__(self, op: str, files: Sequence[LineFile], first: int = 0) -> None:
        self.op, self.files, self.first = op, files, first
        self.counts = [max(len(file) - first, 0) for file in files]
        self._ends: list[int] = np.cumsum(self.counts).tolist()

    def __len__(self) -> int:
        return self._ends[-1]

    def file_of(self, index: int) -> Path:
        """The path of the file of a row."""
        return self.files[bisect_right(self._ends, index)].path

    def __getitem__(self, index: int) -> tuple[object, ...]:
        return (np.str_(self.text(index)),)

    def text(self, index: int) -> str:
        """The line of a row."""
        number = bisect_right(self._ends, index)
        begin = self._ends[number] - self.counts[number]
        return self.files[number].line(self.op, index - begin + self.first)
