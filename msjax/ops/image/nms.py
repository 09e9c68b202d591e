"""Non-maximum suppression (NMS): among overlapping boxes, those with the highest scores are kept.

Boxes are visited in the order of their scores, in a loop of `lax`; each that is still there removes the later ones
that overlap it. Where the number of boxes left is the size of the result, values must be known: not under `ms.jit`.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.core import Tracer

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.common import checks


def _keep_mask(count: int, removes: Callable[[Array], Array], start: Array, most: Any = None) -> Array:
    """Return the mask of kept boxes, the best first: `removes(i)` is the mask of boxes that box i suppresses."""
    later = jnp.arange(count)

    def visit(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        kept, number = state
        here = kept[i] if most is None else kept[i] & (number < most)
        kept = kept.at[i].set(here)
        return kept & ~(here & removes(i) & (later > i)), number + here.astype(number.dtype)

    return lax.fori_loop(0, count, visit, (start, jnp.zeros((), jnp.int32)))[0]


def _overlap(boxes: Array, other: Array) -> Array:
    """Return the intersection over union of boxes (..., 4), given by two opposite corners."""

    def ends(box: Array) -> tuple[Array, Array]:
        return jnp.minimum(box[..., :2], box[..., 2:]), jnp.maximum(box[..., :2], box[..., 2:])

    (low, high), (other_low, other_high) = ends(boxes), ends(other)
    sides = jnp.maximum(jnp.minimum(high, other_high) - jnp.maximum(low, other_low), 0)
    shared = sides[..., 0] * sides[..., 1]
    area, other_area = jnp.prod(high - low, -1), jnp.prod(other_high - other_low, -1)
    both = area + other_area - shared
    return jnp.where((area > 0) & (other_area > 0), shared / jnp.where(both > 0, both, 1), 0)


@op(static="iou_threshold")
def nms_with_mask(bboxes: Array, iou_threshold: float = 0.5) -> tuple[Array, Array, Array]:
    """Boxes by falling scores, and which of them no better box overlaps too much.

    Args:
        bboxes (Tensor): of shape (N, 5), float16 or float32: (x0, y0, x1, y1, score).
        iou_threshold (float): a box removes those whose intersection over union with it is larger.

    Returns:
        Tuple of the boxes, the best first; their places there, 0 to N - 1 (int32); and whether they are left (bool).

    Raises:
        TypeError: for other dtypes, or a threshold that is not a float.
        ValueError: for other shapes.

    Examples:
        >>> import msjax as ms
        >>> boxes = ms.Tensor([[0.0, 0.0, 4.0, 4.0, 0.5], [0.0, 0.0, 4.0, 3.0, 0.9], [5.0, 5.0, 6.0, 6.0, 0.1]])
        >>> print(*ms.ops.NMSWithMask(0.5)(boxes)[1:])
        [0 1 2] [ True False  True]
    """
    name = "NMSWithMask"
    if type(iou_threshold) is not float:
        checks.fail(TypeError, name, "iou_threshold", "be a float", repr(iou_threshold))
    if bboxes.ndim != 2 or bboxes.shape[1] != 5 or not len(bboxes):
        checks.fail(ValueError, name, "bboxes", "have shape (N, 5)", f"array of shape {bboxes.shape}")
    checks.check_floating(name, bboxes=bboxes)
    best = bboxes[jnp.argsort(-bboxes[:, 4], stable=True)]
    wide = lax.stop_gradient(best[:, :4].astype(checks.compute_dtype(best.dtype)))
    left = _keep_mask(len(best), lambda i: _overlap(wide[i], wide) > iou_threshold, jnp.ones(len(best), bool))
    return best, jnp.arange(len(best), dtype=jnp.int32), left


# ------------------------------------------------------------------------------------------------ places alone


@op
def _best_places(
    removes: ArrayLike, scores: ArrayLike, most: ArrayLike, score_threshold: ArrayLike
) -> tuple[Array, Array]:
    """Return the order of scores, and which boxes in that order are left, `removes[i, j]` saying whether i removes j."""
    order = jnp.argsort(-scores, stable=True)
    start = scores[order] > score_threshold.astype(scores.dtype)
    rows = removes[order][:, order]
    return order, _keep_mask(len(scores), lambda i: rows[i], start, most)


def _pick_remaining(name: str, removes: Any, scores: Any, most: Any, score_threshold: Any) -> Any:
    order, kept = (
        np.asarray(concrete(x, name)) for x in _best_places(removes, scores, most, score_threshold)
    )
    return Tensor.from_array(jnp.asarray(order[kept].astype(np.int32)))


def _limits(name: str, **arrays: Any) -> None:
    for argument, x in arrays.items():
        if getattr(x, "ndim", 0) != 0:
            checks.fail(ValueError, name, argument, "have no dimensions", f"array of shape {x.shape}")


@op
def _above(overlaps: ArrayLike, threshold: ArrayLike) -> Array:
    return threshold.astype(overlaps.dtype) < overlaps.T


@op
def _overlaps_above(boxes: ArrayLike, threshold: ArrayLike) -> Array:
    wide = boxes.astype(checks.compute_dtype(boxes.dtype))
    return _overlap(wide[:, None], wide[None]) > threshold.astype(wide.dtype)


def non_max_suppression_with_overlaps(
    overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any, score_threshold: Any
) -> Any:
    """Return the indices of the boxes that overlap no better one too much, by given overlaps.

    Args:
        overlaps (Tensor): of shape (N, N): how much the box of a row overlaps that of a column.
        scores (Tensor): of shape (N,).
        max_output_size (Tensor): how many boxes to give at most; int32 without dimensions.
        overlap_threshold (Tensor): a box removes those that overlap it more.
        score_threshold (Tensor): boxes must have a higher score.

    Returns:
        Tensor of shape (M,), int32, the best first.

    Raises:
        TypeError: for arguments that are not Tensors.
        ValueError: for shapes that do not fit, or a negative `max_output_size`.

    Examples:
        >>> import msjax as ms
        >>> limits = ms.Tensor(3, ms.int32), ms.Tensor(0.5), ms.Tensor(0.0)
        >>> overlaps, scores = ms.Tensor([[1.0, 0.6], [0.6, 1.0]]), ms.Tensor([0.5, 0.9])
        >>> print(ms.ops.NonMaxSuppressionWithOverlaps()(overlaps, scores, *limits))
        [1]
    """
    name = "NonMaxSuppressionWithOverlaps"
    if not isinstance(max_output_size, Tensor):
        checks.fail(TypeError, name, "max_output_size", "be a Tensor", repr(max_output_size))
    if overlaps.ndim != 2 or scores.shape * 2 != overlaps.shape:
        rule = "have shape (N, N) with scores of shape (N,)"
        checks.fail(ValueError, name, "overlaps", rule, f"{overlaps.shape}, scores of shape {scores.shape}")
    limits = {"overlap_threshold": overlap_threshold, "score_threshold": score_threshold}
    _limits(name, max_output_size=max_output_size, **limits)
    most = int(np.asarray(concrete(max_output_size, name)))
    if most < 0:
        checks.fail(ValueError, name, "max_output_size", "be at least 0", most)
    return _pick_remaining(name, _above(overlaps, overlap_threshold), scores, most, score_threshold)


def non_max_suppression_v3(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any, score_threshold: Any
) -> Any:
    """Return the indices of the boxes that overlap no better one too much.

    Args:
        boxes (Tensor): of shape (N, 4), float16 or float32, each given by two opposite corners.
        scores (Tensor): of shape (N,) and the same dtype.
        max_output_size (Tensor, int): how many boxes to give at most; negative numbers mean 0.
        iou_threshold (Tensor, float): a box removes those whose intersection over union with it is larger.
        score_threshold (Tensor, float): boxes must have a higher score.

    Returns:
        Tensor of shape (M,), int32, the best first.

    Raises:
        TypeError: for other dtypes.
        ValueError: for shapes that do not fit, or an `iou_threshold` outside [0, 1].

    Examples:
        >>> import msjax as ms
        >>> boxes = ms.Tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 4.0, 3.0], [5.0, 5.0, 6.0, 6.0]])
        >>> print(ms.ops.NonMaxSuppressionV3()(boxes, ms.Tensor([0.5, 0.9, 0.1]), 3, 0.5, 0.0))
        [1 2]
    """
    name = "NonMaxSuppressionV3"
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        rule = "have shape (N, 4) with scores of shape (N,)"
        checks.fail(ValueError, name, "boxes", rule, f"{boxes.shape}, scores of shape {scores.shape}")
    if not boxes.dtype.is_floating_point or scores.dtype != boxes.dtype:
        checks.fail(TypeError, name, "boxes", "be floating, as the scores", f"{boxes.dtype}, {scores.dtype}")
    _limits(
        name, max_output_size=max_output_size, iou_threshold=iou_threshold, score_threshold=score_threshold
    )
    checks.check_between(name, 0, 1, iou_threshold=float(iou_threshold))
    return _pick_remaining(
        name, _overlaps_above(boxes, iou_threshold), scores, max_output_size, score_threshold
    )


# ------------------------------------------------------------------------------------------------ of many classes


def _best_of_class(
    boxes: Array, scores: Array, each: int, overlap: Array, lowest: Array
) -> tuple[Array, Array]:
    """Return the `each` best boxes of one class and their scores, -inf where there are fewer."""
    order = jnp.argsort(-scores, stable=True)
    boxes, scores = boxes[order], scores[order]
    kept = _keep_mask(len(scores), lambda i: _overlap(boxes[i], boxes) > overlap, scores > lowest, each)
    value, place = lax.top_k(jnp.where(kept, scores, -jnp.inf), min(each, len(scores)))
    return boxes[place], value


def _of_all(found: tuple[Array, Array], total: int) -> tuple[Array, ...]:
    """Select the best `total` of the best boxes (C, each, 4) of every class, by their scores, and count them."""
    kinds, each = found[1].shape
    box, score = found[0].reshape(-1, 4), found[1].reshape(-1)
    kind = jnp.repeat(jnp.arange(kinds), each).astype(score.dtype)
    order = jnp.argsort(-score, stable=True)[:total]
    there = score[order] > -jnp.inf
    more = [0, total - len(order)]
    made = [jnp.pad(jnp.where(there, x[order], 0), more) for x in (*box.T, score, kind)]
    return jnp.stack(made[:4], -1), made[4], made[5], there.sum(dtype=jnp.int32)


@op(static="each total clip_boxes")
def _combine_classes(
    boxes: ArrayLike,
    scores: ArrayLike,
    each: int,
    total: int,
    overlap: ArrayLike,
    lowest: ArrayLike,
    clip_boxes: BoolLike,
) -> tuple[Array, ...]:
    checks.check_floating("CombinedNonMaxSuppression", boxes=boxes, scores=scores)
    boxes = jnp.broadcast_to(boxes, (*boxes.shape[:2], scores.shape[2], 4))

    def best(boxes: Array, scores: Array) -> tuple[Array, ...]:
        found = jax.vmap(lambda b, s: _best_of_class(b, s, each, overlap, lowest), 1)(boxes, scores)
        return _of_all(found, total)

    box, score, kind, number = jax.vmap(best)(boxes, scores)
    return jnp.clip(box, 0, 1) if clip_boxes else box, score, kind, number


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> tuple[Any, ...]:
    """Return the best boxes of every class, together by falling scores; as TensorFlow's CombinedNonMaxSuppression.

    Args:
        boxes (Tensor): of shape (B, N, q, 4), float32: two opposite corners; q is 1, or the number of classes.
        scores (Tensor): of shape (B, N, C), float32.
        max_output_size_per_class (Tensor): how many boxes a class keeps at most; a constant under `ms.jit`.
        max_total_size (Tensor): how many boxes there are in all, padded with zeros; a constant under `ms.jit`.
        iou_threshold (Tensor): a box removes those of its class whose intersection over union with it is larger.
        score_threshold (Tensor): boxes must have a higher score.
        pad_per_class (bool): give at most as many as all classes may keep.
        clip_boxes (bool): bring coordinates into [0, 1].

    Returns:
        Tuple of boxes (B, D, 4), scores (B, D), classes (B, D), float32, and how many of the D there are (B,), int32.

    Raises:
        TypeError: for settings that are no bools, or arrays that are not floating.
        ValueError: for shapes and numbers that do not fit.

    Examples:
        >>> import msjax as ms
        >>> boxes, scores = ms.ops.ones((1, 2, 1, 4)), ms.Tensor([[[0.5, 0.1], [0.9, 0.2]]])
        >>> limits = ms.Tensor(1, ms.int32), ms.Tensor(3, ms.int32), ms.Tensor(0.5), ms.Tensor(0.15)
        >>> _, best, _, number = ms.ops.CombinedNonMaxSuppression()(boxes, scores, *limits)
        >>> print(best, number)
        [[0.9 0.2 0. ]] [2]
    """
    name = "CombinedNonMaxSuppression"
    checks.check_bools(name, pad_per_class=pad_per_class, clip_boxes=clip_boxes)
    _checked_classes(name, boxes, scores)
    given = max_output_size_per_class, max_total_size
    each, total = (int(np.asarray(concrete(x, name))) if isinstance(x, Tensor) else x for x in given)
    for argument, value in (("max_output_size_per_class", each), ("max_total_size", total)):
        if value <= 0:
            checks.fail(ValueError, name, argument, "be positive", value)
    limit = getattr(iou_threshold, "array", iou_threshold)
    if not isinstance(limit, Tracer):
        checks.check_between(name, 0, 1, iou_threshold=float(limit))
    total = min(total, each * scores.shape[2]) if pad_per_class else total
    return _combine_classes(boxes, scores, each, total, iou_threshold, score_threshold, clip_boxes)


def _checked_classes(name: str, boxes: Any, scores: Any) -> None:
    if boxes.ndim != 4 or boxes.shape[3] != 4:
        checks.fail(ValueError, name, "boxes", "have shape (B, N, q, 4)", f"array of shape {boxes.shape}")
    if scores.ndim != 3 or scores.shape[:2] != boxes.shape[:2] or boxes.shape[2] not in (1, scores.shape[2]):
        rule = f"have shape (B, N, C) with boxes of shape {boxes.shape}"
        checks.fail(ValueError, name, "scores", rule, f"array of shape {scores.shape}")
