"""Continuous distributions that fewer programs use: Weibull, Pareto, InverseGamma, VonMises, Wishart ..."""

# ruff: noqa: D102  what Distribution and Transform describe

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core.autodiff.imperative import no_grad
from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import resolve, wrap
from msjax.torch import linalg, special
from msjax.torch.distributions import constraints
from msjax.torch.distributions.continuous import (
    Beta,
    Exponential,
    Gamma,
    OfCovariance,
    Uniform,
    standard_gamma,
)
from msjax.torch.distributions.derived import TransformedDistribution
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
from msjax.torch.distributions.transforms import AffineTransform, ExpTransform, PowerTransform
from msjax.torch.functions import basic as T
from msjax.torch.tensors.tensor import as_torch

_EULER = 0.57721566490153286060


def _log1p(x: Any) -> Any:
    return as_torch(ops.log1p(x))


def _expm1(x: Any) -> Any:
    return as_torch(ops.expm1(x))


def _diagonal(matrix: Any) -> Any:
    return as_torch(ops.diagonal(matrix, 0, -2, -1))


class FisherSnedecor(Distribution):
    """The F-distribution: the ratio of two mean squares of normal numbers.

    Args:
        df1: degrees of freedom of the numerator.
        df2: degrees of freedom of the denominator.
    """

    has_rsample = True
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_parameters(df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        nan = T.full_like(self.df2, math.nan)
        return T.where(self.df2 > 2, self.df2 / (self.df2 - 2), nan)

    @property
    def mode(self) -> Any:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return T.where(self.df1 > 2, mode, T.full_like(mode, math.nan))

    @property
    def variance(self) -> Any:
        df2 = T.where(self.df2 > 4, self.df2, T.full_like(self.df2, math.nan))
        return 2 * df2**2 * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2) ** 2 * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        upper, lower = (standard_gamma(df / 2, shape) / (df / 2) for df in (self.df1, self.df2))
        return upper / lower

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        a, b = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        norm = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(ratio)
        return norm + (a - 1) * log(value) - (a + b) * _log1p(ratio * value)


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution, of what lies above a threshold.

    Args:
        loc: the threshold.
        scale: of the distribution.
        concentration: the shape: 0 for the exponential distribution, above it for heavier tails.
    """

    has_rsample = True
    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_parameters(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def support(self) -> Any:  # type: ignore[override]
        c, end = self.concentration, self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, T.where(c < 0, end, T.full_like(c, math.inf)))

    def _shape_and_exponential(self) -> tuple[Any, Any]:
        """Return a shape that one may divide by, and where it is the exponential distribution."""
        near = T.abs(self.concentration) < 1e-5
        return T.where(near, T.ones_like(self.concentration), self.concentration), near

    def _scaled(self, value: Any) -> Any:
        return (value - self.loc) / self.scale

    def _log_survival(self, value: Any) -> Any:
        y = self._scaled(value)
        c, near = self._shape_and_exponential()
        return T.where(near, -y, -_log1p(c * y) / c)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        y = self._scaled(value)
        c, near = self._shape_and_exponential()
        return T.where(near, -y, -(1 + 1 / c) * _log1p(c * y)) - log(self.scale)

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return 1 - exp(self._log_survival(value))

    def icdf(self, value: Any) -> Any:
        c, near = self._shape_and_exponential()
        tail = _log1p(-value)
        return self.loc + self.scale * T.where(near, -tail, _expm1(-c * tail) / c)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(uniform_like(self._extended_shape(sample_shape), self.loc))

    @property
    def mean(self) -> Any:
        infinite = T.full_like(self.loc, math.inf)
        return T.where(self.concentration < 1, self.loc + self.scale / (1 - self.concentration), infinite)

    @property
    def variance(self) -> Any:
        c = self.concentration
        variance = self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c))
        return T.where(c < 0.5, variance, T.full_like(variance, math.inf))

    mode = property(lambda self: self.loc)

    def entropy(self) -> Any:
        return log(self.scale) + self.concentration + 1


class InverseGamma(TransformedDistribution):
    """The distribution of 1 / x, where x has the gamma distribution.

    Args:
        concentration: the shape.
        rate: the inverse scale.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive  # type: ignore[assignment]

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args)
        super().__init__(base, PowerTransform(-T.ones_like(base.rate)), validate_args)

    concentration = property(lambda self: self.base_dist.concentration)
    rate = property(lambda self: self.base_dist.rate)
    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self) -> Any:
        mean = self.rate / (self.concentration - 1)
        return T.where(self.concentration > 1, mean, T.full_like(mean, math.inf))

    @property
    def variance(self) -> Any:
        c = self.concentration
        variance = (self.rate / (c - 1)) ** 2 / (c - 2)
        return T.where(c > 2, variance, T.full_like(variance, math.inf))

    def entropy(self) -> Any:
        c = self.concentration
        return c + log(self.rate) + lgamma(c) - (1 + c) * digamma(c)


