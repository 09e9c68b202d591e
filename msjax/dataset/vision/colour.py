"""Color and brightness transforms."""

from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.vision.base import (
    ImageTransform,
    cast_like,
    check_range,
    check_rgb,
    refuse_pil,
)
from msjax.dataset.vision.enums import ConvertMode
from msjax.dataset.vision.opencv import blend, cv2, to_grey
from msjax.dataset.vision.pillow import apply_image_op, enhance_pil


class Invert(ImageTransform, placed=True):
    """output = 255 - image."""

    keeps_pil = True

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the negative."""
        return 255 - image if image.dtype == np.uint8 else cast_like(image, 255 - image.astype(np.float64))


class Posterize(ImageTransform, placed=True):
    """Keep the highest bits of each value of a uint8 image.

    Args:
        bits: how many, in [0, 8].

    Raises:
        TypeError, ValueError: for another number.
        RuntimeError: when called with another dtype.
    """

    def __init__(self, bits: int) -> None:
        self.bits = checks.check_int("Posterize", "bits", bits, 0, 8)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with fewer colours."""
        return posterize("Posterize", image, self.bits)


class Solarize(ImageTransform, placed=True):
    """Invert the values between two thresholds.

    Args:
        threshold: (lowest, highest), or a number for the lowest; the highest is 255 then, and where both are equal.

    Raises:
        TypeError, ValueError: for other thresholds.
    """

    def __init__(self, threshold: Any) -> None:
        both = (threshold, 255) if isinstance(threshold, int | float) else threshold
        self.low, high = check_range("Solarize", "threshold", both, 0, 255)
        self.high = 255 if high == self.low else high

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the partly inverted image."""
        return solarize(image, self.low, self.high)


class AdjustBrightness(ImageTransform, placed=True):
    """output = factor * image.

    Args:
        brightness_factor: number >= 0.

    Raises:
        TypeError, ValueError: for another factor.
    """

    keeps_pil = True

    def __init__(self, brightness_factor: float) -> None:
        self.factor = checks.check_number("AdjustBrightness", "brightness_factor", brightness_factor, 0)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the brighter or darker image."""
        return blend(image, np.zeros((), image.dtype), self.factor)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        return enhance_pil(image, "Brightness", self.factor)


class AdjustContrast(ImageTransform, placed=True):
    """output = factor * image + (1 - factor) * mean of the image's greys.

    Args:
        contrast_factor: number >= 0.

    Raises:
        TypeError, ValueError: for another factor.
        RuntimeError: when called with an image that does not have three channels.
    """

    keeps_pil = True

    def __init__(self, contrast_factor: float) -> None:
        self.factor = checks.check_number("AdjustContrast", "contrast_factor", contrast_factor, 0)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image of more or less contrast."""
        return blend(image, _mean_grey("AdjustContrast", image), self.factor)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        return enhance_pil(image, "Contrast", self.factor)


class AdjustSaturation(ImageTransform, placed=True):
    """output = factor * image + (1 - factor) * greys of the image.

    Args:
        saturation_factor: number >= 0.

    Raises:
        TypeError, ValueError: for another factor.
        RuntimeError: when called with an image that does not have three channels.
    """

    keeps_pil = True

    def __init__(self, saturation_factor: float) -> None:
        self.factor = checks.check_number("AdjustSaturation", "saturation_factor", saturation_factor, 0)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image of more or less colour."""
        return blend(image, to_grey(check_rgb("AdjustSaturation", image))[..., None], self.factor)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        return enhance_pil(image, "Color", self.factor)


class AdjustGamma(ImageTransform):
    """output = gain * image ** gamma; values in [0, 1], or for images of integers in [0, 255].

    As in MindSpore, the gain of floating-point images is inside of the power, and what comes back is float32.

    Args:
        gamma: exponent >= 0.
        gain: factor.

    Raises:
        TypeError, ValueError: for other numbers.
    """

    keeps_pil = True

    def __init__(self, gamma: float, gain: float = 1) -> None:
        self.gamma = checks.check_number("AdjustGamma", "gamma", gamma, 0)
        self.gain = checks.check_number("AdjustGamma", "gain", gain)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the corrected image."""
        if image.dtype.kind in "iu":
            table = (256 - 1e-3) * self.gain * (np.arange(256) / 255) ** self.gamma
            low = image.astype(np.int64) & 255  # higher bits stay as they are, as in MindSpore
            corrected = np.clip(np.floor(table), 0, 255).astype(np.uint8)[low]
            return (image - low + corrected).astype(image.dtype)
        powers = (self.gain * np.clip(image.astype(np.float32), 0, None)) ** self.gamma
        return np.clip(powers, 0, 1).astype(np.float32)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image; one with another number of channels than 1 or 3 stays as it is."""
        return super().apply_pil(image) if len(image.getbands()) in (1, 3) else image


