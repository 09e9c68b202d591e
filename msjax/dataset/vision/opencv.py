"""OpenCV, of which MindSpore's image transforms are made: imported by the first of them, called on any array of images."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from msjax.dataset.vision import accepted
from msjax.dataset.vision.base import import_pil, is_pil
from msjax.dataset.vision.enums import Inter

_STEPS = 32  # places between two pixels
_ONE = 1024  # parts of a pixel in which affine maps are counted
_JPEG = b"\xff\xd8\xff"


@cache
def cv2() -> Any:
    """OpenCV's module, which takes a twentieth of a second to import."""
    import cv2 as module

    return module


def each_image(op: str, function: Callable[[np.ndarray], np.ndarray], image: np.ndarray) -> np.ndarray:
    """Apply a function of OpenCV's to each image of an array; one channel stays an axis.

    Raises:
        RuntimeError: if OpenCV does not take the image.
    """
    if image.ndim > 3:
        parts = [each_image(op, function, one) for one in image.reshape(-1, *image.shape[-3:])]
        return np.stack(parts).reshape(*image.shape[:-3], *parts[0].shape)
    try:
        given = function(image)
    except cv2().error as error:
        raise RuntimeError(
            f"`{op}`: OpenCV does not take this image of shape {image.shape}, {image.dtype}: {error}"
        ) from error
    return given[..., None] if image.ndim > given.ndim else given


def resize(op: str, image: np.ndarray, height: int, width: int, interpolation: Inter) -> np.ndarray:
    """Return an image of another size.

    Args:
        op: the transform, for errors.
        image: (..., H, W) or (..., H, W, C); of a dtype that OpenCV interpolates, with `NEAREST` any.
        height: of the result.
        width: of the result.
        interpolation: how.

    Raises:
        RuntimeError: for other dtypes; with `PILCUBIC` for anything but colour images of dtype uint8.
        TypeError: for `ANTIALIAS`, which is for PIL images only.
    """
    if interpolation is Inter.ANTIALIAS:
        raise TypeError(
            f"`{op}`: Inter.ANTIALIAS is for PIL images only. Received: an array. Use ToPIL before it."
        )
    if interpolation is Inter.PILCUBIC:
        return _by_pil(op, image, height, width)
    how = flag(op, image, interpolation)
    return each_image(op, lambda one: cv2().resize(one, (width, height), interpolation=how), image)


def flag(op: str, image: np.ndarray, interpolation: Inter) -> int:
    """OpenCV's number of an interpolation, which must know the image's dtype unless it is `NEAREST`."""
    if interpolation is not Inter.NEAREST:
        accepted.check_interpolation(op, image)
    names = {"NEAREST": "INTER_NEAREST", "BILINEAR": "INTER_LINEAR", "BICUBIC": "INTER_CUBIC"}
    return getattr(cv2(), names.get(interpolation.name, "INTER_AREA"))


def _by_pil(op: str, image: np.ndarray, height: int, width: int) -> np.ndarray:
    if image.ndim != 3 or image.shape[-1] != 3 or image.dtype != np.uint8:
        raise RuntimeError(
            f"`{op}`: Inter.PILCUBIC takes images of shape (H, W, 3) and dtype uint8. "
            f"Received: {image.shape}, {image.dtype}. Use Inter.BICUBIC."
        )
    module = import_pil()
    return np.asarray(module.fromarray(image).resize((width, height), module.Resampling.BICUBIC))


def resize_pil(op: str, image: object, height: int, width: int, interpolation: Inter) -> object:
    """Return the same for a PIL image, by PIL, whose filters differ (they average over all pixels when an image shrinks)."""
    assert is_pil(image)
    filters = import_pil().Resampling
    chosen = {
        Inter.NEAREST: filters.NEAREST,
        Inter.ANTIALIAS: filters.LANCZOS,
        Inter.BILINEAR: filters.BILINEAR,
        Inter.BICUBIC: filters.BICUBIC,
    }
    if interpolation not in chosen:
        raise TypeError(f"`{op}`: {interpolation!r} is not supported for PIL images.")
    return image.resize((width, height), chosen[interpolation])  # type: ignore[attr-defined]


