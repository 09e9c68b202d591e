"""Bijectors: power transform, exponential, affine, softplus, Gumbel's distribution function, and inverses."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.tensor.tensor import Tensor
from msjax.nn.layers.activation_smooth import LogSigmoid
from msjax.nn.probability import closed_forms, given
from msjax.nn.probability.bijector.bijector import Bijector
from msjax.nn.probability.formulas import bijector_hook
from msjax.nn.probability.helpers import read_only


class _Parametric(Bijector):
    """A bijector of floating parameters.

    Args:
        name: for messages.
        is_constant_jacobian: whether the derivative is the same everywhere.
        parameters: by name.
    """

    def __init__(self, name: str, is_constant_jacobian: bool = False, **parameters: Any) -> None:
        param = {**parameters, "name": name, "param_dict": parameters}
        super().__init__(is_constant_jacobian, name=name, param=param)
        for each, value in parameters.items():
            self._add_parameter(value, each)


def _power_forward(x: Array, power: Array) -> Array:
    c = jnp.where(power == 0, 1, power)
    return jnp.where(power == 0, jnp.exp(x), jnp.exp(jnp.log1p(x * c) / c))


def _power_inverse(y: Array, power: Array) -> Array:
    c = jnp.where(power == 0, 1, power)
    return jnp.where(power == 0, jnp.log(y), jnp.expm1(jnp.log(y) * c) / c)


def _power_log_slope(x: Array, power: Array) -> Array:
    c = jnp.where(power == 0, 1, power)
    return jnp.where(power == 0, x, (1.0 / c - 1) * jnp.log1p(x * c))


class PowerTransform(_Parametric):
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
    power = read_only("power", "c.")

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name, power=power)

    _forward = bijector_hook("forward", _power_forward)
    _inverse = bijector_hook("inverse", _power_inverse)
    _forward_log_jacobian = bijector_hook("forward_log_jacobian", _power_log_slope)
    _inverse_log_jacobian = bijector_hook("inverse_log_jacobian", lambda y, power: (power - 1) * jnp.log(y))


class Exp(PowerTransform):
    """The map g(x) = exp(x).

    Args:
        name (str): for messages. Default: "Exp".

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import Exp
        >>> print(Exp().inverse(ms.Tensor([1.0])), Exp())
        [0.] Exp(exp)
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)

    def extend_repr(self) -> str:
        """Always exp: there is nothing to set."""
        return "exp"


class ScalarAffine(_Parametric):
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
    scale = read_only("scale", "The slope.")
    shift = read_only("shift", "The added constant.")

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        super().__init__(name, is_constant_jacobian=True, scale=scale, shift=shift)

    _forward = bijector_hook("forward", lambda x, scale, shift: scale * x + shift)
    _inverse = bijector_hook("inverse", lambda y, scale, shift: (y - shift) / scale)
    _forward_log_jacobian = bijector_hook(
        "forward_log_jacobian", lambda x, scale, shift: jnp.log(jnp.abs(scale))
    )
    _inverse_log_jacobian = bijector_hook(
        "inverse_log_jacobian", lambda y, scale, shift: -jnp.log(jnp.abs(scale))
    )


def _invert_softplus(y: Array) -> Array:
    """Return the inverse of softplus, log(exp(y) - 1), without a large exponential."""
    return y + jnp.log(-jnp.expm1(-y))


class Softplus(_Parametric):
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
    sharpness = read_only("sharpness", "k.")

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name, sharpness=sharpness)
        self.log_sigmoid = LogSigmoid()

    _forward = bijector_hook("forward", lambda x, sharpness: jax.nn.softplus(sharpness * x) / sharpness)
    _inverse = bijector_hook("inverse", lambda y, sharpness: _invert_softplus(sharpness * y) / sharpness)
    _inverse_log_jacobian = bijector_hook(
        "inverse_log_jacobian", lambda y, sharpness: sharpness * y - _invert_softplus(sharpness * y)
    )

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        x = self.checked(x)
        return self.log_sigmoid(self.cast_param_by_value(x, self.sharpness) * x)


def _gumbel_log_slope(x: Array, loc: Array, scale: Array) -> Array:
    z = (x - loc) / scale
    return -z - jnp.exp(-z) - jnp.log(scale)


class GumbelCDF(_Parametric):
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
    loc = read_only("loc", "The mode of the distribution.")
    scale = read_only("scale", "The scale of the distribution.")

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name, loc=loc, scale=scale)

    _forward = bijector_hook("forward", closed_forms.GUMBEL["cdf"])
    _inverse = bijector_hook("inverse", closed_forms.GUMBEL["icdf"])
    _forward_log_jacobian = bijector_hook("forward_log_jacobian", _gumbel_log_slope)
    _inverse_log_jacobian = bijector_hook(
        "inverse_log_jacobian", lambda y, loc, scale: jnp.log(scale) - jnp.log(-y * jnp.log(y))
    )


class Invert(Bijector):
    """Inverse bijector: its `forward` is the `inverse` of a given one, and the reverse.

    Args:
        bijector (Bijector): the given one.
        name (str): for messages. Default: "", which means "Invert" and the name of the given one.

    Raises:
        TypeError: if `bijector` is none.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import Exp, Invert
        >>> print(Invert(Exp()).forward(ms.Tensor([1.0])))
        [0.]
    """

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        if not isinstance(bijector, Bijector):
            raise TypeError(f"`Invert`: argument `bijector` must be a Bijector. Received: {bijector!r}.")
        name = name or f"Invert{bijector.name}"
        super().__init__(
            is_constant_jacobian=bijector.is_constant_jacobian,
            is_injective=bijector.is_injective,
            name=name,
            dtype=bijector.dtype,
            param={"bijector": bijector, "name": name},
        )
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    bijector = read_only("bijector", "Inverted bijector.")

    def forward(self, x: Tensor) -> Any:
        """Compute `inverse` of the inverted bijector."""
        return self.bijector.inverse(x)

    def inverse(self, y: Tensor) -> Any:
        """Compute `forward` of the inverted bijector."""
        return self.bijector.forward(y)

    def forward_log_jacobian(self, x: Tensor) -> Any:
        """Compute `inverse_log_jacobian` of the inverted bijector."""
        return self.bijector.inverse_log_jacobian(x)

    def inverse_log_jacobian(self, y: Tensor) -> Any:
        """Compute `forward_log_jacobian` of the inverted bijector."""
        return self.bijector.forward_log_jacobian(y)
