"""The operators that torchvision compiles for PyTorch, by msjax's own (`torch.ops.torchvision`)."""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.op import op
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


def _weights(start: Array, size: Array, count: Array, bins: int, n: int, most: int) -> Array:
    """The weights (bins, n) of the means of `count` interpolated places in each bin."""
    width, k = size / bins, jnp.arange(most, dtype=start.dtype)
    at = start + jnp.arange(bins, dtype=start.dtype)[:, None] * width + (k + 0.5) * width / count
    there = (k < count) & (at >= -1) & (at <= n)
    near = 1 - jnp.abs(jnp.clip(at, 0, n - 1)[..., None] - jnp.arange(n, dtype=start.dtype))
    return jnp.where(there[..., None], jnp.maximum(near, 0), 0).sum(1) / count


@op(static="bins most")
def _pool_regions(
    features: Array, image: Array, start: Array, size: Array, count: Array, bins: tuple, most: tuple
) -> Array:
    wide = features.astype(jnp.promote_types(features.dtype, jnp.float32))

    def pool(region: tuple) -> Array:
        image, start, size, count = region
        height, width = (
            _weights(start[i], size[i], count[i], bins[i], features.shape[2 + i], most[i]) for i in (0, 1)
        )
        return jnp.einsum("ph,chw,qw->cpq", height, wide[image], width, precision="highest")

    return lax.map(pool, (image, start, size, count), batch_size=64).astype(features.dtype)


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
    regions = np.asarray(rois.detach().asnumpy(), np.float32)
    ends = regions[:, 1:] * np.float32(spatial_scale) - np.float32(0.5 if aligned else 0)
    start, size = ends[:, 1::-1], ends[:, 3:1:-1] - ends[:, 1::-1]
    size = size if aligned else np.maximum(size, 1)
    bins = (pooled_height, pooled_width)
    count = (
        np.ceil(size / np.asarray(bins, np.float32))
        if sampling_ratio <= 0
        else np.full_like(size, sampling_ratio)
    )
    count = np.maximum(count, 1)
    most = tuple(int(n) for n in count.max(0, initial=1))
    given = [
        basic.tensor(np.ascontiguousarray(each))
        for each in (regions[:, 0].astype(np.int32), start, size, count)
    ]
    return as_torch(_pool_regions(input, *given, bins=bins, most=most))
