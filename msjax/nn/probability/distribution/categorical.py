"""The categorical distribution."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import NUMBERS, Family
from msjax.nn.probability.formulas import drawing, rowwise, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.random.draws import sample_gumbel


class Categorical(Family):
    """The categorical distribution: place i with probability probs[..., i].

    Args:
        probs (list, numpy.ndarray, Tensor): probabilities between 0 and 1 that sum to one in the last dimension.
            Default: None, given at each call.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, a number type. Default: int32.
        name (str): for messages. Default: "Categorical".

    Raises:
        TypeError: if `dtype` is not a number type.
        ValueError: if `probs` is a scalar, does not sum to one, or has a value that is not between 0 and 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Categorical
        >>> dist = Categorical([0.25, 0.75])
        >>> print(dist.prob(ms.Tensor([0, 1])), dist.mode(), dist.sample((4,)).shape)
        [0.25 0.75] 1 (4,)
    """

    kind, labels, allowed = "Categorical", ("probs",), NUMBERS
    probs = parameter("probs", "The probabilities.")

    def __init__(
        self,
        probs: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.int32,
        name: str = "Categorical",
    ) -> None:
        super().__init__({"probs": probs}, seed, dtype, name)
        if self._probs is None:
            return
        given.ranked(self._probs)
        given.probability(self._probs, f"`{self.name}`: argument `probs`")
        given.sums_to_one(probs)
        self._is_scalar_batch = self._is_scalar_batch or self._probs.ndim == 1
        self._broadcast_shape = self.batch_shape[:-1]  # type: ignore[index]

    def dtype_of_values(self) -> DType:
        """Places are compared in the dtype of probabilities, so that 1.5 is place 1."""
        return self.parameter_type

    @rowwise
    @staticmethod
    def _mean(probs: Array) -> Array:
        return jnp.sum(_places(probs) * probs, -1, keepdims=True)

    @rowwise
    @staticmethod
    def _mode(probs: Array, dtype: Any) -> Array:
        return jnp.argmax(probs, -1).astype(dtype)

    @rowwise
    @staticmethod
    def _var(probs: Array) -> Array:
        places = _places(probs)
        mean = jnp.sum(places * probs, -1, keepdims=True)
        return jnp.sum(jnp.square(places) * probs, -1, keepdims=True) - jnp.square(mean)

    @rowwise
    @staticmethod
    def _entropy(probs: Array) -> Array:
        return jnp.squeeze(-jnp.sum(jnp.log(probs) * probs, -1))

    @rowwise
    @staticmethod
    def _kl_loss(probs_b: Array, probs: Array) -> Array:
        logits, logits_b = jax.nn.log_softmax(jnp.log(probs)), jax.nn.log_softmax(jnp.log(probs_b))
        return jnp.squeeze(jnp.sum(jnp.exp(logits) * (logits - logits_b), -1))

    _cross_entropy = total(_entropy, _kl_loss)

    @rowwise
    @staticmethod
    def _log_prob(value: Array, probs: Array) -> Array:
        value = jnp.trunc(value)
        outside = (value < 0) | (value > probs.shape[-1] - 1)
        return jnp.where(outside, math.nan, _at(jnp.log(probs), value))

    @rowwise
    @staticmethod
    def _cdf(value: Array, probs: Array) -> Array:
        value = jnp.trunc(value)
        return jnp.where(value < 0, 0, _at(jnp.cumsum(probs, -1), value))

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, probs: Array) -> Array:
        noise = sample_gumbel(key, shape, dtype)
        return jnp.argmax(lax.stop_gradient(jnp.log(probs)) + noise, -1)


def _places(probs: Array) -> Array:
    return jnp.arange(probs.shape[-1], dtype=probs.dtype)


def _at(rows: Array, place: Array) -> Array:
    """The element at a place of each row; a place outside counts as the next one inside."""
    shape = jnp.broadcast_shapes(place.shape, rows.shape[:-1])
    index = jnp.clip(place, 0, rows.shape[-1] - 1).astype(np.int32)
    index = jnp.broadcast_to(index, shape)[..., None]
    return jnp.take_along_axis(jnp.broadcast_to(rows, (*shape, rows.shape[-1])), index, -1)[..., 0]