class Kumaraswamy(TransformedDistribution):
    """A distribution on (0, 1) much like Beta, with a closed form of its cdf.

    Args:
        concentration1: the first shape.
        concentration0: the second shape.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval  # type: ignore[assignment]

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_parameters(concentration1, concentration0)
        base = Uniform(
            T.zeros_like(self.concentration0), T.ones_like(self.concentration0), validate_args=False
        )
        transforms = [
            PowerTransform(1 / self.concentration0),
            AffineTransform(1.0, -1.0),
            PowerTransform(1 / self.concentration1),
        ]
        super().__init__(base, transforms, validate_args)

    def _moment(self, order: int) -> Any:
        b = self.concentration0
        first = 1 + order / self.concentration1
        return exp(log(b) + lgamma(first) + lgamma(b) - lgamma(first + b))

    mean = property(lambda self: self._moment(1))
    variance = property(lambda self: self._moment(2) - self.mean**2)

    @property
    def mode(self) -> Any:
        a, b = (
            self.concentration1,
            self.concentration0,
        )  # PyTorch's logarithms are of negative numbers here: NaN
        mode = ((a - 1) / (a * b - 1)) ** (1 / a)
        return T.where((a < 1) | (b < 1), T.full_like(mode, math.nan), mode)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniform_like(self._extended_shape(sample_shape), self.concentration1)
        return (1 - drawn ** (1 / self.concentration0)) ** (1 / self.concentration1)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        harmonic = digamma(b + 1) + _EULER
        return 1 - 1 / b + (1 - 1 / a) * harmonic - log(a) - log(b)


class Pareto(TransformedDistribution):
    """The Pareto distribution of type 1: a power law above `scale`."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_parameters(scale, alpha)
        base = Exponential(self.alpha, validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(0, self.scale)], validate_args)

    support = property(lambda self: constraints.greater_than_eq(self.scale))  # type: ignore[assignment]
    mode = property(lambda self: self.scale)

    @property
    def mean(self) -> Any:
        a = T.clamp(self.alpha, 1)
        return a * self.scale / (a - 1)

    @property
    def variance(self) -> Any:
        a = T.clamp(self.alpha, 2)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def entropy(self) -> Any:
        return log(self.scale / self.alpha) + (1 + 1 / self.alpha)


