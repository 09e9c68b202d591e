"""Gaussian blur, sharpness, random color and hue adjustment, lighting."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.vision.base import (
    ImageTransform,
    cast_like,
    check_range,
    check_rgb,
    to_pil,
)
from msjax.dataset.vision.colour import AdjustSaturation
from msjax.dataset.vision.opencv import add_weighted, cv2, each_image, shift_hue, to_grey
from msjax.dataset.vision.pillow import enhance_pil, shift_hue_pil


class GaussianBlur(ImageTransform, placed=True):
    """An image blurred by a Gaussian.

    Args:
        kernel_size: odd int, or (width, height).
        sigma: number, or (horizontal, vertical). Default, and where it is 0: 0.15 * width + 0.35.

    Raises:
        TypeError, ValueError: for other arguments.
    """

    def __init__(self, kernel_size: Any, sigma: Any = None) -> None:
        op = "GaussianBlur"
        sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else kernel_size
        if not isinstance(sizes, list | tuple) or len(sizes) != 2:
            raise TypeError(
                checks.argument_error_text(op, "kernel_size", "be an int or a pair of ints", kernel_size)
            )
        if any(checks.check_int(op, "kernel_size", one, 1) % 2 == 0 for one in sizes):
            raise ValueError(checks.argument_error_text(op, "kernel_size", "be odd", kernel_size))
        usual = 0.15 * sizes[0] + 0.35
        sigmas = [sigma or usual] * 2 if sigma is None or isinstance(sigma, int | float) else sigma
        if not isinstance(sigmas, list | tuple) or len(sigmas) != 2:
            raise TypeError(
                checks.argument_error_text(op, "sigma", "be a number or a pair of numbers", sigma)
            )
        self.sizes, self.sigmas = (
            tuple(sizes),
            [
                checks.check_number(op, "sigma", one, 0) or 0.15 * size + 0.35
                for one, size in zip(sigmas, sizes, strict=True)
            ],
        )

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the blurred image."""
        across, down = self.sigmas
        return each_image(
            "GaussianBlur", lambda one: cv2().GaussianBlur(one, self.sizes, sigmaX=across, sigmaY=down), image
        )


