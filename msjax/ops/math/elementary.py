"""Exponentials, logarithms, roots and the error function, elementwise.

Integers and bools are taken as float32. 16-bit floats are computed as XLA computes them, in float32, and rounded.
"""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax
from jax.scipy import special

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, to_float


@op
def exp(input: Array) -> Array:
    """Elementwise e to the power of input.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of `input`'s shape and dtype; integers and bools become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.exp(ms.Tensor([0.0, 1.0])))
        [1.        2.7182817]
    """
    return jnp.exp(to_float(as_array("exp", "input", input)))


@op
@documented_by(exp)
def exp2(input: Array) -> Array:
    """Elementwise 2 to the power of input.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.exp2(ms.Tensor([0.0, 3.0])))
        [1. 8.]
    """
    return jnp.exp2(to_float(as_array("exp2", "input", input)))


@op
@documented_by(exp)
def expm1(input: Array) -> Array:
    """Elementwise exp(input) - 1, exact near 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.expm1(ms.Tensor([0.0, 1e-8])))
        [0.e+00 1.e-08]
    """
    return jnp.expm1(to_float(as_array("expm1", "input", input)))


@op
@documented_by(exp)
def log(input: Array) -> Array:
    """Elementwise natural logarithm: nan below 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.log(ms.Tensor([1.0, 0.0])))
        [  0. -inf]
    """
    return jnp.log(to_float(as_array("log", "input", input)))


@op
@documented_by(exp)
def log2(input: Array) -> Array:
    """Elementwise logarithm to the base 2.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.log2(ms.Tensor([1.0, 8.0])))
        [0. 3.]
    """
    return jnp.log2(to_float(as_array("log2", "input", input)))


@op
@documented_by(exp)
def log10(input: Array) -> Array:
    """Elementwise logarithm to the base 10.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.log10(ms.Tensor([1.0, 100.0])))
        [0. 2.]
    """
    return jnp.log10(to_float(as_array("log10", "input", input)))


@op
@documented_by(exp)
def log1p(input: Array) -> Array:
    """Elementwise log(1 + input), exact near 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.log1p(ms.Tensor([0.0, 1e-8])))
        [0.e+00 1.e-08]
    """
    return jnp.log1p(to_float(as_array("log1p", "input", input)))


@op
def sqrt(x: Array) -> Array:
    """Elementwise square root: nan below 0.

    Args:
        x (Tensor): of any shape and dtype.

    Returns:
        Tensor of `x`'s shape and dtype; integers and bools become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sqrt(ms.Tensor([1.0, 4.0])))
        [1. 2.]
    """
    return jnp.sqrt(to_float(as_array("sqrt", "x", x)))


@op
@documented_by(exp)
def rsqrt(input: Array) -> Array:
    """Elementwise 1 / sqrt(input).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.rsqrt(ms.Tensor([1.0, 4.0])))
        [1.  0.5]
    """
    return lax.rsqrt(to_float(as_array("rsqrt", "input", input)))


def _real(name: str, x: Any) -> Array:
    """Return a real array, integers as float32."""
    x = to_float(as_array(name, "input", x))
    checks.check_floating(name, input=x)
    return x


@op
def erf(input: Array) -> Array:
    """Elementwise error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input.

    Args:
        input (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `input`'s shape and dtype; integers and bools become float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.erf(ms.Tensor([0.0, 10.0])))
        [0. 1.]
    """
    return special.erf(_real("erf", input))


@op
@documented_by(erf)
def erfc(input: Array) -> Array:
    """Elementwise 1 - erf(input), exact where that is small.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.erfc(ms.Tensor([0.0, -10.0])))
        [1. 2.]
    """
    return special.erfc(_real("erfc", input))


@op
@documented_by(erf)
def erfinv(input: Array) -> Array:
    """Elementwise inverse of the error function: infinite at -1 and 1, nan beyond.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.erfinv(ms.Tensor([0.0, 0.5])))
        [0.         0.47693628]
    """
    return lax.erf_inv(_real("erfinv", input))
