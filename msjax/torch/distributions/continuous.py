"""Continuous distributions: Normal, Gamma, Beta, Dirichlet, MultivariateNormal ..."""

# ruff: noqa: D102  what Distribution and Transform describe

import math
from typing import Any

import jax
import numpy as np

from msjax import ops
from msjax.core.op.op import op
from msjax.core.tensor import random_state
from msjax.nn.probability import closed_forms
from msjax.torch import linalg
from msjax.torch.distributions import constraints
from msjax.torch.distributions.distribution import (
    HALF_LOG_2PI,
    Distribution,
    ExponentialFamily,
    broadcast_parameters,
    digamma,
    exp,
    lgamma,
    log,
    uniform_like,
)
from msjax.torch.functions import basic as T
from msjax.torch.nn import functional as F
from msjax.torch.tensors.tensor import as_torch


@op
def _draw_gamma(key: Any, concentration: Any) -> Any:
    return jax.random.gamma(jax.random.wrap_key_data(key), concentration, dtype=concentration.dtype)


def standard_gamma(concentration: Any, shape: Any) -> Any:
    """Draws of the gamma distribution of rate 1, with a derivative by the concentration (Figurnov and others, 2018)."""
    key = as_torch(T.tensor(jax.random.key_data(random_state.next_key())))
    return T.clamp(as_torch(_draw_gamma(key, T.expand(concentration, *shape))), 1e-37)


class _LocationScale(Distribution):
    """A distribution that is moved by `loc` and stretched by `scale`."""

    has_rsample = True
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    _parameters = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_parameters(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)


class Normal(_LocationScale, ExponentialFamily):
    """The normal distribution.

    Args:
        loc: the mean.
        scale: the standard deviation.

    Examples:
        >>> from msjax import torch
        >>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(-0.9189)
    """

    _forms = closed_forms.NORMAL
    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale**2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.loc + self.scale * T.randn(*self._extended_shape(sample_shape), dtype=self.loc.dtype)

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return super().cdf(value)


