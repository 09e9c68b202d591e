"""Loss scaling with different scales for groups of layers."""

from collections.abc import Sequence
from typing import Any

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.autodiff.imperative import Function
from msjax.core.tensor.parameter import Parameter, ParameterTuple
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell


class _Scaled(Function):
    """The input; its gradient times a ratio."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, ratio: Tensor) -> Tensor:
        """Return the input."""
        ctx.save_for_backward(ratio)
        return x * 1

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple:
        """Return the scaled gradient."""
        (ratio,) = ctx.saved_tensors
        return gradient * ratio.astype(gradient.dtype), None


class GroupLossScaleManager(Cell):
    """Passes a Tensor on, and scales its gradient from the loss scale of one group of layers to that of another.

    Args:
        init_loss_scale (float): the scale at the beginning.
        loss_scale_groups (list): the groups of Parameters.

    Inputs:
        - **x** (Tensor) - what one group of layers gives to the next.
        - **layer1** (int) - number of the group before it.
        - **layer2** (int) - number of the group after it.

    Outputs:
        Tensor, `x`.

    Examples:
        >>> import msjax as ms
        >>> from msjax import boost
        >>> manager = boost.GroupLossScaleManager(4.0, [])
        >>> manager.set_loss_scale_status(1, 4.0)
        >>> print(ms.grad(lambda x: manager(x, 1, 2))(ms.Tensor(3.0)))
        4.0
    """

    def __init__(self, init_loss_scale: float, loss_scale_groups: Sequence) -> None:
        super().__init__()
        self._loss_scale = init_loss_scale
        self.loss_scale_groups = loss_scale_groups
        self.loss_scale_number = 0
        self.layer_loss_scale: tuple | None = None
        self.dynamic_loss_scale: ParameterTuple | None = None

    def set_loss_scale_status(self, loss_scale_number: int, init_loss_scale: Any) -> None:
        """Make a scale for each group, and 1 before the first and after the last.

        Args:
            loss_scale_number (int): how many groups.
            init_loss_scale (Union[float, list]): the scale, or one for each.
        """
        self.loss_scale_number = loss_scale_number
        each = init_loss_scale if isinstance(init_loss_scale, list) else [init_loss_scale] * loss_scale_number
        values = [1.0, *each, *[1.0] * (loss_scale_number + 1 - len(each))]
        self.dynamic_loss_scale = ParameterTuple(
            Parameter(Tensor(float(value), dtypes.float32), name=f"layer_loss_scale_{i}", requires_grad=False)
            for i, value in enumerate(values)
        )

    def update_loss_scale_status(self, layer: int, update_ratio: float) -> Tensor:
        """Multiply the scale of a group.

        Args:
            layer (int): the group, from 0.
            update_ratio (float): the factor.

        Returns:
            Tensor, the new scale.
        """
        scale = self._scales()[layer + 1]
        return ops.assign(scale, scale * update_ratio)

    def construct(self, x: Tensor, layer1: int, layer2: int) -> Tensor:
        """Return the input."""
        scales = self._scales()
        return _Scaled.apply(x, scales[layer1] / scales[layer2])

    def get_loss_scale(self) -> float:
        """Return the scale at the beginning."""
        return self._loss_scale

    def get_update_cell(self) -> "GroupLossScaleManager":
        """This Cell."""
        return self

    def _scales(self) -> ParameterTuple:
        if self.dynamic_loss_scale is None:
            raise RuntimeError("`GroupLossScaleManager`: call `set_loss_scale_status` first.")
        return self.dynamic_loss_scale
