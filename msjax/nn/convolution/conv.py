"""Convolutional layers: `Conv1d`, `Conv2d`, `Conv3d`."""

from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.precision import apply_with_bias
from msjax.ops.array.shapes import expand_dims, squeeze
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import convolution as ops


class Convolution(Cell):
    """Base class of MindSpore's convolutions of any dimension; derived classes define `construct`.

    The settings are kept as they are given; `construct` decides which lengths are valid.

    Args:
        kernel_size: a tuple; the weight has these sizes.
        stride: a tuple.
        dilation: a tuple.
        padding: an int, or a tuple of them.
        transposed: whether the weight is (in, out / group, ...), that of a transposed convolution.

    The others are those of `nn.Conv2d`.

    Examples:
        >>> from msjax.nn.convolution.conv import Convolution
        >>> Convolution(4, 6, (3, 3), (1, 1), "same", 0, (1, 1), 2, False, "normal", "zeros").weight.shape
        (6, 2, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple,
        stride: tuple,
        pad_mode: str,
        padding: Any,
        dilation: tuple,
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str = "NCHW",
        transposed: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        parameter_init.check_positive_ints(
            name, in_channels=in_channels, out_channels=out_channels, group=group
        )
        for sizes in (kernel_size, stride, dilation):
            parameter_init.check_positive_ints(
                name, **{f"element {i} of {sizes}": size for i, size in enumerate(sizes)}
            )
        parameter_init.check_choice(name, ("NCHW", "NCDHW"), data_format=data_format)
        parameter_init.check_bools(name, has_bias=has_bias)
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"`{name}`: argument `group` must divide `in_channels`={in_channels} and "
                f"`out_channels`={out_channels}. Received: {group}."
            )
        self.dims, self.transposed = len(kernel_size), transposed
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode, self.padding = pad_mode, _not_negative(name, padding)
        self.has_bias, self.data_format = has_bias, data_format
        outer, inner = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        shape = (outer, inner // group, *kernel_size)
        self.weight_init = parameter_init.he_uniform() if weight_init is None else weight_init
        self.bias_init = parameter_init.bias_uniform(shape) if has_bias and bias_init is None else bias_init
        self.weight, self.bias = parameter_init.weight_and_bias(
            name, shape, out_channels, self.weight_init, self.bias_init, has_bias, dtype
        )

    def extend_repr(self) -> str:
        """All settings."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )

    def construct(self, *inputs: Any) -> Any:
        """Raises NotImplementedError: it is for the class derived from it."""
        raise NotImplementedError(f"`{type(self).__name__}`: `construct` must be defined.")


def _not_negative(name: str, padding: Any) -> Any:
    if not isinstance(padding, int | tuple) or isinstance(padding, bool):
        raise TypeError(
            f"`{name}`: argument `padding` must be an int or a tuple of ints. Received: {padding!r}."
        )
    for side in padding if isinstance(padding, tuple) else (padding,):
        if isinstance(side, bool) or not isinstance(side, int) or side < 0:
            raise ValueError(
                f"`{name}`: argument `padding` must hold no negative numbers. Received: {padding!r}."
            )
    return padding


