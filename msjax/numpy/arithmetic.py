"""Elementwise arithmetic with two arrays."""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import (
    as_given,
    define_elementwise,
    elementwise_family,
    narrow,
    promote_and_broadcast,
    wrap_operator,
)
from msjax.ops.common import checks, safe_math
from msjax.ops.common.promotion import to_float
from msjax.ops.math import arithmetic


def _as_real(fn: str, x1: Array, x2: Array) -> list[Array]:
    if jnp.iscomplexobj(x1) or jnp.iscomplexobj(x2):
        checks.fail(TypeError, fn, "x1", "be real, like `x2`", f"{x1.dtype}, x2={x2.dtype}")
    return promote_and_broadcast(fn, x1, x2)


def _as_numbers(fn: str, x1: Array, x2: Array) -> list[Array]:
    if x1.dtype == x2.dtype == bool:
        checks.fail(TypeError, fn, "x1", "be of a numeric dtype, or `x2`", "two arrays of dtype bool")
    return promote_and_broadcast(fn, x1, x2)


def _as_quotient(fn: str, x1: Array, x2: Array) -> list[Array]:
    floats = (np.float16, np.float32)
    if x1.dtype not in floats and x2.dtype not in floats:
        x1, x2 = narrow(x1), narrow(x2)
    return promote_and_broadcast(fn, x1, x2)


def _divmod_remainder(x1: ArrayLike, x2: ArrayLike) -> Array:
    return arithmetic.remainder.pure(*_as_real("divmod", x1, x2))


def _as_floats(fn: str, x1: Array, x2: Array) -> list[Array]:
    """Integers take the dtype of the floating numbers beside them, or float32."""
    return [to_float(x) for x in promote_and_broadcast(fn, x1, x2)]


def _length(x1: Array, x2: Array) -> Array:
    x1, x2 = to_float(x1), to_float(x2)
    return jnp.sqrt(x1 * x1 + x2 * x2) if jnp.iscomplexobj(x1) else safe_math.hypotenuse(x1, x2)


def _step(x1: Array, x2: Array) -> Array:
    zero = jnp.zeros((), x1.dtype)
    return jnp.where(x1 == zero, x2, (x1 > zero).astype(x1.dtype))


def _copy_sign(x1: Array, x2: Array) -> Array:
    _as_real("copysign", x1, x2)
    if x1.dtype == bool or x2.dtype == bool:
        checks.fail(
            TypeError, "copysign", "x1", "be of a numeric dtype, like `x2`", f"{x1.dtype}, x2={x2.dtype}"
        )
    size = safe_math.magnitude(x1) if jnp.issubdtype(x1.dtype, jnp.floating) else jnp.abs(x1)
    return jnp.where(x2 < jnp.zeros((), x2.dtype), -size, size)


def _float_power(x1: Array, x2: Array) -> Array:
    return safe_math.power_of(*(narrow(x).astype(np.float32) for x in (x1, x2)))


def _extreme(fn: str, x1: Array, x2: Array) -> Array:
    """Cast Python numbers to the dtype of the other array."""
    met = getattr(jnp, fn)(*_as_real(fn, x1, x2))
    if bool(x1.ndim) == bool(x2.ndim):
        return met
    return met.astype(x1.dtype if x1.ndim else x2.dtype)


def _as_integers(fn: str, x1: Array, x2: Array) -> list[Array]:
    checks.check_integer(fn, x1=x1, x2=x2)
    return promote_and_broadcast(fn, x1, x2)


def _euclid(x: Array, y: Array) -> Array:
    """Return the greatest common divisor of floating arrays, which MindSpore takes too."""
    a, b = jnp.broadcast_arrays(jnp.abs(x), jnp.abs(y))

    def step(state: tuple[Array, Array]) -> tuple[Array, Array]:
        a, b = state
        return jnp.where(b > 0, b, a), jnp.where(b > 0, jnp.mod(a, jnp.where(b > 0, b, 1)), 0)

    return lax.while_loop(lambda state: jnp.any(state[1] > 0), step, (a, b))[0]


def _as_bits(fn: str, x: Array) -> Array:
    checks.check_integer(fn, x=x)
    return x


_given = elementwise_family(__name__, as_given)
_pair = elementwise_family(__name__, promote_and_broadcast)
_real = elementwise_family(__name__, _as_real)
_number = elementwise_family(__name__, _as_numbers)
_divided = elementwise_family(__name__, _as_quotient)
_float = elementwise_family(__name__, _as_floats)
_bits = elementwise_family(__name__, _as_bits, "x")
_divided_rest = wrap_operator(op(_divmod_remainder))


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
    return _euclid(a, b) if jnp.issubdtype(a.dtype, jnp.floating) else jnp.gcd(*_as_integers("gcd", a, b))


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
        return jnp.lcm(*_as_integers("lcm", a, b))
    divisor = _euclid(a, b)
    return jnp.where(divisor == 0, 0, jnp.abs(a * b) / jnp.where(divisor == 0, 1, divisor))


