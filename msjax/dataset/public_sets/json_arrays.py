"""Elements of the arrays in a large JSON file, found without holding the file in memory."""

import json
import mmap
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from msjax.dataset.public_sets.reader_table import parse_json, require_file

_WINDOW = 2**20  # bytes that are looked at together
_SPACE = re.compile(r"[ \t\r\n]*")


class Element(NamedTuple):
    """An element of an array in a JSON file.

    Args:
        name: of the array.
        start: its first byte in the file.
        end: the byte behind its last.
        value: what it holds.
    """

    name: str
    start: int
    end: int
    value: Any


class JsonFile:
    """A JSON file whose one object holds long arrays.

    Args:
        op: the dataset, for errors.
        path: of the file.

    Raises:
        RuntimeError: if there is no such file, or it is empty.
    """

    def __init__(self, op: str, path: Path) -> None:
        self.op, self.path = op, path
        with require_file(op, path).open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.seek(0, 2) else b""

    def __reduce__(self) -> tuple[type, tuple[str, Path]]:
        return type(self), (self.op, self.path)

    def load(self, start: int, end: int) -> Any:
        """Return the value between two bytes."""
        return parse_json(self.op, str(self.path), self._content[start:end])

    def elements(self, names: Collection[str]) -> Iterator[Element]:
        """Yield the elements of the arrays that have one of these names, in the order of the file.

        Raises:
            RuntimeError: if the file holds something else than an object, or one of these names is no array.
        """
        walk = _Walk(self.op, self.path, self._content)
        if not walk.takes("{"):
            raise RuntimeError(f"`{self.op}`: {self.path} must hold a JSON object.")
        more = not walk.takes("}")
        while more:
            name = walk.value()[2]
            walk.needs(":")
            if name not in names:
                walk.value()
            else:
                walk.needs("[")
                inside = not walk.takes("]")
                while inside:
                    yield Element(name, *walk.value())
                    inside = walk.needs(",]") == ","
            more = walk.needs(",}") == ","


class _Walk:
    """A place in a JSON file, and the text around it.

    The text is the bytes as Latin-1, so that its characters are where the bytes are: what structures JSON is ASCII.
    """

    def __init__(self, op: str, path: Path, content: Any) -> None:
        self.op, self.path, self.content = op, path, content
        self.begin = self.place = 0
        self.text = ""
        self.decode = json.JSONDecoder().raw_decode

    def value(self) -> tuple[int, int, Any]:
        """Return the bytes of the value that begins here, and the value; go behind it."""
        self._skip()
        size = _WINDOW
        while True:
            try:
                found, end = self.decode(self.text, self.place)
            except ValueError as error:
                found, end, problem = None, len(self.text), error
            else:
                problem = None
            whole = self.begin + len(self.text) == len(self.content)
            if end < len(self.text) or (whole and problem is None):
                break
            if whole:
                raise RuntimeError(
                    f"`{self.op}`: {self.path} holds no JSON from byte {self.begin + self.place} on: {problem}."
                ) from problem
            self._look(self.begin + self.place, size)  # a value may go on behind the window
            size *= 2
        part, span = self.text[self.place : end], (self.begin + self.place, self.begin + end)
        self.place = end
        exact = found if part.isascii() else parse_json(self.op, str(self.path), part.encode("latin-1"))
        return (*span, exact)

    def takes(self, marks: str) -> str:
        """Go behind one of these marks if it stands here; return it, or ""."""
        self._skip()
        mark = self.text[self.place : self.place + 1]
        if not mark or mark not in marks:
            return ""
        self.place += 1
        return mark

    def needs(self, marks: str) -> str:
        """Go behind one of these marks and return it.

        Raises:
            RuntimeError: if none stands here.
        """
        mark = self.takes(marks)
        if not mark:
            where = f"{self.path} holds no JSON from byte {self.begin + self.place} on"
            raise RuntimeError(f"`{self.op}`: {where}: expected {' or '.join(marks)}.")
        return mark

    def _skip(self) -> None:
        while True:
            match = _SPACE.match(self.text, self.place)
            self.place = match.end() if match else self.place
            if self.place < len(self.text) or self.begin + len(self.text) == len(self.content):
                return
            self._look(self.begin + self.place, _WINDOW)

    def _look(self, begin: int, size: int) -> None:
        self.begin, self.place = begin, 0
        self.text = self.content[begin : begin + size].decode("latin-1")
