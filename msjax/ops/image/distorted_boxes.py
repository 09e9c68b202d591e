"""Random crops of an image that keep a minimum fraction of its bounding boxes (sample_distorted_bounding_box)."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks


def _attempt(key: Array, height: Array, width: Array, ratios: Any, areas: Any) -> tuple[Array, Array]:
    """Return a crop (y, x, height, width) of a random shape at a random place, and whether it is one."""
    drawn, whole = jax.random.uniform(key, (4,), jnp.float32), height * width
    ratio = ratios[0] + drawn[0] * (ratios[1] - ratios[0])
    low = jnp.round(jnp.sqrt(areas[0] * whole / ratio))
    high = jnp.minimum(jnp.round(jnp.sqrt(areas[1] * whole / ratio)), height)
    high = jnp.where(jnp.round(high * ratio) > width, jnp.floor((width + 0.5 - 1e-4) / ratio), high)
    low = jnp.minimum(low, high)
    h = low + jnp.floor(drawn[1] * (high - low + 1))
    h = jnp.where(h * jnp.round(h * ratio) < areas[0] * whole, h + 1, h)
    h = jnp.where(h * jnp.round(h * ratio) > areas[1] * whole, h - 1, h)
    w = jnp.round(h * ratio)
    fits = (h * w >= areas[0] * whole) & (h * w <= areas[1] * whole) & (h <= height) & (w <= width)
    y = jnp.floor(drawn[2] * (height - h + 1))
    x = jnp.floor(drawn[3] * (width - w + 1))
    return jnp.stack([y, x, h, w]), fits & (h > 0) & (w > 0)


def _covers(crop: Array, boxes: Array, least: Array) -> Array:
    """Return True if a crop covers at least the given fraction of one of the boxes (y0, x0, y1, x1)."""
    low, high = jnp.maximum(crop[:2], boxes[:, :2]), jnp.minimum(crop[:2] + crop[2:], boxes[:, 2:])
    shared = jnp.prod(jnp.maximum(high - low, 0), -1)
    area = jnp.prod(boxes[:, 2:] - boxes[:, :2], -1)
    return (least <= 0) | jnp.any((area > 0) & (shared >= least * area))


@op(static="aspect_ratio_range area_range max_attempts use_image_if_no_bounding_boxes", random=True)
def sample_distorted_bounding_box(
    _key: Array,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[Array, Array, Array]:
    """Return a random crop of an image, as TensorFlow's SampleDistortedBoundingBoxV2; the whole image if none is found.

    Args:
        image_size (Tensor): (height, width, channels), of an integer dtype.
        bounding_boxes (Tensor): of shape (B, N, 4), float32: boxes (y0, x0, y1, x1) as shares of the image.
        min_object_covered (Tensor): the share of one of the boxes that the crop must contain; float32, one element.
        aspect_ratio_range (tuple[float]): limits of width by height.
        area_range (tuple[float]): limits of the crop's share of the image.
        max_attempts (int): how many crops are tried.
        use_image_if_no_bounding_boxes (bool): where there are no boxes, take the image for one.

    Returns:
        Tuple of (y, x, 0) and (height, width, -1) in the dtype of `image_size`, for `ops.slice`, and the crop as a
        box of shape (1, 1, 4), float32.

    Raises:
        TypeError: for settings of another type.
        ValueError: for settings and shapes that do not fit, or no boxes.

    Examples:
        >>> import msjax as ms
        >>> draw = ms.ops.SampleDistortedBoundingBoxV2(area_range=(0.5, 1.0))
        >>> boxes, least = ms.Tensor([[[0.4, 0.2, 0.9, 0.4]]]), ms.Tensor([0.5])
        >>> begin, size, box = draw(ms.Tensor([64, 48, 3], ms.int32), boxes, least)
        >>> begin.shape, int(size[2]), box.shape
        ((3,), -1, (1, 1, 4))
    """
    name = "SampleDistortedBoundingBoxV2"
    _check_arguments(
        name, image_size, bounding_boxes, min_object_covered, aspect_ratio_range, area_range, max_attempts
    )
    checks.check_bools(name, use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes)
    boxes = bounding_boxes.reshape(-1, 4)
    if not len(boxes):
        if not use_image_if_no_bounding_boxes:
            checks.fail(
                ValueError, name, "bounding_boxes", "have a box", f"array of shape {bounding_boxes.shape}"
            )
        boxes = jnp.asarray([[0.0, 0.0, 1.0, 1.0]], jnp.float32)
    extent = image_size[:2].astype(jnp.float32)
    scaled, least = boxes * jnp.tile(extent, 2), min_object_covered.reshape(())

    def again(state: tuple[Array, ...]) -> Array:
        return ~state[2] & (state[0] < max_attempts)

    def attempt(state: tuple[Array, ...]) -> tuple[Array, ...]:
        key = jax.random.fold_in(_key, state[0])
        crop, fits = _attempt(key, extent[0], extent[1], aspect_ratio_range, area_range)
        return state[0] + 1, crop, fits & _covers(crop, scaled, least)

    start = (
        jnp.zeros((), jnp.int32),
        jnp.concatenate([jnp.zeros(2, jnp.float32), extent]),
        jnp.zeros((), bool),
    )
    _, crop, found = lax.while_loop(again, attempt, start)
    crop = jnp.where(found, crop, start[1])
    kind = image_size.dtype
    begin = jnp.concatenate([crop[:2].astype(kind), jnp.zeros(1, kind)])
    size = jnp.concatenate([crop[2:].astype(kind), jnp.full(1, -1).astype(kind)])
    return begin, size, (jnp.concatenate([crop[:2], crop[:2] + crop[2:]]) / jnp.tile(extent, 2))[None, None]


def _check_arguments(
    name: str, size: Array, boxes: Array, least: Array, ratios: Any, areas: Any, attempts: Any
) -> None:
    checks.check_integer(name, image_size=size)
    checks.check_floating(name, bounding_boxes=boxes, min_object_covered=least)
    if size.shape != (3,) or least.size != 1:
        rule = "have three elements, and min_object_covered one"
        checks.fail(ValueError, name, "image_size", rule, f"{size.shape}, {least.shape}")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        checks.fail(
            ValueError, name, "bounding_boxes", "have shape (B, N, 4)", f"array of shape {boxes.shape}"
        )
    for argument, value, most in (("aspect_ratio_range", ratios, float("inf")), ("area_range", areas, 1.0)):
        if not isinstance(value, tuple) or not all(type(v) is float for v in value):
            checks.fail(TypeError, name, argument, "be two floats", repr(value))
        if len(value) != 2 or not 0 < value[0] < value[1] <= most:
            checks.fail(ValueError, name, argument, f"be two rising numbers in (0, {most}]", value)
    checks.check_ints(name, max_attempts=attempts)
    if attempts < 1:
        checks.fail(ValueError, name, "max_attempts", "be positive", attempts)
