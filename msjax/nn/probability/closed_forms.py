"""Closed forms of probability distributions: densities, moments, entropies, divergences and draws, over arrays.

They stand here once, for `nn.probability` and for `torch.distributions`. Parameters of a formula say what it takes:

- `value` is where a density or a distribution function is asked for; `icdf` takes a probability under that name;
- names that end in `_b` belong to a second distribution of the same kind;
- the rest are the distribution's own parameters, broadcast to one shape;
- `dtype`, the NumPy dtype of values, is passed to those that have it;
- `sample` takes a random key, the shape of the result and a dtype before them.

Sources: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions (1994, 1995), and Johnson, Kemp and Kotz,
Univariate Discrete Distributions (2005), in the chapter of that distribution; divergences from Gil, Alajaji and Linder,
Rényi divergence measures for commonly used univariate continuous distributions (2013), unless another is named.
"""

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import numpy as np
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.math.special import digamma, igamma, lgamma
from msjax.ops.random.distributions import sample_gamma, sample_poisson
from msjax.ops.random.draws import sample_gumbel, sample_normal, sample_uniform

LOG_2_PI = math.log(2 * math.pi)
EULER = float(np.euler_gamma)


class ClosedForms(dict[str, Callable[..., Array]]):
    """The formulas of one distribution by name: log_prob, cdf, mean, entropy, kl_loss ...

    Args:
        about: which distribution.
        elementwise: whether all arrays of a formula broadcast to one shape.
        formulas: pure functions over arrays.

    Examples:
        >>> from msjax.nn.probability.closed_forms import UNIFORM
        >>> print(UNIFORM["mean"](0.0, 1.0), UNIFORM["entropy"](0.0, 1.0))
        0.5 0.0
    """

    def __init__(self, about: str, elementwise: bool = True, **formulas: Callable[..., Array]) -> None:
        super().__init__(formulas)
        self.__doc__, self.elementwise = about, elementwise
        self._operators: dict[str, Callable] = {}

    def only(self, names: str) -> "ClosedForms":
        """Those of the given names."""
        return ClosedForms(
            self.__doc__ or "", self.elementwise, **{name: self[name] for name in names.split()}
        )

    def operator(self, name: str) -> Callable:
        """Return the formula of that name over Tensors, in the dtype that they promote to.

        Args:
            name: of the formula.
        """
        if name not in self._operators:
            formula = self[name]
            *arrays, last = inspect.signature(formula).parameters
            names = arrays if last == "dtype" else [*arrays, last]

            def pure(*positional: Array, **arrays: Array) -> Array:
                arrays.update(zip(names, positional, strict=False))
                dtype = jnp.result_type(*arrays.values())
                arrays = {each: array.astype(dtype) for each, array in arrays.items()}
                wanted: dict[str, Any] = {"dtype": dtype} if last == "dtype" else {}
                return formula(**arrays, **wanted).astype(dtype)

            self._operators[name] = op(declare_parameters(pure, name, names, ()))
        return self._operators[name]


