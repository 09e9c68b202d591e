"""Base class of image transforms, and shared image helpers.

An image is an array of shape (H, W) or (H, W, C); leading axes are images that are treated alike. A PIL image
is read as such an array, and where MindSpore gives a PIL image back, so do these (`keeps_pil`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.transforms import transforms
from msjax.dataset.transforms.base import is_pil
from msjax.dataset.vision import accepted
from msjax.dataset.vision.enums import Border

SIZE_MAX = 16777216
_NUMPY_MODES: dict[Border, Any] = {
    Border.EDGE: "edge",
    Border.REFLECT: "reflect",
    Border.SYMMETRIC: "symmetric",
}


def device(self: Any, device_target: str = "CPU") -> Any:
    """Choose where the transform runs in MindSpore; here it is the CPU in any case.

    Args:
        self (ImageTransform): the transform.
        device_target (str): "CPU" or "Ascend".

    Returns:
        The transform.

    Raises:
        TypeError: if `device_target` is not a str.
        ValueError: if it is another one.
    """
    op = type(self).__name__
    if not isinstance(device_target, str):
        raise TypeError(
            f"`{op}.device`: argument `device_target` must be a str. Received: {device_target!r}."
        )
    if device_target not in ("CPU", "Ascend"):
        raise ValueError(
            f"`{op}.device`: argument `device_target` must be 'CPU' or 'Ascend'. Received: {device_target!r}."
        )
    return self


class ImageTransform(KeepsArguments):
    """A function of one image. A subclass defines `apply`, from an array to an array.

    Args:
        placed: of a subclass: whether MindSpore can run it elsewhere, so that it has a method `device`.
    """

    keeps_pil = False

    def __init_subclass__(cls, placed: bool = False, **named: Any) -> None:
        super().__init_subclass__(**named)
        if placed:
            cls.device = device  # type: ignore[attr-defined]

    def __call__(self, *images: Any) -> Any:
        """Return the transformed image."""
        op = type(self).__name__
        for one in images:
            check_is_image(op, one)
        if len(images) != 1:
            raise RuntimeError(f"`{op}`: takes one image. Received: {len(images)}.")
        image = images[0]
        if is_pil(image):
            return self.apply_pil(image)
        if image.ndim < 2:
            raise RuntimeError(f"`{op}`: an image has shape (H, W) or (H, W, C). Received: {image.shape}.")
        return self._apply_admitted(image)

    def _apply_admitted(self, image: np.ndarray) -> Any:
        """`apply` of an image that MindSpore's transform takes; bools go through OpenCV as bytes."""
        accepted.check_image(type(self), image)
        if image.dtype != bool:
            return self.apply(image)
        given = self.apply(image.view(np.uint8))
        return _as_bools(given) if accepted.keeps_bool(type(self)) else given

    def apply(self, image: np.ndarray) -> Any:
        """Return the transformed image."""
        raise NotImplementedError

    def write(self, image: Any, place: np.ndarray) -> bool:
        """Write the transformed image to a contiguous array; False, and nothing is done, if it cannot be written there."""
        return False

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        pixels = np.asarray(image)
        return to_pil(self.apply(pixels)) if self.keeps_pil else self._apply_admitted(pixels)


def check_is_image(op: str, image: Any) -> None:
    """Raise for what is neither an array of numbers nor a PIL image.

    Raises:
        TypeError: if it is something else. RuntimeError: if it is an array of strings.
    """
    if is_pil(image) or (isinstance(image, np.ndarray) and image.dtype.kind in "biuf"):
        return
    text = isinstance(image, np.ndarray) and image.dtype.kind in "SU"
    raise (RuntimeError if text else TypeError)(
        f"`{op}`: takes an array of numbers or a PIL image. Received: {image!r} ({type(image).__name__})."
    )


def refuse_pil(self: ImageTransform, image: Any) -> Any:
    """Raise, as `apply_pil` of a transform that takes arrays only.

    Raises:
        TypeError: always.
    """
    raise TypeError(
        f"`{type(self).__name__}`: takes an array. Received: a PIL image. Use ToNumpy or ToTensor before it."
    )


def _as_bools(given: Any) -> Any:
    return tuple(map(_as_bools, given)) if isinstance(given, tuple) else given.astype(bool)


def not_random(func: Any) -> Any:
    """Mark a function of images as `transforms.not_random` does, and return it."""
    return transforms.not_random(func)


def import_pil() -> Any:
    """PIL's module Image, which takes a tenth of a second to import."""
    from PIL import Image

    return Image


def to_pil(image: np.ndarray) -> Any:
    """Return a PIL image with an array's pixels."""
    if image.ndim == 3 and image.shape[-1] == 1:
        image = image[..., 0]
    return import_pil().fromarray(image)


def height_width_axes(image: np.ndarray) -> tuple[int, int]:
    """Return the axes of height and width."""
    return (0, 1) if image.ndim == 2 else (image.ndim - 3, image.ndim - 2)


def height_width(image: np.ndarray) -> tuple[int, int]:
    """Return the sizes of these axes."""
    vertical, horizontal = height_width_axes(image)
    return image.shape[vertical], image.shape[horizontal]


