"""Bounding boxes (x0, y0, x1, y1): IoU, encoding and decoding relative to anchors, validity within an image."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks


def _boxes(name: str, **arrays: Array) -> None:
    """Floating arrays of shape (N, 4)."""
    checks.check_rank(name, 2, **arrays)
    for argument, x in arrays.items():
        if x.shape[1] != 4:
            checks.fail(ValueError, name, argument, "have shape (N, 4)", f"array of shape {x.shape}")
    checks.check_floating(name, **arrays)
    checks.check_same_dtype(name, **arrays)


@op(static="mode")
def iou(anchor_boxes: Array, gt_boxes: Array, mode: str = "iou") -> Array:
    """Compute the intersection over union (IoU) of pairs of boxes, or the intersection over the true box's area (IoF).

    A box contains its last row and column, so its width is x1 - x0 + 1. As in MindSpore, no gradient is passed on.

    Args:
        anchor_boxes (Tensor): of shape (N, 4), floating.
        gt_boxes (Tensor): the true boxes, of shape (M, 4) and the same dtype.
        mode (str): "iou", by the area of both, or "iof", by the area of the true box.

    Returns:
        Tensor of shape (M, N) and the dtype of the boxes.

    Raises:
        KeyError: for another mode.
        TypeError: for boxes that are not floating, or of two dtypes.
        ValueError: for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.iou(ms.Tensor([[0.0, 0.0, 1.0, 1.0]]), ms.Tensor([[0.0, 1.0, 1.0, 2.0]])))
        [[0.33333334]]
    """
    if mode not in ("iou", "iof"):
        raise KeyError(f"`iou`: argument `mode` must be 'iou' or 'iof'. Received: mode={mode!r}.")
    _boxes("iou", anchor_boxes=anchor_boxes, gt_boxes=gt_boxes)
    wide = checks.compute_dtype(anchor_boxes.dtype)
    a, b = (lax.stop_gradient(x).astype(wide) for x in (anchor_boxes[None], gt_boxes[:, None]))
    low, high = jnp.maximum(a[..., :2], b[..., :2]), jnp.minimum(a[..., 2:], b[..., 2:])
    shared = jnp.prod(jnp.maximum(high - low + 1, 0), -1)
    area_a, area_b = (jnp.prod(x[..., 2:] - x[..., :2] + 1, -1) for x in (a, b))
    return (shared / (area_b if mode == "iof" else area_a + area_b - shared)).astype(anchor_boxes.dtype)


# ------------------------------------------------------------------------------------------------ coding


def _four(name: str, x: Array, **values: Any) -> list[Array]:
    """Settings of four floats each as arrays."""
    for argument, value in values.items():
        if not isinstance(value, tuple) or not all(type(v) is float for v in value):
            checks.fail(TypeError, name, argument, "be a tuple of floats", repr(value))
        if len(value) != 4:
            checks.fail(ValueError, name, argument, "have four numbers", value)
    return [jnp.asarray(value, x.dtype) for value in values.values()]


def _centre_and_size(box: Array) -> tuple[Array, Array]:
    return (box[:, :2] + box[:, 2:]) * 0.5, box[:, 2:] - box[:, :2] + 1


@op(static="means stds")
def bounding_box_encode(
    anchor_box: Array,
    groundtruth_box: Array,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
) -> Array:
    """Encode boxes relative to anchors: scaled centre offsets and logarithms of the relative sizes.

    Args:
        anchor_box (Tensor): of shape (N, 4), float16 or float32.
        groundtruth_box (Tensor): the true boxes, of the same shape.
        means (tuple[float]): four, subtracted from the code.
        stds (tuple[float]): four, that it is divided by afterwards.

    Returns:
        Tensor of shape (N, 4) and the dtype of the anchors: (dx, dy, dw, dh).

    Raises:
        TypeError: for boxes that are not floating, or settings that are no tuples of floats.
        ValueError: for shapes that do not fit, or settings that are not four numbers.

    References:
        Girshick et al.: Rich feature hierarchies for accurate object detection, 2014, appendix C.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bounding_box_encode(ms.Tensor([[0.0, 0.0, 3.0, 3.0]]), ms.Tensor([[1.0, 0.0, 4.0, 3.0]])))
        [[0.25 0.   0.   0.  ]]
    """
    name = "bounding_box_encode"
    _boxes(name, anchor_box=anchor_box, groundtruth_box=groundtruth_box)
    checks.check_same_shape(name, anchor_box=anchor_box, groundtruth_box=groundtruth_box)
    wide = anchor_box.astype(checks.compute_dtype(anchor_box.dtype))
    mean, std = _four(name, wide, means=means, stds=stds)
    (at, size), (true_at, true_size) = (
        _centre_and_size(x.astype(wide.dtype)) for x in (wide, groundtruth_box)
    )
    code = jnp.concatenate([(true_at - at) / size, jnp.log(true_size / size)], 1)
    return ((code - mean) / std).astype(anchor_box.dtype)


@op(static="max_shape means stds wh_ratio_clip")
def bounding_box_decode(
    anchor_box: Array,
    deltas: Array,
    max_shape: Any,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Array:
    """Return the boxes of a code (see :func:`bounding_box_encode`), within an image.

    Args:
        anchor_box (Tensor): of shape (N, 4), float16 or float32.
        deltas (Tensor): the code, of the same shape.
        max_shape (tuple[int]): height and width of the image.
        means (tuple[float]): four, added to the code.
        stds (tuple[float]): four, that it is multiplied by before.
        wh_ratio_clip (float): boxes are at most 1 / this as large as their anchors, and at least this.

    Returns:
        Tensor of shape (N, 4) and the dtype of the anchors.

    Raises:
        TypeError: for boxes that are not floating, or settings of another type.
        ValueError: for shapes that do not fit, or settings of another length.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bounding_box_decode(ms.Tensor([[0.0, 0.0, 3.0, 3.0]]), ms.Tensor([[0.25, 0.0, 0.0, 0.0]]), (9, 9)))
        [[1. 0. 4. 3.]]
    """
    name = "bounding_box_decode"
    _boxes(name, anchor_box=anchor_box, deltas=deltas)
    checks.check_same_shape(name, anchor_box=anchor_box, deltas=deltas)
    if not isinstance(max_shape, tuple):
        checks.fail(TypeError, name, "max_shape", "be a tuple of two ints", repr(max_shape))
    if type(wh_ratio_clip) is not float:
        checks.fail(TypeError, name, "wh_ratio_clip", "be a float", repr(wh_ratio_clip))
    if len(max_shape) != 2:
        checks.fail(ValueError, name, "max_shape", "be two ints", max_shape)
    height, width = checks.as_int_tuple(name, 2, max_shape=max_shape)
    wide = anchor_box.astype(checks.compute_dtype(anchor_box.dtype))
    mean, std = _four(name, wide, means=means, stds=stds)
    code, most = deltas.astype(wide.dtype) * std + mean, abs(math.log(wh_ratio_clip))
    at, size = _centre_and_size(wide)
    at, half = at + size * code[:, :2], size * jnp.exp(jnp.clip(code[:, 2:], -most, most)) * 0.5 - 0.5
    limit = jnp.asarray([width, height] * 2, wide.dtype)
    return jnp.clip(jnp.concatenate([at - half, at + half], 1), 0, limit).astype(anchor_box.dtype)


@op
def check_valid(bboxes: Array, img_metas: Array) -> Array:
    """Return True for each box that lies inside the image.

    Args:
        bboxes (Tensor): of shape (N, 4), float16, float32, int16 or uint8.
        img_metas (Tensor): (height, width, ratio) of the image, of the same dtype: the last row and column are
            height * ratio - 1 and width * ratio - 1.

    Returns:
        Tensor of shape (N,), bool.

    Raises:
        TypeError: for other dtypes.
        ValueError: for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> boxes = ms.Tensor([[0.0, 0.0, 3.0, 3.0], [0.0, 0.0, 4.0, 3.0]])
        >>> print(ms.ops.check_valid(boxes, ms.Tensor([4.0, 4.0, 1.0])))
        [ True False]
    """
    name = "check_valid"
    if bboxes.dtype not in (jnp.float16, jnp.float32, jnp.float64, jnp.bfloat16, jnp.int16, jnp.uint8):
        checks.fail(TypeError, name, "bboxes", "be float16, float32, int16 or uint8", bboxes.dtype)
    checks.check_same_dtype(name, bboxes=bboxes, img_metas=img_metas)
    if bboxes.ndim != 2 or bboxes.shape[1] != 4 or img_metas.shape != (3,):
        rule = "have shape (N, 4) with img_metas of three numbers"
        checks.fail(ValueError, name, "bboxes", rule, f"{bboxes.shape}, img_metas of shape {img_metas.shape}")
    box, (height, width, ratio) = bboxes.astype(jnp.float32), img_metas.astype(jnp.float32)
    last = jnp.stack([width, height]) * ratio - 1
    return jnp.all((box[:, :2] >= 0) & (box[:, 2:] <= last), 1)
