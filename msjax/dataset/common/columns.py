"""Rows of a pipeline: lists of columns, which are NumPy arrays or dicts of them; conversion and stacking."""

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor

Column = Any  # np.ndarray, or a dict of str to Column
Row = list[Column]

_KINDS = "biufUS"  # bool, signed, unsigned, float, str, bytes


def to_column(value: Any, where: str) -> Column:
    """Convert a value that a source or a user's function gave to an array.

    Python numbers become int64, float64 and bool arrays of shape (), Tensors their contents.

    Raises:
        RuntimeError: for None, for objects that are not numbers or strings, and for ragged lists.
    """
    if isinstance(value, dict):
        return {key: to_column(item, where) for key, item in value.items()}
    if isinstance(value, Tensor):
        value = value.asnumpy()
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise RuntimeError(f"{where} gave a list whose parts differ in shape: {error}") from error
    if array.dtype.kind not in _KINDS:
        raise RuntimeError(
            f"{where} gave {value!r} ({type(value).__name__}), which no column can hold. "
            "Columns hold numbers, bools, str and bytes, and lists, arrays and Tensors of them."
        )
    if array.dtype.kind in "US":
        return np.array(array.tolist(), array.dtype.kind)  # no wider than its longest string
    return array if array.flags.writeable else array.copy()


def to_row(value: Any, count: int, where: str, spread: type | tuple[type, ...] = tuple) -> Row:
    """Return the columns of a value: the elements of a tuple, else the value itself.

    Args:
        value: what a source or a function gave.
        count: how many columns there must be.
        where: who gave it, for the error.
        spread: the types whose elements are columns.

    Raises:
        RuntimeError: if there are more or fewer, or one of them cannot be a column.
    """
    parts = value if isinstance(value, spread) else (value,)
    if len(parts) != count:
        raise RuntimeError(f"{where} gave {len(parts)} columns. Expected: {count}.")
    return [to_column(part, where) for part in parts]


def copy_column(column: Column) -> Column:
    """Return a copy of a column that somebody else may still write to."""
    return (
        {key: copy_column(item) for key, item in column.items()}
        if isinstance(column, dict)
        else column.copy()
    )


def stack_column(columns: Sequence[Column], name: str, op: str) -> Column:
    """One column of a batch.

    Raises:
        RuntimeError: if shapes or dtypes differ.
    """
    first = columns[0]
    if isinstance(first, dict):
        return {key: stack_column([one[key] for one in columns], f"{name}[{key!r}]", op) for key in first}
    for one in columns:
        if one.shape != first.shape:
            raise RuntimeError(
                f"`{op}`: the rows of a batch differ in shape in column `{name}`: {first.shape} and {one.shape}. "
                "Use `padded_batch`, or a `map` that gives them one shape."
            )
        if one.dtype != first.dtype and not first.dtype.kind == one.dtype.kind in "US":
            raise RuntimeError(
                f"`{op}`: the rows of a batch differ in dtype in column `{name}`: {first.dtype} and {one.dtype}. "
                "Use a `map` with `TypeCast`."
            )
    return np.stack(columns)


def call_user_function(function: Callable[..., Any], arguments: Sequence[Any], where: str) -> Any:
    """Call a function of the user's.

    Raises:
        RuntimeError: MindSpore's type for whatever goes wrong in there; it names the user's line and has the
            user's exception with its traceback as its cause.
    """
    try:
        return function(*arguments)
    except Exception as error:
        raise RuntimeError(f"{where} raised {type(error).__name__}: {error}{_line(error)}") from error


def name_of(function: Any) -> str:
    """Return the name of a function or transform for error messages."""
    return getattr(function, "__name__", type(function).__name__)


def _line(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[1:]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""


# ---------------------------------------------------------------- out of the pipeline


def to_device(row: Row) -> list[Any]:
    """Transfer the numbers of rows to the default device in one transfer; strings stay as they are."""
    leaves, structure = jax.tree.flatten(row)
    places = [i for i, leaf in enumerate(leaves) if leaf.dtype.kind not in "US"]
    numbers = [leaves[i].astype(dtypes.canonical(leaves[i].dtype), copy=False) for i in places]
    for i, array in zip(places, jax.device_put(numbers), strict=True):
        leaves[i] = array
    return jax.tree.unflatten(structure, leaves)


def to_tensors(row: list[Any]) -> list[Any]:
    """Convert arrays to Tensors; strings remain NumPy arrays."""
    return jax.tree.map(lambda leaf: Tensor.from_array(leaf) if isinstance(leaf, jax.Array) else leaf, row)