def crop_image(image: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Return a rectangle of an image."""
    return image[
        (slice(None),) * height_width_axes(image)[0] + (slice(top, top + height), slice(left, left + width))
    ]


def check_rgb(op: str, image: np.ndarray) -> np.ndarray:
    """Return the image, if it has three channels.

    Raises:
        RuntimeError: if not.
    """
    if image.ndim < 3 or image.shape[-1] != 3:
        raise RuntimeError(f"`{op}`: needs an image of shape (H, W, 3). Received: {image.shape}.")
    return image


def fill_scalar(image: np.ndarray, values: Sequence[int]) -> Any:
    """Return the filling of an image's pixels: the first value without channels, else three of them, and 0 for a fourth."""
    if image.ndim == 2 or image.shape[-1] > 4:
        return values[0]
    by_channel = tuple(values) if len(values) > 1 else (values[0],) * 3
    return (*by_channel, 0)[: image.shape[-1]]


def as_uint8(image: np.ndarray) -> np.ndarray:
    """Rounded to even and cut to [0, 255]."""
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def cast_like(image: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Computed values in an image's dtype; rounded to even and cut to its range for integers."""
    if image.dtype.kind not in "iu":
        return values.astype(image.dtype)
    limits = np.iinfo(image.dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(image.dtype)


# ---------------------------------------------------------------- arguments


def check_size(op: str, size: Any) -> tuple[int, int]:
    """Height and width, for an int or a pair of ints.

    Raises:
        TypeError, ValueError: for anything else.
    """
    pair = [size, size] if isinstance(size, int) else size
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        checks.fail(TypeError, op, "size", "be an int or a pair of ints (height, width)", size)
    return checks.check_int(op, "size", pair[0], 1, SIZE_MAX), checks.check_int(
        op, "size", pair[1], 1, SIZE_MAX
    )


def check_four_sides(op: str, padding: Any) -> tuple[int, int, int, int]:
    """Left, top, right and bottom, for one, two (left and right, top and bottom) or four ints.

    Raises:
        TypeError, ValueError: for anything else.
    """
    if not isinstance(padding, int | list | tuple):
        raise TypeError(checks.argument_error_text(op, "padding", "be an int, or 2 or 4 of them", padding))
    sides = [padding] if isinstance(padding, int) else list(padding)
    if len(sides) not in (1, 2, 4):
        raise ValueError(checks.argument_error_text(op, "padding", "be an int, or 2 or 4 of them", padding))
    left, top, right, bottom = sides * (4 // len(sides))
    for side in sides:
        checks.check_int(op, "padding", side, 0)
    return left, top, right, bottom


def check_fill_value(op: str, value: Any) -> tuple[int, ...]:
    """Values to fill with, for an int or one for each of three channels, in [0, 255].

    Raises:
        TypeError, ValueError: for anything else.
    """
    values = (value,) if isinstance(value, int) else value
    if not isinstance(values, tuple) or len(values) not in (1, 3):
        raise TypeError(checks.argument_error_text(op, "fill_value", "be an int or a tuple of 3 ints", value))
    return tuple(checks.check_int(op, "fill_value", one, 0, 255) for one in values)


def check_border(op: str, value: Any) -> Border:
    """Return a `Border`.

    Raises:
        TypeError: for anything else.
    """
    if not isinstance(value, Border):
        raise TypeError(checks.argument_error_text(op, "padding_mode", "be a Border", value))
    return value


def check_range(
    op: str, name: str, value: Any, low: float, high: float = checks.FLOAT_MAX
) -> tuple[float, float]:
    """Two increasing numbers in [low, high].

    Raises:
        TypeError, ValueError: for anything else.
    """
    if not isinstance(value, list | tuple):
        checks.fail(TypeError, op, name, "be a pair of numbers", value)
    if len(value) != 2:
        checks.fail(ValueError, op, name, "be a pair of numbers", value)
    first, second = (checks.check_number(op, name, one, low, high) for one in value)
    if first > second:
        raise ValueError(checks.argument_error_text(op, name, "be increasing", value))
    return first, second


def channel_vector(op: str, name: str, value: Any) -> np.ndarray:
    """One number for each channel, float32.

    Raises:
        TypeError: for anything but a list of numbers.
        ValueError: if one is not in [0, 255].
    """
    if not isinstance(value, list | tuple | np.ndarray):
        raise TypeError(
            checks.argument_error_text(op, name, "be a list of numbers, one for each channel", value)
        )
    numbers = [one.item() if isinstance(one, np.generic) else one for one in value]
    return np.array([checks.check_number(op, name, one, 0, 255) for one in numbers], np.float32)


def pad_image(
    image: np.ndarray, sides: Sequence[int], values: tuple[int, ...] = (0,), mode: Border = Border.CONSTANT
) -> np.ndarray:
    """Return an image with a margin.

    Args:
        image: the image.
        sides: left, top, right, bottom.
        values: for a constant margin: one value, or one for each channel.
        mode: what the margin is made of.
    """
    left, top, right, bottom = sides
    if not any(sides):
        return image
    vertical, horizontal = height_width_axes(image)
    if mode is not Border.CONSTANT:
        widths = [(0, 0)] * image.ndim
        widths[vertical], widths[horizontal] = (top, bottom), (left, right)
        return np.pad(image, widths, _NUMPY_MODES[mode])
    height, width = height_width(image)
    shape = list(image.shape)
    shape[vertical], shape[horizontal] = top + height + bottom, left + width + right
    larger = np.full(shape, fill_scalar(image, values), image.dtype)
    crop_image(larger, top, left, height, width)[...] = image
    return larger
