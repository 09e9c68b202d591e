"""The image transforms under the name that they had in MindSpore 1.x, where these were written in Python.

They worked on PIL images, and after `ToTensor` on arrays whose channels come first.
"""

from typing import Any

from msjax.dataset.vision import erasing, pixels
from msjax.dataset.vision.colour import RgbToBgr as RgbToBgr
from msjax.public_api.old_spellings import moved

__getattr__, __dir__ = moved(__name__)


class Decode(pixels.Decode):
    """Decode the bytes of an image file to a PIL image."""

    def __init__(self) -> None:
        super().__init__(to_pil=True)


class Normalize(pixels.Normalize):
    """output = (image - mean) / std for each channel of an image of shape (C, H, W).

    Args:
        mean: list of numbers, one for each channel or one for all.
        std: as many.
    """

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean, std, is_hwc=False)


class NormalizePad(pixels.NormalizePad):
    """`Normalize`, with one more channel, of zeros.

    Args:
        mean: list of numbers, one for each channel or one for all.
        std: as many.
        dtype: "float32" or "float16".
    """

    def __init__(self, mean: Any, std: Any, dtype: str = "float32") -> None:
        super().__init__(mean, std, dtype, is_hwc=False)


class Cutout(erasing.CutOut):
    """Set squares at random places of an image of shape (C, H, W) to 0.

    Args:
        length: side of a square.
        num_patches: how many squares.
    """

    def __init__(self, length: int, num_patches: int = 1) -> None:
        super().__init__(length, num_patches, is_hwc=False)
