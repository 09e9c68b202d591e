"""Checks for unknown sizes (-1) and unknown ranks (-2) in shapes."""

from typing import Any


def is_shape_unknown(shape: Any) -> bool:
    """Return True if a size, or the number of dimensions, is unknown.

    Examples:
        >>> from msjax.common._utils import is_shape_unknown
        >>> is_shape_unknown((2, -1)), is_shape_unknown((-2,)), is_shape_unknown((2, 3)), is_shape_unknown(None)
        (True, True, False, False)
    """
    return shape is not None and any(size in (-1, -2) for size in shape)


def is_dim_unknown(shape: Any) -> bool:
    """Return True if the number of dimensions is unknown."""
    return shape is not None and -2 in shape
