"""Distributions derived from others: Independent, TransformedDistribution, MixtureSameFamily, LogNormal ..."""

# ruff: noqa: D102  what Distribution and Transform describe

import math
from typing import Any

from msjax import ops
from msjax.torch.distributions import constraints
from msjax.torch.distributions.continuous import Cauchy, Normal
from msjax.torch.distributions.distribution import Distribution, broadcast_parameters, exp
from msjax.torch.distributions.transforms import ComposeTransform, ExpTransform
from msjax.torch.distributions.utils import sum_rightmost
from msjax.torch.functions import basic as T
from msjax.torch.tensors.tensor import as_torch


class Independent(Distribution):
    """Independent: a distribution whose last batch dimensions belong to the event.

    Args:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: how many of its batch dimensions.
    """

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        count, batch = reinterpreted_batch_ndims, base_distribution.batch_shape
        if count > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch)}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        at = len(batch) - count
        super().__init__(batch[:at], (*batch[at:], *base_distribution.event_shape), validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)  # type: ignore[assignment]
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)
    support = property(
        lambda self: constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)
    )

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        count = self.reinterpreted_batch_ndims
        base = self.base_dist.expand((*batch_shape, *self.event_shape[:count]))
        return Independent(base, count, validate_args=False)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """The distribution of transformed draws.

    Args:
        base_distribution: of what is transformed.
        transforms: one, or several in order.
    """

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = list(transforms) if isinstance(transforms, list | tuple) else [transforms]
        whole = ComposeTransform(self.transforms)
        base = (*base_distribution.batch_shape, *base_distribution.event_shape)
        inside, outside = whole.domain.event_dim, whole.codomain.event_dim
        if len(base) < inside:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {inside}, but got {base}."
            )
        shape = tuple(whole.forward_shape(base))
        wide, event = tuple(whole.inverse_shape(shape)), len(base_distribution.event_shape)
        if wide != base:
            base_distribution = base_distribution.expand(wide[: len(wide) - event])
        self.base_dist = (
            Independent(base_distribution, inside - event) if inside > event else base_distribution
        )
        at = len(shape) - max(outside, len(self.base_dist.event_shape) + outside - inside)
        super().__init__(shape[:at], shape[at:], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)  # type: ignore[assignment]

    @property
    def support(self) -> Any:  # type: ignore[override]
        """The last transform's values, of the dimensions of an event."""
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self.event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def sample(self, sample_shape: Any = ()) -> Any:
        value = self.base_dist.sample(sample_shape)
        for transform in self.transforms:
            value = transform(value)
        return value

    def rsample(self, sample_shape: Any = ()) -> Any:
        value = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            value = transform(value)
        return value

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        event, total, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event += transform.domain.event_dim - transform.codomain.event_dim
            slope = transform.log_abs_det_jacobian(x, y)
            total = total - sum_rightmost(slope, event - transform.domain.event_dim)
            y = x
        count = event - len(self.base_dist.event_shape)
        return total + sum_rightmost(self.base_dist.log_prob(y), count)

    def cdf(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        found = self.base_dist.icdf(self._turned(value))
        for transform in self.transforms:
            found = transform(found)
        return found

    def _turned(self, probability: Any) -> Any:
        """Return 1 - p where the transforms fall, and p where they rise."""
        sign = math.prod(t.sign for t in self.transforms)
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5


class LogNormal(TransformedDistribution):
    """Log-normal distribution: the logarithms are normal."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive  # type: ignore[assignment]

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: exp(self.loc + self.scale**2 / 2))
    mode = property(lambda self: exp(self.loc - self.scale**2))
    variance = property(lambda self: (exp(self.scale**2) - 1) * exp(2 * self.loc + self.scale**2))

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class _Half(Distribution):
    """The absolute values of a symmetric distribution around zero."""

    has_rsample = True
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    _of: Any = Normal

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        (self.scale,) = broadcast_parameters(scale)
        self.base_dist = self._of(T.zeros_like(self.scale), self.scale, validate_args=False)
        super().__init__(self.scale.shape, validate_args=validate_args)

    mode = property(lambda self: T.zeros_like(self.scale))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return T.abs(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        value = T.as_tensor(value)
        self._validate_sample(value)
        found = self.base_dist.log_prob(value) + math.log(2)
        return T.where(value >= 0, found, T.full_like(found, -math.inf))

    def cdf(self, value: Any) -> Any:
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute values of normal numbers around zero."""

    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = property(lambda self: self.scale**2 * (1 - 2 / math.pi))


class HalfCauchy(_Half):
    """The absolute values of the Cauchy distribution's numbers around zero."""

    _of = Cauchy
    mean = property(lambda self: T.full_like(self.scale, math.inf))
    variance = property(lambda self: self.base_dist.variance)


class MixtureSameFamily(Distribution):
    """Mixture of distributions of one family, weighted by a Categorical.

    Args:
        mixture_distribution: the choice.
        component_distribution: the distributions, along its last batch dimension.
    """

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        batch, event = component_distribution.batch_shape[:-1], component_distribution.event_shape
        super().__init__(batch, event, validate_args)

    support = property(
        lambda self: constraints.MixtureSameFamilyConstraint(self.component_distribution.support)
    )

    def _weights(self) -> Any:
        probs = self.mixture_distribution.probs
        return probs.reshape(*probs.shape, *[1] * len(self._event_shape))

    def _average(self, values: Any) -> Any:
        return (self._weights() * values).sum(-1 - len(self._event_shape))

    mean = property(lambda self: self._average(self.component_distribution.mean))

    @property
    def variance(self) -> Any:
        away = self.component_distribution.mean - self.mean.unsqueeze(-1 - len(self._event_shape))
        return self._average(self.component_distribution.variance) + self._average(away**2)

    def sample(self, sample_shape: Any = ()) -> Any:
        chosen = self.mixture_distribution.sample(sample_shape)
        drawn = self.component_distribution.sample(sample_shape)
        at = drawn.ndim - 1 - len(self._event_shape)
        places = chosen.reshape(*chosen.shape, 1, *[1] * len(self._event_shape))
        places = T.expand(places, *drawn.shape[:at], 1, *self._event_shape)
        return drawn.gather(at, places).squeeze(at)

    def log_prob(self, value: Any) -> Any:
        each = self.component_distribution.log_prob(value.unsqueeze(-1 - len(self._event_shape)))
        weights = as_torch(ops.log_softmax(self.mixture_distribution.logits, -1))
        return (each + weights).logsumexp(-1)

    def cdf(self, value: Any) -> Any:
        return (self.component_distribution.cdf(value.unsqueeze(-1)) * self.mixture_distribution.probs).sum(
            -1
        )

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution!r},\n  {self.component_distribution!r})"
