"""The half-normal distribution."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import formula


class HalfNormal(Family):
    """The half-normal distribution: density sqrt(2 / pi) exp(-((x - mean) / sd)^2 / 2) / sd where x is at least 0.

    It has `prob` and `log_prob`.

    Args:
        mean (int, float, list, numpy.ndarray, Tensor): where the bell has its middle. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the width of the bell, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "HalfNormal".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `sd` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import HalfNormal
        >>> print(HalfNormal(0.0, 1.0).prob(ms.Tensor([-1.0, 0.0])))
        [0.        0.7978846]
    """

    stored = "_{}_value"
    rules = {"sd": given.positive}

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "HalfNormal",
    ) -> None:
        super().__init__({"mean": mean, "sd": sd}, seed, dtype, name)

    @formula
    @staticmethod
    def _prob(value: Array, mean: Array, sd: Array) -> Array:
        bell = np.float32(math.sqrt(2 / math.pi)) / sd * jnp.exp(-0.5 * jnp.square((value - mean) / sd))
        return jnp.where(value < 0, 0, bell)
