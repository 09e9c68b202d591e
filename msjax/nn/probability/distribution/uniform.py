"""The uniform distribution."""

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


class Uniform(Family):
    """The uniform distribution, of density 1 / (high - low) from `low` to `high`.

    Args:
        low (int, float, list, numpy.ndarray, Tensor): the lower end. Default: None, given at each call.
        high (int, float, list, numpy.ndarray, Tensor): the upper end. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Uniform".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `low` is not less than `high`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Uniform
        >>> dist = Uniform(0.0, 2.0)
        >>> print(dist.prob(ms.Tensor([-1.0, 1.0])), dist.mean())
        [0.  0.5] 1.0
    """

    kind, labels = "Uniform", ("low", "high")
    low = parameter("low", "The lower end.")
    high = parameter("high", "The upper end.")

    def __init__(
        self,
        low: Any = None,
        high: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Uniform",
    ) -> None:
        super().__init__({"low": low, "high": high}, seed, dtype, name)
        if low is not None and high is not None:
            given.less(self._low, self._high, f"`{self.name}`: argument `low`", "high")

    @formula
    @staticmethod
    def _range(low: Array, high: Array) -> Array:
        return high - low

    @formula
    @staticmethod
    def _mean(low: Array, high: Array) -> Array:
        return (low + high) / 2.0

    @formula
    @staticmethod
    def _var(low: Array, high: Array) -> Array:
        return jnp.square(high - low) / 12.0

    @formula
    @staticmethod
    def _entropy(low: Array, high: Array) -> Array:
        return jnp.log(high - low)

    @formula
    @staticmethod
    def _prob(value: Array, low: Array, high: Array) -> Array:
        inside = (value >= low) & (value <= high)
        return jnp.where(inside, jnp.ones((), value.dtype) / (high - low), 0)

    @formula
    @staticmethod
    def _cdf(value: Array, low: Array, high: Array) -> Array:
        return jnp.where(value < high, jnp.where(value < low, 0, (value - low) / (high - low)), 1)

    @formula
    @staticmethod
    def _kl_loss(low_b: Array, high_b: Array, low: Array, high: Array) -> Array:
        within = (low_b <= low) & (high <= high_b)
        return jnp.where(within, jnp.log(high_b - low_b) - jnp.log(high - low), math.inf)

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, low: Array, high: Array) -> Array:
        return (high - low) * sample_uniform(key, shape, dtype) + low
