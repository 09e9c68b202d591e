"""Pooling layers with PyTorch's arguments (`AvgPool2dExt` ...); :mod:`msjax.mint.nn` has them under plain names."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.ops.nn.pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool2d


class AvgPool1dExt(Cell):
    """The means of windows.

    Args:
        kernel_size (Union[int, tuple]): of the window.
        stride (Union[int, tuple]): of the window. Default: `kernel_size`.
        padding (Union[int, tuple]): zeros on both sides.
        ceil_mode (bool): let the last window reach beyond the end.
        count_include_pad (bool): whether zeros of the padding count.

    Inputs:
        - **input** (Tensor) - of shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, C, L') or (C, L').

    Raises:
        ValueError: at the call, for settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool1dExt(2)(ms.Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
        [[[2. 6.]]]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def construct(self, input: Any) -> Any:
        """The means of windows."""
        return avg_pool1d(
            input,
            self.kernel_size,
            self.kernel_size if self.stride is None else self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )


class AvgPool2dExt(Cell):
    """The means of windows.

    Args:
        kernel_size (Union[int, tuple]): of the window.
        stride (Union[int, tuple]): of the window. Default: `kernel_size`.
        padding (Union[int, tuple]): zeros around.
        ceil_mode (bool): let the last windows reach beyond the edge.
        count_include_pad (bool): whether zeros of the padding count.
        divisor_override (int): divide by this instead of the number of elements.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W').

    Raises:
        ValueError: at the call, for settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool2dExt(2)(ms.Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[4.]]]]
    """

    _pool = staticmethod(avg_pool2d)

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def construct(self, input: Any) -> Any:
        """The means of windows."""
        return self._pool(
            input,
            self.kernel_size,
            self.kernel_size if self.stride is None else self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            0 if self.divisor_override is None else self.divisor_override,
        )


class AvgPool3dExt(AvgPool2dExt):
    """The means of windows.

    Args:
        kernel_size (Union[int, tuple]): of the window.
        stride (Union[int, tuple]): of the window. Default: `kernel_size`.
        padding (Union[int, tuple]): zeros around.
        ceil_mode (bool): let the last windows reach beyond the edge.
        count_include_pad (bool): whether zeros of the padding count.
        divisor_override (int): divide by this instead of the number of elements.

    Inputs:
        - **input** (Tensor) - of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W').

    Raises:
        ValueError: at the call, for settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool3dExt(2)(ms.ops.ones((1, 1, 2, 2, 2))))
        [[[[[1.]]]]]
    """

    _pool = staticmethod(avg_pool3d)


class MaxPool2dExt(Cell):
    """The largest elements of windows.

    Args:
        kernel_size (Union[int, tuple]): of the window.
        stride (Union[int, tuple]): of the window. Default: `kernel_size`.
        padding (Union[int, tuple]): elements around that never are the largest.
        dilation (Union[int, tuple]): distance of the window's elements.
        return_indices (bool): also return where they were found.
        ceil_mode (bool): let the last windows reach beyond the edge.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W'); with `return_indices` a tuple of it and int64 places in H x W.

    Raises:
        ValueError: at the call, for settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MaxPool2dExt(2)(ms.Tensor([[[[1.0, 3.0], [5.0, 7.0]]]])))
        [[[[7.]]]]
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def construct(self, input: Any) -> Any:
        """The largest elements."""
        return max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.return_indices,
            self.ceil_mode,
        )
