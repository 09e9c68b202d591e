"""Discrete distributions: Bernoulli, Binomial, Categorical, Poisson, Multinomial ..."""

# ruff: noqa: D102  what Distribution and Transform describe

import math
from typing import Any

import jax
import jax.numpy as jnp

from msjax import ops
from msjax.core.autodiff.imperative import no_grad
from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import resolve, wrap
from msjax.torch.distributions import constraints
from msjax.torch.distributions.distribution import (
    Distribution,
    ExponentialFamily,
    broadcast_parameters,
    exp,
    lgamma,
    log,
    uniform_like,
)
from msjax.torch.functions import basic as T
from msjax.torch.functions.composed import poisson
from msjax.torch.nn import functional as F
from msjax.torch.tensors.tensor import as_torch


def _clamp_probs(probs: Any) -> Any:
    eps = float(jnp.finfo(probs.dtype.np).eps)
    return T.clamp(probs, eps, 1 - eps)


def _check_probs_or_logits(name: str, probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError(f"`{name}`: either `probs` or `logits` must be specified, but not both.")


class _OfLogits(Distribution):
    """A distribution of a probability, or of its logit: the one that was given, and the other computed."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    has_enumerate_support = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        _check_probs_or_logits(type(self).__name__, probs, logits)
        self.__dict__["logits" if probs is None else "probs"] = broadcast_parameters(
            logits if probs is None else probs
        )[0]
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def _param(self) -> Any:
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    def __getattr__(self, name: str) -> Any:
        if name == "probs":
            return T.sigmoid(self.__dict__["logits"])  # type: ignore[attr-defined]
        if name == "logits":
            probs = _clamp_probs(self.__dict__["probs"])
            return log(probs) - as_torch(ops.log1p(-probs))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._param.shape


class Bernoulli(_OfLogits, ExponentialFamily):
    """One with a probability, else zero."""

    support = constraints.boolean
    has_enumerate_support = True

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self) -> Any:
        chosen = (self.probs >= 0.5).to(self.probs.dtype)
        return T.where(self.probs == 0.5, T.full_like(chosen, float("nan")), chosen)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = T.rand(*self._extended_shape(sample_shape), dtype=self._param.dtype)
        return (drawn < self.probs.detach()).to(self._param.dtype)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_parameters(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        return self._whole_numbers(2, self._param.dtype, expand)


class Geometric(_OfLogits):
    """The number of failures before the first success."""

    support = constraints.nonnegative_integer

    mean = property(lambda self: 1 / self.probs - 1)
    mode = property(lambda self: T.zeros_like(self.probs))
    variance = property(lambda self: (1 / self.probs - 1) / self.probs)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = uniform_like(self._extended_shape(sample_shape), self._param)
        return as_torch(ops.floor(log(drawn) / as_torch(ops.log1p(-self.probs.detach()))))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return value * as_torch(ops.log1p(-_clamp_probs(self.probs))) + log(self.probs)

    def entropy(self) -> Any:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Binomial(_OfLogits):
    """The number of successes in `total_count` trials."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **_OfLogits.arg_constraints}
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        _check_probs_or_logits("Binomial", probs, logits)
        self.total_count, given = broadcast_parameters(total_count, logits if probs is None else probs)
        super().__init__(None if probs is None else given, given if probs is None else None, validate_args)

    support = property(lambda self: constraints.integer_interval(0, self.total_count))
    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    mode = property(
        lambda self: T.minimum(as_torch(ops.floor((self.total_count + 1) * self.probs)), self.total_count)  # type: ignore[attr-defined]
    )

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        count, probs = (
            jnp.broadcast_to(resolve(each)._value, shape) for each in (self.total_count, self.probs)
        )
        return as_torch(
            wrap(jax.random.binomial(random_state.next_key(), count, probs).astype(self._param.dtype.np))
        )

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        chosen = lgamma(n + 1) - lgamma(value + 1) - lgamma(n - value + 1)
        return chosen + value * logits - n * F.softplus(logits)

    def enumerate_support(self, expand: bool = True) -> Any:
        count = int(self.total_count.max())
        if int(self.total_count.min()) != count:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return self._whole_numbers(count + 1, self._param.dtype, expand)

    def entropy(self) -> Any:
        logs = self.log_prob(self.enumerate_support(False))
        return -(exp(logs) * logs).sum(0)


class Poisson(ExponentialFamily):
    """Counts of a rate."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_parameters(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: as_torch(ops.floor(self.rate)))

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        return poisson(T.expand(self.rate.detach(), *self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        rate, value = broadcast_parameters(self.rate, value)
        return as_torch(ops.xlogy(value, rate)) - rate - lgamma(value + 1)


class Categorical(Distribution):
    """Categorical distribution: the index of one of several choices.

    Args:
        probs: of the choices along the last dimension, which are divided by their sum.
        logits: their logarithms, up to a constant.

    Examples:
        >>> from msjax import torch
        >>> torch.distributions.Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor(1)).exp()
        tensor(0.7500)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        _check_probs_or_logits("Categorical", probs, logits)
        given = logits if probs is None else probs
        if given.ndim < 1:
            raise ValueError("`probs` or `logits` parameter must be at least one-dimensional.")
        if probs is None:
            self.__dict__["logits"] = logits - logits.logsumexp(-1, keepdim=True)
        else:
            self.__dict__["probs"] = probs / probs.sum(-1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    def __getattr__(self, name: str) -> Any:
        if name == "probs":
            return F.softmax(self.__dict__["logits"], -1)
        if name == "logits":
            return log(_clamp_probs(self.__dict__["probs"]))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    support = property(lambda self: constraints.integer_interval(0, self._num_events - 1))
    mean = variance = property(lambda self: T.full(self._batch_shape, float("nan"), dtype=self.probs.dtype))
    mode = property(lambda self: T.argmax(self.probs, -1))

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return (self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]).shape

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        logits = resolve(self.logits)._value
        drawn = jax.random.categorical(
            random_state.next_key(), logits, shape=self._extended_shape(sample_shape)
        )
        return as_torch(wrap(drawn.astype(jnp.int64)))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        lead = jnp.broadcast_shapes(tuple(value.shape), tuple(self._batch_shape))
        rows = T.expand(self.logits, *lead, self._num_events)
        places = T.expand(value, *lead).unsqueeze(-1).long()
        return rows.gather(-1, places).squeeze(-1)

    def entropy(self) -> Any:
        low = float(jnp.finfo(self.probs.dtype.np).min)
        return -(T.clamp(self.logits, low) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        return self._whole_numbers(self._num_events, None, expand)


class _OfCategorical(Distribution):
    """A distribution of vectors over the choices of a Categorical."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits, validate_args)
        size = self._categorical._num_events
        super().__init__(self._categorical.batch_shape, (size,), validate_args)

    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)


class OneHotCategorical(_OfCategorical):
    """One-hot categorical distribution: one of several choices as a one-hot vector."""

    support = constraints.one_hot
    has_enumerate_support = True
    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))
    mode = property(lambda self: F.one_hot(self._categorical.mode, self._event_shape[0]).to(self.probs.dtype))

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample(sample_shape)
        return F.one_hot(drawn, self._event_shape[0]).to(self.probs.dtype)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return self._categorical.log_prob(T.argmax(value, -1))

    def entropy(self) -> Any:
        return self._categorical.entropy()


class Multinomial(_OfCategorical):
    """Multinomial distribution: counts of each category in `total_count` draws."""

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    support = property(lambda self: constraints.multinomial(self.total_count))

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return F.one_hot(drawn, self._event_shape[0]).sum(0).to(self.probs.dtype)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_parameters(self.logits, value)
        logits = T.where((value == 0) & (logits == -float("inf")), T.zeros_like(logits), logits)
        return lgamma(value.sum(-1) + 1) - lgamma(value + 1).sum(-1) + (logits * value).sum(-1)

    def entropy(self) -> Any:
        counts = Binomial(self.total_count, self.probs, validate_args=False)
        support = counts.enumerate_support(False)[1:]
        repeated = (exp(counts.log_prob(support)) * lgamma(support + 1)).sum((0, -1))
        return self.total_count * self._categorical.entropy() - math.lgamma(self.total_count + 1) + repeated
