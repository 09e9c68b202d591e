"""`torch.special`: special functions of mathematical physics and statistics."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as jss
import numpy as np
import scipy.special

from msjax import ops
from msjax.core.op.op import op
from msjax.ops.common.name_table import read_table
from msjax.torch.functions import basic, composed, polynomials, served_from_mint
from msjax.torch.functions.basic import log_softmax as log_softmax
from msjax.torch.functions.basic import softmax as softmax
from msjax.torch.tensors.call_conventions import spoken_all
from msjax.torch.tensors.tensor import Tensor, as_torch

FUNCTIONS = read_table("""
mint.special: erfc exp2 expm1 log1p sinc
ops.functional: bessel_j0 bessel_j1 modified_bessel_i0=i0 modified_bessel_i1=bessel_i1 digamma
    psi=digamma erf erfinv i0 i0e=bessel_i0e i1=bessel_i1 i1e=bessel_i1e logit polygamma gammaln=lgamma gammainc=igamma
    gammaincc=igammac multigammaln=mvlgamma expit=sigmoid round logsumexp
""")


@op
def _negated_entropy(x: Any) -> Any:
    return jss.entr(x)


@op
def _ndtr(x: Any) -> Any:
    return jss.ndtr(x)


@op
def _ndtri(x: Any) -> Any:
    return _normal_quantile(x)


@jax.custom_jvp
def _normal_quantile(x: Any) -> Any:
    return jss.ndtri(x)


@_normal_quantile.defjvp
def _normal_quantile_jvp(primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    found = _normal_quantile(*primals)
    return found, tangents[0] * math.sqrt(2 * math.pi) * jnp.exp(found * found / 2)


@op
def _log_ndtr(x: Any) -> Any:
    return jss.log_ndtr(x)


def entr(input: Any) -> Any:
    """-x log(x)."""
    return as_torch(_negated_entropy(input))


def ndtr(input: Any) -> Any:
    """Return the share of the normal distribution below x."""
    return as_torch(_ndtr(input))


def ndtri(input: Any) -> Any:
    """Compute the inverse of :func:`ndtr` (the normal quantile function)."""
    return as_torch(_ndtri(input))


def log_ndtr(input: Any) -> Any:
    """Return the logarithm of :func:`ndtr`."""
    return as_torch(_log_ndtr(input))


def xlog1py(input: Any, other: Any) -> Any:
    """Return x log(1 + y), 0 where x is 0 and y a number."""
    return composed.xlog1py(input, other)


def xlogy(input: Any, other: Any) -> Any:
    """Return x log(y), 0 where x is 0 and y a number."""
    return composed.xlogy(input, other)


@op
def _erfcx(x: Any) -> Any:
    # Where exp(x²) overflows, the asymptotic series of erfc has long converged.
    far = jnp.maximum(x, 9.0)
    r = 1 / (far * far)
    series = (1 - r / 2 * (1 - 1.5 * r * (1 - 2.5 * r * (1 - 3.5 * r)))) / (far * math.sqrt(math.pi))
    near = jnp.minimum(x, 9.0)
    return jnp.where(x > 9, series, jnp.exp(near * near) * jss.erfc(near))


def erfcx(input: Any) -> Any:
    """exp(x²) erfc(x)."""
    return as_torch(_erfcx(basic.as_tensor(input)))


def bessel_y0(input: Any) -> Any:
    """Compute the Bessel function of the second kind and order 0."""
    return _of_positive(ops.bessel_y0, input)


def bessel_y1(input: Any) -> Any:
    """Compute the Bessel function of the second kind and order 1."""
    return _of_positive(ops.bessel_y1, input)


def modified_bessel_k0(input: Any) -> Any:
    """Compute the modified Bessel function of the second kind and order 0."""
    return _of_positive(ops.bessel_k0, input)


def modified_bessel_k1(input: Any) -> Any:
    """Compute the modified Bessel function of the second kind and order 1."""
    return _of_positive(ops.bessel_k1, input)


def scaled_modified_bessel_k0(input: Any) -> Any:
    """exp(x) times :func:`modified_bessel_k0`."""
    return _of_positive(ops.bessel_k0e, input)


def scaled_modified_bessel_k1(input: Any) -> Any:
    """exp(x) times :func:`modified_bessel_k1`."""
    return _of_positive(ops.bessel_k1e, input)


def zeta(input: Any, other: Any) -> Any:
    """Compute Hurwitz's zeta function: the sum of (other + k) ** -input over k; NaN where `input` is below 1."""
    x, q = (each if isinstance(each, Tensor) else basic.tensor(float(each)) for each in (input, other))
    pole = (x > 1) & (q <= 0) & (basic.floor(q) == q)  # type: ignore[attr-defined]
    return basic.where(x < 1, math.nan, basic.where(pole, math.inf, as_torch(ops.zeta(x, q))))


def _of_positive(function: Any, x: Any) -> Any:
    return basic.where(x < 0, math.nan, as_torch(function(x)))


@op
def _spherical_bessel_j0(x: Any) -> Any:
    near = jnp.abs(x) < 1e-3
    safe = jnp.where(near | jnp.isinf(x), 1, x)
    return jnp.where(jnp.isinf(x), 0, jnp.where(near, 1 - x * x / 6, jnp.sin(safe) / safe))


def spherical_bessel_j0(input: Any) -> Any:
    """The spherical Bessel function of the first kind and order 0: sin(x) / x."""
    return as_torch(_spherical_bessel_j0(input))


@op
def _airy_ai(x: Any) -> Any:
    # SciPy's: neither JAX nor XLA has one.
    return jax.pure_callback(
        lambda each: np.asarray(scipy.special.airy(np.asarray(each))[0], each.dtype),
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        x,
        vmap_method="expand_dims",
    )


def airy_ai(input: Any) -> Any:
    """Compute Airy's function Ai; it has no derivative here, as in PyTorch."""
    return as_torch(_airy_ai(input.detach()))


globals().update(spoken_all(globals(), __name__))
globals().update(polynomials.FUNCTIONS)


def __getattr__(name: str) -> Any:
    found = served_from_mint.find_in_module("torch.special", FUNCTIONS, name)
    globals()[name] = found
    return found
