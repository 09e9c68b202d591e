"""Gradient accumulation, micro-batches, and MindSpore's wrappers for datasets, pipelines and gradient reduction."""

from typing import Any

from msjax.communication import operators
from msjax.communication.groups import members, partners
from msjax.config.parallel_context import get_auto_parallel_context
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.containers import CellList
from msjax.ops.common import sharding
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.arithmetic import add, mul


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
        return sharding.spread_rows(x[i * size : (i + 1) * size])


def _count(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, int):
        raise TypeError(f"`{owner}`: argument `{name}` must be an int. Received: {value!r}.")
    if value <= 0:
        raise ValueError(f"`{owner}`: argument `{name}` must be positive. Received: {value}.")


class GradAccumulationCell(Cell):
    """Gradient accumulation: the sum of the network's outputs over equal parts of the batch, computed in turn.

    Args:
        network (Cell): gives the loss.
        micro_size (int): number of parts.

    Inputs:
        - **inputs** (Tensor) - for the network, cut along their first axis.

    Outputs:
        Tensor, the sum.

    Raises:
        TypeError: if `network` is not a Cell or `micro_size` not an int.
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
        """Return the sum over the parts."""
        total = None
        for i, part in enumerate(self.micro_inputs):
            given = self.network(*part(i, *inputs))
            total = given if total is None else add(total, given)
        return total


@documented_by(GradAccumulationCell)
class MicroBatchInterleaved(Cell):
    """Micro-batches: the sum of the network's outputs over equal parts of the batch. MindSpore's runs them at the same time.

    Args:
        interleave_num (int): number of parts.

    Raises:
        TypeError: if `interleave_num` is not an int.
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
        """Return the sum over the parts."""
        total: Any = 0.0
        for i, part in enumerate(self.interleave_inputs):
            total = add(total, self.network(*part(i, *inputs)))
        return total


class VirtualDatasetCell(Cell):
    """A network of any inputs, as it is; `parallel` programs mark with it where a global batch comes in.

    Args:
        backbone (Cell): the network.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.wrap.data_wrappers import VirtualDatasetCell
        >>> print(VirtualDatasetCell(lambda a, b: a + b)(ms.Tensor(1), ms.Tensor(2)))
        3
    """

    def __init__(self, backbone: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        """Return the network's output."""
        return self._backbone(*inputs)


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
        """Return the network's output."""
        return self._backbone(a, b, c)


@documented_by(GradAccumulationCell)
class PipelineCell(GradAccumulationCell):
    """Pipeline: the sum of the outputs over equal parts of the batch, which run one after the other.

    In MindSpore stages run at the same time on devices of their own. Here all devices share each part, and with
    `pipeline_stages` each stage's devices hold their part of all Parameters (`AutoParallel.pipeline`).

    Args:
        stage_config (dict): the stage of each Cell, by its path in the network; kept as `pipeline_stage`. Default: None.
        segment_config (dict): accepted for MindSpore's signature. Default: None.

    Raises:
        TypeError: if `network` is not a Cell or `micro_size` not an int.
        ValueError: if `micro_size` is not positive; at the call, if it does not divide the batch.
        KeyError: if `stage_config` names a Cell that is not there.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())
        >>> print(ms.nn.PipelineCell(net, 2)(ms.Tensor([1.0, 3.0]), ms.ops.zeros((2,))))
        10.0
    """

    def __init__(
        self,
        network: Any,
        micro_size: int,
        stage_config: dict[str, int] | None = None,
        segment_config: dict | None = None,
    ) -> None:
        if not isinstance(network, Cell):
            raise TypeError(
                f"`PipelineCell`: argument `network` must be a Cell. Received: {type(network).__name__}."
            )
        _count("PipelineCell", "micro_size", micro_size)
        super().__init__(network, micro_size)
        cells = dict(network.cells_and_names()) | {str(network): network}
        for path, stage in (stage_config or {}).items():
            if path not in cells:
                raise KeyError(
                    f"`PipelineCell`: `stage_config` names {path!r}, which the network does not have."
                )
            cells[path].pipeline_stage = stage


class DistributedGradReducer(Cell):
    """Gradient reduction: sums, or means, of gradients over the processes that train together.

    Args:
        parameters (list): the Parameters that the gradients belong to.
        mean (bool): give means. Default: None, what `set_auto_parallel_context(gradients_mean=...)` says.
        degree (int): what a mean divides by. Default: None, the number of processes.
        fusion_type (int): accepted for MindSpore's signature; XLA fuses communications. Default: 1.
        group (str): the name of the processes. Default: "hccl_world_group", all.

    Inputs:
        - **grads** (tuple[Tensor]) - gradients.

    Outputs:
        tuple[Tensor], in the dtypes of the gradients.

    Raises:
        TypeError: if `mean` is not a bool.
        ValueError: if `degree` is no positive int.

    Examples:
        >>> import msjax as ms
        >>> reducer = ms.nn.DistributedGradReducer([], mean=True, degree=2)
        >>> print(reducer((ms.Tensor([1.0, 3.0]),))[0])
        [0.5 1.5]
    """

    def __init__(
        self,
        parameters: Any,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = "hccl_world_group",
    ) -> None:
        super().__init__(auto_prefix=False)
        if mean is not None and not isinstance(mean, bool):
            raise TypeError(f"`DistributedGradReducer`: argument `mean` must be a bool. Received: {mean!r}.")
        if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree <= 0):
            raise ValueError(
                f"`DistributedGradReducer`: argument `degree` must be a positive int. Received: {degree!r}."
            )
        self.mean = get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = degree or len(members("DistributedGradReducer", group))
        self.group = group
        # What belongs to this process alone is not reduced.
        self.own = [getattr(parameter, "layerwise_parallel", False) for parameter in parameters]

    def construct(self, grads: Any) -> tuple:
        """The sums or means."""
        found = list(grads)
        ranks = partners("DistributedGradReducer", self.group)
        own = self.own if len(self.own) == len(found) else [False] * len(found)
        shared = [i for i, alone in enumerate(own) if not alone]
        if len(ranks) > 1 and shared:
            for i, total in zip(
                shared, operators.all_reduce_each([found[i] for i in shared], "sum", ranks), strict=True
            ):
                found[i] = total
        return tuple(self._mean(gradient) for gradient in found)

    def _mean(self, gradient: Tensor) -> Tensor:
        return mul(gradient, 1.0 / self.degree) if self.mean and self.degree > 1 else gradient
