"""Image resizing as in OpenCV: weighted sums of pixels, separately along both axes."""

from functools import lru_cache

import numpy as np

from msjax.dataset.vision import accepted
from msjax.dataset.vision.base import cast_like, height_width_axes, import_pil, is_pil
from msjax.dataset.vision.enums import Inter

_SCALE = 2048  # OpenCV's weights for uint8 have 11 bits
_CUBIC = -0.75  # the free parameter of cubic convolution


def resize(op: str, image: np.ndarray, height: int, width: int, interpolation: Inter) -> np.ndarray:
    """An image of another size.

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
    vertical, horizontal = height_width_axes(image)
    sizes = (image.shape[vertical], height), (image.shape[horizontal], width)
    if interpolation is Inter.NEAREST:
        return image.take(_nearest(*sizes[0]), vertical).take(_nearest(*sizes[1]), horizontal)
    accepted.check_interpolation(op, image)
    kind = interpolation.name
    if interpolation is Inter.AREA and any(new > old for old, new in sizes):
        kind = "STEPS"
    channels_last = image if image.ndim > 2 else image[..., None]
    if image.dtype == np.uint8 and kind in ("BILINEAR", "STEPS"):
        values = _two_by_two_uint8(channels_last, height, width, kind)
    elif image.dtype == np.uint8 and kind == "BICUBIC":
        values = _four_by_four_uint8(channels_last, height, width)
    else:
        work = np.float64 if image.dtype == np.float64 else np.float32
        across, down = _weights(*sizes[1], kind).astype(work), _weights(*sizes[0], kind).astype(work)
        moved = np.einsum("...hwc,vw->...hvc", channels_last.astype(work), across)
        values = np.einsum("...hwc,uh->...uwc", moved, down)
        if image.dtype == np.uint8:
            halves = kind == "AREA" and all(old == 2 * new for old, new in sizes)  # which OpenCV rounds up
            values = np.clip(np.floor(values + 0.5) if halves else np.rint(values), 0, 255)
    return cast_like(image, values if image.ndim > 2 else values[..., 0])


def _by_pil(op: str, image: np.ndarray, height: int, width: int) -> np.ndarray:
    if image.ndim != 3 or image.shape[-1] != 3 or image.dtype != np.uint8:
        raise RuntimeError(
            f"`{op}`: Inter.PILCUBIC takes images of shape (H, W, 3) and dtype uint8. "
            f"Received: {image.shape}, {image.dtype}. Use Inter.BICUBIC."
        )
    module = import_pil(op)
    return np.asarray(module.fromarray(image).resize((width, height), module.Resampling.BICUBIC))


def _two_by_two_uint8(image: np.ndarray, height: int, width: int, kind: str) -> np.ndarray:
    """OpenCV's arithmetic in integers: weights of 11 bits, 4 of the 11 + 8 bits of the first sums dropped."""
    left, right, part = _neighbours(image.shape[-2], width, kind)
    # Beyond the edges OpenCV gives one pixel all the weight along the width, but not along the height.
    part = np.where(left == right, 0, part)[:, None]
    pixels = image.astype(np.int64)
    sums = pixels[..., left, :] * (_SCALE - part) + pixels[..., right, :] * part
    upper, lower, part = _neighbours(image.shape[-3], height, kind)
    part, sums = part[:, None, None], sums >> 4
    above, below = sums[..., upper, :, :] * (_SCALE - part), sums[..., lower, :, :] * part
    return np.clip(((above >> 16) + (below >> 16) + 2) >> 2, 0, 255)


def _four_by_four_uint8(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """OpenCV's arithmetic: weights of 11 bits, sums along the width in integers, those along the height in float32."""
    places, weights = _taps(image.shape[-2], width)
    pixels = image.astype(np.int32)
    sums = sum(pixels[..., at, :] * part[:, None] for at, part in zip(places, weights, strict=True))
    places, weights = _taps(image.shape[-3], height)
    parts = weights.astype(np.float32)[..., None, None] / np.float32(_SCALE * _SCALE)
    rows = np.asarray(sums, np.float32)
    values = sum(rows[..., at, :, :] * part for at, part in zip(places, parts, strict=True))
    return np.clip(np.rint(values), 0, 255)


def _taps(old: int, new: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the four input pixels of each output pixel, and their weights in parts of 2048; (4, new)."""
    first, part = _places(old, new, "BICUBIC")
    shares = np.stack(list(cubic_weights(part).values()))
    shares[3] = 1 - shares[:3].sum(0)
    places = np.clip(first + np.arange(-1, 3)[:, None], 0, old - 1)
    return places, np.rint(shares * _SCALE).astype(np.int32)


def _neighbours(old: int, new: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the two input pixels of each output pixel, and the weight of the second in parts of 2048."""
    first, part = _places(old, new, kind)
    return np.clip(first, 0, old - 1), np.clip(first + 1, 0, old - 1), np.rint(part * _SCALE).astype(np.int64)


def _places(old: int, new: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the input pixel below each output pixel, and the fractional distance from it."""
    if (
        kind == "STEPS"
    ):  # what OpenCV makes of "area" when an image grows: pixels with narrow ramps between them
        first = np.floor(np.arange(new) * (old / new)).astype(int)
        part = np.arange(1, new + 1) - (first + 1) * (new / old)
        return first, np.where(part <= 0, 0, part - np.floor(part)).astype(np.float32)
    centre = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
    first = np.floor(centre)
    return first.astype(int), centre - first


def resize_pil(op: str, image: object, height: int, width: int, interpolation: Inter) -> object:
    """The same for a PIL image, by PIL, whose filters differ (they average over all pixels when an image shrinks)."""
    assert is_pil(image)
    filters = import_pil(op).Resampling
    chosen = {
        Inter.NEAREST: filters.NEAREST,
        Inter.ANTIALIAS: filters.LANCZOS,
        Inter.BILINEAR: filters.BILINEAR,
        Inter.BICUBIC: filters.BICUBIC,
    }
    if interpolation not in chosen:
        raise TypeError(f"`{op}`: {interpolation!r} is not supported for PIL images.")
    return image.resize((width, height), chosen[interpolation])  # type: ignore[attr-defined]


def _nearest(old: int, new: int) -> np.ndarray:
    return np.minimum(np.floor(np.arange(new) * (old / new)).astype(int), old - 1)


@lru_cache(maxsize=64)
def _weights(old: int, new: int, kind: str) -> np.ndarray:
    """(new, old): how much each input pixel counts for each output pixel."""
    weights = np.zeros((new, old))
    if kind == "AREA":
        edges = np.arange(new + 1) * (old / new)
        for i in range(new):
            overlap = np.minimum(edges[i + 1], np.arange(1, old + 1)) - np.maximum(edges[i], np.arange(old))
            weights[i] = np.clip(overlap, 0, 1) / (edges[i + 1] - edges[i])
        return weights
    first, part = _places(old, new, kind)
    taps = cubic_weights(part) if kind == "BICUBIC" else {0: 1 - part, 1: part}
    for offset, share in taps.items():
        np.add.at(weights, (np.arange(new), np.clip(first + offset, 0, old - 1)), share)
    return weights


def cubic_weights(part: np.ndarray) -> dict[int, np.ndarray]:
    """Weights of the four neighbours by cubic convolution (R. Keys, 1981)."""

    def near(x: np.ndarray) -> np.ndarray:
        return ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1

    def far(x: np.ndarray) -> np.ndarray:
        return ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC

    return {-1: far(part + 1), 0: near(part), 1: near(1 - part), 2: far(2 - part)}