class Weibull(TransformedDistribution):
    """The Weibull distribution of a scale and a shape (`concentration`)."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive  # type: ignore[assignment]

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_parameters(scale, concentration)
        self.concentration_reciprocal = 1 / self.concentration
        base = Exponential(T.ones_like(self.scale), validate_args)
        power = PowerTransform(self.concentration_reciprocal)
        super().__init__(base, [power, AffineTransform(0, self.scale)], validate_args)

    mean = property(lambda self: self.scale * exp(lgamma(1 + self.concentration_reciprocal)))

    @property
    def mode(self) -> Any:
        inverse = self.concentration_reciprocal
        return self.scale * (1 - inverse) ** inverse  # NaN below 1, as in PyTorch

    @property
    def variance(self) -> Any:
        inverse = self.concentration_reciprocal
        return self.scale**2 * (exp(lgamma(1 + 2 * inverse)) - exp(2 * lgamma(1 + inverse)))

    def entropy(self) -> Any:
        inverse = self.concentration_reciprocal
        return _EULER * (1 - inverse) + log(self.scale * inverse) + 1


class VonMises(Distribution):
    """The circular normal distribution.

    Args:
        loc: an angle.
        concentration: how much the angles gather around it.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_parameters(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    mean = mode = property(lambda self: self.loc)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        # I0 without its growth: log I0(k) = k + log i0e(k)
        norm = self.concentration + log(special.i0e(self.concentration))
        return self.concentration * T.cos(value - self.loc) - math.log(2 * math.pi) - norm  # type: ignore[attr-defined]

    @property
    def variance(self) -> Any:
        """The circular variance."""
        return 1 - special.i1e(self.concentration) / special.i0e(self.concentration)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        loc, concentration = (resolve(each.detach())._value for each in (self.loc, self.concentration))
        away = _draw_von_mises(random_state.next_key(), jnp.broadcast_to(concentration, shape))
        return as_torch(wrap((away + math.pi + loc) % (2 * math.pi) - math.pi))


def _draw_von_mises(key: Any, concentration: Any) -> Any:
    """Draw angles around zero: by rejection of wrapped Cauchy numbers (Best and Fisher, 1979)."""
    wide = concentration.astype(jnp.float64)
    tau = 1 + jnp.sqrt(1 + 4 * wide**2)
    rho = (tau - jnp.sqrt(2 * tau)) / (2 * wide)
    usual = (1 + rho**2) / (2 * rho)
    edge = jnp.where(wide < 1e-5, 1 / jnp.maximum(wide, 1e-30) + wide, usual)

    def attempt(carry: tuple) -> tuple:
        key, drawn, done = carry
        key, now = jax.random.split(key)
        u1, u2, u3 = jax.random.uniform(now, (3, *wide.shape), jnp.float64)
        z = jnp.cos(math.pi * u1)
        f = (1 + edge * z) / (edge + z)
        c = wide * (edge - f)
        accepted = (c * (2 - c) - u2 > 0) | (jnp.log(c / u2) + 1 - c >= 0)
        angle = jnp.sign(u3 - 0.5) * jnp.arccos(jnp.clip(f, -1, 1))
        return key, jnp.where(done, drawn, angle), done | accepted

    start = (key, jnp.zeros(wide.shape), jnp.zeros(wide.shape, bool))
    drawn = jax.lax.while_loop(lambda carry: ~carry[2].all(), attempt, start)[1]
    return drawn.astype(concentration.dtype)


class LowRankMultivariateNormal(Distribution):
    """A multivariate normal distribution of the covariance `cov_factor @ cov_factor.mT + diag(cov_diag)`.

    Args:
        loc: the mean, of shape (..., N).
        cov_factor: of shape (..., N, R).
        cov_diag: of shape (..., N), positive.
    """

    has_rsample = True
    support = constraints.real_vector
    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if cov_factor.ndim < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        size, rank = cov_factor.shape[-2:]
        if loc.shape[-1] != size:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {loc.shape[-1]} x m")
        if cov_diag.shape[-1] != size:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {(size,)}")
        lead = np.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc, self.cov_diag = T.expand(loc, *lead, size), T.expand(cov_diag, *lead, size)
        self.cov_factor = T.expand(cov_factor, *lead, size, rank)
        super().__init__(lead, (size,), validate_args)

    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: (self.cov_factor**2).sum(-1) + self.cov_diag)

    @property
    def covariance_matrix(self) -> Any:
        """The whole covariance."""
        return self.cov_factor @ self.cov_factor.mT + as_torch(ops.diag_embed(self.cov_diag))

    @property
    def scale_tril(self) -> Any:
        """Its lower triangular root."""
        return as_torch(ops.cholesky(self.covariance_matrix))

    @property
    def precision_matrix(self) -> Any:
        """Its inverse, by the matrix inversion lemma."""
        solved = linalg.solve_triangular(self._capacitance_tril(), self._scaled_factor().mT, upper=False)
        return as_torch(ops.diag_embed(1 / self.cov_diag)) - solved.mT @ solved

    def _scaled_factor(self) -> Any:
        return self.cov_factor / self.cov_diag.unsqueeze(-1)

    def _capacitance_tril(self) -> Any:
        inner = self.cov_factor.mT @ self._scaled_factor()
        return as_torch(ops.cholesky(inner + T.eye(inner.shape[-1], dtype=inner.dtype)))

    def _log_det(self) -> Any:
        return 2 * log(_diagonal(self._capacitance_tril())).sum(-1) + log(self.cov_diag).sum(-1)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        rank = self.cov_factor.shape[-1]
        low = T.randn(*shape[:-1], rank, dtype=self.loc.dtype)
        own = T.randn(*shape, dtype=self.loc.dtype)
        return self.loc + (self.cov_factor @ low.unsqueeze(-1)).squeeze(-1) + T.sqrt(self.cov_diag) * own  # type: ignore[attr-defined]

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        away = value - self.loc
        inner = self._scaled_factor().mT @ away.unsqueeze(-1)
        tril = T.expand(self._capacitance_tril(), *inner.shape[:-2], inner.shape[-2], inner.shape[-2])
        solved = linalg.solve_triangular(tril, inner, upper=False).squeeze(-1)
        distance = (away**2 / self.cov_diag).sum(-1) - (solved**2).sum(-1)
        return -0.5 * (distance + self._log_det()) - self._event_shape[0] * HALF_LOG_2PI

    def entropy(self) -> Any:
        return self._event_shape[0] * (0.5 + HALF_LOG_2PI) + 0.5 * self._log_det()


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices (Lewandowski, Kurowicka and Joe, 2009).

    Args:
        dim: the size of the matrices, at least 2.
        concentration: 1 for equal density over all correlation matrices, above it for weaker correlations.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_parameters(concentration)
        # Of each row the squared length of what is left of the diagonal, and its direction (the "onion").
        offset = T.cat([T.zeros(1), T.arange(dim - 1).to(self.concentration.dtype)])
        marginal = self.concentration.unsqueeze(-1) + 0.5 * (dim - 2)
        # PyTorch takes `offset + 0.5`, with which later rows are too long and correlations not alike.
        self._beta = Beta(0.5 * (offset + 1), marginal - 0.5 * offset)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    @no_grad()
    def sample(self, sample_shape: Any = ()) -> Any:
        lengths = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = T.randn(*self._extended_shape(sample_shape), dtype=lengths.dtype).tril(-1)
        direction = normal / T.clamp(linalg.norm(normal, dim=-1, keepdim=True), 1e-30)
        rows = T.sqrt(lengths) * direction  # type: ignore[attr-defined]
        tiny = float(jnp.finfo(rows.dtype.np).tiny)
        diagonal = T.sqrt(T.clamp(1 - (rows**2).sum(-1), tiny))  # type: ignore[attr-defined]
        return rows + as_torch(ops.diag_embed(diagonal))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        order = T.arange(2, self.dim + 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = (order * log(_diagonal(value)[..., 1:])).sum(-1)
        below = self.dim - 1
        alpha = self.concentration + 0.5 * below
        upper = special.multigammaln(alpha - 0.5, below)
        return unnormalized - (0.5 * below * math.log(math.pi) + upper - lgamma(alpha) * below)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        concentration = T.expand(self.concentration, *batch_shape)
        return LKJCholesky(self.dim, concentration, validate_args=False)


class Wishart(OfCovariance, ExponentialFamily):
    """The distribution of `X.mT @ X`, where X has `df` rows of normal vectors; one of three matrices is given.

    Args:
        df: degrees of freedom, above the size of the matrices minus 1.
        covariance_matrix: of the vectors.
        precision_matrix: its inverse.
        scale_tril: its lower triangular root.
    """

    has_rsample = True
    support = constraints.positive_definite
    arg_constraints = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.greater_than(0),
    }

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        name, matrix = self._find_matrix(covariance_matrix, precision_matrix, scale_tril)
        if matrix.ndim < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        (df,) = broadcast_parameters(df)
        size = matrix.shape[-1]
        lead = np.broadcast_shapes(matrix.shape[:-2], df.shape)
        self.df = T.expand(df.to(matrix.dtype), *lead)
        if bool((self.df <= size - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        matrix = T.expand(matrix, *lead, size, size)
        self.__dict__[name] = matrix
        super().__init__(lead, (size, size), validate_args)
        self._set_root(name, matrix)

    _size = property(lambda self: self._event_shape[-1])
    mean = property(lambda self: self.df.reshape(*self._batch_shape, 1, 1) * self.covariance_matrix)

    @property
    def mode(self) -> Any:
        factor = self.df - self._size - 1
        factor = T.where(factor <= 0, T.full_like(factor, math.nan), factor)
        return factor.reshape(*self._batch_shape, 1, 1) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        v = self.covariance_matrix
        diagonal = _diagonal(v)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.reshape(*self._batch_shape, 1, 1) * (v**2 + outer)

    def rsample(self, sample_shape: Any = (), max_try_correction: Any = None) -> Any:
        shape, size = self._extended_shape(sample_shape), self._size
        degrees = self.df.unsqueeze(-1) - T.arange(size).to(self.df.dtype)
        squares = 2 * standard_gamma(degrees / 2, shape[:-1])  # Bartlett's decomposition
        lower = T.randn(*shape, dtype=self.df.dtype).tril(-1) + as_torch(ops.diag_embed(T.sqrt(squares)))  # type: ignore[attr-defined]
        root = self._unbroadcasted_scale_tril @ lower
        return root @ root.mT

    def _half_log_det(self) -> Any:
        return log(_diagonal(self._unbroadcasted_scale_tril)).sum(-1)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        nu, p = self.df, self._size
        shape = np.broadcast_shapes(value.shape, self._unbroadcasted_scale_tril.shape)
        root = T.expand(self._unbroadcasted_scale_tril, *shape)
        inner = linalg.solve_triangular(root, T.expand(value, *shape), upper=False)
        trace = _diagonal(linalg.solve_triangular(root.mT, inner, upper=True)).sum(-1)
        norm = nu * (0.5 * p * math.log(2) + self._half_log_det()) + special.multigammaln(nu / 2, p)
        return -norm + 0.5 * (nu - p - 1) * linalg.slogdet(value)[1] - 0.5 * trace

    def entropy(self) -> Any:
        nu, p = self.df, self._size
        digammas = digamma(nu.unsqueeze(-1) / 2 - 0.5 * T.arange(p).to(nu.dtype)).sum(-1)
        rest = special.multigammaln(nu / 2, p) - 0.5 * (nu - p - 1) * digammas + 0.5 * nu * p
        return (p + 1) * (self._half_log_det() + 0.5 * p * math.log(2)) + rest
