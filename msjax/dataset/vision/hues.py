"""Hue adjustment of uint8 images in OpenCV's arithmetic: to HSV in 12-bit integers, back in float32."""

import numpy as np

_BITS = 12
_BLOCK, _LANES = (
    256,
    32,
)  # OpenCV takes so many pixels of a row at once; of the last, fewer ones are left over
_NUMBERS = np.arange(1, 256)
_SATURATION = np.concatenate([[0], np.rint((255 << _BITS) / _NUMBERS)]).astype(np.int32)
_SIXTHS = np.concatenate([[0], np.rint((256 << _BITS) / (6 * _NUMBERS))]).astype(np.int32)
# Which of four values red, green and blue have in each sixth of the circle.
_SECTORS = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])


def shift_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """A uint8 image (..., W, 3) with its colours moved around the circle.

    Args:
        image: the image.
        factor: the share of the circle, in [-0.5, 0.5].
    """
    hue, saturation, value = _hsv(image.astype(np.int32))
    turned = (hue + int(np.float32(factor) * np.float32(255))) & 255
    return _rgb(turned, saturation, value)


def _hsv(image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    red, green, blue = np.moveaxis(image, -1, 0)
    value = image.max(-1)
    span, half = value - image.min(-1), 1 << (_BITS - 1)
    saturation = (span * _SATURATION[value] + half) >> _BITS
    others = np.where(value == green, blue - red + 2 * span, red - green + 4 * span)
    sixths = np.where(value == red, green - blue, others)
    hue = (sixths * _SIXTHS[span] + half) >> _BITS
    return np.clip(np.where(hue < 0, hue + 256, hue), 0, 255), saturation, value


def _rgb(hue: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    one = np.float32(1)
    turn = hue.astype(np.float32) * np.float32(6 / 255)
    part, full = (x.astype(np.float32) * np.float32(1 / 255) for x in (saturation, value))
    sector = np.floor(turn).astype(np.int32)
    rest = turn - sector.astype(np.float32)
    levels = [full, full * (one - part), full * (one - part * rest), full * (one - part * (one - rest))]
    chosen = np.take_along_axis(np.stack(levels, -1), _SECTORS[sector % 6], -1) * np.float32(255)
    places = np.arange(hue.shape[-1])
    start = places - places % _BLOCK
    together = places - start < np.minimum(_BLOCK, hue.shape[-1] - start) // _LANES * _LANES
    return np.where(together[:, None], np.floor(chosen), np.rint(chosen)).clip(0, 255).astype(np.uint8)
