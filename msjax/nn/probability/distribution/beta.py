"""The beta distribution."""

import math
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.layers.gamma import DiGamma, LBeta
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family, no_number
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.common import checks
from msjax.ops.math.special import digamma
from msjax.ops.random.distributions import sample_gamma


class Beta(Family):
    """The beta distribution, of density x^(a - 1) (1 - x)^(b - 1) / B(a, b) on [0, 1].

    Args:
        concentration1 (int, list, numpy.ndarray, Tensor): a, greater than 0. Default: None, given at each call.
        concentration0 (int, list, numpy.ndarray, Tensor): b, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Beta".

    Raises:
        TypeError: if `dtype` is not floating, or a parameter is a plain float.
        ValueError: if a parameter is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Beta
        >>> dist = Beta([2.0], [3.0])
        >>> print(dist.mean(), dist.var())
        [0.4] [0.04]
    """

    kind, labels = "Beta", ("concentration1", "concentration0")
    rules = dict.fromkeys(labels, given.positive)
    concentration1 = parameter("concentration1", "The exponent of x, plus 1.")
    concentration0 = parameter("concentration0", "The exponent of 1 - x, plus 1.")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Beta",
    ) -> None:
        no_number("Beta", (float,), concentration1=concentration1, concentration0=concentration0)
        super().__init__(
            {"concentration1": concentration1, "concentration0": concentration0}, seed, dtype, name
        )
        self.digamma, self.lbeta = DiGamma(), LBeta()  # children of MindSpore's, which print

    @formula
    @staticmethod
    def _mean(concentration1: Array, concentration0: Array) -> Array:
        return concentration1 / (concentration1 + concentration0)

    @formula
    @staticmethod
    def _var(concentration1: Array, concentration0: Array) -> Array:
        both = concentration1 + concentration0
        return concentration1 * concentration0 / (jnp.square(both) * (both + 1.0))

    @formula
    @staticmethod
    def _mode(concentration1: Array, concentration0: Array) -> Array:
        mode = (concentration1 - 1.0) / (concentration1 + concentration0 - 2.0)
        return jnp.where((concentration1 > 1) & (concentration0 > 1), mode, math.nan)

    @formula
    @staticmethod
    def _entropy(concentration1: Array, concentration0: Array) -> Array:
        both = concentration1 + concentration0
        return (
            _lbeta(concentration1, concentration0)
            - (concentration1 - 1.0) * digamma.pure(concentration1)
            - (concentration0 - 1.0) * digamma.pure(concentration0)
            + (both - 2.0) * digamma.pure(both)
        )

    @formula
    @staticmethod
    def _log_prob(value: Array, concentration1: Array, concentration0: Array) -> Array:
        powers = (concentration1 - 1.0) * jnp.log(value) + (concentration0 - 1.0) * jnp.log1p(-value)
        return powers - _lbeta(concentration1, concentration0)

    @formula
    @staticmethod
    def _kl_loss(
        concentration1_b: Array, concentration0_b: Array, concentration1_a: Array, concentration0_a: Array
    ) -> Array:
        both_a, both_b = concentration1_a + concentration0_a, concentration1_b + concentration0_b
        return (
            _lbeta(concentration1_b, concentration0_b)
            - _lbeta(concentration1_a, concentration0_a)
            - digamma.pure(concentration1_a) * (concentration1_b - concentration1_a)
            - digamma.pure(concentration0_a) * (concentration0_b - concentration0_a)
            + digamma.pure(both_a) * (both_b - both_a)
        )

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, concentration1: Array, concentration0: Array) -> Array:
        both = jnp.stack([concentration1, concentration0], -1)
        drawn = sample_gamma(key, (), jnp.broadcast_to(both, (*shape, 2)))
        return drawn[..., 0] / jnp.sum(drawn, -1)


def _lbeta(a: Array, b: Array) -> Array:
    """The logarithm of the beta function (DLMF 5.12.1), without the cancellation of large arguments."""
    wide = checks.wide(a.dtype)
    return jsp.betaln(a.astype(wide), b.astype(wide)).astype(a.dtype)
