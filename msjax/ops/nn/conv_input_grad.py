"""Input gradient of a convolution (conv2d backward with respect to the input), given the input's size."""

from typing import Any

import jax
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks, sharding
from msjax.ops.common.name_table import make_function
from msjax.ops.nn.convolution import conv_transpose, convolve

conv3d_transpose = make_function(
    """conv3d_transpose(inputs: input, weight, pad_mode='valid', padding=0, stride=1, dilation=1, group: groups = 1,
    output_padding=0)""",
    conv_transpose,
)


@sharding.keeps_space_whole
@op(static="input_size pad_mode padding stride dilation groups")
def conv_backprop_input(
    dout: Array,
    weight: Array,
    input_size: Any,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Return the transpose of :func:`conv2d` (in as many dimensions as the kernel has) with the same settings.

    Args:
        dout (Tensor): of the shape (N, O, ...) of the convolution's result, floating.
        weight (Tensor): of shape (O, C / groups, k1, ...) and `dout`'s dtype.
        input_size (tuple): shape (N, C, ...) of the convolution's input.
        pad_mode (str): "valid", "same" or "pad", of the convolution.
        padding (int, tuple): of the convolution.
        stride (int, tuple): of the convolution.
        dilation (int, tuple): of the convolution.
        groups (int): of the convolution.

    Returns:
        Tensor of shape `input_size`.

    Raises:
        ValueError: if the convolution of such an input does not have `dout`'s shape.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.conv_input_grad import conv_backprop_input
        >>> print(conv_backprop_input(ms.ops.ones((1, 1, 1, 2)), ms.ops.ones((1, 1, 1, 2)), (1, 1, 1, 3)))
        [[[[1. 2. 1.]]]]
    """
    name, n = "conv_backprop_input", weight.ndim - 2
    checks.check_floating(name, dout=dout, weight=weight)
    shape = checks.as_int_tuple(name, n + 2, input_size=input_size)

    def forwards(x: Array) -> Array:
        return convolve(name, n, x, weight, None, stride, pad_mode, padding, dilation, groups)

    x = jax.ShapeDtypeStruct(shape, dout.dtype)
    wanted = jax.eval_shape(forwards, x).shape
    if wanted != dout.shape:
        checks.fail(ValueError, name, "dout", f"have shape {wanted}", f"array of shape {dout.shape}")
    return jax.linear_transpose(forwards, x)(dout)[0]
