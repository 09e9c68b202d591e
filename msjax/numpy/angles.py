"""Trigonometric and hyperbolic functions, and angles in degrees.

MindSpore computes them in float16 for bool, int8 and uint8, in float32 for other integers.
"""

import functools
import math

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.numpy.array_function import as_given, define_elementwise, elementwise_family, promote_arrays
from msjax.ops.common import checks
from msjax.ops.common.promotion import to_float
from msjax.ops.math import trigonometric

_SMALL = (np.bool_, np.int8, np.uint8)


def _real(fn: str, x: Array) -> Array:
    if jnp.iscomplexobj(x):
        checks.fail(TypeError, fn, "x", "be real", f"array of dtype {x.dtype}")
    return x.astype(np.float16) if x.dtype in _SMALL else to_float(x)


def _multiply(factor: float, x: Array) -> Array:
    x = to_float(x)
    return x * jnp.asarray(factor, x.dtype)


_to_radians = functools.partial(_multiply, math.pi / 180)
_to_degrees = functools.partial(_multiply, 180 / math.pi)
_any = elementwise_family(__name__, as_given, "x")
_angle = elementwise_family(__name__, _real, "x")


@define_elementwise
def arctan2(x1: Array, x2: Array) -> Array:
    """Return the angles in [-pi, pi] of the points (x2, x1), counted from the first axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arctan2(ms.Tensor([1.0, -1.0]), ms.Tensor([1.0, 1.0])))
        [ 0.7853982 -0.7853982]
    """
    checks.check_broadcastable("arctan2", x1=x1, x2=x2)
    return jnp.arctan2(*promote_arrays("arctan2", _real("arctan2", x1), _real("arctan2", x2)))


# fmt: off
sin = _angle("sin", jnp.sin, "Sines of angles in radians.", "ms.Tensor([0.0, 1.0])", "[0.         0.84147096]")
cos = _angle("cos", jnp.cos, "Cosines of angles in radians.", "ms.Tensor([0.0, 1.0])", "[1.        0.5403023]")
tan = _angle("tan", jnp.tan, "Tangents of angles in radians.", "ms.Tensor([0.0, 1.0])", "[0.        1.5574077]")
arcsin = _angle("arcsin", jnp.arcsin,
    "Return the angles in [-pi/2, pi/2] that have these sines.", "ms.Tensor([0.0, 1.0])", "[0.        1.5707964]")
arctan = _angle("arctan", jnp.arctan,
    "Return the angles in [-pi/2, pi/2] that have these tangents.", "ms.Tensor([0.0, 4.0])", "[0.        1.3258177]")
sinh = _angle("sinh", jnp.sinh, "Hyperbolic sines, (e^x - e^-x) / 2.", "ms.Tensor([0.0, 1.0])", "[0.        1.1752012]")
cosh = _angle("cosh", jnp.cosh, "Hyperbolic cosines, (e^x + e^-x) / 2.", "ms.Tensor([0.0, 1.0])", "[1.        1.5430806]")
tanh = _angle("tanh", jnp.tanh, "Hyperbolic tangents.", "ms.Tensor([0.0, 1.0])", "[0.        0.7615942]")
arcsinh = _angle("arcsinh", jnp.arcsinh,
    "Return the numbers that have these hyperbolic sines.", "ms.Tensor([0.0, 1.0])", "[0.         0.88137364]")
arccosh = _angle("arccosh", trigonometric.acosh.pure,
    "Return the numbers >= 0 that have these hyperbolic cosines.", "ms.Tensor([1.0, 2.0])", "[0.       1.316958]")
arctanh = _angle("arctanh", jnp.arctanh,
    "Return the numbers that have these hyperbolic tangents.", "ms.Tensor([0.0, 0.5])", "[0.         0.54930615]")
arccos = _angle("arccos", jnp.arccos,
    "Return the angles in [0, pi] that have these cosines.", "ms.Tensor([1.0, 0.0])", "[0.        1.5707964]", names="input")
deg2rad = _any("deg2rad", _to_radians, "Angles in degrees, in radians.", "ms.Tensor([0.0, 180.0])", "[0.        3.1415927]")
radians = _any("radians", _to_radians,
    "Angles in degrees, in radians (another name of `deg2rad`).", "ms.Tensor([0.0, 180.0])", "[0.        3.1415927]")
rad2deg = _any("rad2deg", _to_degrees, "Angles in radians, in degrees.", "ms.Tensor([0.0, 3.1415927])", "[  0. 180.]")
# fmt: on