def warp(
    image: np.ndarray, matrix: np.ndarray, size: tuple[int, int], how: Inter, values: tuple[int, ...]
) -> np.ndarray:
    """Return an image under an affine (2, 3) or projective (3, 3) map.

    The places are rounded to 32nds of a pixel as OpenCV 4 rounds them, for `remap`: OpenCV 5's own warps do not round,
    and give other values than MindSpore in an eighth of all pixels.

    Args:
        image: the image.
        matrix: from places (x, y, 1) in the image to those in the result.
        size: height and width of the result.
        how: an Inter.
        values: what lies outside of the image, one for each channel or one for all.

    Raises:
        RuntimeError: for an image or an interpolation that OpenCV does not know.
    """
    if how in (Inter.ANTIALIAS, Inter.PILCUBIC):
        raise RuntimeError(f"Inter.{how.name} cannot move the pixels of an array. Use Inter.BICUBIC.")
    number = flag("interpolation", image, Inter.BILINEAR if how is Inter.AREA else how)
    steps = 1 if how is Inter.NEAREST else _STEPS
    x, y = (_affine_places if len(matrix) == 2 else _projective_places)(matrix, size, steps)
    whole = np.clip(np.stack([x // steps, y // steps], -1), -(2**15), 2**15 - 1).astype(np.int16)
    parts = (y % steps * steps + x % steps).astype(np.uint16) if steps > 1 else None
    filling = (*values, 0) if len(values) == 3 else (*(values[0],) * 3, 0)

    def move(one: np.ndarray) -> np.ndarray:
        border = cv2().BORDER_CONSTANT
        # OpenCV 5.0's cubic weights are wrong in float64, by more than 1 in values from 0 to 1.
        work = one.astype(np.float32) if how is Inter.BICUBIC and one.dtype == np.float64 else one
        given = cv2().remap(work, whole, parts, number, borderMode=border, borderValue=filling)
        return given.astype(one.dtype, copy=False)

    return each_image("interpolation", move, image)


def _affine_places(matrix: np.ndarray, size: tuple[int, int], steps: int) -> list[np.ndarray]:
    """Return the source of each pixel of the result, x and y in parts of `steps`."""
    back = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))
    y, x = np.arange(size[0])[:, None], np.arange(size[1])
    half, share = _ONE // steps // 2, _ONE // steps
    exact = [np.rint(row[0] * x * _ONE) + np.rint((row[1] * y + row[2]) * _ONE) + half for row in back[:2]]
    return [one.astype(np.int64) // share for one in exact]


def _projective_places(matrix: np.ndarray, size: tuple[int, int], steps: int) -> list[np.ndarray]:
    back = np.linalg.inv(matrix)
    y, x = np.arange(size[0], dtype=float)[:, None], np.arange(size[1], dtype=float)
    across, down, scale = (row[0] * x + row[1] * y + row[2] for row in back)
    part = steps / np.where(scale == 0, np.inf, scale)
    return [np.rint(np.clip(one * part, -(2.0**31), 2.0**31 - 1)).astype(np.int64) for one in (across, down)]


def add_weighted(one: np.ndarray, first: Any, other: np.ndarray, second: Any) -> np.ndarray:
    """first * one + second * other, rounded and cut to the range of the dtype; which comes first counts in the last bit."""
    return cv2().addWeighted(one, float(first), other, float(second), 0).reshape(one.shape)


def blend(image: np.ndarray, other: np.ndarray, factor: float) -> np.ndarray:
    """factor * image + (1 - factor) * other, in the image's dtype."""
    part, rest = np.float32(factor), np.broadcast_to(other, image.shape).astype(image.dtype)
    return add_weighted(rest, np.float32(1 - float(part)), image, part)


def to_grey(image: np.ndarray) -> np.ndarray:
    """Luma of an RGB image (H, W, 3); of dtypes that OpenCV does not convert in floats."""
    if image.dtype in (np.uint8, np.uint16, np.float32):
        return cv2().cvtColor(image, cv2().COLOR_RGB2GRAY)
    return (image @ np.array([0.299, 0.587, 0.114])).astype(image.dtype)


def shift_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """Return a uint8 image (H, W, 3) with its colours moved by a share of the circle, in [-0.5, 0.5]."""
    values = cv2().cvtColor(image, cv2().COLOR_RGB2HSV_FULL)
    values[..., 0] += np.uint8(int(np.float32(factor) * np.float32(255)) & 255)
    return cv2().cvtColor(values, cv2().COLOR_HSV2RGB_FULL)


def flip(image: np.ndarray, axis: int) -> np.ndarray:
    """Return an image with top and bottom (0) or left and right (1) exchanged."""
    return each_image("Flip", lambda one: cv2().flip(one, axis), image)


def decode(
    op: str, content: np.ndarray, mode: str = "IMREAD_COLOR", turned: bool = False, name: str = ""
) -> np.ndarray:
    """Return the pixels of an image file, in RGB if they have colours.

    Args:
        op: the transform, for errors.
        content: the bytes, uint8.
        mode: OpenCV's name for what is read.
        turned: whether EXIF's orientation counts.
        name: the file's, for errors.

    Raises:
        RuntimeError: if it is not an image, or not a whole one.
    """
    module = cv2()
    at_once = mode == "IMREAD_COLOR" and hasattr(module, "IMREAD_COLOR_RGB")  # since OpenCV 4.11
    number = module.IMREAD_COLOR_RGB if at_once else getattr(module, mode)
    number |= 0 if turned else module.IMREAD_IGNORE_ORIENTATION
    image = module.imdecode(content, number) if content.size else None
    if image is None:
        whole = "not a whole" if content[:3].tobytes() == _JPEG else "not an"
        what = f"{name} is" if name else f"these {content.size} bytes are"
        raise RuntimeError(f"`{op}`: {what} {whole} image file that OpenCV can read.")
    if at_once or image.ndim < 3:
        return image
    return module.cvtColor(image, module.COLOR_BGR2RGB if image.shape[2] == 3 else module.COLOR_BGRA2RGB)


def encode(image: np.ndarray, ending: str, option: str, level: int) -> np.ndarray:
    """Return the bytes of a file of an image of shape (H, W) or (H, W, C).

    Args:
        image: the image, uint8.
        ending: of the files of that kind.
        option: OpenCV's name of the option.
        level: its value.
    """
    module = cv2()
    pixels = (
        module.cvtColor(image, module.COLOR_RGB2BGR) if image.ndim == 3 and image.shape[2] == 3 else image
    )
    return module.imencode(ending, pixels, [getattr(module, option), level])[1]
