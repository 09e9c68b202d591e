"""Polynomials, given by their coefficients, that of the highest power first."""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike
from msjax.numpy.array_function import define_function, promote_arrays
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import to_float


def _vector(fn: str, name: str, x: Array) -> Array:
    if x.ndim > 1:
        checks.fail(ValueError, fn, name, "have one dimension", f"array of shape {x.shape}")
    return jnp.atleast_1d(x)


def _pad_to_one_size(fn: str, a1: Array, a2: Array) -> list[Array]:
    a1, a2 = promote_arrays(fn, _vector(fn, "a1", a1), _vector(fn, "a2", a2))
    size = max(a1.size, a2.size)
    return [jnp.pad(a, (size - a.size, 0)) for a in (a1, a2)]


@define_function
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Sum of two polynomials.

    Args:
        a1 (Tensor, number, list, tuple): coefficients of the first.
        a2 (Tensor, number, list, tuple): coefficients of the second.

    Returns:
        Tensor: coefficients of the sum.

    Raises:
        ValueError: if an argument has more than one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.polyadd([1, 2], [9, 5, 4]))
        [9 6 6]
    """
    return jnp.add(*_pad_to_one_size("polyadd", a1, a2))


@define_function
@documented_by(polyadd)
def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Difference of two polynomials, a1 - a2.

    Returns:
        Tensor: coefficients of the difference.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.polysub([2, 10], [9, 5, 4]))
        [-9 -3  6]
    """
    return jnp.subtract(*_pad_to_one_size("polysub", a1, a2))


@define_function
@documented_by(polyadd)
def polymul(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Product of two polynomials.

    Returns:
        Tensor: coefficients of the product.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.polymul([3, 1, 2], [2, 5]))
        [ 6 17  9 10]
    """
    return convolve_arrays(
        *promote_arrays("polymul", _vector("polymul", "a1", a1), _vector("polymul", "a2", a2))
    )


def convolve_arrays(a: Array, v: Array, mode: str = "full") -> Array:
    """Discrete convolution of two vectors of one dtype."""
    whole = jnp.promote_types(a.dtype, np.int32) if not jnp.issubdtype(a.dtype, jnp.inexact) else a.dtype
    return jnp.convolve(a.astype(whole), v.astype(whole), mode, precision=lax.Precision.HIGHEST).astype(
        a.dtype
    )


@define_function
def polyval(p: ArrayLike, x: ArrayLike) -> Array:
    """Values of a polynomial, by Horner's scheme.

    Args:
        p (Tensor, list, tuple): coefficients.
        x (Tensor, number, list, tuple): where, of any shape.

    Returns:
        Tensor of the shape of `x`, of a floating dtype of at least 32 bits.

    Raises:
        ValueError: if `p` has more than one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.polyval([3.0, 0.0, 1.0], 5.0))
        76.0
    """
    p, x = promote_arrays("polyval", to_float(_vector("polyval", "p", p)), to_float(x))
    wide = x.dtype if x.dtype.itemsize >= 4 else np.float32
    return jnp.polyval(p.astype(wide), x.astype(wide))


@define_function(static="m")
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """Derivative of a polynomial.

    Args:
        p (Tensor, list, tuple): coefficients.
        m (int): how often to differentiate.

    Returns:
        Tensor: coefficients; none of them if nothing is left.

    Raises:
        TypeError: if `m` is not an int.
        ValueError: if `m` is negative or `p` has more than one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.polyder([1, 1, 1, 1]))
        [3 2 1]
    """
    p = _vector("polyder", "p", p)
    checks.check_ints("polyder", m=m)
    if m < 0:
        checks.fail(ValueError, "polyder", "m", "be at least 0", m)
    if m >= p.size:
        return jnp.zeros((0,), np.float32)
    for _ in range(m):
        p = p[:-1] * jnp.arange(p.size - 1, 0, -1).astype(p.dtype)
    return p


@define_function(static="m")
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Array:
    """Antiderivative of a polynomial.

    Args:
        p (Tensor, list, tuple): coefficients.
        m (int): how often to integrate.
        k (number, list, Tensor, None): the m constants, in the order of integration; one number counts for all.

    Returns:
        Tensor: coefficients, of a floating dtype.

    Raises:
        TypeError: if `m` is not an int.
        ValueError: if `m` is negative, `p` has more than one dimension, or there are not m constants.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.polyint([1, 1, 1]))
        [0.33333334 0.5        1.         0.        ]
    """
    p = to_float(_vector("polyint", "p", p))
    checks.check_ints("polyint", m=m)
    if m < 0:
        checks.fail(ValueError, "polyint", "m", "be at least 0", m)
    constants = jnp.zeros((m,), p.dtype) if k is None else _vector("polyint", "k", k).astype(p.dtype)
    if constants.size not in (1, m):
        checks.fail(ValueError, "polyint", "k", f"hold 1 or {m} constants", f"{constants.size} of them")
    constants = jnp.broadcast_to(constants, (m,))
    for i in range(m):
        p = jnp.concatenate([p / jnp.arange(p.size, 0, -1).astype(p.dtype), constants[i : i + 1]])
    return p