# fmt: off
add = _pair("add", arithmetic.add.pure, "x1 + x2.", "[1, 2], [3, 4]", "[4 6]")
subtract = _number("subtract", jnp.subtract, "x1 - x2.", "[1, 2], [3, 4]", "[-2 -2]")
multiply = _pair("multiply", jnp.multiply, "x1 * x2.", "ms.Tensor([1, 2]), ms.Tensor([3, 4])", "[3 8]")
divide = _divided("divide", jnp.divide,
    "x1 / x2. Integers, and two arrays of float64, are divided in float32, as MindSpore does.",
    "[1, 2], [4, 4]", "[0.25 0.5 ]")
true_divide = _divided("true_divide", jnp.divide, "x1 / x2 (another name of `divide`).", "[1, 2], [4, 4]", "[0.25 0.5 ]")
power = _pair("power", arithmetic.any_pow.pure, "x1 to the power of x2.", "[1, 2, 3], 2", "[1 4 9]")
float_power = _real("float_power", _float_power,
    "x1 to the power of x2, in float32.", "ms.Tensor([1, 2]), ms.Tensor(0.5)", "[1.        1.4142135]")
floor_divide = _pair("floor_divide", arithmetic.floor_divide.pure,
    "Return the greatest whole number that is not greater than x1 / x2.", "[-3, 4], 2", "[-2  2]")
mod = _real("mod", arithmetic.remainder.pure,
    "Compute the remainder of `floor_divide`: it has the sign of x2.", "[-3, 4], 2", "[1 0]")
remainder = _real("remainder", arithmetic.remainder.pure,
    "Compute the remainder of `floor_divide` (another name of `mod`).", "[-3, 4], 2", "[1 0]")
fmod = _real("fmod", arithmetic.fmod.pure,
    "Compute the remainder of division rounded towards 0: it has the sign of x1.", "[-3, 4], 2", "[-1  0]")
maximum = _given("maximum", functools.partial(_extreme, "maximum"),
    "Return the greater of two numbers.", "[1, 4], [2, 3]", "[2 4]")
minimum = _given("minimum", functools.partial(_extreme, "minimum"),
    "Return the lesser of two numbers.", "[1, 4], [2, 3]", "[1 3]")
hypot = _pair("hypot", _length,
    "Return the length of the hypotenuse, sqrt(x1^2 + x2^2).", "[3.0, 6.0], [4.0, 8.0]", "[ 5. 10.]")
logaddexp = _float("logaddexp", safe_math.log_of_sum,
    "log(exp(x1) + exp(x2)), without overflow.",
    "ms.Tensor([0.0, 1000.0]), ms.Tensor([0.0, 1000.0])", "[6.9314718e-01 1.0006932e+03]")
logaddexp2 = _float("logaddexp2", safe_math.log2_of_sum,
    "log2(2^x1 + 2^x2), without overflow.", "ms.Tensor([2.0, 3.0]), ms.Tensor([2.0, 3.0])", "[3. 4.]")
heaviside = _real("heaviside", _step,
    "0 below zero, 1 above it, and at zero what x2 says.", "[-1.0, 0.0, 2.0], 0.5", "[0.  0.5 1. ]")
copysign = _given("copysign", _copy_sign,
    "Return the size of x1 with the sign of x2, in the dtype of x1.", "[1, -2, 3], [-1.0, 1.0, -1.0]", "[-1  2 -3]")
bitwise_and = _pair("bitwise_and", jnp.bitwise_and, "Return the bits that both have.", "[13, 5], [17, 4]", "[1 4]")
bitwise_or = _pair("bitwise_or", jnp.bitwise_or, "Return the bits that one or both have.", "[13, 5], [16, 4]", "[29  5]")
bitwise_xor = _pair("bitwise_xor", jnp.bitwise_xor, "Return the bits that one of them has.", "[13, 5], [17, 4]", "[28  1]")
invert = _bits("invert", jnp.invert, "Return the bits that the number does not have.", "[13, 5]", "[-14  -6]")
bitwise_not = _bits("bitwise_not", jnp.invert,
    "Return the bits that the number does not have (another name of `invert`).", "[13, 5]", "[-14  -6]")
# fmt: on
