"""Grid sampling of images: `grid_sample`, `affine_grid`.

Conventions are PyTorch's (aten/src/ATen/native/GridSampler.cpp), which are MindSpore's too.
"""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks


def _reflect(at: Array, low: float, high: float) -> Array:
    """Places outside [low, high] mirrored at its ends."""
    span = at.dtype.type(high - low)
    if high == low:
        return jnp.zeros_like(at)
    away = jnp.abs(at - at.dtype.type(low))
    rest, turns = away % span, jnp.floor(away / span)
    return jnp.where(turns % 2 == 0, rest, span - rest) + at.dtype.type(low)


def _unnormalize(at: Array, n: int, padding_mode: str, corners: bool) -> Array:
    """Convert coordinates in [-1, 1] to positions among n elements, with `padding_mode` for those outside."""
    at = (at + 1) / 2 * (n - 1) if corners else ((at + 1) * n - 1) / 2
    if padding_mode == "reflection":
        at = _reflect(at, 0, n - 1) if corners else _reflect(at, -0.5, n - 0.5)
    return at if padding_mode == "zeros" else jnp.clip(at, 0, n - 1)


def _take_or_zero(x: Array, places: list[Array]) -> Array:
    """Elements of one image (C, ...) at whole places; zeros outside."""
    sizes = x.shape[1:]
    inside = jnp.ones(places[0].shape, bool)
    whole = []
    for at, n in zip(places, sizes, strict=True):
        inside &= (at >= 0) & (at <= n - 1)
        whole.append(jnp.clip(at, 0, n - 1).astype(jnp.int32))
    return jnp.where(inside, x[(slice(None), *whole)], jnp.zeros((), x.dtype))


