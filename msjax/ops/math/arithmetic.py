"""Binary arithmetic with broadcasting: add, sub, mul, div, remainders and powers.

Operands of different dtypes are promoted as in MindSpore: the larger of the higher kind (bool < integer < float < complex);
a Python number takes the array's dtype unless it is of a higher kind. What is left of a division, and powers, have
two spellings, by sign: `remainder` and `floor_divide` round down, `fmod` and `truncate_div` towards zero.
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.tape.pullbacks import is_inexact
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla import integer_gradients
from msjax.ops.common import checks, safe_math
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import (
    FLOAT,
    as_array,
    is_float,
    is_integer,
    promote_and_broadcast,
    promoted_dtype,
    to_float,
    widen_for_large_ints,
)

_MOST_EXPONENT = 16


@op(promotes=True)
def add(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input + other. Of two bool arrays it is the logical or.

    Args:
        input (Tensor, number): first summand.
        other (Tensor, number): second summand, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.add(ms.Tensor([1.0, 2.0]), 3))
        [4. 5.]
    """
    x, y = promote_and_broadcast("add", input=input, other=other)
    return _any(x, y) if x.dtype == bool else x + y


@op(promotes=True)
@documented_by(add)
def sub(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input - other. Of two bool arrays it is the logical xor.

    Args:
        input (Tensor, number): minuend.
        other (Tensor, number): subtrahend, of a shape that broadcasts with `input`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sub(ms.Tensor([1, 2]), ms.Tensor([[1], [2]])))
        [[ 0  1]
         [-1  0]]
    """
    x, y = promote_and_broadcast("sub", input=input, other=other)
    return _either(x, y) if x.dtype == bool else x - y


@op(promotes=True)
def mul(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input * other. Of two bool arrays it is the logical and.

    Args:
        input (Tensor, number): first factor.
        other (Tensor, number): second factor, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.mul(ms.Tensor([1.0, 2.0]), 3))
        [3. 6.]
    """
    x, y = promote_and_broadcast("mul", input=input, other=other)
    if jnp.issubdtype(x.dtype, jnp.inexact):
        for flags, factor in ((input, y), (other, x)):
            if getattr(flags, "dtype", None) == np.bool_:
                return _chosen(flags, factor)
    return _both(x, y) if x.dtype == bool else jnp.multiply(x, y)


# Of bools; they are differentiated as numbers. (`ops.logical_and` has no gradient.)
_any = integer_gradients.arithmetic("sum_of_bools", jnp.logical_or, jnp.add)
_either = integer_gradients.arithmetic("difference_of_bools", jnp.logical_xor, jnp.subtract)
_both = integer_gradients.arithmetic("product_of_bools", jnp.logical_and, jnp.multiply)


def _product(flags: Array, factor: Array) -> Array:
    return jnp.where(flags, factor, factor * 0)  # XLA makes select(flags, factor, 0) of a product


def _product_formula(values: Sequence[Array], shadows: Sequence[Any]) -> list[Array | None]:
    flags, factor = values
    if shadows[0] is None:
        return [_product(flags, factor)]
    return [integer_gradients.to_float(flags, shadows[0], factor.dtype) * factor]


_chosen = integer_gradients.with_formula("product_with_bools", _product, _product_formula)


@widen_for_large_ints("float32")
@op(static="rounding_mode", promotes=True)
def div(input: ArrayOrNumber, other: ArrayOrNumber, *, rounding_mode: str | None = None) -> Array:
    """Elementwise input / other.

    Args:
        input (Tensor, number): dividend.
        other (Tensor, number): divisor, of a shape that broadcasts with `input`.
        rounding_mode (str, None): None for the true quotient (float32 for integers), "floor" to round it down,
            "trunc" to round it towards zero; both of these keep the dtype.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        ValueError: if `rounding_mode` is anything else.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([-5, 5])
        >>> print(ms.ops.div(x, 2), ms.ops.div(x, 2, rounding_mode="floor"), ms.ops.div(x, 2, rounding_mode="trunc"))
        [-2.5  2.5] [-3  2] [-2  2]
    """
    if rounding_mode not in (None, "floor", "trunc"):
        checks.fail(ValueError, "div", "rounding_mode", "be None, 'floor' or 'trunc'", repr(rounding_mode))
    x, y = as_array("div", "input", input), as_array("div", "other", other)
    if rounding_mode is None:
        dtype = promoted_dtype("div", input=x, other=y)
        if x.ndim and y.ndim:
            # Two Tensors are converted first, and their gradients back to integers.
            dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else FLOAT
        else:
            dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else FLOAT
            x, y = to_float(x, dtype), to_float(y, dtype)
        x, y = promote_and_broadcast("div", input=x.astype(dtype), other=y.astype(dtype))
        return x / y
    x, y = promote_and_broadcast("div", input=x, other=y)
    return _floor_quotient(x, y) if rounding_mode == "floor" else _truncate_quotient(x, y)


