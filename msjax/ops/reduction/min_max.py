"""Minimum and maximum along axes, with and without indices (argmin, argmax), and the median.

Where several elements are equal, `max` and `min` along an axis give the derivative to the first; `amax`, `amin` and
the largest of all elements share it out.
"""

import builtins
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, is_float, normalize_axes


def _limit_candidates(
    op_name: str, x: Any, initial: Any, where: Any, better: Callable[[Array, Array], Array]
) -> Array:
    """Return the candidates: `initial` in place of what `where` leaves out, and of what is worse than it."""
    x = as_array(op_name, "input", x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        checks.fail(TypeError, op_name, "input", "be of a real dtype", f"array of dtype {x.dtype}")
    if where is not None and initial is None:
        checks.fail(ValueError, op_name, "initial", "be given together with `where`", None)
    if initial is None:
        return x
    least = jnp.asarray(initial).astype(x.dtype)
    if where is not None:
        x = jnp.where(jnp.asarray(where).astype(bool), x, least)
    return better(x, least)


def _not_empty(op_name: str, x: Array, over: tuple[int, ...]) -> None:
    if builtins.any(x.shape[i] == 0 for i in over):
        checks.fail(ValueError, op_name, "input", "have elements along the axis", f"array of shape {x.shape}")


def _extreme_and_index(
    op_name: str,
    x: Array,
    axis: Any,
    keepdims: Any,
    extreme: Callable[..., Array],
    find: Callable[..., Array],
) -> tuple[Array, Array]:
    """Return the extreme values along one axis (or of all), and where they are."""
    checks.check_bools(op_name, keepdims=keepdims)
    place_dtype = dtypes.as_np(dtypes.int64)
    if axis is None:
        _not_empty(op_name, x, tuple(range(x.ndim)))
        return extreme(x), jnp.zeros((), place_dtype)
    checks.check_ints(op_name, axis=axis)
    one = checks.normalize_axis(op_name, builtins.max(x.ndim, 1), axis=axis)
    if x.ndim == 0:
        return x, jnp.zeros((), place_dtype)
    _not_empty(op_name, x, (one,))
    where = find(x, one, keepdims=True).astype(place_dtype)
    value = jnp.take_along_axis(x, where, one)
    return (value, where) if keepdims else (jnp.squeeze(value, one), jnp.squeeze(where, one))


@op(static="axis keepdims")
def max(  # noqa: A001
    input: Array,
    axis: Any = None,
    keepdims: bool = False,
    *,
    initial: ArrayLike | None = None,
    where: Array | None = None,
) -> tuple[Array, Array]:
    """Largest elements along an axis, and where they are (the first, where several are equal).

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int, None): axis to look along. Default: over all elements; the index is then 0, as in MindSpore.
        keepdims (bool): keep the axis with size 1.
        initial (number, None): the least value of the result.
        where (Tensor, None): which elements count; needs `initial`.

    Returns:
        Tensor of the values, and Tensor of their indices (int64).

    Raises:
        TypeError: if `axis` is neither an int nor None.
        ValueError: if `axis` is out of range, or there is nothing along it.

    Examples:
        >>> import msjax as ms
        >>> values, indices = ms.ops.max(ms.Tensor([[1.0, 5.0], [4.0, 2.0]]), 1)
        >>> print(values, indices)
        [5. 4.] [1 0]
    """
    return _extreme_and_index(
        "max",
        _limit_candidates("max", input, initial, where, jnp.maximum),
        axis,
        keepdims,
        jnp.max,
        jnp.argmax,
    )


@op(static="axis keepdims")
@documented_by(max)
def min(  # noqa: A001
    input: Array,
    axis: Any = None,
    keepdims: bool = False,
    *,
    initial: ArrayLike | None = None,
    where: Array | None = None,
) -> tuple[Array, Array]:
    """Smallest elements along an axis, and where they are (the first, where several are equal).

    Args:
        initial (number, None): the greatest value of the result.

    Examples:
        >>> import msjax as ms
        >>> values, indices = ms.ops.min(ms.Tensor([[1.0, 5.0], [4.0, 2.0]]), 1)
        >>> print(values, indices)
        [1. 2.] [0 1]
    """
    return _extreme_and_index(
        "min",
        _limit_candidates("min", input, initial, where, jnp.minimum),
        axis,
        keepdims,
        jnp.min,
        jnp.argmin,
    )


@op(static="axis keepdims")
def amax(
    input: Array,
    axis: Any = None,
    keepdims: bool = False,
    *,
    initial: ArrayLike | None = None,
    where: Array | None = None,
) -> Array:
    """Largest elements along axes.

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int, tuple[int], None): axes to look along. Default: all.
        keepdims (bool): keep them with size 1.
        initial (number, None): the least value of the result.
        where (Tensor, None): which elements count; needs `initial`.

    Returns:
        Tensor of `input`'s dtype without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.amax(ms.Tensor([[1.0, 5.0], [4.0, 2.0]]), 0))
        [4. 5.]
    """
    x = _limit_candidates("amax", input, initial, where, jnp.maximum)
    over = normalize_axes("amax", x.ndim, axis=axis)
    _not_empty("amax", x, over)
    return jnp.max(x, over, keepdims=keepdims)


@op(static="axis keepdims")
@documented_by(amax)
def amin(
    input: Array,
    axis: Any = None,
    keepdims: bool = False,
    *,
    initial: ArrayLike | None = None,
    where: Array | None = None,
) -> Array:
    """Smallest elements along axes.

    Args:
        initial (number, None): the greatest value of the result.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.amin(ms.Tensor([[1.0, 5.0], [4.0, 2.0]]), 0))
        [1. 2.]
    """
    x = _limit_candidates("amin", input, initial, where, jnp.minimum)
    over = normalize_axes("amin", x.ndim, axis=axis)
    _not_empty("amin", x, over)
    return jnp.min(x, over, keepdims=keepdims)


@op(static="axis keepdims")
def aminmax(input: Array, *, axis: Any = 0, keepdims: bool = False) -> tuple[Array, Array]:
    """Smallest and largest elements along an axis.

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int, None): axis to look along; None for all.
        keepdims (bool): keep it with size 1.

    Returns:
        Two Tensors without the axis. Elements that are nan do not count, except the first one along the axis.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.aminmax(ms.Tensor([1.0, 5.0, 3.0])))
        1.0 5.0
    """
    x = jnp.asarray(input)
    if not is_float(x) or x.size == 0:
        return amin.pure(x, axis, keepdims), amax.pure(x, axis, keepdims)
    # MindSpore compares in turn: what is nan never wins, but a nan at the first place remains.
    nan = jnp.isnan(x)
    first = x.reshape(-1)[0] if axis is None or x.ndim < 2 else jnp.take(x, 0, axis)
    if axis is not None and first.ndim and keepdims:
        first = jnp.expand_dims(first, int(axis))
    least = _first(jnp.min, jnp.argmin, jnp.where(nan, jnp.inf, x), axis, keepdims)
    most = _first(jnp.max, jnp.argmax, jnp.where(nan, -jnp.inf, x), axis, keepdims)
    return jnp.where(jnp.isnan(first), first, least), jnp.where(jnp.isnan(first), first, most)


def _first(
    extreme: Callable[..., Array], find: Callable[..., Array], x: Array, axis: Any, keepdims: bool
) -> Array:
    """Return the extreme value, whose gradient goes to the first of several equal ones."""
    if axis is None:
        found = x.reshape(-1)[find(x)]
        return found.reshape((1,) * x.ndim) if keepdims else found
    return _extreme_and_index("aminmax", x, axis, keepdims, extreme, find)[0]


def _place(
    op_name: str, x: Any, keepdims: bool, find: Callable[..., Array], kind: Any, **along: Any
) -> Array:
    """Return the index of the extreme value along an axis, or in the flattened array."""
    x, place = as_array(op_name, "input", x), dtypes.as_np(kind)
    ((_, axis),) = along.items()
    if axis is None:
        _not_empty(op_name, x, tuple(range(x.ndim)))
        return find(x.reshape(-1)).astype(place)
    one = checks.normalize_axis(op_name, builtins.max(x.ndim, 1), **along)
    if x.ndim == 0:
        return jnp.zeros((), place)
    _not_empty(op_name, x, (one,))
    return find(x, one, keepdims=keepdims).astype(place)


@op(static="dim keepdim")
def argmax(input: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    """Return the index of the largest element along an axis (the first, where several are equal).

    Args:
        input (Tensor): of any shape and real dtype.
        dim (int, None): axis to look along. Default: in the flattened array.
        keepdim (bool): keep it with size 1; without effect if `dim` is None.

    Returns:
        Tensor of indices, int64.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 5.0], [4.0, 2.0]])
        >>> print(ms.ops.argmax(x), ms.ops.argmax(x, 0))
        1 [1 0]
    """
    return _place("argmax", input, keepdim, jnp.argmax, dtypes.int64, dim=dim)


@op(static="axis keepdims")
def argmin(input: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the index of the smallest element along an axis (the first, where several are equal).

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int, None): axis to look along. Default: in the flattened array.
        keepdims (bool): keep it with size 1; without effect if `axis` is None.

    Returns:
        Tensor of indices, int32 as in MindSpore (`argmax` gives int64).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.argmin(ms.Tensor([[1.0, 5.0], [4.0, 2.0]]), 0))
        [0 1]
    """
    return _place("argmin", input, keepdims, jnp.argmin, dtypes.int32, axis=axis)


@op(static="axis keepdims")
def median(input: Array, axis: int = -1, keepdims: bool = False) -> tuple[Array, Array]:
    """Return the element in the middle of the order along an axis, and where it is; of an even number, the lower one.

    Args:
        input (Tensor): of any shape and real dtype. Where it holds nan, so does the result.
        axis (int): axis to look along.
        keepdims (bool): keep it with size 1.

    Returns:
        Tensor of the values, and Tensor of their indices (int64).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.median(ms.Tensor([3.0, 1.0, 2.0])))
        2.0 2
    """
    x = as_array("median", "input", input)
    one = checks.normalize_axis("median", builtins.max(x.ndim, 1), axis=axis)
    kind = dtypes.as_np(dtypes.int64)
    if x.ndim == 0:
        return x, jnp.zeros((), kind)
    _not_empty("median", x, (one,))
    order = jnp.argsort(x, one, stable=True)
    where = jnp.take(order, jnp.asarray([(x.shape[one] - 1) // 2]), one)
    if is_float(x):
        bad = jnp.isnan(x)
        where = jnp.where(jnp.any(bad, one, keepdims=True), jnp.argmax(bad, one, keepdims=True), where)
    value = jnp.take_along_axis(x, where, one)
    if not keepdims:
        value, where = jnp.squeeze(value, one), jnp.squeeze(where, one)
    return value, where.astype(kind)


@op(static="axis keepdims")
def nanmedian(input: Array, axis: int = -1, keepdims: bool = False) -> tuple[Array, Array]:
    """The element in the middle of the order of those that are not nan, and where it is; of an even number the lower one.

    Args:
        input (Tensor): of any shape and real dtype.
        axis (int): axis to look along.
        keepdims (bool): keep it with size 1.

    Returns:
        Tensor of the values, nan where all are, and Tensor of their indices (int64).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.nanmedian(ms.Tensor([3.0, float("nan"), 2.0])))
        2.0 2
    """
    x = as_array("nanmedian", "input", input)
    one = checks.normalize_axis("nanmedian", builtins.max(x.ndim, 1), axis=axis)
    if not is_float(x) or x.ndim == 0:
        return median.pure(x, axis, keepdims)
    _not_empty("nanmedian", x, (one,))
    order = jnp.argsort(x, one, stable=True)  # nan last
    count = jnp.sum(~jnp.isnan(x), one, keepdims=True)
    where = jnp.take_along_axis(order, jnp.maximum(count - 1, 0) // 2, one)
    value = jnp.take_along_axis(x, where, one)
    if not keepdims:
        value, where = jnp.squeeze(value, one), jnp.squeeze(where, one)
    return value, where.astype(dtypes.as_np(dtypes.int64))


@op(static="global_median axis keep_dims ignore_nan")
def median_of(
    x: Array, global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False
) -> tuple[Array, Array]:
    """Return the element in the middle of the order of all elements or along an axis, and where it is (`ops.Median`).

    Args:
        x (Tensor): of any shape and real dtype.
        global_median (bool): of all elements.
        axis (int): axis to look along.
        keep_dims (bool): keep it with size 1.
        ignore_nan (bool): of the elements that are not nan.

    Returns:
        Tensor of the values, and Tensor of their indices (int64); 0 for the median of all.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.Median()(ms.Tensor([3.0, 1.0, 2.0])))
        2.0 2
    """
    checks.check_bools("Median", ignore_nan=ignore_nan)
    middle = (nanmedian if ignore_nan else median).pure
    if not global_median:
        return middle(x, axis, keep_dims)
    value, place = middle(x.reshape(-1), 0)
    return value, jnp.zeros_like(place)
