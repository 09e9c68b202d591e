"""The Poisson distribution."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import NUMBERS, Family, no_number
from msjax.nn.probability.formulas import drawing, formula
from msjax.nn.probability.helpers import parameter
from msjax.ops.math.special import igamma, lgamma
from msjax.ops.random.distributions import sample_poisson


class Poisson(Family):
    """The Poisson distribution: k with probability rate^k exp(-rate) / k!.

    Args:
        rate (list, numpy.ndarray, Tensor): the mean, greater than 0. Default: None, given at each call.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, a number type. Default: float32.
        name (str): for messages. Default: "Poisson".

    Raises:
        TypeError: if `dtype` is not a number type, or `rate` a plain number.
        ValueError: if `rate` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Poisson
        >>> dist = Poisson([2.5])
        >>> print(dist.mode(), dist.var())
        [2.] [2.5]
    """

    kind, labels, allowed = "Poisson", ("rate",), NUMBERS
    rules = {"rate": given.positive}
    rate = parameter("rate", "The mean.")

    def __init__(
        self,
        rate: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Poisson",
    ) -> None:
        no_number("Poisson", (int, float), rate=rate)
        super().__init__({"rate": rate}, seed, dtype, name)

    @formula
    @staticmethod
    def _mean(rate: Array) -> Array:
        return rate

    @formula
    @staticmethod
    def _mode(rate: Array) -> Array:
        return jnp.floor(rate)

    @formula
    @staticmethod
    def _var(rate: Array) -> Array:
        return rate

    @formula
    @staticmethod
    def _log_prob(value: Array, rate: Array) -> Array:
        count = jnp.maximum(value, 0).astype(rate.dtype)
        return jnp.where(value >= 0, jnp.log(rate) * count - lgamma.pure(count + 1.0), -math.inf) - rate

    @formula
    @staticmethod
    def _cdf(value: Array, rate: Array) -> Array:
        count = jnp.maximum(value, 0).astype(rate.dtype)
        return jnp.where(value < 0, 0, 1.0 - igamma.pure(*jnp.broadcast_arrays(1.0 + count, rate)))

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, rate: Array) -> Array:
        return sample_poisson(key, rate, shape)
