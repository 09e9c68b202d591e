"""Base class of transforms, and shared conversions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments


class Transform(KeepsArguments):
    """A function of one column, usable in `map` and on its own.

    A subclass defines `apply`, from an array to an array or to a tuple of arrays.
    """

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed column."""
        op = type(self).__name__
        if len(columns) != 1:
            raise RuntimeError(f"`{op}`: takes one column. Received: {len(columns)}.")
        return self.apply(as_array(op, columns[0]))

    def apply(self, array: np.ndarray) -> Any:
        """Return the transformed array."""
        raise NotImplementedError


def as_array(op: str, value: Any) -> np.ndarray:
    """Return the array for what a transform is called with.

    Raises:
        TypeError: if it is not an array, a Tensor, a number, a str, bytes or a list of such.
    """
    if isinstance(value, Tensor):
        return value.asnumpy()
    array = np.asarray(value)
    if array.dtype.kind not in "biufUS":
        raise TypeError(
            f"`{op}`: takes an array, a Tensor or numbers. Received: {value!r} ({type(value).__name__})."
        )
    return array


def as_dtype(op: str, name: str, value: Any, kinds: str = "biuf") -> np.dtype:
    """Return the NumPy dtype for a MindSpore dtype, a NumPy dtype or type, or a name.

    Args:
        op (str): who asks.
        name (str): of the argument.
        value (object): the argument.
        kinds (str): NumPy's letters of the dtypes that will do; "U" for MindSpore's string.

    Raises:
        TypeError: for anything else.
    """
    if value is dtypes.string and "U" in kinds:
        return np.dtype(str)
    if isinstance(value, DType) and value.np is not None and value.np.kind in kinds:
        return value.np
    try:
        dtype = None if value is None or isinstance(value, DType | bool | int | float) else np.dtype(value)
    except TypeError:
        dtype = None
    if dtype is None or dtype.kind not in kinds:
        rule = f"be the dtype of real numbers, {'strings ' if 'U' in kinds else ''}or bools"
        checks.fail(TypeError, op, name, rule, value)
    return dtype


def check_callables(op: str, value: Any) -> list[Callable[..., Any]]:
    """Return a list of at least one callable.

    Raises:
        TypeError: if it is not a list, or holds something else.
        ValueError: if it is empty.
    """
    if not isinstance(value, list | tuple):
        checks.fail(TypeError, op, "transforms", "be a list of callables", value)
    if not value:
        checks.fail(ValueError, op, "transforms", "hold at least one callable", value)
    for one in value:
        if not callable(one):
            checks.fail(TypeError, op, "transforms", "hold callables only", one)
    return list(value)


def is_pil(value: Any) -> bool:
    """Return True if a value is a PIL image, without importing PIL."""
    return type(value).__module__.startswith("PIL.")


def unwrap_single(columns: tuple[Any, ...]) -> Any:
    """One column as itself, several as a tuple."""
    return columns[0] if len(columns) == 1 else columns
