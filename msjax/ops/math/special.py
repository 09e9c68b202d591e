"""Gamma functions (lgamma, digamma, polygamma, igamma ...) and log-sum-exp, elementwise.

16-bit floats are computed in float32 and rounded once. Formulas: NIST Digital Library of Mathematical Functions.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.scipy import special

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks, safe_math
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_int64_tensor, promote_and_broadcast, to_float


def _floats(op_name: str, **arrays: Any) -> list[Array]:
    """Real floating arrays of one dtype, whose shapes broadcast."""
    given = {name: as_array(op_name, name, x) for name, x in arrays.items()}
    checks.check_floating(op_name, **given)
    checks.check_same_dtype(op_name, **given)
    return promote_and_broadcast(op_name, **given)


def _in_wide(fn: Callable[..., Array], *arrays: Array) -> Array:
    """fn over arrays of one dtype and broadcast shapes, computed in at least float32."""
    kind = arrays[0].dtype
    wide = checks.compute_dtype(kind)
    return fn(*jnp.broadcast_arrays(*[x.astype(wide) for x in arrays])).astype(kind)


@op
def digamma(input: Array) -> Array:
    """Elementwise digamma function, the derivative of `lgamma` (DLMF 5.2.2).

    Args:
        input (Tensor): floating.

    Returns:
        Tensor of `input`'s shape and dtype; nan at the negative integers, -inf at 0.

    Raises:
        TypeError: if `input` is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.digamma(ms.Tensor([1.0, 2.0])).round(2))
        [-0.58  0.42]
    """
    (x,) = _floats("digamma", input=input)
    return _in_wide(_digamma, x)


def _digamma_at(x: Array) -> Array:
    pole = (x < 0) & (jnp.floor(x) == x)  # -inf from jax 0.12 on
    return jnp.where(x == 0, -1 / x, jnp.where(pole, jnp.nan, _of_negative(special.digamma, -1, x)))


def _slope_of_digamma(t: Array, _: Array, x: Array) -> Array:
    pole = (x <= 0) & (jnp.floor(x) == x)
    inside = jnp.where(pole, jnp.ones_like(x), x)
    return t * jnp.where(pole, jnp.inf, _polygamma(jnp.ones_like(x), inside))


_digamma = safe_math.with_slopes(_digamma_at, _slope_of_digamma)
_lgamma = safe_math.with_slopes(lax.lgamma, lambda t, _, x: t * _digamma(x))


@op
def lgamma(input: Array) -> Array:
    """Elementwise logarithm of the modulus of the gamma function (DLMF 5.2.1).

    Args:
        input (Tensor): of any real dtype; integers are taken as float32.

    Returns:
        Tensor of `input`'s shape; inf at 0 and the negative integers.

    Raises:
        TypeError: if `input` is complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lgamma(ms.Tensor([1.0, 3.0])).round(4))
        [0.     0.6931]
    """
    (x,) = _floats("lgamma", input=to_float(as_array("lgamma", "input", input)))
    return _in_wide(_lgamma, x)


@op(promotes=True)
def _of_order(n: ArrayLike, input: ArrayLike) -> Array:
    order, x = as_array("polygamma", "n", n), as_array("polygamma", "input", input)
    checks.check_rank("polygamma", 0, n=order)
    checks.check_integer("polygamma", n=order)
    checks.check_floating("polygamma", input=x)
    order, x = promote_and_broadcast("polygamma", n=order.astype(x.dtype), input=x)
    return _in_wide(_polygamma, order, x)


def polygamma(n: Any, input: Any) -> Any:
    """Elementwise derivative of order n of `digamma` (DLMF 5.15).

    Args:
        n (Tensor, int): order, at least 0, without dimensions.
        input (Tensor): floating.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `n` is not an integer, or `input` is not floating.
        ValueError: if `n` has dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.polygamma(ms.Tensor(1), ms.Tensor([1.0, 2.0])).round(2))
        [1.64 0.64]
    """
    return _of_order(as_int64_tensor(n), input)


def _of_negative(positive: Callable[[Array], Array], sign: Array | int, x: Array) -> Array:
    """A function defined by sum over k of f(x + k), f even (sign 1) or odd (-1), from what is right for positive numbers.

    The sum over all whole k has period 1; what negative x lack of it is the same sum at 1 - x. jax's zeta, which its
    polygamma and the derivative of its digamma stand on, adds a fixed number of terms and is wrong below -9.
    """
    below = x < 0
    part = jnp.where(below, x - jnp.floor(x), 0.5)
    above = positive(jnp.where(below, 1 - x, x))
    return jnp.where(below, positive(part) + sign * (positive(1 - part) - above), above)


@jax.custom_jvp
def _polygamma(order: Array, x: Array) -> Array:
    zero, odd = order == 0, order % 2 == 1  # jax's own gives nan for order 0
    higher = jnp.where(zero, jnp.ones_like(order), order)
    found = _of_negative(lambda x: lax.polygamma(*jnp.broadcast_arrays(higher, x)), 2 * (higher % 2) - 1, x)
    pole = (x <= 0) & (jnp.floor(x) == x)
    limit = jnp.where(odd, jnp.asarray(jnp.inf, x.dtype), -jnp.inf)
    found = jnp.where(pole, limit, jnp.where(jnp.isposinf(x), 0, found)).astype(x.dtype)
    return jnp.where(zero, _digamma(x), found)


@_polygamma.defjvp
def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    order, x = primals
    return _polygamma(order, x), tangents[1] * _polygamma(order + 1, x)


@op(static="p")
def mvlgamma(input: Array, p: int) -> Array:
    """Elementwise logarithm of the multivariate gamma function of dimension p (DLMF 35.3.4).

    Args:
        input (Tensor): floating, greater than (p - 1) / 2.
        p (int): dimension, at least 1.

    Returns:
        Tensor of `input`'s shape and dtype. Where `input` is too small it is nan; MindSpore raises there.

    Raises:
        TypeError: if `input` is not floating.
        ValueError: if `p` is not at least 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.mvlgamma(ms.Tensor([3.0, 4.0]), 2).round(4))
        [1.5502 3.5651]
    """
    (x,) = _floats("mvlgamma", input=input)
    if type(p) is not int or p < 1:
        checks.fail(ValueError, "mvlgamma", "p", "be an int of at least 1", repr(p))

    def log_gamma(x: Array) -> Array:
        parts = [lax.lgamma(x - 0.5 * k) for k in range(p)]
        total = functools.reduce(jnp.add, parts) + 0.25 * p * (p - 1) * float(np.log(np.pi))
        return jnp.where(x > 0.5 * (p - 1), total, jnp.full_like(total, jnp.nan))

    return _in_wide(log_gamma, x)


@op
def igamma(input: Array, other: Array) -> Array:
    """Elementwise regularized lower incomplete gamma function P(input, other) (DLMF 8.2.4).

    Args:
        input (Tensor): floating, positive.
        other (Tensor): of the same dtype, not negative, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the same dtype.

    Raises:
        TypeError: if an argument is not floating, or the dtypes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.igamma(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])).round(4))
        [0.6321 0.2642]
    """
    return _in_wide(lax.igamma, *_floats("igamma", input=input, other=other))


@op
@documented_by(igamma)
def igammac(input: Array, other: Array) -> Array:
    """Elementwise regularized upper incomplete gamma function Q = 1 - P (DLMF 8.2.4).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.igammac(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])).round(2))
        [0.37 0.74]
    """
    return _in_wide(lax.igammac, *_floats("igammac", input=input, other=other))


@op
def zeta(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise Hurwitz zeta function: the sum over k >= 0 of (k + other)^-input (DLMF 25.11.1).

    Args:
        input (Tensor, number): exponent, greater than 1.
        other (Tensor, number): floating; one of both must be a Tensor.

    Returns:
        Tensor of the broadcast shape. It has a derivative in `other` alone.

    Raises:
        TypeError: if an argument is not floating, or the dtypes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.zeta(ms.Tensor([2.0, 4.0]), ms.Tensor([1.0, 1.0])).round(4))
        [1.6449 1.0823]
    """
    return _in_wide(special.zeta, *_floats("zeta", input=input, other=other))


