"""Creation of Tensors: constants (zeros, ones, full), ranges (arange, linspace), grids."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, export, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import FLOAT, as_array, as_shape, expect_tensors, promote


def element(op_name: str, dtype: Any, default: Any = FLOAT) -> np.dtype:
    """Return the NumPy dtype for an argument `dtype`: MindSpore's own, or None for a default."""
    if dtype is None:
        return default
    if not isinstance(dtype, dtypes.DType):
        checks.fail(
            TypeError, op_name, "dtype", "be a MindSpore dtype such as mindspore.float32", repr(dtype)
        )
    return dtypes.as_np(dtype)


def _shape(op_name: str, **values: Any) -> tuple[int, ...]:
    wanted = as_shape(op_name, **values)
    if any(n < 0 for n in wanted):
        checks.fail(ValueError, op_name, next(iter(values)), "hold no negative number", wanted)
    return wanted


@op(static="size dtype")
def zeros(size: Any, dtype: Any = None) -> Array:
    """Zeros.

    Args:
        size (int, tuple[int], list[int], Tensor): the shape.
        dtype (mindspore.dtype, None): Default: float32.

    Returns:
        Tensor.

    Raises:
        TypeError: if the shape or dtype is none.
        ValueError: if a size is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.zeros((2, 2)))
        [[0. 0.]
         [0. 0.]]
    """
    return jnp.zeros(_shape("zeros", size=size), element("zeros", dtype))


@op(static="shape dtype")
@documented_by(zeros)
def ones(shape: Any, dtype: Any = None) -> Array:
    """Ones.

    Args:
        shape (int, tuple[int], list[int], Tensor): the shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ones(3, ms.int32))
        [1 1 1]
    """
    return jnp.ones(_shape("ones", shape=shape), element("ones", dtype))


@op(static="size dtype")
def full(size: Any, fill_value: ArrayOrNumber, *, dtype: Any = None) -> Array:
    """One number everywhere.

    Args:
        size (tuple[int], list[int]): the shape.
        fill_value (number, Tensor): the number.
        dtype (mindspore.dtype, None): Default: int64, whatever the number, as in MindSpore.

    Returns:
        Tensor.

    Raises:
        TypeError: if the shape is not a sequence of ints.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.full((2,), 1.5, dtype=ms.float32))
        [1.5 1.5]
    """
    if not isinstance(size, tuple | list):
        checks.fail(
            TypeError, "full", "size", "be a tuple or list of ints", f"{size!r} ({type(size).__name__})"
        )
    value = as_array("full", "fill_value", fill_value)
    return jnp.broadcast_to(
        value.astype(element("full", dtype, dtypes.as_np(dtypes.int64))), _shape("full", size=size)
    )


@op(static="dtype")
def zeros_like(input: Array, *, dtype: Any = None) -> Array:
    """Zeros of another array's shape.

    Args:
        input (Tensor): whose shape.
        dtype (mindspore.dtype, None): Default: that of `input`.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.zeros_like(ms.Tensor([1, 2])))
        [0 0]
    """
    x = as_array("zeros_like", "input", input)
    return jnp.zeros(x.shape, element("zeros_like", dtype, x.dtype))


@op(static="dtype")
@documented_by(zeros_like)
def ones_like(input: Array, *, dtype: Any = None) -> Array:
    """Ones of another array's shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ones_like(ms.Tensor([5, 6])))
        [1 1]
    """
    x = as_array("ones_like", "input", input)
    return jnp.ones(x.shape, element("ones_like", dtype, x.dtype))


@op(static="dtype")
@documented_by(zeros_like)
def full_like(input: Array, fill_value: ArrayLike, *, dtype: Any = None) -> Array:
    """One number everywhere, in another array's shape.

    Args:
        fill_value (number): the number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.full_like(ms.Tensor([1, 2]), 7))
        [7 7]
    """
    x, value = as_array("full_like", "input", input), as_array("full_like", "fill_value", fill_value)
    return jnp.broadcast_to(value.astype(element("full_like", dtype, x.dtype)), x.shape)


