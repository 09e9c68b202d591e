"""`interpolate` with `antialias`: PyTorch's and PIL's filters, which are as wide as what they shrink."""

from typing import Any

import jax.image
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.torch.tensors.tensor import as_torch

_METHODS = {"bilinear": "linear", "bicubic": "cubic"}


@op(static="size scales method")
def _resize(x: Array, size: tuple[int, ...], scales: tuple[float, ...], method: str) -> Array:
    whole = x.dtype == jnp.uint8
    wide = x.astype(jnp.float32) if whole or x.dtype in (jnp.float16, jnp.bfloat16) else x
    for place in (1, 0):  # the width first: bytes are rounded in between, as in PIL
        shape = (*wide.shape[: 2 + place], size[place], *wide.shape[3 + place :])
        wide = jax.image.scale_and_translate(
            wide, shape, (2 + place,), jnp.asarray(scales[place : place + 1], wide.dtype), jnp.zeros(1, wide.dtype),
            method, antialias=True, precision=lax.Precision.HIGHEST,
        )  # fmt: skip
        wide = jnp.clip(jnp.floor(wide + 0.5), 0, 255) if whole else wide
    return wide.astype(x.dtype)


def resample_antialiased(
    input: Any, size: Any, scale_factor: Any, mode: str, align_corners: bool | None, recompute: bool | None
) -> Any:
    """Resize images by filters that are as wide as what they shrink.

    Args:
        input: of shape (N, C, H, W), floating or uint8.
        size: the new height and width.
        scale_factor: the new size by the old one, in place of `size`.
        mode: "bilinear" or "bicubic".
        align_corners: None or False.
        recompute: whether the scale is that of the sizes.

    Raises:
        ValueError: for other modes or shapes.
        NotImplementedError: for aligned corners.
    """
    if mode not in _METHODS or input.ndim != 4:
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
        )
    if align_corners:
        raise NotImplementedError(
            "`interpolate`: argument `align_corners` must be False with `antialias` in msjax.torch."
        )
    old = tuple(input.shape[2:])
    if size is None:
        factors = tuple(scale_factor) if isinstance(scale_factor, tuple | list) else (scale_factor,) * 2
        new = tuple(int(n * f) for n, f in zip(old, factors, strict=True))
        scales = tuple(map(float, factors))
    else:
        new = tuple(int(n) for n in size) if isinstance(size, tuple | list) else (int(size),) * 2
        scales, recompute = (), True
    if recompute:
        scales = tuple(n / o for n, o in zip(new, old, strict=True))
    return as_torch(_resize(input, size=new, scales=scales, method=_METHODS[mode]))
