"""Region of interest operators: crop_and_resize, roi_align and ps_roi_pooling."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks

_METHODS = ("bilinear", "nearest", "bilinear_v2")
_AT_ONCE = 16


# ------------------------------------------------------------------------------------------------ crops


def _crop_places(low: Array, high: Array, n: int, m: int) -> tuple[Array, Array]:
    """Return the m sample positions between two places of n elements, and a mask of those inside the image."""
    if m > 1:
        at = low * (n - 1) + jnp.arange(m, dtype=low.dtype) * (high - low) * ((n - 1) / (m - 1))
    else:
        at = 0.5 * (low + high) * (n - 1)
    return at, (at >= 0) & (at <= n - 1)


def _cell_places(low: Array, high: Array, n: int, m: int) -> tuple[Array, Array]:
    """Return the same with whole elements as ends and the middle of cells as places."""
    first, last = jnp.trunc(low * n), jnp.trunc(high * n)
    size = jnp.maximum(last - first + 1, 1)
    at = (jnp.arange(m, dtype=low.dtype) + 0.5) * (size / m) - 0.5
    return jnp.clip(first + jnp.clip(at, 0, size - 1), 0, n - 1), jnp.ones((len(low), m), bool)


def _between(image: Array, index: Array, y: Array, x: Array) -> Array:
    """Linear interpolation at places inside, (boxes, H', W', C)."""

    def rows(at: Array) -> Array:
        def columns(across: Array) -> Array:
            return image[index[:, None, None], at.astype(int)[:, :, None], across.astype(int)[:, None, :]]

        left, right = columns(jnp.floor(x)), columns(jnp.ceil(x))
        return left + (right - left) * (x - jnp.floor(x))[:, None, :, None]

    top, bottom = rows(jnp.floor(y)), rows(jnp.ceil(y))
    return top + (bottom - top) * (y - jnp.floor(y))[:, :, None, None]


@op(static="crop_size method extrapolation_value")
def crop_and_resize(
    image: Array,
    boxes: Array,
    box_indices: Array,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Array:
    """Parts of images, each brought to one size; as TensorFlow's CropAndResize.

    Args:
        image (Tensor): of shape (N, H, W, C), real.
        boxes (Tensor): of shape (M, 4), float32: (y0, x0, y1, x1), 0 the first row or column and 1 the last.
        box_indices (Tensor): of shape (M,), int32: the image of each box.
        crop_size (tuple[int]): the new (H, W).
        method (str): "bilinear"; "nearest"; "bilinear_v2", boxes of whole elements, of which the middle of cells count.
        extrapolation_value (float): what lies outside the image, but for "bilinear_v2", where the outer elements go on.

    Returns:
        Tensor of shape (M, *crop_size, C), float32.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for shapes and sizes that do not fit, or another method.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
        >>> print(ms.ops.crop_and_resize(x, ms.Tensor([[0.0, 0.0, 1.0, 0.5]]), ms.Tensor([0], ms.int32), (1, 2)).reshape(2))
        [2.  2.5]
    """
    crop = _checked_crop(image, boxes, box_indices, crop_size, method, extrapolation_value)
    image = image.astype(jnp.float32)
    places = _cell_places if method == "bilinear_v2" else _crop_places
    (y, y_in), (x, x_in) = (
        places(boxes[:, k, None], boxes[:, k + 2, None], image.shape[1 + k], crop[k]) for k in range(2)
    )
    if method == "nearest":
        y, x = lax.stop_gradient(jnp.floor(y + 0.5)), lax.stop_gradient(jnp.floor(x + 0.5))
    inside = (y_in[:, :, None] & x_in[:, None, :])[..., None]
    # Places outside are moved to the first element: what is computed there must be finite, and is not used.
    found = _between(image, box_indices, jnp.where(y_in, y, 0), jnp.where(x_in, x, 0))
    return jnp.where(inside, found, jnp.asarray(extrapolation_value, found.dtype))


def _checked_crop(
    image: Array, boxes: Array, index: Array, crop_size: Any, method: Any, outside: Any
) -> tuple[int, ...]:
    name = "crop_and_resize"
    checks.check_rank(name, 4, image=image)
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        checks.fail(ValueError, name, "boxes", "have shape (M, 4)", f"array of shape {boxes.shape}")
    if boxes.dtype != jnp.float32:
        checks.fail(TypeError, name, "boxes", "be float32", boxes.dtype)
    checks.check_integer(name, box_indices=index)
    if index.shape != boxes.shape[:1]:
        rule = f"have shape ({len(boxes)},), one number for each box"
        checks.fail(ValueError, name, "box_indices", rule, f"array of shape {index.shape}")
    checks.check_choice(name, _METHODS, method=method)
    if type(outside) is not float:
        checks.fail(TypeError, name, "extrapolation_value", "be a float", repr(outside))
    if not isinstance(crop_size, tuple):
        checks.fail(TypeError, name, "crop_size", "be a tuple of two ints", repr(crop_size))
    if len(crop_size) != 2:
        checks.fail(ValueError, name, "crop_size", "be two ints", crop_size)
    return checks.as_int_tuple(name, 2, crop_size=crop_size)


# ------------------------------------------------------------------------------------------------ regions


def _hat(at: Array, n: int) -> Array:
    """Return the weights (..., n) of linear interpolation at places of which the outer element goes on for one element."""
    inside = (at >= -1) & (at <= n)
    at = jnp.clip(at, 0, n - 1)
    weights = jnp.maximum(1 - jnp.abs(at[..., None] - jnp.arange(n, dtype=at.dtype)), 0)
    return jnp.where(inside[..., None], weights, 0)


def _region_weights(start: Array, size: Array, bins: int, n: int, samples: int) -> Array:
    """Return the weights (bins, n) of the means of `samples` places in each bin; 0: of one for each whole element."""
    width = size / bins
    first = start + jnp.arange(bins, dtype=start.dtype) * width
    if samples > 0:
        at = first[:, None] + (jnp.arange(samples, dtype=start.dtype) + 0.5) * width / samples
        return _hat(at, n).mean(1)
    count = jnp.maximum(jnp.floor(width), 1)

    def add(k: Array, total: Array) -> Array:
        return total + _hat(first + (k.astype(start.dtype) + 0.5) * width / count, n)

    return lax.fori_loop(0, count.astype(jnp.int32), add, jnp.zeros((bins, n), start.dtype)) / count


@op(static="pooled_height pooled_width spatial_scale sample_num roi_end_mode")
def roi_align(
    features: Array,
    rois: Array,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sample_num: int = 2,
    roi_end_mode: int = 1,
) -> Array:
    """Regions of images, each pooled to one size: means of interpolated elements. No gradient reaches the regions.

    Args:
        features (Tensor): of shape (N, C, H, W), float16 or float32.
        rois (Tensor): of shape (M, 5): (image, x0, y0, x1, y1), of the same dtype.
        pooled_height (int): the new height.
        pooled_width (int): the new width.
        spatial_scale (float): what coordinates are multiplied by.
        sample_num (int): how many elements are interpolated in each direction of a bin; 0: one for each whole one.
        roi_end_mode (int): 1: x1 and y1 are the last elements, and the region ends one further on; 0: it ends there, and
            is at least one element large.

    Returns:
        Tensor of shape (M, C, pooled_height, pooled_width) and the dtype of the features.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for shapes that do not fit, or another `roi_end_mode`.

    References:
        He et al.: Mask R-CNN, 2017.

    Examples:
        >>> import msjax as ms
        >>> x, region = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]])
        >>> print(ms.ops.ROIAlign(1, 2, 0.5)(x, region).reshape(2))
        [2.25 2.75]
    """
    _checked_regions(features, rois, pooled_height, pooled_width, spatial_scale, sample_num, roi_end_mode)
    wide = features.astype(checks.compute_dtype(features.dtype))
    region = lax.stop_gradient(rois).astype(wide.dtype)
    start = region[:, 1:3] * spatial_scale
    size = (region[:, 3:] + roi_end_mode) * spatial_scale - start
    size = size if roi_end_mode else jnp.maximum(size, 1)
    height, width = features.shape[2:]

    def pooled(region: tuple[Array, Array, Array]) -> Array:
        image, (x, y), (w, h) = region
        down = _region_weights(y, h, pooled_height, height, sample_num)
        across = _region_weights(x, w, pooled_width, width, sample_num)
        return jnp.einsum("ph,chw,qw->cpq", down, wide[image], across, precision="highest")

    found = lax.map(pooled, (region[:, 0].astype(jnp.int32), start, size), batch_size=_AT_ONCE)
    return found.astype(features.dtype)


def _checked_regions(
    features: Array, rois: Array, height: Any, width: Any, scale: Any, samples: Any, mode: Any
) -> None:
    name = "ROIAlign"
    checks.check_ints(name, pooled_height=height, pooled_width=width, sample_num=samples, roi_end_mode=mode)
    if type(scale) is not float:
        checks.fail(TypeError, name, "spatial_scale", "be a float", repr(scale))
    checks.check_choice(name, (0, 1), roi_end_mode=mode)
    checks.check_rank(name, 4, features=features)
    checks.check_floating(name, features=features, rois=rois)
    checks.check_same_dtype(name, features=features, rois=rois)
    if rois.ndim != 2 or rois.shape[1] != 5:
        checks.fail(ValueError, name, "rois", "have shape (M, 5)", f"array of shape {rois.shape}")


# ------------------------------------------------------------------------------------------------ pooling by position


@op(static="spatial_scale group_size output_dim")
def ps_roi_pooling(
    features: Array, rois: Array, spatial_scale: Any, group_size: Any, output_dim: Any
) -> Array:
    """Means over the cells of regions, each cell from channels of its own (position-sensitive pooling).

    As MindSpore's kernel has it, ends of cells lie within the first H - 1 rows and W - 1 columns, and the regions are read
    one after another, five numbers each, whatever the last two dimensions of `rois` are.

    Args:
        features (Tensor): of shape (N, output_dim * group_size^2, H, W), float16 or float32.
        rois (Tensor): of shape (N, 5, M) and the same dtype: which image, x0, y0, x1, y1.
        spatial_scale (float): elements of the features for each unit of the regions.
        group_size (int): how many cells a region has in each direction.
        output_dim (int): how many channels remain.

    Returns:
        Tensor of shape (N * M, output_dim, group_size, group_size) and the dtype of the features.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for shapes that do not fit.
        RuntimeError: for regions of more or fewer images than there are.

    References:
        Dai et al.: R-FCN, 2016.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.array_ops_classes import PSROIPooling
        >>> x, region = ms.ops.arange(9.0).reshape(1, 1, 3, 3), ms.Tensor([0.0, 0.0, 0.0, 2.0, 1.0]).reshape(1, 5, 1)
        >>> print(PSROIPooling(1.0, 1, 1)(x, region))
        [[[[0.5]]]]
    """
    name = "PSROIPooling"
    checks.check_ints(name, group_size=group_size, output_dim=output_dim)
    if type(spatial_scale) is not float:
        checks.fail(TypeError, name, "spatial_scale", "be a float", repr(spatial_scale))
    if spatial_scale <= 0:
        checks.fail(ValueError, name, "spatial_scale", "be positive", spatial_scale)
    checks.check_rank(name, 4, features=features)
    checks.check_floating(name, features=features, rois=rois)
    checks.check_same_dtype(name, features=features, rois=rois)
    if rois.ndim != 3 or rois.shape[1] != 5:
        checks.fail(ValueError, name, "rois", "have shape (N, 5, M)", f"array of shape {rois.shape}")
    if rois.shape[0] != features.shape[0]:
        rule = f"be for {features.shape[0]} images, as the features are"
        checks.fail(RuntimeError, name, "rois", rule, f"array of shape {rois.shape}")
    channels = output_dim * group_size * group_size
    if features.shape[1] != channels:
        rule = f"have output_dim * group_size^2 = {channels} channels"
        checks.fail(ValueError, name, "features", rule, f"array of shape {features.shape}")
    wide = features.astype(checks.compute_dtype(features.dtype))
    regions = lax.stop_gradient(rois).astype(wide.dtype).reshape(-1, 5)
    scaled = regions[:, 1:] * spatial_scale
    ends = jnp.sign(scaled) * jnp.floor(jnp.abs(scaled) + 0.5)
    height, width = features.shape[2:]

    def pooled(region: tuple[Array, Array]) -> Array:
        image, (x0, y0, x1, y1) = region
        down, across = _cells(y0, y1, group_size, height), _cells(x0, x1, group_size, width)
        blocks = wide[image].reshape(output_dim, group_size, group_size, height, width)
        sums = jnp.einsum("ph,cpqhw,qw->cpq", down, blocks, across, precision="highest")
        return sums / jnp.maximum(down.sum(1)[:, None] * across.sum(1), 1)

    found = lax.map(pooled, (regions[:, 0].astype(jnp.int32), ends), batch_size=_AT_ONCE)
    return found.astype(features.dtype)


def _cells(low: Array, high: Array, m: int, n: int) -> Array:
    """Return which of n elements lie in each of the m cells between two places, (m, n)."""
    size = jnp.maximum(high - low, 0.1) / m
    first = jnp.clip(jnp.floor(jnp.arange(m) * size + low), 0, n - 1)
    last = jnp.clip(jnp.ceil((jnp.arange(m) + 1) * size + low), 0, n - 1)
    at = jnp.arange(n)
    return ((at >= first[:, None]) & (at < last[:, None])).astype(low.dtype)
