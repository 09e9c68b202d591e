"""Cumulative operators along an axis: cumsum, cumprod, cummax, cummin, logcumsumexp."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, to_float
from msjax.ops.common.safe_math import log_of_sum


@op(static="axis dtype")
def cumsum(x: Array, axis: int, dtype: Any = None) -> Array:
    """Running sum along an axis.

    Args:
        x (Tensor): of any shape and dtype but bool.
        axis (int): axis to sum along.
        dtype (mindspore.dtype, None): in which to sum. Default: that of `x`.

    Returns:
        Tensor of `x`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cumsum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [[1. 2.]
         [4. 6.]]
    """
    x = as_array("cumsum", "x", x)
    x = x if dtype is None else x.astype(dtypes.as_np(dtype))
    if x.dtype == bool:
        checks.fail(TypeError, "cumsum", "x", "not be of dtype bool", "array of dtype bool")
    one = checks.normalize_axis("cumsum", max(x.ndim, 1), axis=axis)
    return checks.apply_in_compute_dtype(lambda v: lax.cumsum(v, one), x) if x.ndim else x


def _shift(x: Array, axis: int, back: bool, first: Any) -> Array:
    """x, moved by one element along an axis (back or forth), so that `first` comes in at its end."""
    before, after = (-1, 1) if back else (1, -1)
    pad = [(before, after, 0) if i == axis else (0, 0, 0) for i in range(x.ndim)]
    return lax.pad(x, jnp.asarray(first, x.dtype), pad)


@op(static="axis exclusive reverse")
def running_sum(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Running sum, from either end, with or without the element itself (what `ops.CumSum` computes).

    Args:
        x (Tensor): of any shape and dtype but bool.
        axis (int): axis to sum along.
        exclusive (bool): leave out the element at each place.
        reverse (bool): start from the end.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.CumSum(exclusive=True)(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [0. 1. 3.]
    """
    x = as_array("CumSum", "x", x)
    one = checks.normalize_axis("CumSum", x.ndim, axis=axis)
    if exclusive:
        x = _shift(x, one, reverse, 0)
    return checks.apply_in_compute_dtype(lambda v: lax.cumsum(v, one, reverse=reverse), x)


@op(static="axis exclusive reverse")
@documented_by(running_sum)
def running_prod(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Running product, from either end, with or without the element itself (what `ops.CumProd` computes).

    Args:
        axis (int): axis to multiply along.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.CumProd(reverse=True)(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [6. 6. 3.]
    """
    x = as_array("CumProd", "x", x)
    one = checks.normalize_axis("CumProd", x.ndim, axis=axis)
    if exclusive:
        x = _shift(x, one, reverse, 1)
    return checks.apply_in_compute_dtype(lambda v: lax.cumprod(v, one, reverse=reverse), x)


@op(static="dim dtype")
def cumprod(input: Array, dim: int, dtype: Any = None) -> Array:
    """Running product along an axis.

    Args:
        input (Tensor): of any shape and dtype.
        dim (int): axis to multiply along.
        dtype (mindspore.dtype, None): in which to multiply. Default: that of `input`; int64 for bool and integers.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cumprod(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [1. 2. 6.]
    """
    x = as_array("cumprod", "input", input)
    if dtype is None and not jnp.issubdtype(x.dtype, jnp.inexact):
        dtype = dtypes.int64
    x = x if dtype is None else x.astype(dtypes.as_np(dtype))
    one = checks.normalize_axis("cumprod", max(x.ndim, 1), dim=dim)
    return checks.apply_in_compute_dtype(lambda v: lax.cumprod(v, one), x) if x.ndim else x


def _running_extremes(
    op_name: str, x: Any, axis: int, better: Callable[[Array, Array], Array], place: dtypes.DType
) -> tuple[Array, Array]:
    """Running extreme values and the latest place of each; what is nan stays so."""
    x = as_array(op_name, "input", x)
    one = checks.normalize_axis(op_name, max(x.ndim, 1), axis=axis)
    kind = dtypes.as_np(place)
    if x.ndim == 0:
        return x, jnp.zeros((), kind)

    def later(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
        takes = jnp.logical_or(jnp.logical_and(better(b[0], a[0]), a[0] == a[0]), b[0] != b[0])
        return jnp.where(takes, b[0], a[0]), jnp.where(takes, b[1], a[1])

    places = lax.broadcasted_iota(np.dtype(np.int32), x.shape, one)
    _, found = lax.associative_scan(later, (lax.stop_gradient(x), places), axis=one)
    return jnp.take_along_axis(x, found, one), found.astype(kind)


@op(static="axis")
def cummax(input: Array, axis: int) -> tuple[Array, Array]:
    """Running maximum along an axis, and where it is (the latest, where several are equal).

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int): axis to look along.

    Returns:
        Tensor of the values, and Tensor of their indices (int64).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.cummax(ms.Tensor([1.0, 3.0, 2.0]), 0))
        [1. 3. 3.] [0 1 1]
    """
    return _running_extremes("cummax", input, axis, jnp.greater_equal, dtypes.int64)


@op(static="axis")
@documented_by(cummax)
def cummin(input: Array, axis: int) -> tuple[Array, Array]:
    """Running minimum along an axis, and where it is (the latest, where several are equal).

    Returns:
        Tensor of the values, and Tensor of their indices (int32, where `cummax` gives int64).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.cummin(ms.Tensor([2.0, 1.0, 3.0]), 0))
        [2. 1. 1.] [0 1 1]
    """
    return _running_extremes("cummin", input, axis, jnp.less_equal, dtypes.int32)


@op(static="axis exclusive reverse")
@documented_by(running_sum)
def running_logsumexp(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Logarithm of the running sum of exp(x), from either end, with or without the element itself.

    It is what `ops.CumulativeLogsumexp` computes.

    Args:
        x (Tensor): floating.
        exclusive (bool): leave out the element at each place; the least number of the dtype stands where none is left.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.CumulativeLogsumexp(reverse=True)(ms.Tensor([0.0, 0.0]), 0))
        [0.6931472 0.       ]
    """
    checks.check_floating("CumulativeLogsumexp", x=x)
    one = checks.normalize_axis("CumulativeLogsumexp", x.ndim, axis=axis)
    if exclusive:
        x = _shift(x, one, reverse, jnp.finfo(x.dtype).min)
    return checks.apply_in_compute_dtype(lambda v: lax.cumlogsumexp(v, one, reverse=reverse), x)


@op(static="axis")
def logcumsumexp(input: Array, axis: int) -> Array:
    """Logarithm of the running sum of exp(input) along an axis, without overflow on the way.

    Args:
        input (Tensor): of any shape; integers become float32.
        axis (int): axis to sum along.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logcumsumexp(ms.Tensor([0.0, 0.0]), 0))
        [0.        0.6931472]
    """
    x = to_float(as_array("logcumsumexp", "input", input))
    one = checks.normalize_axis("logcumsumexp", max(x.ndim, 1), axis=axis)
    if not x.ndim:
        return x
    return checks.apply_in_compute_dtype(lambda v: lax.associative_scan(log_of_sum, v, axis=one), x)
