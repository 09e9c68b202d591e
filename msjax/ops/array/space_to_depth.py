"""Space-to-depth, space-to-batch, pixel shuffle and their inverses; axes and paddings under other data layouts."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_index_array


def _settings(op_name: str, ndim: int, block: Any, name: str, margins: Any, what: str) -> tuple[tuple, tuple]:
    """Sizes of blocks and pairs of margins for as many of the last axes; one size stands for two axes."""
    sizes = (block,) * len(margins) if isinstance(block, int) else tuple(block)
    if not all(type(n) is int for n in sizes):
        checks.fail(TypeError, op_name, name, "be an int or a tuple of ints", block)
    pairs = tuple(tuple(pair) for pair in margins)
    if len(pairs) != len(sizes) or any(len(p) != 2 or min(p) < 0 for p in pairs) or min(sizes, default=0) < 1:
        rule = f"hold two ints, at least 0, for each of the {len(sizes)} sizes in `{name}`"
        checks.fail(ValueError, op_name, what, rule, margins)
    if len(sizes) >= ndim:
        checks.fail(ValueError, op_name, name, f"hold at most {ndim - 1} sizes", block)
    return sizes, pairs


@op(static="block_size paddings")
def space_to_batch_nd(input_x: Array, block_size: Any, paddings: Any) -> Array:
    """Blocks of the last axes taken apart: elements at one place of their blocks go to one part of the batch.

    Args:
        input_x (Tensor): of shape (n, ..., s_1, ..., s_m).
        block_size (int, tuple[int], list[int]): sizes of the blocks along the last m axes.
        paddings (tuple, list): for each of these axes, how many zeros before and after.

    Returns:
        Tensor of shape (n * prod(block_size), ..., padded s_1 / block, ...).

    Raises:
        ValueError: if blocks do not divide the padded axes, or settings do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[1, 2], [3, 4]]]])
        >>> print(ms.ops.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).flatten())
        [1 2 3 4]
    """
    name = "space_to_batch_nd"
    x = as_array(name, "input_x", input_x)
    sizes, pairs = _settings(name, x.ndim, block_size, "block_size", paddings, "paddings")
    lead = x.ndim - len(sizes)
    x = lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0)] * lead + [(a, b, 0) for a, b in pairs])
    if any(n % b for n, b in zip(x.shape[lead:], sizes, strict=True)):
        checks.fail(RuntimeError, name, "block_size", f"divide the padded axes {x.shape[lead:]}", block_size)
    split = [part for n, b in zip(x.shape[lead:], sizes, strict=True) for part in (n // b, b)]
    x = x.reshape(*x.shape[:lead], *split)
    inner = [lead + 2 * i for i in range(len(sizes))]
    x = x.transpose(*(i + 1 for i in inner), *range(lead), *inner)
    return x.reshape(-1, *x.shape[len(sizes) + 1 :])


@op(static="block_shape crops")
def batch_to_space_nd(input_x: Array, block_shape: Any, crops: Any) -> Array:
    """Return the inverse of `space_to_batch_nd`: parts of the batch interleaved into blocks, and margins cut off.

    Args:
        input_x (Tensor): of shape (n, ..., s_1, ..., s_m).
        block_shape (int, tuple[int], list[int]): sizes of the blocks along the last m axes.
        crops (tuple, list): for each of these axes, how many to cut off before and after.

    Returns:
        Tensor of shape (n / prod(block_shape), ..., s_1 * block - crops, ...).

    Raises:
        ValueError: if the blocks do not divide the batch, or settings do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1, 2, 3, 4]).reshape(4, 1, 1, 1)
        >>> print(ms.ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]))
        [[[[1 2]
           [3 4]]]]
    """
    name = "batch_to_space_nd"
    x = as_array(name, "input_x", input_x)
    sizes, pairs = _settings(name, x.ndim, block_shape, "block_shape", crops, "crops")
    lead, many = x.ndim - len(sizes), math.prod(sizes)
    if x.shape[0] % many:
        checks.fail(ValueError, name, "block_shape", f"divide the batch of {x.shape[0]}", block_shape)
    rest = x.shape[lead:]
    x = x.reshape(*sizes, x.shape[0] // many, *x.shape[1:])
    after = len(sizes) + lead
    order = [axis for i in range(len(sizes)) for axis in (after + i, i)]
    x = x.transpose(*range(len(sizes), after), *order)
    x = x.reshape(*x.shape[:lead], *(n * b for n, b in zip(rest, sizes, strict=True)))
    if any(sum(p) > n for p, n in zip(pairs, x.shape[lead:], strict=True)):
        checks.fail(ValueError, name, "crops", f"leave something of {x.shape[lead:]}", crops)
    ends = [slice(a, n - b) for (a, b), n in zip(pairs, x.shape[lead:], strict=True)]
    return x[(slice(None),) * lead + tuple(ends)]


def _square(op_name: str, x: Any, name: str, block: Any, least: int = 2) -> Array:
    x = as_array(op_name, "x", x)
    checks.check_ints(op_name, **{name: block})
    if block < least:
        checks.fail(ValueError, op_name, name, f"be at least {least}", block)
    return x


@op(static="block_size")
def space_to_depth(x: Array, block_size: int) -> Array:
    """Square blocks of pixels become channels (`SpaceToDepth`): the place in the block counts before the channel.

    Args:
        x (Tensor): of shape (n, c, h, w).
        block_size (int): size b of the blocks, at least 2.

    Returns:
        Tensor of shape (n, c * b * b, h / b, w / b).

    Raises:
        TypeError: if `block_size` is not an int.
        ValueError: if it is less than 2 or does not divide the sizes, or `x` does not have four dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.SpaceToDepth(2)(ms.Tensor([[[[1, 2], [3, 4]]]])).flatten())
        [1 2 3 4]
    """
    x = _square("SpaceToDepth", x, "block_size", block_size)
    checks.check_rank("SpaceToDepth", 4, x=x)
    n, c, h, w = x.shape
    if h % block_size or w % block_size:
        checks.fail(ValueError, "SpaceToDepth", "block_size", f"divide {(h, w)}", block_size)
    x = x.reshape(n, c, h // block_size, block_size, w // block_size, block_size)
    return x.transpose(0, 3, 5, 1, 2, 4).reshape(n, -1, h // block_size, w // block_size)


@op(static="block_size")
@documented_by(space_to_depth)
def depth_to_space(x: Array, block_size: int) -> Array:
    """Return the inverse of `space_to_depth` (`DepthToSpace`).

    Returns:
        Tensor of shape (n, c / (b * b), h * b, w * b).

    Raises:
        TypeError: if `block_size` is not an int.
        ValueError: if it is less than 2 or its square does not divide c, or `x` does not have four dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.DepthToSpace(2)(ms.Tensor([1, 2, 3, 4]).reshape(1, 4, 1, 1)))
        [[[[1 2]
           [3 4]]]]
    """
    x = _square("DepthToSpace", x, "block_size", block_size)
    checks.check_rank("DepthToSpace", 4, x=x)
    n, c, h, w = x.shape
    if c % block_size**2:
        checks.fail(ValueError, "DepthToSpace", "block_size", f"have a square that divides {c}", block_size)
    x = x.reshape(n, block_size, block_size, -1, h, w).transpose(0, 3, 4, 1, 5, 2)
    return x.reshape(n, -1, h * block_size, w * block_size)


@op(static="upscale_factor")
def pixel_shuffle(input: Array, upscale_factor: int) -> Array:
    """Channels become square blocks of pixels; the channel counts before the place in the block.

    Args:
        input (Tensor): of shape (..., c * r * r, h, w).
        upscale_factor (int): size r of the blocks.

    Returns:
        Tensor of shape (..., c, h * r, w * r).

    Raises:
        TypeError: if `upscale_factor` is not an int.
        ValueError: if its square does not divide the channels, or `input` has less than three dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.pixel_shuffle(ms.Tensor([1, 2, 3, 4]).reshape(4, 1, 1), 2))
        [[[1 2]
          [3 4]]]
    """
    x, r = _square("pixel_shuffle", input, "upscale_factor", upscale_factor, 1), upscale_factor
    if x.ndim < 3:
        checks.fail(ValueError, "pixel_shuffle", "input", "have at least three dimensions", x.shape)
    *lead, c, h, w = x.shape
    if c % r**2:
        checks.fail(ValueError, "pixel_shuffle", "upscale_factor", f"have a square that divides {c}", r)
    k = len(lead)
    x = x.reshape(*lead, c // r**2, r, r, h, w)
    return x.transpose(*range(k), k, k + 3, k + 1, k + 4, k + 2).reshape(*lead, c // r**2, h * r, w * r)


@op(static="downscale_factor")
def pixel_unshuffle(input: Array, downscale_factor: int) -> Array:
    """Return the inverse of `pixel_shuffle`.

    Args:
        input (Tensor): of shape (..., c, h * r, w * r).
        downscale_factor (int): size r of the blocks.

    Returns:
        Tensor of shape (..., c * r * r, h, w).

    Raises:
        TypeError: if `downscale_factor` is not an int.
        ValueError: if it does not divide the sizes, or `input` has less than three dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.pixel_unshuffle(ms.Tensor([[[1, 2], [3, 4]]]), 2).flatten())
        [1 2 3 4]
    """
    x, r = _square("pixel_unshuffle", input, "downscale_factor", downscale_factor, 1), downscale_factor
    if x.ndim < 3:
        checks.fail(ValueError, "pixel_unshuffle", "input", "have at least three dimensions", x.shape)
    *lead, c, h, w = x.shape
    if h % r or w % r:
        checks.fail(ValueError, "pixel_unshuffle", "downscale_factor", f"divide {(h, w)}", r)
    k = len(lead)
    x = x.reshape(*lead, c, h // r, r, w // r, r)
    return x.transpose(*range(k), k, k + 2, k + 4, k + 1, k + 3).reshape(*lead, c * r**2, h // r, w // r)


@op(static="groups")
def channel_shuffle(x: Array, groups: int) -> Array:
    """Channels in the order that takes the first of each group, then the second, and so on.

    Args:
        x (Tensor): of shape (n, c, ...).
        groups (int): number of groups; must divide c.

    Returns:
        Tensor of `x`'s shape.

    Raises:
        TypeError: if `groups` is not an int.
        ValueError: if it does not divide the channels.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.channel_shuffle(ms.Tensor([1, 2, 3, 4]).reshape(1, 4, 1, 1), 2).flatten())
        [1 3 2 4]
    """
    x = _square("channel_shuffle", x, "groups", groups, 1)
    if x.ndim < 3 or x.shape[1] % groups:
        rule = f"divide the channels of an array of shape {x.shape}"
        checks.fail(ValueError, "channel_shuffle", "groups", rule, groups)
    return x.reshape(x.shape[0], groups, -1, *x.shape[2:]).swapaxes(1, 2).reshape(x.shape)


# ---------------------------------------------------------------------- layouts by name

_LAYOUTS = ("NHWC", "NCHW")


def _moves(op_name: str, src_format: str, dst_format: str) -> list[int]:
    checks.check_choice(op_name, _LAYOUTS, src_format=src_format, dst_format=dst_format)
    return [src_format.index(axis) for axis in dst_format]


@op(static="src_format dst_format")
def dim_map(input_x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Array:
    """Map axis numbers of one data layout to another (`DataFormatDimMap`).

    Args:
        input_x (Tensor): axes in [-4, 4), int32.
        src_format (str): their layout, "NHWC" or "NCHW".
        dst_format (str): the other layout.

    Returns:
        Tensor like `input_x`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.DataFormatDimMap()(ms.Tensor([0, 1, 2, 3], ms.int32)))
        [0 3 1 2]
    """
    x = as_index_array("DataFormatDimMap", input_x=input_x)
    return jnp.asarray(_moves("DataFormatDimMap", src_format, dst_format), x.dtype)[x % 4]


@op(static="src_format dst_format")
@documented_by(dim_map)
def vec_permute(input_x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Array:
    """Permute a vector of per-axis values from one data layout to another (`DataFormatVecPermute`).

    Args:
        input_x (Tensor): shape (4,) or (4, 2), int32 or int64.
        src_format (str): its layout, "NHWC" or "NCHW".

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.DataFormatVecPermute()(ms.Tensor([1, 2, 3, 4], ms.int32)))
        [1 4 2 3]
    """
    x = as_index_array("DataFormatVecPermute", input_x=input_x)
    if x.shape not in ((4,), (4, 2)):
        checks.fail(ValueError, "DataFormatVecPermute", "input_x", "have shape (4,) or (4, 2)", x.shape)
    return x[jnp.asarray(_moves("DataFormatVecPermute", src_format, dst_format))]


# ---------------------------------------------------------------------- continued


@op(static="pad_dim_size")
def padding(x: Array, pad_dim_size: int = 8) -> Array:
    """Zeros after the one element of the last axis.

    Args:
        x (Tensor): of at least two dimensions, the last of size 1.
        pad_dim_size (int): new size of the last axis.

    Returns:
        Tensor like `x`, with a last axis of that size.

    Raises:
        TypeError: if `pad_dim_size` is not an int.
        ValueError: if it is not positive, or shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.padding(ms.Tensor([[1], [2]]), 3))
        [[1 0 0]
         [2 0 0]]
    """
    x = _square("padding", x, "pad_dim_size", pad_dim_size, 1)
    if x.ndim < 2 or x.shape[-1] != 1:
        rule = "have at least two dimensions, the last of size 1"
        checks.fail(ValueError, "padding", "x", rule, f"array of shape {x.shape}")
    return lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0)] * (x.ndim - 1) + [(0, pad_dim_size - 1, 0)])


_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "circular": "wrap"}


@op(static="paddings mode paddings_contiguous")
def continued(
    x: Array,
    paddings: Any,
    constant_value: ArrayOrNumber | None = None,
    mode: str = "constant",
    paddings_contiguous: bool = True,
) -> Array:
    """Return the array with elements added at the ends of its last axes (`PadV3`).

    Args:
        x (Tensor): of any dtype.
        paddings (Tensor, tuple[int]): how many before and after along the last axis, then along the last but one ...
        constant_value (Tensor, number): what is added, with "constant".
        mode (str): "constant", "reflect", "edge" or "circular".
        paddings_contiguous (bool): False if all the numbers before come first, and then those after.

    Returns:
        Tensor of `x`'s dtype.

    Raises:
        ValueError: if the mode is unknown, numbers do not fit, or "constant" has no value.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.PadV3(mode="edge")(ms.Tensor([[1, 2]]), ms.Tensor([1, 2])))
        [[1 1 2 2 2]]
    """
    x = as_array("PadV3", "x", x)
    checks.check_choice("PadV3", tuple(_MODES), mode=mode)
    given: Sequence[int] = tuple(paddings)
    if len(given) % 2 or len(given) > 2 * x.ndim or not all(type(n) is int for n in given):
        rule = f"hold pairs of ints, for at most {x.ndim} axes"
        checks.fail(ValueError, "PadV3", "paddings", rule, paddings)
    half = len(given) // 2
    before, after = (given[::2], given[1::2]) if paddings_contiguous else (given[:half], given[half:])
    pairs = [(0, 0)] * (x.ndim - half) + list(zip(before, after, strict=True))[::-1]
    if mode != "constant":
        return jnp.pad(x, pairs, _MODES[mode])
    if constant_value is None:
        checks.fail(ValueError, "PadV3", "constant_value", "be given with mode='constant'", None)
    return lax.pad(x, constant_value.reshape(()).astype(x.dtype), [(a, b, 0) for a, b in pairs])
