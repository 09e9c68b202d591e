"""Scalar affine bijector."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.nn.probability.bijector.bijector import Bijector, made_with
from msjax.nn.probability.formulas import mapping
from msjax.nn.probability.helpers import parameter


class ScalarAffine(Bijector):
    """The map g(x) = scale x + shift.

    The logarithms of its derivative have the shape of `scale`.

    Args:
        scale (float, list, numpy.ndarray, Tensor): the slope. Default: 1.0.
        shift (float, list, numpy.ndarray, Tensor): what is added. Default: 0.0.
        name (str): for messages. Default: "ScalarAffine".

    Raises:
        TypeError: if a parameter is not floating, or they differ in dtype; at a call, if the value is not floating.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import ScalarAffine
        >>> print(ScalarAffine(2.0, 1.0).forward(ms.Tensor([1.0, 2.0])))
        [3. 5.]
    """

    labels = ("scale", "shift")
    scale = parameter("scale", "The slope.")
    shift = parameter("shift", "The added constant.")

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        param = made_with(name, scale=scale, shift=shift)
        super().__init__(is_constant_jacobian=True, is_injective=True, name=name, dtype=None, param=param)
        self._add_parameter(scale, "scale")
        self._add_parameter(shift, "shift")

    @mapping
    @staticmethod
    def _forward(x: Array, scale: Array, shift: Array) -> Array:
        return scale * x + shift

    @mapping
    @staticmethod
    def _inverse(y: Array, scale: Array, shift: Array) -> Array:
        return (y - shift) / scale

    @mapping
    @staticmethod
    def _forward_log_jacobian(x: Array, scale: Array, shift: Array) -> Array:
        return jnp.log(jnp.abs(scale))

    @mapping
    @staticmethod
    def _inverse_log_jacobian(y: Array, scale: Array, shift: Array) -> Array:
        return -jnp.log(jnp.abs(scale))