class ConvBase(Convolution):
    """Base class of the convolutional layers: checks the settings and makes the Parameters.

    `dims` are the dimensions of the window; `flat` says that a dimension of size 1 is kept before them, as MindSpore
    keeps one in the weights of its one-dimensional convolutions.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int, tuple): size of the window.
        stride (int, tuple): step of the window.
        pad_mode (str): "same" gives ceil(size / stride) elements, "valid" only whole windows, "pad" adds `padding`.
        padding (int, tuple): zeros around, with "pad".
        dilation (int, tuple): distance of the window's elements.
        group (int): number of groups of channels that do not see each other.
        has_bias (bool): whether there is a bias.
        weight_init (Tensor, str, Initializer, float): default HeUniform(sqrt(5)), uniform in +-1 / sqrt(fan_in) with
            fan_in = in_channels / group * elements of the window.
        bias_init (Tensor, str, Initializer, float): default uniform in the same range.
        data_format (str): order of the dimensions, which is that of `layout`.
        dtype (DType): of the Parameters.

    Raises:
        TypeError: for arguments of another type; at the call, if the input's dtype is not that of the weight.
        ValueError: for arguments out of range; at the call, for an input of another shape.
    """

    dims = 2
    flat = False
    transposed = False
    layout = "NCHW"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: DType = dtypes.float32,
    ) -> None:
        Cell.__init__(self)  # not the base's, which takes other settings
        name, n = type(self).__name__, self.dims
        if isinstance(group, int) and group > 0:
            for what, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
                if isinstance(channels, int | float) and channels % group:
                    raise ValueError(
                        f"`{name}`: argument `group` must divide `{what}`={channels}. Received: {group}."
                    )
        parameter_init.check_positive_ints(
            name, in_channels=in_channels, out_channels=out_channels, group=group
        )
        if self.flat:
            parameter_init.check_numbers(
                name, int, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation
            )
        if not self.flat and not (self.transposed and self.dims == 2):
            parameter_init.check_numbers(name, str, pad_mode=pad_mode)
        parameter_init.check_choice(name, ("same", "valid", "pad"), pad_mode=pad_mode)
        parameter_init.check_choice(name, (self.layout,), data_format=data_format)
        parameter_init.check_bools(name, has_bias=has_bias)
        parameter_init.check_dtypes(name, dtype=dtype)
        lead = (1,) * self.flat
        self.in_channels = in_channels
        self.out_channels = out_channels
        if not self.flat:
            _tuples(name, n, kernel_size=kernel_size, stride=stride, dilation=dilation)
        self.kernel_size = lead + checks.as_int_tuple(name, n, kernel_size=kernel_size)
        self.stride = lead + checks.as_int_tuple(name, n, stride=stride)
        self.pad_mode = pad_mode
        self.padding = (0, 0, padding, padding) if self.flat else padding
        self.dilation = lead + checks.as_int_tuple(name, n, dilation=dilation)
        self.group = group
        self.has_bias = has_bias
        self.data_format = data_format
        self._check_padding(name)
        outer, inner = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (outer, inner // group, *self.kernel_size)
        if self.flat and isinstance(weight_init, Tensor):
            weight_init = _add_kernel_height(name, weight_init)
        self.weight_init = parameter_init.he_uniform() if weight_init is None else weight_init
        self.bias_init = parameter_init.bias_uniform(shape) if has_bias and bias_init is None else bias_init
        self.weight, self.bias = parameter_init.weight_and_bias(
            name, shape, out_channels, self.weight_init, self.bias_init, has_bias, dtype
        )
        self._keep_settings()

    def _check_padding(self, name: str) -> None:
        sides = 2 * len(self.kernel_size)
        given = self.padding if isinstance(self.padding, tuple) else (self.padding,) * sides
        checks.as_int_tuple(name, sides, 0, padding=given)
        if self.pad_mode != "pad" and any(given):
            raise ValueError(
                f"`{name}`: argument `padding` must be 0 with pad_mode={self.pad_mode!r}. Received: {self.padding}; "
                "with pad_mode='pad' it counts."
            )

    def _keep_settings(self) -> None:
        # Those of MindSpore's operator, which is made with the layer: `conv.stride = 2` changes neither.
        self._settings = (self.stride, self.pad_mode, self.padding, self.dilation, self.group)

    def _convolve(self, operator: Callable, x: Any) -> Any:
        return apply_with_bias(
            operator, x, self.weight, self.bias if self.has_bias else None, *self._settings
        )

    def _expect_dims(self, x: Any, *allowed: int) -> None:
        if x.ndim not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise ValueError(
                f"`{type(self).__name__}`: the input must have {wanted} dimensions. Received: {x.shape}."
            )


def _add_kernel_height(name: str, weight: Tensor) -> Tensor:
    """Starting values of a weight over one dimension (out, in, size), as the layer keeps it: (out, in, 1, size)."""
    if weight.ndim != 3:
        raise ValueError(
            f"`{name}`: argument `weight_init` must have 3 dimensions if it is a Tensor. Received: {weight.shape}."
        )
    return expand_dims(weight, 2)


def _tuples(name: str, n: int, **values: Any) -> None:
    """Raise unless these are numbers or n-tuples; two dimensions call every other one a wrong type, as MindSpore does."""
    for argument, value in values.items():
        if isinstance(value, list | tuple) and (isinstance(value, list) or len(value) != n):
            error = TypeError if n == 2 or isinstance(value, list) else ValueError
            raise error(
                f"`{name}`: argument `{argument}` must be an int or a tuple of {n} ints. Received: {value!r}."
            )


@documented_by(ConvBase)
@applies()
class Conv1d(ConvBase):
    """Convolution over one dimension.

    Args:
        kernel_size (int): size of the window.
        stride (int): step of the window.
        padding (int): zeros on both sides, with "pad".
        dilation (int): distance of the window's elements.

    Parameters:
        - **weight** - of shape (out_channels, in_channels / group, 1, kernel size).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, L).

    Outputs:
        Tensor of shape (N, out_channels, L').

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Conv1d(3, 8, 5, stride=2)(ms.ops.ones((1, 3, 32))).shape
        (1, 8, 16)
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
        """Return the convolution of x with the weight, and the bias."""
        self._expect_dims(x, 3)
        return squeeze(self._convolve(ops.conv2d, expand_dims(x, 2)), 2)


@documented_by(ConvBase)
class Conv2d(ConvBase):
    """Convolution over two dimensions.

    Args:
        padding (int, tuple): zeros around, with "pad"; four ints are (top, bottom, left, right).
        data_format (str): "NCHW".

    Parameters:
        - **weight** - of shape (out_channels, in_channels / group, kernel height, kernel width).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W').

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Conv2d(3, 8, 3, stride=2)
        >>> net(ms.ops.ones((1, 3, 32, 32))).shape, net.weight.shape
        ((1, 8, 16, 16), (8, 3, 3, 3))
    """

    def construct(self, x: Any) -> Any:
        """Return the convolution of x with the weight, and the bias."""
        self._expect_dims(x, 4)
        return self._convolve(ops.conv2d, x)


@documented_by(ConvBase)
@applies()
class Conv3d(ConvBase):
    """Convolution over three dimensions.

    Args:
        padding (int, tuple): zeros around, with "pad"; six ints are (head, tail, top, bottom, left, right).
        data_format (str): "NCDHW".

    Parameters:
        - **weight** - of shape (out_channels, in_channels / group, kernel depth, kernel height, kernel width).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, D, H, W).

    Outputs:
        Tensor of shape (N, out_channels, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Conv3d(3, 8, 3, stride=2)(ms.ops.ones((1, 3, 4, 8, 8))).shape
        (1, 8, 2, 4, 4)
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
    has_bias: bool = False
    weight_init: Any = None
    bias_init: Any = None
    data_format: str = "NCDHW"
    dtype: DType = dtypes.float32

    def construct(self, x: Any) -> Any:
        """Return the convolution of x with the weight, and the bias."""
        self._expect_dims(x, 5)
        return self._convolve(ops.conv3d, x)
