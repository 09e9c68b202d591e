"""Trigonometric and hyperbolic functions and their inverses, elementwise.

Integers and bools are taken as float32.
"""

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.function_families import define_like
from msjax.ops.common.promotion import FLOAT, as_array, promote_and_broadcast, to_float


@op
def sin(input: Array) -> Array:
    """Elementwise sine of an angle in radians.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of `input`'s shape and dtype; integers and bools become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sin(ms.Tensor([0.0, 1.5707964])))
        [0. 1.]
    """
    return jnp.sin(to_float(as_array("sin", "input", input)))


_float = define_like(sin, lambda name, input: to_float(as_array(name, "input", input)))
# fmt: off
cos = _float("cos", jnp.cos,
    "Elementwise cosine of an angle in radians.", "ms.Tensor([0.0, 3.1415927])", "[ 1. -1.]")
tan = _float("tan", jnp.tan,
    "Elementwise tangent of an angle in radians.", "ms.Tensor([0.0, 0.7853982])", "[0. 1.]")
asin = _float("asin", jnp.arcsin,
    "Elementwise inverse sine: nan outside of [-1, 1].", "ms.Tensor([0.0, 1.0])", "[0.        1.5707964]")
acos = _float("acos", jnp.arccos,
    "Elementwise inverse cosine: nan outside of [-1, 1].", "ms.Tensor([1.0, 0.0])", "[0.        1.5707964]")
atan = _float("atan", jnp.arctan,
    "Elementwise inverse tangent.", "ms.Tensor([0.0, 4.0])", "[0.        1.3258177]")
sinh = _float("sinh", jnp.sinh,
    "Elementwise hyperbolic sine, (e^x - e^-x) / 2.", "ms.Tensor([0.0, 1.0])", "[0.        1.1752012]")
cosh = _float("cosh", jnp.cosh,
    "Elementwise hyperbolic cosine, (e^x + e^-x) / 2.", "ms.Tensor([0.0, 0.0])", "[1. 1.]")
asinh = _float("asinh", jnp.arcsinh,
    "Elementwise inverse hyperbolic sine.", "ms.Tensor([0.0, 0.0])", "[0. 0.]")
# fmt: on


@op
@documented_by(sin)
def acosh(input: Array) -> Array:
    """Elementwise inverse hyperbolic cosine: nan below 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.acosh(ms.Tensor([1.0, 2.0])))
        [0.        1.316958]
    """
    x = to_float(as_array("acosh", "input", input))
    if not jnp.issubdtype(x.dtype, jnp.complexfloating):
        none = jnp.asarray(jnp.nan, x.dtype)
        x += jnp.where(x < 1, none, jnp.zeros_like(none))  # so that the derivative there is nan too
    return jnp.arccosh(x)


# fmt: off
atanh = _float("atanh", jnp.arctanh,
    "Elementwise inverse hyperbolic tangent: nan outside of [-1, 1].", "ms.Tensor([0.0, 0.5])", "[0.         0.54930615]")
# fmt: on


@op
@documented_by(sin)
def sinc(input: Array) -> Array:
    """Elementwise sin(pi x) / (pi x), and 1 at 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sinc(ms.Tensor([0.0, 0.5])).asnumpy().round(4))
        [1.     0.6366]
    """
    x = to_float(as_array("sinc", "input", input))
    if jnp.issubdtype(x.dtype, jnp.floating):  # so small that its square vanishes
        x = jnp.where((x != 0) & (jnp.abs(x) < 1e-18), jnp.zeros_like(x), x)
        x = x + (x - x)  # an infinity becomes nan, as sin(inf) / inf is; JAX 0.12 gives the limit, 0
    return jnp.sinc(x)


@op(promotes=True)
def atan2(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise angle of the point (other, input), in (-pi, pi].

    Args:
        input (Tensor, number): ordinate.
        other (Tensor, number): abscissa, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype; integers become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.atan2(ms.Tensor([0.0, 1.0]), ms.Tensor([1.0, 1.0])))
        [0.        0.7853982]
    """
    y, x = promote_and_broadcast("atan2", input=input, other=other)
    kind = (
        y.dtype if jnp.issubdtype(y.dtype, jnp.inexact) else FLOAT
    )  # MindSpore's gradients of integers are integers
    return jnp.arctan2(y.astype(kind), x.astype(kind))


@op
def deg2rad(x: Array) -> Array:
    """Elementwise degrees to radians.

    Args:
        x (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `x`'s shape and dtype; integers become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.deg2rad(ms.Tensor([180.0])))
        [3.1415927]
    """
    return jnp.deg2rad(to_float(as_array("deg2rad", "x", x)))


@op
@documented_by(deg2rad)
def rad2deg(x: Array) -> Array:
    """Elementwise radians to degrees.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.rad2deg(ms.Tensor([3.1415927])))
        [180.]
    """
    return jnp.rad2deg(to_float(as_array("rad2deg", "x", x)))