def never_zero(y: Array) -> Array:
    """Integer divisors with 1 in place of 0: XLA may divide constants while it compiles, which would end the process."""
    return jnp.where(y == 0, jnp.ones_like(y), y)


def _floor_quotient(x: Array, y: Array) -> Array:
    if x.dtype == bool:
        return jnp.logical_and(x, y)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jnp.floor((x / y).real).astype(x.dtype)
    return or_limit(x, y, jnp.floor_divide(x, never_zero(y))) if is_integer(x) else _floor_of_quotient(x, y)


def _floor_of_quotient(x: Array, y: Array) -> Array:
    """Return the floor of the exact quotient of floats, which may lie below an integer that x / y is rounded to."""
    wide = checks.compute_dtype(x.dtype)
    a, b = (lax.stop_gradient(v.astype(wide)) for v in jnp.broadcast_arrays(x, y))
    left = lax.rem(a, b)
    below = jnp.logical_and(left != 0, (left < 0) != (b < 0)).astype(wide)
    exact = jnp.isfinite(a) & jnp.isfinite(b) & (b != 0)
    rounded = jnp.floor(a / jnp.where(b == 0, 0, b))  # -0.0 counts as 0.0
    return jnp.where(exact, jnp.round((a - left) / b) - below, rounded).astype(x.dtype)


def _truncate_quotient(x: Array, y: Array) -> Array:
    if x.dtype == bool:
        return jnp.logical_and(x, y)
    if not is_integer(x):
        return jnp.trunc(x / y)
    return or_limit(x, y, lax.div(*jnp.broadcast_arrays(x, never_zero(y))))


def or_limit(x: Array, y: Array, quotient: Array) -> Array:
    """Return a quotient of integers; where the divisor is 0, the largest or least integer, or 0 if the dividend is 0 too."""
    ends = jnp.iinfo(x.dtype)
    high, low, none = (jnp.array(n, x.dtype) for n in (ends.max, ends.min, 0))
    limit = jnp.where(x > 0, high, jnp.where(x < 0, low, none))
    return jnp.where(y == 0, limit, quotient)


@op(promotes=True)
def real_div(x: ArrayOrNumber, y: ArrayOrNumber) -> Array:
    """Elementwise x / y in the promoted dtype: integers give integers.

    Args:
        x (Tensor, number): dividend.
        y (Tensor, number): divisor, of a shape that broadcasts with `x`. By 0, integers give the limit of their dtype.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.RealDiv()(ms.Tensor([1.0, 3.0]), ms.Tensor([2.0, 2.0])))
        [0.5 1.5]
    """
    a, b = jnp.broadcast_arrays(*promote_and_broadcast("RealDiv", x=x, y=y))
    if not is_integer(a):
        return lax.div(a, b)
    return or_limit(a, b, lax.div(a, never_zero(b)))


