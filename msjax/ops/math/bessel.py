"""Bessel functions of orders 0 and 1, elementwise.

I and its scaled form are JAX's. J, Y and K are sums of Chebyshev polynomials, whose coefficients are computed once, in
float64, from the values that SciPy gives at Chebyshev's points; the split into ranges is Cephes' (S. Moshier, Methods and
Programs for Mathematical Functions, 1989). Derivatives follow DLMF 10.6 and 10.29, so that every order of them exists.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special as exact
from jax import Array, lax
from jax.scipy import special
from numpy.polynomial import chebyshev

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array

_SPLIT = 8.0  # J and Y: a series in x^2 up to here, modulus and phase beyond
_DEGREE = 28


def _fit(fn: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> np.ndarray:
    """Coefficients of fn on [low, high], highest first."""
    middle, half = (low + high) / 2, (high - low) / 2
    sampled: Any = lambda t: fn(middle + half * t)  # noqa: E731
    return chebyshev.chebinterpolate(sampled, _DEGREE)[::-1]


def _series(coefficients: np.ndarray, x: Array, low: float, high: float) -> Array:
    """Return the sum of Chebyshev polynomials on [low, high], by Clenshaw's recurrence."""
    t = (x - (low + high) / 2) * (2 / (high - low))
    needed = np.abs(coefficients) > jnp.finfo(x.dtype).eps * np.abs(coefficients).max() / 16
    terms = jnp.asarray(coefficients[np.argmax(needed) :].astype(x.dtype))

    def step(state: tuple[Array, Array], c: Array) -> tuple[tuple[Array, Array], None]:
        one, two = state
        return (2 * t * one - two + c, one), None

    zero = jnp.zeros_like(x)
    (one, two), _ = lax.scan(step, (zero, zero), terms[:-1])
    return t * one - two + terms[-1]


@functools.cache
def _tables(order: int) -> dict[str, np.ndarray]:
    """Coefficients for one order: smooth factors that are left when powers, logarithms and waves are taken out."""
    j, y = (exact.j0, exact.y0) if order == 0 else (exact.j1, exact.y1)
    i, k, scaled = (exact.i0, exact.k0, exact.k0e) if order == 0 else (exact.i1, exact.k1, exact.k1e)
    angle = np.pi / 4 * (1 + 2 * order)

    def pole(x: np.ndarray) -> np.ndarray:
        return order / x

    def wave(u: np.ndarray, cosine: bool) -> np.ndarray:  # u = (8 / x)^2
        x = _SPLIT / np.sqrt(u)
        a, b, scale = np.cos(x - angle), np.sin(x - angle), np.sqrt(np.pi * x / 2)
        return scale * (j(x) * a + y(x) * b) if cosine else scale * x * (y(x) * a - j(x) * b)

    def even(fn: Callable) -> Callable:  # of x^2, less the factor x of order 1
        return lambda u: fn(np.sqrt(u)) / np.sqrt(u) ** order

    return {
        "j": _fit(even(j), 0, _SPLIT**2),
        "y": _fit(even(lambda x: y(x) - 2 / np.pi * (np.log(x / 2) * j(x) - pole(x))), 0, _SPLIT**2),
        "p": _fit(functools.partial(wave, cosine=True), 0, 1),
        "q": _fit(functools.partial(wave, cosine=False), 0, 1),
        "k": _fit(even(lambda x: k(x) - (-1) ** (order + 1) * np.log(x / 2) * i(x) - pole(x)), 0, 4),
        "far": _fit(lambda t: np.sqrt(2 / t) * scaled(2 / t), 0, 1),
    }


