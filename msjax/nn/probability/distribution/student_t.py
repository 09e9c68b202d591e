"""Student's t-distribution."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.formulas import formula
from msjax.ops.math.special import lgamma


class StudentT(Family):
    """Student's t-distribution, moved by `mean` and stretched by `sd`.

    Its density is proportional to (1 + ((x - mean) / sd)^2 / df)^(-(df + 1) / 2). It has `prob` and `log_prob`.

    Args:
        df (int, float, list, numpy.ndarray, Tensor): degrees of freedom, greater than 0. Default: None, given at each call.
        mean (int, float, list, numpy.ndarray, Tensor): the middle. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the scale, greater than 0. Default: None.
        seed (int): selects a separate random stream. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "StudentT".

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `df` or `sd` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import StudentT
        >>> print(StudentT(2.0, 0.0, 1.0).prob(ms.Tensor([0.0])).round(4))
        [0.3536]
    """

    stored = "_{}_value"
    rules = {"sd": given.positive, "df": given.positive}

    def __init__(
        self,
        df: Any = None,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: DType = dtypes.float32,
        name: str = "StudentT",
    ) -> None:
        super().__init__({"df": df, "mean": mean, "sd": sd}, seed, dtype, name)

    @formula
    @staticmethod
    def _log_prob(value: Array, df: Array, mean: Array, sd: Array) -> Array:
        power = -0.5 * (df + 1.0) * jnp.log1p(jnp.square((value - mean) / sd) / df)
        norm = jnp.log(jnp.abs(sd)) + 0.5 * jnp.log(df) + 0.5 * math.log(math.pi)
        return power - (norm + lgamma.pure(0.5 * df) - lgamma.pure(0.5 * (df + 1.0)))
