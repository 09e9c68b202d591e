"""Convolution, transposed convolution, and im2col patches (unfold, fold).

Every convolution is one `lax.conv_general_dilated` over (N, C, d1, ...) arrays. What is called convolution is, as in
every framework, cross-correlation: the kernel is not flipped.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks, sharding, window_args
from msjax.ops.common.docstrings import documented_by

PAD_MODES = ("valid", "same", "pad")
_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


class ChannelsError(RuntimeError, ValueError):
    """An input with other channels than the weight. MindSpore raises the second in a program, the first without."""


def _check_inputs(name: str, n: int, x: Array, w: Array, bias: Array | None, out: int, inside: int) -> Array:
    """Return the input with a batch, after checks of what all convolutions share."""
    checks.check_floating(name, input=x, weight=w)
    checks.check_same_dtype(name, input=x, weight=w)
    checks.check_rank(name, n + 1, n + 2, input=x)
    checks.check_rank(name, n + 2, weight=w)
    if x.shape[-n - 1] != inside:
        checks.fail(
            ChannelsError, name, "input", f"have {inside} channels, which the weight of shape {w.shape} takes",
            f"array of shape {x.shape}, with {x.shape[-n - 1]}",
        )  # fmt: skip
    if bias is not None and bias.shape != (out,):
        checks.fail(ValueError, name, "bias", f"have shape ({out},)", f"array of shape {bias.shape}")
    return x if x.ndim == n + 2 else x[None]


def _add_bias(y: Array, bias: Array | None, n: int, single: bool) -> Array:
    if bias is not None:
        y = y + bias.astype(y.dtype).reshape(-1, *[1] * n)
    return y.squeeze(0) if single else y


def _pads(
    name: str, pad_mode: str, padding: Any, sizes: Any, kernel: Any, stride: Any, dilation: Any
) -> window_args.Pairs:
    checks.check_choice(name, PAD_MODES, pad_mode=pad_mode)
    pairs = window_args.as_padding_pairs(name, len(kernel), padding)
    if pad_mode == "pad":
        return pairs
    if any(before or after for before, after in pairs):
        checks.fail(ValueError, name, "padding", f'be 0 with pad_mode="{pad_mode}"', padding)
    return window_args.same_padding(sizes, kernel, stride, dilation) if pad_mode == "same" else pairs


def convolve(
    name: str, n: int, x: Array, w: Array, bias: Array | None, stride: Any, pad_mode: str, padding: Any,
    dilation: Any, groups: int,
) -> Array:  # fmt: skip
    """Return the convolution of (N, C, d1, ... dn) with a kernel (O, C / groups, k1, ... kn)."""
    checks.check_ints(name, groups=groups)
    stride, dilation = (
        checks.as_int_tuple(name, n, stride=stride),
        checks.as_int_tuple(name, n, dilation=dilation),
    )
    if groups < 1 or w.shape[0] % groups:
        checks.fail(ValueError, name, "groups", f"divide the output channels {w.shape[0]}", groups)
    batch = _check_inputs(name, n, x, w, bias, w.shape[0], w.shape[1] * groups)
    sizes, kernel = batch.shape[2:], w.shape[2:]
    pads = _pads(name, pad_mode, padding, sizes, kernel, stride, dilation)
    window_args.count_windows(name, sizes, kernel, stride, dilation, pads)
    dims = f"NC{_SPATIAL[n]}", f"OI{_SPATIAL[n]}", f"NC{_SPATIAL[n]}"
    y = lax.conv_general_dilated(
        batch, w, stride, pads, rhs_dilation=dilation, dimension_numbers=dims, feature_group_count=groups
    )
    return _add_bias(y, bias, n, x.ndim == n + 1)


def convolve_transposed(
    name: str, n: int, x: Array, w: Array, bias: Array | None, stride: Any, pads: window_args.Pairs, extra: Any,
    dilation: Any, groups: int,
) -> Array:  # fmt: skip
    """Return the transpose of `convolve` with the same settings, with a kernel (C, O / groups, k1, ... kn).

    It is a convolution with a flipped kernel over the input spread apart by `stride`; `extra` lengthens the result.
    """
    checks.check_ints(name, groups=groups)
    stride, dilation = (
        checks.as_int_tuple(name, n, stride=stride),
        checks.as_int_tuple(name, n, dilation=dilation),
    )
    if groups < 1 or w.shape[0] % groups:
        checks.fail(ValueError, name, "groups", f"divide the input channels {w.shape[0]}", groups)
    batch = _check_inputs(name, n, x, w, bias, w.shape[1] * groups, w.shape[0])
    kernel = w.reshape(groups, w.shape[0] // groups, *w.shape[1:]).swapaxes(1, 2)
    kernel = jnp.flip(kernel.reshape(-1, *kernel.shape[2:]), range(2, n + 2))
    reach = [(k - 1) * d for k, d in zip(kernel.shape[2:], dilation, strict=True)]
    around = [(r - lo, r - hi + e) for r, (lo, hi), e in zip(reach, pads, extra, strict=True)]
    dims = f"NC{_SPATIAL[n]}", f"OI{_SPATIAL[n]}", f"NC{_SPATIAL[n]}"
    y = lax.conv_general_dilated(
        batch, kernel, (1,) * n, around, lhs_dilation=stride, rhs_dilation=dilation,
        dimension_numbers=dims, feature_group_count=groups,
    )  # fmt: skip
    return _add_bias(y, bias, n, x.ndim == n + 1)


@sharding.keeps_space_whole
@op(static="stride pad_mode padding dilation groups")
def conv1d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Convolution over one dimension; see :func:`conv2d`.

    Args:
        input (Tensor): of shape (N, C, L) or (C, L), floating.
        weight (Tensor): of shape (O, C / groups, k) and `input`'s dtype.
        bias (Tensor): of shape (O,).
        stride (int): step of the window.
        pad_mode (str): "valid", "same" or "pad".
        padding (int): zeros on both sides, with pad_mode "pad"; a pair gives each side.
        dilation (int): distance of the window's elements.
        groups (int): number of independent groups of channels.

    Returns:
        Tensor of shape (N, O, M) or (O, M) and `input`'s dtype.

    Raises:
        TypeError: for dtypes that differ or are not floating, settings that are not ints.
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x, w = ms.ops.ones((1, 1, 4)), ms.ops.ones((1, 1, 3))
        >>> print(ms.ops.conv1d(x, w))
        [[[3. 3.]]]
    """
    return convolve("conv1d", 1, input, weight, bias, stride, pad_mode, padding, dilation, groups)


