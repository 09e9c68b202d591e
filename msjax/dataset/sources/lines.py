"""Parts of text files, memory-mapped, each read when it is asked for: only where they begin and end is kept in memory."""

import mmap
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.pipeline.nodes import FileRows

_PART = 2**22  # bytes that are searched at once
_LINE_END, _RETURN, _QUOTE = 10, 13, 34
Spans = tuple[np.ndarray, np.ndarray]


def find_lines(content: Any, quoted: bool = False, empty: bool = False) -> Spans:
    """Return where the lines that are not empty begin and end.

    Args:
        content: of the file.
        quoted: whether a line end between quotation marks belongs to the line, as in CSV.
        empty: whether empty lines count too, but for what follows the last line end.
    """
    found, quotes = [], 0
    for place in range(0, len(content), _PART):
        part = np.frombuffer(content[place : place + _PART], np.uint8)
        ends = np.flatnonzero(part == _LINE_END)
        if quoted:
            marks = np.flatnonzero(part == _QUOTE)
            ends = ends[(np.searchsorted(marks, ends) + quotes) % 2 == 0]
            quotes += len(marks)
        found.append(ends + place)
    ends = np.concatenate([*found, [len(content)]]).astype(np.int64)
    starts = np.concatenate(([0], ends[:-1] + 1)).astype(np.int64)
    filled = ends > starts
    filled[:-1] |= empty
    if quoted:  # of an empty line that ends in CR LF there is the CR
        short = np.flatnonzero(ends - starts == 1)
        filled[short] = [content[start] != _RETURN for start in starts[short].tolist()]
    return starts[filled], ends[filled]


find_records = partial(find_lines, quoted=True)
find_lines_and_empty = partial(find_lines, empty=True)


def find_paragraphs(content: Any) -> Spans:
    """Return where runs of lines that are not blank begin and end."""
    starts, ends = array("q"), array("q")
    place, inside = 0, False
    for line in iter(content.readline, b"") if len(content) else ():
        blank = line.isspace()
        if not blank and not inside:
            starts.append(place)
            ends.append(0)
        place += len(line)
        if not blank:
            ends[-1] = place - line.endswith(b"\n")
        inside = not blank
    return np.array(starts, np.int64), np.array(ends, np.int64)


def find_unmarked_lines(content: Any, marks: bytes) -> Spans:
    """Return where the lines begin and end that are not blank and do not begin with what a regular expression matches."""
    starts, ends = find_lines(content)
    left_out = re.compile(rb"\s*(?:%s|$)" % marks)
    kept = np.array([not left_out.match(content, *span) for span in zip(starts, ends, strict=True)], bool)
    return starts[kept], ends[kept]


find_filled_lines = partial(find_unmarked_lines, marks=rb"$")


def find_matches(content: Any, pattern: bytes) -> Spans:
    """Return where the first groups of a regular expression begin and end."""
    spans = array("q")
    for match in re.finditer(pattern, content, re.DOTALL):
        spans.extend(match.span(1))
    found = np.array(spans, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


class LineFile:
    """The lines of a file, or other parts of it.

    Args:
        path: of the file.
        find: finds where they begin and end.
        clean: a function that each goes through, if any.
    """

    def __init__(
        self,
        path: Path,
        find: Callable[[Any], Spans] = find_lines,
        clean: Callable[[str], str] | None = None,
    ) -> None:
        self.path, self.find, self.clean = path, find, clean
        with path.open("rb") as file:
            self._content: Any = (
                b"" if not file.seek(0, 2) else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            )
        self.starts, self.ends = find(self._content)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.path, self.find, self.clean)

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, op: str, number: int) -> str:
        """The text of a line, without its end.

        Raises:
            RuntimeError: if it is not in UTF-8.
        """
        try:
            line = self._content[self.starts[number] : self.ends[number]].decode("utf8")
        except UnicodeDecodeError as error:
            raise RuntimeError(f"`{op}`: {self.path} is not in UTF-8: {error}.") from error
        return line if self.clean is None else self.clean(line)


def _as_it_is(line: str) -> tuple[object, ...]:
    return (np.str_(line),)


class Lines(FileRows):
    """The lines of several files, one file after the other.

    Args:
        op: the dataset, for errors.
        files: where they come from.
        first: the first line of each file to give.
        parse: makes the columns of a row out of a line. Default: one, the line.
    """

    def __init__(
        self,
        op: str,
        files: Sequence[LineFile],
        first: int = 0,
        parse: Callable[[str], tuple[object, ...]] = _as_it_is,
    ) -> None:
        self.op, self.files, self.first, self.parse = op, files, first, parse
        self.counts = [max(len(file) - first, 0) for file in files]
        self._ends: list[int] = np.cumsum(self.counts).tolist()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def file_of(self, index: int) -> Path:
        """The path of the file of a row."""
        return self.files[bisect_right(self._ends, index)].path

    def __getitem__(self, index: int) -> tuple[object, ...]:
        text = self.text(index)
        try:
            return self.parse(text)
        except ValueError as error:
            raise ValueError(f"{error}. Received: {text[:200]!r}") from error

    def text(self, index: int) -> str:
        """The line of a row."""
        number = bisect_right(self._ends, index)
        begin = self._ends[number] - self.counts[number]
        return self.files[number].line(self.op, index - begin + self.first)


class Translations(FileRows):
    """Lines of files that are not empty and, in as many other files, the same lines in another language.

    Args:
        op: the dataset, for errors.
        files: the texts, with their empty lines if they have such.
        translated: their translations.

    Raises:
        RuntimeError: if a translation ends before its text.
    """

    def __init__(self, op: str, files: Sequence[LineFile], translated: Sequence[LineFile]) -> None:
        self.op, self.pairs = op, list(zip(files, translated, strict=True))
        self._numbers = [np.flatnonzero(one.ends > one.starts) for one in files]
        for (one, other), numbers in zip(self.pairs, self._numbers, strict=True):
            if len(numbers) and numbers[-1] >= len(other):
                raise RuntimeError(
                    f"`{op}`: a translation must have as many lines as its text. "
                    f"Received: {len(one)} in {one.path} and {len(other)} in {other.path}."
                )
        self.counts = list(map(len, self._numbers))
        self._ends: list[int] = np.cumsum(self.counts).tolist()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def file_of(self, index: int) -> Path:
        """The path of the file of a row, before it is translated."""
        return self.pairs[bisect_right(self._ends, index)][0].path

    def __getitem__(self, index: int) -> tuple[object, ...]:
        number = bisect_right(self._ends, index)
        line = self._numbers[number][index - self._ends[number] + self.counts[number]]
        return tuple(np.str_(side.line(self.op, line)) for side in self.pairs[number])
