"""Random choices among image transforms."""

from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.dataset import checks
from msjax.dataset.randomness import current
from msjax.dataset.vision.base import ImageTransform, as_uint8, coloured, fill
from msjax.dataset.vision.colour import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    AutoContrast,
    Equalize,
    Invert,
    posterized,
    solarized,
)
from msjax.dataset.vision.filtering import sharpened
from msjax.dataset.vision.utils import ImageBatchFormat, Inter
from msjax.dataset.vision.warping import linear, rotated, sheared

_SIGNED = {
    "ShearX",
    "ShearY",
    "TranslateX",
    "TranslateY",
    "Rotate",
    "Brightness",
    "Color",
    "Contrast",
    "Sharpness",
}


class Magnitudes(ImageTransform):
    """An operation of a given kind and strength; what lies outside of the image is filled."""

    keeps_pil = True

    def __init__(self, how: Any, fill_value: Any) -> None:
        op = type(self).__name__
        self.how, self.values = linear(op, "interpolation", how), fill(op, fill_value)

    def _check(self, image: np.ndarray) -> None:
        op = type(self).__name__
        if coloured(op, image).dtype != np.uint8:
            raise RuntimeError(f"`{op}`: needs an image of dtype uint8. Received: {image.dtype}.")

    def _changed(self, image: np.ndarray, kind: str, strength: float) -> np.ndarray:
        if kind in _SIGNED and current().random() < 0.5:
            strength = -strength
        moves = {
            "ShearX": ((0.0, 0.0), (np.degrees(np.arctan(strength)), 0.0)),
            "ShearY": ((0.0, 0.0), (0.0, np.degrees(np.arctan(strength)))),
            "TranslateX": ((float(int(strength)), 0.0), (0.0, 0.0)),
            "TranslateY": ((0.0, float(int(strength))), (0.0, 0.0)),
        }
        if kind in moves:
            return sheared(image, 0, moves[kind][0], 1.0, moves[kind][1], self.how, self.values)
        others: dict[str, Callable[[], np.ndarray]] = {
            "Identity": lambda: image,
            "Rotate": lambda: rotated(image, strength, self.how, False, None, self.values),
            "Brightness": lambda: AdjustBrightness(1 + strength).apply(image),
            "Color": lambda: AdjustSaturation(1 + strength).apply(image),
            "Contrast": lambda: AdjustContrast(1 + strength).apply(image),
            "Sharpness": lambda: sharpened("Sharpness", image, 1 + strength),
            "Posterize": lambda: posterized("Posterize", image, int(strength)),
            "Solarize": lambda: solarized(image, strength, 255),
            "AutoContrast": lambda: AutoContrast().apply(image),
            "Equalize": lambda: Equalize().apply(image),
            "Invert": lambda: Invert().apply(image),
        }
        return as_uint8(others[kind]())


def strengths(bins: int, wide: bool, height: int, width: int) -> dict[str, np.ndarray]:
    """The strengths of each kind of operation, weakest first."""
    steps = np.linspace(0, 1, bins)
    shear, colour, turn = (0.99, 0.99, 135.0) if wide else (0.3, 0.9, 30.0)
    moves = (32.0, 32.0) if wide else (150 / 331 * width, 150 / 331 * height)
    bits = 8 - np.rint(np.arange(bins) / ((bins - 1) / (6 if wide else 4)))
    none = np.zeros(bins)
    signed = {
        "ShearX": shear,
        "ShearY": shear,
        "TranslateX": moves[0],
        "TranslateY": moves[1],
        "Rotate": turn,
    }
    signed |= dict.fromkeys(("Brightness", "Color", "Contrast", "Sharpness"), colour)
    kinds = {kind: top * steps for kind, top in signed.items()}
    return {
        "Identity": none,
        **kinds,
        "Posterize": bits,
        "Solarize": 255 * (1 - steps),
        "AutoContrast": none,
        "Equalize": none,
    }


class RandAugment(Magnitudes):
    """Some random operations of one strength (E. Cubuk et al., "RandAugment", 2019).

    Args:
        num_ops: how many.
        magnitude: their strength, in [0, num_magnitude_bins).
        num_magnitude_bins: how many strengths there are, at least 2.
        interpolation: Inter.NEAREST or Inter.BILINEAR.
        fill_value: an int in [0, 255], or three of them, for what lies outside of the image.

    Raises:
        TypeError, ValueError: for other arguments. NotImplementedError: for other interpolations.
        RuntimeError: when called with something else than (H, W, 3) of dtype uint8.
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        op = "RandAugment"
        self.count = checks.integer(op, "num_ops", num_ops, 0)
        self.bins = checks.integer(op, "num_magnitude_bins", num_magnitude_bins, 2)
        self.magnitude = checks.integer(op, "magnitude", magnitude, 0, num_magnitude_bins - 1)
        super().__init__(interpolation, fill_value)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The changed image."""
        self._check(image)
        space = strengths(self.bins, False, *image.shape[:2])
        for _ in range(self.count):
            kind = str(current().choice(list(space)))
            image = self._changed(image, kind, float(space[kind][self.magnitude]))
        return image


