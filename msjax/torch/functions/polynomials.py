"""Orthogonal polynomials: Chebyshev's of four kinds and shifted ones, Hermite's, Laguerre's and Legendre's."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core.op.op import op
from msjax.torch.functions import basic as T
from msjax.torch.tensors.call_conventions import spoken_all
from msjax.torch.tensors.creation import get_default_dtype
from msjax.torch.tensors.tensor import as_torch


def _double(x: Any, p: Any, q: Any, k: Any) -> Any:
    return 2 * x * q - p


# The polynomial of degree 1, and that of degree k + 1 from those of degrees k - 1 and k.
_RULES: dict[str, tuple[Callable, Callable]] = {
    "chebyshev_polynomial_t": (lambda x: x, _double),
    "chebyshev_polynomial_u": (lambda x: 2 * x, _double),
    "chebyshev_polynomial_v": (lambda x: 2 * x - 1, _double),
    "chebyshev_polynomial_w": (lambda x: 2 * x + 1, _double),
    "hermite_polynomial_h": (lambda x: 2 * x, lambda x, p, q, k: 2 * x * q - 2 * k * p),
    "hermite_polynomial_he": (lambda x: x, lambda x, p, q, k: x * q - k * p),
    "laguerre_polynomial_l": (lambda x: 1 - x, lambda x, p, q, k: ((2 * k + 1 - x) * q - k * p) / (k + 1)),
    "legendre_polynomial_p": (lambda x: x, lambda x, p, q, k: ((2 * k + 1) * x * q - k * p) / (k + 1)),
}


@op(static="rule")
def _polynomial(x: Any, n: Any, rule: str) -> Any:
    first, following = _RULES[rule]
    x, n = jnp.broadcast_arrays(x, jnp.trunc(n))
    degree = jnp.max(n, initial=0)

    def step(carry: tuple) -> tuple:
        p, q, k = carry
        return jnp.where(k < n, q, p), jnp.where(k < n, following(x, p, q, k), q), k + 1

    start = (jnp.ones_like(x), first(x), jnp.ones((), x.dtype))
    _, last, _ = jax.lax.while_loop(lambda carry: carry[2] < degree, step, start)
    return jnp.where(n < 0, 0, jnp.where(n == 0, 1, last)).astype(x.dtype)


def _evaluate(rule: str, input: Any, n: Any, shifted: bool = False) -> Any:
    x, degree = map(T.as_tensor, (input, n))
    common = T.add(x, degree).dtype
    kind = common if common.is_floating_point else get_default_dtype()
    x, degree = x.to(kind), degree.to(kind)
    return as_torch(_polynomial(2 * x - 1 if shifted else x, degree, rule))


def chebyshev_polynomial_t(input: Any, n: Any) -> Any:
    """Chebyshev's polynomials of the first kind, of degree n: cos(n arccos x).

    Examples:
        >>> from msjax import torch
        >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5, 2.0]), torch.tensor(3))
        tensor([-1., 26.])
    """
    return _evaluate("chebyshev_polynomial_t", input, n)


def chebyshev_polynomial_u(input: Any, n: Any) -> Any:
    """Chebyshev's polynomials of the second kind, of degree n."""
    return _evaluate("chebyshev_polynomial_u", input, n)


def chebyshev_polynomial_v(input: Any, n: Any) -> Any:
    """Chebyshev's polynomials of the third kind, of degree n."""
    return _evaluate("chebyshev_polynomial_v", input, n)


def chebyshev_polynomial_w(input: Any, n: Any) -> Any:
    """Chebyshev's polynomials of the fourth kind, of degree n."""
    return _evaluate("chebyshev_polynomial_w", input, n)


def shifted_chebyshev_polynomial_t(input: Any, n: Any) -> Any:
    """:func:`chebyshev_polynomial_t` of 2 x - 1."""
    return _evaluate("chebyshev_polynomial_t", input, n, shifted=True)


def shifted_chebyshev_polynomial_u(input: Any, n: Any) -> Any:
    """:func:`chebyshev_polynomial_u` of 2 x - 1."""
    return _evaluate("chebyshev_polynomial_u", input, n, shifted=True)


def shifted_chebyshev_polynomial_v(input: Any, n: Any) -> Any:
    """:func:`chebyshev_polynomial_v` of 2 x - 1."""
    return _evaluate("chebyshev_polynomial_v", input, n, shifted=True)


def shifted_chebyshev_polynomial_w(input: Any, n: Any) -> Any:
    """:func:`chebyshev_polynomial_w` of 2 x - 1."""
    return _evaluate("chebyshev_polynomial_w", input, n, shifted=True)


def hermite_polynomial_h(input: Any, n: Any) -> Any:
    """The physicist's Hermite polynomials, of degree n."""
    return _evaluate("hermite_polynomial_h", input, n)


def hermite_polynomial_he(input: Any, n: Any) -> Any:
    """The probabilist's Hermite polynomials, of degree n."""
    return _evaluate("hermite_polynomial_he", input, n)


def laguerre_polynomial_l(input: Any, n: Any) -> Any:
    """Laguerre's polynomials, of degree n."""
    return _evaluate("laguerre_polynomial_l", input, n)


def legendre_polynomial_p(input: Any, n: Any) -> Any:
    """Legendre's polynomials, of degree n."""
    return _evaluate("legendre_polynomial_p", input, n)


FUNCTIONS = spoken_all(globals(), __name__)