@sharding.keeps_space_whole
@op(static="stride pad_mode padding dilation groups")
@documented_by(conv1d)
def conv2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Convolution over two dimensions.

    y[n, o, i, j] = bias[o] + sum over c, a, b of weight[o, c, a, b] * x[n, c, i * stride + a * dilation, ...].

    Args:
        input (Tensor): of shape (N, C, H, W) or (C, H, W), floating.
        weight (Tensor): of shape (O, C / groups, kh, kw) and `input`'s dtype.
        stride (int, tuple): step of the window, along H and W.
        pad_mode (str): "valid" pads nothing, "same" so that the result has ceil(size / stride) elements, "pad" as
            `padding` says.
        padding (int, tuple): zeros on both sides of H and W; four ints are (top, bottom, left, right).
        dilation (int, tuple): distance of the window's elements.

    Returns:
        Tensor of shape (N, O, H', W') or (O, H', W') and `input`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> x, w = ms.ops.ones((1, 3, 8, 8)), ms.ops.ones((4, 3, 3, 3))
        >>> ms.ops.conv2d(x, w, stride=2, pad_mode="same").shape
        (1, 4, 4, 4)
    """
    return convolve("conv2d", 2, input, weight, bias, stride, pad_mode, padding, dilation, groups)


@sharding.keeps_space_whole
@op(static="stride pad_mode padding dilation groups")
@documented_by(conv1d)
def conv3d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Convolution over three dimensions; see :func:`conv2d`.

    Args:
        input (Tensor): of shape (N, C, D, H, W) or (C, D, H, W), floating.
        weight (Tensor): of shape (O, C / groups, kd, kh, kw) and `input`'s dtype.
        stride (int, tuple): step of the window.
        padding (int, tuple): zeros on both sides, with pad_mode "pad"; six ints give each side.
        dilation (int, tuple): distance of the window's elements.

    Returns:
        Tensor of shape (N, O, D', H', W') and `input`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> x, w = ms.ops.ones((1, 1, 4, 4, 4)), ms.ops.ones((2, 1, 3, 3, 3))
        >>> ms.ops.conv3d(x, w).shape
        (1, 2, 2, 2, 2)
    """
    return convolve("conv3d", 3, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def _with_output_padding(
    name: str, n: int, x: Array, w: Array, bias: Array | None, stride: Any, padding: Any, output_padding: Any,
    groups: int, dilation: Any,
) -> Array:  # fmt: skip
    pads = window_args.as_padding_pairs(name, n, padding)
    extra = checks.as_int_tuple(name, n, 0, output_padding=output_padding)
    step, apart = checks.as_int_tuple(name, n, stride=stride), checks.as_int_tuple(name, n, dilation=dilation)
    longest = [max(s, d) for s, d in zip(step, apart, strict=True)]
    if any(e >= most for e, most in zip(extra, longest, strict=True)):
        checks.fail(
            ValueError, name, "output_padding", f"be less than stride or dilation {longest}", output_padding
        )
    return convolve_transposed(name, n, x, w, bias, stride, pads, extra, dilation, groups)


@sharding.keeps_space_whole
@op(static="stride padding output_padding groups dilation")
@documented_by(conv1d)
def conv_transpose1d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Array:
    """Transposed convolution over one dimension; see :func:`conv_transpose2d`.

    Args:
        weight (Tensor): of shape (C, O / groups, k) and `input`'s dtype.
        padding (int): elements that are cut from both sides of the result.
        output_padding (int): elements by which the result is longer.

    Returns:
        Tensor of shape (N, O, (L - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1).

    Raises:
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.conv_transpose1d(ms.ops.ones((1, 1, 2)), ms.ops.ones((1, 1, 2))))
        [[[1. 2. 1.]]]
    """
    name = "conv_transpose1d"
    return _with_output_padding(
        name, 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@sharding.keeps_space_whole
@op(static="stride padding output_padding groups dilation")
@documented_by(conv2d)
def conv_transpose2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Array:
    """Transposed convolution: the gradient of :func:`conv2d` with respect to its input, as an operator.

    Args:
        weight (Tensor): of shape (C, O / groups, kh, kw) and `input`'s dtype.
        stride (int, tuple): step of the window.
        padding (int, tuple): elements that are cut from both sides of the result.
        output_padding (int, tuple): elements by which the result is longer; less than stride or dilation.

    Returns:
        Tensor of shape (N, O, H', W'), H' = (H - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1.

    Examples:
        >>> import msjax as ms
        >>> x, w = ms.ops.ones((1, 3, 4, 4)), ms.ops.ones((3, 2, 3, 3))
        >>> ms.ops.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1).shape
        (1, 2, 8, 8)
    """
    name = "conv_transpose2d"
    return _with_output_padding(
        name, 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@sharding.keeps_space_whole
@op(static="stride padding output_padding groups dilation")
@documented_by(conv3d)
def conv_transpose3d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Array:
    """Transposed convolution over three dimensions; see :func:`conv_transpose2d`.

    Args:
        weight (Tensor): of shape (C, O / groups, kd, kh, kw) and `input`'s dtype.
        padding (int, tuple): elements that are cut from both sides of the result.
        output_padding (int, tuple): elements by which the result is longer.

    Returns:
        Tensor of shape (N, O, D', H', W').

    Raises:
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.conv_transpose3d(ms.ops.ones((1, 1, 2, 2, 2)), ms.ops.ones((1, 1, 2, 2, 2)), stride=2).shape
        (1, 1, 4, 4, 4)
    """
    name = "conv_transpose3d"
    return _with_output_padding(
        name, 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@sharding.keeps_space_whole
@op(static="stride pad_mode padding dilation groups output_padding")
@documented_by(conv3d)
def conv_transpose(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    output_padding: Any = 0,
) -> Array:
    """Transposed convolution with MindSpore's pad modes, over as many dimensions as the kernel has.

    Args:
        input (Tensor): of shape (N, C, d1, ...), floating.
        weight (Tensor): of shape (C, O / groups, k1, ...) and `input`'s dtype.
        pad_mode (str): "same" gives size * stride elements, "valid" size * stride + max(reach - stride, 0) with
            reach = dilation * (k - 1) + 1, "pad" cuts `padding` from both sides.
        padding (int, tuple): as for :func:`conv2d`.
        output_padding (int, tuple): elements by which the result is longer, with pad_mode "pad".

    Returns:
        Tensor of shape (N, O, d1', ...) and `input`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.convolution import conv_transpose
        >>> conv_transpose(ms.ops.ones((1, 3, 4, 4)), ms.ops.ones((3, 2, 3, 3)), stride=2, pad_mode="same").shape
        (1, 2, 8, 8)
    """
    name, n = "conv_transpose", weight.ndim - 2
    step, apart = checks.as_int_tuple(name, n, stride=stride), checks.as_int_tuple(name, n, dilation=dilation)
    more = checks.as_int_tuple(name, n, 0, output_padding=output_padding)
    whole = [d * s for d, s in zip(input.shape[-n:], step, strict=True)]
    pads = _pads(name, pad_mode, padding, whole, weight.shape[2:], step, apart)
    if pad_mode != "pad":
        if any(more):
            checks.fail(
                ValueError, name, "output_padding", f'be 0 with pad_mode="{pad_mode}"', output_padding
            )
        reach = [(k - 1) * d + 1 for k, d in zip(weight.shape[2:], apart, strict=True)]
        more = [max(s - r, 0) for s, r in zip(step, reach, strict=True)]
    return convolve_transposed(name, n, input, weight, bias, stride, pads, more, dilation, groups)


# --------------------------------------------------------------------------------------------------- patches


def _unfold(name: str, x: Array, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Array:
    checks.check_rank(name, 4, input=x)
    kernel = checks.as_int_tuple(name, 2, kernel_size=kernel)
    stride, dilation = (
        checks.as_int_tuple(name, 2, stride=stride),
        checks.as_int_tuple(name, 2, dilation=dilation),
    )
    pads = window_args.as_padding_pairs(name, 2, padding)
    number = window_args.count_windows(name, x.shape[2:], kernel, stride, dilation, pads)
    found = window_args.window_elements(
        window_args.pad_last_axes(x, pads, 0), kernel, stride, dilation, number
    )
    rows = x.shape[1] * kernel[0] * kernel[1]
    return jnp.stack(found, 2).reshape(x.shape[0], rows, number[0] * number[1])


@op(static="kernel_size dilation padding stride")
def unfold(input: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    """Return the windows of a batch of images as columns (im2col).

    Args:
        input (Tensor): of shape (N, C, H, W).
        kernel_size (int, tuple): size of the window.
        dilation (int, tuple): distance of the window's elements.
        padding (int, tuple): zeros around the images.
        stride (int, tuple): step of the window.

    Returns:
        Tensor of shape (N, C * kh * kw, number of windows).

    Raises:
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.unfold(ms.ops.ones((2, 3, 4, 5)), 2).shape
        (2, 12, 12)
    """
    return _unfold("unfold", input, kernel_size, dilation, padding, stride)


@op(static="output_size kernel_size dilation padding stride")
def fold(
    input: Array, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Array:
    """Return the sum of windows put back where :func:`unfold` took them (col2im).

    Args:
        input (Tensor): of shape (N, C * kh * kw, number of windows), or without N.
        output_size (int, tuple, Tensor): (H, W) of the images.
        kernel_size (int, tuple): size of the window.
        dilation (int, tuple): distance of the window's elements.
        padding (int, tuple): zeros around the images that were unfolded.
        stride (int, tuple): step of the window.

    Returns:
        Tensor of shape (N, C, H, W), without N where `input` has none.

    Raises:
        ValueError: if the number of rows or of windows is not what unfolding (H, W) gives.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fold(ms.ops.ones((1, 4, 1)), (2, 2), 2))
        [[[[1. 1.]
           [1. 1.]]]]
    """
    if input.ndim == 2:
        return fold.pure(input[None], output_size, kernel_size, dilation, padding, stride)[0]
    checks.check_rank("fold", 2, 3, input=input)
    size = checks.as_int_tuple("fold", 2, output_size=output_size)
    kernel = checks.as_int_tuple("fold", 2, kernel_size=kernel_size)
    channels = input.shape[1] // (kernel[0] * kernel[1])
    images = jax.ShapeDtypeStruct((input.shape[0], channels, *size), input.dtype)

    def take(x: Array) -> Array:
        return _unfold("fold", x, kernel, dilation, padding, stride)

    wanted = jax.eval_shape(take, images).shape
    if wanted != input.shape:
        checks.fail(ValueError, "fold", "input", f"have shape {wanted}", f"array of shape {input.shape}")
    return jax.linear_transpose(take, images)(input)[0]
