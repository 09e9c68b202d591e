"""Transposed convolutional layers: `Conv1dTranspose`, `Conv2dTranspose`, `Conv3dTranspose`."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.cell import parameter_init
from msjax.nn.cell.function_layers import applies
from msjax.nn.convolution.conv import ConvBase
from msjax.nn.convolution.padding import pad_dimensions
from msjax.ops.array.shapes import expand_dims, squeeze
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import convolution as ops


@documented_by(ConvBase)
class _Transposed(ConvBase):
    """Base class of the transposed convolutional layers.

    Args:
        stride (int, tuple): distance of the windows in the output.
        pad_mode (str): "same" gives size * stride elements, "valid" keeps whole windows, "pad" cuts `padding` off.
        padding (int, tuple): what is cut off on all sides, with "pad".
        output_padding (int, tuple): zeros behind the result, with "pad".

    Raises:
        TypeError: for arguments of another type.
        ValueError: for arguments out of range; at the call, for an input of another shape.
    """

    transposed = True
    output_padding: Any

    def _check_output_padding(self) -> None:
        name, n, output_padding = type(self).__name__, self.dims, self.output_padding
        parameter_init.check_numbers(name, int, tuple, output_padding=output_padding)
        more = checks.as_int_tuple(name, n, 0, output_padding=output_padding)
        if any(more) and self.pad_mode != "pad":
            raise ValueError(
                f"`{name}`: argument `output_padding` needs pad_mode='pad'. Received: {self.pad_mode!r}."
            )
        if any(m >= max(s, d) for m, s, d in zip(more, self.stride, self.dilation, strict=True) if m):
            raise ValueError(
                f"`{name}`: argument `output_padding` must be less than the stride or the dilation. Received: {more}."
            )
        self._behind = tuple((0, m) for m in more)

    def _pad_output(self, y: Any) -> Any:
        """Return the output with `output_padding`, which in MindSpore are zeros."""
        return pad_dimensions(y, ((0, 0), (0, 0), *self._behind)) if any(map(any, self._behind)) else y


@documented_by(_Transposed)
@applies()
class Conv1dTranspose(_Transposed):
    """Transposed convolution over one dimension; see :class:`Conv2dTranspose`.

    Args:
        kernel_size (int): size of the window.
        stride (int): distance of the windows in the output.
        padding (int): what is cut off on both sides, with "pad".
        dilation (int): distance of the window's elements.

    Parameters:
        - **weight** - of shape (in_channels, out_channels / group, 1, kernel size).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, L).

    Outputs:
        Tensor of shape (N, out_channels, L').

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Conv1dTranspose(8, 3, 3, stride=2)(ms.ops.ones((1, 8, 16))).shape
        (1, 3, 32)
    """

    dims = 1
    flat = True

    in_channels: int
    out_channels: int
    kernel_size: int
    stride: int = 1
    pad_mode: str = "same"
    padding: int = 0
    dilation: int = 1
    group: int = 1
    has_bias: bool = False
    weight_init: Any = None
    bias_init: Any = None
    dtype: DType = dtypes.float32

    def construct(self, x: Any) -> Any:
        """Return the transposed convolution of x with the weight, and the bias."""
        self._expect_dims(x, 3)
        return squeeze(
            self._convolve(ops.conv_transpose, expand_dims(x, 2)),
            2,
        )


@documented_by(_Transposed)
@applies()
class Conv2dTranspose(_Transposed):
    """Transposed convolution over two dimensions: the gradient of a convolution with respect to its input, as a layer.

    Args:
        padding (int, tuple): what is cut off on all sides, with "pad"; four ints are (top, bottom, left, right).

    Parameters:
        - **weight** - of shape (in_channels, out_channels / group, kernel height, kernel width).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Conv2dTranspose(8, 3, 3, stride=2)(ms.ops.ones((1, 8, 16, 16))).shape
        (1, 3, 32, 32)
    """

    in_channels: int
    out_channels: int
    kernel_size: Any
    stride: Any = 1
    pad_mode: str = "same"
    padding: Any = 0
    output_padding: Any = 0
    dilation: Any = 1
    group: int = 1
    has_bias: bool = False
    weight_init: Any = None
    bias_init: Any = None
    dtype: DType = dtypes.float32

    def __post_init__(self) -> None:
        self._check_output_padding()

    def construct(self, x: Any) -> Any:
        """Return the transposed convolution of x with the weight, and the bias."""
        self._expect_dims(x, 4)
        return self._pad_output(self._convolve(ops.conv_transpose, x))


@documented_by(_Transposed)
@applies()
class Conv3dTranspose(_Transposed):
    """Transposed convolution over three dimensions; see :class:`Conv2dTranspose`.

    Args:
        data_format (str): "NCDHW".

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, D, H, W).

    Outputs:
        Tensor of shape (N, out_channels, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Conv3dTranspose(4, 3, 3, stride=2)(ms.ops.ones((1, 4, 2, 4, 4))).shape
        (1, 3, 4, 8, 8)
    """

    dims = 3
    layout = "NCDHW"

    in_channels: int
    out_channels: int
    kernel_size: Any
    stride: Any = 1
    pad_mode: str = "same"
    padding: Any = 0
    dilation: Any = 1
    group: int = 1
    output_padding: Any = 0
    has_bias: bool = False
    weight_init: Any = None
    bias_init: Any = None
    data_format: str = "NCDHW"
    dtype: DType = dtypes.float32

    def __post_init__(self) -> None:
        self._check_output_padding()

    def construct(self, x: Any) -> Any:
        """Return the transposed convolution of x with the weight, and the bias."""
        self._expect_dims(x, 5)
        return self._pad_output(self._convolve(ops.conv_transpose, x))
