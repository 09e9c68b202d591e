"""Convolutional layers under PyTorch's signatures."""

from types import MappingProxyType
from typing import Any

from msjax.core import dtype as dtypes
from msjax.mint.nn import functional
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.array.padding import pad
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.convolution import conv_transpose2d

_MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _Convolution(Cell):
    """Settings, checked, and Parameters, of convolutions over `dims` dimensions.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int, tuple[int]): size of the window.
        stride (int, tuple[int]): step of the window.
        padding (int, tuple[int], str): elements on both sides; "valid" none, "same" so many that the size stays.
        dilation (int, tuple[int]): distance of the window's elements.
        groups (int): groups of channels that do not see each other.
        bias (bool): whether there is a bias.
        padding_mode (str): what the elements are: "zeros", "reflect", "replicate", "circular".
        dtype (DType, None): of the Parameters. Default: float32.

    Parameters:
        - **weight** - of shape (out_channels, in_channels / groups, *kernel_size).
        - **bias** - of shape (out_channels,).

    Raises:
        TypeError: for settings that are not ints.
        ValueError: for settings out of range.
    """

    dims = 2
    transposed = False
    _kept = MappingProxyType(
        {
            "conv1d": lambda layer: functional.conv1d,
            "conv2d": lambda layer: functional.conv2d,
            "conv3d": lambda layer: functional.conv3d,
            "output_padding": lambda layer: (0,) * layer.dims,
        }
    )

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        name, n = type(self).__name__, self.dims
        parameter_init.check_positive_ints(
            name, in_channels=in_channels, out_channels=out_channels, groups=groups
        )
        parameter_init.check_bools(name, bias=bias)
        parameter_init.check_choice(
            name, ("zeros",) if self.transposed else tuple(_MODES), padding_mode=padding_mode
        )
        for what, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(
                    f"`{name}`: argument `groups` must divide `{what}`={channels}. Received: {groups}."
                )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = checks.as_int_tuple(name, n, kernel_size=kernel_size)
        self.stride = checks.as_int_tuple(name, n, stride=stride)
        self.dilation = checks.as_int_tuple(name, n, dilation=dilation)
        self.padding = (
            padding if isinstance(padding, str) else checks.as_int_tuple(name, n, 0, padding=padding)
        )
        if isinstance(padding, str):
            parameter_init.check_choice(name, ("same", "valid"), padding=padding)
        self.groups = groups
        self.padding_mode = padding_mode
        outer, inner = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape, kind = (outer, inner // groups, *self.kernel_size), dtype or dtypes.float32
        self.weight, self.bias = parameter_init.weight_and_bias(
            name, shape, out_channels, None, None, bias, kind
        )

    def _around(self) -> tuple[int, ...]:
        """Return the padding as `pad` takes it: (before, after) of the last dimension first."""
        if self.padding == "valid":
            return (0, 0) * self.dims
        if self.padding == "same":
            total = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return tuple(side for t in reversed(total) for side in (t // 2, t - t // 2))
        return tuple(side for p in reversed(self.padding) for side in (p, p))  # type: ignore[return-value]

    @property
    def _reversed_padding(self) -> tuple[int, ...]:
        return self._around()

    def construct(self, input: Any) -> Any:
        """Return the convolution of the input with `weight`, plus `bias`."""
        convolution = getattr(functional, f"conv{self.dims}d")
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = pad(input, self._around(), _MODES[self.padding_mode]), 0
        return convolution(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extend_repr(self) -> str:
        """All settings."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"bias={self.bias is not None}"
        )


@documented_by(_Convolution)
class Conv1d(_Convolution):
    """Convolution over one dimension.

    Inputs:
        - **input** (Tensor) - of shape (N, in_channels, L) or (in_channels, L), floating.

    Outputs:
        Tensor of shape (N, out_channels, L') or (out_channels, L').

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.Conv1d(2, 3, 2)(ms.ops.ones((1, 2, 5))).shape
        (1, 3, 4)
    """

    dims = 1


@documented_by(_Convolution)
class Conv2d(_Convolution):
    """Convolution over two dimensions.

    Inputs:
        - **input** (Tensor) - of shape (N, in_channels, H, W) or (in_channels, H, W), floating.

    Outputs:
        Tensor of shape (N, out_channels, H', W') or (out_channels, H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.Conv2d(2, 3, 3, padding="same")(ms.ops.ones((1, 2, 5, 5))).shape
        (1, 3, 5, 5)
    """


@documented_by(_Convolution)
class Conv3d(_Convolution):
    """Convolution over three dimensions.

    Inputs:
        - **input** (Tensor) - of shape (N, in_channels, D, H, W) or (in_channels, D, H, W), floating.

    Outputs:
        Tensor of shape (N, out_channels, D', H', W') or (out_channels, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.Conv3d(1, 2, 2)(ms.ops.ones((1, 1, 2, 3, 4))).shape
        (1, 2, 1, 2, 3)
    """

    dims = 3


@documented_by(_Convolution)
class ConvTranspose2d(_Convolution):
    """The transpose of a convolution over two dimensions, by which sizes grow.

    Args:
        stride (int, tuple[int]): step of the window in the output.
        padding (int, tuple[int]): elements that are cut from both sides of the output.
        output_padding (int, tuple[int]): elements by which the output is longer; less than stride or dilation.
        padding_mode (str): "zeros" only.

    Parameters:
        - **weight** - of shape (in_channels, out_channels / groups, *kernel_size).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **input** (Tensor) - of shape (N, in_channels, H, W) or (in_channels, H, W), floating.
        - **output_size** (tuple[int], None) - H' and W' of the output, in place of `output_padding`.

    Outputs:
        Tensor of shape (N, out_channels, H', W') or (out_channels, H', W').

    Raises:
        TypeError: for settings that are not ints.
        ValueError: for settings out of range, or an `output_size` that no output padding gives.

    Examples:
        >>> import msjax as ms
        >>> net = ms.mint.nn.ConvTranspose2d(2, 3, 3, stride=2)
        >>> x = ms.ops.ones((1, 2, 4, 4))
        >>> net(x).shape, net(x, output_size=(10, 10)).shape
        ((1, 3, 9, 9), (1, 3, 10, 10))
    """

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        if isinstance(padding, str):
            raise TypeError(
                f"`ConvTranspose2d`: argument `padding` must be an int or ints. Received: {padding!r}."
            )
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )
        self.output_padding = checks.as_int_tuple("ConvTranspose2d", 2, 0, output_padding=output_padding)

    def construct(self, input: Any, output_size: Any = None) -> Any:
        """Return the transposed convolution of the input with `weight`, plus `bias`."""
        extra = (
            self.output_padding if output_size is None else self._extra(input.shape[-2:], output_size[-2:])
        )
        return conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )

    def _extra(self, sizes: Any, wanted: Any) -> tuple[int, ...]:
        """Return the output padding that leads to a size."""
        settings = zip(sizes, wanted, self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        extra = tuple(w - ((n - 1) * s - 2 * p + d * (k - 1) + 1) for n, w, s, p, d, k in settings)
        if any(not 0 <= e < max(s, d) for e, s, d in zip(extra, self.stride, self.dilation, strict=True)):
            checks.fail(
                ValueError, "ConvTranspose2d", "output_size", "be reached by an output padding less than stride or "
                "dilation", f"{tuple(wanted)}, which needs {extra}",
            )  # fmt: skip
        return extra
