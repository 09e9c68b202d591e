"""The normal distribution."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.ops.random.draws import sample_normal

LOG_2_PI = math.log(2 * math.pi)


class Normal(Family):
    """The normal distribution, of density exp(-((x - mean) / sd)^2 / 2) / (sd sqrt(2 pi)).

    Args:
        mean (int, float, list, numpy.ndarray, Tensor): the mean. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the standard deviation, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Normal".

    Raises:
        TypeError: if `dtype` is not floating, or the parameters differ in dtype.
        ValueError: if `sd` is not positive, or the parameters do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Normal
        >>> dist = Normal(3.0, [1.0, 2.0])
        >>> print(dist.cdf(ms.Tensor(3.0)), dist.sample((5,)).shape)
        [0.5 0.5] (5, 2)
        >>> print(dist.kl_loss("Normal", ms.Tensor(3.0), ms.Tensor(1.0)))
        [0.        0.8068528]
    """

    kind, labels, stored = "Normal", ("mean", "standard deviation"), "_{}_value"
    rules = {"sd": given.positive}

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Normal",
    ) -> None:
        super().__init__({"mean": mean, "sd": sd}, seed, dtype, name)

    @formula
    @staticmethod
    def _mean(mean: Array, sd: Array) -> Array:
        return mean

    @formula
    @staticmethod
    def _mode(mean: Array, sd: Array) -> Array:
        return mean

    @formula
    @staticmethod
    def _sd(mean: Array, sd: Array) -> Array:
        return sd

    @formula
    @staticmethod
    def _entropy(mean: Array, sd: Array) -> Array:
        return np.float32(0.5 + 0.5 * LOG_2_PI) + jnp.log(sd)

    @formula
    @staticmethod
    def _log_prob(value: Array, mean: Array, sd: Array, dtype: Any) -> Array:
        return -0.5 * jnp.square((value - mean) / sd) + (jnp.asarray(-0.5 * LOG_2_PI, dtype) - jnp.log(sd))

    @formula
    @staticmethod
    def _cdf(value: Array, mean: Array, sd: Array) -> Array:
        return 0.5 * (1.0 + lax.erf((value - mean) / (sd * math.sqrt(2))))

    @formula
    @staticmethod
    def _kl_loss(mean_b: Array, sd_b: Array, mean: Array, sd: Array) -> Array:
        ratio = jnp.log(sd) - jnp.log(sd_b)
        return 0.5 * jnp.square(mean / sd_b - mean_b / sd_b) + 0.5 * jnp.expm1(2 * ratio) - ratio

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, mean: Array, sd: Array) -> Array:
        return mean + sd * sample_normal(key, shape, dtype)
