"""The image transforms under the name that they had in MindSpore 1.x, where these were written in C++."""

from msjax.dataset.vision.colour import RgbToBgr as _RgbToBgr
from msjax.public_api.old_spellings import moved

__getattr__, __dir__ = moved(__name__)


class RgbToBgr(_RgbToBgr):
    """Swap red and blue of an image of shape (H, W, C)."""

    def __init__(self) -> None:
        super().__init__(is_hwc=True)
