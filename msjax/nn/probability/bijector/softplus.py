"""Softplus bijector."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.tensor.tensor import Tensor
from msjax.nn.layers.activation_smooth import LogSigmoid
from msjax.nn.probability.bijector.bijector import Bijector, made_with
from msjax.nn.probability.formulas import mapping
from msjax.nn.probability.helpers import parameter


class Softplus(Bijector):
    """The map g(x) = log(1 + exp(k x)) / k.

    Args:
        sharpness (float, list, numpy.ndarray, Tensor): k. Default: 1.0.
        name (str): for messages. Default: "Softplus".

    Raises:
        TypeError: if `sharpness` is not floating; at a call, if the value is not.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import Softplus
        >>> print(Softplus(2.0).forward(ms.Tensor([0.0, 100.0])))
        [  0.3465736 100.       ]
    """

    labels = ("sharpness",)
    sharpness = parameter("sharpness", "k.")

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name=name, dtype=None, param=made_with(name, sharpness=sharpness))
        self._add_parameter(sharpness, "sharpness")
        self.log_sigmoid = LogSigmoid()

    @mapping
    @staticmethod
    def _forward(x: Array, sharpness: Array) -> Array:
        return jax.nn.softplus(sharpness * x) / sharpness

    @mapping
    @staticmethod
    def _inverse(y: Array, sharpness: Array) -> Array:
        return _unsoftened(sharpness * y) / sharpness

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        x = self.checked(x)
        return self.log_sigmoid(self.cast_param_by_value(x, self.sharpness) * x)

    @mapping
    @staticmethod
    def _inverse_log_jacobian(y: Array, sharpness: Array) -> Array:
        return sharpness * y - _unsoftened(sharpness * y)


def _unsoftened(y: Array) -> Array:
    """The inverse of softplus, log(exp(y) - 1), without a large exponential."""
    return y + jnp.log(-jnp.expm1(-y))
