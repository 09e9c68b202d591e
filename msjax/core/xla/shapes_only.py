"""Arrays without elements, as PyTorch's tensors of the device `meta` have: a shape and a dtype.

They are `jax.ShapeDtypeStruct`s. What is computed of one is one, too: a program is traced for its shapes, and not run.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax


class _Made:
    """Flag: an array without elements was made. Operators look for one among their arguments only then."""

    __slots__ = ("any",)

    def __init__(self) -> None:
        self.any = False


_made = _Made()


def make(shape: Sequence[int], dtype: Any) -> Any:
    """Return an array without elements."""
    _made.any = True
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


def is_one(value: object) -> bool:
    """Return True if an array has no elements, but a shape and a dtype alone."""
    return type(value) is jax.ShapeDtypeStruct


def among(values: Sequence[object]) -> bool:
    """Return True if one of the arrays has no elements."""
    return _made.any and any(map(is_one, values))


def evaluate(fn: Callable, values: Sequence[Any]) -> Any:
    """Return the results of a function of arrays, without elements."""
    return jax.eval_shape(fn, *values)
