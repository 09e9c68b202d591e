"""`torch.distributions.kl`: Kullback-Leibler divergence of two distributions."""

import itertools
import math
from collections.abc import Callable
from typing import Any

from msjax import ops
from msjax.torch import linalg
from msjax.torch.distributions import continuous as c
from msjax.torch.distributions import derived, discrete, further, relaxed
from msjax.torch.distributions.distribution import digamma, lgamma, log
from msjax.torch.functions import basic as T
from msjax.torch.tensors.tensor import as_torch

KNOWN: dict[tuple[type, type], Callable] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Register the decorated function as the divergence of two kinds of distributions."""

    def mark(function: Callable) -> Callable:
        KNOWN[type_p, type_q] = function
        return function

    return mark


def kl_divergence(p: Any, q: Any) -> Any:
    """Return the Kullback-Leibler divergence: the expected value under p of log p - log q.

    Raises:
        NotImplementedError: if it is not known for these two kinds.

    Examples:
        >>> from msjax.torch import distributions as D
        >>> D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(1.0, 1.0))
        tensor(0.5000)
    """
    for left in type(p).__mro__:
        for right in type(q).__mro__:
            if (left, right) in KNOWN:
                return KNOWN[left, right](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


for _kind in (c.Normal, c.Gamma, c.Beta, c.Exponential, c.Laplace, c.Uniform, c.Cauchy):

    @register_kl(_kind, _kind)
    def _by_closed_form(p: Any, q: Any) -> Any:
        return p._by_form("kl_loss", *(getattr(q, name) for name in q._parameters))


@register_kl(c.MultivariateNormal, c.MultivariateNormal)
def _vectors(p: Any, q: Any) -> Any:
    logs = q._log_det() - p._log_det()
    size = p.event_shape[0]
    away = linalg.solve_triangular(q._unbroadcasted_scale_tril, (q.loc - p.loc).unsqueeze(-1), upper=False)
    turned = linalg.solve_triangular(q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril, upper=False)
    return logs + 0.5 * ((turned**2).sum((-2, -1)) + (away**2).sum((-2, -1)) - size)


@register_kl(c.Dirichlet, c.Dirichlet)
def _dirichlets(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    first = lgamma(total) - lgamma(b.sum(-1)) - (lgamma(a) - lgamma(b)).sum(-1)
    return first + ((a - b) * (digamma(a) - digamma(total).unsqueeze(-1))).sum(-1)


@register_kl(discrete.Bernoulli, discrete.Bernoulli)
def _bernoullis(p: Any, q: Any) -> Any:
    xlogy = lambda x, y: as_torch(ops.xlogy(x, y))  # noqa: E731
    one = xlogy(p.probs, p.probs) - xlogy(p.probs, q.probs)
    return one + xlogy(1 - p.probs, 1 - p.probs) - xlogy(1 - p.probs, 1 - q.probs)


@register_kl(discrete.Categorical, discrete.Categorical)
def _categoricals(p: Any, q: Any) -> Any:
    each = p.probs * (p.logits - q.logits)
    each = T.where(q.probs == 0, T.full_like(each, math.inf), each)
    return T.where(T.expand(p.probs == 0, *each.shape), T.zeros_like(each), each).sum(-1)


@register_kl(discrete.OneHotCategorical, discrete.OneHotCategorical)
def _one_hots(p: Any, q: Any) -> Any:
    return _categoricals(p._categorical, q._categorical)


@register_kl(discrete.Binomial, discrete.Binomial)
def _binomials(p: Any, q: Any) -> Any:
    if bool((p.total_count > q.total_count).any()):
        raise NotImplementedError(
            "KL between Binomials where p.total_count > q.total_count is not implemented"
        )
    logs = as_torch(ops.log1p(-p.probs)) - as_torch(ops.log1p(-q.probs))
    return p.total_count * (p.probs * (p.logits - q.logits) + logs)


@register_kl(discrete.Poisson, discrete.Poisson)
def _poissons(p: Any, q: Any) -> Any:
    return p.rate * (log(p.rate) - log(q.rate)) - (p.rate - q.rate)


@register_kl(discrete.Geometric, discrete.Geometric)
def _geometrics(p: Any, q: Any) -> Any:
    return -p.entropy() - as_torch(ops.log1p(-q.probs)) / p.probs - q.logits


@register_kl(derived.Independent, derived.Independent)
def _independents(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return derived.sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(derived.TransformedDistribution, derived.TransformedDistribution)
def _kl_transformed(p: Any, q: Any) -> Any:
    if [type(t) for t in p.transforms] != [type(t) for t in q.transforms]:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(derived.HalfNormal, derived.HalfNormal)
def _half_normals(p: Any, q: Any) -> Any:
    return kl_divergence(p.base_dist, q.base_dist)


# Kinds of distributions by where they may lie: a divergence is infinite where p has numbers that q does not have.
_UNIT = (c.Beta, relaxed.ContinuousBernoulli)
_POSITIVE = (c.Exponential, c.Gamma)
_REAL = (c.Normal, c.Laplace, c.Gumbel)
_NOT_THERE: list[tuple[type, type]] = [
    *itertools.product(_REAL, (*_UNIT, *_POSITIVE, further.Pareto, c.Uniform)),
    *itertools.product(_POSITIVE, (*_UNIT, further.Pareto, c.Uniform)),
    *itertools.product((further.Pareto,), (*_UNIT, c.Uniform)),
    *itertools.product(_UNIT, (further.Pareto,)),
    *itertools.product((discrete.Poisson,), (discrete.Bernoulli, discrete.Binomial)),
]
for _pair in _NOT_THERE:

    @register_kl(*_pair)
    def _infinite(p: Any, q: Any) -> Any:
        return T.full_like(p.mean + q.mean, math.inf)


for _kind in (*_UNIT, *_POSITIVE, c.Gumbel, c.Laplace, further.Pareto, c.Uniform):

    @register_kl(_kind, c.Normal)
    def _to_normal(p: Any, q: Any) -> Any:
        away = (p.variance + (p.mean - q.loc) ** 2) / (2 * q.scale**2)
        return away + log(q.scale) + 0.5 * math.log(2 * math.pi) - p.entropy()


for _kind in (*_UNIT, c.Gamma, further.Pareto, c.Uniform):

    @register_kl(_kind, c.Exponential)
    def _to_exponential(p: Any, q: Any) -> Any:
        found = q.rate * p.mean - log(q.rate) - p.entropy()
        below = getattr(p, "low", None) if isinstance(p, c.Uniform) else None
        return found if below is None else T.where(below < 0, T.full_like(found, math.inf), found)


@register_kl(c.Exponential, c.Gamma)
def _exponential_to_gamma(p: Any, q: Any) -> Any:
    return kl_divergence(c.Gamma(T.ones_like(p.rate), p.rate), q)


@register_kl(discrete.Bernoulli, discrete.Poisson)
def _bernoulli_to_poisson(p: Any, q: Any) -> Any:
    return q.rate - p.probs * log(q.rate) - p.entropy()


@register_kl(relaxed.ContinuousBernoulli, relaxed.ContinuousBernoulli)
def _continuous_bernoullis(p: Any, q: Any) -> Any:
    return -p.entropy() - _expected_log(p, q)


@register_kl(c.Beta, relaxed.ContinuousBernoulli)
def _to_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() - _expected_log(p, q)


def _expected_log(p: Any, q: Any) -> Any:
    """The mean of q's logarithm, which is linear in what is drawn, under p."""
    ends = [q.log_prob(T.full_like(p.mean, end)) for end in (0.0, 1.0)]
    return ends[0] + p.mean * (ends[1] - ends[0])