@op(promotes=True)
@documented_by(div)
def floor_divide(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise quotient, rounded down.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.floor_divide(ms.Tensor([-5, 5]), 2))
        [-3  2]
    """
    return _floor_quotient(*promote_and_broadcast("floor_divide", input=input, other=other))


@op(promotes=True)
@documented_by(real_div)
def truncate_div(x: ArrayOrNumber, y: ArrayOrNumber) -> Array:
    """Elementwise quotient, rounded towards zero.

    Args:
        y (Tensor, number): divisor, of a shape that broadcasts with `x`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.truncate_div(ms.Tensor([-5, 5]), 2))
        [-2  2]
    """
    return _truncate_quotient(*promote_and_broadcast("truncate_div", x=x, y=y))


@op(promotes=True)
@documented_by(real_div)
def floor_mod(x: ArrayOrNumber, y: ArrayOrNumber) -> Array:
    """Elementwise x - floor(x / y) * y: it has the divisor's sign. This is `x % y`.

    Args:
        y (Tensor, number): divisor, of a shape that broadcasts with `x`. By 0, integers of 32 and 64 bits give the least
            that there is, and smaller ones 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.floor_mod(ms.Tensor([-5, 5]), ms.Tensor([3, -3])))
        [ 1 -1]
    """
    x, y = promote_and_broadcast("floor_mod", x=x, y=y)
    found = remainder.pure(x, y)
    if not is_integer(x):
        return found
    ends = jnp.iinfo(x.dtype)
    return jnp.where(y == 0, jnp.array(ends.min if ends.bits > 16 else 0, x.dtype), found)


@op(promotes=True)
def remainder(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input - floor(input / other) * other: it has the divisor's sign.

    Args:
        input (Tensor, number): dividend.
        other (Tensor, number): divisor, of a shape that broadcasts with `input`. What an integer leaves by 0 is itself.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.remainder(ms.Tensor([-5.0, 5.0]), ms.Tensor([3.0, -3.0])))
        [ 1. -1.]
    """
    x, y = promote_and_broadcast("remainder", input=input, other=other)
    if x.dtype == bool:
        return jnp.logical_and(x, jnp.logical_not(y))
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return x - _floor_quotient(x, y) * y
    return jnp.where(y == 0, x, jnp.remainder(x, never_zero(y))) if is_integer(x) else jnp.remainder(x, y)


