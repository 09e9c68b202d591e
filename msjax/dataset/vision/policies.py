"""Random augmentation policies: RandAugment, TrivialAugmentWide, UniformAugment, CutMix ..."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import apply_nested, transform_generator
from msjax.dataset.random.mindspore_rng import Mt19937, NormalDistribution, sample, shuffle
from msjax.dataset.vision.base import (
    ImageTransform,
    as_uint8,
    check_fill_value,
    check_is_image,
    check_rgb,
    is_pil,
)
from msjax.dataset.vision.colour import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    AutoContrast,
    Equalize,
    Invert,
    posterize,
    solarize,
)
from msjax.dataset.vision.enums import ImageBatchFormat, Inter
from msjax.dataset.vision.filtering import sharpen
from msjax.dataset.vision.warping import check_interpolation, rotate_image, shear_image

SIGNED = {
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

    def __init__(self, how: Any, fill_value: Any) -> None:
        op = type(self).__name__
        self.how = check_interpolation(op, "interpolation", how)
        self.values = check_fill_value(op, fill_value)

    def _check(self, image: np.ndarray) -> None:
        op = type(self).__name__
        if check_rgb(op, image).dtype != np.uint8:
            raise RuntimeError(f"`{op}`: needs an image of dtype uint8. Received: {image.dtype}.")

    def _either_way(self, draw: Mt19937, image: np.ndarray, kind: str, strength: float) -> np.ndarray:
        back = _draw(draw, 2) and kind in SIGNED
        return self._change(image, kind, -strength if back else strength)

    def _change(self, image: np.ndarray, kind: str, strength: float) -> np.ndarray:
        height, width = image.shape[:2]  # of which multiples are moved by, as in MindSpore
        moves = {
            "ShearX": ((0.0, 0.0), (np.degrees(strength), 0.0)),
            "ShearY": ((0.0, 0.0), (0.0, np.degrees(strength))),
            "TranslateX": ((strength * width, 0.0), (0.0, 0.0)),
            "TranslateY": ((0.0, strength * height), (0.0, 0.0)),
        }
        if kind in moves:
            return shear_image(image, 0, moves[kind][0], 1.0, moves[kind][1], self.how, self.values)
        others: dict[str, Callable[[], np.ndarray]] = {
            "Identity": lambda: image,
            "Rotate": lambda: rotate_image(image, strength, self.how, False, None, self.values),
            "Brightness": lambda: AdjustBrightness(1 + strength).apply(image),
            "Color": lambda: AdjustSaturation(1 + strength).apply(image),
            "Contrast": lambda: AdjustContrast(1 + strength).apply(image),
            "Sharpness": lambda: sharpen("Sharpness", image, 1 + strength),
            "Posterize": lambda: posterize("Posterize", image, int(strength)),
            "Solarize": lambda: solarize(image, strength, 255),
            "AutoContrast": lambda: AutoContrast().apply(image),
            "Equalize": lambda: Equalize().apply(image),
            "Invert": lambda: Invert().apply(image),
        }
        return as_uint8(others[kind]())


def _draw(draw: Mt19937, count: int) -> int:
    return draw.below(count + 1) % count


def magnitude_table(bins: int, wide: bool, height: int, width: int) -> dict[str, np.ndarray]:
    """Return the strengths of each kind of operation, weakest first."""
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
        "Solarize": np.linspace(255, 0, bins),
        "AutoContrast": none,
        "Equalize": none,
    }


class RandAugment(Magnitudes):
    """RandAugment: random operations of one strength (E. Cubuk et al., 2019).

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
        self.count = checks.check_int(op, "num_ops", num_ops, 0)
        self.bins = checks.check_int(op, "num_magnitude_bins", num_magnitude_bins, 2)
        self.magnitude = checks.check_int(op, "magnitude", magnitude, 0, num_magnitude_bins - 1)
        super().__init__(interpolation, fill_value)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        self._check(image)
        space = magnitude_table(self.bins, False, *image.shape[:2])
        draw = transform_generator(self)
        for _ in range(self.count):
            kind = sorted(space)[_draw(draw, len(space))]
            image = self._either_way(draw, image, kind, float(space[kind][self.magnitude]))
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
        self.bins = checks.check_int("TrivialAugmentWide", "num_magnitude_bins", num_magnitude_bins, 2)
        super().__init__(interpolation, fill_value)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        self._check(image)
        space = magnitude_table(self.bins, True, *image.shape[:2])
        draw = transform_generator(self)
        kind = sorted(space)[_draw(draw, len(space))]
        level = _draw(draw, self.bins) if space[kind].any() else 0
        return self._either_way(draw, image, kind, float(space[kind][level]))