@op(static="n m dtype")
def eye(n: int, m: int | None = None, dtype: Any = None) -> Array:
    """Ones on the main diagonal, zeros elsewhere.

    Args:
        n (int): number of rows.
        m (int, None): number of columns. Default: `n`.
        dtype (mindspore.dtype, None): Default: float32.

    Returns:
        Tensor of shape (n, m).

    Raises:
        TypeError: if a number is not an int.
        ValueError: if a number is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.eye(2, 3))
        [[1. 0. 0.]
         [0. 1. 0.]]
    """
    rows, columns = n, n if m is None else m
    checks.check_ints("eye", n=rows, m=columns)
    checks.check_between("eye", 0, math.inf, n=rows, m=columns)
    return jnp.eye(rows, columns, dtype=element("eye", dtype))


# ---------------------------------------------------------------------- ranges


@op(static="start end step dtype")
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Array:
    """Numbers from `start` up to, and without, `end`.

    Args:
        start (int, float, Tensor): first number; the end if it is the only one, starting from 0.
        end (int, float, Tensor, None): where to stop.
        step (int, float, Tensor): distance.
        dtype (mindspore.dtype, None): Default: int64 for ints, float32 if a number is a float.

    Returns:
        Tensor of one dimension.

    Raises:
        ValueError: if `step` is 0, or leads away from `end`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.arange(4), ms.ops.arange(1, 2, 0.25))
        [0 1 2 3] [1.   1.25 1.5  1.75]
    """
    return _arange("arange", start, end, step, dtype)


def _arange(op_name: str, start: Any, end: Any, step: Any, dtype: Any) -> Array:
    if end is None:
        start, end = 0, start
    default, length = dtypes.as_np(dtypes.int64), end
    # A length that is a symbol stands for many (`core/xla/shape_templates.py`).
    if export.is_symbolic_dim(end) and (start, step) == (0, 1):
        return lax.iota(default, length).astype(element(op_name, dtype, default))
    checks.check_numbers(op_name, start=start, end=end, step=step)
    if step == 0 or (end - start) * step < 0:
        checks.fail(ValueError, op_name, "step", f"lead from {start} to {end}", step)
    whole = all(type(v) is int for v in (start, end, step))
    default = default if whole else FLOAT
    count = max(math.ceil((end - start) / step), 0)
    kind = element(op_name, dtype, default)
    steps = lax.iota(default, count)
    if (start, step) != (0, 1):
        steps = steps * default.type(step) + default.type(start)
    return steps.astype(kind)


@op(static="start end step maxlen")
def range(start: Any, end: Any = None, step: Any = 1, maxlen: int = 1000000) -> Array:  # noqa: A001
    """Numbers from `start` up to, and without, `end`.

    Args:
        start (int, float, Tensor): first number; the end if it is the only one, starting from 0.
        end (int, float, Tensor): where to stop.
        step (int, float, Tensor): distance.
        maxlen (int): accepted for MindSpore's signature, without effect.

    Returns:
        Tensor of one dimension: int64, or float32 if a number is a float.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.range(0, 6, 2))
        [0 2 4]
    """
    return _arange("range", start, end, step, None)


@op(static="steps", promotes=True)
def linspace(start: ArrayOrNumber, end: ArrayOrNumber, steps: int) -> Array:
    """Return `steps` evenly spaced numbers from `start` to `end`, both included.

    Args:
        start (number, Tensor): first number.
        end (number, Tensor): last number.
        steps (int): how many.

    Returns:
        Tensor of one dimension: float32, or the dtype of `start` and `end` if that is floating.

    Raises:
        ValueError: if `steps` is less than 1, or an end is more than one number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.linspace(0, 1, 5))
        [0.   0.25 0.5  0.75 1.  ]
    """
    checks.check_ints("linspace", steps=steps)
    checks.check_between("linspace", 1, math.inf, steps=steps)
    first, last = promote("linspace", start=start, end=end)
    checks.check_rank("linspace", 0, start=first, end=last)
    kind = first.dtype if jnp.issubdtype(first.dtype, jnp.floating) else FLOAT
    return jnp.linspace(first.astype(kind), last.astype(kind), steps, dtype=kind)


