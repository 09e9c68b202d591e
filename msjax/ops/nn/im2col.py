"""Patch extraction from images and volumes (im2col, col2im, extract_image_patches), morphological dilation, glimpses."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks, window_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import convolution


def _pair(name: str, low: int = 1, short: bool = False, **values: Any) -> tuple[int, ...]:
    """Height and width from an int or two; a sequence of one int only if `short`."""
    ((argument, value),) = values.items()
    if isinstance(value, tuple) and len(value) == 1 and not short:
        checks.fail(ValueError, name, argument, "be an int or two ints", value)
    return checks.as_int_tuple(name, 2, low, **values)


@op(static="ksizes strides dilations pads")
def im2col(x: Array, ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> Array:
    """Return the windows of images as columns (see `ops.unfold`), channels apart.

    Args:
        x (Tensor): of shape (N, C, H, W).
        ksizes (int, tuple[int], list[int]): size of the window.
        strides (int, tuple[int], list[int]): step of the window.
        dilations (int, tuple[int], list[int]): distance of the window's elements.
        pads (int, tuple[int], list[int]): zeros around the images.

    Returns:
        Tensor of shape (N, C, kh * kw, number of windows).

    Raises:
        TypeError: for settings of another type.
        ValueError: for settings and shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.Im2Col(2)(ms.ops.ones((2, 3, 4, 5))).shape
        (2, 3, 4, 12)
    """
    name = "Im2Col"
    checks.check_rank(name, 4, x=x)
    kernel, step = _pair(name, short=True, ksizes=ksizes), _pair(name, short=True, strides=strides)
    apart, margin = _pair(name, short=True, dilations=dilations), _pair(name, 0, True, pads=pads)
    columns = convolution.unfold.pure(x, kernel, apart, margin, step)
    return columns.reshape(*x.shape[:2], kernel[0] * kernel[1], -1)


@op(static="output_size kernel_size dilation padding_value stride")
@documented_by(im2col)
def col2im(
    input_x: Array, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any
) -> Array:
    """Blocks put back to their places, added where they overlap (see `ops.fold`), channels apart.

    Args:
        input_x (Tensor): of shape (N, C, kh * kw, number of windows).
        output_size (Tensor, tuple[int]): (H, W) of the images.
        kernel_size (int, tuple[int], list[int]): size of the window.
        dilation (int, tuple[int], list[int]): distance of the window's elements.
        padding_value (int, tuple[int], list[int]): zeros around the images that were unfolded.
        stride (int, tuple[int], list[int]): step of the window.

    Returns:
        Tensor of shape (N, C, H, W).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.col2im(ms.ops.ones((1, 1, 4, 1)), (2, 2), 2, 1, 0, 1))
        [[[[1. 1.]
           [1. 1.]]]]
    """
    name = "col2im"
    checks.check_rank(name, 4, input_x=input_x)
    kernel, apart = _pair(name, kernel_size=kernel_size), _pair(name, dilation=dilation)
    margin, step = _pair(name, 0, padding_value=padding_value), _pair(name, stride=stride)
    n, c, block, count = input_x.shape
    if block != kernel[0] * kernel[1]:
        rule = f"have {kernel[0] * kernel[1]} elements along axis 2"
        checks.fail(ValueError, name, "input_x", rule, f"array of shape {input_x.shape}")
    size = checks.as_int_tuple(name, 2, output_size=output_size)
    return convolution.fold.pure(input_x.reshape(n, c * block, count), size, kernel, apart, margin, step)


# ------------------------------------------------------------------------------------------------ as channels


def _window(name: str, dims: int, **values: Any) -> tuple[int, ...]:
    """The part of the dimensions behind the channels, from that part alone or from one int, or with (1, 1) before it."""
    ((argument, value),) = values.items()
    if isinstance(value, tuple) and len(value) == dims + 2:
        if value[:2] != (1, 1):
            checks.fail(ValueError, name, argument, "be 1 for batch and channels", value)
        value = value[2:]
    return checks.as_int_tuple(name, dims, 1, **{argument: value})


def _as_channels(name: str, x: Array, kernel: Any, stride: Any, dilation: Any, padding: Any) -> Array:
    """Windows as channels, a window's elements in order and for each the channels."""
    if not isinstance(padding, str):
        checks.fail(TypeError, name, "padding", "be 'valid' or 'same'", repr(padding))
    checks.check_choice(name, ("VALID", "SAME"), padding=padding.upper())
    pads = ((0, 0),) * len(kernel)
    if padding.upper() == "SAME":
        pads = window_args.same_padding(x.shape[2:], kernel, stride, dilation)
    number = window_args.count_windows(name, x.shape[2:], kernel, stride, dilation, pads)
    return jnp.concatenate(
        window_args.window_elements(window_args.pad_last_axes(x, pads, 0), kernel, stride, dilation, number),
        1,
    )


