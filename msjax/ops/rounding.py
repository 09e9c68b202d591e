"""Rounding and limits, elementwise: whole numbers near a value, and values held between two others."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op import op
from msjax.ops import _expect as expect
from msjax.ops._common import array, common, is_float


def _real(op_name: str, x: Any) -> Array:
    x = array(op_name, "input", x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        expect.fail(TypeError, op_name, "input", "be of a real dtype", f"array of dtype {x.dtype}")
    return x


@op
def floor(input: Array) -> Array:
    """Elementwise largest whole number that is not above input.

    Args:
        input (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.floor(ms.Tensor([1.5, -1.5])))
        [ 1. -2.]
    """
    x = _real("floor", input)
    return jnp.floor(x) if is_float(x) else x


@op
def ceil(input: Array) -> Array:
    """Elementwise smallest whole number that is not below input.

    Args:
        input (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ceil(ms.Tensor([1.5, -1.5])))
        [ 2. -1.]
    """
    x = _real("ceil", input)
    return jnp.ceil(x) if is_float(x) else x


@op
def trunc(input: Array) -> Array:
    """Elementwise whole part: rounded towards zero.

    Args:
        input (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.trunc(ms.Tensor([1.5, -1.5])))
        [ 1. -1.]
    """
    x = _real("trunc", input)
    return jnp.trunc(x) if is_float(x) else x


@op
def frac(x: Array) -> Array:
    """Elementwise what `trunc` takes away: x - trunc(x), of x's sign.

    Args:
        x (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.frac(ms.Tensor([1.5, -1.25])))
        [ 0.5  -0.25]
    """
    x = _real("frac", x)
    return x - jnp.trunc(x) if is_float(x) else jnp.zeros_like(x)


@op(static="decimals")
def round(input: Array, *, decimals: int = 0) -> Array:  # noqa: A001
    """Elementwise nearest whole number; of two equally near ones the even one.

    Args:
        input (Tensor): of any shape and real dtype.
        decimals (int): digits to keep behind the point; before it if negative.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.round(ms.Tensor([0.5, 1.5, 2.6])))
        [0. 2. 3.]
    """
    x = _real("round", input)
    expect.whole("round", decimals=decimals)
    return jnp.round(x, decimals) if is_float(x) or decimals < 0 else x


@op
def clamp(input: Array, min: Array | None = None, max: Array | None = None) -> Array:  # noqa: A002
    """Elementwise input, held between `min` and `max`; `max` where they cross.

    The derivative is 1 up to and at both ends, and 0 beyond.

    Args:
        input (Tensor): of any shape and real dtype.
        min (Tensor, number, None): lower end, of a shape that broadcasts with `input`.
        max (Tensor, number, None): upper end, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ValueError: if both ends are None.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.clamp(ms.Tensor([-1.0, 0.5, 3.0]), 0, 2))
        [0.  0.5 2. ]
    """
    if min is None and max is None:
        raise ValueError(
            "`clamp`: at least one of `min` and `max` must be given. Received: min=None, max=None."
        )
    ends = {name: end for name, end in (("min", min), ("max", max)) if end is not None}
    x, *given = common("clamp", input=input, **ends)
    if min is not None:
        x = jnp.where(x < given[0], given[0], x)
    if max is not None:
        x = jnp.where(x > given[-1], given[-1], x)
    return x


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Hold a Tensor, or each of several, between two values (see `clamp`).

    Args:
        x (Tensor, list[Tensor], tuple[Tensor]): of any shape and real dtype.
        clip_value_min (Tensor, number, None): lower end.
        clip_value_max (Tensor, number, None): upper end.

    Returns:
        Tensor like `x`, or a tuple of such.

    Raises:
        ValueError: if both ends are None.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.clip_by_value(ms.Tensor([-1.0, 0.5, 3.0]), 0, 2))
        [0.  0.5 2. ]
    """
    if clip_value_min is None and clip_value_max is None:
        raise ValueError(
            "`clip_by_value`: at least one of `clip_value_min` and `clip_value_max` must be given. "
            "Received: clip_value_min=None, clip_value_max=None."
        )
    if isinstance(x, list | tuple):
        return tuple(clamp(e, clip_value_min, clip_value_max) for e in x)
    return clamp(x, clip_value_min, clip_value_max)


@op
def maximum(input: Array, other: Array) -> Array:
    """Elementwise larger of two; nan if either is.

    Args:
        input (Tensor, number): of any shape and real dtype.
        other (Tensor, number): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.maximum(ms.Tensor([1.0, 5.0]), ms.Tensor([4.0, 2.0])))
        [4. 5.]
    """
    x, y = _pair("maximum", input, other)
    return jnp.where(jnp.logical_or(x >= y, x != x), x, y)


@op
def minimum(input: Array, other: Array) -> Array:
    """Elementwise smaller of two; nan if either is.

    Args:
        input (Tensor, number): of any shape and real dtype.
        other (Tensor, number): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.minimum(ms.Tensor([1.0, 5.0]), ms.Tensor([4.0, 2.0])))
        [1. 2.]
    """
    x, y = _pair("minimum", input, other)
    return jnp.where(jnp.logical_or(x <= y, x != x), x, y)


@op
def fmax(input: Array, other: Array) -> Array:
    """Elementwise larger of two; the other one if one is nan.

    Args:
        input (Tensor, number): of any shape and real dtype.
        other (Tensor, number): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fmax(ms.Tensor([1.0, float("nan")]), ms.Tensor([4.0, 2.0])))
        [4. 2.]
    """
    x, y = _pair("fmax", input, other)
    return jnp.where(jnp.logical_or(x >= y, y != y), x, y)


@op
def fmin(input: Array, other: Array) -> Array:
    """Elementwise smaller of two; the other one if one is nan.

    Args:
        input (Tensor, number): of any shape and real dtype.
        other (Tensor, number): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fmin(ms.Tensor([1.0, float("nan")]), ms.Tensor([4.0, 2.0])))
        [1. 2.]
    """
    x, y = _pair("fmin", input, other)
    return jnp.where(jnp.logical_or(x <= y, y != y), x, y)


def _pair(op_name: str, input: Any, other: Any) -> list[Array]:
    x, y = common(op_name, input=input, other=other)
    return [_real(op_name, x), _real(op_name, y)]


@op
def nan_to_num(
    input: Array, nan: Array | None = None, posinf: Array | None = None, neginf: Array | None = None
) -> Array:
    """Elementwise input, with nan and the infinities replaced.

    Args:
        input (Tensor): of any shape and dtype.
        nan (number, None): in the place of nan. Default: 0.
        posinf (number, None): in the place of inf. Default: the largest finite number of the dtype.
        neginf (number, None): in the place of -inf. Default: the smallest finite number of the dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nan_to_num(ms.Tensor([float("nan"), float("inf"), 1.0]), 0.0, 9.0))
        [0. 9. 1.]
    """
    x = _real("nan_to_num", input)
    if not is_float(x):
        return x
    info = jnp.finfo(x.dtype)
    zero, top, bottom = (
        jnp.asarray(d if v is None else v).astype(x.dtype)
        for v, d in ((nan, 0), (posinf, info.max), (neginf, info.min))
    )
    x = jnp.where(jnp.isnan(x), zero, x)
    return jnp.where(x == jnp.inf, top, jnp.where(x == -jnp.inf, bottom, x))
