"""Exponentials, logarithms, roots and the error function, elementwise.

Integers and bools are taken as float32. 16-bit floats are computed as XLA computes them, in float32, and rounded.
"""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax
from jax.scipy import special

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.function_families import define_like
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


_float = define_like(exp, lambda name, input: to_float(as_array(name, "input", input)))
# fmt: off
exp2 = _float("exp2", jnp.exp2, "Elementwise 2 to the power of input.", "ms.Tensor([0.0, 3.0])", "[1. 8.]")
expm1 = _float("expm1", jnp.expm1,
    "Elementwise exp(input) - 1, exact near 0.", "ms.Tensor([0.0, 1e-8])", "[0.e+00 1.e-08]")
log = _float("log", jnp.log,
    "Elementwise natural logarithm: nan below 0.", "ms.Tensor([1.0, 0.0])", "[  0. -inf]")
log2 = _float("log2", jnp.log2, "Elementwise logarithm to the base 2.", "ms.Tensor([1.0, 8.0])", "[0. 3.]")
log10 = _float("log10", jnp.log10,
    "Elementwise logarithm to the base 10.", "ms.Tensor([1.0, 100.0])", "[0. 2.]")
log1p = _float("log1p", jnp.log1p,
    "Elementwise log(1 + input), exact near 0.", "ms.Tensor([0.0, 1e-8])", "[0.e+00 1.e-08]")
# fmt: on


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


# fmt: off
rsqrt = _float("rsqrt", lax.rsqrt, "Elementwise 1 / sqrt(input).", "ms.Tensor([1.0, 4.0])", "[1.  0.5]")
# fmt: on


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


_real_function = define_like(erf, _real)
# fmt: off
erfc = _real_function("erfc", special.erfc,
    "Elementwise 1 - erf(input), exact where that is small.", "ms.Tensor([0.0, -10.0])", "[1. 2.]")
erfinv = _real_function("erfinv", lax.erf_inv,
    "Elementwise inverse of the error function: infinite at -1 and 1, nan beyond.",
    "ms.Tensor([0.0, 0.5])", "[0.         0.47693628]")
# fmt: on