@op(static="ksizes strides rates padding")
@documented_by(im2col)
def extract_image_patches(
    input_x: Array, ksizes: Any, strides: Any, rates: Any, padding: str = "VALID"
) -> Array:
    """Return the windows of images as channels; as TensorFlow's extract_image_patches with channels second.

    Args:
        input_x (Tensor): of shape (N, C, H, W).
        ksizes (tuple[int], list[int]): size of the window, (1, 1, kh, kw).
        strides (tuple[int], list[int]): step of the window, (1, 1, sh, sw).
        rates (tuple[int], list[int]): distance of the window's elements, (1, 1, dh, dw).
        padding (str): "valid", or "same": zeros around the images, so that every step has a window.

    Returns:
        Tensor of shape (N, kh * kw * C, H', W'): for each of a window's elements its channels.

    Examples:
        >>> import msjax as ms
        >>> take = ms.ops.ExtractImagePatches((1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1))
        >>> print(take(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).reshape(4))
        [1. 2. 3. 4.]
    """
    name = "ExtractImagePatches"
    checks.check_rank(name, 4, input_x=input_x)
    kernel, step = _window(name, 2, ksizes=ksizes), _window(name, 2, strides=strides)
    return _as_channels(name, input_x, kernel, step, _window(name, 2, rates=rates), padding)


@op(static="kernel_size strides padding")
@documented_by(im2col)
def extract_volume_patches(input_x: Array, kernel_size: Any, strides: Any, padding: str) -> Array:
    """Return the windows of volumes as channels; as TensorFlow's extract_volume_patches with channels second.

    Args:
        input_x (Tensor): of shape (N, C, D, H, W).
        kernel_size (int, tuple[int]): size of the window, alone or (1, 1, kd, kh, kw).
        strides (int, tuple[int]): step of the window, alone or (1, 1, sd, sh, sw).
        padding (str): "valid", or "same": zeros around the volumes, so that every step has a window.

    Returns:
        Tensor of shape (N, kd * kh * kw * C, D', H', W'): for each of a window's elements its channels.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.ExtractVolumePatches(2, 1, "valid")(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 24, 3, 3, 3)
    """
    name = "ExtractVolumePatches"
    checks.check_rank(name, 5, input_x=input_x)
    kernel, step = _window(name, 3, kernel_size=kernel_size), _window(name, 3, strides=strides)
    return _as_channels(name, input_x, kernel, step, (1, 1, 1), padding)


@op(static="stride dilation pad_mode data_format")
def dilation_2d(
    x: Array, filter: Array, stride: Any, dilation: Any, pad_mode: str = "SAME", data_format: str = "NCHW"
) -> Array:
    """Return the largest sum of a window's elements and a filter's: grey-scale dilation.

    Args:
        x (Tensor): of shape (N, C, H, W), real.
        filter (Tensor): of shape (C, kh, kw), of the same dtype.
        stride (int, tuple[int]): step of the window, alone or (1, 1, sh, sw), at most 255.
        dilation (int, tuple[int]): distance of the window's elements, alone or (1, 1, dh, dw).
        pad_mode (str): "valid", or "same": every step has a window; what lies outside does not count.
        data_format (str): "NCHW".

    Returns:
        Tensor of shape (N, C, H', W').

    Raises:
        TypeError: for settings of another type, or arrays of two dtypes.
        ValueError: for settings and shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x, kernel = ms.Tensor([[[[1.0, 5.0, 2.0]]]]), ms.Tensor([[[0.0, 1.0]]])
        >>> print(ms.ops.Dilation2D(1, 1, "VALID")(x, kernel))
        [[[[6. 5.]]]]
    """
    name = "Dilation2D"
    checks.check_choice(name, ("NCHW",), data_format=data_format)
    checks.check_choice(name, ("VALID", "SAME", "valid", "same"), pad_mode=pad_mode)
    step, apart = _window(name, 2, stride=stride), _window(name, 2, dilation=dilation)
    if max(step) > 255:
        checks.fail(ValueError, name, "stride", "be at most 255", stride)
    checks.check_rank(name, 4, x=x)
    checks.check_same_dtype(name, x=x, filter=filter)
    if filter.ndim != 3 or filter.shape[0] != x.shape[1]:
        rule = f"have shape ({x.shape[1]}, kh, kw)"
        checks.fail(ValueError, name, "filter", rule, f"array of shape {filter.shape}")
    kernel = filter.shape[1:]
    pads = (
        ((0, 0),) * 2
        if pad_mode.upper() == "VALID"
        else window_args.same_padding(x.shape[2:], kernel, step, apart)
    )
    number = window_args.count_windows(name, x.shape[2:], kernel, step, apart, pads)
    found = window_args.window_elements(window_args.pad_last_axes(x, pads, 0), kernel, step, apart, number)
    there = window_args.window_elements(
        window_args.pad_last_axes(jnp.ones(x.shape[2:], bool), pads, False), kernel, step, apart, number
    )
    added = filter.reshape(filter.shape[0], -1).T[:, :, None, None]
    lowest = jnp.finfo(x.dtype).min if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    sums = [
        jnp.where(t, v + a, jnp.asarray(lowest, x.dtype)) for v, a, t in zip(found, added, there, strict=True)
    ]
    return jnp.stack(sums).max(0)


