"""Fused arithmetic: addcmul, addcdiv, lerp and other operators that combine several steps."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks, safe_math
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import (
    as_array,
    as_arrays_of_one_dtype,
    promote,
    promote_and_broadcast,
    to_float,
)


def _promote_with_factor(name: str, input: Array, other: Array, alpha: Array) -> list[Array]:
    """Cast both arrays and the factor of the second to one dtype."""
    met = promote(name, input=input, other=other)[0].dtype
    scale = as_array(name, "alpha", alpha)
    if jnp.issubdtype(scale.dtype, jnp.floating) and not jnp.issubdtype(met, jnp.inexact):
        checks.fail(
            TypeError, name, "alpha", "be an integer for integer arrays", f"a floating number, for {met}"
        )
    return promote_and_broadcast(name, input=input, other=other, alpha=scale)


@op
def add_scaled(input: ArrayOrNumber, other: ArrayOrNumber, alpha: ArrayOrNumber) -> Array:
    """Elementwise input + alpha * other.

    Args:
        input (Tensor, number): first summand.
        other (Tensor, number): second summand.
        alpha (Tensor, number): factor of the second.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        TypeError: if `alpha` is a floating number and the others are integers.
    """
    x, y, a = _promote_with_factor("add", input, other, alpha)
    return x + y * a


@op
@documented_by(add_scaled)
def sub_scaled(input: ArrayOrNumber, other: ArrayOrNumber, alpha: ArrayOrNumber) -> Array:
    """Elementwise input - alpha * other.

    Args:
        input (Tensor, number): minuend.
        other (Tensor, number): subtrahend.
        alpha (Tensor, number): factor of the subtrahend.
    """
    x, y, a = _promote_with_factor("sub", input, other, alpha)
    return x - y * a


@op(promotes=True)
def addcmul(input: Array, tensor1: Array, tensor2: Array, value: ArrayOrNumber = 1) -> Array:  # type: ignore[assignment]
    """Elementwise input + value * tensor1 * tensor2.

    Args:
        input (Tensor): summand.
        tensor1 (Tensor): first factor.
        tensor2 (Tensor): second factor; the three shapes broadcast.
        value (Tensor, number): third factor.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addcmul(ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([3.0]), 0.5))
        [4.]
    """
    x, a, b, v = promote_and_broadcast("addcmul", input=input, tensor1=tensor1, tensor2=tensor2, value=value)
    return x + v * a * b


@op(promotes=True)
@documented_by(addcmul)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, value: ArrayOrNumber = 1) -> Array:  # type: ignore[assignment]
    """Elementwise input + value * tensor1 / tensor2.

    Args:
        tensor1 (Tensor): dividend.
        tensor2 (Tensor): divisor; the three shapes broadcast.
        value (Tensor, number): factor.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; of three int64 Tensors the quotient is rounded towards zero
        and `value` is an int64 too, as in MindSpore.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addcdiv(ms.Tensor([1.0]), ms.Tensor([4.0]), ms.Tensor([2.0]), 0.5))
        [2.]
    """
    tensors = {"input": input, "tensor1": tensor1, "tensor2": tensor2}
    whole = all(getattr(t, "dtype", None) == np.int64 for t in tensors.values())
    value = jnp.asarray(value).astype(np.int64) if whole else value
    x, a, b, v = promote_and_broadcast("addcdiv", **tensors, value=value)
    return x + (lax.div(v * a, b) if whole else v * (a / b))


@op(promotes=True)
def lerp(input: Array, end: Array, weight: ArrayOrNumber) -> Array:
    """Elementwise input + weight * (end - input).

    Args:
        input (Tensor): start, floating.
        end (Tensor): end, of the same dtype.
        weight (Tensor, float): where between the two; the three shapes broadcast.

    Returns:
        Tensor of the broadcast shape and `input`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lerp(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 10.0]), 0.5))
        [2. 6.]
    """
    checks.check_inexact("lerp", input=input, end=end)
    x, y, w = promote_and_broadcast("lerp", input=input, end=end, weight=weight)
    return x + w * (y - x)


@op
def addn(x: Sequence[Array]) -> Array:
    """Elementwise sum of several arrays.

    Args:
        x (list[Tensor], tuple[Tensor]): arrays of one shape, at least one.

    Returns:
        Tensor of that shape and the promoted dtype.

    Raises:
        TypeError: if `x` is a Tensor, or holds anything else.
        ValueError: if `x` is empty, or the shapes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addn([ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([3.0])]))
        [6.]
    """
    if not isinstance(x, list | tuple):
        checks.fail(TypeError, "addn", "x", "be a list or tuple of Tensors", type(x).__name__)
    if not x:
        checks.fail(ValueError, "addn", "x", "hold at least one Tensor", repr(x))
    named = {f"x[{i}]": e for i, e in enumerate(x)}
    given = as_arrays_of_one_dtype("addn", **named)
    if len({e.shape for e in given}) > 1:
        checks.fail(
            ValueError,
            "addn",
            "x",
            "have arrays of one shape",
            f"arrays of shapes {[e.shape for e in given]}",
        )
    total = given[0]
    for e in given[1:]:
        total = total + e
    return total


@op(promotes=True)
def hypot(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise sqrt(input^2 + other^2), without overflow on the way.

    Args:
        input (Tensor, number): one leg.
        other (Tensor, number): the other leg, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; integers become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hypot(ms.Tensor([3.0]), ms.Tensor([4.0])))
        [5.]
    """
    x, y = promote_and_broadcast("hypot", input=input, other=other)
    return safe_math.hypotenuse(to_float(x), to_float(y))


_xlogy = safe_math.with_slopes(
    lambda x, y: x * jnp.log(y),
    lambda t, _, x, y: t * jnp.where((x == 0) & (y <= 0), 0, jnp.log(y)),
    lambda t, _, x, y: t * (x / y),
)


@op(promotes=True)
def xlogy(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input * log(other). As with MindSpore's CPU kernel, that is nan where both are 0.

    Args:
        input (Tensor, number): factor.
        other (Tensor, number): what the logarithm is taken of, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; integers become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.xlogy(ms.Tensor([0.0, 2.0]), ms.Tensor([3.0, 1.0])))
        [0. 0.]
    """
    x, y = map(to_float, promote_and_broadcast("xlogy", input=input, other=other))
    return _xlogy(x, y)


@op
def inv(x: Array) -> Array:
    """Elementwise 1 / x; that of an integer is rounded towards 0, and stays an integer.

    Args:
        x (Tensor): of any shape and dtype. Unsigned integers, int8 and bool become float32.

    Returns:
        Tensor of `x`'s shape. Where an integer is 0, MindSpore's CPU kernel gives the least int32 or int64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.inv(ms.Tensor([1, 2, -1])))
        [ 1  0 -1]
    """
    x = as_array("inv", "x", x)
    if x.dtype not in (jnp.int16, jnp.int32, jnp.int64):
        return jnp.reciprocal(to_float(x))
    of_zero = 0 if x.dtype == jnp.int16 else jnp.iinfo(x.dtype).min
    return jnp.where(x == 0, jnp.asarray(of_zero, x.dtype), jnp.where(jnp.abs(x) == 1, x, 0))
