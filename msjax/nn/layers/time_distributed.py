"""`TimeDistributed`: applies a layer to every time step of a sequence."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.array.joining import stack, unbind
from msjax.ops.array.shapes import reshape, transpose
from msjax.ops.common.primitive_class import Primitive


class TimeDistributed(Cell):
    """Applies a layer to every step of a sequence, one after the other, or to all at once as a larger batch.

    Args:
        layer (Union[Cell, Primitive]): takes and gives one Tensor.
        time_axis (int): the axis of the steps, in the input and in the output.
        reshape_with_axis (int): an axis that the layer leaves as it is, with which the steps are put together for one
            call of the layer. Default: a call for each step.

    Inputs:
        - **inputs** (Tensor) - of at least three dimensions.

    Outputs:
        Tensor: what the layer gives for each step, along `time_axis`.

    Raises:
        TypeError: if `layer` is neither, an axis is not an int, or a Tensor is none.
        ValueError: at the call, if the input has less than three dimensions, or the axes do not fit.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.TimeDistributed(ms.nn.Dense(3, 6), time_axis=1, reshape_with_axis=0)
        >>> net(ms.ops.ones((8, 2, 3))).shape
        (8, 2, 6)
    """

    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not isinstance(layer, Cell | Primitive):
            raise TypeError(
                f"`TimeDistributed`: argument `layer` must be a Cell or a Primitive. Received: {layer!r}."
            )
        parameter_init.check_numbers("TimeDistributed", int, time_axis=time_axis)
        if reshape_with_axis is not None:
            parameter_init.check_numbers("TimeDistributed", int, reshape_with_axis=reshape_with_axis)
        self.layer = layer
        self.time_axis = time_axis
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs: Any) -> Any:
        """Apply the layer to each time step."""
        parameter_init.check_numbers("TimeDistributed", Tensor, inputs=inputs)
        if inputs.ndim < 3:
            raise ValueError(
                f"`TimeDistributed`: the input must have at least three dimensions. Received: {inputs.shape}."
            )
        time = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return self._one_by_one(inputs, time)
        return self._at_once(inputs, time, self.reshape_with_axis % inputs.ndim)

    def _one_by_one(self, inputs: Any, time: int) -> Any:
        steps = [self._call_layer(step) for step in unbind(inputs, time)]
        if time > steps[0].ndim:
            raise ValueError(
                f"`TimeDistributed`: argument `time_axis` must be at most {steps[0].ndim}, the number of dimensions that "
                f"the layer gives. Received: {time}."
            )
        return stack(steps, time)

    def _at_once(self, inputs: Any, time: int, beside: int) -> Any:
        """Move the time beside the other axis, make one axis of the two, and split it again afterwards."""
        last = inputs.ndim - 1
        new = last - 1 if beside == last else beside + 1 if time > beside else beside - 1
        low, high = sorted((new, time))
        order = list(range(inputs.ndim))
        order.insert(low, order.pop(high))
        moved = transpose(inputs, tuple(order))
        at = min(new, beside)
        joined = reshape(moved, (*moved.shape[:at], -1, *moved.shape[at + 2 :]))
        given = self._call_layer(joined)
        if at >= given.ndim or joined.shape[at] != given.shape[at]:
            raise ValueError(
                "`TimeDistributed`: argument `reshape_with_axis` must be an axis that the layer leaves as it is. "
                f"Received: {self.reshape_with_axis}, with {joined.shape} becoming {given.shape}."
            )
        shape = (*given.shape[:at], *moved.shape[at : at + 2], *given.shape[at + 1 :])
        return reshape(given, (-1, *shape[1:]))

    def _call_layer(self, x: Any) -> Any:
        y = self.layer(x)
        parameter_init.check_numbers("TimeDistributed", Tensor, output=y)
        return y
