"""Floating-point helpers: nextafter, ldexp, copysign, heaviside, eps, and checks for inf and nan."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace import deferred_errors
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, promote, promote_and_broadcast, to_float
from msjax.ops.common.safe_math import with_slopes


@op(promotes=True)
def heaviside(input: Array, values: Array) -> Array:
    """Elementwise step: 0 below 0, `values` at 0 and 1 above.

    Args:
        input (Tensor): real.
        values (Tensor): of the same dtype, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the same dtype.

    Raises:
        TypeError: if the dtypes differ or are complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.heaviside(ms.Tensor([-1.0, 0.0, 2.0]), ms.Tensor([0.5])))
        [0.  0.5 1. ]
    """
    given = {
        "input": as_array("heaviside", "input", input),
        "values": as_array("heaviside", "values", values),
    }
    checks.check_same_dtype("heaviside", **given)
    x, at = jnp.broadcast_arrays(*promote_and_broadcast("heaviside", **given))
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        checks.fail(TypeError, "heaviside", "input", "be real", f"array of dtype {x.dtype}")
    zero, one = jnp.zeros_like(x), jnp.ones_like(x)
    step = jnp.where(x == 0, at, jnp.where(x < 0, zero, one))
    return jnp.where(x != x, x, step)


@op(promotes=True)
def nextafter(input: Array, other: Array) -> Array:
    """Elementwise next representable number after `input` in the direction of `other`.

    Its derivative is 1 by `input` and 0 by `other`, as in MindSpore.

    Args:
        input (Tensor): floating.
        other (Tensor): of the same dtype, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the same dtype.

    Raises:
        TypeError: if the dtypes differ or are not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nextafter(ms.Tensor([1.0]), ms.Tensor([2.0])) > 1)
        [ True]
    """
    given = {"input": as_array("nextafter", "input", input), "other": as_array("nextafter", "other", other)}
    checks.check_floating("nextafter", **given)
    checks.check_same_dtype("nextafter", **given)
    return _neighbour(*jnp.broadcast_arrays(*promote_and_broadcast("nextafter", **given)))


@jax.custom_jvp
def _neighbour(x: Array, toward: Array) -> Array:
    return jnp.nextafter(x, toward)


@_neighbour.defjvp
def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
    return _neighbour(*primals), tangents[0]


@op(promotes=True)
def ldexp(x: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise x times 2 to the power of other.

    Args:
        x (Tensor, number): numeric.
        other (Tensor, number): exponents, of a shape that broadcasts with `x`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; integers become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ldexp(ms.Tensor([1.0, 3.0]), ms.Tensor([2, -1])))
        [4.  1.5]
    """
    a = as_array("ldexp", "x", x)
    a, b = promote("ldexp", x=a, other=to_float(as_array("ldexp", "other", other)))
    a, b = promote_and_broadcast("ldexp", x=a, other=b)
    return a * jnp.exp2(b)


@op(promotes=True)
def copysign(x: Array, other: ArrayOrNumber) -> Array:
    """Elementwise modulus of `x` with the sign of `other`.

    Args:
        x (Tensor): real; integers become float32.
        other (Tensor, number): real, of a shape that broadcasts with `x`.

    Returns:
        Tensor of the broadcast shape and `x`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.copysign(ms.Tensor([1.0, -3.0]), ms.Tensor([-1.0, 2.0])))
        [-1.  3.]
    """
    size = to_float(as_array("copysign", "x", x))
    sign = as_array("copysign", "other", other).astype(size.dtype)
    return _copysign(*promote_and_broadcast("copysign", x=size, other=sign))


# The slope is the quotient of result and x, and 0 where x is 0 or nan.
_copysign = with_slopes(
    jnp.copysign,
    lambda t, y, x, _: (
        t * jnp.where(x == 0, jnp.zeros_like(y), jnp.where(y == x, 1, jnp.where(y == -x, -1, 0)))
    ),
    None,
)


@op
def eps(x: Array) -> Array:
    """Return the distance from 1 to the next number of a dtype, in every element.

    Args:
        x (Tensor): floating.

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        TypeError: if `x` is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.eps(ms.Tensor([3.0])))
        [1.1920929e-07]
    """
    x = as_array("eps", "x", x)
    checks.check_floating("eps", x=x)
    return jnp.full_like(x, jnp.finfo(x.dtype).eps)


@op(static="dtype")
def _all_finite(x: Any, dtype: Any) -> Array:
    return jnp.all(jnp.isfinite(x)).astype(dtypes.as_np(dtype)).reshape(1)


def float_status(x: Any) -> Any:
    """Return 1 if an array holds inf or nan, else 0 (`ops.FloatStatus`).

    Args:
        x (Tensor): floating.

    Returns:
        Tensor of shape (1,) and dtype float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.FloatStatus()(ms.Tensor([1.0, float("inf")])))
        [1.]
    """
    return 1 - _all_finite(x, dtypes.float32)


def check_numerics(x: Any) -> Any:
    """Return the array itself, if it is finite (what `ops.CheckNumerics` computes).

    Args:
        x (Tensor): floating.

    Returns:
        `x`. Within `grad` or `vmap` of a compiled function, where values are not known, they are not checked.

    Raises:
        TypeError: if `x` is not floating.
        RuntimeError: if it holds inf or nan; a compiled function raises it when it has run.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.CheckNumerics()(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """
    if not isinstance(x, Tensor) or not x.dtype.is_floating_point:
        checks.fail(TypeError, "CheckNumerics", "x", "be a floating Tensor", repr(x))
    if isinstance(peek(x), Tracer):
        if state.frame is not None and state.effects:
            error = RuntimeError(
                "`CheckNumerics`: argument `x` must be finite. Received: an array that holds inf or nan."
            )
            deferred_errors.fail_if(float_status(x)[0] > 0, error)
        return x
    values = np.asarray(x.asnumpy(), np.float64)
    if not np.isfinite(values).all():
        found = "nan" if np.isnan(values).any() else "inf"
        checks.fail(RuntimeError, "CheckNumerics", "x", "be finite", f"array that holds {found}")
    return x
