"""The Gumbel distribution."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability.bijector.gumbel_cdf import GumbelCDF
from msjax.nn.probability.bijector.invert import Invert
from msjax.nn.probability.distribution.family import FLOATS, Stated, a_dtype
from msjax.nn.probability.distribution.transformed import TransformedDistribution
from msjax.nn.probability.distribution.uniform import Uniform
from msjax.nn.probability.formulas import drawing, formula, total
from msjax.nn.probability.helpers import parameter
from msjax.ops.math.special import lgamma
from msjax.ops.random.draws import sample_gumbel

_EULER = float(np.euler_gamma)


class Gumbel(Stated, TransformedDistribution):
    """The Gumbel distribution, whose distribution function is exp(-exp(-(x - loc) / scale)).

    Its parameters are those it was made with; calls do not replace them.

    Args:
        loc (float, list, numpy.ndarray, Tensor): the mode.
        scale (float, list, numpy.ndarray, Tensor): the scale, greater than 0.
        seed (int): selects a separate random stream. Default: 0.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Gumbel".

    Raises:
        TypeError: if `dtype` or a parameter is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Gumbel
        >>> dist = Gumbel(0.0, 1.0)
        >>> print(dist.cdf(ms.Tensor([0.0])), dist.mode())
        [0.36787945] 0.0
    """

    kind, labels, fixed = "Gumbel", ("loc", "scale"), True
    loc = parameter("loc", "The mode.")
    scale = parameter("scale", "The scale.")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        seed: int | None = 0,
        dtype: DType = dtypes.float32,
        name: str = "Gumbel",
    ) -> None:
        a_dtype(type(self).__name__, dtype, FLOATS)
        gumbel_cdf = GumbelCDF(loc, scale)
        super().__init__(
            distribution=Uniform(0.0, 1.0, dtype=dtype), bijector=Invert(gumbel_cdf), seed=seed, name=name
        )
        self._own({"loc": loc, "scale": scale})
        self._gumbel_bijector = gumbel_cdf

    @formula
    @staticmethod
    def _mean(loc: Array, scale: Array) -> Array:
        return loc + scale * _EULER

    @formula
    @staticmethod
    def _mode(loc: Array, scale: Array) -> Array:
        return loc

    @formula
    @staticmethod
    def _sd(loc: Array, scale: Array) -> Array:
        return scale * math.pi / np.float32(math.sqrt(6))

    @formula
    @staticmethod
    def _entropy(loc: Array, scale: Array) -> Array:
        return 1.0 + jnp.log(scale) + _EULER

    @formula
    @staticmethod
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        z = (value - loc) / scale
        return jnp.where(z == -math.inf, z, -(z + jnp.exp(-z))) - jnp.log(scale)

    @formula
    @staticmethod
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jnp.exp(-jnp.exp(-(value - loc) / scale))

    @formula
    @staticmethod
    def _kl_loss(loc_b: Array, scale_b: Array, loc: Array, scale: Array) -> Array:
        ratio = scale / scale_b
        moved = jnp.expm1((loc_b - loc) / scale_b + lgamma.pure(ratio + 1.0))
        return jnp.log(scale_b / scale) + _EULER * (ratio - 1.0) + (loc - loc_b) / scale_b + moved

    _cross_entropy = total(_entropy, _kl_loss)

    @drawing
    @staticmethod
    def _sample(key: Array, shape: tuple, dtype: Any, loc: Array, scale: Array) -> Array:
        return loc + scale * sample_gumbel(key, shape, dtype)
