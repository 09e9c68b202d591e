"""Mixed precision: loss scalers, and networks that compute in float16 or bfloat16."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, is_tensor
from msjax.nn.cell import argument_checks
from msjax.nn.wrap.loss_scaling import are_finite, scale_arrays, unscale_arrays
from msjax.train.amp import auto_mixed_precision as auto_mixed_precision
from msjax.train.amp import build_train_network as build_train_network
from msjax.train.amp import custom_mixed_precision as custom_mixed_precision
from msjax.train.amp import get_black_list as get_black_list
from msjax.train.amp import get_white_list as get_white_list
from msjax.train.loss_scale_manager import DynamicLossScaleManager as DynamicLossScaleManager
from msjax.train.loss_scale_manager import FixedLossScaleManager as FixedLossScaleManager
from msjax.train.loss_scale_manager import LossScaleManager as LossScaleManager

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]


def all_finite(inputs: Any) -> Tensor:
    """Return True if no element of any Tensor is infinite or nan.

    Args:
        inputs: tuple or list of Tensors, such as the gradients of a network.

    Returns:
        Tensor of shape () and dtype bool.

    Raises:
        TypeError: if it is of another type, or an element is not a Tensor.
        ValueError: if it is empty.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp
        >>> print(amp.all_finite((ms.Tensor([1.0, 2.0]), ms.Tensor([float("inf")]))))
        False
    """
    if not isinstance(inputs, tuple | list) or not all(isinstance(x, Tensor) for x in inputs):
        raise TypeError(
            f"`all_finite`: argument `inputs` must be a tuple or list of Tensors. Received: {inputs!r}."
        )
    if not inputs:
        raise ValueError("`all_finite`: argument `inputs` must not be empty.")
    return are_finite(list(inputs))


def _grad_scale_map(scale_value: Any, inputs: Any) -> Any:
    """Tensors in any nesting times the loss scale."""
    return scale_arrays(_check_inputs("scale", inputs), scale_value)


def _grad_unscale_map(scale_value: Any, inputs: Any) -> Any:
    """Tensors in any nesting divided by the loss scale."""
    return unscale_arrays(_check_inputs("unscale", inputs), scale_value)


def _check_inputs(method: str, inputs: Any) -> Any:
    for leaf in jax.tree.leaves(inputs, is_leaf=lambda x: x is None or is_tensor(x)):
        if not isinstance(leaf, Tensor):
            raise TypeError(
                f"`{method}`: argument `inputs` must be a Tensor, or Tensors in tuples, lists and dicts. "
                f"Received: {argument_checks.describe_value(leaf)}."
            )
    return inputs


class LossScaler:
    """Base of loss scalers: a subclass defines all three methods.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp
        >>> class Doubling(amp.LossScaler):
        ...     def scale(self, inputs):
        ...         return inputs * 2
        ...
        ...     def unscale(self, inputs):
        ...         return inputs / 2
        ...
        ...     def adjust(self, grads_finite):
        ...         return False
        >>> print(Doubling().scale(ms.Tensor([1.0])))
        [2.]
    """

    def scale(self, inputs: Any) -> Any:
        """Multiply by the loss scale.

        Args:
            inputs: the loss.
        """
        raise NotImplementedError(f"`{type(self).__name__}`: a loss scaler must define `scale`.")

    def unscale(self, inputs: Any) -> Any:
        """Divide by the loss scale.

        Args:
            inputs: the loss or gradients.
        """
        raise NotImplementedError(f"`{type(self).__name__}`: a loss scaler must define `unscale`.")

    def adjust(self, grads_finite: Any) -> Any:
        """Change the loss scale after a step.

        Args:
            grads_finite: whether all gradients were finite.
        """
        raise NotImplementedError(f"`{type(self).__name__}`: a loss scaler must define `adjust`.")


def _scale_value(owner: str, value: Any) -> Parameter:
    number = argument_checks.check_number(owner, (int, float), "scale_value", value, (">=", 1))
    return Parameter(Tensor(np.float32(number)), name="scale_value")


class StaticLossScaler(LossScaler):
    """A loss scale that stays as it is.

    float16 Tensors are computed in float32 on the way, where MindSpore rounds the loss scale to float16 first.

    Args:
        scale_value: a number of at least 1; it becomes a Parameter.

    Raises:
        TypeError: if `scale_value` is not a number.
        ValueError: if it is less than 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp
        >>> scaler = amp.StaticLossScaler(1024)
        >>> print(scaler.scale(ms.Tensor([1.0])), scaler.unscale(ms.Tensor([1.0])))
        [1024.] [0.00097656]
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value = _scale_value("StaticLossScaler", scale_value)

    def scale(self, inputs: Any) -> Any:
        """Multiply by the loss scale.

        Args:
            inputs: Tensor, or Tensors in any nesting of tuples, lists and dicts.

        Returns:
            The same nesting and dtypes.

        Raises:
            TypeError: if there is anything else in it.
        """
        return _grad_scale_map(self.scale_value, inputs)

    def unscale(self, inputs: Any) -> Any:
        """Multiply by the reciprocal of the loss scale.

        Args:
            inputs: Tensor, or Tensors in any nesting of tuples, lists and dicts.

        Returns:
            The same nesting and dtypes.

        Raises:
            TypeError: if there is anything else in it.
        """
        return _grad_unscale_map(self.scale_value, inputs)

    def adjust(self, grads_finite: Any) -> bool:
        """Do nothing and return False: the loss scale stays as it is.

        Returns:
            False.
        """
        return False


@op(static="factor window")
def _adjust_scale(scale: ArrayLike, counter: ArrayLike, grads_finite: Any, factor: int, window: int) -> tuple:
    """Return the loss scale and the number of finite steps since it last changed."""
    count = (counter + 1) % jnp.int32(window)
    larger = scale * jnp.float32(factor)
    grow = (count == 0) & jnp.isfinite(larger)
    after = jnp.where(
        grads_finite, jnp.where(grow, larger, scale), jnp.maximum(scale / jnp.float32(factor), 1)
    )
    return after, jnp.where(grads_finite, count, jnp.zeros_like(count))


class DynamicLossScaler(StaticLossScaler):
    """A loss scale that shrinks after every overflow, to no less than 1, and grows after `scale_window` finite steps.

    Args:
        scale_value: a number of at least 1 to begin with; it becomes a Parameter.
        scale_factor: a positive int that it is multiplied with or divided by.
        scale_window: a positive int.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp
        >>> scaler = amp.DynamicLossScaler(4, scale_factor=2, scale_window=2)
        >>> for finite in (True, True, False):
        ...     _ = scaler.adjust(ms.Tensor(finite))
        ...     print(scaler.scale_value.asnumpy(), scaler.counter.asnumpy())
        4.0 1
        8.0 0
        4.0 0
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        owner = "DynamicLossScaler"
        self.scale_value = _scale_value(owner, scale_value)
        self.scale_factor = argument_checks.check_number(owner, int, "scale_factor", scale_factor, (">", 0))
        self.scale_window = argument_checks.check_number(owner, int, "scale_window", scale_window, (">", 0))
        self.counter = Parameter(Tensor(np.int32(0)), name="counter")

    def adjust(self, grads_finite: Any) -> bool:
        """Change the loss scale after a step.

        Args:
            grads_finite: bool Tensor of one element: whether all gradients were finite.

        Returns:
            True.
        """
        flag = grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        scale, counter = _adjust_scale(
            self.scale_value, self.counter, flag, self.scale_factor, self.scale_window
        )
        self.scale_value.set_data(scale)
        self.counter.set_data(counter)
        return True
