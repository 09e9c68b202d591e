"""Max unpooling layers, whose output size may be given with the input."""

from typing import Any

from msjax.mint.nn import functional
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies


@applies(functional.max_unpool2d, "input, indices, output_size=None")
class MaxUnpool2d(Cell):
    """The inverse of max pooling: elements go back to where they came from, zeros stand elsewhere.

    Outputs:
        Tensor of shape (N, C, H', W').

    Examples:
        >>> import msjax as ms
        >>> x, at = ms.Tensor([[[[9.0]]]]), ms.Tensor([[[[3]]]])
        >>> print(ms.mint.nn.MaxUnpool2d(2)(x, at))
        [[[[0. 0.]
           [0. 9.]]]]
    """

    kernel_size: Any
    stride: Any = None
    padding: Any = 0