def sample_image(x: Array, places: list[Array], mode: str) -> Array:
    """Elements of one image (C, ...) at places, the nearest ones or interpolated; zeros outside."""
    if mode == "nearest":
        return _take_or_zero(x, [jnp.round(at) for at in places])
    base = [jnp.floor(at) for at in places]
    total = jnp.zeros((), x.dtype)
    for corner in itertools.product((0, 1), repeat=len(places)):
        weight = jnp.ones((), x.dtype)
        for at, low, side in zip(places, base, corner, strict=True):
            weight = weight * ((at - low) if side else (1 - (at - low)))
        total = total + weight * _take_or_zero(
            x, [low + side for low, side in zip(base, corner, strict=True)]
        )
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
        TypeError: for arrays that are not floating or of two dtypes, or an `align_corners` that is not a bool.
        ValueError: for other modes, or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
        >>> print(ms.ops.grid_sample(x, ms.ops.zeros((1, 1, 1, 2))))
        [[[[1.5]]]]
    """
    corners = False if align_corners is None else align_corners
    return _grid_sampled("grid_sample", input, grid, mode, padding_mode, corners)


def _cubic_weights(t: Array) -> list[Array]:
    """Return the shares of four neighbours of a place between the second and the third (Keys, 1981, with a = -3/4)."""
    a = -0.75
    inner = lambda x: ((a + 2) * x - (a + 3)) * x * x + 1  # noqa: E731
    outer = lambda x: ((a * x - 5 * a) * x + 8 * a) * x - 4 * a  # noqa: E731
    return [outer(t + 1), inner(t), inner(1 - t), outer(2 - t)]


def _bound_positions(at: Array, n: int, padding_mode: str, corners: bool) -> Array:
    if padding_mode == "reflection":
        at = _reflect(at, 0, n - 1) if corners else _reflect(at, -0.5, n - 0.5)
    return at if padding_mode == "zeros" else jnp.clip(at, 0, n - 1)


@op(static="padding_mode align_corners")
def grid_sample_cubic(input: Array, grid: Array, padding_mode: str, align_corners: bool) -> Array:
    """:func:`grid_sample` by cubic interpolation, which PyTorch has for images and MindSpore has not.

    Args:
        input (Tensor): of shape (N, C, H, W), floating.
        grid (Tensor): of shape (N, H', W', 2), of the same dtype.
        padding_mode (str): "zeros", "border" or "reflection".
        align_corners (bool): whether -1 and 1 are the centres of the outer elements, or their edges.

    Returns:
        Tensor of shape (N, C, H', W').
    """
    name = "grid_sample"
    checks.check_rank(name, 4, 4, input=input)
    checks.check_floating(name, input=input, grid=grid)
    checks.check_same_dtype(name, input=input, grid=grid)
    checks.check_choice(name, ("zeros", "border", "reflection"), padding_mode=padding_mode)
    wide = grid.astype(checks.compute_dtype(grid.dtype))

    def of_image(x: Array, places: Array) -> Array:
        each = []
        for k, n in enumerate(x.shape[1:]):
            at = _unnormalize(places[..., 1 - k], n, "zeros", align_corners)
            low = jnp.floor(at)
            around = [_bound_positions(low + step, n, padding_mode, align_corners) for step in (-1, 0, 1, 2)]
            each.append(list(zip(around, _cubic_weights(at - low), strict=True)))
        total = jnp.zeros((), x.dtype)
        for (row, share), (column, portion) in itertools.product(*each):
            total = total + share * portion * _take_or_zero(x, [row, column])
        return total

    return jax.vmap(of_image)(input.astype(wide.dtype), wide).astype(input.dtype)


def _grid_sampled(name: str, x: Array, grid: Array, mode: str, padding_mode: str, corners: bool) -> Array:
    dims = x.ndim - 2
    checks.check_rank(name, 4, 5, input=x)
    checks.check_floating(name, input=x, grid=grid)
    checks.check_same_dtype(name, input=x, grid=grid)
    checks.check_choice(name, ("bilinear", "nearest"), mode=mode)
    checks.check_choice(name, ("zeros", "border", "reflection"), padding_mode=padding_mode)
    checks.check_bools(name, align_corners=corners)
    if grid.ndim != x.ndim or grid.shape[-1] != dims or grid.shape[0] != x.shape[0]:
        rule = f"have shape (N, ..., {dims}) and {x.ndim} dimensions"
        checks.fail(ValueError, name, "grid", rule, f"{grid.shape}, input={x.shape}")
    wide = grid.astype(checks.compute_dtype(grid.dtype))
    at = [_unnormalize(wide[..., dims - 1 - k], x.shape[2 + k], padding_mode, corners) for k in range(dims)]
    return jax.vmap(lambda x, places: sample_image(x, places, mode))(x.astype(wide.dtype), at).astype(x.dtype)


@op(static="interpolation_mode padding_mode align_corners dims")
def grid_sampler(
    input_x: Array,
    grid: Array,
    interpolation_mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
    dims: int = 2,
) -> Array:
    """:func:`grid_sample` with the arguments of MindSpore's class forms.

    Args:
        input_x (Tensor): of shape (N, C, H, W), or (N, C, D, H, W) with `dims` 3, floating.
        grid (Tensor): of shape (N, H', W', 2) or (N, D', H', W', 3), of the same dtype.
        interpolation_mode (str): "bilinear" or "nearest".
        padding_mode (str): "zeros", "border" or "reflection".
        align_corners (bool): whether -1 and 1 are the centres of the outer elements, or their edges.
        dims (int): 2 or 3.

    Returns:
        Tensor of shape (N, C, H', W') or (N, C, D', H', W').

    Raises:
        TypeError, ValueError: as `grid_sample`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
        >>> print(ms.ops.GridSampler2D()(x, ms.ops.zeros((1, 1, 1, 2))))
        [[[[1.5]]]]
    """
    name = f"GridSampler{dims}D"
    checks.check_rank(name, dims + 2, input_x=input_x)
    return _grid_sampled(name, input_x, grid, interpolation_mode, padding_mode, align_corners)


def _base(n: int, corners: bool, dtype: Any) -> Array:
    """Return the places of n elements in [-1, 1]."""
    if corners:
        return jnp.linspace(-1, 1, n, dtype=dtype) if n > 1 else jnp.zeros(n, dtype)
    return (2 * jnp.arange(n, dtype=dtype) + 1) / n - 1


@op(static="size align_corners")
def affine_grid(theta: Array, size: Any, align_corners: bool = False) -> Array:
    """Return the places of an image's elements after affine maps, for :func:`grid_sample`.

    Args:
        theta (Tensor): of shape (N, 2, 3) for images, (N, 3, 4) for volumes, floating: the maps of (x, y, 1) or
            (x, y, z, 1), coordinates in [-1, 1].
        size (tuple[int]): (N, C, H, W) or (N, C, D, H, W).
        align_corners (bool): whether -1 and 1 are the centres of the outer elements, or their edges.

    Returns:
        Tensor of shape (N, H, W, 2) or (N, D, H, W, 3) and the dtype of `theta`.

    Raises:
        TypeError: if `theta` is not floating, `size` not a tuple or `align_corners` not a bool.
        ValueError: for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> theta = ms.Tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]])
        >>> print(ms.ops.affine_grid(theta, (1, 1, 1, 2)))
        [[[[0. 0.]
           [1. 0.]]]]
    """
    name = "affine_grid"
    checks.check_bools(name, align_corners=align_corners)
    checks.check_rank(name, 3, theta=theta)
    checks.check_floating(name, theta=theta)
    if not isinstance(size, tuple):
        checks.fail(TypeError, name, "size", "be a tuple of ints", f"{size!r} ({type(size).__name__})")
    dims = len(size) - 2
    if dims not in (2, 3) or theta.shape[1:] != (dims, dims + 1) or theta.shape[0] != size[0]:
        rule = "be (N, C, H, W) with theta (N, 2, 3), or (N, C, D, H, W) with theta (N, 3, 4)"
        checks.fail(ValueError, name, "size", rule, f"{size}, theta of shape {theta.shape}")
    wide = theta.astype(checks.compute_dtype(theta.dtype))
    places = jnp.meshgrid(*[_base(n, align_corners, wide.dtype) for n in size[2:]], indexing="ij")
    points = jnp.stack([*places[::-1], jnp.ones_like(places[0])], -1)
    return jnp.einsum("...j,nij->n...i", points, wide, precision="highest").astype(theta.dtype)
