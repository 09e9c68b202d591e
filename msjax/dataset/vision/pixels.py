"""Pixel value transforms: rescaling, normalization, data layout, dtype conversion."""

from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.transforms.base import as_dtype
from msjax.dataset.transforms.transforms import TypeCast
from msjax.dataset.vision import accepted
from msjax.dataset.vision.base import ImageTransform, channel_vector, device, is_pil, to_pil
from msjax.dataset.vision.opencv import cv2, decode


class Rescale(ImageTransform):
    """output = image * rescale + shift, in float32.

    Args:
        rescale: factor.
        shift: summand.

    Raises:
        TypeError: if they are not numbers.
        RuntimeError: when called, if `rescale` is negative.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> vision.Rescale(1 / 255, 0.0)(np.array([[0, 255]], np.uint8))
        array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rescale: float, shift: float) -> None:
        self.rescale = np.float32(checks.check_number("Rescale", "rescale", rescale))
        self.shift = np.float32(checks.check_number("Rescale", "shift", shift))

    def __call__(self, *images: Any) -> Any:
        """Return the converted image."""
        # The only image transform that MindSpore lets run on arrays of rank 1.
        if len(images) == 1 and isinstance(images[0], np.ndarray) and images[0].ndim == 1:
            return self.apply(images[0])
        return super().__call__(*images)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the scaled image, float32."""
        if self.rescale < 0:
            raise RuntimeError(f"`Rescale`: argument `rescale` must be at least 0. Received: {self.rescale}.")
        return image.astype(np.float32) * self.rescale + self.shift


class Normalize(ImageTransform, placed=True):
    """output = (image - mean) / std for each channel, in float32.

    Args:
        mean: list of numbers in [0, 255], one for each channel or one for all.
        std: list of numbers in (0, 255], as many.
        is_hwc: whether the channels are the last axis; else the first.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an image with another number of channels.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> vision.Normalize([0.5], [0.25])(np.array([[[0.0], [1.0]]])).tolist()
        [[[-2.0], [2.0]]]
    """

    def __init__(self, mean: Any, std: Any, is_hwc: bool = True) -> None:
        op = type(self).__name__
        self.mean, self.std = channel_vector(op, "mean", mean), channel_vector(op, "std", std)
        if len(self.mean) != len(self.std):
            raise ValueError(
                checks.argument_error_text(
                    op, "std", f"have as many elements as `mean`, {len(self.mean)}", std
                )
            )
        if not self.std.all():
            raise ValueError(checks.argument_error_text(op, "std", "hold no 0", std))
        self.is_hwc = checks.check_bool(op, "is_hwc", is_hwc)
        self._tables: np.ndarray | None = None

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the normalised image, float32."""
        channels = 1 if image.ndim == 2 else image.shape[-1 if self.is_hwc else -3]
        if len(self.mean) not in (1, channels):
            raise RuntimeError(
                f"`{type(self).__name__}`: `mean` has {len(self.mean)} elements. "
                f"Received: an image with {channels} channels, shape {image.shape}."
            )
        if image.dtype == np.uint8 and image.ndim == 3 and self.is_hwc and channels <= 4:
            return cv2().LUT(image, self._table(channels)).reshape(image.shape)
        shape = (-1,) if self.is_hwc or image.ndim == 2 else (-1, 1, 1)
        return (image.astype(np.float32) - self.mean.reshape(shape)) / self.std.reshape(shape)

    def joined_with(self, following: Any) -> "NormalizedPlanes | None":
        """Return what does the work of this and of the next transform at once; None if nothing does."""
        plain = type(self) is Normalize and type(following) is HWC2CHW and self.is_hwc
        return NormalizedPlanes(self, following) if plain else None

    def _table(self, channels: int) -> np.ndarray:
        """Return the look-up table of the 256 values of a byte; shape (256, 1, channels)."""
        if self._tables is None or self._tables.shape[2] != channels:
            values = np.arange(256, dtype=np.float32)[:, None]
            table = np.broadcast_to((values - self.mean) / self.std, (256, channels))
            self._tables = np.ascontiguousarray(table[:, None])
        return self._tables


class NormalizePad(Normalize):
    """`Normalize`, with one more channel, of zeros.

    Args:
        mean: as for `Normalize`.
        std: as for `Normalize`.
        dtype: "float32" or "float16", of the result.
        is_hwc: as for `Normalize`.

    Raises:
        TypeError, ValueError, RuntimeError: as for `Normalize`; ValueError for another dtype.
    """

    def __init__(self, mean: Any, std: Any, dtype: str = "float32", is_hwc: bool = True) -> None:
        super().__init__(mean, std, is_hwc)
        if not isinstance(dtype, str):
            raise TypeError(checks.argument_error_text("NormalizePad", "dtype", "be a str", dtype))
        if dtype not in ("float32", "float16"):
            raise ValueError(
                checks.argument_error_text("NormalizePad", "dtype", "be 'float32' or 'float16'", dtype)
            )
        self.dtype = np.dtype(dtype)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the normalised image with its further channel (MindSpore's of (H, W, C) are behind all others)."""
        axis = image.ndim - 1 if self.is_hwc else image.ndim - 3
        widths = [(0, 1 if i == axis else 0) for i in range(image.ndim)]
        return np.pad(super().apply(image), widths).astype(self.dtype)


