"""Random changes of colours and brightness."""

from typing import Any

import numpy as np

from msjax.dataset import checks
from msjax.dataset.randomness import current
from msjax.dataset.vision.base import ImageTransform, coloured, pair
from msjax.dataset.vision.colour import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    AutoContrast,
    Equalize,
    Grayscale,
    Invert,
    posterized,
    solarized,
)


class RandomGrayscale:
    """`Grayscale` of a PIL image, with as many channels as it has, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability; TypeError when called with something else.
    """

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = checks.number("RandomGrayscale", "prob", prob, 0, 1)

    def __call__(self, image: Any) -> Any:
        """The greys."""
        greys = Grayscale(3 if getattr(image, "mode", "RGB") != "L" else 1)(image)
        return greys if current().random() < self.prob else image


class RandomInvert(Invert):
    """`Invert`, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability.
    """

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.number("RandomInvert", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The image or its negative."""
        return super().apply(image) if current().random() < self.prob else image


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
        low, high = pair("RandomPosterize", "bits", both, 1, 8)
        self.low, self.high = int(low), int(high)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The image with fewer colours."""
        return posterized("RandomPosterize", image, int(current().integers(self.low, self.high + 1)))


class RandomSolarize(ImageTransform):
    """`Solarize` between two random thresholds.

    Args:
        threshold: (lowest, highest) that they are drawn from; if equal, everything from there on is inverted.

    Raises:
        TypeError, ValueError: for other thresholds.
    """

    def __init__(self, threshold: Any = (0, 255)) -> None:
        low, high = pair("RandomSolarize", "threshold", threshold, 0, 255)
        self.low, self.high = int(low), int(high)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The partly inverted image."""
        low, high = sorted(int(one) for one in current().integers(self.low, self.high + 1, 2))
        return solarized(image, low, 255 if low == high else high)


class RandomColorAdjust(ImageTransform):
    """Change brightness, contrast and saturation by random factors, in a random order.

    Args:
        brightness: number b for factors in [max(0, 1 - b), 1 + b], or (lowest, highest).
        contrast: the same.
        saturation: the same.
        hue: (0, 0), as changes of hue are not supported.

    Raises:
        TypeError, ValueError: for other numbers.
        NotImplementedError: for another hue.
    """

    keeps_pil = True

    def __init__(
        self, brightness: Any = (1, 1), contrast: Any = (1, 1), saturation: Any = (1, 1), hue: Any = (0, 0)
    ) -> None:
        op = "RandomColorAdjust"
        if hue not in (0, (0, 0), [0, 0]):
            raise NotImplementedError(
                f"`{op}`: argument `hue` is not supported. Received: {hue!r}. Use (0, 0)."
            )
        given = {"brightness": brightness, "contrast": contrast, "saturation": saturation}
        self.factors = {
            name: pair(
                op, name, (max(0, 1 - value), 1 + value) if isinstance(value, int | float) else value, 0
            )
            for name, value in given.items()
        }

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The changed image."""
        coloured("RandomColorAdjust", image)
        random = current()
        adjust = {"brightness": AdjustBrightness, "contrast": AdjustContrast, "saturation": AdjustSaturation}
        for name in random.permutation(list(self.factors)):
            low, high = self.factors[name]
            if (low, high) != (1, 1):
                image = adjust[name](float(random.uniform(low, high))).apply(image)
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

    def __init__(self, cutoff: float = 0.0, ignore: Any = None, prob: float = 0.5) -> None:
        super().__init__(cutoff, ignore)
        self.prob = checks.number("RandomAutoContrast", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The image, perhaps stretched."""
        return super().apply(image) if current().random() < self.prob else image


class RandomEqualize(Equalize):
    """`Equalize`, or nothing.

    Args:
        prob: the probability, in [0, 1].

    Raises:
        TypeError, ValueError: for another probability. RuntimeError: as for `Equalize`.
    """

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.number("RandomEqualize", "prob", prob, 0, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The image, perhaps equalised."""
        return super().apply(image) if current().random() < self.prob else image