def declare_parameters(pure: Callable, name: str, arrays: Sequence[str], statics: Sequence[str]) -> Callable:
    """Give a function of `*arrays` a name, and parameters that `op` can read.

    Args:
        pure: the function.
        name: of the operator.
        arrays: names of its arrays.
        statics: names of its other parameters.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    pure.__name__ = pure.__qualname__ = name
    pure.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in (*arrays, *statics)])  # type: ignore[attr-defined]
    return pure


def _at_least_float32(constant: float, like: Array) -> Array:
    """Return a constant that raises half precision to float32."""
    return jnp.asarray(constant, jnp.promote_types(like.dtype, np.float32))


# ---------------------------------------------------------------------- location and scale


def _normal_kl(mean_b: Array, sd_b: Array, mean: Array, sd: Array) -> Array:
    ratio = jnp.log(sd) - jnp.log(sd_b)
    return 0.5 * jnp.square(mean / sd_b - mean_b / sd_b) + 0.5 * jnp.expm1(2 * ratio) - ratio


NORMAL = ClosedForms(
    "The normal distribution.",
    mean=lambda mean, sd: mean,
    mode=lambda mean, sd: mean,
    sd=lambda mean, sd: sd,
    entropy=lambda mean, sd: _at_least_float32(0.5 + 0.5 * LOG_2_PI, sd) + jnp.log(sd),
    log_prob=lambda value, mean, sd, dtype: (
        -0.5 * jnp.square((value - mean) / sd) + (jnp.asarray(-0.5 * LOG_2_PI, dtype) - jnp.log(sd))
    ),
    cdf=lambda value, mean, sd: 0.5 * (1.0 + lax.erf((value - mean) / (sd * math.sqrt(2)))),
    icdf=lambda value, mean, sd: mean + sd * lax.erf_inv(2 * value - 1) * math.sqrt(2),
    kl_loss=_normal_kl,
    sample=lambda key, shape, dtype, mean, sd: mean + sd * sample_normal(key, shape, dtype),
)


def _log_normal_var(loc: Array, scale: Array) -> Array:
    var = jnp.square(scale)
    return jnp.expm1(var) * jnp.exp(2.0 * loc + var)


def _log_normal_cdf(value: Array, loc: Array, scale: Array) -> Array:
    z = (jnp.log(jnp.where(value > 0, value, 1)) - loc) / scale
    return jnp.where(value > 0, 0.5 * (1.0 + lax.erf(z * math.sqrt(0.5))), 0)


def _log_normal_log_prob(value: Array, loc: Array, scale: Array) -> Array:
    x = jnp.log(value)
    return -0.5 * jnp.square((x - loc) / scale) - 0.5 * LOG_2_PI - jnp.log(scale) - x


LOG_NORMAL = ClosedForms(
    "The distribution of exp(X), where X is normal with mean `loc` and standard deviation `scale`.",
    mean=lambda loc, scale: jnp.exp(loc + 0.5 * jnp.square(scale)),
    mode=lambda loc, scale: jnp.exp(loc - jnp.square(scale)),
    var=_log_normal_var,
    entropy=lambda loc, scale: loc + 0.5 + jnp.log(scale) + 0.5 * LOG_2_PI,
    cdf=_log_normal_cdf,
    log_prob=_log_normal_log_prob,
    sample=lambda key, shape, dtype, loc, scale: jnp.exp(loc + scale * sample_normal(key, shape, dtype)),
)


def _half_normal_prob(value: Array, mean: Array, sd: Array) -> Array:
    peak = _at_least_float32(math.sqrt(2 / math.pi), sd) / sd
    return jnp.where(value < 0, 0, peak * jnp.exp(-0.5 * jnp.square((value - mean) / sd)))


HALF_NORMAL = ClosedForms(
    "The right half of a normal density, doubled; zero where x is negative.", prob=_half_normal_prob
)


def _logistic_log_prob(value: Array, loc: Array, scale: Array) -> Array:
    z = (value - loc) / scale
    return -z - 2.0 * jax.nn.softplus(-z) - jnp.log(scale)


def _logistic_sample(key: Array, shape: tuple, dtype: Any, loc: Array, scale: Array) -> Array:
    u = jax.random.uniform(key, shape, dtype, jnp.finfo(dtype).tiny, np.ones((), dtype))
    return (jnp.log(u) - jnp.log1p(-u)) * scale + loc


LOGISTIC = ClosedForms(
    "The logistic distribution.",
    mean=lambda loc, scale: loc,
    mode=lambda loc, scale: loc,
    sd=lambda loc, scale: scale * (math.pi / math.sqrt(3)),
    entropy=lambda loc, scale: jnp.log(scale) + 2.0,
    log_prob=_logistic_log_prob,
    cdf=lambda value, loc, scale: jax.nn.sigmoid((value - loc) / scale),
    log_cdf=lambda value, loc, scale: jax.nn.log_sigmoid((value - loc) / scale),
    survival_function=lambda value, loc, scale: jax.nn.sigmoid(-(value - loc) / scale),
    log_survival=lambda value, loc, scale: jax.nn.log_sigmoid(-(value - loc) / scale),
    sample=_logistic_sample,
)


def _laplace_cdf(value: Array, mean: Array, sd: Array) -> Array:
    z = value - mean
    return 0.5 - 0.5 * jnp.sign(z) * jnp.expm1(-jnp.abs(z) / sd)


def _laplace_icdf(value: Array, mean: Array, sd: Array) -> Array:
    away = value - 0.5
    return mean - sd * jnp.sign(away) * jnp.log1p(-2 * jnp.abs(away))


def _laplace_kl(mean_b: Array, sd_b: Array, mean: Array, sd: Array) -> Array:
    ratio, away = sd / sd_b, jnp.abs(mean - mean_b)
    return -jnp.log(ratio) + away / sd_b + ratio * jnp.exp(-away / sd) - 1


LAPLACE = ClosedForms(
    "The Laplace distribution, `sd` being its scale.",
    entropy=lambda mean, sd: 1 + jnp.log(2 * sd),
    log_prob=lambda value, mean, sd: -jnp.abs((value - mean) / sd) - jnp.log(2.0 * sd),
    cdf=_laplace_cdf,
    icdf=_laplace_icdf,
    kl_loss=_laplace_kl,
)


def _cauchy_kl(loc_b: Array, scale_b: Array, loc_a: Array, scale_a: Array) -> Array:
    squares = jnp.square(scale_a + scale_b) + jnp.square(loc_a - loc_b)
    return jnp.log(squares) - _at_least_float32(math.log(4), scale_a) - jnp.log(scale_a) - jnp.log(scale_b)


def _cauchy_log_cdf(value: Array, loc: Array, scale: Array) -> Array:
    angle = jnp.arctan((value - loc) / scale)
    return jnp.log1p(2.0 * angle / math.pi) - _at_least_float32(math.log(2), angle)


def _cauchy_sample(key: Array, shape: tuple, dtype: Any, loc: Array, scale: Array) -> Array:
    return loc + scale * jnp.tan(math.pi * (sample_uniform(key, shape, dtype) - 0.5))


CAUCHY = ClosedForms(
    "The Cauchy distribution; its divergence is that of Chyzak and Nielsen (2019).",
    mode=lambda loc, scale: loc,
    entropy=lambda loc, scale: jnp.log(scale) + math.log(4 * math.pi),
    log_prob=lambda value, loc, scale: (
        -jnp.log1p(jnp.square((value - loc) / scale)) - jnp.log(math.pi * scale)
    ),
    cdf=lambda value, loc, scale: jnp.arctan2(1.0, (loc - value) / scale) / math.pi,
    log_cdf=_cauchy_log_cdf,
    icdf=lambda value, loc, scale: jnp.tan(math.pi * (value - 0.5)) * scale + loc,
    kl_loss=_cauchy_kl,
    sample=_cauchy_sample,
)


def _gumbel_log_prob(value: Array, loc: Array, scale: Array) -> Array:
    z = (value - loc) / scale
    return jnp.where(z == -math.inf, z, -(z + jnp.exp(-z))) - jnp.log(scale)


def _gumbel_kl(loc_b: Array, scale_b: Array, loc: Array, scale: Array) -> Array:
    ratio = scale / scale_b
    moved = jnp.expm1((loc_b - loc) / scale_b + lgamma.pure(ratio + 1.0))
    return jnp.log(scale_b / scale) + EULER * (ratio - 1.0) + (loc - loc_b) / scale_b + moved


GUMBEL = ClosedForms(
    "The Gumbel distribution of maxima.",
    mean=lambda loc, scale: loc + scale * EULER,
    mode=lambda loc, scale: loc,
    sd=lambda loc, scale: scale * math.pi / _at_least_float32(math.sqrt(6), scale),
    entropy=lambda loc, scale: 1.0 + jnp.log(scale) + EULER,
    log_prob=_gumbel_log_prob,
    cdf=lambda value, loc, scale: jnp.exp(-jnp.exp(-(value - loc) / scale)),
    icdf=lambda value, loc, scale: loc - scale * jnp.log(-jnp.log(value)),
    kl_loss=_gumbel_kl,
    sample=lambda key, shape, dtype, loc, scale: loc + scale * sample_gumbel(key, shape, dtype),
)


def _student_t_log_prob(value: Array, df: Array, mean: Array, sd: Array) -> Array:
    power = -0.5 * (df + 1.0) * jnp.log1p(jnp.square((value - mean) / sd) / df)
    norm = jnp.log(jnp.abs(sd)) + 0.5 * jnp.log(df) + 0.5 * math.log(math.pi)
    return power - (norm + lgamma.pure(0.5 * df) - lgamma.pure(0.5 * (df + 1.0)))


def _student_t_entropy(df: Array, mean: Array, sd: Array) -> Array:
    beta = lgamma.pure(0.5 * df) + math.lgamma(0.5) - lgamma.pure(0.5 * (df + 1))
    spread = 0.5 * (df + 1) * (digamma.pure(0.5 * (df + 1)) - digamma.pure(0.5 * df))
    return jnp.log(sd) + spread + 0.5 * jnp.log(df) + beta


STUDENT_T = ClosedForms(
    "Student's t-distribution, moved by `mean` and stretched by `sd`.",
    entropy=_student_t_entropy,
    log_prob=_student_t_log_prob,
)


# ---------------------------------------------------------------------- intervals and positive numbers


def _uniform_prob(value: Array, low: Array, high: Array) -> Array:
    inside = (value >= low) & (value <= high)
    return jnp.where(inside, jnp.ones((), value.dtype) / (high - low), 0)


def _uniform_cdf(value: Array, low: Array, high: Array) -> Array:
    return jnp.where(value < high, jnp.where(value < low, 0, (value - low) / (high - low)), 1)


def _uniform_kl(low_b: Array, high_b: Array, low: Array, high: Array) -> Array:
    within = (low_b <= low) & (high <= high_b)
    return jnp.where(within, jnp.log(high_b - low_b) - jnp.log(high - low), math.inf)


UNIFORM = ClosedForms(
    "The uniform distribution from `low` to `high`.",
    range=lambda low, high: high - low,
    mean=lambda low, high: (low + high) / 2.0,
    var=lambda low, high: jnp.square(high - low) / 12.0,
    entropy=lambda low, high: jnp.log(high - low),
    prob=_uniform_prob,
    cdf=_uniform_cdf,
    icdf=lambda value, low, high: value * (high - low) + low,
    kl_loss=_uniform_kl,
    sample=lambda key, shape, dtype, low, high: (high - low) * sample_uniform(key, shape, dtype) + low,
)

EXPONENTIAL = ClosedForms(
    "The exponential distribution.",
    mean=lambda rate: 1.0 / rate,
    mode=lambda rate, dtype: jnp.zeros(rate.shape, dtype),
    sd=lambda rate: 1.0 / rate,
    entropy=lambda rate: 1.0 - jnp.log(rate),
    log_prob=lambda value, rate: jnp.where(value < 0, -math.inf, jnp.log(rate) - rate * value),
    cdf=lambda value, rate: jnp.where(value < 0, 0, 1.0 - jnp.exp(-rate * value)),
    log_survival=lambda value, rate: jnp.where(value < 0, 0, -rate * value),
    icdf=lambda value, rate: -jnp.log1p(-value) / rate,
    kl_loss=lambda rate_b, rate: jnp.log(rate) - jnp.log(rate_b) + rate_b / rate - 1.0,
    sample=lambda key, shape, dtype, rate: -jnp.log1p(-sample_uniform(key, shape, dtype)) / rate,
)


def _gamma_entropy(concentration: Array, rate: Array) -> Array:
    rest = (1.0 - concentration) * digamma.pure(concentration)
    return concentration - jnp.log(rate) + lgamma.pure(concentration) + rest


def _gamma_log_prob(value: Array, concentration: Array, rate: Array) -> Array:
    norm = lgamma.pure(concentration) - concentration * jnp.log(rate)
    return (concentration - 1.0) * jnp.log(value) - rate * value - norm


def _gamma_kl(concentration_b: Array, rate_b: Array, concentration_a: Array, rate_a: Array) -> Array:
    return (
        (concentration_a - concentration_b) * digamma.pure(concentration_a)
        + lgamma.pure(concentration_b)
        - lgamma.pure(concentration_a)
        + concentration_b * jnp.log(rate_a)
        - concentration_b * jnp.log(rate_b)
        + concentration_a * (rate_b / rate_a - 1.0)
    )


def _gamma_sample(key: Array, shape: tuple, dtype: Any, concentration: Array, rate: Array) -> Array:
    return sample_gamma(key, (), jnp.broadcast_to(concentration, shape)) / rate


GAMMA = ClosedForms(
    "The gamma distribution of a concentration and a rate.",
    mean=lambda concentration, rate: concentration / rate,
    var=lambda concentration, rate: concentration / jnp.square(rate),
    sd=lambda concentration, rate: jnp.sqrt(concentration) / rate,
    mode=lambda concentration, rate: jnp.where(concentration > 1, (concentration - 1.0) / rate, math.nan),
    entropy=_gamma_entropy,
    log_prob=_gamma_log_prob,
    cdf=lambda value, concentration, rate: igamma.pure(*jnp.broadcast_arrays(concentration, rate * value)),
    kl_loss=_gamma_kl,
    sample=_gamma_sample,
)


def _log_beta(a: Array, b: Array) -> Array:
    """Return the logarithm of the beta function (DLMF 5.12.1), without the cancellation of large arguments."""
    wide = checks.compute_dtype(a.dtype)
    return jsp.betaln(a.astype(wide), b.astype(wide)).astype(a.dtype)


def _beta_var(concentration1: Array, concentration0: Array) -> Array:
    both = concentration1 + concentration0
    return concentration1 * concentration0 / (jnp.square(both) * (both + 1.0))


def _beta_mode(concentration1: Array, concentration0: Array) -> Array:
    mode = (concentration1 - 1.0) / (concentration1 + concentration0 - 2.0)
    return jnp.where((concentration1 > 1) & (concentration0 > 1), mode, math.nan)


def _beta_entropy(concentration1: Array, concentration0: Array) -> Array:
    both = concentration1 + concentration0
    return (
        _log_beta(concentration1, concentration0)
        - (concentration1 - 1.0) * digamma.pure(concentration1)
        - (concentration0 - 1.0) * digamma.pure(concentration0)
        + (both - 2.0) * digamma.pure(both)
    )


def _beta_log_prob(value: Array, concentration1: Array, concentration0: Array) -> Array:
    powers = (concentration1 - 1.0) * jnp.log(value) + (concentration0 - 1.0) * jnp.log1p(-value)
    return powers - _log_beta(concentration1, concentration0)


def _beta_kl(
    concentration1_b: Array, concentration0_b: Array, concentration1_a: Array, concentration0_a: Array
) -> Array:
    both_a, both_b = concentration1_a + concentration0_a, concentration1_b + concentration0_b
    return (
        _log_beta(concentration1_b, concentration0_b)
        - _log_beta(concentration1_a, concentration0_a)
        - digamma.pure(concentration1_a) * (concentration1_b - concentration1_a)
        - digamma.pure(concentration0_a) * (concentration0_b - concentration0_a)
        + digamma.pure(both_a) * (both_b - both_a)
    )


def _beta_sample(key: Array, shape: tuple, dtype: Any, concentration1: Array, concentration0: Array) -> Array:
    both = jnp.stack([concentration1, concentration0], -1)
    drawn = sample_gamma(key, (), jnp.broadcast_to(both, (*shape, 2)))
    return drawn[..., 0] / jnp.sum(drawn, -1)


BETA = ClosedForms(
    "The beta distribution.",
    mean=lambda concentration1, concentration0: concentration1 / (concentration1 + concentration0),
    var=_beta_var,
    mode=_beta_mode,
    entropy=_beta_entropy,
    log_prob=_beta_log_prob,
    kl_loss=_beta_kl,
    sample=_beta_sample,
)


# ---------------------------------------------------------------------- discrete


def _bernoulli_entropy(probs1: Array) -> Array:
    probs0 = 1.0 - probs1
    return -(probs0 * jnp.log(probs0)) - probs1 * jnp.log(probs1)


def _bernoulli_log_prob(value: Array, probs1: Array) -> Array:
    eps = jnp.finfo(probs1.dtype).eps
    probs1 = jnp.clip(probs1, eps, 1 - eps)
    return jnp.log(probs1) * value + jnp.log(1.0 - probs1) * (1.0 - value)


def _bernoulli_cdf(value: Array, probs1: Array) -> Array:
    value, probs0 = jnp.broadcast_arrays(jnp.floor(value), 1.0 - probs1)
    return jnp.where(value < 0, 0, jnp.where(value < 1, probs0, 1))


def _bernoulli_kl(probs1_b: Array, probs1: Array) -> Array:
    probs0, probs0_b = 1.0 - probs1, 1.0 - probs1_b
    return probs1 * jnp.log(probs1 / probs1_b) + probs0 * jnp.log(probs0 / probs0_b)


BERNOULLI = ClosedForms(
    "The Bernoulli distribution.",
    mean=lambda probs1: probs1,
    mode=lambda probs1, dtype: (probs1 > 0.5).astype(dtype),
    var=lambda probs1: probs1 * (1.0 - probs1),
    entropy=_bernoulli_entropy,
    log_prob=_bernoulli_log_prob,
    cdf=_bernoulli_cdf,
    kl_loss=_bernoulli_kl,
    sample=lambda key, shape, dtype, probs1: sample_uniform(key, shape, dtype) < probs1,
)


def _geometric_entropy(probs1: Array) -> Array:
    probs0 = 1.0 - probs1
    return (-probs0 * jnp.log(probs0) - probs1 * jnp.log(probs1)) / probs1


def _geometric_prob(value: Array, probs1: Array) -> Array:
    value = jnp.floor(value)
    return jnp.where(value < 0, 0, jnp.exp(jnp.log(1.0 - probs1) * value + jnp.log(probs1)))


def _geometric_cdf(value: Array, probs1: Array) -> Array:
    value = jnp.floor(value)
    return jnp.where(value < 0, 0, 1.0 - jnp.power(1.0 - probs1, value + 1.0))


def _geometric_kl(probs1_b: Array, probs1: Array) -> Array:
    probs0, probs0_b = 1.0 - probs1, 1.0 - probs1_b
    return jnp.log(probs1 / probs1_b) + probs0 / probs1 * jnp.log(probs0 / probs0_b)


def _geometric_sample(key: Array, shape: tuple, dtype: Any, probs1: Array) -> Array:
    return jnp.floor(jnp.log1p(-sample_uniform(key, shape, dtype)) / jnp.log1p(-probs1))


GEOMETRIC = ClosedForms(
    "The geometric distribution, of the failures before the first success.",
    mean=lambda probs1: (1.0 - probs1) / probs1,
    mode=lambda probs1, dtype: jnp.zeros(probs1.shape, dtype),
    var=lambda probs1: (1.0 - probs1) / jnp.square(probs1),
    entropy=_geometric_entropy,
    prob=_geometric_prob,
    cdf=_geometric_cdf,
    kl_loss=_geometric_kl,
    sample=_geometric_sample,
)


def _poisson_log_prob(value: Array, rate: Array) -> Array:
    count = jnp.maximum(value, 0).astype(rate.dtype)
    return jnp.where(value >= 0, jnp.log(rate) * count - lgamma.pure(count + 1.0), -math.inf) - rate


def _poisson_cdf(value: Array, rate: Array) -> Array:
    count = jnp.maximum(value, 0).astype(rate.dtype)
    return jnp.where(value < 0, 0, 1.0 - igamma.pure(*jnp.broadcast_arrays(1.0 + count, rate)))


POISSON = ClosedForms(
    "The Poisson distribution.",
    mean=lambda rate: rate,
    mode=lambda rate: jnp.floor(rate),
    var=lambda rate: rate,
    log_prob=_poisson_log_prob,
    cdf=_poisson_cdf,
    sample=lambda key, shape, dtype, rate: sample_poisson(key, rate, shape),
)


def _categories(probs: Array) -> Array:
    return jnp.arange(probs.shape[-1], dtype=probs.dtype)


def _at(rows: Array, place: Array) -> Array:
    """Return the element at a place of each row; a place outside counts as the next one inside."""
    shape = jnp.broadcast_shapes(place.shape, rows.shape[:-1])
    index = jnp.clip(place, 0, rows.shape[-1] - 1).astype(np.int32)
    index = jnp.broadcast_to(index, shape)[..., None]
    return jnp.take_along_axis(jnp.broadcast_to(rows, (*shape, rows.shape[-1])), index, -1)[..., 0]


def _categorical_var(probs: Array) -> Array:
    places = _categories(probs)
    mean = jnp.sum(places * probs, -1, keepdims=True)
    return jnp.sum(jnp.square(places) * probs, -1, keepdims=True) - jnp.square(mean)


def _categorical_kl(probs_b: Array, probs: Array) -> Array:
    logits, logits_b = jax.nn.log_softmax(jnp.log(probs)), jax.nn.log_softmax(jnp.log(probs_b))
    return jnp.squeeze(jnp.sum(jnp.exp(logits) * (logits - logits_b), -1))


def _categorical_log_prob(value: Array, probs: Array) -> Array:
    value = jnp.trunc(value)
    outside = (value < 0) | (value > probs.shape[-1] - 1)
    return jnp.where(outside, math.nan, _at(jnp.log(probs), value))


def _categorical_cdf(value: Array, probs: Array) -> Array:
    value = jnp.trunc(value)
    return jnp.where(value < 0, 0, _at(jnp.cumsum(probs, -1), value))


def _categorical_sample(key: Array, shape: tuple, dtype: Any, probs: Array) -> Array:
    return jnp.argmax(lax.stop_gradient(jnp.log(probs)) + sample_gumbel(key, shape, dtype), -1)


CATEGORICAL = ClosedForms(
    "The categorical distribution, of the places in the last dimension of `probs`.",
    elementwise=False,
    mean=lambda probs: jnp.sum(_categories(probs) * probs, -1, keepdims=True),
    mode=lambda probs, dtype: jnp.argmax(probs, -1).astype(dtype),
    var=_categorical_var,
    entropy=lambda probs: jnp.squeeze(-jnp.sum(jnp.log(probs) * probs, -1)),
    kl_loss=_categorical_kl,
    log_prob=_categorical_log_prob,
    cdf=_categorical_cdf,
    sample=_categorical_sample,
)
