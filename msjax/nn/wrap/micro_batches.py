"""Micro-batch wrappers of `parallel.nn` (gradient accumulation, pipeline); one process runs the micro-batches in turn."""

from typing import Any, NoReturn

from msjax.core.tensor.parameter import ParameterTuple
from msjax.nn.cell.cell import Cell
from msjax.nn.wrap.data_wrappers import GradAccumulationCell, PipelineCell


class GradAccumulation(GradAccumulationCell):
    """The sum of what a network gives for equal parts of the batch; see `nn.GradAccumulationCell`.

    Args:
        network (Cell): gives the loss.
        micro_size (int): number of parts.

    Raises:
        TypeError: if `network` is not a Cell or `micro_size` not an int.
        ValueError: if `micro_size` is not positive.
    """

    def __init__(self, network: Any, micro_size: int) -> None:
        if not isinstance(network, Cell):
            raise TypeError(
                f"`GradAccumulation`: argument `network` must be a Cell. Received: {type(network).__name__}."
            )
        super().__init__(network, micro_size)


class Pipeline(PipelineCell):
    """The sum of what a network gives for equal parts of the batch; as `nn.PipelineCell`."""


class PipelineGradReducer(Cell):
    """Gradients for the optimizer, divided by a scale; in one process there is nothing to sum.

    Args:
        parameters (ParameterTuple): the weights.
        scale_sense (float): what the gradients are divided by. Default: 1.0.
        opt_shard (bool): accepted for MindSpore's signature. Default: None.

    Raises:
        TypeError: if `parameters` is no ParameterTuple.

    Examples:
        >>> import msjax as ms
        >>> from msjax.parallel.nn import PipelineGradReducer
        >>> weights = ms.ParameterTuple(ms.nn.Dense(1, 1, has_bias=False).trainable_params())
        >>> print(*PipelineGradReducer(weights, 2.0)((ms.Tensor([[4.0]]),)))
        [[2.]]
    """

    def __init__(self, parameters: Any, scale_sense: float = 1.0, opt_shard: bool | None = None) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(parameters, ParameterTuple):
            raise TypeError(
                "`PipelineGradReducer`: argument `parameters` must be a ParameterTuple. "
                f"Received: {type(parameters).__name__}."
            )
        self.scale_sense, self.opt_shard = scale_sense, opt_shard

    def construct(self, grads: Any) -> tuple:
        """Return the gradients, divided."""
        return tuple(gradient / self.scale_sense for gradient in grads)


class GetNextSingleOp(Cell):
    """Rows from the queue of a device, into which MindSpore's data sets can be sunk; XLA's devices have none.

    Args:
        dataset_types (list[mindspore.dtype]): the dtypes of the columns.
        dataset_shapes (list[tuple[int]]): their shapes.
        queue_name (str): the name of the queue.

    Raises:
        RuntimeError: when it is called, as in MindSpore on a CPU; go through the data set instead.
    """

    def __init__(self, dataset_types: Any, dataset_shapes: Any, queue_name: str) -> None:
        super().__init__()
        self.dataset_types, self.dataset_shapes, self.queue_name = dataset_types, dataset_shapes, queue_name

    def construct(self) -> NoReturn:
        """Raise RuntimeError: there is no queue on the device."""
        raise RuntimeError(
            f"`GetNextSingleOp`: there is no queue {self.queue_name!r} on this device. Go through the data set with "
            "`create_tuple_iterator`."
        )
