"""The logistic distribution."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import drawing, formula
from msjax.nn.probability.helpers import parameter


class Logistic(Family):
    """The logistic distribution, whose distribution function is sigmoid((x - loc) / scale).

    Args:
        loc (int, float, list, numpy.ndarray, Tensor): the mean. Default: None, given at each call.
        scale (int, float, list, numpy.ndarray, Tensor): the scale, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Logistic".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Logistic
        >>> print(Logistic(0.0, 1.0).cdf(ms.Tensor([0.0, 100.0])))
        [0.5 1. ]
    """

    kind, labels = "Logistic", ("location", "scale")
    rules = {"scale": given.positive}
    loc = parameter("loc", "The mean.")
    scale = parameter("scale", "The scale.")

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Logistic",
    ) -> None:
        super().__init__({"loc": loc, "scale": scale}, seed, dtype, name)

    @formula
    @staticmethod
    def _mean(loc: Array, scale: Array) -> Array:
        return loc

    @formula
    @staticmethod
    def _mode(loc: Array, scale: Array) -> Array:
        return loc

    @formula
    @staticmethod
    def _sd(loc: Array, scale: Array) -> Array:
        return scale * (math.pi / math.sqrt(3))

    @formula
    @staticmethod
    def _entropy(loc: Array, scale: Array) -> Array:
        return jnp.log(scale) + 2.0

    @formula
    @staticmethod
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        z = (value - loc) / scale
        return -z - 2.0 * jax.nn.softplus(-z) - jnp.log(scale)

    @formula
    @staticmethod
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jax.nn.sigmoid((value - loc) / scale)

    @formula
    @staticmethod
    def _log_cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jax.nn.log_sigmoid((value - loc) / scale)

    @formula
    @staticmethod
    def _survival_function(value: Array, loc: Array, scale: Array) -> Array:
        return jax.nn.sigmoid(-(value - loc) / scale)

    @formula
    @staticmethod
    def _log_survival(value: Array, loc: Array, scale: Array) -> Array:
        return jax.nn.log_sigmoid(-(value - loc) / scale)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, loc: Array, scale: Array) -> Array:
        u = jax.random.uniform(key, shape, dtype, jnp.finfo(dtype).tiny, np.ones((), dtype))
        return (jnp.log(u) - jnp.log1p(-u)) * scale + loc
