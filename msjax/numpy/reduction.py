"""Reductions over axes of an array: sum, mean, min, max, var ..."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.numpy.array_function import (
    cast,
    define_function,
    normalize_axes,
    normalize_axis,
    promote_arrays,
    wide,
)
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import is_integer, to_float
from msjax.ops.math.arithmetic import truncate_div
from msjax.ops.reduction.reduction import total as total_of


def _as_ordered(fn: str, x: Array) -> Array:
    if jnp.iscomplexobj(x):
        checks.fail(TypeError, fn, "a", "be real: complex numbers have no order", f"array of dtype {x.dtype}")
    return x


def _scalar(fn: str, initial: Array) -> Array:
    if initial.ndim:
        checks.fail(TypeError, fn, "initial", "be a single number", f"array of shape {initial.shape}")
    return initial


@define_function(static="axis dtype keepdims")
def sum(  # noqa: A001
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    keepdims: BoolLike = False,
    initial: ArrayLike | None = None,
) -> Array:
    """Sums over axes. Bools and signed integers are summed as int64.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        dtype (mindspore.dtype, None): to sum in. Default: None, that of `a` or int64.
        keepdims (bool): whether the axes stay, with size 1.
        initial (number, Tensor, None): what is added to each sum.

    Returns:
        Tensor.

    Raises:
        TypeError: if an axis is not an int, or `keepdims` not a bool.
        TypeError: if `initial` is no single number.
        ValueError: if an axis is out of range or repeated.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
        [4. 6.]
    """
    checks.check_bools("sum", keepdims=keepdims)
    over = () if a.ndim == 0 and axis in (0, -1) else normalize_axes("sum", a, axis)
    small = a.dtype == bool or a.dtype == np.uint8 or jnp.issubdtype(a.dtype, jnp.signedinteger)
    x = cast("sum", a, dtype) if dtype is not None else a.astype(np.int64) if small else a
    total = total_of(x, over, keepdims)
    if initial is None:
        return total
    total, start = promote_arrays("sum", total, _scalar("sum", initial))
    return total + start if dtype is None else (total + start).astype(x.dtype)


@define_function(static="axis keepdims dtype")
@documented_by(sum)
def mean(a: ArrayLike, axis: Any = None, keepdims: BoolLike = False, dtype: Any = None) -> Array:
    """Means over axes. Those of integers are integers, rounded towards 0, as in MindSpore.

    Args:
        a (Tensor, number, list, tuple): of any shape; not bool.
        dtype (mindspore.dtype, None): of the result. Default: None, that of `a`.

    Raises:
        TypeError: if an axis is not an int, or `keepdims` not a bool.
        ValueError: if an axis is out of range or repeated.
        RuntimeError: if `a` is bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1))
        [1.5 3.5]
    """
    return cast("mean", _mean("mean", a, normalize_axes("mean", a, axis), keepdims), wide(dtype))


def _mean(fn: str, x: Array, over: tuple[int, ...], keepdims: bool) -> Array:
    checks.check_bools(fn, keepdims=keepdims)
    if x.dtype == bool:
        checks.fail(RuntimeError, fn, "a", "be of a numeric dtype", "array of dtype bool")
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.mean(x, over, keepdims=keepdims)
    return jnp.trunc(jnp.mean(x.astype(np.float32), over, keepdims=keepdims)).astype(x.dtype)


def _variance(fn: str, x: Array, axis: Any, ddof: Any, keepdims: Any) -> Array:
    checks.check_bools(fn, keepdims=keepdims)
    checks.check_ints(fn, ddof=ddof)
    if x.dtype == bool:
        checks.fail(RuntimeError, fn, "x", "be of a numeric dtype", "array of dtype bool")
    x, over = to_float(x), normalize_axes(fn, x, axis)
    wide = x.astype(checks.compute_dtype(x.dtype))
    count = jnp.asarray(_count(x, over), wide.real.dtype)
    return squared_distance(wide, over, ddof, keepdims, jnp.sum, count).astype(x.real.dtype)


def _count(x: Array, over: tuple[int, ...]) -> int:
    return int(np.prod([x.shape[i] for i in over], dtype=np.int64))


def squared_distance(
    x: Array, over: tuple[int, ...], ddof: int, keepdims: bool, total: Callable, count: Array
) -> Array:
    """The mean squared distance from the mean (jnp.var's constants are float64)."""
    mean = total(x, over, keepdims=True) / count
    squares = jnp.square(jnp.abs(x - mean))
    kept = count if keepdims or not count.ndim else jnp.squeeze(count, over)
    return total(squares, over, keepdims=keepdims) / (kept - jnp.asarray(ddof, kept.dtype))


@define_function(static="axis ddof keepdims")
@documented_by(sum)
def var(x: ArrayLike, axis: Any = None, ddof: int = 0, keepdims: BoolLike = False) -> Array:
    """Variances over axes: means of the squared distances from the mean.

    Args:
        x (Tensor, number, list, tuple): of any shape; not bool. Integers become float32.
        ddof (int): the sum is divided by the number of elements less this.

    Raises:
        TypeError: if an axis or `ddof` is not an int, or `keepdims` not a bool.
        ValueError: if an axis is out of range or repeated.
        RuntimeError: if `x` is bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.var([1.0, 2.0, 3.0, 6.0]))
        3.5
    """
    return _variance("var", x, axis, ddof, keepdims)


@define_function(static="axis ddof keepdims")
@documented_by(var)
def std(x: ArrayLike, axis: Any = None, ddof: int = 0, keepdims: BoolLike = False) -> Array:
    """Standard deviations over axes: square roots of `var`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.std([1.0, 2.0, 3.0, 6.0]))
        1.8708287
    """
    return jnp.sqrt(_variance("std", x, axis, ddof, keepdims))


def _extreme(
    fn: str, a: Array, axis: Any, keepdims: Any, initial: Array | None, where: Array | None
) -> Array:
    checks.check_bools(fn, keepdims=keepdims)
    x, over = _as_ordered(fn, a), normalize_axes(fn, a, axis)
    if where is not None and initial is None:
        checks.fail(ValueError, fn, "initial", "be given where `where` leaves elements out", None)
    if x.size == 0 and initial is None:
        checks.fail(
            ValueError, fn, "a", "hold an element, unless `initial` is given", f"array of shape {x.shape}"
        )
    reduce = jnp.max if fn in ("max", "amax") else jnp.min
    start = None if initial is None else _scalar(fn, initial).astype(x.dtype)
    kept = None if where is None else where.astype(bool)
    return reduce(x, over, keepdims=keepdims, initial=start, where=kept)


_EXTREME = """{sentence}

    Args:
        a (Tensor, number, list, tuple): of any shape and real dtype.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        keepdims (bool): whether the axes stay, with size 1.
        initial (number, Tensor, None): takes part in each comparison. Needed with `where` and for empty arrays.
        where (bool, Tensor, None): which elements take part, of a shape that broadcasts with `a`. True and None: all.

    Returns:
        Tensor of the dtype of `a`.

    Raises:
        TypeError: if `a` is complex, an axis not an int, `keepdims` not a bool, or `initial` not a single number.
        ValueError: if an axis is out of range or repeated, or `initial` is needed and missing.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.{example})
        {result}
    """


def _define_reduction(name: str, sentence: str, example: str, result: str) -> Any:
    def pure(
        a: ArrayLike,
        axis: Any = None,
        keepdims: BoolLike = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Array:
        return _extreme(name, a, axis, keepdims, initial, where)

    pure.__name__ = pure.__qualname__ = name
    pure.__doc__ = _EXTREME.format(sentence=sentence, example=example, result=result)
    made = define_function(pure, static="axis keepdims")

    @functools.wraps(made)
    def extreme(
        a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Any:
        return made(a, axis, keepdims, initial, None if where is True else where)

    extreme.__signature__ = inspect.signature(extreme, follow_wrapped=False)  # type: ignore[attr-defined]
    return extreme


max = _define_reduction(
    "max", "Maxima over axes.", "max(ms.Tensor([[0.0, 1.0], [2.0, 3.0]]), axis=0)", "[2. 3.]"
)  # noqa: A001
min = _define_reduction(
    "min", "Minima over axes.", "min(ms.Tensor([[0.0, 1.0], [2.0, 3.0]]), axis=0)", "[0. 1.]"
)  # noqa: A001
amax = _define_reduction(
    "amax", "Maxima over axes (another name of `max`).", "amax(ms.Tensor([0.0, 1.0]))", "1.0"
)
amin = _define_reduction(
    "amin", "Minima over axes (another name of `min`).", "amin(ms.Tensor([0.0, 1.0]))", "0.0"
)


@define_function(static="axis")
def argmax(a: ArrayLike, axis: int | None = None) -> Array:
    """Positions of the maxima; the first one if there are several.

    Args:
        a (Tensor, number, list, tuple): of any shape and real dtype.
        axis (int, None): along which axis. Default: None, in the flattened array.

    Returns:
        Tensor, int64.

    Raises:
        TypeError: if `a` is complex or `axis` not an int.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.argmax(ms.Tensor([[0.0, 5.0], [2.0, 3.0]]), axis=1))
        [1 1]
    """
    at = None if axis is None or (a.ndim == 0 and axis in (0, -1)) else normalize_axis("argmax", a, axis)
    return jnp.argmax(_as_ordered("argmax", a), at).astype(np.int64)


@define_function(static="axis")
@documented_by(argmax)
def argmin(a: ArrayLike, axis: int | None = None) -> Array:
    """Positions of the minima; the first one if there are several.

    Returns:
        Tensor, int32 (int64 for an array without dimensions, as in MindSpore).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.argmin(ms.Tensor([[0.0, 5.0], [2.0, 3.0]]), axis=1))
        [0 0]
    """
    at = None if axis is None or (a.ndim == 0 and axis in (0, -1)) else normalize_axis("argmin", a, axis)
    return jnp.argmin(_as_ordered("argmin", a), at).astype(np.int32 if a.ndim else np.int64)


@define_function(static="axis keepdims")
def ptp(x: ArrayLike, axis: Any = None, keepdims: BoolLike = False) -> Array:
    """Ranges over axes: the maximum less the minimum.

    Args:
        x (Tensor): of any shape and real dtype.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        keepdims (bool): whether the axes stay, with size 1.

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        TypeError: if `x` is bool or complex, an axis not an int, or `keepdims` not a bool.
        ValueError: if an axis is out of range or repeated.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ptp(ms.Tensor([[0.0, 5.0], [2.0, 3.0]]), axis=1))
        [5. 1.]
    """
    checks.check_bools("ptp", keepdims=keepdims)
    over = normalize_axes("ptp", x, axis)
    if x.dtype == bool:
        checks.fail(TypeError, "ptp", "x", "be of a numeric dtype", "array of dtype bool")
    x = _as_ordered("ptp", x)
    return jnp.max(x, over, keepdims=keepdims) - jnp.min(x, over, keepdims=keepdims)


@define_function(static="axis returned", promotes=True)
def average(
    x: ArrayLike, axis: Any = None, weights: ArrayLike | None = None, returned: BoolLike = False
) -> Any:
    """Means over axes in which elements count by their weights: sum(x * weights) / sum(weights).

    Args:
        x (Tensor): of any shape.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        weights (Tensor, None): of the shape of `x`, or of one dimension, along `axis`. Default: None, equal weights.
        returned (bool): also return the sums of the weights.

    Returns:
        Tensor, or a tuple of two. Averages of integers by integers are integers, rounded towards 0, as in MindSpore.

    Raises:
        TypeError: if an axis is not an int, or the shapes differ and `axis` is not one int.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.numpy.average(x, axis=0, weights=ms.Tensor([1.0, 3.0])))
        [2.5 3.5]
    """
    over = normalize_axes("average", _as_ordered("average", x), axis)
    if weights is None:
        result = _mean("average", x, over, False)
        count = np.prod([x.shape[i] for i in over], dtype=np.int64)
        total = jnp.full(result.shape, count.item(), result.dtype)
    else:
        x, shares = promote_arrays("average", x, _along("average", x, weights, axis, over))
        x, shares = (to_float(v) if v.dtype == bool else v for v in (x, shares))
        total, whole = total_of(shares, over), total_of(x * shares, over)
        result = truncate_div.pure(whole, total) if is_integer(x) else whole / total
    return (result, total) if returned else result


def _along(fn: str, x: Array, weights: Array, axis: Any, over: tuple[int, ...]) -> Array:
    """Weights in the shape of `x`."""
    if weights.shape == x.shape:
        return weights
    kind = TypeError if axis is None or len(over) != 1 or weights.ndim != 1 else ValueError
    if kind is TypeError or weights.shape[0] != x.shape[over[0]]:
        rule = f"have the shape {x.shape} of `x` or run along `axis`, a single one"
        checks.fail(kind, fn, "weights", rule, weights.shape)
    return jnp.broadcast_to(weights.reshape([-1 if i == over[0] else 1 for i in range(x.ndim)]), x.shape)


@define_function(static="axis keepdims")
def count_nonzero(x: ArrayLike, axis: Any = None, keepdims: BoolLike = False) -> Array:
    """Count the nonzero elements over axes.

    Args:
        x (Tensor): of any shape.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        keepdims (bool): whether the axes stay, with size 1.

    Returns:
        Tensor, int32.

    Raises:
        TypeError: if an axis is not an int, or `keepdims` not a bool.
        ValueError: if an axis is out of range or repeated.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.count_nonzero(ms.Tensor([[0, 1, 0], [2, 3, 0]]), axis=1))
        [1 2]
    """
    checks.check_bools("count_nonzero", keepdims=keepdims)
    there = (x != jnp.zeros((), x.dtype)).astype(np.int32)
    return jnp.sum(there, normalize_axes("count_nonzero", x, axis), keepdims=keepdims, dtype=np.int32)


@define_function(static="axis keepdims")
def sometrue(a: ArrayLike, axis: Any = None, keepdims: BoolLike = False) -> Array:
    """Return True where any element over axes is not 0.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        keepdims (bool, int): whether the axes stay, with size 1.

    Returns:
        Tensor, bool.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range or repeated.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.sometrue([[0, 1], [0, 0]], axis=1))
        [ True False]
    """
    return jnp.any(a != jnp.zeros((), a.dtype), normalize_axes("sometrue", a, axis), keepdims=bool(keepdims))


def _running_dtype(a: Array, kind: type) -> Array:
    small = a.dtype == bool or (jnp.issubdtype(a.dtype, jnp.integer) and a.dtype.itemsize < 4)
    return a.astype(kind) if small else a


@define_function(static="axis dtype")
def cumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None) -> Array:
    """Running sums along an axis. Bools and small integers are summed as int32.

    Args:
        a (Tensor): of any shape.
        axis (int, None): Default: None, along the flattened array.
        dtype (mindspore.dtype, None): of the result. Default: None, that of `a` or int32.

    Returns:
        Tensor of the shape of `a`, or flat.

    Raises:
        TypeError: if `axis` is not an int.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cumsum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
        [[1. 2.]
         [4. 6.]]
    """
    at = None if axis is None else normalize_axis("cumsum", a, axis)
    kind = np.int32 if a.dtype != np.uint16 else np.uint16
    return cast("cumsum", jnp.cumsum(_running_dtype(a, kind), at), dtype)


@define_function(static="axis dtype")
@documented_by(cumsum)
def cumprod(a: ArrayLike, axis: int | None = None, dtype: Any = None) -> Array:
    """Running products along an axis. Bools and small integers are multiplied as int32 or uint32.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        dtype (mindspore.dtype, None): of the result. Default: None, that of `a`, int32 or uint32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cumprod(ms.Tensor([1.0, 2.0, 3.0])))
        [1. 2. 6.]
    """
    at = None if axis is None else normalize_axis("cumprod", a, axis)
    kind = np.uint32 if jnp.issubdtype(a.dtype, jnp.unsignedinteger) else np.int32
    return cast("cumprod", jnp.cumprod(_running_dtype(a, kind), at), wide(dtype))
