"""Reductions along axes: sum, prod, mean, std, var, logsumexp, all, any.

An axis is an int or several; None and () mean all of them. Extrema are in `min_max`, running totals in `cumulative`.
Sums and products of 16-bit floats are accumulated in float32 and rounded once.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.core.xla import integer_gradients
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, is_float, normalize_axes, to_float

_SMALL = {np.dtype(t) for t in (bool, np.int8, np.int16, np.int32, np.uint8)}


def _summable(op_name: str, x: Any, dtype: Any) -> Array:
    """Return the summands, in the dtype of the total: what was asked for, or int64 for small integers."""
    x = as_array(op_name, "input", x)
    if dtype is not None:
        return x.astype(dtypes.as_np(dtype))
    return x.astype(dtypes.as_np(dtypes.int64)) if x.dtype in _SMALL else x


def total(x: Array, over: tuple[int, ...] | int | None = None, keepdims: bool = False) -> Array:
    """The sum in the dtype of `x`; 16-bit floats are accumulated in float32 (`jnp.sum(dtype=...)` would not do that)."""
    return checks.apply_in_compute_dtype(lambda v: jnp.sum(v, over, dtype=v.dtype, keepdims=keepdims), x)


@op(static="dim keepdim dtype")
def sum(input: Array, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:  # noqa: A001
    """Sum over axes.

    Args:
        input (Tensor): of any shape and dtype.
        dim (int, tuple[int], None): axes to sum over. Default: all.
        keepdim (bool): keep them with size 1.
        dtype (mindspore.dtype, None): in which to sum. Default: that of `input`; int64 for bool and integers of up to
            32 bits.

    Returns:
        Tensor without the axes `dim`.

    Raises:
        ValueError: if an axis is out of range or named twice.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.sum(x), ms.ops.sum(x, 0), ms.ops.sum(x, 1, keepdim=True))
        10.0 [4. 6.] [[3.]
         [7.]]
    """
    checks.check_bools("sum", keepdim=keepdim)
    x = _summable("sum", input, dtype)
    return total(x, normalize_axes("sum", x.ndim, dim=dim), keepdim)


@op(static="axis keep_dims")
def reduce_sum(x: Array, axis: Any = (), keep_dims: bool = False) -> Array:
    """Sum over axes in the array's own dtype; of bool arrays, whether any is true.

    Args:
        x (Tensor): of any shape and dtype.
        axis (int, tuple[int]): axes to sum over. Default: all.
        keep_dims (bool): keep them with size 1.

    Returns:
        Tensor of `x`'s dtype without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ReduceSum(keep_dims=True)(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [[3.]
         [7.]]
    """
    checks.check_bools("reduce_sum", keep_dims=keep_dims)
    x = as_array("reduce_sum", "x", x)
    over = normalize_axes("reduce_sum", x.ndim, axis=axis)
    if x.dtype == bool:
        return jnp.any(x, over, keepdims=keep_dims)
    return total(x, over, keep_dims)


@op(static="axis keep_dims dtype")
def prod(input: Array, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> Array:
    """Product over axes.

    Args:
        input (Tensor): of any shape and dtype.
        axis (int, tuple[int], None): axes to multiply over. Default: all.
        keep_dims (bool): keep them with size 1.
        dtype (mindspore.dtype, None): in which to multiply. Default: that of `input`; int64 for bool and integers of
            up to 32 bits.

    Returns:
        Tensor without the axes `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.prod(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 8.]
    """
    checks.check_bools("prod", keep_dims=keep_dims)
    x = _summable("prod", input, dtype)
    over = normalize_axes("prod", x.ndim, axis=axis)
    return checks.apply_in_compute_dtype(lambda v: jnp.prod(v, over, dtype=v.dtype, keepdims=keep_dims), x)


@op(static="axis keep_dims")
@documented_by(reduce_sum)
def reduce_prod(x: Array, axis: Any = (), keep_dims: bool = False) -> Array:
    """Product over axes in the array's own dtype.

    Args:
        axis (int, tuple[int]): axes to multiply over. Default: all.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ReduceProd()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 8.]
    """
    checks.check_bools("reduce_prod", keep_dims=keep_dims)
    x = as_array("reduce_prod", "x", x)
    over = normalize_axes("reduce_prod", x.ndim, axis=axis)
    return (
        jnp.all(x, over, keepdims=keep_dims)
        if x.dtype == bool
        else checks.apply_in_compute_dtype(lambda v: jnp.prod(v, over, dtype=v.dtype, keepdims=keep_dims), x)
    )


@op(static="axis keep_dims")
def mean(x: Array, axis: Any = None, keep_dims: bool = False) -> Array:
    """Mean over axes. Of integers it is an integer, rounded towards zero, as in MindSpore.

    Args:
        x (Tensor): of any shape and dtype but bool.
        axis (int, tuple[int], None): axes to take the mean over. Default: all.
        keep_dims (bool): keep them with size 1.

    Returns:
        Tensor of `x`'s dtype without the axes `axis`.

    Raises:
        RuntimeError: if `x` is of dtype bool.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.mean(x), ms.ops.mean(x, 0))
        2.5 [2. 3.]
    """
    checks.check_bools("mean", keep_dims=keep_dims)
    x = as_array("mean", "x", x)
    over = normalize_axes("mean", x.ndim, axis=axis)
    if x.dtype == bool:
        checks.fail(RuntimeError, "mean", "x", "not be of dtype bool", "array of dtype bool")
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.mean(x, over, keepdims=keep_dims)
    total = jnp.sum(x, over, dtype=x.dtype, keepdims=keep_dims)
    # The total wraps around in its dtype, and the division does not, as in MindSpore.
    kind = x.dtype if x.dtype.itemsize >= 4 else np.dtype(np.int32)
    count = (x.size // total.size if total.size else 0) or 1
    return _quotient(total.astype(kind), jnp.full_like(total, count, kind)).astype(x.dtype)


def _quotient_formula(values: Sequence[Array], shadows: Sequence[Any]) -> list[Array | None]:
    return [None if shadows[0] is None else shadows[0].fractional() / values[1]]


_quotient = integer_gradients.with_formula("quotient_of_mean", jax.lax.div, _quotient_formula)


@op(static="axis keepdims dtype")
def nansum(input: Array, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Array:
    """Sum over axes, with nan counted as 0.

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int, tuple[int], None): axes to sum over. Default: all.
        keepdims (bool): keep them with size 1.
        dtype (mindspore.dtype, None): in which to sum. Default: that of `input`; int64 for bool.

    Returns:
        Tensor without the axes `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nansum(ms.Tensor([1.0, float("nan"), 2.0])))
        3.0
    """
    x = as_array("nansum", "input", input)
    if is_float(x):
        x = jnp.where(jnp.isnan(x), jnp.zeros_like(x), x)
    if dtype is not None or x.dtype == bool:
        x = x.astype(dtypes.as_np(dtypes.int64 if dtype is None else dtype))
    return total(x, normalize_axes("nansum", x.ndim, axis=axis), keepdims)


@op(static="axis keepdims dtype")
@documented_by(nansum)
def nanmean(input: Array, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Array:
    """Mean over axes of what is not nan.

    Args:
        input (Tensor): of any shape, floating.
        axis (int, tuple[int], None): axes to take the mean over. Default: all.
        dtype (mindspore.dtype, None): in which to compute. Default: that of `input`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nanmean(ms.Tensor([1.0, float("nan"), 2.0])))
        1.5
    """
    x = as_array("nanmean", "input", input)
    checks.check_floating("nanmean", input=x)
    x = x if dtype is None else x.astype(dtypes.as_np(dtype))
    over = normalize_axes("nanmean", x.ndim, axis=axis)
    there = jnp.logical_not(jnp.isnan(x))
    wide = checks.compute_dtype(x.dtype)
    summed = jnp.sum(jnp.where(there, x, jnp.zeros_like(x)).astype(wide), over, dtype=wide, keepdims=keepdims)
    return (summed / jnp.sum(there, over, dtype=jnp.int32, keepdims=keepdims).astype(wide)).astype(x.dtype)


# ---------------------------------------------------------------------- spread


def variance_and_mean(op_name: str, x: Any, axis: Any, ddof: Any, keepdims: Any) -> tuple[Array, Array]:
    """Variance and mean over axes, in float32 for 16-bit floats."""
    x = as_array(op_name, "input", x)
    checks.check_bools(op_name, keepdims=keepdims)
    if not isinstance(ddof, int):
        checks.fail(TypeError, op_name, "ddof", "be an int or a bool", f"{ddof!r} ({type(ddof).__name__})")
    over = normalize_axes(op_name, x.ndim, ValueError, axis=axis)
    x = to_float(x)
    wide = x.astype(checks.compute_dtype(x.dtype))
    center = jnp.mean(wide, over, keepdims=True)
    away = jnp.square(jnp.abs(wide - center))
    count = int(np.prod([x.shape[i] for i in over], dtype=int))
    # Of no elements it is 0 / 0, whatever is taken off.
    divisor = jnp.asarray(count - int(ddof) if count else 0, away.dtype)
    variance = jnp.sum(away, over, keepdims=keepdims) / divisor
    return variance, center if keepdims else jnp.squeeze(center, over)


@op(static="axis ddof keepdims")
def var(input: Array, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Variance over axes: the sum of squared distances from the mean, divided by their number less `ddof`.

    Args:
        input (Tensor): of any shape; integers become float32.
        axis (int, tuple[int], None): axes to take it over. Default: all.
        ddof (int, bool): what is taken off the number of elements; 1 for the unbiased estimate.
        keepdims (bool): keep the axes with size 1.

    Returns:
        Tensor without the axes `axis`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 6.0]])
        >>> print(ms.ops.var(x, 0), ms.ops.var(x, 0, 1))
        [1. 4.] [2. 8.]
    """
    return variance_and_mean("var", input, axis, ddof, keepdims)[0].astype(to_float(input).dtype)


