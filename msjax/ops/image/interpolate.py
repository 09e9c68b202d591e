"""Interpolation of signals, images and volumes (`interpolate`), and the weights that every resizing uses.

One dimension after the other is resized: by picking elements, or by a product with a matrix of weights that is known
when the program is traced. Weights are those of PyTorch's interpolate (aten/src/ATen/native/UpSample.h), but for two
points: MindSpore's "linear" keeps the first element where one remains, and its "bicubic" is that of TensorFlow.
"""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import adaptive_pooling

RANKS = {
    "nearest": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "area": (3, 4, 5),
    "nearest-exact": (3, 4),
    "trilinear": (5,),
}
_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")
_SCALED = ("area", "trilinear")

# ------------------------------------------------------------------------------------------------ weights


def centres(
    m: int, n: int, span: float | None = None, corners: bool = False, half: bool = True
) -> np.ndarray:
    """Return the sampling positions of m new elements among n old ones.

    With `corners` the first and last elements stay where they are; with `half` an element is a cell and its place the
    middle of it; with neither, places are multiples of `span`, how many old elements a new one spans.
    """
    if corners:
        return np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0)
    span = n / m if span is None else span
    return (np.arange(m) + 0.5) * span - 0.5 if half else np.arange(m) * span


def _weight_matrix(n: int, taps: np.ndarray, weights: np.ndarray) -> np.ndarray:
    matrix = np.zeros((len(taps), n))
    np.add.at(matrix, (np.arange(len(taps))[:, None], np.clip(taps, 0, n - 1).astype(int)), weights)
    return matrix


def linear_matrix(n: int, at: np.ndarray) -> np.ndarray:
    """Return the weights (m, n) of linear interpolation at places among n elements."""
    at = np.clip(at, 0, n - 1)
    base = np.floor(at)
    return _weight_matrix(n, base[:, None] + np.arange(2), np.stack([1 - (at - base), at - base], 1))


def _cubic(d: np.ndarray, a: float) -> np.ndarray:
    """Return the kernel of cubic convolution (Keys 1981) at distances d."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def cubic_matrix(n: int, at: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Return the weights (m, n) of cubic convolution at places among n elements; the outer ones go on outside."""
    taps = np.floor(at)[:, None] + np.arange(-1, 3)
    return _weight_matrix(n, taps, _cubic(np.abs(at[:, None] - taps), a))


def tabled_cubic_matrix(n: int, m: int, corners: bool, half: bool) -> np.ndarray:
    """Return the weights (m, n) of TensorFlow's and MindSpore's ResizeBicubic.

    Places are rounded to 1/1024 of an element. With half pixels the kernel is that of Keys (a = -0.5) and taps outside
    do not count; otherwise a = -0.75 and the outer elements go on.
    """
    at = centres(m, n, corners=corners, half=half).astype(np.float32).astype(float)
    base = np.floor(at)
    at = base + np.round((at - base) * 1024) / 1024
    taps = base[:, None] + np.arange(-1, 3)
    weights = _cubic(np.abs(at[:, None] - taps), -0.5 if half else -0.75)
    if half:
        weights = np.where((taps >= 0) & (taps < n), weights, 0)
        weights = weights / weights.sum(1, keepdims=True)
    return _weight_matrix(n, taps, weights)


def cells_matrix(n: int, m: int) -> np.ndarray:
    """Return the means (m, n) over the cells of adaptive pooling."""
    start, end = np.arange(m) * n // m, -(-(np.arange(m) + 1) * n // m)
    inside = (np.arange(n) >= start[:, None]) & (np.arange(n) < end[:, None])
    return inside / (end - start)[:, None]


def multiply_axis(x: Array, axis: int, matrix: np.ndarray) -> Array:
    """One dimension multiplied by a matrix (m, n)."""
    weights = jnp.asarray(matrix.astype(x.dtype))
    return jnp.moveaxis(jnp.tensordot(x, weights, (axis, 1), precision="highest"), -1, axis)


