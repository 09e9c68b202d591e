"""The Laplace distribution."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import formula


class Laplace(Family):
    """The Laplace distribution, of density exp(-|x - mean| / sd) / (2 sd).

    It has `prob` and `log_prob`.

    Args:
        mean (int, float, list, numpy.ndarray, Tensor): the mean. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the scale, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Laplace".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `sd` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Laplace
        >>> print(Laplace(0.0, 1.0).prob(ms.Tensor([0.0])))
        [0.5]
    """

    stored = "_{}_value"
    rules = {"sd": given.positive}

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "Laplace",
    ) -> None:
        super().__init__({"mean": mean, "sd": sd}, seed, dtype, name)

    @formula
    @staticmethod
    def _log_prob(value: Array, mean: Array, sd: Array) -> Array:
        return -jnp.abs((value - mean) / sd) - jnp.log(2.0 * sd)
