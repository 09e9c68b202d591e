"""PIL operations that MindSpore applies to PIL images."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.dataset.vision.base import import_pil
from msjax.dataset.vision.enums import Inter

_AFFINE = 0  # PIL's number


def enhance_pil(image: Any, kind: str, factor: float) -> Any:
    """Return a PIL image with more or less of something.

    Args:
        image: the image.
        kind: a class of PIL's module ImageEnhance.
        factor: 1 changes nothing.
    """
    from PIL import ImageEnhance

    return getattr(ImageEnhance, kind)(image).enhance(factor)


def apply_image_op(image: Any, name: str, *arguments: Any) -> Any:
    """Apply a function of PIL's module ImageOps to a PIL image.

    Args:
        image: the image.
        name: of the function.
        arguments: its others.
    """
    from PIL import ImageOps

    return getattr(ImageOps, name)(image, *arguments)


def shift_hue_pil(image: Any, factor: float) -> Any:
    """Return a PIL image with its colours moved around the circle of hues; greys stay."""
    if image.mode in ("L", "1", "I", "F"):
        return image
    hue, saturation, value = image.convert("HSV").split()
    moved = np.asarray(hue) + np.uint8(int(factor * 255) % 256)
    module = import_pil()
    return module.merge("HSV", (module.fromarray(moved), saturation, value)).convert(image.mode)


def rotate_pil(image: Any, degrees: float, how: Inter, expand: bool, center: Any, values: Any) -> Any:
    """Return a PIL image turned against the clock."""
    colour = tuple(values) * 3 if len(values) == 1 else tuple(values)
    return image.rotate(
        degrees % 360.0, int(how), expand, center, fillcolor=colour if image.mode == "RGB" else colour[0]
    )


def shear_pil(
    image: Any, degrees: float, shift: Sequence[float], scale: float, shear: Sequence[float], how: Inter
) -> Any:
    """Return a PIL image turned, scaled and sheared about the pixel after its middle, then moved; black lies outside."""
    width, height = image.size
    x, y = width * 0.5 + 0.5, height * 0.5 + 0.5
    angle, across, down = (math.radians(one) for one in (degrees, *shear))
    first, second = angle + across, angle + down
    part = 1 / scale / (math.cos(first) * math.cos(second) + math.sin(first) * math.sin(second))
    rows = [(math.cos(first), math.sin(first)), (-math.sin(second), math.cos(second))]
    matrix: list[float] = []
    for (a, b), middle in zip(rows, (x, y), strict=True):
        a, b = part * a, part * b
        matrix += [a, b, a * (-x - shift[0]) + b * (-y - shift[1]) + middle]
    return image.transform(image.size, _AFFINE, matrix, int(how))