@op(static="axis ddof keepdims")
@documented_by(var)
def std(input: Array, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Standard deviation over axes: the square root of the variance.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.std(ms.Tensor([[1.0, 2.0], [3.0, 6.0]]), 0))
        [1. 2.]
    """
    return jnp.sqrt(variance_and_mean("std", input, axis, ddof, keepdims)[0]).astype(to_float(input).dtype)


@op(static="axis ddof keepdims")
def var_mean(input: Array, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> tuple[Array, Array]:
    """Variance and mean over axes (see `var`).

    Args:
        input (Tensor): of any shape; integers become float32.
        axis (int, tuple[int], None): axes to take them over. Default: all.
        ddof (int, bool): what is taken off the number of elements.
        keepdims (bool): keep the axes with size 1.

    Returns:
        Two Tensors without the axes `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.var_mean(ms.Tensor([1.0, 3.0])))
        1.0 2.0
    """
    kind = to_float(input).dtype
    variance, center = variance_and_mean("var_mean", input, axis, ddof, keepdims)
    return variance.astype(kind), center.astype(kind)


@op(static="axis ddof keepdims")
@documented_by(var_mean)
def std_mean(input: Array, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> tuple[Array, Array]:
    """Standard deviation and mean over axes (see `std`).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.std_mean(ms.Tensor([1.0, 3.0])))
        1.0 2.0
    """
    kind = to_float(input).dtype
    variance, center = variance_and_mean("std_mean", input, axis, ddof, keepdims)
    return jnp.sqrt(variance).astype(kind), center.astype(kind)


# ---------------------------------------------------------------------- truth


@op(static="axis keep_dims")
def all(input: Array, axis: Any = None, keep_dims: bool = False) -> Array:  # noqa: A001
    """Return True where all elements along axes are true, that is not zero.

    Args:
        input (Tensor): of any shape and dtype.
        axis (int, tuple[int], None): axes to look along. Default: all.
        keep_dims (bool): keep them with size 1.

    Returns:
        Tensor without the axes `axis`, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.all(ms.Tensor([[True, False], [True, True]]), 1))
        [False  True]
    """
    checks.check_bools("all", keep_dims=keep_dims)
    x = as_array("all", "input", input)
    return jnp.all(x != jnp.zeros((), x.dtype), normalize_axes("all", x.ndim, axis=axis), keepdims=keep_dims)


@op(static="axis keep_dims")
@documented_by(all)
def any(input: Array, axis: Any = None, keep_dims: bool = False) -> Array:  # noqa: A001
    """Return True where any element along axes is true, that is not zero.

    Returns:
        Tensor without the axes `axis`, bool; uint8 of uint8.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.any(ms.Tensor([[True, False], [False, False]]), 1))
        [ True False]
    """
    checks.check_bools("any", keep_dims=keep_dims)
    x = as_array("any", "input", input)
    found = jnp.any(x != jnp.zeros((), x.dtype), normalize_axes("any", x.ndim, axis=axis), keepdims=keep_dims)
    return found.astype(x.dtype) if x.dtype == jnp.uint8 else found


@op(static="axis keep_dims dtype")
@documented_by(prod)
def count_nonzero(x: Array, axis: Any = (), keep_dims: bool = False, dtype: Any = dtypes.int32) -> Array:
    """Number of elements along axes that are not zero.

    Args:
        x (Tensor): of any shape and dtype.
        axis (int, tuple[int]): axes to count along. Default: all.
        dtype (mindspore.dtype): of the result.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.count_nonzero(ms.Tensor([[0.0, 1.0], [2.0, 3.0]]), 0))
        [1 2]
    """
    x = as_array("count_nonzero", "x", x)
    kind = dtypes.as_np(dtypes.int32 if dtype is None else dtype)
    return jnp.sum(x != 0, normalize_axes("count_nonzero", x.ndim, axis=axis), dtype=kind, keepdims=keep_dims)


@op(static="dim keepdim")
def logsumexp(input: Array, dim: Any, keepdim: bool = False) -> Array:
    """log(sum(exp(input))) over axes, without overflow on the way.

    Args:
        input (Tensor): of any shape; integers become float32.
        dim (int, tuple[int]): axes to sum over; () for all.
        keepdim (bool): keep them with size 1.

    Returns:
        Tensor without the axes `dim`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logsumexp(ms.Tensor([[0.0, 0.0], [100.0, 0.0]]), 1))
        [  0.6931472 100.       ]
    """
    x = to_float(as_array("logsumexp", "input", input))
    over = normalize_axes("logsumexp", x.ndim, dim=dim)
    wide = x.astype(checks.compute_dtype(x.dtype))
    return jax.scipy.special.logsumexp(wide, over, keepdims=keepdim).astype(x.dtype)
