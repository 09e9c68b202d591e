"""Training steps with a scaled loss, so that small gradients survive in float16."""

from typing import Any

import jax
import jax.numpy as jnp

from msjax.core import dtype as dtypes
from msjax.core.control import cond
from msjax.core.op import op
from msjax.core.parameter import Parameter
from msjax.core.tensor import Tensor
from msjax.nn.cell import Cell
from msjax.nn.wrap import TrainOneStepCell, scaled_gradients
from msjax.ops.arithmetic import div
from msjax.ops.casting import identity
from msjax.ops.shape import reshape


@op
def overflowed(gradients: Any) -> jax.Array:
    """Whether any of several arrays holds an infinity or something that is not a number."""
    leaves = [g for g in jax.tree.leaves(gradients) if jnp.issubdtype(g.dtype, jnp.inexact)]
    return jnp.logical_not(jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in leaves], bool)))


@op(static="factor window")
def _next_scale(
    scale: jax.Array, step: jax.Array, last: jax.Array, overflow: jax.Array, factor: int, window: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The scale, the number of the step and that of the last change, after a step."""
    due = step - last >= window
    lower = jnp.maximum(scale / jnp.asarray(factor, scale.dtype), jnp.asarray(1, scale.dtype))
    higher = jnp.where(due, scale * jnp.asarray(factor, scale.dtype), scale)
    overflow = overflow.reshape(()).astype(bool)
    return jnp.where(overflow, lower, higher), step + 1, jnp.where(overflow | due, step, last)


class DynamicLossScaleUpdateCell(Cell):
    """Divides the loss scale by a factor when gradients overflow, and multiplies it after a number of steps without.

    Args:
        loss_scale_value (float): the first scale.
        scale_factor (int): the factor.
        scale_window (int): the number of steps. The scale does not fall below 1.

    Inputs:
        - **loss_scale** (Parameter) - the scale, which is changed.
        - **overflow** (Tensor) - whether gradients overflowed.

    Outputs:
        Tensor, `overflow`.

    References:
        Micikevicius et al.: Mixed Precision Training, 2017.

    Examples:
        >>> import msjax as ms
        >>> manager = ms.nn.DynamicLossScaleUpdateCell(loss_scale_value=8.0, scale_factor=2, scale_window=100)
        >>> scale = ms.Parameter(ms.Tensor(manager.get_loss_scale()), name="scale")
        >>> manager(scale, ms.Tensor(True))
        Tensor(shape=[], dtype=Bool, value= True)
        >>> print(scale.asnumpy())
        4.0
    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self.cur_iter = Parameter(Tensor(1, dtypes.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(0, dtypes.int32), name="last_overflow_iterator_step")

    def get_loss_scale(self) -> float:
        """The first scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        """Change the scale."""
        changed = _next_scale(
            loss_scale, self.cur_iter, self.last_overflow_iter, overflow, self.scale_factor, self.scale_window
        )
        for box, new in zip((loss_scale, self.cur_iter, self.last_overflow_iter), changed, strict=True):
            box.set_data(new)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Leaves the loss scale as it is.

    Args:
        loss_scale_value (float): the scale.

    Inputs:
        - **_** (Parameter) - the scale.
        - **overflow** (Tensor) - whether gradients overflowed.

    Outputs:
        Tensor, `overflow`.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.FixedLossScaleUpdateCell(1024.0).get_loss_scale()
        1024.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Any) -> Any:
        """Nothing is changed."""
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss; a step whose gradients overflow changes no weight.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): changes the Parameters that it was made with.
        scale_sense (Union[Tensor, Cell]): the scale, of shape () or (1,); or what gives and changes it, such as
            :class:`DynamicLossScaleUpdateCell`.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        Tuple of the loss, whether gradients overflowed (bool), and the scale.

    Raises:
        TypeError: if `scale_sense` is neither Tensor nor Cell.
        ValueError: if it has another shape.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> optimizer = ms.nn.SGD(net.trainable_params(), learning_rate=0.1)
        >>> manager = ms.nn.DynamicLossScaleUpdateCell(1024.0, 2, 1000)
        >>> network = ms.nn.WithLossCell(net, ms.nn.MSELoss())
        >>> step = ms.nn.TrainOneStepWithLossScaleCell(network, optimizer, manager)
        >>> loss, overflow, scale = step(ms.ops.ones((4, 2)), ms.ops.zeros((4, 1)))
        >>> print(overflow, scale)
        False 1024.0
    """

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            start = Tensor(scale_sense.get_loss_scale(), dtypes.float32)  # type: ignore[attr-defined]
        elif isinstance(scale_sense, Tensor):
            if scale_sense.shape not in ((), (1,)):
                raise ValueError(
                    "`TrainOneStepWithLossScaleCell`: argument `scale_sense` must have shape () or (1,). "
                    f"Received: {scale_sense.shape}."
                )
            start = scale_sense
        else:
            raise TypeError(
                "`TrainOneStepWithLossScaleCell`: argument `scale_sense` must be a Cell or a Tensor. "
                f"Received: {type(scale_sense).__name__}."
            )
        self.scale_sense = Parameter(start, name="scale_sense")

    def construct(self, *inputs: Any) -> tuple:
        """One step."""
        scale = identity(self.scale_sense)
        factor = reshape(scale, ())
        loss, gradients = scaled_gradients(self.network, self.weights, factor, inputs)
        gradients = self.grad_reducer(tuple([div(g, factor) for g in gradients]))
        overflow = self.process_loss_scale(self.get_overflow_status(None, gradients))

        def update() -> Any:
            self.optimizer(gradients)
            return overflow

        cond(overflow, lambda: overflow, update)
        return loss, overflow, scale

    def set_sense_scale(self, sens: Tensor) -> None:
        """Set the scale.

        Raises:
            TypeError: if `sens` is no Tensor.
        """
        if not isinstance(sens, Tensor):
            raise TypeError(
                "`TrainOneStepWithLossScaleCell.set_sense_scale`: argument `sens` must be a Tensor. "
                f"Received: {type(sens).__name__}."
            )
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple:
        """What MindSpore does before the gradients are computed: here nothing, the gradients themselves tell.

        Args:
            pre_cond: what has to be done before.
            compute_input: what the gradients are computed from.

        Returns:
            Tuple of a status for :meth:`get_overflow_status`, and `compute_input`.
        """
        return Tensor(False), compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Any:
        """Whether gradients overflowed.

        Args:
            status: what :meth:`start_overflow_check` gave.
            compute_output: the gradients, in any nesting.

        Returns:
            Tensor of bool.
        """
        return overflowed(compute_output)

    def process_loss_scale(self, overflow: Any) -> Any:
        """Let the manager change the scale; gives back `overflow`."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow
