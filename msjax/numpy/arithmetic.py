"""Elementwise arithmetic with two arrays."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import define_elementwise, narrow, promote_and_broadcast, wrap_operator
from msjax.ops.common import checks
from msjax.ops.common.promotion import to_float
from msjax.ops.math import arithmetic


def _real(fn: str, x1: Array, x2: Array) -> list[Array]:
    if jnp.iscomplexobj(x1) or jnp.iscomplexobj(x2):
        checks.fail(TypeError, fn, "x1", "be real, like `x2`", f"{x1.dtype}, x2={x2.dtype}")
    return promote_and_broadcast(fn, x1, x2)


def _numbers(fn: str, x1: Array, x2: Array) -> list[Array]:
    if x1.dtype == x2.dtype == bool:
        checks.fail(TypeError, fn, "x1", "be of a numeric dtype, or `x2`", "two arrays of dtype bool")
    return promote_and_broadcast(fn, x1, x2)


def _divided(fn: str, x1: Array, x2: Array) -> list[Array]:
    floats = (np.float16, np.float32)
    if x1.dtype not in floats and x2.dtype not in floats:
        x1, x2 = narrow(x1), narrow(x2)
    return promote_and_broadcast(fn, x1, x2)


def _remainder(fn: str, x1: Array, x2: Array) -> Array:
    return arithmetic.remainder.pure(*_real(fn, x1, x2))


def _rest(x1: ArrayLike, x2: ArrayLike) -> Array:
    return arithmetic.remainder.pure(*_real("divmod", x1, x2))


def _floats(fn: str, x1: Array, x2: Array) -> list[Array]:
    """Integers take the dtype of the floating numbers beside them, or float32."""
    return [to_float(x) for x in promote_and_broadcast(fn, x1, x2)]


def _length(x1: Array, x2: Array) -> Array:
    x1, x2 = to_float(x1), to_float(x2)
    return jnp.sqrt(x1 * x1 + x2 * x2) if jnp.iscomplexobj(x1) else jnp.hypot(x1, x2)


def _step(x1: Array, x2: Array) -> Array:
    zero = jnp.zeros((), x1.dtype)
    return jnp.where(x1 == zero, x2, (x1 > zero).astype(x1.dtype))


def _signed(x1: Array, x2: Array) -> Array:
    _real("copysign", x1, x2)
    if x1.dtype == bool or x2.dtype == bool:
        checks.fail(
            TypeError, "copysign", "x1", "be of a numeric dtype, like `x2`", f"{x1.dtype}, x2={x2.dtype}"
        )
    return jnp.where(x2 < jnp.zeros((), x2.dtype), -jnp.abs(x1), jnp.abs(x1))


def _extreme(fn: str, x1: Array, x2: Array, of: Any) -> Array:
    """Cast Python numbers to the dtype of the other array."""
    met = of(*_real(fn, x1, x2))
    if bool(x1.ndim) == bool(x2.ndim):
        return met
    return met.astype(x1.dtype if x1.ndim else x2.dtype)


def _whole(fn: str, x1: Array, x2: Array) -> list[Array]:
    checks.check_integer(fn, x1=x1, x2=x2)
    return promote_and_broadcast(fn, x1, x2)


def _euclid(x: Array, y: Array) -> Array:
    """Return the greatest common divisor of floating arrays, which MindSpore takes too."""
    a, b = jnp.broadcast_arrays(jnp.abs(x), jnp.abs(y))

    def step(state: tuple[Array, Array]) -> tuple[Array, Array]:
        a, b = state
        return jnp.where(b > 0, b, a), jnp.where(b > 0, jnp.mod(a, jnp.where(b > 0, b, 1)), 0)

    return lax.while_loop(lambda state: jnp.any(state[1] > 0), step, (a, b))[0]


def _inverted(fn: str, x: Array) -> Array:
    checks.check_integer(fn, x=x)
    return jnp.invert(x)


_divided_rest = wrap_operator(op(_rest))


@define_elementwise
def add(x1: Array, x2: Array) -> Array:
    """x1 + x2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.add([1, 2], [3, 4]))
        [4 6]
    """
    return arithmetic.add.pure(*promote_and_broadcast("add", x1, x2))


@define_elementwise
def subtract(x1: Array, x2: Array) -> Array:
    """x1 - x2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.subtract([1, 2], [3, 4]))
        [-2 -2]
    """
    return jnp.subtract(*_numbers("subtract", x1, x2))


@define_elementwise
def multiply(x1: Array, x2: Array) -> Array:
    """x1 * x2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.multiply(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [3 8]
    """
    return jnp.multiply(*promote_and_broadcast("multiply", x1, x2))


@define_elementwise
def divide(x1: Array, x2: Array) -> Array:
    """x1 / x2. Integers, and two arrays of float64, are divided in float32, as MindSpore does.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.divide([1, 2], [4, 4]))
        [0.25 0.5 ]
    """
    return jnp.divide(*_divided("divide", x1, x2))


@define_elementwise
def true_divide(x1: Array, x2: Array) -> Array:
    """x1 / x2 (another name of `divide`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.true_divide([1, 2], [4, 4]))
        [0.25 0.5 ]
    """
    return jnp.divide(*_divided("true_divide", x1, x2))


@define_elementwise
def power(x1: Array, x2: Array) -> Array:
    """x1 to the power of x2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.power([1, 2, 3], 2))
        [1 4 9]
    """
    return arithmetic.any_pow.pure(*promote_and_broadcast("power", x1, x2))


@define_elementwise
def float_power(x1: Array, x2: Array) -> Array:
    """x1 to the power of x2, in float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.float_power(ms.Tensor([1, 2]), ms.Tensor(0.5)))
        [1.        1.4142135]
    """
    return jnp.power(*[narrow(x).astype(np.float32) for x in _real("float_power", x1, x2)])


@define_elementwise
def floor_divide(x1: Array, x2: Array) -> Array:
    """Return the greatest whole number that is not greater than x1 / x2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.floor_divide([-3, 4], 2))
        [-2  2]
    """
    return arithmetic.floor_divide.pure(*promote_and_broadcast("floor_divide", x1, x2))


@define_elementwise
def mod(x1: Array, x2: Array) -> Array:
    """Compute the remainder of `floor_divide`: it has the sign of x2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.mod([-3, 4], 2))
        [1 0]
    """
    return _remainder("mod", x1, x2)


@define_elementwise
def remainder(x1: Array, x2: Array) -> Array:
    """Compute the remainder of `floor_divide` (another name of `mod`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.remainder([-3, 4], 2))
        [1 0]
    """
    return _remainder("remainder", x1, x2)


@define_elementwise
def fmod(x1: Array, x2: Array) -> Array:
    """Compute the remainder of division rounded towards 0: it has the sign of x1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fmod([-3, 4], 2))
        [-1  0]
    """
    return arithmetic.fmod.pure(*_real("fmod", x1, x2))


def divmod(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """Return the pair of `floor_divide` and `mod`.

    The quotient has the dtype that `ops` would give it (a number takes that of the Tensor beside it), the rest that
    of `mod`, as in MindSpore.

    Args:
        x1 (Tensor, number): of any shape.
        x2 (Tensor, number): of any shape that broadcasts with the other.
        dtype (mindspore.dtype, None): of the results. Default: None, what follows from the arguments.

    Returns:
        Tuple of two Tensors of the broadcast shape.

    Raises:
        TypeError: if an argument is not a Tensor or number, or complex.
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.divmod(ms.Tensor([-3, 4]), 2))
        (Tensor(shape=[2], dtype=Int64, value= [-2,  2]), Tensor(shape=[2], dtype=Int64, value= [1, 0]))
    """
    for name, x in (("x1", x1), ("x2", x2)):
        if not isinstance(x, Tensor | int | float):
            checks.fail(TypeError, "divmod", name, "be a Tensor or a number", f"{x!r} ({type(x).__name__})")
    rest = _divided_rest(x1, x2)
    quotient = arithmetic.floor_divide(x1, x2)
    if dtype is None:
        return quotient, rest
    return quotient.astype(dtype), rest.astype(dtype)


@define_elementwise
def maximum(x1: Array, x2: Array) -> Array:
    """Return the greater of two numbers.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.maximum([1, 4], [2, 3]))
        [2 4]
    """
    return _extreme("maximum", x1, x2, jnp.maximum)


@define_elementwise
def minimum(x1: Array, x2: Array) -> Array:
    """Return the lesser of two numbers.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.minimum([1, 4], [2, 3]))
        [1 3]
    """
    return _extreme("minimum", x1, x2, jnp.minimum)


@define_elementwise
def hypot(x1: Array, x2: Array) -> Array:
    """Return the length of the hypotenuse, sqrt(x1^2 + x2^2).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.hypot([3.0, 6.0], [4.0, 8.0]))
        [ 5. 10.]
    """
    return _length(*promote_and_broadcast("hypot", x1, x2))


@define_elementwise
def logaddexp(x1: Array, x2: Array) -> Array:
    """log(exp(x1) + exp(x2)), without overflow.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.logaddexp(ms.Tensor([0.0, 1000.0]), ms.Tensor([0.0, 1000.0])))
        [6.9314718e-01 1.0006932e+03]
    """
    return jnp.logaddexp(*_floats("logaddexp", x1, x2))


@define_elementwise
def logaddexp2(x1: Array, x2: Array) -> Array:
    """log2(2^x1 + 2^x2), without overflow.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.logaddexp2(ms.Tensor([2.0, 3.0]), ms.Tensor([2.0, 3.0])))
        [3. 4.]
    """
    return jnp.logaddexp2(*_floats("logaddexp2", x1, x2))


@define_elementwise
def heaviside(x1: Array, x2: Array) -> Array:
    """0 below zero, 1 above it, and at zero what x2 says.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.heaviside([-1.0, 0.0, 2.0], 0.5))
        [0.  0.5 1. ]
    """
    return _step(*_real("heaviside", x1, x2))


@define_elementwise
def copysign(x1: Array, x2: Array) -> Array:
    """Return the size of x1 with the sign of x2, in the dtype of x1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.copysign([1, -2, 3], [-1.0, 1.0, -1.0]))
        [-1  2 -3]
    """
    return _signed(x1, x2)


@define_elementwise
def gcd(x1: Array, x2: Array) -> Array:
    """Return the greatest common divisor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.gcd(ms.Tensor([12, 8]), ms.Tensor([8, 6])))
        [4 2]
    """
    a, b = promote_and_broadcast("gcd", x1, x2)
    if jnp.issubdtype(a.dtype, jnp.bool_):
        return a | b
    return _euclid(a, b) if jnp.issubdtype(a.dtype, jnp.floating) else jnp.gcd(*_whole("gcd", a, b))


@define_elementwise
def lcm(x1: Array, x2: Array) -> Array:
    """Return the least common multiple.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.lcm(ms.Tensor([4, 6]), ms.Tensor([6, 6])))
        [12  6]
    """
    a, b = promote_and_broadcast("lcm", x1, x2)
    if jnp.issubdtype(a.dtype, jnp.bool_):
        return a & b
    if not jnp.issubdtype(a.dtype, jnp.floating):
        return jnp.lcm(*_whole("lcm", a, b))
    divisor = _euclid(a, b)
    return jnp.where(divisor == 0, 0, jnp.abs(a * b) / jnp.where(divisor == 0, 1, divisor))


@define_elementwise
def bitwise_and(x1: Array, x2: Array) -> Array:
    """Return the bits that both have.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.bitwise_and([13, 5], [17, 4]))
        [1 4]
    """
    return jnp.bitwise_and(*promote_and_broadcast("bitwise_and", x1, x2))


@define_elementwise
def bitwise_or(x1: Array, x2: Array) -> Array:
    """Return the bits that one or both have.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.bitwise_or([13, 5], [16, 4]))
        [29  5]
    """
    return jnp.bitwise_or(*promote_and_broadcast("bitwise_or", x1, x2))


@define_elementwise
def bitwise_xor(x1: Array, x2: Array) -> Array:
    """Return the bits that one of them has.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.bitwise_xor([13, 5], [17, 4]))
        [28  1]
    """
    return jnp.bitwise_xor(*promote_and_broadcast("bitwise_xor", x1, x2))


@define_elementwise
def invert(x: Array) -> Array:
    """Return the bits that the number does not have.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.invert([13, 5]))
        [-14  -6]
    """
    return _inverted("invert", x)


@define_elementwise
def bitwise_not(x: Array) -> Array:
    """Return the bits that the number does not have (another name of `invert`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.bitwise_not([13, 5]))
        [-14  -6]
    """
    return _inverted("bitwise_not", x)
