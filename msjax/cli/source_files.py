"""Source files: the text of Python programs in the encoding that they declare, and what is wrong with other files."""

import ast
import tokenize
from pathlib import Path


class UnreadableSourceError(ValueError):
    """A file is no Python program.

    Attributes:
        line: the line where that shows, from 1.
    """

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def detect_encoding(path: Path) -> str:
    """Return the encoding of a Python file: UTF-8, or what one of its first two lines names.

    Raises:
        UnreadableSourceError: if Python has no such encoding.
    """
    try:
        with path.open("rb") as file:
            return tokenize.detect_encoding(file.readline)[0]
    except SyntaxError as error:
        raise UnreadableSourceError(f"not a Python program: {error.msg}") from None


def read_source(path: Path) -> str:
    """Return the text of a Python file.

    Raises:
        UnreadableSourceError: if it is not in its encoding, or not text.
    """
    encoding = detect_encoding(path)
    try:
        text = path.read_text(encoding)
    except UnicodeDecodeError as error:
        place = f"the byte {error.object[error.start]:#04x} at position {error.start} is not {encoding}"
        raise UnreadableSourceError(f"not a Python program: {place}") from None
    if "\0" in text:
        raise UnreadableSourceError(
            "not a Python program: it holds a null byte", text[: text.index("\0")].count("\n") + 1
        )
    return text


def parse_source(text: str) -> ast.Module:
    """Return the syntax tree of a program.

    Raises:
        UnreadableSourceError: with the line, if there is none.
    """
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UnreadableSourceError(f"not a Python program: {error.msg}", error.lineno or 1) from None
