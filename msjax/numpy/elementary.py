"""Elementary functions of one array: exponentials, logarithms, roots, absolute values.

Integers and bools are taken as float32 where the result is not whole.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.numpy.array_function import define_elementwise
from msjax.ops.common import checks
from msjax.ops.common.promotion import to_float
from msjax.ops.math import arithmetic


def _no_bool(fn: str, x: Array) -> None:
    if x.dtype == bool:
        checks.fail(TypeError, fn, "x", "be of a numeric dtype", "array of dtype bool")


@define_elementwise
def abs(x: Array) -> Array:
    """Absolute values; of complex numbers, their distance from 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.abs(ms.Tensor([-1, 2])))
        [1 2]
    """
    return arithmetic.abs.pure(x)


@define_elementwise
def absolute(x: Array) -> Array:
    """Absolute values (another name of `abs`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.absolute(ms.Tensor([-1.5, 2.0])))
        [1.5 2. ]
    """
    return arithmetic.abs.pure(x)


@define_elementwise
def fabs(x: Array) -> Array:
    """Absolute values (MindSpore keeps integers, unlike NumPy).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fabs(ms.Tensor([-1.5, 2.0])))
        [1.5 2. ]
    """
    return arithmetic.abs.pure(x)


@define_elementwise
def negative(a: Array) -> Array:
    """Return the numbers with the other sign. Bools have none.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.negative([1, -2]))
        [-1  2]
    """
    return arithmetic.neg.pure(a)


@define_elementwise
def positive(a: Array) -> Array:
    """Return the numbers as they are. Bools are refused, as in NumPy.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.positive(ms.Tensor([1, -2])))
        [ 1 -2]
    """
    _no_bool("positive", a)
    return a


@define_elementwise
def square(x: Array) -> Array:
    """x times x.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.square([1.0, -3.0]))
        [1. 9.]
    """
    _no_bool("square", x)
    return jnp.square(x)


@define_elementwise
def sqrt(x: Array) -> Array:
    """Square roots.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.sqrt([1, 4, 9]))
        [1. 2. 3.]
    """
    return jnp.sqrt(to_float(x))


@define_elementwise
def cbrt(x: Array) -> Array:
    """Cube roots, also of negative numbers, in float32 or float64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cbrt([-8, 27]))
        [-2.  3.]
    """
    if jnp.iscomplexobj(x):
        checks.fail(TypeError, "cbrt", "x", "be real", f"array of dtype {x.dtype}")
    return jnp.cbrt(x if x.dtype == jnp.float64 else x.astype(jnp.float32))


@define_elementwise
def reciprocal(x: Array) -> Array:
    """1 / x, in the dtype of `x`: of integers the whole part.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.reciprocal([2.0, 4.0]))
        [0.5  0.25]
    """
    x = x.astype(np.int64) if x.dtype == bool else x
    one = jnp.ones((), x.dtype)
    return one / x if jnp.issubdtype(x.dtype, jnp.inexact) else arithmetic.truncate_div.pure(one, x)


@define_elementwise
def exp(x: Array) -> Array:
    """e to the power of x.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.exp([0.0, 1.0]))
        [1.        2.7182817]
    """
    return jnp.exp(to_float(x))


@define_elementwise
def exp2(x: Array) -> Array:
    """2 to the power of x; integers stay integers.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.exp2([1, 3]))
        [2 8]
    """
    x = x.astype(np.int64) if x.dtype == bool else x
    return (
        jnp.exp2(x)
        if jnp.issubdtype(x.dtype, jnp.inexact)
        else arithmetic.any_pow.pure(jnp.full((), 2, x.dtype), x)
    )


@define_elementwise
def expm1(x: Array) -> Array:
    """exp(x) - 1, exact near 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.expm1([0.0, 1.0]).round(4))
        [0.     1.7183]
    """
    return jnp.expm1(to_float(x))


@define_elementwise
def log(x: Array) -> Array:
    """Natural logarithms.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.log([1.0, 2.0]))
        [0.        0.6931472]
    """
    return jnp.log(to_float(x))


@define_elementwise
def log2(x: Array) -> Array:
    """Logarithms to base 2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.log2(ms.Tensor([1.0, 8.0])))
        [0. 3.]
    """
    return jnp.log2(to_float(x))


@define_elementwise
def log10(x: Array) -> Array:
    """Logarithms to base 10.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.log10(ms.Tensor([1.0, 100.0])))
        [0. 2.]
    """
    return jnp.log10(to_float(x))


@define_elementwise
def log1p(x: Array) -> Array:
    """log(1 + x), exact near 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.log1p([0.0, 1.0]))
        [0.        0.6931472]
    """
    return jnp.log1p(to_float(x))


@define_elementwise
def sign(x: Array) -> Array:
    """-1, 0 or 1 by the sign of x; integers become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.sign([-2.0, 0.0, 3.0]))
        [-1.  0.  1.]
    """
    _no_bool("sign", x)
    return jnp.sign(to_float(x))
