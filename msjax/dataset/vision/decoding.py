"""Decoding combined with a random crop and resize, from the bytes of a file."""

from typing import Any

from msjax.dataset.vision.crops import RandomResizedCrop
from msjax.dataset.vision.enums import Inter
from msjax.dataset.vision.pixels import Decode


class RandomCropDecodeResize(RandomResizedCrop):
    """`Decode`, then `RandomResizedCrop`..

    Args:
        size: (height, width) to resize to, or an int for both.
        scale: (lowest, highest) share of the image's area.
        ratio: (lowest, highest) proportion of width to height.
        interpolation: an `Inter`.
        max_attempts: how often to try to find a rectangle that fits, before taking the middle.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something that is not an image file, in an array of rank 1, dtype uint8, or in bytes.
    """

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3 / 4, 4 / 3),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        super().__init__(size, scale, ratio, interpolation, max_attempts)
        self._decode = Decode()

    def __call__(self, *images: Any) -> Any:
        """Return the resized rectangle."""
        if len(images) != 1:
            raise RuntimeError(f"`RandomCropDecodeResize`: takes one image. Received: {len(images)}.")
        return super().__call__(self._decode(images[0]))
