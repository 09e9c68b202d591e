"""LessBN: a network whose last Dense layer works on normalized inputs and weights."""

from typing import Any

from msjax import ops
from msjax.common.initializer import initializer
from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.linear import Dense
from msjax.ops.nn.rms_lrn_norm import l2_normalize


class CommonHeadLastFN(Cell):
    r"""A Dense layer over inputs and weights of length 1, times one learned number.

    .. math::
        y = m \left( \frac{x}{\lVert x \rVert_2} \frac{W^T}{\lVert W \rVert_2} + b \right)

    Args:
        in_channels (int): size of the last axis of the input.
        out_channels (int): size of the last axis of the output.
        weight_init (Union[Tensor, str, Initializer, float]): of W. Default: "normal".
        bias_init (Union[Tensor, str, Initializer, float]): of b. Default: "zeros".
        has_bias (bool): add b. Default: True.

    Inputs:
        - **x** (Tensor) - shape (N, in_channels).

    Outputs:
        Tensor of shape (N, out_channels).

    Examples:
        >>> import msjax as ms
        >>> from msjax.boost.less_batch_normalization import CommonHeadLastFN
        >>> print(CommonHeadLastFN(1, 1, "ones")(ms.Tensor([[3.0]])))
        [[1.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
    ) -> None:
        super().__init__()
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels]), name="weight")
        self.multiplier = Parameter(Tensor([1.0], dtypes.float32), name="multiplier")
        self.has_bias = has_bias
        if has_bias:
            self.bias = Parameter(initializer(bias_init, [out_channels]), name="bias")

    def construct(self, x: Tensor) -> Tensor:
        """Return the normalized product."""
        y = ops.matmul(l2_normalize(x, 1), l2_normalize(self.weight, 1).T)
        return self.multiplier * (y + self.bias if self.has_bias else y)


class LessBN(Cell):
    """A network with less batch normalization: with `fn_flag`, its last Dense layer becomes :class:`CommonHeadLastFN`.

    Args:
        network (Cell): the network; it is changed.
        fn_flag (bool): replace the last Dense layer of every Cell that holds some. Default: False.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        What the network gives.

    Examples:
        >>> from msjax import boost, nn, ops
        >>> net = boost.LessBN(nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 2)), fn_flag=True)
        >>> [type(cell).__name__ for cell in net.network]
        ['Dense', 'ReLU', 'CommonHeadLastFN']
        >>> net(ops.ones((1, 2))).shape
        (1, 2)
    """

    def __init__(self, network: Cell, fn_flag: bool = False) -> None:
        super().__init__()
        self.network = network
        if "less_bn" not in network.get_flags():
            network.set_boost("less_bn")
            network.update_cell_prefix()
            if fn_flag:
                self._convert_to_less_bn_net(network)
            network.add_flags(defer_inline=True)

    def construct(self, *inputs: Any) -> Any:
        """Apply the network."""
        return self.network(*inputs)

    def _convert_to_less_bn_net(self, net: Cell) -> None:
        last = None
        for name, cell in net.name_cells().items():
            if isinstance(cell, Dense):
                last = name, cell
            elif cell is not net:
                self._convert_to_less_bn_net(cell)
        if last is not None:
            net.insert_child_to_cell(last[0], _normalize_dense(last[1]))


def _normalize_dense(dense: Dense) -> CommonHeadLastFN:
    """Return a Dense layer as one that works on normalized inputs and weights; its bias is left out, as in MindSpore."""
    made = CommonHeadLastFN(dense.in_channels, dense.out_channels, dense.weight, has_bias=False)
    made.update_parameters_name(dense.param_prefix + ".")
    return made
