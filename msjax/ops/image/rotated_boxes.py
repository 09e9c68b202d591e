"""Intersection over union of rotated boxes."""

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks


def _corners(box: Array, ends: bool) -> tuple[Array, Array]:
    """Return the corners (..., 4, 2) of boxes, counter-clockwise, and their areas; angles are in degrees."""
    at, size, angle = box[..., :2], box[..., 2:4], jnp.deg2rad(box[..., 4])
    if ends:
        at, size = (at + size) / 2, size - at
    side = jnp.asarray([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], box.dtype)
    x, y = jnp.moveaxis(side * jnp.abs(size)[..., None, :], -1, 0)
    c, s = jnp.cos(angle)[..., None], jnp.sin(angle)[..., None]
    return at[..., None, :] + jnp.stack([x * c - y * s, x * s + y * c], -1), jnp.abs(jnp.prod(size, -1))


def _cross(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _within(points: Array, corners: Array, threshold: float) -> Array:
    """Return True for points (..., p, 2) inside the boxes with these corners (..., 4, 2), up to rounding."""
    side = jnp.stack([corners[..., 1, :] - corners[..., 0, :], corners[..., 3, :] - corners[..., 0, :]], -2)
    along = jnp.sum((points - corners[..., :1, :])[..., None, :] * side[..., None, :, :], -1)
    whole = jnp.sum(side * side, -1)[..., None, :]
    slack = 8 * jnp.finfo(points.dtype).eps * whole.sum(-1, keepdims=True)
    return jnp.all((along >= threshold - slack) & (along + threshold <= whole + slack), -1)


def _crossings(a: Array, b: Array, threshold: float) -> tuple[Array, Array]:
    """Return the intersection points of the sides of two boxes, (..., 16, 2), and a mask of those that exist."""
    p, q = a[..., :, None, :], b[..., None, :, :]
    p_end, q_end = jnp.roll(a, -1, -2)[..., :, None, :], jnp.roll(b, -1, -2)[..., None, :, :]
    turn = _cross(p_end - p, q_end - q)
    safe = jnp.where(turn == 0, 1, turn)
    t, u = _cross(q - p, q_end - q) / safe, _cross(q - p, p_end - p) / safe
    slack = 8 * jnp.finfo(a.dtype).eps
    meets = (t >= -slack) & (t <= 1 + slack) & (u >= -slack) & (u <= 1 + slack)
    apart = _cross(q - p, q_end - p) * _cross(q - p_end, q_end - p_end) < threshold
    apart &= _cross(p - q, p_end - q) * _cross(p - q_end, p_end - q_end) < threshold
    points = p + t[..., None] * (p_end - p)
    there = (turn != 0) & (meets | apart)
    return points.reshape(*points.shape[:-3], 16, 2), there.reshape(*there.shape[:-2], 16)


def _intersection_area(a: Array, b: Array, v_threshold: float, e_threshold: float) -> Array:
    """Return the area of the intersection of two boxes: the polygon of its corners, by angle around their middle."""
    crossing, crosses = _crossings(a, b, e_threshold)
    points = jnp.concatenate([a, b, crossing], -2)
    there = jnp.concatenate([_within(a, b, v_threshold), _within(b, a, v_threshold), crosses], -1)
    number = there.sum(-1)
    middle = (
        jnp.where(there[..., None], points, 0).sum(-2)
        / jnp.maximum(number, 1).astype(points.dtype)[..., None]
    )
    around = points - middle[..., None, :]
    angle = jnp.where(there, jnp.arctan2(around[..., 1], around[..., 0]), jnp.inf)
    order = jnp.argsort(angle, -1)
    around = jnp.take_along_axis(around, order[..., None], -2)
    # What is no corner of the polygon repeats its first one, which adds no area.
    around = jnp.where(jnp.take_along_axis(there, order, -1)[..., None], around, around[..., :1, :])
    area = _cross(around, jnp.roll(around, -1, -2)).sum(-1) / 2
    return jnp.where(number > 2, jnp.abs(area), 0)


@op(static="trans mode is_cross v_threshold e_threshold")
def rotated_iou(
    boxes: Array,
    query_boxes: Array,
    trans: bool = False,
    mode: int = 0,
    is_cross: bool = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Array:
    """Compute the intersection over union (IoU) of rotated boxes, or the intersection over the first box's area (IoF).

    Args:
        boxes (Tensor): of shape (B, N, 5), float16, float32 or bfloat16: (x, y, width, height, angle), the place of
            the middle and an angle in degrees, counter-clockwise where y points up.
        query_boxes (Tensor): of shape (B, K, 5), floating.
        trans (bool): boxes are (x0, y0, x1, y1, angle) instead.
        mode (int): 0, by the area of both, or 1, by the area of the first.
        is_cross (bool): compare each with each; otherwise one with one, and N and K must be equal.
        v_threshold (float): a corner of one box is one of the shared area if its distance from each side of the other
            box, times the length of the side that it is measured along, is at least this.
        e_threshold (float): sides cross if, for both, the product of twice the signed areas that the ends of one make
            with the other is less than this; it is negative where they do.

    Returns:
        Tensor of shape (B, N, K), or (B, N) if `is_cross` is False, and the dtype of `boxes`.

    Raises:
        TypeError: for settings of another type.
        ValueError: for other dtypes, and shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> a, b = ms.Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]]), ms.Tensor([[[1.0, 0.0, 2.0, 2.0, 90.0]]])
        >>> print(ms.ops.rotated_iou(a, b))
        [[[0.33333334]]]
    """
    name = "rotated_iou"
    checks.check_bools(name, trans=trans, is_cross=is_cross)
    checks.check_numbers(name, v_threshold=v_threshold, e_threshold=e_threshold)
    checks.check_choice(name, (0, 1), mode=mode)
    for argument, x in (("boxes", boxes), ("query_boxes", query_boxes)):
        if not jnp.issubdtype(x.dtype, jnp.floating):
            checks.fail(ValueError, name, argument, "be floating", x.dtype)
        if x.ndim != 3 or x.shape[2] != 5 or len(x) != len(boxes):
            rule = f"have shape ({len(boxes)}, N, 5)"
            checks.fail(ValueError, name, argument, rule, f"array of shape {x.shape}")
    if not is_cross and boxes.shape != query_boxes.shape:
        rule = f"have shape {boxes.shape} with is_cross=False"
        checks.fail(ValueError, name, "query_boxes", rule, f"array of shape {query_boxes.shape}")
    wide = checks.compute_dtype(boxes.dtype)
    a, b = boxes.astype(wide), query_boxes.astype(wide)
    a, b = jnp.broadcast_arrays(a[:, :, None], b[:, None]) if is_cross else (a, b)
    (a, area_a), (b, area_b) = _corners(a, trans), _corners(b, trans)
    # Areas are of squared units: the middle of one box as origin keeps them exact for boxes far away.
    shared = _intersection_area(a - a[..., :1, :], b - a[..., :1, :], v_threshold, e_threshold)
    whole = area_a if mode else area_a + area_b - shared
    return jnp.where(whole > 0, shared / jnp.where(whole > 0, whole, 1), 0).astype(boxes.dtype)