def _waves(order: int, x: Array) -> tuple[Array, Array]:
    """J and Y beyond the split: sqrt(2 / (pi x)) times (P cos - Q sin) and (P sin + Q cos) of x - angle."""
    tables, u = _tables(order), (_SPLIT / x) ** 2
    p, q = _series(tables["p"], u, 0, 1), _series(tables["q"], u, 0, 1) / x
    s, c = jnp.sin(x), jnp.cos(x)
    cosine, sine = (
        ((c + s), (s - c)) if order == 0 else ((s - c), -(s + c))
    )  # sqrt(2) times those of x - angle
    scale = 1 / jnp.sqrt(np.float64(np.pi).astype(x.dtype) * x)
    end, zero = jnp.isinf(x), jnp.zeros_like(x)  # where sine and cosine are nan
    j, y = scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)
    return jnp.where(end, zero, j), jnp.where(end, zero, y)


def _first_kind(order: int, x: Array) -> Array:
    size = jnp.abs(x)
    small = size <= _SPLIT
    near = jnp.where(small, size, jnp.ones_like(size))
    series = _series(_tables(order)["j"], near * near, 0, _SPLIT**2) * near**order
    found = jnp.where(
        small, series, _waves(order, jnp.where(small, jnp.full_like(size, 2 * _SPLIT), size))[0]
    )
    return found if order == 0 else jnp.where(x < 0, -found, found)


def _second_kind(order: int, x: Array) -> Array:
    small = x <= _SPLIT
    near = jnp.where(small & (x > 0), x, jnp.ones_like(x))
    logarithm = jnp.log(near / 2) * _first_kind(order, near) - order / near
    series = _series(_tables(order)["y"], near * near, 0, _SPLIT**2) * near**order
    found = jnp.where(
        small,
        series + logarithm * float(2 / np.pi),
        _waves(order, jnp.where(small, jnp.full_like(x, 2 * _SPLIT), x))[1],
    )
    return _from_zero(x, found, -jnp.inf)


def _from_zero(x: Array, found: Array, pole: float) -> Array:
    """Replace the result by the limit at the pole for x <= 0, as MindSpore does."""
    found = jnp.where(x <= 0, jnp.full_like(x, pole), found)
    return jnp.where(jnp.isnan(x), x, found)


def _third_kind(order: int, x: Array, scaled: bool) -> Array:
    small = x <= 2
    near = jnp.where(small & (x > 0), x, jnp.ones_like(x))
    far = jnp.where(small | jnp.isnan(x), jnp.full_like(x, 2), x)
    series = _series(_tables(order)["k"], near * near, 0, 4) * near**order
    logarithm = jnp.log(near / 2) * (-special.i0(near) if order == 0 else special.i1(near))
    below = series + logarithm + order / near
    beyond = _series(_tables(order)["far"], 2 / far, 0, 1) / jnp.sqrt(far)
    found = (
        jnp.where(small, below * jnp.exp(near), beyond)
        if scaled
        else jnp.where(small, below, beyond * jnp.exp(-far))
    )
    return _from_zero(x, found, jnp.inf)


def _over(y: Array, x: Array) -> Array:
    """y / x, and its limit 1/2 at 0 (of J1)."""
    zero = x == 0
    return jnp.where(zero, jnp.full_like(x, 0.5), y / jnp.where(zero, jnp.ones_like(x), x))


