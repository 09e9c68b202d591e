"""Random color and brightness transforms."""

import random
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.random.mindspore_rng import shuffle
from msjax.dataset.vision.base import ImageTransform, check_range, check_rgb
from msjax.dataset.vision.colour import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    AutoContrast,
    Equalize,
    Grayscale,
    Invert,
    posterize,
    solarize,
)
from msjax.dataset.vision.filtering import AdjustHue


class RandomGrayscale(KeepsArguments):
    """`Grayscale` of a PIL image, with as many channels as it has, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability; TypeError when called with something else.
    """

    python_only = True

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = checks.check_number("RandomGrayscale", "prob", prob, 0, 1)

    def __call__(self, image: Any) -> Any:
        """Return the greys."""
        greys = Grayscale(3 if getattr(image, "mode", "RGB") != "L" else 1)(image)
        return greys if random.random() < self.prob else image


class RandomInvert(Invert):
    """`Invert`, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability.
    """

    keeps_pil = False

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.check_number("RandomInvert", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image or its negative."""
        return super().apply(image) if transform_generator(self).happens(self.prob) else image

    apply_pil = ImageTransform.apply_pil


class RandomPosterize(ImageTransform):
    """`Posterize` with a random number of bits.

    Args:
        bits: int, or (fewest, most), in [1, 8].

    Raises:
        TypeError, ValueError: for other numbers.
        RuntimeError: when called with another dtype than uint8.
    """

    def __init__(self, bits: Any = (8, 8)) -> None:
        both = (bits, bits) if isinstance(bits, int) else bits
        for one in both if isinstance(both, list | tuple) else ():
            checks.check_int("RandomPosterize", "bits", one, 1, 8)
        low, high = check_range("RandomPosterize", "bits", both, 1, 8)
        self.low, self.high = int(low), int(high)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with fewer colours."""
        more = transform_generator(self).below(self.high - self.low + 1) if self.high > self.low else 0
        return posterize("RandomPosterize", image, self.low + more)


class RandomSolarize(ImageTransform):
    """`Solarize` between two random thresholds.

    Args:
        threshold: tuple (lowest, highest) that they are drawn from; if equal, everything from there on is inverted.

    Raises:
        TypeError, ValueError: for other thresholds.
    """

    def __init__(self, threshold: Any = (0, 255)) -> None:
        if not isinstance(threshold, tuple):
            checks.fail(TypeError, "RandomSolarize", "threshold", "be a tuple of two ints", threshold)
        low, high = check_range("RandomSolarize", "threshold", threshold, 0, 255)
        self.low, self.high = int(low), int(high)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the partly inverted image."""
        draw, count = transform_generator(self).below, self.high - self.low + 1
        low, high = sorted(self.low + draw(count) for _ in range(2))
        return solarize(image, low, 255 if low == high else high)


_ADJUST: dict[str, Any] = {
    "brightness": AdjustBrightness,
    "contrast": AdjustContrast,
    "saturation": AdjustSaturation,
    "hue": AdjustHue,
}
_NOTHING = ((1, 1), (0, 0))  # factors that change nothing, and hues


class RandomColorAdjust(ImageTransform):
    """Change brightness, contrast and saturation by random factors, in a random order.

    Args:
        brightness: number b for factors in [max(0, 1 - b), 1 + b], or (lowest, highest).
        contrast: the same.
        saturation: the same.
        hue: number h for shares of the circle in [-h, h], at most 0.5, or (lowest, highest).

    Raises:
        TypeError, ValueError: for other numbers.
    """

    keeps_pil = True

    def __init__(
        self, brightness: Any = (1, 1), contrast: Any = (1, 1), saturation: Any = (1, 1), hue: Any = (0, 0)
    ) -> None:
        op = "RandomColorAdjust"
        given = {"brightness": brightness, "contrast": contrast, "saturation": saturation}
        self.factors = {
            name: check_range(
                op, name, (max(0, 1 - value), 1 + value) if isinstance(value, int | float) else value, 0
            )
            for name, value in given.items()
        }
        both = (-hue, hue) if isinstance(hue, int | float) else hue
        self.factors["hue"] = check_range(op, "hue", both, -0.5, 0.5)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        check_rgb("RandomColorAdjust", image)
        draw, names = transform_generator(self), list(_ADJUST)
        shuffle(names, draw)
        for name in names:
            low, high = self.factors[name]
            if (low, high) != _NOTHING[name == "hue"]:
                image = _ADJUST[name](float(draw.between(low, high)))(image)
        return image

    def apply_pil(self, image: Any) -> Any:
        """Return the same for a PIL image."""
        factors = {name: random.uniform(*self.factors[name]) for name in _ADJUST}
        names = list(_ADJUST)
        random.shuffle(names)
        for name in names:
            image = _ADJUST[name](factors[name])(image)
        return image


class RandomAutoContrast(AutoContrast):
    """`AutoContrast`, or nothing.

    Args:
        cutoff: as for `AutoContrast`.
        ignore: as for `AutoContrast`.
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError, RuntimeError: as for `AutoContrast`; for another probability.
    """

    keeps_pil = False

    def __init__(self, cutoff: float = 0.0, ignore: Any = None, prob: float = 0.5) -> None:
        super().__init__(cutoff, ignore)
        self.prob = checks.check_number("RandomAutoContrast", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image, perhaps stretched."""
        return super().apply(image) if transform_generator(self).happens(self.prob) else image

    apply_pil = ImageTransform.apply_pil


class RandomEqualize(Equalize):
    """`Equalize`, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability. RuntimeError: as for `Equalize`.
    """

    keeps_pil = False

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.check_number("RandomEqualize", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image, perhaps equalised."""
        return super().apply(image) if transform_generator(self).happens(self.prob) else image

    apply_pil = ImageTransform.apply_pil
