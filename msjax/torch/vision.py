"""The operators that torchvision compiles for PyTorch, by msjax's own (`torch.ops.torchvision`)."""

from typing import Any

import numpy as np

from msjax import ops
from msjax.torch.functions import basic
from msjax.torch.tensors.tensor import Tensor, as_torch


def _cuda_version() -> int:
    return -1


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return the places of the boxes that no better box overlaps too much, the best first.

    Args:
        dets: boxes (x0, y0, x1, y1), of shape (N, 4).
        scores: theirs, of shape (N,).
        iou_threshold: a box removes those whose intersection over union with it is larger.

    Raises:
        RuntimeError: for other shapes.
    """
    boxes, values = (np.asarray(each.detach().asnumpy(), np.float32) for each in (dets, scores))
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {list(boxes.shape)}")
    if values.shape != (len(boxes),):
        raise RuntimeError(
            f"boxes and scores should have same number of elements in dimension 0, got {len(boxes)} and {values.shape}"
        )
    order = np.argsort(-values, kind="stable")
    x0, y0, x1, y1 = boxes[order].T
    areas = (x1 - x0) * (y1 - y0)
    left, kept = np.ones(len(order), bool), []
    for i in range(len(order)):
        if not left[i]:
            continue
        kept.append(order[i])
        wide = np.minimum(x1[i], x1[i + 1 :]) - np.maximum(x0[i], x0[i + 1 :])
        high = np.minimum(y1[i], y1[i + 1 :]) - np.maximum(y0[i], y0[i + 1 :])
        shared = np.maximum(wide, 0) * np.maximum(high, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            left[i + 1 :] &= ~(shared / (areas[i] + areas[i + 1 :] - shared) > iou_threshold)
    return basic.tensor(np.asarray(kept, np.int64))


def roi_align(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int,
    aligned: bool,
) -> Tensor:  # fmt: skip
    """Regions of images, each pooled to one size: means of interpolated elements.

    Args:
        input: images, of shape (N, C, H, W).
        rois: (image, x0, y0, x1, y1), of shape (M, 5).
        spatial_scale: what coordinates are multiplied by.
        pooled_height: the new height.
        pooled_width: the new width.
        sampling_ratio: how many elements are interpolated in each direction of a bin; not positive: as many as are there.
        aligned: whether elements are at their centres, and regions may be smaller than one element.

    Returns:
        A tensor of shape (M, C, pooled_height, pooled_width); no gradient reaches the regions.
    """
    scaled = rois.clone()
    scaled[:, 1:] = rois[:, 1:] * spatial_scale
    if aligned:  # the operator below ends a region one further on in this mode, and does not widen it
        scaled[:, 1:] = scaled[:, 1:] - basic.tensor([0.5, 0.5, 1.5, 1.5], dtype=rois.dtype)
    ratio = max(int(sampling_ratio), 0)
    return as_torch(
        ops.ROIAlign(pooled_height, pooled_width, 1.0, ratio, int(aligned))(input, scaled)
    )
