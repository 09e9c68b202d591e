"""Texts of tensors as PyTorch prints them.

All shown numbers of a tensor have one format. Whole numbers get a point; others `precision` digits; a wide range gets
exponents. Of a tensor of more than `threshold` elements the first and the last `edgeitems` along each dimension are shown.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": float("inf"), "edgeitems": 3, "linewidth": 80},
}
PRINTING: dict[str, Any] = {**PROFILES["default"], "sci_mode": None}  # what `set_printoptions` sets

# Numbers have exponents when the largest is so many times the smallest, or they are beyond these.
_WIDEST, _LARGEST, _SMALLEST = 1000, 1e8, 1e-4


class _Format:
    """Format of real numbers, found from all of those that are shown.

    Attributes:
        width: of a finite number that is not zero; others may be wider.
    """

    def __init__(self, shown: np.ndarray) -> None:
        digits = PRINTING["precision"]
        counted = shown
        if shown.dtype.kind == "f":
            shown = shown.astype(np.float64)
            counted = shown[np.isfinite(shown) & (shown != 0)]
            whole = bool((counted == np.ceil(counted)).all())
            exponents = bool(counted.size) and self._have_exponents(np.abs(counted), whole)
            if PRINTING["sci_mode"] is not None:
                exponents = PRINTING["sci_mode"]
            self._text: Callable[[Any], str] = (
                f"{{:.{digits}e}}".format
                if exponents
                else _whole_text
                if whole
                else f"{{:.{digits}f}}".format
            )
        else:
            self._text = str
        self.width = max((len(self._text(number)) for number in counted.ravel()), default=1)

    @staticmethod
    def _have_exponents(sizes: np.ndarray, whole: bool) -> bool:
        least, most = sizes.min(), sizes.max()
        return bool(most / least > _WIDEST or most > _LARGEST or (not whole and least < _SMALLEST))

    def __call__(self, number: Any) -> str:
        return self._text(number).rjust(self.width)


def _whole_text(number: float) -> str:
    return f"{number:.0f}." if np.isfinite(number) else f"{number:.0f}"


class _ComplexFormat:
    """Format of complex numbers: one for the real parts and one for the imaginary parts."""

    def __init__(self, shown: np.ndarray) -> None:
        self._real, self._imaginary = _Format(np.real(shown)), _Format(np.imag(shown))
        self.width = self._real.width + self._imaginary.width + 1

    def __call__(self, number: complex) -> str:
        imaginary = f"{self._imaginary(number.imag)}j".lstrip()
        sign = "" if imaginary[0] in "+-" else "+"
        return f"{self._real(number.real)}{sign}{imaginary}"


def format_values(array: np.ndarray, indent: int) -> str:
    """Return the text of an array's elements.

    Args:
        array: of numbers or bools.
        indent: how many characters stand before it in its first line.
    """
    if not array.size:
        return "[]"
    if array.dtype.name in ("bfloat16", "float16") or array.dtype.name.startswith("float8"):
        array = array.astype(np.float32)
    shown = _keep_edges(array) if array.size > PRINTING["threshold"] else array
    each = _ComplexFormat(shown) if array.dtype.kind == "c" else _Format(shown)
    return _format_block(array, indent, each, shown is not array)


def _is_cut(length: int) -> bool:
    return length > 2 * PRINTING["edgeitems"]


def _keep_edges(array: np.ndarray) -> np.ndarray:
    """Return the elements that are shown of a large array."""
    count = PRINTING["edgeitems"]
    for axis, length in enumerate(array.shape):
        if _is_cut(length):
            array = np.take(array, [*range(count), *range(length - count, length)], axis)
    return array


def _with_gap(parts: Callable[[Any], list[str]], array: np.ndarray, gap: str) -> list[str]:
    count = PRINTING["edgeitems"]
    return [*parts(array[:count]), gap, *parts(array[-count:])]


def _format_block(array: np.ndarray, indent: int, each: _Format | _ComplexFormat, cut: bool) -> str:
    if not array.ndim:
        return each(array.item())
    cut_here = cut and _is_cut(len(array))
    if array.ndim == 1:
        texts = lambda part: [each(number) for number in part.tolist()]  # noqa: E731
        found = _with_gap(texts, array, " ...") if cut_here else texts(array)
        count = max(1, (PRINTING["linewidth"] - indent) // (each.width + 2))
        lines = [", ".join(found[start : start + count]) for start in range(0, len(found), count)]
        return f"[{_join(lines, indent, 1)}]"
    blocks = lambda part: [_format_block(row, indent + 1, each, cut) for row in part]  # noqa: E731
    found = _with_gap(blocks, array, "...") if cut_here else blocks(array)
    return f"[{_join(found, indent, array.ndim - 1)}]"


def _join(parts: Sequence[str], indent: int, newlines: int) -> str:
    between = "," + "\n" * newlines + " " * (indent + 1)
    return between.join(parts)


def add_notes(text: str, notes: Sequence[str], indent: int) -> str:
    """Return a text with notes behind it, each in the last line where it fits, and a closing parenthesis."""
    last = len(text) - text.rfind("\n") + 1
    for note in notes:
        if last + len(note) + 2 > PRINTING["linewidth"]:
            text += f",\n{' ' * indent}{note}"
            last = indent + len(note)
        else:
            text += f", {note}"
            last += len(note) + 2
    return f"{text})"
