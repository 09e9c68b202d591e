"""Trigonometric and hyperbolic functions, and angles in degrees.

MindSpore computes them in float16 for bool, int8 and uint8, in float32 for other integers.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.numpy.array_function import define_elementwise, promote_arrays
from msjax.ops.common import checks
from msjax.ops.common.promotion import to_float

_SMALL = (np.bool_, np.int8, np.uint8)


def _angle(fn: str, x: Array) -> Array:
    if jnp.iscomplexobj(x):
        checks.fail(TypeError, fn, "x", "be real", f"array of dtype {x.dtype}")
    return x.astype(np.float16) if x.dtype in _SMALL else to_float(x)


def _times(x: Array, factor: float) -> Array:
    x = to_float(x)
    return x * jnp.asarray(factor, x.dtype)


@define_elementwise
def sin(x: Array) -> Array:
    """Sines of angles in radians.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.sin(ms.Tensor([0.0, 1.0])))
        [0.         0.84147096]
    """
    return jnp.sin(_angle("sin", x))


@define_elementwise
def cos(x: Array) -> Array:
    """Cosines of angles in radians.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cos(ms.Tensor([0.0, 1.0])))
        [1.        0.5403023]
    """
    return jnp.cos(_angle("cos", x))


@define_elementwise
def tan(x: Array) -> Array:
    """Tangents of angles in radians.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.tan(ms.Tensor([0.0, 1.0])))
        [0.        1.5574077]
    """
    return jnp.tan(_angle("tan", x))


@define_elementwise
def arcsin(x: Array) -> Array:
    """Return the angles in [-pi/2, pi/2] that have these sines.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arcsin(ms.Tensor([0.0, 1.0])))
        [0.        1.5707964]
    """
    return jnp.arcsin(_angle("arcsin", x))


@define_elementwise
def arctan(x: Array) -> Array:
    """Return the angles in [-pi/2, pi/2] that have these tangents.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arctan(ms.Tensor([0.0, 4.0])))
        [0.        1.3258177]
    """
    return jnp.arctan(_angle("arctan", x))


@define_elementwise
def sinh(x: Array) -> Array:
    """Hyperbolic sines, (e^x - e^-x) / 2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.sinh(ms.Tensor([0.0, 1.0])))
        [0.        1.1752012]
    """
    return jnp.sinh(_angle("sinh", x))


@define_elementwise
def cosh(x: Array) -> Array:
    """Hyperbolic cosines, (e^x + e^-x) / 2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cosh(ms.Tensor([0.0, 1.0])))
        [1.        1.5430806]
    """
    return jnp.cosh(_angle("cosh", x))


@define_elementwise
def tanh(x: Array) -> Array:
    """Hyperbolic tangents.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.tanh(ms.Tensor([0.0, 1.0])))
        [0.        0.7615942]
    """
    return jnp.tanh(_angle("tanh", x))


@define_elementwise
def arcsinh(x: Array) -> Array:
    """Return the numbers that have these hyperbolic sines.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arcsinh(ms.Tensor([0.0, 1.0])))
        [0.         0.88137364]
    """
    return jnp.arcsinh(_angle("arcsinh", x))


@define_elementwise
def arccosh(x: Array) -> Array:
    """Return the numbers >= 0 that have these hyperbolic cosines.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arccosh(ms.Tensor([1.0, 2.0])))
        [0.       1.316958]
    """
    return jnp.arccosh(_angle("arccosh", x))


@define_elementwise
def arctanh(x: Array) -> Array:
    """Return the numbers that have these hyperbolic tangents.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arctanh(ms.Tensor([0.0, 0.5])))
        [0.         0.54930615]
    """
    return jnp.arctanh(_angle("arctanh", x))


@define_elementwise
def arccos(input: Array) -> Array:
    """Return the angles in [0, pi] that have these cosines.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arccos(ms.Tensor([1.0, 0.0])))
        [0.        1.5707964]
    """
    return jnp.arccos(_angle("arccos", input))


@define_elementwise
def arctan2(x1: Array, x2: Array) -> Array:
    """Return the angles in [-pi, pi] of the points (x2, x1), counted from the first axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arctan2(ms.Tensor([1.0, -1.0]), ms.Tensor([1.0, 1.0])))
        [ 0.7853982 -0.7853982]
    """
    checks.check_broadcastable("arctan2", x1=x1, x2=x2)
    return jnp.arctan2(*promote_arrays("arctan2", _angle("arctan2", x1), _angle("arctan2", x2)))


@define_elementwise
def deg2rad(x: Array) -> Array:
    """Angles in degrees, in radians.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.deg2rad(ms.Tensor([0.0, 180.0])))
        [0.        3.1415927]
    """
    return _times(x, math.pi / 180)


@define_elementwise
def radians(x: Array) -> Array:
    """Angles in degrees, in radians (another name of `deg2rad`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.radians(ms.Tensor([0.0, 180.0])))
        [0.        3.1415927]
    """
    return _times(x, math.pi / 180)


@define_elementwise
def rad2deg(x: Array) -> Array:
    """Angles in radians, in degrees.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.rad2deg(ms.Tensor([0.0, 3.1415927])))
        [  0. 180.]
    """
    return _times(x, 180 / math.pi)