class UniformAugment(KeepsArguments):
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
            raise TypeError(
                checks.argument_error_text(op, "transforms", "be a list of callables", transforms)
            )
        self.count = checks.check_int(op, "num_ops", num_ops, 1)
        if num_ops > len(transforms):
            raise ValueError(
                checks.argument_error_text(op, "num_ops", f"be at most {len(transforms)}", num_ops)
            )
        self.transforms = transforms

    def __call__(self, image: Any) -> Any:
        """Return the changed image."""
        if is_pil(image):
            return self._of_pil(image)
        draw, columns = transform_generator(self), (image,)
        for transform in sample(self.transforms, self.count, draw):
            if not draw.below(2):
                columns = apply_nested([transform], columns)
        return columns[0]

    def _of_pil(self, image: Any) -> Any:
        chosen = np.random.choice(len(self.transforms), self.count, replace=False)  # noqa: NPY002 - MindSpore's
        for i in chosen:
            least = random.random()
            if random.random() < least:
                image = self.transforms[i](image.copy())
        return image


class RandomSelectSubpolicy(KeepsArguments):
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
                checks.argument_error_text(
                    op, "policy", "be a list of lists of (transform, probability)", policy
                )
            )
        if not policy or not all(policy):
            raise ValueError(checks.argument_error_text(op, "policy", "not be empty", policy))
        for one in (one for part in policy for one in part):
            if not isinstance(one, tuple) or len(one) != 2 or not callable(one[0]):
                raise TypeError(
                    checks.argument_error_text(op, "policy", "hold pairs (transform, probability)", one)
                )
            checks.check_number(op, "policy", one[1], 0, 1)
        self.policy = policy

    def __call__(self, image: Any) -> Any:
        """Return the changed image."""
        draw, columns = transform_generator(self), (np.asarray(image) if is_pil(image) else image,)
        for transform, prob in self.policy[draw.below(len(self.policy))]:
            if draw.fraction() <= prob:
                columns = apply_nested([transform], columns)
        return columns[0]


class CutMixBatch(KeepsArguments):
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
                checks.argument_error_text(
                    op, "image_batch_format", "be an ImageBatchFormat", image_batch_format
                )
            )
        self.first = 1 if image_batch_format is ImageBatchFormat.NHWC else 2  # the axis of height
        self.alpha = checks.check_number(op, "alpha", alpha, 0)
        if not alpha:
            raise ValueError(checks.argument_error_text(op, "alpha", "be above 0", alpha))
        self.prob = checks.check_number(op, "prob", prob, 0, 1)

    def __call__(self, *columns: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the mixed images and labels."""
        for one in columns:
            check_is_image("CutMixBatch", one)
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
        if columns[0].shape[-1 if self.first == 1 else 1] not in (1, 3):
            form = "(N, H, W, C)" if self.first == 1 else "(N, C, H, W)"
            raise RuntimeError(
                f"`CutMixBatch`: takes images of shape {form} of 1 or 3 channels, by argument `image_batch_format`. "
                f"Received: {columns[0].shape}."
            )
        images, labels = columns[0].copy(), columns[1].astype(np.float32)
        draw, order = transform_generator(self), list(range(len(images)))
        shuffle(order, draw)
        height, width = images.shape[self.first], images.shape[self.first + 1]
        normals = [NormalDistribution() for _ in range(2)]
        for i, other in enumerate(order):
            first, second = (draw.gamma(self.alpha, one) for one in normals)
            if draw.fraction() >= self.prob:
                continue
            side = np.sqrt(1 - first / (first + second))
            left, across = _stripe(draw.below(width + 1), int(width * side), width)
            top, down = _stripe(draw.below(height + 1), int(height * side), height)
            place = (slice(None),) * (self.first - 1) + (slice(top, top + down), slice(left, left + across))
            images[i][place] = columns[0][other][place]
            kept = np.float32(1 - np.float32(down * across / (height * width)))
            labels[i] = kept * columns[1][i] + (1 - kept) * columns[1][other]
        return images, labels


def _stripe(middle: int, width: int, length: int) -> tuple[int, int]:
    """Return the start and width of a stripe around a middle, cut off at the ends and at least 1 wide."""
    start, end = (min(max(middle + side * (width // 2), 0), length - 1) for side in (-1, 1))
    return start, min(max(end - start, 1), length - 1)