def _smooth(value: Callable[[Array], Array], slope: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return a function with its derivative, given as a function of the same kind."""
    fn = jax.custom_jvp(value)
    fn.defjvps(lambda change, _, x: slope(x) * change)
    return fn


_j0 = _smooth(lambda x: _first_kind(0, x), lambda x: -_j1(x))
_j1 = _smooth(lambda x: _first_kind(1, x), lambda x: _j0(x) - _over(_j1(x), x))
_y0 = _smooth(lambda x: _second_kind(0, x), lambda x: -_y1(x))
_y1 = _smooth(lambda x: _second_kind(1, x), lambda x: _y0(x) - _y1(x) / x)
_k0 = _smooth(lambda x: _third_kind(0, x, False), lambda x: -_k1(x))
_k1 = _smooth(lambda x: _third_kind(1, x, False), lambda x: -_k0(x) - _k1(x) / x)
_k0e = _smooth(lambda x: _third_kind(0, x, True), lambda x: _k0e(x) - _k1e(x))
_k1e = _smooth(lambda x: _third_kind(1, x, True), lambda x: _k1e(x) - _k0e(x) - _k1e(x) / x)


_TEXT = """Elementwise {what}.

    Args:
        x (Tensor): floating.

    Returns:
        Tensor of `x`'s shape and dtype{where}.

    Raises:
        TypeError: if `x` is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(f"{{float(ms.ops.{name}(ms.Tensor(2.0))):.4f}}")
        {value}
    """


def _bessel_operator(name: str, fn: Callable[[Array], Array], what: str, value: str) -> Any:
    """Return the operator of one function, with its text."""

    def bessel(x: Array) -> Array:
        given = as_array(name, "x", x)
        checks.check_floating(name, x=given)
        return checks.apply_in_compute_dtype(fn, given)

    bessel.__name__ = bessel.__qualname__ = name
    where = "; infinite up to 0" if name[7] in "yk" else ""
    bessel.__doc__ = _TEXT.format(what=what, where=where, name=name, value=value)
    return op(bessel)


_I, _J, _K, _Y = (
    "the modified Bessel function of the first kind",
    "the Bessel function of the first kind",
    "the modified Bessel function of the second kind",
    "the Bessel function of the second kind",
)


@jax.custom_jvp
def _i0(x: Array) -> Array:
    return special.i0(x)


@_i0.defjvp
def _i0_jvp(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    # JAX's own is exp(|x|) times another function, and at 0, where |x| has none, its derivative is 1.
    (x,), (t,) = primals, tangents
    return _i0(x), t * _i1(x)


@jax.custom_jvp
def _i1(x: Array) -> Array:
    return special.i1(x)


@_i1.defjvp
def _i1_jvp(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    (x,), (t,) = primals, tangents
    y, zero = _i1(x), x == 0
    ratio = jnp.where(zero, jnp.full_like(x, 0.5), y / jnp.where(zero, jnp.ones_like(x), x))
    return y, t * (_i0(x) - ratio)


bessel_i0 = _bessel_operator("bessel_i0", _i0, f"{_I} and order 0 (DLMF 10.25)", "2.2796")
bessel_i1 = _bessel_operator("bessel_i1", _i1, f"{_I} and order 1 (DLMF 10.25)", "1.5906")
bessel_i0e = _bessel_operator("bessel_i0e", special.i0e, f"{_I} and order 0, times exp(-|x|)", "0.3085")
bessel_i1e = _bessel_operator("bessel_i1e", special.i1e, f"{_I} and order 1, times exp(-|x|)", "0.2153")
bessel_j0 = _bessel_operator("bessel_j0", _j0, f"{_J} and order 0 (DLMF 10.2)", "0.2239")
bessel_j1 = _bessel_operator("bessel_j1", _j1, f"{_J} and order 1 (DLMF 10.2)", "0.5767")
bessel_k0 = _bessel_operator("bessel_k0", _k0, f"{_K} and order 0 (DLMF 10.25)", "0.1139")
bessel_k1 = _bessel_operator("bessel_k1", _k1, f"{_K} and order 1 (DLMF 10.25)", "0.1399")
bessel_k0e = _bessel_operator("bessel_k0e", _k0e, f"{_K} and order 0, times exp(x)", "0.8416")
bessel_k1e = _bessel_operator("bessel_k1e", _k1e, f"{_K} and order 1, times exp(x)", "1.0335")
bessel_y0 = _bessel_operator("bessel_y0", _y0, f"{_Y} and order 0 (DLMF 10.2)", "0.5104")
bessel_y1 = _bessel_operator("bessel_y1", _y1, f"{_Y} and order 1 (DLMF 10.2)", "-0.1070")


@op
def i0(input: Array) -> Array:
    """Elementwise modified Bessel function of the first kind and order 0.

    Args:
        input (Tensor): floating.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `input` is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(f"{float(ms.ops.i0(ms.Tensor(2.0))):.4f}")
        2.2796
    """
    x = as_array("i0", "input", input)
    checks.check_floating("i0", input=x)
    return checks.apply_in_compute_dtype(_i0, x)
