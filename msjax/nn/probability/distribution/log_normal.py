"""The log-normal distribution."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.probability.bijector.exp import Exp
from msjax.nn.probability.distribution.family import Stated
from msjax.nn.probability.distribution.normal import LOG_2_PI, Normal
from msjax.nn.probability.distribution.transformed import TransformedDistribution
from msjax.nn.probability.formulas import drawing, formula, same_kind
from msjax.nn.probability.helpers import parameter
from msjax.ops.random.draws import sample_normal


class LogNormal(Stated, TransformedDistribution):
    """The distribution of exp(X), where X is normal.

    Args:
        loc (int, float, list, numpy.ndarray, Tensor): the mean of X. Default: None, given at each call.
        scale (int, float, list, numpy.ndarray, Tensor): the standard deviation of X, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: 0.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "LogNormal".

    Raises:
        TypeError: if `dtype` is not floating; at a call, if a value is not.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import LogNormal
        >>> dist = LogNormal(0.0, 1.0)
        >>> print(dist.cdf(ms.Tensor([-1.0, 1.0])), dist.mean())
        [0.  0.5] 1.6487212
    """

    kind, labels = "LogNormal", ("loc", "scale")
    loc = parameter("loc", "The mean of the logarithm.")
    scale = parameter("scale", "The standard deviation of the logarithm.")

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = 0,
        dtype: DType = dtypes.float32,
        name: str = "LogNormal",
    ) -> None:
        super().__init__(distribution=Normal(loc, scale, dtype=dtype), bijector=Exp(), seed=seed, name=name)
        self._own({"loc": loc, "scale": scale})

    def _check_value(self, value: Any, name: str) -> Any:
        return self.bijector.checked(value) if name == "value" else super()._check_value(value, name)

    @formula
    @staticmethod
    def _mean(loc: Array, scale: Array) -> Array:
        return jnp.exp(loc + 0.5 * jnp.square(scale))

    @formula
    @staticmethod
    def _mode(loc: Array, scale: Array) -> Array:
        return jnp.exp(loc - jnp.square(scale))

    @formula
    @staticmethod
    def _var(loc: Array, scale: Array) -> Array:
        var = jnp.square(scale)
        return jnp.expm1(var) * jnp.exp(2.0 * loc + var)

    @formula
    @staticmethod
    def _entropy(loc: Array, scale: Array) -> Array:
        return loc + 0.5 + jnp.log(scale) + 0.5 * LOG_2_PI

    @formula
    @staticmethod
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        z = (jnp.log(jnp.where(value > 0, value, 1)) - loc) / scale
        return jnp.where(value > 0, 0.5 * (1.0 + lax.erf(z * math.sqrt(0.5))), 0)

    @formula
    @staticmethod
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        x = jnp.log(value)
        return -0.5 * jnp.square((x - loc) / scale) - 0.5 * LOG_2_PI - jnp.log(scale) - x

    def _kl_loss(
        self,
        dist: str,
        loc_b: Tensor,
        scale_b: Tensor,
        loc_a: Tensor | None = None,
        scale_a: Tensor | None = None,
    ) -> Tensor:
        same_kind(self, dist)
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc_a, scale_a)

    def _cross_entropy(
        self,
        dist: str,
        loc_b: Tensor,
        scale_b: Tensor,
        loc_a: Tensor | None = None,
        scale_a: Tensor | None = None,
    ) -> Tensor:
        return self.entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, loc: Array, scale: Array) -> Array:
        return jnp.exp(loc + scale * sample_normal(key, shape, dtype))