@op(static="steps base dtype")
def logspace(
    start: ArrayOrNumber, end: ArrayOrNumber, steps: int, base: Any = 10, *, dtype: Any = dtypes.float32
) -> Array:
    """Powers of a base whose exponents are equally far apart, from `start` to `end`.

    Args:
        start (number, Tensor): first exponent.
        end (number, Tensor): last exponent.
        steps (int): how many.
        base (int): the base.
        dtype (mindspore.dtype): of the result.

    Returns:
        Tensor of one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logspace(0, 2, 3))
        [  1.  10. 100.]
    """
    exponents = linspace.pure(start, end, steps)
    return jnp.power(jnp.asarray(base, exponents.dtype), exponents).astype(element("logspace", dtype))


# ---------------------------------------------------------------------- grids


@op(static="indexing")
def grid(inputs: Any, indexing: str = "xy") -> tuple[Array, ...]:
    """Return the coordinates that some axes span (see `meshgrid`)."""
    checks.check_choice("meshgrid", ("xy", "ij"), indexing=indexing)
    if not inputs:
        checks.fail(ValueError, "meshgrid", "inputs", "have an axis", "none")
    given = {f"inputs[{i}]": as_array("meshgrid", f"inputs[{i}]", x) for i, x in enumerate(inputs)}
    checks.check_rank("meshgrid", 0, 1, **given)
    if len({x.dtype for x in given.values()}) > 1:
        dtypes_of = [str(x.dtype) for x in given.values()]
        checks.fail(ValueError, "meshgrid", "inputs", "be of one dtype", dtypes_of)
    return tuple(jnp.meshgrid(*map(jnp.ravel, given.values()), indexing=indexing))


def meshgrid(*inputs: Any, indexing: str = "xy") -> Any:
    """Return the coordinates that some axes span, as one array for each.

    Args:
        inputs (Tensor): the axes, one-dimensional or single numbers, of one dtype; or one tuple or list of them.
        indexing (str): "ij" for results of shape (len(first), len(second) ...), "xy" with the first two exchanged.

    Returns:
        Tuple of Tensors of one shape.

    Raises:
        ValueError: if `indexing` is anything else, an axis has several dimensions, the dtypes differ, or there is no axis.

    Examples:
        >>> import msjax as ms
        >>> x, y = ms.ops.meshgrid(ms.Tensor([1, 2]), ms.Tensor([3, 4, 5]))
        >>> print(x)
        [[1 2]
         [1 2]
         [1 2]]
    """
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], tuple | list) else inputs
    expect_tensors("meshgrid", inputs=given)
    return grid(list(given), indexing)


def _check_sides(name: str, row: Any, col: Any, offset: Any) -> None:
    checks.check_ints(name, row=row, col=col, offset=offset)
    if row < 0 or col < 0:
        checks.fail(ValueError, name, "row", "and `col` must be at least 0", f"{row}, col={col}")


@op(static="row col offset dtype")
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = dtypes.int64) -> Array:
    """Positions of the elements on and below a diagonal of a matrix.

    Args:
        row (int): number of rows.
        col (int): number of columns.
        offset (int): how far the diagonal is above the main one.
        dtype (mindspore.dtype): int32 or int64.

    Returns:
        Tensor of shape (2, number of elements).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tril_indices(2, 2))
        [[0 1 1]
         [0 0 1]]
    """
    _check_sides("tril_indices", row, col, offset)
    return jnp.asarray(np.stack(np.tril_indices(row, offset, col)).astype(element("tril_indices", dtype)))


@op(static="row col offset dtype")
@documented_by(tril_indices)
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = dtypes.int64) -> Array:
    """Positions of the elements on and above a diagonal of a matrix.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.triu_indices(2, 2))
        [[0 0 1]
         [0 1 1]]
    """
    _check_sides("triu_indices", row, col, offset)
    return jnp.asarray(np.stack(np.triu_indices(row, offset, col)).astype(element("triu_indices", dtype)))
