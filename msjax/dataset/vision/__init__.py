"""Image transforms (`mindspore.dataset.vision`)."""

from typing import Any

from msjax.dataset.common import placeholders as _absent
from msjax.dataset.vision import c_transforms as c_transforms
from msjax.dataset.vision import py_transforms as py_transforms
from msjax.dataset.vision import transforms as transforms
from msjax.dataset.vision import utils as utils
from msjax.dataset.vision.files import ImageReadMode as ImageReadMode
from msjax.dataset.vision.files import encode_jpeg as encode_jpeg
from msjax.dataset.vision.files import encode_png as encode_png
from msjax.dataset.vision.files import get_image_num_channels as get_image_num_channels
from msjax.dataset.vision.files import get_image_size as get_image_size
from msjax.dataset.vision.files import read_file as read_file
from msjax.dataset.vision.files import read_image as read_image
from msjax.dataset.vision.files import write_file as write_file
from msjax.dataset.vision.files import write_jpeg as write_jpeg
from msjax.dataset.vision.files import write_png as write_png
from msjax.dataset.vision.transforms import *  # noqa: F403
from msjax.dataset.vision.utils import AutoAugmentPolicy as AutoAugmentPolicy
from msjax.dataset.vision.utils import Border as Border
from msjax.dataset.vision.utils import ConvertMode as ConvertMode
from msjax.dataset.vision.utils import ImageBatchFormat as ImageBatchFormat
from msjax.dataset.vision.utils import Inter as Inter
from msjax.dataset.vision.utils import SliceMode as SliceMode


def __getattr__(name: str) -> Any:
    return _absent.transform_placeholder(__name__, name, _absent.IMAGE_TRANSFORMS)