@op
def betainc(a: Array, b: Array, x: Array) -> Array:
    """Elementwise regularized incomplete beta function (DLMF 8.17.2), what `ops.Betainc` computes.

    Its derivatives by `a` and `b` are taken for 0, as in MindSpore.

    Args:
        a (Tensor): floating, positive.
        b (Tensor): of the same dtype and shape, positive.
        x (Tensor): of the same dtype and shape, in [0, 1].

    Returns:
        Tensor of their shape and dtype.

    Raises:
        TypeError: if an argument is not floating, or the dtypes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Betainc()(ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([0.5])).round(4))
        [0.75]
    """
    a, b, x = _floats("Betainc", a=a, b=b, x=x)
    return _in_wide(lax.betainc, lax.stop_gradient(a), lax.stop_gradient(b), x)


def _both(op_name: str, input: Any, other: Any) -> list[Array]:
    given = {"input": as_array(op_name, "input", input), "other": as_array(op_name, "other", other)}
    checks.check_floating(op_name, **given)
    return promote_and_broadcast(op_name, **given)


@op
def logaddexp(input: Array, other: Array) -> Array:
    """Elementwise log(exp(input) + exp(other)), without overflow.

    Args:
        input (Tensor): floating.
        other (Tensor): floating, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        TypeError: if an argument is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logaddexp(ms.Tensor([1000.0]), ms.Tensor([0.0])))
        [1000.]
    """
    return safe_math.log_of_sum(*_both("logaddexp", input, other))


@op
@documented_by(logaddexp)
def logaddexp2(input: Array, other: Array) -> Array:
    """Elementwise log2(2^input + 2^other), without overflow.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logaddexp2(ms.Tensor([3.0, 0.0]), ms.Tensor([3.0, 0.0])))
        [4. 1.]
    """
    return safe_math.log2_of_sum(*_both("logaddexp2", input, other))


@op(promotes=True)
def xdivy(x: ArrayOrNumber, y: ArrayOrNumber) -> Array:
    """Elementwise x / y, and 0 where x is 0, even if y is 0 too.

    Args:
        x (Tensor, number): dividend.
        y (Tensor, number): divisor, of a shape that broadcasts with `x`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        TypeError: if that is not floating or complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.xdivy(ms.Tensor([0.0, 3.0]), ms.Tensor([0.0, 2.0])))
        [0.  1.5]
    """
    a, b = promote_and_broadcast("xdivy", x=x, y=y)
    checks.check_inexact("xdivy", x=a)
    a, b = jnp.broadcast_arrays(a, b)
    zero = a == 0
    return jnp.where(zero, 0, a) / jnp.where(zero, jnp.ones_like(b), b)
