"""Elementary functions of one array: exponentials, logarithms, roots, absolute values.

Integers and bools are taken as float32 where the result is not whole.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.numpy.array_function import as_given, define_elementwise, elementwise_family
from msjax.ops.common import checks
from msjax.ops.common.promotion import to_float
from msjax.ops.math import arithmetic


def _no_bool(fn: str, x: Array) -> Array:
    if x.dtype == bool:
        checks.fail(TypeError, fn, "x", "be of a numeric dtype", "array of dtype bool")
    return x


_any = elementwise_family(__name__, as_given, "x")
_number = elementwise_family(__name__, _no_bool, "x")
_float = elementwise_family(__name__, lambda fn, x: to_float(x), "x")


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


# fmt: off
abs = _any("abs", arithmetic.abs.pure,
    "Absolute values; of complex numbers, their distance from 0.", "ms.Tensor([-1, 2])", "[1 2]")
absolute = _any("absolute", arithmetic.abs.pure,
    "Absolute values (another name of `abs`).", "ms.Tensor([-1.5, 2.0])", "[1.5 2. ]")
fabs = _any("fabs", arithmetic.abs.pure,
    "Absolute values (MindSpore keeps integers, unlike NumPy).", "ms.Tensor([-1.5, 2.0])", "[1.5 2. ]")
negative = _any("negative", arithmetic.neg.pure,
    "Return the numbers with the other sign. Bools have none.", "[1, -2]", "[-1  2]", names="a")
positive = _number("positive", lambda x: x,
    "Return the numbers as they are. Bools are refused, as in NumPy.", "ms.Tensor([1, -2])", "[ 1 -2]", names="a")
square = _number("square", jnp.square, "x times x.", "[1.0, -3.0]", "[1. 9.]")
sqrt = _float("sqrt", jnp.sqrt, "Square roots.", "[1, 4, 9]", "[1. 2. 3.]")
exp = _float("exp", jnp.exp, "e to the power of x.", "[0.0, 1.0]", "[1.        2.7182817]")
log = _float("log", jnp.log, "Natural logarithms.", "[1.0, 2.0]", "[0.        0.6931472]")
log2 = _float("log2", jnp.log2, "Logarithms to base 2.", "ms.Tensor([1.0, 8.0])", "[0. 3.]")
log10 = _float("log10", jnp.log10, "Logarithms to base 10.", "ms.Tensor([1.0, 100.0])", "[0. 2.]")
log1p = _float("log1p", jnp.log1p, "log(1 + x), exact near 0.", "[0.0, 1.0]", "[0.        0.6931472]")
sign = _number("sign", lambda x: jnp.sign(to_float(x)),
    "-1, 0 or 1 by the sign of x; integers become float32.", "[-2.0, 0.0, 3.0]", "[-1.  0.  1.]")
# fmt: on
