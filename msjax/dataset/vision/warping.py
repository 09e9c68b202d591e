"""Rotation, affine and perspective transforms of images, in OpenCV's arithmetic."""

import math
import random
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.vision.base import (
    ImageTransform,
    check_fill_value,
    check_range,
    height_width,
    is_pil,
)
from msjax.dataset.vision.enums import Inter
from msjax.dataset.vision.opencv import warp
from msjax.dataset.vision.pillow import rotate_pil, shear_pil

_PERSPECTIVE = 2  # PIL's number


# ---------------------------------------------------------------- arguments


def check_interpolation(op: str, name: str, value: Any) -> Inter:
    """Return an `Inter`.

    Raises:
        TypeError: if it is none.
    """
    if not isinstance(value, Inter):
        raise TypeError(checks.argument_error_text(op, name, "be an Inter", value))
    return value


def _interval(op: str, name: str, value: Any) -> tuple[float, float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        checks.check_number(op, name, value, 0)
        return -value, value
    return check_range(op, name, value, -checks.FLOAT_MAX)


def _several(op: str, name: str, value: Any, counts: tuple[int, ...], low: float, high: float) -> list[float]:
    if not isinstance(value, list | tuple):
        raise TypeError(
            checks.argument_error_text(op, name, f"be a list or tuple of {counts[0]} numbers", value)
        )
    if not all(isinstance(one, int | float) for one in value):
        checks.fail(TypeError, op, name, "hold numbers only", value)
    if len(value) not in counts:
        raise ValueError(
            checks.argument_error_text(op, name, f"have {' or '.join(map(str, counts))} numbers", value)
        )
    return [float(checks.check_number(op, name, one, low, high)) for one in value]


def _flat(op: str, image: np.ndarray) -> np.ndarray:
    if image.ndim > 3:
        raise RuntimeError(f"`{op}`: an image has shape (H, W) or (H, W, C). Received: {image.shape}.")
    return image


# ---------------------------------------------------------------- rotations


def rotate_image(
    image: np.ndarray, degrees: float, how: Inter, expand: bool, center: Any, values: Any
) -> np.ndarray:
    """An image turned against the clock, about its middle unless `center` (x, y) is given.

    What lies outside gets the values in the order blue, green, red, as in MindSpore.
    """
    height, width = height_width(image)
    x, y = center or ((width - 1) / 2, (height - 1) / 2)
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = np.array(
        [
            [cosine, sine, (1 - cosine) * x - sine * y],
            [-sine, cosine, sine * x + (1 - cosine) * y],
        ]
    )
    size = (height, width)
    if expand:
        across = width * abs(cosine) + height * abs(sine)
        down = width * abs(sine) + height * abs(cosine)
        matrix[0, 2] += (across - width) / 2
        matrix[1, 2] += (down - height) / 2
        size = (round(down), round(across))
    return warp(image, matrix, size, how, values[::-1])


class RandomRotation(ImageTransform):
    """An image turned by a random angle against the clock.

    Args:
        degrees: number d for angles in [-d, d], or (lowest, highest).
        resample: an `Inter`.
        expand: make the result large enough for the whole image.
        center: (x, y) to turn about. Default: the middle.
        fill_value: an int in [0, 255], or three of them, for what lies outside of the image.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with more than one image.
    """

    keeps_pil = True

    def __init__(
        self,
        degrees: Any,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill_value: Any = 0,
    ) -> None:
        op = type(self).__name__
        self.degrees = self._degrees(op, degrees)
        self.how = check_interpolation(op, "resample", resample)
        self.expand = checks.check_bool(op, "expand", expand)
        if center is not None and (not isinstance(center, tuple | list) or len(center) != 2):
            checks.fail(ValueError, op, "center", "be a pair of numbers (x, y)", center)
        self.center, self.values = center, check_fill_value(op, fill_value)

    def _degrees(self, op: str, degrees: Any) -> tuple[float, float]:
        return _interval(op, "degrees", degrees)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the turned image."""
        low, high = self.degrees
        return self._rotate(image, low if low == high else transform_generator(self).about(low, high))

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        low, high = self.degrees
        angle = low if low == high else random.uniform(low, high)
        return rotate_pil(image, angle, self.how, self.expand, self.center, self.values)

    def _rotate(self, image: np.ndarray, angle: float) -> np.ndarray:
        op = type(self).__name__
        if image.ndim > 3 and not self.expand:
            parts = [self._rotate(one, angle) for one in image.reshape(-1, *image.shape[-3:])]
            return np.reshape(parts, image.shape)
        return rotate_image(_flat(op, image), angle, self.how, self.expand, self.center, self.values)


class Rotate(RandomRotation, placed=True):
    """An image turned by a given angle against the clock.

    Args:
        degrees: the angle.
        resample: as for `RandomRotation`.
        expand: the same.
        center: the same.
        fill_value: the same.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with more than one image.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> vision.Rotate(90)(np.array([[1, 2], [3, 4]], np.uint8))
        array([[2, 4],
               [1, 3]], dtype=uint8)
    """

    keeps_pil = False

    def _degrees(self, op: str, degrees: Any) -> tuple[float, float]:
        number = checks.check_number(op, "degrees", degrees)
        return number, number

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, as an array."""
        return self.apply(np.asarray(image))


# ---------------------------------------------------------------- affine maps


def shear_image(
    image: np.ndarray, degrees: float, shift: Any, scale: float, shear: Any, how: Inter, values: Any
) -> np.ndarray:
    """Return an image turned with the clock, scaled and sheared about its middle, then moved by pixels."""
    height, width = height_width(image)
    x, y = (width - 1) / 2, (height - 1) / 2
    turn, across, down = (math.radians(one) for one in (degrees, *shear))
    cosine, sine = math.cos(turn - down) / math.cos(down), math.sin(turn - down) / math.cos(down)
    linear_part = scale * np.array(
        [
            [cosine, -cosine * math.tan(across) - math.sin(turn)],
            [sine, -sine * math.tan(across) + math.cos(turn)],
        ]
    )
    offset = np.array([x + shift[0], y + shift[1]]) - linear_part @ np.array([x, y])
    matrix = np.column_stack([linear_part, offset]).astype(np.float32)  # as MindSpore keeps it
    return warp(image, matrix.astype(np.float64), (height, width), how, values)


class Affine(ImageTransform, placed=True):
    """An image turned, moved, scaled and sheared.

    Args:
        degrees: the angle, with the clock, in [-180, 180].
        translate: (horizontal, vertical) shares of width and height to move by, in [-1, 1].
        scale: a positive factor.
        shear: angle parallel to the horizontal axis, or (horizontal, vertical) angles.
        resample: an `Inter`.
        fill_value: an int in [0, 255], or three of them, for what lies outside of the image.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with more than one image.
    """

    def __init__(
        self,
        degrees: float,
        translate: Any,
        scale: float,
        shear: Any,
        resample: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        op = "Affine"
        self.degrees = checks.check_number(op, "degrees", degrees, -180, 180)
        self.shift = _several(op, "translate", translate, (2,), -1, 1)
        self.scale = checks.check_number(op, "scale", scale)
        if scale <= 0:
            raise ValueError(checks.argument_error_text(op, "scale", "be positive", scale))
        both = [shear, 0] if isinstance(shear, int | float) else shear
        self.shear = _several(op, "shear", both, (2,), -checks.FLOAT_MAX, checks.FLOAT_MAX)
        self.how = check_interpolation(op, "resample", resample)
        self.values = check_fill_value(op, fill_value)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        height, width = height_width(_flat("Affine", image))
        shift = (self.shift[0] * width, self.shift[1] * height)
        return shear_image(image, self.degrees, shift, self.scale, self.shear, self.how, self.values)


class RandomAffine(ImageTransform):
    """`Affine` with random numbers.

    Args:
        degrees: number d for angles in [-d, d], or (lowest, highest).
        translate: (lowest, highest) share to move by horizontally, or both such pairs, in [-1, 1]. Default: none.
        scale: (lowest, highest) factor. Default: 1.
        shear: number s for angles in [-s, s], a pair (lowest, highest) for horizontal ones, or both pairs. Default: none.
        resample: an `Inter`.
        fill_value: an int in [0, 255], or three of them, for what lies outside of the image.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with more than one image.
    """

    keeps_pil = True

    def __init__(
        self,
        degrees: Any,
        translate: Any = None,
        scale: Any = None,
        shear: Any = None,
        resample: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        op = "RandomAffine"
        self.degrees = _interval(op, "degrees", degrees)
        shift = [0, 0] if translate is None else _several(op, "translate", translate, (2, 4), -1, 1)
        self.shift = [*shift, 0, 0][:4]
        self.scale = (1.0, 1.0) if scale is None else check_range(op, "scale", scale, 0)
        given = [0, 0] if shear is None else [-shear, shear] if isinstance(shear, int | float) else shear
        self.shear = [*_several(op, "shear", given, (2, 4), -checks.FLOAT_MAX, checks.FLOAT_MAX), 0.0, 0.0][
            :4
        ]
        for name, four in (("translate", self.shift), ("shear", self.shear)):
            if four[0] > four[1] or four[2] > four[3]:
                raise ValueError(checks.argument_error_text(op, name, "be increasing", four))
        self.how = check_interpolation(op, "resample", resample)
        self.values = check_fill_value(op, fill_value)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        draw = transform_generator(self).between
        height, width = height_width(_flat("RandomAffine", image))
        left, right, top, bottom = self.shift
        degrees = float(draw(*self.degrees))
        shift = (float(draw(left * width, right * width)), float(draw(top * height, bottom * height)))
        scale, (low, high, least, most) = float(draw(*self.scale)), self.shear
        shear = (float(draw(low, high)), float(draw(least, most)))
        return shear_image(image, degrees, shift, scale, shear, self.how, self.values)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image: it moves by at most the first two numbers of `translate`."""
        degrees, draw = random.uniform(*self.degrees), random.uniform
        most = self.shift[0] * image.width, self.shift[1] * image.height
        shift = [float(np.round(draw(-one, one))) for one in most]
        scale, (low, high, least, top) = draw(*self.scale), self.shear
        shear = draw(low, high), draw(least, top)
        return shear_pil(image, degrees, shift, scale, shear, self.how)


# ---------------------------------------------------------------- perspectives


def projective_map(start: Any, end: Any) -> np.ndarray:
    """Return the projective map (3, 3) that takes four points to four others."""
    rows, wanted = [], []
    for (x, y), (u, v) in zip(start, end, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    found = np.linalg.lstsq(np.array(rows, float), np.array(wanted, float), rcond=None)[0]
    return np.append(found, 1).reshape(3, 3)


class Perspective(ImageTransform, placed=True):
    """An image seen in another perspective.

    Args:
        start_points: four points [x, y] of the image: left top, right top, right bottom, left bottom.
        end_points: where they are in the result.
        interpolation: an `Inter`.

    Raises:
        TypeError: for other arguments. RuntimeError: when called with more than one image.
    """

    keeps_pil = True

    def __init__(self, start_points: Any, end_points: Any, interpolation: Inter = Inter.BILINEAR) -> None:
        op = "Perspective"
        self.corners = (_corners(op, "start_points", start_points), _corners(op, "end_points", end_points))
        self.matrix = projective_map(*self.corners)
        self.how = check_interpolation(op, "interpolation", interpolation)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        if self.how is Inter.ANTIALIAS:
            raise TypeError("`Perspective`: Inter.ANTIALIAS is for PIL images only. Received: an array.")
        how = Inter.BILINEAR if self.how is Inter.PILCUBIC else self.how  # as in MindSpore
        return warp(image, self.matrix, height_width(image), how, (0,))

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        back = projective_map(*self.corners[::-1]).ravel()[:8]
        return image.transform(image.size, _PERSPECTIVE, back, int(self.how))


def _corners(op: str, name: str, value: Any) -> list[list[int]]:
    whole = isinstance(value, list | tuple) and len(value) == 4
    if not whole or not all(isinstance(one, list | tuple) and len(one) == 2 for one in value):
        raise TypeError(checks.argument_error_text(op, name, "be a list of four points [x, y]", value))
    for one in value:
        for number in one:
            checks.check_int(op, name, number, -(2**31))
    return [list(one) for one in value]


class RandomPerspective(KeepsArguments):
    """A PIL image with its corners moved inwards at random, or nothing.

    Args:
        distortion_scale: how far at most, a float in [0, 1].
        prob: the probability, in [0, 1].
        interpolation: Inter.NEAREST, Inter.BILINEAR or Inter.BICUBIC.

    Raises:
        TypeError, ValueError: for other arguments; ValueError when called with something else.
    """

    python_only = True

    def __init__(
        self, distortion_scale: float = 0.5, prob: float = 0.5, interpolation: Inter = Inter.BICUBIC
    ) -> None:
        op = "RandomPerspective"
        for name, value in (("distortion_scale", distortion_scale), ("prob", prob)):
            if not isinstance(value, float):
                checks.fail(TypeError, op, name, "be a float", value)
        self.distortion = checks.check_number(op, "distortion_scale", distortion_scale, 0, 1)
        self.prob = checks.check_number(op, "prob", prob, 0, 1)
        if not isinstance(interpolation, Inter):
            raise TypeError(checks.argument_error_text(op, "interpolation", "be an Inter", interpolation))
        known = {Inter.NEAREST: 0, Inter.BILINEAR: 2, Inter.BICUBIC: 3}  # PIL's numbers
        if interpolation not in known:
            raise NotImplementedError(
                checks.argument_error_text(op, "interpolation", f"be one of {list(known)}", interpolation)
            )
        self.how = known[interpolation]

    def __call__(self, image: Any) -> Any:
        """Return the image, perhaps changed."""
        if not is_pil(image):
            raise ValueError(f"`RandomPerspective`: takes a PIL image. Received: {type(image).__name__}.")
        if random.random() >= self.prob:
            return image
        width, height = image.size
        start = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        left, right = _ends(width, int(width / 2 * self.distortion))
        top, bottom = _ends(height, int(height / 2 * self.distortion))
        sides = (left, top), (right, top), (right, bottom), (left, bottom)
        end = [[random.randint(*x), random.randint(*y)] for x, y in sides]
        return image.transform(image.size, 2, projective_map(end, start).ravel()[:8], self.how)


def _ends(size: int, reach: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (0, reach), (size - reach - 1, size - 1)