class TrivialAugmentWide(Magnitudes):
    """One random operation of random strength (S. Müller, F. Hutter, "TrivialAugment", 2021).

    Args:
        num_magnitude_bins: how many strengths there are, at least 2.
        interpolation: Inter.NEAREST or Inter.BILINEAR.
        fill_value: an int in [0, 255], or three of them, for what lies outside of the image.

    Raises:
        TypeError, ValueError: for other arguments. NotImplementedError: for other interpolations.
        RuntimeError: when called with something else than (H, W, 3) of dtype uint8.
    """

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: Inter = Inter.NEAREST, fill_value: Any = 0
    ) -> None:
        self.bins = checks.integer("TrivialAugmentWide", "num_magnitude_bins", num_magnitude_bins, 2)
        super().__init__(interpolation, fill_value)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The changed image."""
        self._check(image)
        space = strengths(self.bins, True, *image.shape[:2])
        kind = str(current().choice(list(space)))
        return self._changed(image, kind, float(current().choice(space[kind])))


class UniformAugment:
    """Some of several transforms, chosen at random, each applied or not.

    Args:
        transforms: list of image transforms.
        num_ops: how many are chosen.

    Raises:
        TypeError, ValueError: for other arguments.
    """

    def __init__(self, transforms: list[Callable[[Any], Any]], num_ops: int = 2) -> None:
        op = "UniformAugment"
        if not isinstance(transforms, list) or not all(callable(one) for one in transforms):
            raise TypeError(checks.message(op, "transforms", "be a list of callables", transforms))
        self.count = checks.integer(op, "num_ops", num_ops, 1)
        if num_ops > len(transforms):
            raise ValueError(checks.message(op, "num_ops", f"be at most {len(transforms)}", num_ops))
        self.transforms = transforms

    def __call__(self, image: Any) -> Any:
        """The changed image."""
        for i in current().permutation(len(self.transforms))[: self.count]:
            if current().random() < 0.5:
                image = self.transforms[i](image)
        return image


class RandomSelectSubpolicy:
    """One of several lists of transforms, each transform with its probability.

    Args:
        policy: list of lists of (transform, probability).

    Raises:
        TypeError, ValueError: for something else.
    """

    def __init__(self, policy: list[list[tuple[Callable[[Any], Any], float]]]) -> None:
        op = "RandomSelectSubpolicy"
        if not isinstance(policy, list) or not all(isinstance(one, list) for one in policy):
            raise TypeError(
                checks.message(op, "policy", "be a list of lists of (transform, probability)", policy)
            )
        if not policy or not all(policy):
            raise ValueError(checks.message(op, "policy", "not be empty", policy))
        for one in (one for part in policy for one in part):
            if not isinstance(one, tuple) or len(one) != 2 or not callable(one[0]):
                raise TypeError(checks.message(op, "policy", "hold pairs (transform, probability)", one))
            checks.number(op, "policy", one[1], 0, 1)
        self.policy = policy

    def __call__(self, image: Any) -> Any:
        """The changed image."""
        for transform, prob in self.policy[int(current().integers(len(self.policy)))]:
            if current().random() < prob:
                image = transform(image)
        return image


class CutMixBatch:
    """A rectangle of each image of a batch replaced by another image's (S. Yun et al., "CutMix", 2019).

    Called with images and one-hot labels of shape (n, classes) or (n, rows, classes); labels become float32.

    Args:
        image_batch_format: an `ImageBatchFormat`.
        alpha: of the Beta distribution of the shares, above 0.
        prob: the probability for each image, in [0, 1].

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else.
    """

    def __init__(self, image_batch_format: ImageBatchFormat, alpha: float = 1.0, prob: float = 1.0) -> None:
        op = "CutMixBatch"
        if not isinstance(image_batch_format, ImageBatchFormat):
            raise TypeError(
                checks.message(op, "image_batch_format", "be an ImageBatchFormat", image_batch_format)
            )
        self.first = 1 if image_batch_format is ImageBatchFormat.NHWC else 2  # the axis of height
        self.alpha = checks.number(op, "alpha", alpha, 0)
        if not alpha:
            raise ValueError(checks.message(op, "alpha", "be above 0", alpha))
        self.prob = checks.number(op, "prob", prob, 0, 1)

    def __call__(self, *columns: Any) -> tuple[np.ndarray, np.ndarray]:
        """The mixed images and labels."""
        if (
            len(columns) != 2
            or columns[0].ndim != 4
            or columns[1].ndim not in (2, 3)
            or len(columns[0]) != len(columns[1])
        ):
            shapes = [getattr(one, "shape", None) for one in columns]
            raise RuntimeError(
                f"`CutMixBatch`: takes a batch of images and one-hot labels. Received: {shapes}."
            )
        images, labels = columns[0].copy(), columns[1].astype(np.float32)
        random, order = current(), current().permutation(len(images))
        height, width = images.shape[self.first], images.shape[self.first + 1]
        for i, other in enumerate(order):
            if random.random() >= self.prob:
                continue
            side = np.sqrt(1 - random.beta(self.alpha, self.alpha))
            y, x = random.integers(height), random.integers(width)
            down, across = int(height * side) // 2, int(width * side) // 2
            top, bottom = max(y - down, 0), min(y + down, height)
            left, right = max(x - across, 0), min(x + across, width)
            place = (slice(None),) * (self.first - 1) + (slice(top, bottom), slice(left, right))
            images[i][place] = columns[0][other][place]
            share = (bottom - top) * (right - left) / (height * width)
            labels[i] = (1 - share) * columns[1][i] + share * columns[1][other]
        return images, labels
