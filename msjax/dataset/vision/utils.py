"""Names of `dataset.vision.utils`: enums for arguments, and functions of image files."""

from msjax.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from msjax.dataset.vision.enums import Border as Border
from msjax.dataset.vision.enums import ConvertMode as ConvertMode
from msjax.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from msjax.dataset.vision.enums import Inter as Inter
from msjax.dataset.vision.enums import SliceMode as SliceMode
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
