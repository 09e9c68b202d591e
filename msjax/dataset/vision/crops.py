"""Crops of images, at fixed and at random positions."""

import math
import random
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.random.mindspore_rng import Mt19937
from msjax.dataset.transforms.base import unwrap_single
from msjax.dataset.vision.base import (
    ImageTransform,
    check_border,
    check_fill_value,
    check_four_sides,
    check_range,
    check_size,
    crop_image,
    height_width,
    pad_image,
    to_pil,
)
from msjax.dataset.vision.enums import Border, Inter, SliceMode
from msjax.dataset.vision.geometry import RandomHorizontalFlip, RandomVerticalFlip, Resize


class Crop(ImageTransform, placed=True):
    """A rectangle of the image.

    Args:
        coordinates: (top, left).
        size: (height, width), or an int for both.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that does not contain it.
    """

    def __init__(self, coordinates: Any, size: Any) -> None:
        if not isinstance(coordinates, list | tuple) or len(coordinates) != 2:
            raise TypeError(
                checks.argument_error_text(
                    "Crop", "coordinates", "be a pair of ints (top, left)", coordinates
                )
            )
        self.top, self.left = (checks.check_int("Crop", "coordinates", one, 0) for one in coordinates)
        self.height, self.width = check_size("Crop", size)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the rectangle."""
        height, width = height_width(image)
        if self.top + self.height > height or self.left + self.width > width:
            raise RuntimeError(
                f"`Crop`: {self.height} x {self.width} pixels at ({self.top}, {self.left}) reach beyond the image. "
                f"Received: shape {image.shape}."
            )
        return crop_image(image, self.top, self.left, self.height, self.width)


class CenterCrop(ImageTransform):
    """The middle of the image; where it is smaller, a margin of zeros.

    Args:
        size: (height, width), or an int for both.

    Raises:
        TypeError, ValueError: for another size.
        RuntimeError: when called with an image of a fourth of the size or less.
    """

    keeps_pil = True

    def __init__(self, size: Any) -> None:
        self.height, self.width = check_size("CenterCrop", size)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the middle."""
        height, width = height_width(image)
        down, across = max(self.height - height, 0), max(self.width - width, 0)
        if down >= 3 * height or across >= 3 * width:
            raise RuntimeError(
                f"`CenterCrop`: the image must be larger than a fourth of `size`, ({self.height}, {self.width}). "
                f"Received: shape {image.shape}."
            )
        image = pad_image(image, (across - across // 2, down - down // 2, across // 2, down // 2))
        height, width = height_width(image)
        return crop_image(
            image, (height - self.height) // 2, (width - self.width) // 2, self.height, self.width
        )

    def apply_pil(self, image: Any) -> Any:
        """Return the middle of a PIL image, whose halves of pixels are rounded to even."""
        top, left = round((image.height - self.height) / 2), round((image.width - self.width) / 2)
        return image.crop((left, top, left + self.width, top + self.height))


class RandomCrop(ImageTransform):
    """A rectangle at a random place of the image.

    Args:
        size: (height, width), or an int for both.
        padding: margin added before, as for `Pad`. Default: none.
        pad_if_needed: add a margin on all sides of a smaller image until the rectangle fits.
        fill_value: as for `Pad`.
        padding_mode: as for `Pad`.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that is too small.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> vision.RandomCrop(8, padding=2)(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    keeps_pil = True

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        op = "RandomCrop"
        self.height, self.width = check_size(op, size)
        self.sides = (0, 0, 0, 0) if padding is None else check_four_sides(op, padding)
        self.grows = checks.check_bool(op, "pad_if_needed", pad_if_needed)
        self.values, self.mode = check_fill_value(op, fill_value), check_border(op, padding_mode)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the rectangle; another one of each image of several."""
        draw, wide = transform_generator(self), self._pad_to_size(image)
        images = wide.reshape(-1, *wide.shape[-3:]) if wide.ndim > 3 else [wide]
        size = height_width(wide)
        parts = [crop_image(one, *self.place(draw, *size), self.height, self.width) for one in images]
        return np.reshape(parts, (*image.shape[:-3], *parts[0].shape)) if wide.ndim > 3 else parts[0]

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        wide = self._pad_to_size(np.asarray(image))
        height, width = height_width(wide)
        if (height, width) == (self.height, self.width):
            return to_pil(wide)
        top, left = random.randint(0, height - self.height), random.randint(0, width - self.width)
        return to_pil(crop_image(wide, top, left, self.height, self.width))

    def place(self, draw: Mt19937, height: int, width: int) -> tuple[int, int]:
        """Return a random top and left, within a height and a width; nothing is drawn where there is one place only."""
        if (height, width) == (self.height, self.width):
            return 0, 0
        left = draw.below(width - self.width + 1)
        return draw.below(height - self.height + 1), left

    def _pad_to_size(self, image: np.ndarray) -> np.ndarray:
        image = pad_image(image, self.sides, self.values, self.mode)
        if self.grows and height_width(image) != (self.height, self.width):
            down, across = (
                max(w - h, 0) for w, h in zip((self.height, self.width), height_width(image), strict=True)
            )
            image = pad_image(image, (across, down, across, down), self.values, self.mode)
        height, width = height_width(image)
        if self.height > height or self.width > width:
            raise RuntimeError(
                f"`RandomCrop`: {self.height} x {self.width} pixels are more than the image has, with its margin "
                f"{height} x {width}. Use `pad_if_needed=True`."
            )
        return image


class ResizedCrop(ImageTransform, placed=True):
    """A rectangle of the image, resized.

    Args:
        top: first row.
        left: first column.
        height: rows.
        width: columns.
        size: (height, width) to resize to, or an int for both.
        interpolation: an `Inter`.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that does not contain the rectangle.
    """

    def __init__(
        self, top: int, left: int, height: int, width: int, size: Any, interpolation: Inter = Inter.BILINEAR
    ) -> None:
        self.crop = Crop((top, left), (height, width))
        self.resize = Resize(check_size("ResizedCrop", size), interpolation)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the resized rectangle."""
        if self.resize.interpolation is Inter.ANTIALIAS:
            raise RuntimeError("`ResizedCrop`: Inter.ANTIALIAS is not supported. Use Inter.AREA.")
        return self.resize(self.crop(image))


class RandomResizedCrop(ImageTransform):
    """A rectangle of random place, area and proportion, resized.

    Args:
        size: (height, width) to resize to, or an int for both.
        scale: (lowest, highest) share of the image's area.
        ratio: (lowest, highest) proportion of width to height.
        interpolation: an `Inter`.
        max_attempts: how often to try to find one that fits, before taking the middle.

    Raises:
        TypeError, ValueError: for other arguments.

    The way to draw the rectangle is that of C. Szegedy et al., "Going deeper with convolutions", 2015.
    """

    keeps_pil = True

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3 / 4, 4 / 3),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        op = "RandomResizedCrop"
        self.resize = Resize(check_size(op, size), interpolation)
        self.scale, self.ratio = check_range(op, "scale", scale, 0), check_range(op, "ratio", ratio, 0)
        self.attempts = checks.check_int(op, "max_attempts", max_attempts, 1)
        with np.errstate(divide="ignore"):
            self._logs = np.log(np.array(self.ratio, np.float32))

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the resized rectangle."""
        return self.resize(crop_image(image, *self.rectangle(*height_width(image))))

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        top, left, height, width = self._python_rectangle(image.height, image.width)
        return self.resize(image.crop((left, top, left + width, top + height)))

    def rectangle(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Return a random one within an image: top, left, height, width."""
        draw, logs = transform_generator(self), self._logs
        for _ in range(self.attempts):
            share, ratio = float(draw.between(*self.scale)), math.exp(draw.between(*logs))
            across = max(_nearest(math.sqrt(height * width * share * ratio)), 1)
            down = max(_nearest(across / ratio), 1)
            if across <= width and down <= height:
                left = draw.below(width - across + 1)
                return draw.below(height - down + 1), left, down, across
        return self._middle(height, width)

    def _python_rectangle(self, height: int, width: int) -> tuple[int, int, int, int]:
        low, high = self.ratio
        for _ in range(self.attempts):
            area = random.uniform(*self.scale) * (height * width)
            ratio = math.exp(random.uniform(math.log(low), math.log(high)))
            across = round(math.sqrt(area * ratio))
            down = round(across / ratio)
            if 0 < across <= width and 0 < down <= height:
                top = random.randint(0, height - down)
                return top, random.randint(0, width - across), down, across
        return self._middle(height, width)

    def _middle(self, height: int, width: int) -> tuple[int, int, int, int]:
        ratio = width / height
        across = max(_nearest(height * self.ratio[1]), 1) if ratio > self.ratio[1] else width
        down = max(_nearest(width / self.ratio[0]), 1) if ratio < self.ratio[0] else height
        return _nearest((height - down) / 2), _nearest((width - across) / 2), down, across


def _nearest(number: float) -> int:
    return math.floor(number + 0.5)


class SlicePatches(ImageTransform):
    """The image cut into equal patches, row by row.

    Gives a tuple of images, one for each of `output_columns` in `map`.

    Args:
        num_height: patches below each other.
        num_width: patches side by side.
        slice_mode: what to do where the sizes do not divide, a `SliceMode`.
        fill_value: for the margin at the right and the bottom, with `SliceMode.PAD`.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that has fewer pixels than patches.
    """

    def __init__(
        self,
        num_height: int = 1,
        num_width: int = 1,
        slice_mode: SliceMode = SliceMode.PAD,
        fill_value: int = 0,
    ) -> None:
        op = "SlicePatches"
        self.numbers = (
            checks.check_int(op, "num_height", num_height, 1),
            checks.check_int(op, "num_width", num_width, 1),
        )
        if not isinstance(slice_mode, SliceMode):
            raise TypeError(checks.argument_error_text(op, "slice_mode", "be a SliceMode", slice_mode))
        self.mode, self.value = slice_mode, checks.check_int(op, "fill_value", fill_value, 0, 255)

    def apply(self, image: np.ndarray) -> Any:
        """Return the patches; one of them alone, as itself."""
        sizes, (rows, columns) = height_width(image), self.numbers
        if rows > sizes[0] or columns > sizes[1]:
            raise RuntimeError(f"`SlicePatches`: cannot cut {image.shape} into {rows} x {columns} patches.")
        if self.mode is SliceMode.PAD:
            right, bottom = -sizes[1] % columns, -sizes[0] % rows
            image = pad_image(image, (0, 0, right, bottom), (self.value,) * 4)
        height, width = (
            size // number for size, number in zip(height_width(image), self.numbers, strict=True)
        )
        patches = tuple(
            crop_image(image, i * height, j * width, height, width).copy()
            for i in range(rows)
            for j in range(columns)
        )
        return unwrap_single(patches)


class FiveCrop(KeepsArguments):
    """The four corners and the middle of a PIL image, as a tuple of PIL images.

    Args:
        size: (height, width), or an int for both.

    Raises:
        TypeError, ValueError: for another size; TypeError when called with something else, ValueError with an image that is
            smaller.
    """

    python_only = True

    def __init__(self, size: Any) -> None:
        self.height, self.width = check_size(type(self).__name__, size)

    def __call__(self, image: Any) -> tuple[Any, ...]:
        """Return the parts."""
        op = type(self).__name__
        if not hasattr(image, "crop"):
            raise TypeError(
                f"`{op}`: takes a PIL image. Received: {type(image).__name__}. Use ToPIL before it."
            )
        down, across = image.height - self.height, image.width - self.width
        if min(down, across) < 0:
            raise ValueError(f"`{op}`: the image is smaller than {self.height} x {self.width}: {image.size}.")
        places = [(0, 0), (across, 0), (0, down), (across, down), (round(across / 2), round(down / 2))]
        return tuple(image.crop((x, y, x + self.width, y + self.height)) for x, y in places)


class TenCrop(FiveCrop):
    """`FiveCrop` of a PIL image and of its mirror image.

    Args:
        size: (height, width), or an int for both.
        use_vertical_flip: mirror top and bottom, not left and right.

    Raises:
        TypeError, ValueError: as for `FiveCrop`.
    """

    def __init__(self, size: Any, use_vertical_flip: bool = False) -> None:
        super().__init__(size)
        self.vertical = checks.check_bool("TenCrop", "use_vertical_flip", use_vertical_flip)

    def __call__(self, image: Any) -> tuple[Any, ...]:
        """Return the parts."""
        from_it = super().__call__(image)
        flip = RandomVerticalFlip(1.0) if self.vertical else RandomHorizontalFlip(1.0)
        return from_it + super().__call__(flip(image))
