"""`ScaleAndTranslate`: resampling of images with a choice of filters."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks


def _lanczos(radius: float, x: Array) -> Array:
    return jnp.where(jnp.abs(x) < radius, jnp.sinc(x) * jnp.sinc(x / radius), 0)


def _cubic(x: Array, b: float, c: float) -> Array:
    """Mitchell and Netravali's family of cubic filters."""
    x = jnp.abs(x)
    near = ((12 - 9 * b - 6 * c) * x - (18 - 12 * b - 6 * c)) * x * x + (6 - 2 * b)
    far = ((-b - 6 * c) * x + (6 * b + 30 * c)) * x * x - (12 * b + 48 * c) * x + (8 * b + 24 * c)
    return jnp.where(x < 1, near, jnp.where(x < 2, far, 0)) / 6


def _box(x: Array) -> Array:
    return ((jnp.abs(x) < 0.5).astype(x.dtype) + (jnp.abs(x) <= 0.5).astype(x.dtype)) / 2


_KERNELS = {
    "lanczos1": lambda x: _lanczos(1, x),
    "lanczos3": lambda x: _lanczos(3, x),
    "lanczos5": lambda x: _lanczos(5, x),
    "gaussian": lambda x: jnp.where(jnp.abs(x) < 1.5, jnp.exp(-2 * x * x), 0),
    "box": _box,
    "triangle": lambda x: jnp.maximum(1 - jnp.abs(x), 0),
    "keyscubic": lambda x: _cubic(x, 0, 0.5),
    "mitchellcubic": lambda x: _cubic(x, 1 / 3, 1 / 3),
}


def _weights(kernel: str, n: int, m: int, scale: Array, shift: Array, antialias: bool) -> Array:
    """Return the weights (m, n) of old elements in new ones; new ones whose place lies outside have none."""
    at = (jnp.arange(m, dtype=scale.dtype) + 0.5) / scale - shift / scale
    width = jnp.maximum(1 / scale, 1) if antialias else jnp.ones((), scale.dtype)
    weights = _KERNELS[kernel]((jnp.arange(n, dtype=scale.dtype) + 0.5 - at[:, None]) / width)
    total = weights.sum(1, keepdims=True)
    some = jnp.abs(total) > 1000 * jnp.finfo(scale.dtype).tiny
    inside = ((at >= 0) & (at <= n))[:, None]
    return jnp.where(inside & some, weights / jnp.where(some, total, 1), 0)


@op(static="size kernel_type antialias")
def scale_and_translate(
    images: Array,
    size: Any,
    scale: Array,
    translation: Array,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Array:
    """Images scaled, then moved; as TensorFlow's ScaleAndTranslate. No gradient reaches scale and translation.

    Args:
        images (Tensor): of shape (N, H, W, C), real.
        size (Tensor): the new (H, W), int32.
        scale (Tensor): of shape (2,), float32: how many new elements an old one spans.
        translation (Tensor): of shape (2,), float32: how far images are moved, in new elements.
        kernel_type (str): the filter: "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic" or
            "mitchellcubic".
        antialias (bool): widen the filter where images become smaller.

    Returns:
        Tensor of shape (N, *size, C), float32.

    Raises:
        TypeError: for settings of another type.
        ValueError: for settings and shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x, one = ms.Tensor([[[[9.0], [5.0]], [[6.0], [1.0]]]]), ms.Tensor([1.0, 1.0])
        >>> print(ms.ops.ScaleAndTranslate()(x, ms.Tensor([2, 2], ms.int32), one, one).reshape(4))
        [0. 0. 0. 9.]
    """
    name = "ScaleAndTranslate"
    checks.check_choice(name, tuple(_KERNELS), kernel_type=kernel_type)
    checks.check_bools(name, antialias=antialias)
    checks.check_rank(name, 4, images=images)
    checks.check_floating(name, scale=scale, translation=translation)
    for argument, x in (("scale", scale), ("translation", translation)):
        if x.shape != (2,):
            checks.fail(ValueError, name, argument, "have shape (2,)", f"array of shape {x.shape}")
    if not isinstance(size, tuple) or len(size) != 2:
        checks.fail(ValueError, name, "size", "be two ints", size)
    new = checks.as_int_tuple(name, 2, size=size)
    factor, shift = (lax.stop_gradient(x).astype(jnp.float32) for x in (scale, translation))
    down, across = (
        _weights(kernel_type, images.shape[1 + k], new[k], factor[k], shift[k], antialias) for k in (0, 1)
    )
    return jnp.einsum("ph,nhwc,qw->npqc", down, images.astype(jnp.float32), across, precision="highest")
