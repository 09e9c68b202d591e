"""Color space conversion (RGB, HSV) and adjustment of hue and saturation, as in TensorFlow's image operators.

The last dimension is the channels. In HSV all three are in [0, 1], the hue being a share of the circle.
"""

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def _image(name: str, rank: int, **arrays: Array) -> Array:
    """Return a floating image of three channels, in at least float32."""
    ((argument, x),) = arrays.items()
    checks.check_floating(name, **arrays)
    if x.ndim < rank or x.shape[-1] != 3:
        rule = f"have at least {rank} dimensions, of which the last is 3"
        checks.fail(ValueError, name, argument, rule, f"array of shape {x.shape}")
    return x.astype(checks.compute_dtype(x.dtype))


def _amount(name: str, **arrays: Array) -> Array:
    """Return a float32 array without dimensions."""
    ((argument, x),) = arrays.items()
    if x.dtype != jnp.float32:
        checks.fail(TypeError, name, argument, "be float32", x.dtype)
    checks.check_rank(name, 0, **arrays)
    return x


def _hue(rgb: Array) -> tuple[Array, Array, Array]:
    """Return the hue in sixths of the circle, the largest channel and the smallest."""
    r, g, b = jnp.moveaxis(rgb, -1, 0)
    high, low = jnp.maximum(jnp.maximum(r, g), b), jnp.minimum(jnp.minimum(r, g), b)
    span = high - low
    safe = jnp.where(span > 0, span, 1)
    third = jnp.where(g == high, (b - r) / safe + 2, (r - g) / safe + 4)
    hue = jnp.where(r == high, (g - b) / safe, third)
    return jnp.where(span > 0, jnp.where(hue < 0, hue + 6, hue), 0), high, low


def _share(hue: Array) -> Array:
    """Return the position of red, green and blue between the smallest (0) and largest channel (1), for a hue in sixths."""
    red, green, blue = jnp.abs(hue - 3) - 1, 2 - jnp.abs(hue - 2), 2 - jnp.abs(hue - 4)
    return jnp.clip(jnp.stack([red, green, blue], -1), 0, 1)


@op
def rgb_to_hsv(images: Array) -> Array:
    """Hue, saturation and value of red, green and blue.

    Args:
        images (Tensor): of shape (..., 3), floating, in [0, 1].

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: for images that are not floating.
        ValueError: if the last dimension is not 3.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.RGBToHSV()(ms.Tensor([0.25, 0.5, 0.5])))
        [0.5 0.5 0.5]
    """
    hue, high, low = _hue(_image("RGBToHSV", 1, images=images))
    saturation = jnp.where(high > 0, (high - low) / jnp.where(high > 0, high, 1), 0)
    return jnp.stack([hue / 6, saturation, high], -1).astype(images.dtype)


@op
def hsv_to_rgb(x: Array) -> Array:
    """Red, green and blue of hue, saturation and value.

    Args:
        x (Tensor): of shape (N, H, W, 3), floating, in [0, 1].

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: for images that are not floating.
        ValueError: for other shapes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.HSVToRGB()(ms.Tensor([[[[0.5, 0.5, 0.5]]]])))
        [[[[0.25 0.5  0.5 ]]]]
    """
    checks.check_rank("HSVToRGB", 4, x=x)
    hue, saturation, value = jnp.moveaxis(_image("HSVToRGB", 4, x=x), -1, 0)
    saturation, value = saturation[..., None], value[..., None]
    return (((1 - saturation) + saturation * _share(hue * 6)) * value).astype(x.dtype)


@op
def adjust_hue(image: Array, delta: Array) -> Array:
    """Images with another hue.

    Args:
        image (Tensor): of shape (..., H, W, 3), floating.
        delta (Tensor): what to add to the hue, a share of the circle; float32 without dimensions.

    Returns:
        Tensor of the image's shape and dtype.

    Raises:
        TypeError: for other dtypes.
        ValueError: for other shapes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AdjustHue()(ms.Tensor([[[1.0, 0.0, 0.0]]]), ms.Tensor(0.5)))
        [[[0. 1. 1.]]]
    """
    hue, high, low = _hue(_image("AdjustHue", 3, image=image))
    hue = jnp.mod(hue + _amount("AdjustHue", delta=delta).astype(hue.dtype) * 6, 6)
    return (low[..., None] + (high - low)[..., None] * _share(hue)).astype(image.dtype)


@op
@documented_by(adjust_hue)
def adjust_saturation(image: Array, scale: Array) -> Array:
    """Images with another saturation.

    Args:
        scale (Tensor): what to multiply the saturation by, which is at most 1 afterwards; float32 without dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AdjustSaturation()(ms.Tensor([[[1.0, 0.0, 0.0]]]), ms.Tensor(0.5)))
        [[[1.  0.5 0.5]]]
    """
    hue, high, low = _hue(_image("AdjustSaturation", 3, image=image))
    share = jnp.where(high > 0, (high - low) / jnp.where(high > 0, high, 1), 0)
    share = jnp.clip(share * _amount("AdjustSaturation", scale=scale).astype(hue.dtype), 0, 1)[..., None]
    return (high[..., None] * (1 - share * (1 - _share(hue)))).astype(image.dtype)
