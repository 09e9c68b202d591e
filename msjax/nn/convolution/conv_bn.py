"""Linear or convolutional layer with optional batch normalization and activation."""

from typing import Any

from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.convolution.conv import Conv2d
from msjax.nn.layers.activation_piecewise import LeakyReLU, get_activation
from msjax.nn.layers.linear import Dense
from msjax.nn.layers.norm import BatchNorm1d, BatchNorm2d
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.primitive_class import Primitive


def _activation(layer: str, activation: Any, alpha: float) -> Any:
    if activation == "leakyrelu":
        return LeakyReLU(alpha)
    found = get_activation(activation) if isinstance(activation, str) else activation
    if found is not None and not isinstance(found, Cell | Primitive):
        raise TypeError(
            f"`{layer}`: argument `activation` must be a str, a Cell or a Primitive. Received: {activation!r}."
        )
    return found


class Conv2dBnAct(Cell):
    """A convolution, then batch normalization, then an activation; the last two if they are asked for.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (Union[int, tuple]): of the window.
        stride (int): steps of the window.
        pad_mode (str): "same", "valid" or "pad".
        padding (int): for "pad".
        dilation (int): distance of the window's elements.
        group (int): groups of channels.
        has_bias (bool): whether the convolution has a bias.
        weight_init (Tensor, str, Initializer, float): of the convolution.
        bias_init (Tensor, str, Initializer, float): of the convolution.
        has_bn (bool): whether batch normalization follows.
        momentum (float): of the running mean and variance.
        eps (float): added to the variance.
        activation (Union[str, Cell, Primitive]): what is applied last.
        alpha (float): slope of the activation "leakyrelu".
        after_fake (bool): of quantization, without effect.

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W').

    Raises:
        TypeError: if an argument is of another type.
        ValueError: as for :class:`Conv2d`.
        KeyError: if no activation has the given name.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Conv2dBnAct(3, 4, 3, has_bn=True, activation="relu")
        >>> net(ms.ops.ones((2, 3, 5, 5))).shape
        (2, 4, 5, 5)
    """

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
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        parameter_init.check_bools("Conv2dBnAct", has_bn=has_bn, after_fake=after_fake)
        self.has_bn, self.has_act, self.after_fake = has_bn, activation is not None, after_fake
        if has_bn:
            self.batchnorm = BatchNorm2d(out_channels, eps, momentum)
        self.activation = _activation("Conv2dBnAct", activation, alpha)

    def construct(self, x: Any) -> Any:
        """Return the three after each other."""
        x = self.conv(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


@documented_by(Conv2dBnAct)
class DenseBnAct(Cell):
    """A linear layer, then batch normalization, then an activation; the last two if they are asked for.

    Args:
        in_channels (int): size of the input's last dimension.
        out_channels (int): size of the output's last dimension.
        weight_init (Tensor, str, Initializer, float): of the linear layer.
        bias_init (Tensor, str, Initializer, float): of the linear layer.
        has_bias (bool): whether the linear layer has a bias.

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels).

    Outputs:
        Tensor of shape (N, out_channels).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: as for :class:`Dense`.
        KeyError: if no activation has the given name.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.DenseBnAct(3, 4, has_bn=True, activation="relu")
        >>> net(ms.ops.ones((2, 3))).shape
        (2, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        parameter_init.check_bools("DenseBnAct", has_bn=has_bn, after_fake=after_fake)
        self.has_bn, self.has_act, self.after_fake = has_bn, activation is not None, after_fake
        if has_bn:
            self.batchnorm = BatchNorm1d(out_channels, eps, momentum)
        self.activation = _activation("DenseBnAct", activation, alpha)

    def construct(self, x: Any) -> Any:
        """Return the three after each other."""
        x = self.dense(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x
