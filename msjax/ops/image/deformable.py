"""Deformable convolution and deformable attention: sampling positions that the network itself computes."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.image.grid_sampling import sample_image
from msjax.ops.nn import convolution
from msjax.ops.nn.linear import bias_add


def _ones_first(name: str, channel: int, **values: Any) -> tuple[int, int]:
    """Height's and width's part of four ints, of which those of batch and channels are 1."""
    ((argument, value),) = values.items()
    _whole_numbers(name, 4, **values)
    if value[0] != 1 or value[channel] != 1:
        checks.fail(ValueError, name, argument, "be 1 for batch and channels", value)
    return (value[2], value[3]) if channel == 1 else (value[1], value[2])


def _whole_numbers(name: str, count: int, **values: Any) -> None:
    for argument, value in values.items():
        if not isinstance(value, tuple) or not all(type(v) is int for v in value):
            checks.fail(TypeError, name, argument, f"be a tuple of {count} ints", repr(value))
        if len(value) != count:
            checks.fail(ValueError, name, argument, f"be {count} ints", value)


def _window_positions(
    shape: tuple[int, ...], step: Any, pad: Any, dilation: Any, out: tuple[int, ...], dtype: Any
) -> list[Array]:
    """Rows and columns of a window's elements without offsets, (kh, kw, H', W') each."""
    rows, columns = (
        jnp.arange(shape[k])[:, None] * dilation[k] + jnp.arange(out[k]) * step[k] - pad[2 * k]
        for k in (0, 1)
    )
    return [
        jnp.broadcast_to(at, (*shape, *out)).astype(dtype)
        for at in (rows[:, None, :, None], columns[None, :, None, :])
    ]


