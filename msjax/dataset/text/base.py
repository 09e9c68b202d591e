"""Base classes of text transforms: arrays of strings, argument checks, tokens with their offsets."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.transforms.base import Transform

Piece = tuple[str, int, int]  # a token, and where it begins and ends, in bytes of UTF-8


class TextTransform(Transform):
    """A function of strings. A subclass defines `apply`, from an array to an array or a tuple of arrays."""

    def strings(self, array: np.ndarray) -> np.ndarray:
        """Return the array, if it holds strings; bytes are decoded.

        Raises:
            RuntimeError: if it holds something else.
        """
        if array.dtype.kind not in "US":
            raise RuntimeError(
                f"`{type(self).__name__}`: takes strings. Received: an array of {array.dtype}."
            )
        return np.char.decode(array, "utf8") if array.dtype.kind == "S" else array

    def each(self, array: np.ndarray, function: Callable[[str], str]) -> np.ndarray:
        """Return the array with a function applied to every string."""
        strings = self.strings(array)
        return np.array([function(one) for one in strings.ravel().tolist()], str).reshape(strings.shape)


class Tokenizer(TextTransform):
    """Base class of tokenizers: from one string to its tokens; a subclass defines `pieces`.

    Args:
        with_offsets: whether the beginnings and the ends of the tokens, uint32 numbers of bytes, come too.
    """

    with_offsets = False

    def apply(self, array: np.ndarray) -> Any:
        """Return the tokens of a string, with their offsets if these are wanted."""
        strings = self.strings(array)
        if strings.ndim:
            raise RuntimeError(
                f"`{type(self).__name__}`: takes one string. Received: an array of shape {strings.shape}."
            )
        text = strings.item()
        if not self.with_offsets:
            return np.array(self.words(text) or [""])
        return tokens_to_arrays(self.pieces(text), self.with_offsets)

    def words(self, text: str) -> list[str]:
        """Return the tokens alone."""
        return [piece[0] for piece in self.pieces(text)]

    def pieces(self, text: str) -> Sequence[Piece]:
        """Return the tokens and their places."""
        raise NotImplementedError


def tokens_to_arrays(pieces: Sequence[Piece], with_offsets: bool) -> Any:
    """Tokens as an array, or with their offsets as three; no token at all is one empty string."""
    tokens, starts, ends = zip(*(pieces or [("", 0, 0)]), strict=True)
    words = np.array(tokens, str)
    return (words, np.array(starts, np.uint32), np.array(ends, np.uint32)) if with_offsets else words


def utf8_size(text: str) -> int:
    """Return the number of bytes of a string in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf8", "surrogatepass"))


def locate_pieces(parts: Sequence[str], start: int = 0) -> list[Piece]:
    """Parts that follow one another, with their places."""
    pieces = []
    for part in parts:
        end = start + utf8_size(part)
        pieces.append((part, start, end))
        start = end
    return pieces


def check_str(op: str, name: str, value: Any) -> str:
    """Return a str.

    Raises:
        TypeError: for anything else.
    """
    if not isinstance(value, str):
        checks.fail(TypeError, op, name, "be a str", value)
    return value


def check_instance(op: str, name: str, value: Any, kind: type) -> Any:
    """Return an object of a class.

    Raises:
        TypeError: for anything else.
    """
    if not isinstance(value, kind):
        checks.fail(TypeError, op, name, f"be a {kind.__name__}", value)
    return value