class AutoContrast(ImageTransform, placed=True):
    """Stretch each channel of a uint8 image so that its values reach from 0 to 255.

    Args:
        cutoff: percentage of the lightest and of the darkest pixels to leave out, in [0, 50); for arrays without its
            fraction.
        ignore: int or list of ints, values to leave out.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with another dtype.
    """

    keeps_pil = True

    def __init__(self, cutoff: float = 0.0, ignore: Any = None) -> None:
        self.cutoff = checks.check_number("AutoContrast", "cutoff", cutoff, 0, 49.99)
        values = [] if ignore is None else ignore if isinstance(ignore, list | tuple) else [ignore]
        self.ignored = [checks.check_int("AutoContrast", "ignore", value, 0, 255) for value in values]

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the stretched image."""
        return _by_channel("AutoContrast", image, self._stretch)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        return apply_image_op(image, "autocontrast", self.cutoff, self.ignored or None)

    def _stretch(self, channel: np.ndarray) -> np.ndarray:
        counts = np.bincount(channel.reshape(-1), minlength=256)
        counts[self.ignored] = 0
        share = counts.sum() * int(self.cutoff) / 100
        below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
        kept = np.flatnonzero((counts > 0) & (below > share) & (above > share))
        if len(kept) < 2:
            return channel
        low, high = int(kept[0]), int(kept[-1])
        scale = np.float32(255 / (high - low))
        table = np.arange(256, dtype=np.float32) * scale - low * scale
        return cv2().LUT(channel, np.clip(np.trunc(table), 0, 255).astype(np.uint8))


class Equalize(ImageTransform, placed=True):
    """Map the values of each channel of a uint8 image so that all are about equally frequent.

    Raises:
        RuntimeError: when called with another dtype.
    """

    keeps_pil = True

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the equalised image."""
        return _by_channel("Equalize", image, self._equalize)

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        return apply_image_op(image, "equalize")

    def _equalize(self, channel: np.ndarray) -> np.ndarray:
        return cv2().equalizeHist(channel)


class ConvertColor(ImageTransform, placed=True):
    """Change the order or the number of colour channels.

    Args:
        convert_mode: a `ConvertMode`.

    Raises:
        TypeError: for another mode.
        RuntimeError: when called with an image of another number of channels. Where the mode does not speak of
            greys, one, three and four channels will do, as in MindSpore.
    """

    def __init__(self, convert_mode: ConvertMode) -> None:
        if not isinstance(convert_mode, ConvertMode):
            raise TypeError(
                checks.argument_error_text("ConvertColor", "convert_mode", "be a ConvertMode", convert_mode)
            )
        self.mode = convert_mode

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the converted image."""
        source, target = self.mode.name.removeprefix("COLOR_").split("2")
        channels = 1 if image.ndim == 2 else image.shape[-1]
        allowed = (1,) if source == "GRAY" else (3, 4) if target == "GRAY" else (1, 3, 4)
        if channels not in allowed:
            raise RuntimeError(
                f"`ConvertColor`: {self.mode.name} needs {' or '.join(map(str, allowed))} channels. "
                f"Received: shape {image.shape}."
            )
        order = source.replace("GRAY", "BGR").removesuffix("A")  # whether there is an alpha, the image says
        if channels == 1:
            image = np.stack([image if image.ndim == 2 else image[..., 0]] * 3, -1)
        if target == "GRAY":
            return to_grey(image[..., [order.index(c) for c in "RGB"]])
        if channels == 4:
            order += "A"
        elif "A" in target:
            opaque = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
            image, order = np.concatenate([image, np.full_like(image[..., :1], opaque)], -1), order + "A"
        return image[..., [order.index(c) for c in target]]


class RgbToHsv(ImageTransform):
    """Convert RGB to hue, saturation and value, in float64. Hue and saturation are in [0, 1].

    Args:
        is_hwc: whether the channels are the last axis; else the first.

    Raises:
        TypeError: if it is not a bool; when called with an image that does not have three channels.

    Formula: A. R. Smith, "Color gamut transform pairs", 1978.
    """

    python_only = True
    apply_pil = refuse_pil

    def __init__(self, is_hwc: bool = False) -> None:
        self.axis = -1 if checks.check_bool("RgbToHsv", "is_hwc", is_hwc) else -3

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Hue, saturation, value."""
        red, green, blue = np.moveaxis(_three("RgbToHsv", image, self.axis).astype(np.float64), self.axis, 0)
        most, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
        spread = most - least
        some = np.where(spread > 0, spread, 1)
        r, g, b = ((most - channel) / some for channel in (red, green, blue))
        hue = np.where(red == most, b - g, np.where(green == most, 2 + r - b, 4 + g - r)) / 6 % 1
        grey_pixel = spread == 0
        saturation = np.where(grey_pixel, 0, spread / np.where(most != 0, most, 1))
        return np.stack([np.where(grey_pixel, 0, hue), saturation, most], self.axis)


