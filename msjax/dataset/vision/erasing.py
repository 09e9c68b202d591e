"""Cutout, random erasing, linear transformation (whitening) and mixup."""

import math
import random
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.random.mindspore_rng import shuffle
from msjax.dataset.vision.base import (
    ImageTransform,
    cast_like,
    check_is_image,
    check_range,
    height_width,
    refuse_pil,
)


class Erase(ImageTransform, placed=True):
    """Set a rectangle to a value, as far as it lies within the image.

    Args:
        top: first row.
        left: first column.
        height: rows.
        width: columns.
        value: a number in [0, 255], or three of them for the channels.
        inplace: write into the given array.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that is smaller, or ends before the rectangle begins.
    """

    def __init__(
        self, top: int, left: int, height: int, width: int, value: Any = 0.0, inplace: bool = False
    ) -> None:
        self.top = checks.check_int("Erase", "top", top, 0)
        self.left = checks.check_int("Erase", "left", left, 0)
        self.height = checks.check_int("Erase", "height", height, 1)
        self.width = checks.check_int("Erase", "width", width, 1)
        values = value if isinstance(value, list | tuple) else [value]
        self.value = [checks.check_number("Erase", "value", one, 0, 255) for one in values]
        self.inplace = checks.check_bool("Erase", "inplace", inplace)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with the rectangle."""
        height, width = height_width(image)
        if max(self.top, self.height) > height or max(self.left, self.width) > width:
            raise RuntimeError(
                f"`Erase`: {self.height} x {self.width} pixels at ({self.top}, {self.left}) are not within the image. "
                f"Received: shape {image.shape}."
            )
        image = image if self.inplace else image.copy()
        image[..., self.top : self.top + self.height, self.left : self.left + self.width, :] = self.value
        return image


class CutOut(ImageTransform):
    """Set squares at random places to 0; they may reach beyond the edge.

    Args:
        length: side of a square.
        num_patches: how many squares.
        is_hwc: whether the channels are the last axis; else the first.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image that is smaller than a square.

    Source: T. DeVries and G. W. Taylor, "Improved regularization of convolutional neural networks with
        cutout", 2017.
    """

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self.length = checks.check_int("CutOut", "length", length, 1)
        self.patches = checks.check_int("CutOut", "num_patches", num_patches, 1)
        self.is_hwc = checks.check_bool("CutOut", "is_hwc", is_hwc)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with holes."""
        image, draw, side = image.copy(), transform_generator(self).below, self.length
        height, width = height_width(image) if self.is_hwc else image.shape[-2:]
        if side > min(height, width):
            raise RuntimeError(
                f"`CutOut`: the image must have {side} rows and columns. Received: shape {image.shape}."
            )
        for _ in range(self.patches):
            top, left = draw(height + side + 1) - side, draw(width + side + 1) - side
            hole = (slice(max(top, 0), top + side), slice(max(left, 0), left + side))
            image[
                (*hole,) if image.ndim == 2 else (..., *hole, slice(None)) if self.is_hwc else (..., *hole)
            ] = 0
        return image


