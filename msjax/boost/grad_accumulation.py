"""Gradient accumulation: gradients of several steps are averaged before one optimizer step."""

from typing import Any

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.control.control_flow import cond
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.ops.primitive_impl.map_and_multitype import HyperMap, MultitypeFuncGraph

gradient_accumulation_op = MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def cumulative_grad_process(accumulation_step: int, cumulative_grad: Parameter, grad: Tensor) -> Parameter:
    """Add a step's share, `grad / accumulation_step`, to the sum of gradients."""
    ops.assign_add(cumulative_grad, grad / accumulation_step)
    return cumulative_grad


@gradient_clear_op.register("Tensor")
def clear_grad(cumulative_grad: Parameter) -> Tensor:
    """Set a sum of gradients to zero."""
    return ops.assign(cumulative_grad, ops.zeros_like(cumulative_grad))


class GradientAccumulation(Cell):
    """Adds up the gradients of several steps; with the last of them, calls the optimizer and begins again.

    Args:
        max_accumulation_step: of how many steps.
        optimizer: the Cell that takes the averaged gradients, and has `parameters`.

    Inputs:
        - **loss** (Tensor) - of this step.
        - **grads** (tuple[Tensor]) - one for each of the optimizer's parameters.

    Outputs:
        Tensor, the loss as it was given.

    Examples:
        >>> from msjax import Parameter, Tensor, nn
        >>> from msjax.boost import GradientAccumulation
        >>> weight = Parameter(Tensor([1.0]), name="weight")
        >>> accumulate = GradientAccumulation(2, nn.SGD([weight], learning_rate=1.0))
        >>> for gradient in (0.25, 0.75):
        ...     _ = accumulate(Tensor(0.0), (Tensor([gradient]),))
        ...     print(weight.asnumpy())
        [1.]
        [0.5]
    """

    def __init__(self, max_accumulation_step: int, optimizer: Cell) -> None:
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, dtypes.int32), name="accumulation_step")

    def construct(self, loss: Tensor, grads: Any) -> Tensor:
        """Accumulate one step's gradients."""
        for total, gradient in zip(self._grad_accumulation, grads, strict=True):
            cumulative_grad_process(self._max_accumulation_step, total, gradient)
        self._accumulation_step += 1
        cond(self._accumulation_step >= self._max_accumulation_step, self._update, lambda: None)
        return loss

    def _update(self) -> None:
        self.optimizer(self._grad_accumulation)
        ops.assign(self._accumulation_step, 0)
        for total in self._grad_accumulation:
            clear_grad(total)
