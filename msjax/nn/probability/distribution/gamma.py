"""The gamma distribution."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.layers.gamma import DiGamma
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family, no_number
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.math.special import digamma, igamma, lgamma
from msjax.ops.random.distributions import sample_gamma


class Gamma(Family):
    """The gamma distribution, of density rate^a x^(a - 1) exp(-rate x) / Gamma(a) for x above 0.

    Args:
        concentration (list, numpy.ndarray, Tensor): a, greater than 0. Default: None, given at each call.
        rate (list, numpy.ndarray, Tensor): the inverse of the scale, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Gamma".

    Raises:
        TypeError: if `dtype` is not floating, or a parameter is a plain number.
        ValueError: if a parameter is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Gamma
        >>> dist = Gamma([3.0], [2.0])
        >>> print(dist.mean(), dist.mode(), dist.sample((2,)).shape)
        [1.5] [1.] (2, 1)
    """

    kind, labels = "Gamma", ("concentration", "rate")
    rules = dict.fromkeys(labels, given.positive)
    concentration = parameter("concentration", "The exponent of x, plus 1.")
    rate = parameter("rate", "The inverse of the scale.")

    def __init__(
        self,
        concentration: Any = None,
        rate: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Gamma",
    ) -> None:
        no_number("Gamma", (int, float), concentration=concentration, rate=rate)
        super().__init__({"concentration": concentration, "rate": rate}, seed, dtype, name)
        self.digamma = DiGamma()  # children of MindSpore's, which print

    @formula
    @staticmethod
    def _mean(concentration: Array, rate: Array) -> Array:
        return concentration / rate

    @formula
    @staticmethod
    def _var(concentration: Array, rate: Array) -> Array:
        return concentration / jnp.square(rate)

    @formula
    @staticmethod
    def _sd(concentration: Array, rate: Array) -> Array:
        return jnp.sqrt(concentration) / rate

    @formula
    @staticmethod
    def _mode(concentration: Array, rate: Array) -> Array:
        return jnp.where(concentration > 1, (concentration - 1.0) / rate, math.nan)

    @formula
    @staticmethod
    def _entropy(concentration: Array, rate: Array) -> Array:
        rest = (1.0 - concentration) * digamma.pure(concentration)
        return concentration - jnp.log(rate) + lgamma.pure(concentration) + rest

    @formula
    @staticmethod
    def _log_prob(value: Array, concentration: Array, rate: Array) -> Array:
        norm = lgamma.pure(concentration) - concentration * jnp.log(rate)
        return (concentration - 1.0) * jnp.log(value) - rate * value - norm

    @formula
    @staticmethod
    def _cdf(value: Array, concentration: Array, rate: Array) -> Array:
        return igamma.pure(*jnp.broadcast_arrays(concentration, rate * value))

    @formula
    @staticmethod
    def _kl_loss(concentration_b: Array, rate_b: Array, concentration_a: Array, rate_a: Array) -> Array:
        return (
            (concentration_a - concentration_b) * digamma.pure(concentration_a)
            + lgamma.pure(concentration_b)
            - lgamma.pure(concentration_a)
            + concentration_b * jnp.log(rate_a)
            - concentration_b * jnp.log(rate_b)
            + concentration_a * (rate_b / rate_a - 1.0)
        )

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, concentration: Array, rate: Array) -> Array:
        return sample_gamma(key, (), jnp.broadcast_to(concentration, shape)) / rate
