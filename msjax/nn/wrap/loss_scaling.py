"""Loss scaling: training steps that multiply the loss by a factor, so that small float16 gradients do not vanish."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.autodiff.grad import value_and_grad
from msjax.core.control.control_flow import cond
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.state import override_state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import argument_checks
from msjax.nn.cell.cell import Cell
from msjax.nn.wrap.cells import TrainOneStepCell


@op
def scale_arrays(inputs: Any, scale: ArrayLike) -> Any:
    """Arrays in any nesting times a scalar, in their own dtypes; float16 is computed in float32 on the way."""
    return jax.tree.map(lambda x: _times(x, scale), inputs)


@op
def unscale_arrays(inputs: Any, scale: ArrayLike) -> Any:
    """Arrays in any nesting times the reciprocal of a scalar, in their own dtypes."""
    reciprocal = 1 / scale.astype(jnp.float32)
    return jax.tree.map(lambda x: _times(x, reciprocal), inputs)


def _times(x: jax.Array, factor: jax.Array) -> jax.Array:
    wide = x.dtype if x.dtype in (np.float64, np.complex64, np.complex128) else jnp.float32
    return (x.astype(wide) * factor.reshape(()).astype(wide)).astype(x.dtype)


@op
def are_finite(arrays: Any) -> jax.Array:
    """Return True if all elements of all arrays are finite."""
    flags = [jnp.isfinite(x).all() for x in jax.tree.leaves(arrays) if jnp.issubdtype(x.dtype, jnp.inexact)]
    return jnp.stack(flags).all() if flags else jnp.array(True)


@op
def any_overflow(arrays: Any) -> jax.Array:
    """Return True if an element of an array is infinite or nan (overflow)."""
    return ~are_finite.pure(arrays)


@op(static="factor window")
def next_loss_scale(scale: Any, count: Any, last: Any, overflow: Any, factor: float, window: int) -> tuple:
    """The loss scale after step `count`: less after an overflow, more `window` steps after the last change.

    Returns:
        The scale and the step of the last change.
    """
    ratio = jnp.float32(factor)
    grow = ~overflow & ((count - last) >= window)
    after = jnp.where(overflow, jnp.maximum(scale / ratio, 1), jnp.where(grow, scale * ratio, scale))
    return after.astype(scale.dtype), jnp.where(overflow | grow, count, last), count + jnp.ones_like(count)


class DynamicLossScaleUpdateCell(Cell):
    """Dynamic loss scale: shrinks after an overflow, grows after `scale_window` steps without one.

    Args:
        loss_scale_value (float): to begin with.
        scale_factor (int): what it is divided or multiplied by.
        scale_window (int): how many steps without an overflow make it larger.

    Inputs:
        - **loss_scale** (Parameter) - what is changed, of shape () or (1,); never to less than 1.
        - **overflow** (Tensor) - whether this step overflowed.

    Outputs:
        Tensor, `overflow`.

    Examples:
        >>> import msjax as ms
        >>> manager = ms.nn.DynamicLossScaleUpdateCell(8.0, 2, 100)
        >>> scale = ms.Parameter(ms.Tensor(8.0), name="scale")
        >>> _ = manager(scale, ms.Tensor(True))
        >>> print(scale.asnumpy())
        4.0
    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        owner = "DynamicLossScaleUpdateCell"
        self.loss_scale_value = argument_checks.check_number(
            owner, (int, float), "loss_scale_value", loss_scale_value, (">", 0)
        )
        self.scale_factor = argument_checks.check_number(
            owner, (int, float), "scale_factor", scale_factor, (">", 0)
        )
        self.scale_window = argument_checks.check_number(owner, int, "scale_window", scale_window, (">", 0))
        self.cur_iter = Parameter(Tensor(np.int32(1)), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(np.int32(0)), name="last_overflow_iterator_step")

    def get_loss_scale(self) -> float:
        """Return the loss scale to begin with."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        """Change the loss scale after a step."""
        scale, last, count = next_loss_scale(
            loss_scale, self.cur_iter, self.last_overflow_iter, overflow, self.scale_factor, self.scale_window
        )
        loss_scale.set_data(scale)
        self.last_overflow_iter.set_data(last)
        self.cur_iter.set_data(count)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Leaves a loss scale as it is.

    Args:
        loss_scale_value (float): the loss scale.

    Inputs:
        - **loss_scale** (Tensor) - does not count.
        - **overflow** (Tensor) - whether this step overflowed.

    Outputs:
        Tensor, `overflow`.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.FixedLossScaleUpdateCell(8.0).get_loss_scale()
        8.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Any) -> Any:
        """Return the overflow flag; the scale does not change."""
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a loss scale; the update is left out if a gradient is infinite or not a number.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): changes the Parameters that it was made with.
        scale_sense (Union[Tensor, Cell]): the loss scale, of shape () or (1,); or a Cell that changes it, such as
            :class:`DynamicLossScaleUpdateCell`.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        Tuple of the loss, whether gradients overflowed, and the loss scale of this step.

    Raises:
        TypeError: if `scale_sense` is of another type.
        ValueError: if it is a Tensor of another shape.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones")
        >>> optimizer = ms.nn.SGD(net.trainable_params(), learning_rate=0.1)
        >>> loss = ms.nn.WithLossCell(net, ms.nn.MSELoss())
        >>> manager = ms.nn.DynamicLossScaleUpdateCell(1024.0, 2, 100)
        >>> step = ms.nn.TrainOneStepWithLossScaleCell(loss, optimizer, manager)
        >>> loss, overflow, scale = step(ms.ops.ones((4, 2)), ms.ops.zeros((4, 1)))
        >>> print(overflow, scale)
        False 1024.0
    """

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        self.loss_scaling_manager = scale_sense if isinstance(scale_sense, Cell) else None
        if isinstance(scale_sense, Cell):
            scale_sense = Tensor(np.float32(scale_sense.get_loss_scale()))
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(
                "`TrainOneStepWithLossScaleCell`: argument `scale_sense` must be a Tensor or a Cell. "
                f"Received: {argument_checks.describe_value(scale_sense)}."
            )
        if scale_sense.shape not in ((), (1,)):
            raise ValueError(
                "`TrainOneStepWithLossScaleCell`: argument `scale_sense` must have shape () or (1,). "
                f"Received: {scale_sense.shape}."
            )
        self.scale_sense = Parameter(scale_sense, name="scale_sense")

    def construct(self, *inputs: Any) -> Any:
        """One step."""
        sense = scale_arrays(
            self.scale_sense, np.float32(1)
        )  # its value now, which the manager is about to change
        loss, gradients = self._gradients(inputs, sense)
        overflow = self.get_overflow_status(None, gradients)
        self.process_loss_scale(overflow)
        cond(overflow, lambda: (), lambda: self._update(gradients))
        return loss, overflow, sense

    def _gradients(self, inputs: tuple, sense: Tensor) -> tuple[Any, Any]:
        def forward(*given: Any) -> tuple:
            loss = self.network(*given)
            return scale_arrays(loss, sense), loss

        (_, loss), gradients = value_and_grad(forward, None, self.weights, has_aux=True)(*inputs)
        return loss, self.grad_reducer(unscale_arrays(gradients, sense))

    def _update(self, gradients: Any) -> tuple:
        self.optimizer(gradients)
        return ()

    def set_sense_scale(self, sens: Any) -> None:
        """Set the loss scale.

        Args:
            sens: Tensor of the shape that the loss scale has.

        Raises:
            TypeError: if there is a manager, or `sens` is not a Tensor.
        """
        if self.loss_scaling_manager is not None or not isinstance(sens, Tensor):
            raise TypeError(
                "`set_sense_scale`: argument `sens` must be a Tensor, and the step must have been made with one. "
                f"Received: {argument_checks.describe_value(sens)}."
            )
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """Do nothing: gradients are checked after they are computed.

        Returns:
            None and `compute_input`.
        """
        return None, compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Return True if an element of the gradients is infinite or nan.

        Args:
            status: what `start_overflow_check` returned.
            compute_output: the gradients.
        """
        return any_overflow(compute_output)

    def process_loss_scale(self, overflow: Any) -> Any:
        """Update the loss scale through the manager.

        Args:
            overflow: whether this step overflowed.

        Returns:
            `overflow`.
        """
        if self.loss_scaling_manager is None:
            return overflow
        with override_state(cast=None):
            return self.loss_scaling_manager(self.scale_sense, overflow)