class RandomErasing(ImageTransform):
    """Set a random rectangle of an image of shape (C, H, W) to a value, or do nothing.

    Args:
        prob: the probability, in [0, 1].
        scale: (lowest, highest) share of the image's area.
        ratio: (lowest, highest) proportion of height to width.
        value: a number; three of them for the channels; or "random" for random values.
        inplace: write into the given array.
        max_attempts: how often to try to find a rectangle that fits.

    Raises:
        TypeError, ValueError: for other arguments. ValueError: when called with an image of another rank.

    Source: Z. Zhong et al., "Random erasing data augmentation", 2017.
    """

    python_only = True
    apply_pil = refuse_pil

    def __init__(
        self,
        prob: float = 0.5,
        scale: Any = (0.02, 0.33),
        ratio: Any = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        op = "RandomErasing"
        self.prob = checks.check_number(op, "prob", prob, 0, 1)
        self.scale, self.ratio = check_range(op, "scale", scale, 0), check_range(op, "ratio", ratio, 0)
        given = value if isinstance(value, list | tuple) else [value]
        known = value == "random" if isinstance(value, str) else len(given) in (1, 3)
        if not known or not all(isinstance(one, int | float | str) for one in given):
            checks.fail(ValueError, op, "value", "be a number, three numbers or 'random'", value)
        self.value = value
        self.inplace = checks.check_bool(op, "inplace", inplace)
        self.attempts = checks.check_int(op, "max_attempts", max_attempts, 1)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image, perhaps with the rectangle."""
        if image.ndim not in (3, 4):
            raise ValueError(f"`RandomErasing`: takes an image of shape (C, H, W). Received: {image.shape}.")
        if random.random() >= self.prob:
            return image
        height, width = image.shape[-2:]
        for _ in range(self.attempts):
            share = height * width * random.uniform(*self.scale)
            ratio = random.uniform(*self.ratio)
            across = round(math.sqrt(share * ratio))
            down = round(across / ratio)
            if down < height and across < width:
                top, left = random.randint(0, height - down), random.randint(0, width - across)
                return self._erase(image, (..., slice(top, top + down), slice(left, left + across)))
        return image

    def _erase(self, image: np.ndarray, rectangle: Any) -> np.ndarray:
        image = image if self.inplace else image.copy()
        if self.value == "random":
            image[rectangle] = np.random.normal(size=image[rectangle].shape)  # noqa: NPY002 - MindSpore's
        else:
            image[rectangle] = np.reshape(self.value, (-1, 1, 1)) if image.ndim > 2 else self.value
        return image


class LinearTransformation(KeepsArguments):
    """output = (image flattened - mean) @ matrix, in the image's shape.

    Args:
        transformation_matrix: array of shape (D, D), D = C * H * W.
        mean_vector: array of shape (D,).

    Raises:
        TypeError, ValueError: for other arguments; ValueError when called with an image of another size.
    """

    python_only = True

    def __init__(self, transformation_matrix: np.ndarray, mean_vector: np.ndarray) -> None:
        op = "LinearTransformation"
        for name, array in (("transformation_matrix", transformation_matrix), ("mean_vector", mean_vector)):
            if not isinstance(array, np.ndarray):
                raise TypeError(checks.argument_error_text(op, name, "be a NumPy array", array))
        if transformation_matrix.ndim != 2 or transformation_matrix.shape != (mean_vector.size,) * 2:
            raise ValueError(
                f"`{op}`: argument `transformation_matrix` must have shape (D, D) and `mean_vector` shape (D,). "
                f"Received: {transformation_matrix.shape} and {mean_vector.shape}."
            )
        self.matrix, self.mean = transformation_matrix, mean_vector

    def __call__(self, image: Any) -> np.ndarray:
        """Return the transformed images."""
        if not isinstance(image, np.ndarray):
            raise TypeError(f"`LinearTransformation`: takes an array. Received: {type(image).__name__}.")
        if image.size != self.mean.size:
            raise ValueError(
                f"`LinearTransformation`: {self.mean.size} elements expected. Received: {image.shape}."
            )
        return ((image.reshape(1, -1) - self.mean) @ self.matrix).reshape(image.shape)


class MixUp(KeepsArguments):
    """Mixup: mix images of a batch, and their one-hot labels, in random proportions.

    Called with images of shape (N, H, W, C), or one of shape (H, W, C), and labels of shape (N, classes), gives both mixed,
    in float64.

    Args:
        batch_size: how many proportions are drawn: N, for one per image, or 1, for one that all share. One image
            is repeated so often.
        alpha: the parameter of the Beta distribution of the proportions, > 0.
        is_single: mix each image of a batch with the next one, all with the first one if `batch_size` is 1; else with
            those of the call before.

    Raises:
        TypeError, ValueError: for other arguments; ValueError when called with other shapes.

    Source: H. Zhang et al., "mixup: Beyond empirical risk minimization", 2017.
    """

    python_only = True

    def __init__(self, batch_size: int, alpha: float, is_single: bool = True) -> None:
        self.number = checks.check_int("MixUp", "batch_size", batch_size, 1)
        self.alpha = _above_zero("MixUp", alpha)
        self.single = checks.check_bool("MixUp", "is_single", is_single)
        self._before: tuple[Any, Any] = 0, 0
        self._first = True

    def __call__(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mixed images and labels."""
        shares = np.random.beta(self.alpha, self.alpha, self.number)  # noqa: NPY002 - MindSpore's
        if not self.single and self._first:
            shares, self._first = np.ones(self.number), False
        try:
            mixed = self._mix(images, 0, shares[:, None, None, None]), self._mix(labels, 1, shares[:, None])
        except (ValueError, IndexError) as error:
            raise ValueError(
                f"`MixUp`: batch_size={self.number} images and labels expected. Received: shapes {images.shape} and "
                f"{labels.shape}."
            ) from error
        self._before = mixed
        return mixed

    def _mix(self, rows: np.ndarray, which: int, shares: np.ndarray) -> np.ndarray:
        others = rows[[*range(1, self.number), 0]] if self.single else self._before[which]
        return shares * rows + (1 - shares) * others


class MixUpBatch(KeepsArguments):
    """`MixUp` within a batch, in `map` behind `batch`.

    Args:
        alpha: the parameter of the Beta distribution of the proportion, > 0.

    Called with images of shape (N, H, W, C) and one-hot labels of shape (N, classes) or (N, 1, classes),
    gives images of the same dtype, and labels in float32.

    Raises:
        TypeError, ValueError: for another `alpha`.
        RuntimeError: when called with other shapes.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = _above_zero("MixUpBatch", alpha)

    def __call__(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the transformed images."""
        for one in (images, labels):
            check_is_image("MixUpBatch", one)
        if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
            raise RuntimeError(
                "`MixUpBatch`: takes images of shape (N, H, W, C) and one-hot labels (N, classes). "
                f"Received: {images.shape} and {labels.shape}. Use it behind `batch`."
            )
        draw, order = transform_generator(self), list(range(len(images)))
        first, second = draw.gamma(self.alpha), draw.gamma(self.alpha)
        shares = np.array([first / (first + second)])
        shuffle(order, draw)
        mixed = cast_like(images, _mix(images, images[order], shares))
        return mixed, _mix(labels, labels[order], shares).astype(np.float32)


def _above_zero(op: str, alpha: float) -> float:
    if checks.check_number(op, "alpha", alpha) <= 0:
        raise ValueError(checks.argument_error_text(op, "alpha", "be above 0", alpha))
    return alpha


def _mix(one: np.ndarray, other: np.ndarray, shares: np.ndarray) -> np.ndarray:
    by_row = shares.reshape(-1, *[1] * (one.ndim - 1))
    return one * by_row + other * (1 - by_row)
