"""Pooling layers with PyTorch's arguments (`AvgPool2dExt` ...); :mod:`msjax.mint.nn` has them under plain names."""

from collections.abc import Callable
from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.nn.pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool2d


def _means(pool: Callable, layer: Any, x: Any, *divisor: Any) -> Any:
    stride = layer.kernel_size if layer.stride is None else layer.stride
    return pool(
        x, layer.kernel_size, stride, layer.padding, layer.ceil_mode, layer.count_include_pad, *divisor
    )


@applies(avg_pool1d, "input")
class AvgPool1dExt(Cell):
    """The means of windows.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool1dExt(2)(ms.Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
        [[[2. 6.]]]
    """

    kernel_size: Any
    stride: Any = None
    padding: Any = 0
    ceil_mode: bool = False
    count_include_pad: bool = True

    def construct(self, input: Any) -> Any:
        """The means of windows."""
        return _means(avg_pool1d, self, input)


@applies(avg_pool2d, "input")
class AvgPool2dExt(Cell):
    """The means of windows.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool2dExt(2)(ms.Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[4.]]]]
    """

    kernel_size: Any
    stride: Any = None
    padding: Any = 0
    ceil_mode: bool = False
    count_include_pad: bool = True
    divisor_override: int | None = None

    def construct(self, input: Any) -> Any:
        """The means of windows."""
        return _means(avg_pool2d, self, input, self.divisor_override or 0)


@applies(avg_pool3d, "input")
class AvgPool3dExt(AvgPool2dExt):
    """The means of windows.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool3dExt(2)(ms.ops.ones((1, 1, 2, 2, 2))))
        [[[[[1.]]]]]
    """

    def construct(self, input: Any) -> Any:
        """The means of windows."""
        return _means(avg_pool3d, self, input, self.divisor_override or 0)


@applies(max_pool2d, "input")
class MaxPool2dExt(Cell):
    """The largest elements of windows.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MaxPool2dExt(2)(ms.Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[7.]]]]
    """

    kernel_size: Any = 1
    stride: Any = None
    padding: Any = 0
    dilation: Any = 1
    return_indices: bool = False
    ceil_mode: bool = False

    def __post_init__(self) -> None:
        self.stride = self.kernel_size if self.stride is None else self.stride
