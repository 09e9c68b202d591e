"""Power transform bijector."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.nn.probability import given
from msjax.nn.probability.bijector.bijector import Bijector, made_with
from msjax.nn.probability.formulas import mapping
from msjax.nn.probability.helpers import parameter


class PowerTransform(Bijector):
    """The map g(x) = (1 + x c)^(1 / c), and exp(x) for c = 0, which is the limit.

    Args:
        power (float, list, numpy.ndarray, Tensor): c, at least 0. Default: 0.0.
        name (str): for messages. Default: "PowerTransform".

    Raises:
        TypeError: if `power` is not floating; at a call, if the value is not.
        ValueError: if `power` is negative.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import PowerTransform
        >>> print(PowerTransform(0.5).forward(ms.Tensor([0.0, 2.0])))
        [1. 4.]
    """

    labels = ("power",)
    rules = {"power": given.not_negative}
    power = parameter("power", "c.")

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name=name, param=made_with(name, power=power))
        self._add_parameter(power, "power")

    @mapping
    @staticmethod
    def _forward(x: Array, power: Array) -> Array:
        c = jnp.where(power == 0, 1, power)
        return jnp.where(power == 0, jnp.exp(x), jnp.exp(jnp.log1p(x * c) / c))

    @mapping
    @staticmethod
    def _inverse(y: Array, power: Array) -> Array:
        c = jnp.where(power == 0, 1, power)
        return jnp.where(power == 0, jnp.log(y), jnp.expm1(jnp.log(y) * c) / c)

    @mapping
    @staticmethod
    def _forward_log_jacobian(x: Array, power: Array) -> Array:
        c = jnp.where(power == 0, 1, power)
        return jnp.where(power == 0, x, (1.0 / c - 1) * jnp.log1p(x * c))

    @mapping
    @staticmethod
    def _inverse_log_jacobian(y: Array, power: Array) -> Array:
        return (power - 1) * jnp.log(y)
