"""Gumbel CDF bijector."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.nn.probability import given
from msjax.nn.probability.bijector.bijector import Bijector, made_with
from msjax.nn.probability.formulas import mapping
from msjax.nn.probability.helpers import parameter


class GumbelCDF(Bijector):
    """The map g(x) = exp(-exp(-(x - loc) / scale)).

    Args:
        loc (float, list, numpy.ndarray, Tensor): the mode of the distribution. Default: 0.0.
        scale (float, list, numpy.ndarray, Tensor): its scale, greater than 0. Default: 1.0.
        name (str): for messages. Default: "GumbelCDF".

    Raises:
        TypeError: if a parameter is not floating, or they differ in dtype; at a call, if the value is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import GumbelCDF
        >>> print(GumbelCDF(1.0, 2.0).forward(ms.Tensor([1.0])))
        [0.36787945]
    """

    labels = ("loc", "scale")
    rules = {"scale": given.positive}
    loc = parameter("loc", "The mode of the distribution.")
    scale = parameter("scale", "The scale of the distribution.")

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name=name, param=made_with(name, loc=loc, scale=scale))
        self._add_parameter(loc, "loc")
        self._add_parameter(scale, "scale")

    @mapping
    @staticmethod
    def _forward(x: Array, loc: Array, scale: Array) -> Array:
        return jnp.exp(-jnp.exp(-(x - loc) / scale))

    @mapping
    @staticmethod
    def _inverse(y: Array, loc: Array, scale: Array) -> Array:
        return loc - scale * jnp.log(-jnp.log(y))

    @mapping
    @staticmethod
    def _forward_log_jacobian(x: Array, loc: Array, scale: Array) -> Array:
        z = (x - loc) / scale
        return -z - jnp.exp(-z) - jnp.log(scale)

    @mapping
    @staticmethod
    def _inverse_log_jacobian(y: Array, loc: Array, scale: Array) -> Array:
        return jnp.log(scale) - jnp.log(-y * jnp.log(y))