def take_axis(x: Array, axis: int, at: np.ndarray) -> Array:
    """One dimension's elements at the places below `at`.

    Where each is taken equally often, or at equal steps, the derivative needs no scatter, which is slow on CPUs.
    """
    n, m = x.shape[axis], len(at)
    places = np.clip(np.floor(at), 0, n - 1).astype(np.int32)
    if m % n == 0 and np.array_equal(places, np.repeat(np.arange(n), m // n)):
        return jnp.repeat(x, m // n, axis) if m > n else x
    if n % m == 0 and np.array_equal(np.diff(places), np.full(m - 1, n // m)):
        return lax.slice_in_dim(x, int(places[0]), int(places[-1]) + 1, n // m, axis)
    return jnp.take(x, places, axis)


def nearest_places(n: int, m: int, span: float | None = None, exact: bool = False) -> np.ndarray:
    """Return the places, in float32 as the kernels have them, whose floor is the nearest element."""
    shift = np.float32(0.5 if exact else 0.0)
    return (np.arange(m, dtype=np.float32) + shift) * np.float32(n / m if span is None else span)


# ------------------------------------------------------------------------------------------------ interpolate


def _numbers(name: str, dims: int, kind: type, **values: Any) -> tuple:
    """`dims` positive numbers of one type, from one or a sequence of them."""
    ((argument, value),) = values.items()
    given = value if isinstance(value, tuple) else (value,) * dims
    for v in given:
        if type(v) is not kind:
            checks.fail(TypeError, name, argument, f"be {kind.__name__}", f"{value!r} ({type(v).__name__})")
        if v <= 0:
            checks.fail(ValueError, name, argument, "be positive", value)
    if len(given) != dims:
        checks.fail(ValueError, name, argument, f"have a number for each of {dims} dimensions", value)
    return given


def _new_sizes(name: str, x: Array, size: Any, factor: Any, mode: str, recompute: Any) -> tuple[tuple, tuple]:
    """Return the new sizes and how many old elements a new one spans."""
    old = x.shape[2:]
    if (size is None) == (factor is None):
        checks.fail(ValueError, name, "size", "be given, or `scale_factor`, not both", f"{size}, {factor}")
    if size is not None:
        if recompute:
            checks.fail(ValueError, name, "recompute_scale_factor", "be None if `size` is given", recompute)
        new = _numbers(name, len(old), int, size=size)
        return new, tuple(n / m for n, m in zip(old, new, strict=True))
    factors = _numbers(name, len(old), float, scale_factor=factor)
    recompute = recompute or mode == "area"
    if not recompute and mode not in _SCALED and (mode, x.ndim) != ("nearest", 5):
        rule = f"be None with mode {mode!r} and {x.ndim} dimensions, unless recompute_scale_factor=True"
        checks.fail(ValueError, name, "scale_factor", rule, factor)
    new = tuple(math.floor(n * s) for n, s in zip(old, factors, strict=True))
    if min(new) < 1:
        checks.fail(ValueError, name, "scale_factor", f"leave an element of each of {old}", factor)
    exact = mode == "trilinear" and not recompute
    return new, tuple(1 / s if exact else n / m for n, m, s in zip(old, new, factors, strict=True))


def _check_arguments(name: str, x: Array, mode: Any, align_corners: Any) -> None:
    if not isinstance(mode, str) or mode not in RANKS:
        checks.fail(ValueError, name, "mode", f"be one of {list(RANKS)}", repr(mode))
    checks.check_rank(name, *RANKS[mode], input=x)
    checks.check_floating(name, input=x)
    if align_corners is not None:
        checks.check_bools(name, align_corners=align_corners)
        if mode not in _ALIGNED:
            checks.fail(ValueError, name, "align_corners", f"be None with mode {mode!r}", align_corners)


def _axis_matrix(mode: str, n: int, m: int, span: float, corners: bool) -> np.ndarray:
    if mode == "bicubic":
        return tabled_cubic_matrix(n, m, corners, not corners)
    at = centres(m, n, span, corners)
    return linear_matrix(n, at * 0 if mode == "linear" and m == 1 else at)


@op(static="size scale_factor mode align_corners recompute_scale_factor")
def interpolate(
    input: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Array:
    """Return the input in another size.

    As in MindSpore, `scale_factor` alone is for "area", for "trilinear" and for "nearest" of volumes; the other modes
    take it with `recompute_scale_factor=True`.

    Args:
        input (Tensor): of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W), floating.
        size (int, tuple[int], list[int]): the new size of the dimensions behind the channels.
        scale_factor (float, tuple[float], list[float]): factor for the old size, given instead of a new one.
        mode (str): "nearest" and "area"; "linear" for three dimensions, "bilinear" and "bicubic" for four, "trilinear"
            for five, "nearest-exact" for three and four.
        align_corners (bool): whether the first and last elements stay where they are, for the linear modes and
            "bicubic". Default: False.
        recompute_scale_factor (bool): make a size of `scale_factor`, and take the scale from it.

    Returns:
        Tensor of shape (N, C, ...) and the input's dtype.

    Raises:
        TypeError: for an input that is not floating, or sizes and factors of another type.
        ValueError: for a mode that does not fit the dimensions, neither or both of `size` and `scale_factor`, or
            sizes that are not positive.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.interpolate(ms.Tensor([[[0.0, 1.0]]]), 4, mode="linear"))
        [[[0.   0.25 0.75 1.  ]]]
    """
    name = "interpolate"
    _check_arguments(name, input, mode, align_corners)
    new, spans = _new_sizes(name, input, size, scale_factor, mode, recompute_scale_factor)
    if mode == "area":
        pool = getattr(adaptive_pooling, f"adaptive_avg_pool{input.ndim - 2}d").pure
        return pool(input, new[0] if input.ndim == 3 else new)
    y = input.astype(checks.compute_dtype(input.dtype))
    for axis, (m, span) in enumerate(zip(new, spans, strict=True), 2):
        n = y.shape[axis]
        if mode in ("nearest", "nearest-exact"):
            y = take_axis(y, axis, nearest_places(n, m, span, mode == "nearest-exact"))
        else:
            y = multiply_axis(y, axis, _axis_matrix(mode, n, m, span, bool(align_corners)))
    return y.astype(input.dtype)


@documented_by(interpolate)
def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Return the input in another size: see :func:`interpolate`.

    Args:
        mode (str): as of `interpolate`.
        align_corners (bool): as of `interpolate`.
        recompute_scale_factor (bool): as of `interpolate`.

    Raises:
        TypeError, ValueError: as `interpolate`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.upsample(ms.Tensor([[[0.0, 1.0]]]), 4))
        [[[0. 0. 1. 1.]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
