"""Distributions around discrete ones: relaxed, straight-through, and what counts failures."""

# ruff: noqa: D102  what Distribution and Transform describe

import math
from typing import Any

import jax.numpy as jnp

from msjax import ops
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.distributions import constraints
from msjax.torch.distributions.continuous import Normal, standard_gamma
from msjax.torch.distributions.derived import TransformedDistribution
from msjax.torch.distributions.discrete import Categorical, OneHotCategorical, _OfLogits
from msjax.torch.distributions.distribution import (
    Distribution,
    ExponentialFamily,
    broadcast_parameters,
    exp,
    lgamma,
    log,
    uniform_like,
)
from msjax.torch.distributions.transforms import ExpTransform, SigmoidTransform
from msjax.torch.distributions.vector_transforms import StickBreakingTransform
from msjax.torch.functions import basic as T
from msjax.torch.functions.composed import poisson
from msjax.torch.nn import functional as F
from msjax.torch.tensors.tensor import as_torch


def _log1p(x: Any) -> Any:
    return as_torch(ops.log1p(x))


class NegativeBinomial(_OfLogits):
    """The number of successes before `total_count` failures.

    Args:
        total_count: of failures; any number above 0.
        probs: of a success.
        logits: its logit, instead of it.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        given = logits if probs is None else probs
        if given is not None:
            self.total_count, given = broadcast_parameters(total_count, given)
        super().__init__(None if probs is None else given, None if logits is None else given, validate_args)

    mean = property(lambda self: self.total_count * exp(self.logits))
    variance = property(lambda self: self.mean / T.sigmoid(-self.logits))  # type: ignore[attr-defined]

    @property
    def mode(self) -> Any:
        mode = as_torch(ops.floor((self.total_count - 1) * exp(self.logits)))
        return T.clamp(mode, 0)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        rate = standard_gamma(self.total_count.detach(), shape) * exp(self.logits.detach())
        return poisson(rate)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        unnormalized = n * F.logsigmoid(-logits) + value * F.logsigmoid(logits)
        norm = lgamma(1.0 + value) + lgamma(n) - lgamma(n + value)
        return unnormalized - T.where(n + value == 0, T.zeros_like(norm), norm)


class ContinuousBernoulli(ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1] (Loaiza-Ganem and Cunningham, 2019).

    Args:
        probs: its parameter in (0, 1).
        logits: the logit of that, instead of it.
        lims: between these `probs` is taken for 0.5, around which series stand for the formulas.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: Any = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        (given,) = broadcast_parameters(logits if probs is None else probs)
        eps = float(jnp.finfo(given.dtype.np).eps)
        self.probs = T.clamp(T.sigmoid(given) if probs is None else given, eps, 1 - eps)  # type: ignore[attr-defined]
        self.logits = given if probs is None else log(self.probs) - _log1p(-self.probs)
        self._lims = lims
        super().__init__(given.shape, validate_args=validate_args)

    def _near_half(self) -> Any:
        return (self.probs > self._lims[0]) & (self.probs <= self._lims[1])

    def _away_from_half(self) -> Any:
        """Return `probs`, and a number that formulas may take where it is near one half."""
        return T.where(self._near_half(), T.full_like(self.probs, self._lims[0]), self.probs)

    def _log_norm(self) -> Any:
        p = self._away_from_half()
        inverse = 1 - 2 * p
        exact = log(T.abs(_log1p(-p) - log(p))) - log(T.abs(inverse))
        x = (self.probs - 0.5) ** 2
        return T.where(self._near_half(), math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x, exact)

    @property
    def mean(self) -> Any:
        p = self._away_from_half()
        exact = p / (2 * p - 1) + 1 / (_log1p(-p) - log(p))
        x = self.probs - 0.5
        return T.where(self._near_half(), 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x, exact)

    @property
    def variance(self) -> Any:
        p = self._away_from_half()
        exact = p * (p - 1) / (1 - 2 * p) ** 2 + 1 / (_log1p(-p) - log(p)) ** 2
        x = (self.probs - 0.5) ** 2
        return T.where(self._near_half(), 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x, exact)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(uniform_like(self._extended_shape(sample_shape), self.probs))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_parameters(self.logits, value)
        return self._log_norm() - F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        p = self._away_from_half()
        exact = (p**value * (1 - p) ** (1 - value) + p - 1) / (2 * p - 1)
        found = T.where(self._near_half(), value, exact)
        return T.clamp(found, 0, 1)

    def icdf(self, value: Any) -> Any:
        p = self._away_from_half()
        exact = (_log1p(-p + value * (2 * p - 1)) - _log1p(-p)) / (log(p) - _log1p(-p))
        return T.where(self._near_half(), value, exact)

    def entropy(self) -> Any:
        log0, log1 = _log1p(-self.probs), log(self.probs)
        return self.mean * (log0 - log1) - self._log_norm() - log0


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot vectors whose gradient goes to the probabilities (Bengio and others, 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())


class _Concrete(Distribution):
    """Base distribution of a relaxed one, before its transform: logits with a temperature."""

    has_rsample = True

    def __init__(self, temperature: Any, base: Any, event_shape: Any) -> None:
        self.temperature, self.logits = temperature, base.logits
        super().__init__(base.batch_shape, event_shape, validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made.temperature = self.temperature  # it belongs to no batch
        return made


class _LogitRelaxedBernoulli(_Concrete):
    """The logits of RelaxedBernoulli."""

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniform_like(self._extended_shape(sample_shape), self.logits)
        return (log(drawn) - _log1p(-drawn) + self.logits) / self.temperature

    def log_prob(self, value: Any) -> Any:
        away = self.logits - value * self.temperature
        return log(T.as_tensor(self.temperature)) + away - 2 * _log1p(exp(away))


class _ExpRelaxedCategorical(_Concrete):
    """The logarithms of RelaxedOneHotCategorical."""

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniform_like(self._extended_shape(sample_shape), self.logits)
        scores = (self.logits - log(-log(drawn))) / self.temperature
        return scores - scores.logsumexp(-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        size = self._event_shape[-1]
        score = self.logits - value * self.temperature
        score = (score - score.logsumexp(-1, keepdim=True)).sum(-1)
        return score + math.lgamma(size) + (size - 1) * log(T.as_tensor(self.temperature))


class _Relaxed(TransformedDistribution):
    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)


class RelaxedBernoulli(_Relaxed):
    """Numbers in (0, 1) that a temperature above 0 pulls to the ends (Maddison and others, 2017).

    Args:
        temperature: of the relaxation.
        probs: of a one.
        logits: its logit, instead of it.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval  # type: ignore[assignment]

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        of_logits = _OfLogits(probs, logits, validate_args)
        super().__init__(
            _LogitRelaxedBernoulli(temperature, of_logits, ()), SigmoidTransform(), validate_args
        )

    probs = property(lambda self: T.sigmoid(self.logits))  # type: ignore[attr-defined]


class RelaxedOneHotCategorical(_Relaxed):
    """Shares that a temperature above 0 pulls to one-hot vectors: Gumbel-softmax.

    Args:
        temperature: of the relaxation.
        probs: of the choices along the last dimension.
        logits: their logarithms, up to a constant.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex  # type: ignore[assignment]

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        choice = Categorical(probs, logits, validate_args)
        base = _ExpRelaxedCategorical(temperature, choice, (choice._num_events,))
        super().__init__(base, ExpTransform(), validate_args)

    probs = property(lambda self: F.softmax(self.logits, -1))


class LogisticNormal(TransformedDistribution):
    """Shares made of one normal number less than there are shares, by breaking a stick."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex  # type: ignore[assignment]

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args)

    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
