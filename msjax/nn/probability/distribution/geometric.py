"""The geometric distribution."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import NUMBERS, Family
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.random.draws import sample_uniform


class Geometric(Family):
    """The geometric distribution: k failures before the first success, with probability (1 - probs)^k probs.

    In calls the parameter is named `probs1`.

    Args:
        probs (float, list, numpy.ndarray, Tensor): probabilities of success, between 0 and 1. Default: None, given at
            each call.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, a number type. Default: int32.
        name (str): for messages. Default: "Geometric".

    Raises:
        TypeError: if `dtype` is not a number type.
        ValueError: if a probability is not between 0 and 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Geometric
        >>> dist = Geometric(0.5)
        >>> print(dist.cdf(ms.Tensor([-1.0, 0.0, 1.0])), dist.mean())
        [0.   0.5  0.75] 1.0
    """

    kind, labels, at_call, allowed = "Geometric", ("probs",), ("probs1",), NUMBERS
    rules = {"probs": given.probability}
    probs = parameter("probs", "The probability of success.")

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.int32,
        name: str = "Geometric",
    ) -> None:
        super().__init__({"probs": probs}, seed, dtype, name)

    def dtype_of_values(self) -> DType:
        """Numbers of failures take part in formulas with probabilities, in their dtype."""
        return self.parameter_type

    @formula
    @staticmethod
    def _mean(probs1: Array) -> Array:
        return (1.0 - probs1) / probs1

    @formula
    @staticmethod
    def _mode(probs1: Array, dtype: Any) -> Array:
        return jnp.zeros(probs1.shape, dtype)

    @formula
    @staticmethod
    def _var(probs1: Array) -> Array:
        return (1.0 - probs1) / jnp.square(probs1)

    @formula
    @staticmethod
    def _entropy(probs1: Array) -> Array:
        probs0 = 1.0 - probs1
        return (-probs0 * jnp.log(probs0) - probs1 * jnp.log(probs1)) / probs1

    @formula
    @staticmethod
    def _prob(value: Array, probs1: Array) -> Array:
        value = jnp.floor(value)
        return jnp.where(value < 0, 0, jnp.exp(jnp.log(1.0 - probs1) * value + jnp.log(probs1)))

    @formula
    @staticmethod
    def _cdf(value: Array, probs1: Array) -> Array:
        value = jnp.floor(value)
        return jnp.where(value < 0, 0, 1.0 - jnp.power(1.0 - probs1, value + 1.0))

    @formula
    @staticmethod
    def _kl_loss(probs1_b: Array, probs1: Array) -> Array:
        probs0, probs0_b = 1.0 - probs1, 1.0 - probs1_b
        return jnp.log(probs1 / probs1_b) + probs0 / probs1 * jnp.log(probs0 / probs0_b)

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, probs1: Array) -> Array:
        return jnp.floor(jnp.log1p(-sample_uniform(key, shape, dtype)) / jnp.log1p(-probs1))