def sharpen(op: str, image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image pushed away from its smoothed self; 1 changes nothing, the outermost pixels stay."""
    if image.ndim > 3:
        raise RuntimeError(f"`{op}`: an image has shape (H, W) or (H, W, C). Received: {image.shape}.")
    kernel = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13
    smooth = each_image(op, lambda one: cv2().filter2D(one, -1, kernel), image)
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        smooth[edge] = image[edge]
    part = np.float32(factor)
    return add_weighted(image, part, smooth, np.float32(1 - float(part)))


class AdjustSharpness(ImageTransform, placed=True):
    """An image made sharper or smoother.

    Args:
        sharpness_factor: 0 smooths, 1 changes nothing, more sharpens.

    Raises:
        TypeError, ValueError: for another factor.
    """

    def __init__(self, sharpness_factor: float) -> None:
        self.factor = checks.check_number(
            "AdjustSharpness", "sharpness_factor", sharpness_factor, 0, 16777216
        )

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        return sharpen("AdjustSharpness", image, self.factor)


class RandomSharpness(ImageTransform):
    """`AdjustSharpness` by a random factor.

    Args:
        degrees: (lowest, highest) factor.

    Raises:
        TypeError, ValueError: for other numbers.
    """

    keeps_pil = True

    def __init__(self, degrees: Any = (0.1, 1.9)) -> None:
        self.factors = check_range("RandomSharpness", "degrees", degrees, 0)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        return sharpen("RandomSharpness", image, transform_generator(self).about(*self.factors))

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        low, high = self.factors
        return enhance_pil(image, "Sharpness", (high - low) * random.random() + low)


class RandomAdjustSharpness(ImageTransform):
    """`AdjustSharpness`, or nothing.

    Args:
        degree: the factor.
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for other numbers.
    """

    def __init__(self, degree: float, prob: float = 0.5) -> None:
        self.factor = checks.check_number("RandomAdjustSharpness", "degree", degree, 0)
        self.prob = checks.check_number("RandomAdjustSharpness", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image, perhaps changed."""
        if not transform_generator(self).happens(self.prob):
            return image
        return sharpen("RandomAdjustSharpness", image, self.factor)


class RandomColor(ImageTransform):
    """An image between its greys and itself, or beyond.

    Args:
        degrees: (lowest, highest) random factor; 0 gives greys, 1 changes nothing.

    Raises:
        TypeError, ValueError: for other numbers.
        RuntimeError: when called with something else than three channels.
    """

    keeps_pil = True

    def __init__(self, degrees: Any = (0.1, 1.9)) -> None:
        self.factors = check_range("RandomColor", "degrees", degrees, 0)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        factor = transform_generator(self).between(*self.factors)
        greys = np.repeat(to_grey(check_rgb("RandomColor", image))[..., None], 3, -1)
        return add_weighted(image, factor, greys, np.float32(1 - float(factor)))

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        low, high = self.factors
        return AdjustSaturation((high - low) * random.random() + low)(image)


class AdjustHue(ImageTransform, placed=True):
    """An image with its colours moved around the circle of hues.

    Args:
        hue_factor: the share of the circle, in [-0.5, 0.5].

    Raises:
        TypeError, ValueError: for another factor.
        RuntimeError: when called with something else than three channels.
    """

    keeps_pil = True

    def __init__(self, hue_factor: float) -> None:
        self.factor = checks.check_number("AdjustHue", "hue_factor", hue_factor, -0.5, 0.5)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        if check_rgb("AdjustHue", image).dtype == np.uint8:
            return shift_hue(image, self.factor)
        hue, saturation, value = _hsv(image)
        return cast_like(image, _rgb((hue + self.factor) % 1, saturation, value))

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image, by PIL."""
        return shift_hue_pil(image, self.factor)


def _hsv(image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    red, green, blue = np.moveaxis(image, -1, 0)
    top, low = image.max(-1), image.min(-1)
    span = np.where(top == low, 1, top - low)
    sixth = np.where(
        top == red,
        (green - blue) / span % 6,
        np.where(top == green, (blue - red) / span + 2, (red - green) / span + 4),
    )
    return sixth / 6, (top - low) / np.where(top == 0, 1, top), top


def _rgb(hue: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    away = [(shift + hue * 6) % 6 for shift in (5, 3, 1)]
    return np.stack([value * (1 - saturation * np.clip(np.minimum(k, 4 - k), 0, 1)) for k in away], -1)


class RandomLighting(ImageTransform):
    """Noise along the principal colours of ImageNet added to an image (A. Krizhevsky et al., 2012).

    Args:
        alpha: its strength, at least 0.

    Raises:
        TypeError, ValueError: for another strength.
        RuntimeError: when called with something else than three channels.
    """

    keeps_pil = True

    def __init__(self, alpha: float = 0.05) -> None:
        self.alpha = checks.check_number("RandomLighting", "alpha", alpha, 0)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        check_rgb("RandomLighting", image)
        draw = transform_generator(self)
        return self._lit(image, [float(draw.normals.draw(draw)) * self.alpha for _ in range(3)])

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        weights = [np.random.normal(0.0, self.alpha) for _ in range(3)]  # noqa: NPY002 - MindSpore's
        pixels = np.asarray(image.convert("RGB"))
        return to_pil(np.clip(self._lit(pixels.astype(np.float64), weights), 0, 255).astype(np.uint8))

    def _lit(self, image: np.ndarray, weights: Sequence[float]) -> np.ndarray:
        values = np.array([55.46, 4.794, 1.148])
        vectors = np.array(
            [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.814], [-0.5836, -0.6948, 0.4203]]
        )
        return cast_like(image, image + vectors @ (np.array(weights) * values))