class HWC2CHW(ImageTransform):
    """Convert (H, W, C) to (C, H, W); an image of shape (H, W) stays as it is.

    Raises:
        RuntimeError: when called with an array of another rank.
    """

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with its channels first."""
        if image.ndim > 3:
            raise RuntimeError(f"`HWC2CHW`: an image has shape (H, W) or (H, W, C). Received: {image.shape}.")
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))

    def write(self, image: Any, place: np.ndarray) -> bool:
        """Write the transformed image."""
        fits = type(image) is np.ndarray and image.ndim == 3 and image.dtype == place.dtype != bool
        if not fits or place.shape != (image.shape[2], *image.shape[:2]):
            return False
        accepted.check_image(type(self), image)
        np.copyto(place, image.transpose(2, 0, 1))
        return True


class NormalizedPlanes:
    """`Normalize`, then `HWC2CHW`, of an image of bytes, whose channels go through a table each.

    Args:
        normalize: the one.
        transpose: the other.
    """

    def __init__(self, normalize: Normalize, transpose: HWC2CHW) -> None:
        self.normalize, self.transpose = normalize, transpose
        self._tables = [
            (np.arange(256, dtype=np.float32) - mean) / std
            for mean, std in zip(normalize.mean, normalize.std, strict=True)
        ]

    def accepts(self, image: Any) -> bool:
        """Return True for an image that this is for."""
        return (
            type(image) is np.ndarray
            and image.dtype == np.uint8
            and image.ndim == 3
            and image.shape[2] == len(self._tables)
            and image.size > 0
        )

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """Return the transformed image."""
        given = np.empty((image.shape[2], *image.shape[:2]), np.float32)
        self.write(image, given)
        return given

    def write(self, image: np.ndarray, place: np.ndarray) -> bool:
        """Write the transformed image; False, and nothing is done, if the place is for another one."""
        if place.shape != (image.shape[2], *image.shape[:2]) or place.dtype != np.float32:
            return False
        for plane, table, out in zip(cv2().split(image), self._tables, place, strict=True):
            cv2().LUT(plane, table, dst=out)
        return True


class ToTensor(ImageTransform):
    """Convert (H, W, C) or (H, W) in [0, 255] to (C, H, W) in [0, 1]: an array, despite the name.

    Args:
        output_type: MindSpore or NumPy dtype, or a name. Default: float32.

    Raises:
        TypeError: for another dtype.
        RuntimeError: when called with an array of another rank.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> vision.ToTensor()(np.full((4, 5, 3), 255, np.uint8)).shape
        (3, 4, 5)
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        self.dtype = as_dtype("ToTensor", "output_type", output_type)

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the image with its channels first, divided by 255."""
        if image.ndim > 3:
            raise RuntimeError(
                f"`ToTensor`: an image has shape (H, W) or (H, W, C). Received: {image.shape}."
            )
        channels_last = image[..., None] if image.ndim == 2 else image
        scaled = channels_last.transpose(2, 0, 1).astype(np.float32) / np.float32(255)
        return np.ascontiguousarray(scaled).astype(self.dtype)


class ToType(TypeCast):
    """Convert the elements to another dtype; see `TypeCast`."""


class ToNumpy(KeepsArguments):
    """An array for a PIL image, a list of arrays, or whatever else NumPy can read."""

    def __call__(self, image: Any) -> np.ndarray:
        """Return the converted image."""
        return np.array(image)


class ToPIL(KeepsArguments):
    """A PIL image for an array of shape (H, W) or (H, W, C), dtype uint8.

    Raises:
        TypeError: when called with something else. ValueError: with an array of another rank.
    """

    python_only = True

    def __call__(self, image: Any) -> Any:
        """Return the converted image."""
        if is_pil(image):
            return image
        if not isinstance(image, np.ndarray):
            raise TypeError(f"`ToPIL`: takes an array. Received: {image!r} ({type(image).__name__}).")
        if image.ndim not in (2, 3):
            raise ValueError(
                f"`ToPIL`: takes an image of shape (H, W) or (H, W, C). Received: {image.shape}."
            )
        return to_pil(image)


class Decode(KeepsArguments):
    """Decode the bytes of an image file to its pixels in RGB.

    Args:
        to_pil: give a PIL image instead of an array of shape (H, W, 3), dtype uint8.

    Raises:
        TypeError: if `to_pil` is not a bool; when called with something else than an array of rank 1, dtype uint8,
            an array of one element of type bytes, or bytes.
        RuntimeError: if they are not an image file (ValueError with `to_pil`), or the array has another dtype.
    """

    device = device

    def __init__(self, to_pil: bool = False) -> None:
        self.to_pil = self.python_only = checks.check_bool("Decode", "to_pil", to_pil)

    def __call__(self, encoded: Any) -> Any:
        """Return the converted image."""
        if isinstance(encoded, np.ndarray):
            text = encoded.dtype.kind == "S" and encoded.size == 1  # as MindDataset gives bytes
            if not text and (encoded.dtype != np.uint8 or encoded.ndim != 1):
                raise (RuntimeError if encoded.ndim == 1 else TypeError)(
                    f"`Decode`: takes the bytes of a file, uint8 of rank 1. Received: {encoded.dtype} {encoded.shape}."
                )
            encoded = encoded.tobytes() if text else np.ascontiguousarray(encoded).data
        if not isinstance(encoded, bytes | bytearray | memoryview):
            raise TypeError(
                f"`Decode`: takes an array or bytes. Received: {encoded!r} ({type(encoded).__name__})."
            )
        try:
            pixels = decode("Decode", np.frombuffer(encoded, np.uint8))
        except RuntimeError as error:
            if self.to_pil:  # where MindSpore decodes with PIL
                raise ValueError(str(error)) from None
            raise
        return to_pil(pixels) if self.to_pil else pixels
