"""Reductions that ignore NaN: nansum, nanmean, nanmax ..."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.numpy.array_function import cast, define_function, normalize_axes, wide
from msjax.numpy.reduction import cumsum, squared_distance
from msjax.ops.common import checks

_DOC = """{sentence}

    Args:
        a (Tensor, number, list, tuple): of any shape and real dtype.
        axis (int, tuple[int], None): the axes. Default: None, all of them.
        dtype (mindspore.dtype, None): of the result. Default: None, {kind}.{ddof}
        keepdims (bool, int): whether the axes stay, with size 1.

    Returns:
        Tensor.

    Raises:
        TypeError: if `a` is complex or an axis not an int.
        ValueError: if an axis is out of range or repeated.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, float("nan"), 3.0])
        >>> print(ms.numpy.{name}(x))
        {result}
    """
_DDOF = "\n        ddof (int, float): the sum is divided by the number of elements that count, less this."


def _check_axis(fn: str, a: Array, axis: Any) -> tuple[int, ...]:
    if jnp.iscomplexobj(a):
        checks.fail(TypeError, fn, "a", "be real", f"array of dtype {a.dtype}")
    return normalize_axes(fn, a, axis)


def _reduction(name: str, sentence: str, kind: str, result: str, of: Any) -> Any:
    def pure(a: ArrayLike, axis: Any = None, dtype: Any = None, keepdims: BoolLike = False) -> Array:
        return cast(name, of(a, _check_axis(name, a, axis), bool(keepdims)), wide(dtype))

    pure.__name__ = pure.__qualname__ = name
    pure.__doc__ = _DOC.format(sentence=sentence, kind=kind, name=name, result=result, ddof="")
    return define_function(pure, static="axis dtype keepdims")


def _define_spread(name: str, sentence: str, result: str, finish: Any) -> Any:
    def pure(
        a: ArrayLike, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: BoolLike = False
    ) -> Array:
        over = _check_axis(name, a, axis)
        checks.check_numbers(name, ddof=ddof)
        x = a.astype(np.float32)
        count = jnp.sum((~jnp.isnan(x)).astype(x.dtype), over, keepdims=True)
        spread = squared_distance(x, over, ddof, bool(keepdims), jnp.nansum, count)
        return cast(name, finish(spread), wide(dtype))

    pure.__name__ = pure.__qualname__ = name
    pure.__doc__ = _DOC.format(sentence=sentence, kind="float32", name=name, result=result, ddof=_DDOF)
    return define_function(pure, static="axis dtype ddof keepdims")


def _sum(x: Array, over: tuple[int, ...], keepdims: bool) -> Array:
    if x.dtype == bool:
        return jnp.any(x, over, keepdims=keepdims)
    return checks.apply_in_compute_dtype(lambda v: jnp.nansum(v, over, dtype=v.dtype, keepdims=keepdims), x)


def _mean(x: Array, over: tuple[int, ...], keepdims: bool) -> Array:
    x = x if x.dtype == np.float64 else x.astype(np.float32)
    return jnp.nanmean(x, over, keepdims=keepdims)


def _extreme(reduce: Any) -> Any:
    def of(x: Array, over: tuple[int, ...], keepdims: bool) -> Array:
        if x.dtype == bool:
            checks.fail(
                TypeError, f"nan{reduce.__name__}", "a", "be of a numeric dtype", "array of dtype bool"
            )
        return reduce(x, over, keepdims=keepdims)

    return of


nansum = _reduction("nansum", "Sums over axes in which NaN counts as 0.", "that of `a`", "4.0", _sum)
nanmean = _reduction("nanmean", "Means over axes of what is not NaN.", "float32 or float64", "2.0", _mean)
nanmax = _reduction(
    "nanmax", "Maxima over axes of what is not NaN.", "that of `a`", "3.0", _extreme(jnp.nanmax)
)
nanmin = _reduction(
    "nanmin", "Minima over axes of what is not NaN.", "that of `a`", "1.0", _extreme(jnp.nanmin)
)
nanvar = _define_spread("nanvar", "Variances over axes of what is not NaN, in float32.", "1.0", lambda x: x)
nanstd = _define_spread(
    "nanstd", "Standard deviations over axes of what is not NaN, in float32.", "1.0", jnp.sqrt
)


@define_function(static="axis dtype")
def nancumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None) -> Array:
    """Running sums along an axis in which NaN counts as 0.

    Args:
        a (Tensor): of any shape and real dtype.
        axis (int, None): Default: None, along the flattened array.
        dtype (mindspore.dtype, None): of the result. Default: None, that of `a` or int32.

    Returns:
        Tensor of the shape of `a`, or flat.

    Raises:
        TypeError: if `a` is complex or `axis` not an int.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.nancumsum(ms.Tensor([1.0, float("nan"), 3.0])))
        [1. 1. 4.]
    """
    _check_axis("nancumsum", a, None)
    known = jnp.where(jnp.isnan(a), jnp.zeros((), a.dtype), a) if jnp.issubdtype(a.dtype, jnp.floating) else a
    return cumsum.pure(known, axis, dtype)
