"""Interpolation of images with PyTorch's conventions: the operator behind `mint`'s and `torch`'s `interpolate`."""

import math
from typing import Any

from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.image import interpolate as interpolation

_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
_ANY = ("nearest", "nearest-exact", "area")


def _sizes(x: Array, size: Any, scale_factor: Any, recompute: Any) -> list[tuple[int, int, float]]:
    """Return, for each dimension, its size, the new one, and the number of old elements that a new one spans."""
    name, old = "interpolate", x.shape[2:]
    if (size is None) == (scale_factor is None):
        checks.fail(
            ValueError, name, "size", "be given, or `scale_factor`, not both", f"{size}, {scale_factor}"
        )
    if size is not None:
        new = checks.as_int_tuple(name, len(old), size=size)
        return [(n, m, n / m) for n, m in zip(old, new, strict=True)]
    factors = scale_factor if isinstance(scale_factor, tuple | list) else (scale_factor,) * len(old)
    if len(factors) != len(old):
        checks.fail(ValueError, name, "scale_factor", f"be a number or {len(old)} numbers", scale_factor)
    made = [(n, math.floor(n * s), 1 / s) for n, s in zip(old, factors, strict=True)]
    return [(n, m, n / m) for n, m, _ in made] if recompute else made


@op(static="size scale_factor mode align_corners recompute_scale_factor")
def resample(
    input: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Array:
    """`torch.nn.functional.interpolate`: as `interpolate`, but "nearest" keeps a given scale as well."""
    name, dims = "interpolate", input.ndim - 2
    checks.check_rank(name, 3, 4, 5, input=input)
    fitting = (*_ANY, *(mode for mode, n in _LINEAR.items() if n == dims), *(("bicubic",) * (dims == 2)))
    checks.check_choice(name, fitting, mode=mode)
    if align_corners is not None and mode in _ANY:
        checks.fail(ValueError, name, "align_corners", f"be None with mode {mode!r}", align_corners)
    y = input
    for axis, (n, m, span) in enumerate(_sizes(input, size, scale_factor, recompute_scale_factor), 2):
        at = interpolation.centres(m, n, span, bool(align_corners))
        if mode in _ANY[:2]:
            y = interpolation.take_axis(
                y, axis, interpolation.nearest_places(n, m, span, mode == "nearest-exact")
            )
        elif mode == "area":
            y = interpolation.multiply_axis(y, axis, interpolation.cells_matrix(n, m))
        else:
            matrix = interpolation.cubic_matrix if mode == "bicubic" else interpolation.linear_matrix
            y = interpolation.multiply_axis(y, axis, matrix(n, at))
    return y
