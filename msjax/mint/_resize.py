"""Images in another size, and images sampled at given places, with PyTorch's conventions."""

import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op import op
from msjax.ops import expect, resizing

_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
_ANY = ("nearest", "nearest-exact", "area")


def _sizes(x: Array, size: Any, scale_factor: Any, recompute: Any) -> list[tuple[int, int, float]]:
    """For each dimension: its size, the new one, and how many old elements a new one spans."""
    name, old = "interpolate", x.shape[2:]
    if (size is None) == (scale_factor is None):
        expect.fail(
            ValueError, name, "size", "be given, or `scale_factor`, not both", f"{size}, {scale_factor}"
        )
    if size is not None:
        new = expect.ints(name, len(old), size=size)
        return [(n, m, n / m) for n, m in zip(old, new, strict=True)]
    factors = scale_factor if isinstance(scale_factor, tuple | list) else (scale_factor,) * len(old)
    if len(factors) != len(old):
        expect.fail(ValueError, name, "scale_factor", f"be a number or {len(old)} numbers", scale_factor)
    made = [(n, math.floor(n * s), 1 / s) for n, s in zip(old, factors, strict=True)]
    return [(n, m, n / m) for n, m, _ in made] if recompute else made


@op(static="size scale_factor mode align_corners recompute_scale_factor")
def interpolate(
    input: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Array:
    """The input in another size.

    Args:
        input (Tensor): of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W), floating.
        size (int, tuple[int], None): the new size of the dimensions behind the channels.
        scale_factor (float, tuple[float], None): in its place, how many times the old size.
        mode (str): "nearest", "nearest-exact", "area"; "linear" for one dimension, "bilinear" and "bicubic" for two,
            "trilinear" for three.
        align_corners (bool, None): whether the first and last elements stay where they are, for the linear modes and
            "bicubic". Default: False.
        recompute_scale_factor (bool, None): take the scale from the sizes, not from `scale_factor`.

    Returns:
        Tensor of shape (N, C, ...) and the input's dtype.

    Raises:
        ValueError: for a mode that does not fit the dimensions, or neither or both of `size` and `scale_factor`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.interpolate(ms.Tensor([[[0.0, 1.0]]]), 4, mode="linear"))
        [[[0.   0.25 0.75 1.  ]]]
    """
    name, dims = "interpolate", input.ndim - 2
    expect.rank(name, 3, 4, 5, input=input)
    fitting = (*_ANY, *(mode for mode, n in _LINEAR.items() if n == dims), *(("bicubic",) * (dims == 2)))
    expect.choice(name, fitting, mode=mode)
    if align_corners is not None and mode in _ANY:
        expect.fail(ValueError, name, "align_corners", f"be None with mode {mode!r}", align_corners)
    y = input
    for axis, (n, m, span) in enumerate(_sizes(input, size, scale_factor, recompute_scale_factor), 2):
        at = resizing.centres(m, n, span, bool(align_corners))
        if mode in _ANY[:2]:
            y = resizing.picked(y, axis, resizing.nearest_places(n, m, span, mode == "nearest-exact"))
        elif mode == "area":
            y = resizing.weighted(y, axis, resizing.cells_matrix(n, m))
        else:
            matrix = resizing.cubic_matrix if mode == "bicubic" else resizing.linear_matrix
            y = resizing.weighted(y, axis, matrix(n, at))
    return y


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None
) -> Any:
    """The input in another size: see :func:`interpolate`.

    Args:
        input (Tensor): of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W), floating.
        size (int, tuple[int], None): the new size of the dimensions behind the channels.
        scale_factor (float, tuple[float], None): in its place, how many times the old size.
        mode (str): as of `interpolate`.
        align_corners (bool, None): as of `interpolate`.

    Returns:
        Tensor of shape (N, C, ...) and the input's dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.upsample(ms.Tensor([[[0.0, 1.0]]]), scale_factor=2))
        [[[0. 0. 1. 1.]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def _reflected(at: Array, low: float, high: float) -> Array:
    """Places outside [low, high] mirrored at its ends."""
    span = at.dtype.type(high - low)
    if high == low:
        return jnp.zeros_like(at)
    away = jnp.abs(at - at.dtype.type(low))
    rest, turns = away % span, jnp.floor(away / span)
    return jnp.where(turns % 2 == 0, rest, span - rest) + at.dtype.type(low)


def _unnormalized(at: Array, n: int, padding_mode: str, corners: bool) -> Array:
    """From [-1, 1] to places among n elements, those outside as `padding_mode` has them."""
    at = (at + 1) / 2 * (n - 1) if corners else ((at + 1) * n - 1) / 2
    if padding_mode == "reflection":
        at = _reflected(at, 0, n - 1) if corners else _reflected(at, -0.5, n - 0.5)
    return at if padding_mode == "zeros" else jnp.clip(at, 0, n - 1)


def _taken(x: Array, places: list[Array]) -> Array:
    """Elements of one image (C, ...) at whole places; zeros outside."""
    sizes = x.shape[1:]
    inside = jnp.ones(places[0].shape, bool)
    whole = []
    for at, n in zip(places, sizes, strict=True):
        inside &= (at >= 0) & (at <= n - 1)
        whole.append(jnp.clip(at, 0, n - 1).astype(jnp.int32))
    return jnp.where(inside, x[(slice(None), *whole)], jnp.zeros((), x.dtype))


def _sampled(x: Array, places: list[Array], mode: str) -> Array:
    if mode == "nearest":
        return _taken(x, [jnp.round(at) for at in places])
    base = [jnp.floor(at) for at in places]
    total = jnp.zeros((), x.dtype)
    for corner in itertools.product((0, 1), repeat=len(places)):
        weight = jnp.ones((), x.dtype)
        for at, low, side in zip(places, base, corner, strict=True):
            weight = weight * ((at - low) if side else (1 - (at - low)))
        total = total + weight * _taken(x, [low + side for low, side in zip(base, corner, strict=True)])
    return total


@op(static="mode padding_mode align_corners")
def grid_sample(
    input: Array,
    grid: Array,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Array:
    """Images at the places that a grid names.

    Args:
        input (Tensor): of shape (N, C, H, W) or (N, C, D, H, W), floating.
        grid (Tensor): of shape (N, H', W', 2) or (N, D', H', W', 3), of the same dtype: places (x, y) or (x, y, z) in
            [-1, 1] from one end of the image to the other.
        mode (str): "bilinear", for volumes too, or "nearest".
        padding_mode (str): what lies outside: "zeros", "border" the nearest element, "reflection" the mirror image.
        align_corners (bool, None): whether -1 and 1 are the centres of the outer elements, or their edges. Default: edges.

    Returns:
        Tensor of shape (N, C, H', W') or (N, C, D', H', W').

    Raises:
        ValueError: for other modes, or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
        >>> print(ms.mint.nn.functional.grid_sample(x, ms.ops.zeros((1, 1, 1, 2))))
        [[[[1.5]]]]
    """
    name, dims = "grid_sample", input.ndim - 2
    expect.rank(name, 4, 5, input=input)
    expect.choice(name, ("bilinear", "nearest"), mode=mode)
    expect.choice(name, ("zeros", "border", "reflection"), padding_mode=padding_mode)
    if grid.ndim != input.ndim or grid.shape[-1] != dims or grid.shape[0] != input.shape[0]:
        rule = f"have shape (N, ..., {dims}) and {input.ndim} dimensions"
        expect.fail(ValueError, name, "grid", rule, f"{grid.shape}, input={input.shape}")
    at = [
        _unnormalized(grid[..., dims - 1 - k], input.shape[2 + k], padding_mode, bool(align_corners))
        for k in range(dims)
    ]
    return jax.vmap(lambda x, places: _sampled(x, places, mode))(input, at)
