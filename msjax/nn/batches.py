"""Cells that run a network on parts of a batch, and what MindSpore needs around networks for data."""

from typing import Any

from msjax.core.tensor import Tensor
from msjax.nn.cell import Cell
from msjax.nn.containers import CellList
from msjax.ops.arithmetic import add


class _MicroBatch(Cell):
    """One of the equal parts of a batch.

    Args:
        micro_size: number of parts.
    """

    def __init__(self, micro_size: int) -> None:
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i: int, *inputs: Any) -> tuple:
        """Part `i` of each input; an input of no dimension stays whole."""
        return tuple(self._part(i, x) for x in inputs)

    def _part(self, i: int, x: Any) -> Any:
        if not isinstance(x, Tensor) or x.ndim == 0:
            return x
        size = x.shape[0]
        if size % self.micro_size:
            raise ValueError(
                f"`{self.cls_name}`: the batch must be a multiple of the {self.micro_size} parts. Received: {x.shape}."
            )
        size //= self.micro_size
        return x[i * size : (i + 1) * size]


def _count(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, int):
        raise TypeError(f"`{owner}`: argument `{name}` must be an int. Received: {value!r}.")
    if value <= 0:
        raise ValueError(f"`{owner}`: argument `{name}` must be positive. Received: {value}.")


class GradAccumulationCell(Cell):
    """The sum of what a network gives for equal parts of the batch, computed one after the other.

    Args:
        network (Cell): gives the loss.
        micro_size (int): number of parts.

    Inputs:
        - **inputs** (Tensor) - for the network, cut along their first axis.

    Outputs:
        Tensor, the sum.

    Raises:
        TypeError: if `network` is no Cell or `micro_size` no int.
        ValueError: if `micro_size` is not positive; at the call, if it does not divide the batch.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())
        >>> print(ms.nn.GradAccumulationCell(net, 2)(ms.Tensor([1.0, 3.0]), ms.ops.zeros((2,))))
        10.0
    """

    def __init__(self, network: Any, micro_size: int) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            raise TypeError(
                f"`GradAccumulationCell`: argument `network` must be a Cell. Received: {type(network).__name__}."
            )
        _count("GradAccumulationCell", "micro_size", micro_size)
        self.network = network
        self.micro_inputs = CellList([_MicroBatch(micro_size) for _ in range(micro_size)])
        self.micro_size = micro_size

    def construct(self, *inputs: Any) -> Any:
        """The sum over the parts."""
        total = None
        for i, part in enumerate(self.micro_inputs):
            given = self.network(*part(i, *inputs))
            total = given if total is None else add(total, given)
        return total


class MicroBatchInterleaved(Cell):
    """The sum of what a network gives for equal parts of the batch. MindSpore's runs them at the same time.

    Args:
        network (Cell): gives the loss.
        interleave_num (int): number of parts.

    Inputs:
        - **inputs** (Tensor) - for the network, cut along their first axis.

    Outputs:
        Tensor, the sum.

    Raises:
        TypeError: if `interleave_num` is no int.
        ValueError: if it is not positive; at the call, if it does not divide the batch.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())
        >>> print(ms.nn.MicroBatchInterleaved(net, 2)(ms.Tensor([1.0, 3.0]), ms.ops.zeros((2,))))
        10.0
    """

    def __init__(self, network: Any, interleave_num: int = 2) -> None:
        super().__init__(auto_prefix=False)
        _count("MicroBatchInterleaved", "interleave_num", interleave_num)
        self.network = network
        self.interleave_num = interleave_num
        self.interleave_inputs = CellList([_MicroBatch(interleave_num) for _ in range(interleave_num)])

    def construct(self, *inputs: Any) -> Any:
        """The sum over the parts."""
        total: Any = 0.0
        for i, part in enumerate(self.interleave_inputs):
            total = add(total, self.network(*part(i, *inputs)))
        return total


class VirtualDatasetCellTriple(Cell):
    """A network of three inputs, as it is.

    Args:
        backbone (Cell): the network.

    Inputs:
        - **a** (Tensor) - the first.
        - **b** (Tensor) - the second.
        - **c** (Tensor) - the third.

    Outputs:
        What the network gives.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.VirtualDatasetCellTriple(lambda a, b, c: a + b + c)
        >>> print(net(ms.Tensor(1), ms.Tensor(2), ms.Tensor(3)))
        6
    """

    def __init__(self, backbone: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, a: Any, b: Any, c: Any) -> Any:
        """The network's output."""
        return self._backbone(a, b, c)
