"""`torch.special`: functions of mathematical physics and statistics."""

from typing import Any

import jax.scipy.special as jss

from msjax import ops
from msjax.core.op import op
from msjax.torch import wider
from msjax.torch.functions import log_softmax as log_softmax
from msjax.torch.functions import softmax as softmax
from msjax.torch.tensor import dialect

PLACES = {
    "mint.special": "erfc exp2 expm1 log1p sinc",
    "ops.functional": "bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0=i0 modified_bessel_i1=bessel_i1 "
    "digamma psi=digamma erf erfinv i0 i0e=bessel_i0e i1=bessel_i1 i1e=bessel_i1e logit polygamma xlogy zeta "
    "gammaln=lgamma gammainc=igamma gammaincc=igammac multigammaln=mvlgamma expit=sigmoid round logsumexp",
}


@op
def _negated_entropy(x: Any) -> Any:
    return jss.entr(x)


@op
def _ndtr(x: Any) -> Any:
    return jss.ndtr(x)


@op
def _ndtri(x: Any) -> Any:
    return jss.ndtri(x)


@op
def _log_ndtr(x: Any) -> Any:
    return jss.log_ndtr(x)


def entr(input: Any) -> Any:
    """-x log(x)."""
    return dialect(_negated_entropy(input))


def ndtr(input: Any) -> Any:
    """The share of the normal distribution below x."""
    return dialect(_ndtr(input))


def ndtri(input: Any) -> Any:
    """What :func:`ndtr` undoes."""
    return dialect(_ndtri(input))


def log_ndtr(input: Any) -> Any:
    """The logarithm of :func:`ndtr`."""
    return dialect(_log_ndtr(input))


def xlog1py(input: Any, other: Any) -> Any:
    """x log(1 + y), 0 where x is 0."""
    product = ops.mul(input, ops.log1p(other))
    return dialect(ops.where(ops.eq(input, 0), ops.zeros_like(product), product))


def __getattr__(name: str) -> Any:
    found = wider.elsewhere("torch.special", PLACES, name)
    globals()[name] = found
    return found