class RgbToBgr(ImageTransform):
    """Swap red and blue, as MindSpore's older versions do by this name; today's is `ConvertColor`.

    Args:
        is_hwc: whether the channels are the last axis; else the first.

    Raises:
        TypeError: if it is not a bool; when called with an image that does not have three channels.
    """

    def __init__(self, is_hwc: bool = False) -> None:
        self.axis = -1 if checks.check_bool("RgbToBgr", "is_hwc", is_hwc) else -3

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with its channels in the opposite order."""
        return np.flip(_three("RgbToBgr", image, self.axis), self.axis)


class HsvToRgb(ImageTransform):
    """Convert hue, saturation and value to RGB, in float64; the inverse of `RgbToHsv`.

    Args:
        is_hwc: whether the channels are the last axis; else the first.

    Raises:
        TypeError: if it is not a bool; when called with an image that does not have three channels.
    """

    python_only = True
    apply_pil = refuse_pil

    def __init__(self, is_hwc: bool = False) -> None:
        self.axis = -1 if checks.check_bool("HsvToRgb", "is_hwc", is_hwc) else -3

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Red, green, blue."""
        hue, saturation, value = np.moveaxis(
            _three("HsvToRgb", image, self.axis).astype(np.float64), self.axis, 0
        )
        sector = np.floor(hue * 6)
        part = hue * 6 - sector
        p, q, t = (
            value * (1 - saturation),
            value * (1 - saturation * part),
            value * (1 - saturation * (1 - part)),
        )
        which = sector.astype(int) % 6
        red = np.choose(which, [value, q, p, p, t, value])
        green = np.choose(which, [t, value, value, q, p, p])
        blue = np.choose(which, [p, p, t, value, value, q])
        return np.stack([red, green, blue], self.axis)


class Grayscale(KeepsArguments):
    """The greys of a PIL image, as a PIL image.

    Args:
        num_output_channels: 1, or 3 equal ones.

    Raises:
        TypeError, ValueError: for another number; TypeError when called with something else.
    """

    python_only = True

    def __init__(self, num_output_channels: int = 1) -> None:
        if checks.check_int("Grayscale", "num_output_channels", num_output_channels, 1, 3) == 2:
            raise ValueError(
                checks.argument_error_text(
                    "Grayscale", "num_output_channels", "be 1 or 3", num_output_channels
                )
            )
        self.channels = num_output_channels

    def __call__(self, image: Any) -> Any:
        """Return the greys."""
        if not hasattr(image, "convert"):
            raise TypeError(
                f"`Grayscale`: takes a PIL image. Received: {type(image).__name__}. Use ToPIL before it."
            )
        greys = image.convert("L")
        return greys if self.channels == 1 else greys.convert("RGB")


def _mean_grey(op: str, image: np.ndarray) -> np.ndarray:
    mean = cv2().mean(to_grey(check_rgb(op, image)))[0]
    return np.floor(mean + 0.5) if image.dtype == np.uint8 else np.asarray(mean)


def solarize(image: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return the image with the values in [low, high] inverted."""
    return np.where((image >= low) & (image <= high), cast_like(image, 255 - image.astype(np.float64)), image)


def posterize(op: str, image: np.ndarray, bits: int) -> np.ndarray:
    """Return the highest bits of the values of a uint8 image."""
    if image.dtype.itemsize != 1:
        raise RuntimeError(f"`{op}`: the image must be uint8. Received: {image.dtype}.")
    return image.view(np.uint8) & np.uint8(256 - 2 ** (8 - bits))


def _by_channel(op: str, image: np.ndarray, function: Any) -> np.ndarray:
    if image.dtype != np.uint8:
        raise RuntimeError(f"`{op}`: the image must be uint8. Received: {image.dtype}.")
    if image.ndim == 2:
        return function(image)
    return np.stack([function(image[..., i]) for i in range(image.shape[-1])], -1)


def _three(op: str, image: np.ndarray, axis: int) -> np.ndarray:
    if image.ndim not in (3, 4) or image.shape[axis] != 3:
        raise TypeError(f"`{op}`: needs three channels on axis {axis}. Received: shape {image.shape}.")
    return image
