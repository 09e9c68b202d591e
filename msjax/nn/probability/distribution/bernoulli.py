"""The Bernoulli distribution."""

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


class Bernoulli(Family):
    """The Bernoulli distribution: 1 with probability `probs`, 0 otherwise.

    In calls the parameter is named `probs1`.

    Args:
        probs (float, list, numpy.ndarray, Tensor): probabilities of 1, between 0 and 1. Default: None, given at each call.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, a number type. Default: int32.
        name (str): for messages. Default: "Bernoulli".

    Raises:
        TypeError: if `dtype` is not a number type.
        ValueError: if a probability is not between 0 and 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Bernoulli
        >>> dist = Bernoulli(0.25)
        >>> print(dist.prob(ms.Tensor([0, 1])), dist.mean())
        [0.75 0.25] 0.25
    """

    kind, labels, at_call, allowed = "Bernoulli", ("probs",), ("probs1",), NUMBERS
    rules = {"probs": given.probability}
    probs = parameter("probs", "The probability of 1.")

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.int32,
        name: str = "Bernoulli",
    ) -> None:
        super().__init__({"probs": probs}, seed, dtype, name)

    def dtype_of_values(self) -> DType:
        """Values are compared with probabilities, in their dtype."""
        return self.parameter_type

    @formula
    @staticmethod
    def _mean(probs1: Array) -> Array:
        return probs1

    @formula
    @staticmethod
    def _mode(probs1: Array, dtype: Any) -> Array:
        return (probs1 > 0.5).astype(dtype)

    @formula
    @staticmethod
    def _var(probs1: Array) -> Array:
        return probs1 * (1.0 - probs1)

    @formula
    @staticmethod
    def _entropy(probs1: Array) -> Array:
        probs0 = 1.0 - probs1
        return -(probs0 * jnp.log(probs0)) - probs1 * jnp.log(probs1)

    @formula
    @staticmethod
    def _log_prob(value: Array, probs1: Array) -> Array:
        eps = jnp.finfo(probs1.dtype).eps
        probs1 = jnp.clip(probs1, eps, 1 - eps)
        return jnp.log(probs1) * value + jnp.log(1.0 - probs1) * (1.0 - value)

    @formula
    @staticmethod
    def _cdf(value: Array, probs1: Array) -> Array:
        value, probs0 = jnp.broadcast_arrays(jnp.floor(value), 1.0 - probs1)
        return jnp.where(value < 0, 0, jnp.where(value < 1, probs0, 1))

    @formula
    @staticmethod
    def _kl_loss(probs1_b: Array, probs1: Array) -> Array:
        probs0, probs0_b = 1.0 - probs1, 1.0 - probs1_b
        return probs1 * jnp.log(probs1 / probs1_b) + probs0 * jnp.log(probs0 / probs0_b)

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, probs1: Array) -> Array:
        return sample_uniform(key, shape, dtype) < probs1
