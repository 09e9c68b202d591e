"""The exponential distribution."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.random.draws import sample_uniform


class Exponential(Family):
    """The exponential distribution, of density rate exp(-rate x) for x at least 0.

    Args:
        rate (int, float, list, numpy.ndarray, Tensor): the inverse of the mean, greater than 0. Default: None, given at
            each call.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Exponential".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `rate` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Exponential
        >>> dist = Exponential(0.5)
        >>> print(dist.mean(), dist.log_survival(ms.Tensor([-1.0, 1.0])))
        2.0 [ 0.  -0.5]
    """

    kind, labels = "Exponential", ("rate",)
    rules = {"rate": given.positive}
    rate = parameter("rate", "The inverse of the mean.")

    def __init__(
        self,
        rate: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Exponential",
    ) -> None:
        super().__init__({"rate": rate}, seed, dtype, name)

    @formula
    @staticmethod
    def _mean(rate: Array) -> Array:
        return 1.0 / rate

    @formula
    @staticmethod
    def _mode(rate: Array, dtype: Any) -> Array:
        return jnp.zeros(rate.shape, dtype)

    @formula
    @staticmethod
    def _sd(rate: Array) -> Array:
        return 1.0 / rate

    @formula
    @staticmethod
    def _entropy(rate: Array) -> Array:
        return 1.0 - jnp.log(rate)

    @formula
    @staticmethod
    def _log_prob(value: Array, rate: Array) -> Array:
        return jnp.where(value < 0, -math.inf, jnp.log(rate) - rate * value)

    @formula
    @staticmethod
    def _cdf(value: Array, rate: Array) -> Array:
        return jnp.where(value < 0, 0, 1.0 - jnp.exp(-rate * value))

    @formula
    @staticmethod
    def _log_survival(value: Array, rate: Array) -> Array:
        return jnp.where(value < 0, 0, -rate * value)

    @formula
    @staticmethod
    def _kl_loss(rate_b: Array, rate: Array) -> Array:
        return jnp.log(rate) - jnp.log(rate_b) + rate_b / rate - 1.0

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, rate: Array) -> Array:
        return -jnp.log1p(-sample_uniform(key, shape, dtype)) / rate