@op(static="strides pads ksize dilations data_format deformable_groups modulated")
def deformable_offsets(
    x: Array,
    offsets: Array,
    strides: Any,
    pads: Any,
    ksize: Any,
    dilations: Any = (1, 1, 1, 1),
    data_format: str = "NCHW",
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Array:
    """Return the elements that a deformable convolution multiplies with its weights: window beside window.

    Args:
        x (Tensor): of shape (N, C, H, W), floating.
        offsets (Tensor): of shape (N, 3 * G * kh * kw, H', W'): for each of G groups of channels and element of the
            window how far right and how far down of its place to look, and what to multiply by.
        strides (tuple[int]): step of the window, (1, 1, sh, sw).
        pads (tuple[int]): zeros around the images: (top, bottom, left, right).
        ksize (tuple[int]): (kh, kw), size of the window.
        dilations (tuple[int]): distance of the window's elements, (1, 1, dh, dw).
        data_format (str): "NCHW"; with "NHWC", channels come last in arrays and settings.
        deformable_groups (int): G.
        modulated (bool): True, the one form that MindSpore has.

    Returns:
        Tensor of shape (N, C, H' * kh, W' * kw).

    Raises:
        TypeError: for settings of another type, or an input that is not floating.
        ValueError: for settings and shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> take = ms.ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
        >>> take(ms.ops.ones((1, 3, 4, 4)), ms.ops.ones((1, 12, 3, 3))).shape
        (1, 3, 6, 6)
    """
    name = "DeformableOffsets"
    checks.check_choice(name, ("NCHW", "NHWC"), data_format=data_format)
    last = data_format == "NHWC"
    if last:
        x, offsets = jnp.moveaxis(x, -1, 1), jnp.moveaxis(offsets, -1, 1)
    channel = 3 if last else 1
    step = _ones_first(name, channel, strides=strides)
    apart = _ones_first(name, channel, dilations=dilations)
    _whole_numbers(name, 4, pads=pads)
    _whole_numbers(name, 2, kernel_size=ksize)
    _check_arguments(name, x, offsets, ksize, step, apart, pads, deformable_groups, modulated)
    made = _windows(x, offsets, ksize, step, apart, pads, deformable_groups)
    return jnp.moveaxis(made, 1, -1) if last else made


def _check_arguments(
    name: str,
    x: Array,
    offsets: Array,
    ksize: Any,
    step: Any,
    apart: Any,
    pads: Any,
    groups: Any,
    modulated: Any,
) -> None:
    checks.check_bools(name, modulated=modulated)
    checks.check_ints(name, deformable_groups=groups)
    if not modulated:
        checks.fail(ValueError, name, "modulated", "be True", modulated)
    checks.check_rank(name, 4, x=x, offsets=offsets)
    checks.check_floating(name, x=x, offsets=offsets)
    checks.check_same_dtype(name, x=x, offsets=offsets)
    if groups < 1 or x.shape[1] % groups:
        checks.fail(ValueError, name, "deformable_groups", f"divide the {x.shape[1]} channels", groups)
    out = [
        (x.shape[2 + k] + pads[2 * k] + pads[2 * k + 1] - (ksize[k] - 1) * apart[k] - 1) // step[k] + 1
        for k in (0, 1)
    ]
    wanted = (x.shape[0], 3 * groups * ksize[0] * ksize[1], *out)
    if offsets.shape != wanted:
        checks.fail(ValueError, name, "offsets", f"have shape {wanted}", f"array of shape {offsets.shape}")


def _windows(x: Array, offsets: Array, ksize: Any, step: Any, apart: Any, pads: Any, groups: int) -> Array:
    n, c, *_ = x.shape
    out = offsets.shape[2:]
    wide = checks.compute_dtype(x.dtype)
    right, down, factor = jnp.moveaxis(offsets.astype(wide).reshape(n, 3, groups, *ksize, *out), 1, 0)
    rows, columns = _window_positions(ksize, step, pads, apart, out, wide)

    def of_group(x: Array, right: Array, down: Array, factor: Array) -> Array:
        return factor * sample_image(x, [rows + down, columns + right], "bilinear")

    image = x.astype(wide).reshape(n, groups, c // groups, *x.shape[2:])
    made = jax.vmap(jax.vmap(of_group))(image, right, down, factor)
    made = made.reshape(n, c, *ksize, *out).transpose(0, 1, 4, 2, 5, 3)
    return made.reshape(n, c, out[0] * ksize[0], out[1] * ksize[1]).astype(x.dtype)


@documented_by(deformable_offsets)
def deformable_conv2d(
    x: Any,
    weight: Any,
    offsets: Any,
    kernel_size: Any,
    strides: Any,
    padding: Any,
    bias: Any = None,
    dilations: Any = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Any:
    """Convolution whose windows take their elements at offsets, interpolated.

    Args:
        x (Tensor): of shape (N, C, H, W), float16 or float32.
        weight (Tensor): of shape (C', C / groups, kh, kw).
        offsets (Tensor): of shape (N, 3 * deformable_groups * kh * kw, H', W'): for each element of the window how far
            right and how far down of its place to look, and what to multiply by.
        kernel_size (tuple[int]): (kh, kw).
        padding (tuple[int]): zeros around the images: (top, bottom, left, right).
        bias (Tensor, None): of shape (C',).
        groups (int): groups of channels that the convolution keeps apart.
        deformable_groups (int): groups of channels, each with its own offsets.

    Returns:
        Tensor of shape (N, C', H', W').

    References:
        Zhu et al.: Deformable ConvNets v2, 2018.

    Examples:
        >>> import msjax as ms
        >>> x, weight, offsets = ms.ops.ones((1, 3, 4, 4)), ms.ops.ones((5, 3, 2, 2)), ms.ops.zeros((1, 12, 3, 3))
        >>> ms.ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)).shape
        (1, 5, 3, 3)
    """
    taken = deformable_offsets(
        x, offsets, strides, padding, kernel_size, dilations, "NCHW", deformable_groups, modulated
    )
    y = convolution.conv2d(taken, weight, None, tuple(kernel_size), "valid", 0, 1, groups)
    return y if bias is None else bias_add(y, bias)


# ------------------------------------------------------------------------------------------------ attention


@op
def multi_scale_deformable_attn_function(
    value: Array, shape: Array, offset: Array, locations: Array, weight: Array
) -> Array:
    """Attention of queries to a few interpolated elements of images of several sizes.

    Args:
        value (Tensor): of shape (B, K, heads, d), float16 or float32: the elements of all images, one after the other.
        shape (Tensor): of shape (L, 2), int32 or int64: height and width of each image.
        offset (Tensor): of shape (L,): where each image begins among the K.
        locations (Tensor): of shape (B, Q, heads, L, P, 2): places (x, y) in [0, 1] from edge to edge of the image.
        weight (Tensor): of shape (B, Q, heads, L, P): what the elements are multiplied by before they are added.

    Returns:
        Tensor of shape (B, Q, heads * d) and the dtype of the values.

    Raises:
        RuntimeError: for other dtypes.
        ValueError: for shapes that do not fit.

    References:
        Zhu et al.: Deformable DETR, 2020; as `ms_deform_attn_core_pytorch` of its authors.

    Examples:
        >>> import msjax as ms
        >>> value, shape, offset = ms.ops.ones((1, 6, 2, 8)), ms.Tensor([[2, 2], [1, 2]]), ms.Tensor([0, 4])
        >>> places, weight = ms.ops.zeros((1, 3, 2, 2, 4, 2)) + 0.5, ms.ops.ones((1, 3, 2, 2, 4)) / 8
        >>> ms.ops.multi_scale_deformable_attn_function(value, shape, offset, places, weight).shape
        (1, 3, 16)
    """
    _checked_attention(value, shape, offset, locations, weight)
    b, keys, heads, d = value.shape
    wide = checks.compute_dtype(value.dtype)
    size = shape.astype(wide)
    x, y = (locations[..., k].astype(wide) * size[:, 1 - k][:, None] - jnp.asarray(0.5, wide) for k in (0, 1))
    flat, total = value.astype(wide), jnp.zeros((b, *locations.shape[1:3], d), wide)
    batch, head = jnp.arange(b)[:, None, None, None, None], jnp.arange(heads)[:, None, None]
    height, width = shape[:, 0][:, None], shape[:, 1][:, None]
    for down in (0, 1):
        for right in (0, 1):
            row, column = jnp.floor(y) + down, jnp.floor(x) + right
            share = (1 - jnp.abs(y - row)) * (1 - jnp.abs(x - column)) * weight.astype(wide)
            i, j = row.astype(shape.dtype), column.astype(shape.dtype)
            inside = (i >= 0) & (i < height) & (j >= 0) & (j < width)
            place = jnp.clip(offset.astype(shape.dtype)[:, None] + i * width + j, 0, keys - 1)
            share = jnp.where(inside, share, 0)
            total += jnp.einsum("bqhlp,bqhlpd->bqhd", share, flat[batch, place, head], precision="highest")
    return total.reshape(b, -1, heads * d).astype(value.dtype)


def _checked_attention(value: Array, shape: Array, offset: Array, locations: Array, weight: Array) -> None:
    name = "multi_scale_deformable_attn_function"
    for argument, x, fitting in (
        ("value", value, jnp.floating),
        ("shape", shape, jnp.integer),
        ("offset", offset, jnp.integer),
        ("locations", locations, jnp.floating),
        ("weight", weight, jnp.floating),
    ):
        if not jnp.issubdtype(x.dtype, fitting):
            checks.fail(RuntimeError, name, argument, f"be of a {fitting.__name__} dtype", x.dtype)
    checks.check_rank(name, 4, value=value)
    checks.check_rank(name, 6, locations=locations)
    b, queries, heads, levels, points, _ = locations.shape
    wanted = {
        "value": ((b, value.shape[1], heads, value.shape[3]), value),
        "shape": ((levels, 2), shape),
        "offset": ((levels,), offset),
        "weight": ((b, queries, heads, levels, points), weight),
    }
    for argument, (fitting, x) in wanted.items():
        if x.shape != fitting:
            checks.fail(ValueError, name, argument, f"have shape {fitting}", f"array of shape {x.shape}")
