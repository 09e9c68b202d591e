"""Sizes of the parts of a random split."""

from collections.abc import Callable
from typing import Any

from msjax.dataset.common import checks


def split_sizes(sizes: Any, total: Callable[[], int]) -> list[int]:
    """Return the numbers of rows for sizes given as numbers of rows or as fractions.

    Args:
        sizes: list of ints or of floats.
        total: how many rows there are.

    Raises:
        TypeError, ValueError: for sizes of a wrong kind.
        RuntimeError: if ints do not sum to the total, or a share would be empty.
    """
    if not isinstance(sizes, list):
        raise TypeError(checks.argument_error_text("split", "sizes", "be a list of ints or of floats", sizes))
    if not sizes:
        raise ValueError(checks.argument_error_text("split", "sizes", "hold at least one size", sizes))
    if all(isinstance(size, int) for size in sizes):
        return _by_number(sizes, total)
    if not all(isinstance(size, float) for size in sizes):
        raise ValueError(checks.argument_error_text("split", "sizes", "hold ints only or floats only", sizes))
    if not all(0 < size <= 1 for size in sizes) or abs(sum(sizes) - 1) > 1e-5:
        raise ValueError(
            checks.argument_error_text("split", "sizes", "hold fractions in (0, 1] that sum to 1", sizes)
        )
    return _by_fraction(sizes, total())


def _by_number(sizes: list[int], total: Callable[[], int]) -> list[int]:
    if min(sizes) < 1:
        raise ValueError(checks.argument_error_text("split", "sizes", "hold ints above 0 only", sizes))
    if sum(sizes) != total():
        raise RuntimeError(
            checks.argument_error_text("split", "sizes", f"sum to the size of the dataset, {total()}", sizes)
        )
    return sizes


def _by_fraction(sizes: list[float], total: int) -> list[int]:
    """Rounded; what rounding makes too many or too few is corrected from the first share on."""
    found = [round(size * total) for size in sizes]
    if min(found) < 1:
        raise RuntimeError(
            checks.argument_error_text("split", "sizes", f"give each share one of the {total} rows", sizes)
        )
    missing = total - sum(found)
    for i in range(len(found)):
        step = max(missing, 1 - found[i])
        found[i], missing = found[i] + step, missing - step
    return found
