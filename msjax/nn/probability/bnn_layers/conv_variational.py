"""Variational convolution: weights are distributions."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.convolution.conv import Conv2d, ConvBase
from msjax.nn.probability.bnn_layers.dense_variational import DenseReparam
from msjax.nn.probability.bnn_layers.layer_distribution import NormalPrior, normal_post_fn
from msjax.nn.probability.bnn_layers.variational import Variational
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.convolution import conv2d


@documented_by(DenseReparam)
@documented_by(Conv2d)
class ConvReparam(Variational, ConvBase):
    """A convolution over two dimensions whose weight is drawn again at each call, as mean + sd * noise.

    Beside its distributions it has the Parameters of a convolution, which are neither used nor trained, as in MindSpore.

    Args:
        stride (int, tuple): step of the window. Default: 1.
        pad_mode (str): "same", "valid" or "pad", see :class:`Conv2d`. Default: "same".
        padding (int): zeros around, with "pad". Default: 0.
        dilation (int, tuple): distance of the window's elements. Default: 1.

    Parameters:
        - **weight_posterior.mean**, **weight_posterior.untransformed_std** - of the shape of a convolution's weight.
        - **bias_posterior.mean**, **bias_posterior.untransformed_std** - of shape (out_channels,).

    Raises:
        TypeError: for arguments of another type, and for distributions that are not normal.
        ValueError: for arguments out of range; at the call, for an input of another shape.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bnn_layers import ConvReparam
        >>> ConvReparam(1, 4, 3, stride=2)(ms.ops.ones((2, 1, 8, 8))).shape
        (2, 4, 4, 4)
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
        weight_prior_fn: Any = NormalPrior,
        weight_posterior_fn: Any = normal_post_fn,
        bias_prior_fn: Any = NormalPrior,
        bias_posterior_fn: Any = normal_post_fn,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, "normal", "zeros", "NCHW", dtypes.float32,
        )  # fmt: skip
        self.weight.requires_grad = False
        self.shape = [out_channels, in_channels // group, *self.kernel_size]
        self._distributions("weight", self.shape, weight_prior_fn, weight_posterior_fn)
        if self.bias is not None:
            self.bias.requires_grad = False
            self._distributions("bias", [out_channels], bias_prior_fn, bias_posterior_fn)

    def _apply_variational_weight(self, inputs: Tensor) -> Tensor:
        self._expect_dims(inputs, 4)
        return conv2d(inputs, self.weight_posterior("sample"), None, *self._settings)

    def extend_repr(self) -> str:
        """Settings and Parameters."""
        return (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, {self._describe_parameters()}"
        )
