"""The Cauchy distribution."""

import math
from typing import Any, NoReturn

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.random.draws import sample_uniform


class Cauchy(Family):
    """The Cauchy distribution, of density 1 / (pi scale (1 + ((x - loc) / scale)^2)).

    It has no mean and no variance; to ask for them raises ValueError.

    Args:
        loc (int, float, list, numpy.ndarray, Tensor): the median. Default: None, given at each call.
        scale (int, float, list, numpy.ndarray, Tensor): half the distance of the quartiles, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Cauchy".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Cauchy
        >>> print(Cauchy(0.0, 1.0).cdf(ms.Tensor([0.0, 1.0])))
        [0.5  0.75]
    """

    kind, labels = "Cauchy", ("location", "scale")
    rules = {"scale": given.positive}
    loc = parameter("loc", "The median.")
    scale = parameter("scale", "Half the distance of the quartiles.")

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Cauchy",
    ) -> None:
        super().__init__({"loc": loc, "scale": scale}, seed, dtype, name)

    def _mean(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("The mean of a Cauchy distribution is undefined. Its `mode` is defined.")

    def _sd(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("The standard deviation of a Cauchy distribution is undefined. Use its `scale`.")

    def _var(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("The variance of a Cauchy distribution is undefined. Use its `scale`.")

    @formula
    @staticmethod
    def _mode(loc: Array, scale: Array) -> Array:
        return loc

    @formula
    @staticmethod
    def _entropy(loc: Array, scale: Array) -> Array:
        return jnp.log(scale) + math.log(4 * math.pi)

    @formula
    @staticmethod
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        return -jnp.log1p(jnp.square((value - loc) / scale)) - jnp.log(math.pi * scale)

    @formula
    @staticmethod
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jnp.arctan2(1.0, (loc - value) / scale) / math.pi

    @formula
    @staticmethod
    def _log_cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jnp.log1p(2.0 * jnp.arctan((value - loc) / scale) / math.pi) - np.float32(math.log(2))

    @formula
    @staticmethod
    def _kl_loss(loc_b: Array, scale_b: Array, loc_a: Array, scale_a: Array) -> Array:
        squares = jnp.square(scale_a + scale_b) + jnp.square(loc_a - loc_b)
        return jnp.log(squares) - np.float32(math.log(4)) - jnp.log(scale_a) - jnp.log(scale_b)

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, loc: Array, scale: Array) -> Array:
        return loc + scale * jnp.tan(math.pi * (sample_uniform(key, shape, dtype) - 0.5))
