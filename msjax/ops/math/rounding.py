"""Rounding (floor, ceil, round, trunc), and elementwise minimum and maximum."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.xla import integer_gradients
from msjax.ops.common import checks, safe_math
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.function_families import define_like
from msjax.ops.common.promotion import as_array, is_float, promote_and_broadcast


def _real(op_name: str, x: Any) -> Array:
    x = as_array(op_name, "input", x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        checks.fail(TypeError, op_name, "input", "be of a real dtype", f"array of dtype {x.dtype}")
    return x


def _or_same(fn: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return a rounding function that leaves integers as they are."""
    return lambda x: fn(x) if is_float(x) else integer_gradients.stop_gradient(x)


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
    return _or_same(jnp.floor)(_real("floor", input))


_whole = define_like(floor, _real)
# fmt: off
ceil = _whole("ceil", _or_same(jnp.ceil),
    "Elementwise smallest whole number that is not below input.", "ms.Tensor([1.5, -1.5])", "[ 2. -1.]")
trunc = _whole("trunc", _or_same(jnp.trunc),
    "Elementwise whole part: rounded towards zero.", "ms.Tensor([1.5, -1.5])", "[ 1. -1.]")
# fmt: on


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
@documented_by(floor)
def round(input: Array, *, decimals: int = 0) -> Array:  # noqa: A001
    """Elementwise nearest whole number; of two equally near ones the even one.

    Args:
        decimals (int): digits to keep behind the point; before it if negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.round(ms.Tensor([0.5, 1.5, 2.6])))
        [0. 2. 3.]
    """
    x = _real("round", input)
    checks.check_ints("round", decimals=decimals)
    return jnp.round(x, decimals) if is_float(x) or decimals < 0 else integer_gradients.stop_gradient(x)


def _pair(op_name: str, input: Any, other: Any) -> list[Array]:
    x, y = promote_and_broadcast(op_name, input=input, other=other)
    return [_real(op_name, x), _real(op_name, y)]


@op(promotes=True)
def maximum(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
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
    return safe_math.greater_of(x, y)


_extreme = define_like(maximum, _pair)
# fmt: off
minimum = _extreme("minimum", safe_math.lesser_of,
    "Elementwise smaller of two; nan if either is.", "ms.Tensor([1.0, 5.0]), ms.Tensor([4.0, 2.0])", "[1. 2.]")
fmax = _extreme("fmax", lambda x, y: jnp.where((x >= y) | (y != y), x, y),
    "Elementwise larger of two; the other one if one is nan.",
    'ms.Tensor([1.0, float("nan")]), ms.Tensor([4.0, 2.0])', "[4. 2.]")
fmin = _extreme("fmin", lambda x, y: jnp.where((x <= y) | (y != y), x, y),
    "Elementwise smaller of two; the other one if one is nan.",
    'ms.Tensor([1.0, float("nan")]), ms.Tensor([4.0, 2.0])', "[1. 2.]")
# fmt: on


@op
def nan_to_num(
    input: Array,
    nan: ArrayLike | None = None,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """Elementwise input, with nan and the infinities replaced.

    Args:
        input (Tensor): of any shape and dtype.
        nan (number, None): in place of nan. Default: 0.
        posinf (number, None): in place of inf. Default: the largest finite number of the dtype.
        neginf (number, None): in place of -inf. Default: the smallest finite number of the dtype.

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