# ------------------------------------------------------------------------------------------------ at places


@op(static="size centered normalized uniform_noise noise", random=True)
@documented_by(im2col)
def extract_glimpse(
    _key: Array,
    x: Array,
    size: Any,
    offsets: Array,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Array:
    """One part of each image, with noise where it reaches over the edge; as TensorFlow's extract_glimpse.

    Args:
        x (Tensor): of shape (N, H, W, C), float32.
        size (Tensor, tuple[int]): height and width of the parts.
        offsets (Tensor): of shape (N, 2), float32: (y, x) of the parts' centres.
        centered (bool): offsets count from the middle of the image, not from its first corner.
        normalized (bool): offsets are shares of the image: its edge is at 1.
        uniform_noise (bool): with True, `noise` must be "uniform".
        noise (str): "uniform" in [0, 1), "gaussian" or "zero".

    Returns:
        Tensor of shape (N, *size, C).

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.arange(9).astype(ms.float32).reshape(1, 3, 3, 1)
        >>> take = ms.ops.operations.ExtractGlimpse(False, False, False, "zero")
        >>> print(take(x, ms.Tensor([2, 2], ms.int32), ms.Tensor([[1.0, 1.0]])).reshape(4))
        [0. 1. 3. 4.]
    """
    name = "ExtractGlimpse"
    checks.check_bools(name, centered=centered, normalized=normalized, uniform_noise=uniform_noise)
    checks.check_choice(name, ("uniform", "gaussian", "zero"), noise=noise)
    if uniform_noise and noise != "uniform":
        checks.fail(ValueError, name, "noise", "be 'uniform' with uniform_noise=True", repr(noise))
    checks.check_rank(name, 4, x=x)
    checks.check_floating(name, x=x, offsets=offsets)
    if offsets.shape != (len(x), 2):
        checks.fail(
            ValueError, name, "offsets", f"have shape ({len(x)}, 2)", f"array of shape {offsets.shape}"
        )
    size = checks.as_int_tuple(name, 2, size=size)
    extent = jnp.asarray(x.shape[1:3], offsets.dtype)
    at = offsets * extent if normalized else offsets
    at = at / 2 + extent / 2 if centered else at
    first = jnp.trunc(at - jnp.asarray(size, at.dtype) / 2).astype(jnp.int32)
    rows, columns = (first[:, k, None] + jnp.arange(size[k], dtype=first.dtype) for k in (0, 1))
    inside = ((rows >= 0) & (rows < x.shape[1]))[:, :, None] & ((columns >= 0) & (columns < x.shape[2]))[
        :, None
    ]
    image = jnp.arange(len(x))[:, None, None]
    found = x[image, rows.clip(0, x.shape[1] - 1)[:, :, None], columns.clip(0, x.shape[2] - 1)[:, None]]
    return jnp.where(inside[..., None], found, _noise(_key, noise, found))


def _noise(key: Array, kind: str, like: Array) -> Array:
    if kind == "zero":
        return jnp.zeros_like(like)
    draw = jax.random.uniform if kind == "uniform" else jax.random.normal
    return draw(key, like.shape, like.dtype)