@op(promotes=True)
@documented_by(floor_divide)
def fmod(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input - trunc(input / other) * other: it has the dividend's sign.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fmod(ms.Tensor([-5.0, 5.0]), ms.Tensor([3.0, -3.0])))
        [-2.  2.]
    """
    x, y = promote_and_broadcast("fmod", input=input, other=other)
    if x.dtype == bool:
        return jnp.logical_and(x, jnp.logical_not(y))
    x, y = jnp.broadcast_arrays(x, y)
    return jnp.where(y == 0, x, lax.rem(x, never_zero(y))) if is_integer(x) else lax.rem(x, y)


def pow(input: Any, exponent: Any) -> Any:  # noqa: A001
    """Elementwise input to the power of exponent.

    A small whole number as exponent becomes multiplications; any other exponent is a value like the base, so that a
    changing one does not recompile.

    Args:
        input (Tensor, number): base.
        exponent (Tensor, number): exponent, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype. Integers to a negative power are 0, but for 1 and -1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.pow(ms.Tensor([1.0, 2.0, 3.0]), 2), ms.ops.pow(2, ms.Tensor([1, 2, 3])))
        [1. 4. 9.] [2 4 8]
    """
    if type(exponent) is float and exponent.is_integer() and exponent > 0 and _is_inexact(input):
        exponent = int(exponent)
    if type(exponent) is int and -_MOST_EXPONENT <= exponent <= _MOST_EXPONENT:
        return integer_pow(input, exponent)
    return any_pow(input, exponent)


def _is_inexact(x: Any) -> bool:
    return isinstance(x, Tensor) and is_inexact(peek(x).dtype)


@op(static="exponent")
def integer_pow(input: ArrayLike, exponent: int) -> Array:
    """Elementwise power with one exponent that is known when the program is made (see `pow`)."""
    x = as_array("pow", "input", input)
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return lax.integer_pow(x, exponent)
    x = x.astype(dtypes.scalar(exponent, x.dtype))
    return lax.integer_pow(x, exponent) if exponent >= 0 else _to_negative(x, jnp.full_like(x, exponent))


@op(promotes=True)
def any_pow(input: ArrayOrNumber, exponent: ArrayOrNumber) -> Array:
    """Elementwise power with an exponent that is a value (see `pow`).

    Args:
        input (Tensor, number): base.
        exponent (Tensor, number): exponent.
    """
    x, y = promote_and_broadcast("pow", input=input, exponent=exponent)
    if x.dtype == bool:
        return jnp.logical_or(x, jnp.logical_not(y))
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        nothing = jnp.logical_and(x == 0, y.real > 0)
        return jnp.where(nothing, jnp.zeros_like(x), jnp.power(jnp.where(nothing, jnp.ones_like(x), x), y))
    if not is_integer(x):
        return safe_math.power_of(x, y)
    return _whole_power(x, y)


def _exact_power(x: Array, y: Array) -> Array:
    whole = jnp.power(x, jnp.maximum(y, 0))
    if jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return whole
    return jnp.where(y < 0, _to_negative(x, y), whole)


def _power_formula(values: Sequence[Array], shadows: Sequence[Any]) -> list[Array | None]:
    base, exponent = shadows
    if exponent is None and base is None:
        return [None]
    # By the exponent it is a logarithm, a floating number.
    return [
        jnp.power(
            integer_gradients.as_floats(values[0]) if base is None else base.value,
            integer_gradients.as_floats(values[1]) if exponent is None else exponent.fractional(),
        )
    ]


_whole_power = integer_gradients.with_formula("whole_power", _exact_power, _power_formula)


def _to_negative(x: Array, y: Array) -> Array:
    """Integers to negative powers: what is left of 1/x^n after rounding towards zero."""
    unit = jnp.where(jnp.logical_and(x == -1, y % 2 != 0), -1, 1).astype(x.dtype)
    return jnp.where(jnp.abs(x) == 1, unit, jnp.zeros_like(x))


def _in_double(fn: Any) -> Any:
    """Python's floats beside Tensors as they are, not in the Tensor's precision; Tensors of types that do not mix."""

    @functools.wraps(fn)
    def call(input: Any, exponent: Any) -> Any:
        if isinstance(input, Tensor) and isinstance(exponent, Tensor):
            if input.dtype != exponent.dtype and not (input.dtype.is_complex or exponent.dtype.is_complex):
                input, exponent = input.astype(dtypes.float64), exponent.astype(dtypes.float64)
            return fn(input, exponent)
        if type(exponent) is float and isinstance(input, Tensor) and not input.dtype.is_complex:
            input = input.astype(dtypes.float64)
        elif type(input) is float and isinstance(exponent, Tensor) and not exponent.dtype.is_complex:
            exponent = exponent.astype(dtypes.float64)
        return fn(input, exponent)

    return call


@_in_double
@op(promotes=True)
@documented_by(pow)
def float_power(input: ArrayOrNumber, exponent: ArrayOrNumber) -> Array:
    """Elementwise power, computed in double precision.

    Returns:
        Tensor of the broadcast shape and dtype float64, or complex128 if an argument is complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.float_power(ms.Tensor([1, 4, 9]), 0.5))
        [1. 2. 3.]
    """
    x, y = promote_and_broadcast("float_power", input=input, exponent=exponent)
    complex_ = jnp.issubdtype(x.dtype, jnp.complexfloating)
    double = dtypes.as_np(dtypes.complex128 if complex_ else dtypes.float64)
    power = jnp.power if jnp.issubdtype(double, jnp.complexfloating) else safe_math.power_of
    return power(x.astype(double), y.astype(double))


@op
def neg(input: Array) -> Array:
    """Elementwise -input.

    Args:
        input (Tensor): of any shape and dtype but bool.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.neg(ms.Tensor([1.0, -2.0])))
        [-1.  2.]
    """
    x = as_array("neg", "input", input)
    if x.dtype == bool:
        checks.fail(
            TypeError, "neg", "input", "not be of dtype bool; use logical_not", f"array of dtype {x.dtype}"
        )
    return jnp.negative(x)


@op
def abs(input: Array) -> Array:  # noqa: A001
    """Elementwise absolute value; of complex numbers the modulus, kept in a complex dtype as MindSpore does.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.abs(ms.Tensor([1.0, -2.0])))
        [1. 2.]
    """
    x = as_array("abs", "input", input)
    if is_float(x):
        return safe_math.magnitude(x)
    return x if x.dtype == bool else jnp.abs(x).astype(x.dtype)


@op
@documented_by(abs)
def sign(input: Array) -> Array:
    """Elementwise -1, 0 or 1, by the sign; 0 for nan; of complex numbers x / |x|.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sign(ms.Tensor([2.0, 0.0, -3.0])))
        [ 1.  0. -1.]
    """
    x = as_array("sign", "input", input)
    if x.dtype == bool:
        return x
    return jnp.where(jnp.isnan(x), jnp.zeros_like(x), jnp.sign(x)) if is_float(x) else jnp.sign(x)


@op
@documented_by(abs)
def square(input: Array) -> Array:
    """Elementwise input * input.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.square(ms.Tensor([1.0, -2.0])))
        [1. 4.]
    """
    x = as_array("square", "input", input)
    return jnp.multiply(x, x)


@op
def reciprocal(input: Array) -> Array:
    """Elementwise 1 / input.

    Args:
        input (Tensor): of any shape and dtype; integers become float32.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.reciprocal(ms.Tensor([1.0, 4.0])))
        [1.   0.25]
    """
    return jnp.reciprocal(to_float(as_array("reciprocal", "input", input)))
