"""Image files: encoding, reading and writing, with OpenCV."""

from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.dataset.common import checks
from msjax.dataset.vision.base import is_pil
from msjax.dataset.vision.opencv import decode, encode


class ImageReadMode(IntEnum):
    """Channels that `read_image` returns."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


def encode_jpeg(image: Any, quality: int = 75) -> np.ndarray:
    """Return the bytes of a JPEG file.

    Args:
        image: array or Tensor of shape (H, W), (H, W, 1) or (H, W, 3), uint8.
        quality: in [1, 100].

    Raises:
        TypeError: if it is not an array. RuntimeError: for another shape, dtype or quality.
    """
    return _encode("encode_jpeg", image, ".jpg", "quality", quality, 1, 100, "IMWRITE_JPEG_QUALITY")


def encode_png(image: Any, compression_level: int = 6) -> np.ndarray:
    """Return the bytes of a PNG file.

    Args:
        image: as for `encode_jpeg`.
        compression_level: in [0, 9].

    Raises:
        TypeError: if it is not an array. RuntimeError: for another shape, dtype or level.
    """
    option = "IMWRITE_PNG_COMPRESSION"
    return _encode("encode_png", image, ".png", "compression_level", compression_level, 0, 9, option)


def write_jpeg(filename: str, image: Any, quality: int = 75) -> None:
    """Write what `encode_jpeg` gives."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: Any, compression_level: int = 6) -> None:
    """Write what `encode_png` gives."""
    write_file(filename, encode_png(image, compression_level))


def write_file(filename: str, data: Any) -> None:
    """Write bytes.

    Args:
        filename: where.
        data: array or Tensor of shape (n,), uint8.

    Raises:
        TypeError: for other kinds. RuntimeError: for another shape or dtype.
    """
    array = _array("write_file", "data", data)
    if array.dtype != np.uint8 or array.ndim != 1:
        raise RuntimeError(checks.argument_error_text("write_file", "data", "be uint8 of shape (n,)", data))
    _path("write_file", filename).write_bytes(array.tobytes())


def read_file(filename: str) -> np.ndarray:
    """Return the bytes of a file, uint8.

    Raises:
        TypeError: if it is not a str. RuntimeError: if there is no such file.
    """
    path = _path("read_file", filename)
    if not path.is_file():
        raise RuntimeError(
            checks.argument_error_text("read_file", "filename", "be a file that exists", filename)
        )
    return np.frombuffer(path.read_bytes(), np.uint8).copy()


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """Return the pixels of an image file, uint8 of shape (H, W, C).

    Raises:
        TypeError: for other kinds. RuntimeError: if there is no such file, or it is not an image.
    """
    if not isinstance(mode, ImageReadMode):
        raise TypeError(checks.argument_error_text("read_image", "mode", "be an ImageReadMode", mode))
    content = read_file(filename)
    kinds = {ImageReadMode.GRAYSCALE: "IMREAD_GRAYSCALE", ImageReadMode.COLOR: "IMREAD_COLOR"}
    kind = kinds.get(mode, "IMREAD_UNCHANGED")
    pixels = decode("read_image", content, kind, turned=mode in kinds, name=filename)
    return pixels if pixels.ndim == 3 else pixels[..., None]


def get_image_size(image: Any) -> list[int]:
    """Height and width of an array or a PIL image.

    Raises:
        TypeError: for anything else. RuntimeError: for an array of fewer than 2 axes.
    """
    shape = _shape("get_image_size", image)
    return list(shape[:2] if len(shape) == 2 else shape[-3:-1])


def get_image_num_channels(image: Any) -> int:
    """Return the number of channels of an array or a PIL image.

    Raises:
        TypeError: for anything else. RuntimeError: for an array of fewer than 2 axes.
    """
    shape = _shape("get_image_num_channels", image)
    return 1 if len(shape) == 2 else shape[-1]


def _shape(op: str, image: Any) -> tuple[int, ...]:
    shape = np.asarray(image).shape if is_pil(image) else _array(op, "image", image).shape
    if len(shape) < 2:
        raise RuntimeError(f"`{op}`: an image has shape (H, W) or (H, W, C). Received: {shape}.")
    return shape


def _array(op: str, name: str, value: Any) -> np.ndarray:
    if isinstance(value, Tensor):
        return value.asnumpy()
    if not isinstance(value, np.ndarray):
        raise TypeError(checks.argument_error_text(op, name, "be an array or a Tensor", value))
    return value


def _path(op: str, filename: Any) -> Path:
    if not isinstance(filename, str):
        raise TypeError(checks.argument_error_text(op, "filename", "be a str", filename))
    return Path(filename)


def _encode(
    op: str, image: Any, ending: str, name: str, level: Any, low: int, high: int, option: str
) -> np.ndarray:
    pixels = _array(op, "image", image)
    if (
        pixels.dtype != np.uint8
        or pixels.ndim not in (2, 3)
        or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3))
    ):
        raise RuntimeError(
            f"`{op}`: an image has shape (H, W), (H, W, 1) or (H, W, 3) and dtype uint8. "
            f"Received: {pixels.dtype} of shape {pixels.shape}."
        )
    if isinstance(level, bool) or not isinstance(level, int):
        raise TypeError(checks.argument_error_text(op, name, "be an int", level))
    if not low <= level <= high:
        raise RuntimeError(checks.argument_error_text(op, name, f"be in [{low}, {high}]", level))
    flat = pixels[..., 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels
    return encode(flat, ending, option, level)
