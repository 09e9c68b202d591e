"""Image transforms that also transform bounding boxes.

Boxes are an array of shape (n, m) with m >= 4, float32: left, top, width and height, and anything else.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import apply_nested, transform_generator
from msjax.dataset.vision.base import crop_image, height_width, pad_image
from msjax.dataset.vision.crops import RandomCrop, RandomResizedCrop
from msjax.dataset.vision.enums import Border, Inter
from msjax.dataset.vision.geometry import HorizontalFlip, RandomResize, Resize, VerticalFlip


class BoxTransform(KeepsArguments):
    """A function of an image and its boxes. A subclass defines `apply_both`."""

    def __call__(self, *columns: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the changed image and boxes.

        Raises:
            RuntimeError: if there are no boxes, or some that are not within the image.
        """
        op = type(self).__name__
        if len(columns) != 2:
            raise RuntimeError(f"`{op}`: takes an image and its boxes. Received: {len(columns)} columns.")
        image, boxes = columns
        if (
            not isinstance(boxes, np.ndarray)
            or boxes.ndim != 2
            or boxes.shape[1] < 4
            or boxes.dtype != np.float32
        ):
            raise RuntimeError(f"`{op}`: boxes are float32 of shape (n, 4) or wider. Received: {boxes!r}.")
        height, width = height_width(image)
        ends = boxes[:, :2] + boxes[:, 2:4]
        if (boxes[:, :4] < 0).any() or (ends > [width, height]).any():
            raise RuntimeError(
                f"`{op}`: boxes must lie within the image of {height} x {width}. Received: {boxes!r}."
            )
        return self.apply_both(image, boxes.copy())

    def apply_both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the changed image and boxes."""
        raise NotImplementedError


def _within(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Return the parts of boxes in a rectangle, seen from its corner; those that touch it have no size."""
    corner, size = np.array([left, top], np.float32), np.array([width, height], np.float32)
    starts, ends = boxes[:, :2] - corner, boxes[:, :2] + boxes[:, 2:4] - corner
    kept = ((starts <= size) & (ends >= 0)).all(1)
    first = np.clip(starts, 0, size)
    boxes[:, :2], boxes[:, 2:4] = first, np.clip(ends, 0, size) - first
    return boxes[kept]


def _scale_boxes(boxes: np.ndarray, before: tuple[int, int], after: tuple[int, int]) -> np.ndarray:
    factors = np.array([after[1] / before[1], after[0] / before[0]] * 2, np.float32)
    boxes[:, :4] = boxes[:, :4] * factors
    return boxes


class RandomHorizontalFlipWithBBox(BoxTransform):
    """Left and right exchanged, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability. RuntimeError: when called with boxes that do not fit.
    """

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.check_number(type(self).__name__, "prob", prob, 0, 1)

    def apply_both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the image and the boxes or their mirror images."""
        return self.flipped(image, boxes) if transform_generator(self).happens(self.prob) else (image, boxes)

    def flipped(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mirror images."""
        boxes[:, 0] = height_width(image)[1] - boxes[:, 0] - boxes[:, 2]
        return HorizontalFlip()(image), boxes


class RandomVerticalFlipWithBBox(RandomHorizontalFlipWithBBox):
    """Top and bottom exchanged, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability. RuntimeError: when called with boxes that do not fit.
    """

    def flipped(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mirror images."""
        boxes[:, 1] = height_width(image)[0] - boxes[:, 1] - boxes[:, 3]
        return VerticalFlip()(image), boxes


class ResizeWithBBox(BoxTransform):
    """`Resize` of an image and its boxes.

    Args:
        size: as for `Resize`.
        interpolation: as for `Resize`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with boxes that do not fit.
    """

    def __init__(self, size: Any, interpolation: Inter = Inter.LINEAR) -> None:
        self.resize = Resize(size, interpolation)

    def apply_both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the resized image and boxes."""
        given = self.resize(image)
        return given, _scale_boxes(boxes, height_width(image), height_width(given))


class RandomResizeWithBBox(ResizeWithBBox):
    """`RandomResize` of an image and its boxes.

    Args:
        size: as for `Resize`.

    Raises:
        TypeError, ValueError: for another size. RuntimeError: when called with boxes that do not fit.
    """

    def __init__(self, size: Any) -> None:
        self.resize = RandomResize(size)


class RandomCropWithBBox(BoxTransform):
    """`RandomCrop` of an image and its boxes.

    Boxes move with the image where `pad_if_needed` pads it too (MindSpore's stay, beside what they stood around).

    Args:
        size: as for `RandomCrop`.
        padding: the same.
        pad_if_needed: the same.
        fill_value: the same.
        padding_mode: the same.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with boxes that do not fit, or a small image.
    """

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.crop = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)

    def apply_both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rectangle and the parts of the boxes in it."""
        crop = self.crop
        left, top, *_ = crop.sides
        wide = pad_image(image, crop.sides, crop.values, crop.mode)
        if crop.grows:
            down, across = (
                max(w - h, 0) for w, h in zip((crop.height, crop.width), height_width(wide), strict=True)
            )
            wide = pad_image(wide, (across, down, across, down), crop.values, crop.mode)
            left, top = left + across, top + down
        height, width = height_width(wide)
        if crop.height > height or crop.width > width:
            raise RuntimeError(
                f"`RandomCropWithBBox`: the image, {height} x {width}, is too small. Use `pad_if_needed`."
            )
        y, x = crop.place(transform_generator(crop), height, width)
        boxes[:, 0] += left
        boxes[:, 1] += top
        return crop_image(wide, y, x, crop.height, crop.width), _within(boxes, y, x, crop.height, crop.width)


class RandomResizedCropWithBBox(BoxTransform):
    """`RandomResizedCrop` of an image and its boxes.

    Args:
        size: as for `RandomResizedCrop`.
        scale: the same.
        ratio: the same.
        interpolation: the same.
        max_attempts: the same.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with boxes that do not fit.
    """

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3 / 4, 4 / 3),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        self.crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)

    def apply_both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the resized rectangle and the parts of the boxes in it."""
        top, left, height, width = self.crop.rectangle(*height_width(image))
        given = self.crop.resize(crop_image(image, top, left, height, width))
        return given, _scale_boxes(
            _within(boxes, top, left, height, width), (height, width), height_width(given)
        )


class BoundingBoxAugment(BoxTransform):
    """Transform the image parts inside the bounding boxes.

    Args:
        transform: an image transform; what it makes of another size is resized.
        ratio: the probability that a box is changed, in [0, 1].

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with boxes that do not fit.
    """

    def __init__(self, transform: Callable[[np.ndarray], np.ndarray], ratio: float = 0.3) -> None:
        self.transform = checks.check_callable("BoundingBoxAugment", "transform", transform)
        self.ratio = checks.check_number("BoundingBoxAugment", "ratio", ratio, 0, 1)

    def apply_both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the image with its boxes changed."""
        image, draw = image.copy(), transform_generator(self)
        for box in boxes:
            if draw.share() >= np.float32(self.ratio):
                continue
            left, top, width, height = (int(one) for one in box[:4])
            part = crop_image(image, top, left, height, width)
            given = apply_nested([self.transform], (part.copy(),))[0]
            part[...] = given if given.shape == part.shape else Resize((height, width))(given)
        return image, boxes