class Uniform(Distribution):
    """Equal density between two numbers."""

    _forms, _parameters = closed_forms.UNIFORM, ("low", "high")
    has_rsample = True
    arg_constraints = {"low": constraints.real, "high": constraints.real}

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_parameters(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)
        if self._validate_args and not bool((self.low < self.high).all()):
            raise ValueError("Uniform is not defined when low>= high")

    support = property(lambda self: constraints.interval(self.low, self.high))
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: T.full_like(self.low, math.nan))
    variance = property(lambda self: (self.high - self.low) ** 2 / 12)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = T.rand(*self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        inside = ((self.low <= value) & (self.high > value)).to(self.low.dtype)
        return log(inside) - log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        return T.clamp((value - self.low) / (self.high - self.low), 0, 1)


class Gamma(ExponentialFamily):
    """The gamma distribution, of a concentration and a rate."""

    _forms, _parameters = closed_forms.GAMMA, ("concentration", "rate")
    has_rsample = True
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_parameters(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: T.clamp((self.concentration - 1) / self.rate, 0))
    variance = property(lambda self: self.concentration / self.rate**2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return standard_gamma(self.concentration, self._extended_shape(sample_shape)) / self.rate

    def log_prob(self, value: Any) -> Any:
        value = T.as_tensor(value)
        self._validate_sample(value)
        a, b = self.concentration, self.rate
        return a * log(b) + as_torch(ops.xlogy(a - 1, value)) - b * value - lgamma(a)


class Chi2(Gamma):
    """The distribution of the sum of `df` squared normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        (df,) = broadcast_parameters(df)
        super().__init__(0.5 * df, 0.5, validate_args)

    df = property(lambda self: self.concentration * 2)

    def __repr__(self) -> str:
        return "Chi2()"


class Exponential(ExponentialFamily):
    """The exponential distribution of a rate."""

    _forms, _parameters = closed_forms.EXPONENTIAL, ("rate",)
    has_rsample = True
    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_parameters(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    mean = stddev = property(lambda self: 1 / self.rate)
    mode = property(lambda self: T.zeros_like(self.rate))
    variance = property(lambda self: self.rate**-2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return -log(uniform_like(self._extended_shape(sample_shape), self.rate)) / self.rate

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return log(self.rate) - self.rate * value

    def cdf(self, value: Any) -> Any:
        return 1 - exp(-self.rate * value)


class Laplace(_LocationScale):
    """Density falling exponentially at both sides."""

    _forms = closed_forms.LAPLACE
    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale**2)
    stddev = property(lambda self: math.sqrt(2) * self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(uniform_like(self._extended_shape(sample_shape), self.loc))


class Cauchy(_LocationScale):
    """The ratio of two normal numbers, moved and scaled."""

    _forms = closed_forms.CAUCHY
    mode = property(lambda self: self.loc)
    mean = property(lambda self: T.full_like(self.loc, math.nan))
    variance = property(lambda self: T.full_like(self.loc, math.inf))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(uniform_like(self._extended_shape(sample_shape), self.loc))


class Gumbel(_LocationScale):
    """The distribution of the largest of many numbers."""

    _forms = closed_forms.GUMBEL
    mean = property(lambda self: self.loc + self.scale * 0.5772156649015329)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: math.pi / math.sqrt(6) * self.scale)
    variance = property(lambda self: self.stddev**2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniform_like(self._extended_shape(sample_shape), self.loc)
        return self.loc - self.scale * log(-log(drawn))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - exp(y) - log(self.scale)


class StudentT(Distribution):
    """Student's distribution of `df` degrees of freedom."""

    _forms, _parameters = closed_forms.STUDENT_T, ("df", "loc", "scale")
    has_rsample = True
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_parameters(df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    mode = property(lambda self: self.loc)

    @property
    def mean(self) -> Any:
        return T.where(self.df > 1, self.loc, T.full_like(self.loc, math.nan))

    @property
    def variance(self) -> Any:
        usual = self.scale**2 * self.df / T.clamp(self.df - 2, 1e-30)
        beside = T.where(self.df > 1, T.full_like(usual, math.inf), T.full_like(usual, math.nan))
        return T.where(self.df > 2, usual, beside)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn = T.randn(*shape, dtype=self.df.dtype)
        squares = standard_gamma(self.df / 2, shape) * 2
        return self.loc + self.scale * drawn * as_torch(ops.rsqrt(squares / self.df))


def _dirichlet_mode(concentration: Any) -> Any:
    """Return the most probable shares: at a corner if no concentration is above one."""
    above = T.clamp(concentration - 1, 0)
    corner = F.one_hot(T.argmax(concentration, -1), concentration.shape[-1]).to(concentration.dtype)
    flat = (concentration < 1).all(-1, keepdim=True)
    return T.where(flat, corner, above / above.sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution: positive shares that add up to one."""

    has_rsample = True
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    mode = property(lambda self: _dirichlet_mode(self.concentration))

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = standard_gamma(self.concentration, self._extended_shape(sample_shape))
        return drawn / drawn.sum(-1, True)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        a = self.concentration
        return as_torch(ops.xlogy(a - 1, value)).sum(-1) + lgamma(a.sum(-1)) - lgamma(a).sum(-1)

    def entropy(self) -> Any:
        a = self.concentration
        total, k = a.sum(-1), a.shape[-1]
        rest = (k - total) * digamma(total) + ((a - 1) * digamma(a)).sum(-1)
        return lgamma(a).sum(-1) - lgamma(total) - rest


class Beta(ExponentialFamily):
    """The beta distribution on (0, 1)."""

    _forms, _parameters = closed_forms.BETA, ("concentration1", "concentration0")
    has_rsample = True
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_parameters(concentration1, concentration0)
        super().__init__(self.concentration1.shape, validate_args=validate_args)

    _total = property(lambda self: self.concentration1 + self.concentration0)
    mode = property(
        lambda self: _dirichlet_mode(T.stack([self.concentration1, self.concentration0], -1))[..., 0]
    )
    mean = property(lambda self: self.concentration1 / self._total)
    variance = property(
        lambda self: self.concentration1 * self.concentration0 / (self._total**2 * (self._total + 1))
    )

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        a, b = (standard_gamma(each, shape) for each in (self.concentration1, self.concentration0))
        return a / (a + b)

    def log_prob(self, value: Any) -> Any:
        value = T.as_tensor(value)
        self._validate_sample(value)
        a, b = self.concentration1, self.concentration0
        kernel = as_torch(ops.xlogy(a - 1, value)) + as_torch(ops.xlogy(b - 1, 1 - value))
        return kernel + lgamma(a + b) - lgamma(a) - lgamma(b)


class OfCovariance(Distribution):
    """Base class of distributions of vectors whose covariance is given by one of three matrices."""

    @staticmethod
    def _find_matrix(covariance_matrix: Any, precision_matrix: Any, scale_tril: Any) -> tuple[str, Any]:
        """Return the one matrix that is given, and its name."""
        named = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        found = [(name, matrix) for name, matrix in named.items() if matrix is not None]
        if len(found) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        return found[0]

    def _set_root(self, name: str, matrix: Any) -> None:
        """Set the lower triangular root of the covariance, from the matrix of that name."""
        covariance = as_torch(ops.inverse(matrix)) if name == "precision_matrix" else matrix
        self._unbroadcasted_scale_tril = (
            matrix if name == "scale_tril" else as_torch(ops.cholesky(covariance))
        )

    def __getattr__(self, name: str) -> Any:
        if name == "scale_tril":
            return self._unbroadcasted_scale_tril
        if name == "covariance_matrix":
            return self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT
        if name == "precision_matrix":
            return as_torch(ops.inverse(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class MultivariateNormal(OfCovariance):
    """Multivariate normal distribution; one of the three matrices is given.

    Args:
        loc: the mean.
        covariance_matrix: the covariance.
        precision_matrix: its inverse.
        scale_tril: its lower triangular root.
    """

    has_rsample = True
    support = constraints.real_vector
    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = self._find_matrix(covariance_matrix, precision_matrix, scale_tril)
        size = loc.shape[-1]
        lead = np.broadcast_shapes(tuple(loc.shape[:-1]), tuple(matrix.shape[:-2]))
        self.loc = T.expand(loc, *lead, size)
        matrix = T.expand(matrix, *lead, size, size)
        self.__dict__[name] = matrix
        super().__init__(lead, (size,), validate_args)
        self._set_root(name, matrix)

    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: (self._unbroadcasted_scale_tril**2).sum(-1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = T.randn(*self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def _log_det(self) -> Any:
        return log(as_torch(ops.diagonal(self._unbroadcasted_scale_tril, 0, -2, -1))).sum(-1)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        away = value - self.loc
        root = T.expand(self._unbroadcasted_scale_tril, *away.shape, away.shape[-1])
        solved = linalg.solve_triangular(root, away.unsqueeze(-1), upper=False).squeeze(-1)
        return -0.5 * (solved**2).sum(-1) - self._log_det() - self.loc.shape[-1] * HALF_LOG_2PI

    def entropy(self) -> Any:
        return self.loc.shape[-1] * (0.5 + HALF_LOG_2PI) + self._log_det()
