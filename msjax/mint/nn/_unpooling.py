"""Max unpooling layers, whose output size may be given with the input."""

from typing import Any

from msjax.mint.nn import functional
from msjax.nn.cell.cell import Cell


class MaxUnpool2d(Cell):
    """The inverse of max pooling: elements go back to where they came from, zeros stand elsewhere.

    Args:
        kernel_size (int, tuple[int]): size of the window.
        stride (int, tuple[int], None): step of the window. Default: its size.
        padding (int, tuple[int]): zeros on both sides, which are cut off.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W).
        - **indices** (Tensor) - where each element goes, as `max_pool2d` gives them.
        - **output_size** (tuple[int], None) - of the output.

    Outputs:
        Tensor of shape (N, C, H', W').

    Examples:
        >>> import msjax as ms
        >>> x, at = ms.Tensor([[[[9.0]]]]), ms.Tensor([[[[3]]]])
        >>> print(ms.mint.nn.MaxUnpool2d(2)(x, at))
        [[[[0. 0.]
           [0. 9.]]]]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def construct(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """Elements at their places."""
        return functional.max_unpool2d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )
