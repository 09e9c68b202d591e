"""Resizing, padding and flipping of images."""

import random
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.vision.base import (
    ImageTransform,
    check_border,
    check_fill_value,
    check_four_sides,
    check_size,
    height_width,
    pad_image,
    to_pil,
)
from msjax.dataset.vision.enums import Border, Inter
from msjax.dataset.vision.opencv import flip, resize, resize_pil


class Resize(ImageTransform, placed=True):
    """An image of another size.

    Args:
        size: (height, width); or an int for the shorter side, the other one keeps the proportion.
        interpolation: an `Inter`; for arrays all but ANTIALIAS, computed as OpenCV and PIL do.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image of int8, int32 or float16 (unless NEAREST), or of 64-bit integers.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> vision.Resize((1, 4))(np.array([[0, 100]], np.uint8))
        array([[  0,  25,  75, 100]], dtype=uint8)
    """

    def __init__(self, size: Any, interpolation: Inter = Inter.BILINEAR) -> None:
        self.short = isinstance(size, int)
        self.height, self.width = check_size("Resize", size)
        if not isinstance(interpolation, Inter):
            raise TypeError(
                checks.argument_error_text("Resize", "interpolation", "be an Inter", interpolation)
            )
        self.interpolation = interpolation

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the resized image."""
        height, width = self._size(*height_width(image))
        if (height, width) == height_width(image):
            return image
        return resize("Resize", image, height, width, self.interpolation)

    def apply_pil(self, image: Any) -> Any:
        """Return the resized PIL image."""
        return resize_pil("Resize", image, *self._size(image.height, image.width), self.interpolation)

    def _size(self, height: int, width: int) -> tuple[int, int]:
        if not self.short:
            return self.height, self.width
        if height < width:
            return self.height, int(width * self.height / height)
        return int(height * self.width / width), self.width


class HorizontalFlip(ImageTransform, placed=True):
    """The image with left and right exchanged."""

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the mirror image."""
        return flip(image, 1)


class VerticalFlip(ImageTransform, placed=True):
    """The image with top and bottom exchanged."""

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the mirror image."""
        return flip(image, 0)


class RandomHorizontalFlip(HorizontalFlip):
    """`HorizontalFlip`, or nothing.

    Args:
        prob: the probability of the flip, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability.
    """

    keeps_pil = True

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.check_number("RandomHorizontalFlip", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image or its mirror image."""
        return super().apply(image) if transform_generator(self).happens(self.prob) else image

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        return to_pil(super().apply(np.asarray(image))) if random.random() < self.prob else image


class RandomVerticalFlip(VerticalFlip):
    """`VerticalFlip`, or nothing.

    Args:
        prob: the probability of the flip, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability.
    """

    keeps_pil = True

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.check_number("RandomVerticalFlip", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image or its mirror image."""
        return super().apply(image) if transform_generator(self).happens(self.prob) else image

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        return to_pil(super().apply(np.asarray(image))) if random.random() < self.prob else image


class Pad(ImageTransform, placed=True):
    """The image with a margin.

    Args:
        padding: width of the margin: an int; (left and right, top and bottom); or (left, top, right, bottom).
        fill_value: for a constant margin: an int in [0, 255], or three of them for the channels.
        padding_mode: a `Border`.

    Raises:
        TypeError, ValueError: for other arguments.
    """

    keeps_pil = True

    def __init__(self, padding: Any, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.sides = check_four_sides("Pad", padding)
        self.values, self.mode = check_fill_value("Pad", fill_value), check_border("Pad", padding_mode)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the larger image."""
        return pad_image(image, self.sides, self.values, self.mode)

    def apply_pil(self, image: Any) -> Any:
        """Return the larger PIL image; the margin of one with four channels is opaque."""
        colour = tuple(self.values) * (3 // len(self.values))
        return to_pil(pad_image(np.asarray(image), self.sides, (*colour, 255), self.mode))


class PadToSize(ImageTransform):
    """Pad an image to a given size.

    Args:
        size: (height, width), or an int for both.
        offset: (top, left), the widths of the margin on these sides, or an int for both. Default: the image
            is in the middle.
        fill_value: as for `Pad`.
        padding_mode: as for `Pad`.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that is larger.
    """

    def __init__(
        self, size: Any, offset: Any = None, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT
    ) -> None:
        self.height, self.width = check_size("PadToSize", size)
        offsets = [offset, offset] if isinstance(offset, int) else offset
        if offsets and len(offsets) != 2:
            raise ValueError(
                checks.argument_error_text("PadToSize", "offset", "be an int or a pair of ints", offset)
            )
        self.offset = (
            [checks.check_int("PadToSize", "offset", one, 0) for one in offsets] if offsets else None
        )
        self.values = check_fill_value("PadToSize", fill_value)
        self.mode = check_border("PadToSize", padding_mode)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the larger image."""
        height, width = height_width(image)
        down, across = self.height - height, self.width - width
        top, left = self.offset or (down // 2, across // 2)
        if down < top or across < left or min(down, across) < 0:
            raise RuntimeError(
                f"`PadToSize`: the image does not fit into {self.height} x {self.width} at offset {self.offset}. "
                f"Received: shape {image.shape}."
            )
        return pad_image(image, (left, top, across - left, down - top), self.values, self.mode)


class RandomResize(Resize):
    """`Resize` with an interpolation chosen at random among NEAREST, BILINEAR, BICUBIC and AREA.

    Args:
        size: as for `Resize`.
    """

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the resized image."""
        choice = (Inter.BILINEAR, Inter.NEAREST, Inter.BICUBIC, Inter.AREA)[
            transform_generator(self).below(4)
        ]
        return resize("RandomResize", image, *self._size(*height_width(image)), choice)

    apply_pil = ImageTransform.apply_pil
