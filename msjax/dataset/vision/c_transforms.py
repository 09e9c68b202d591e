"""The image transforms under the name that they had in MindSpore 1.x, where these were written in C++."""

from msjax.dataset.vision.colour import AutoContrast as AutoContrast
from msjax.dataset.vision.colour import Equalize as Equalize
from msjax.dataset.vision.colour import Invert as Invert
from msjax.dataset.vision.colour import Posterize as Posterize
from msjax.dataset.vision.colour import RandomColorAdjust as RandomColorAdjust
from msjax.dataset.vision.colour import RandomPosterize as RandomPosterize
from msjax.dataset.vision.colour import RandomSolarize as RandomSolarize
from msjax.dataset.vision.erasing import CutOut as CutOut
from msjax.dataset.vision.erasing import MixUpBatch as MixUpBatch
from msjax.dataset.vision.geometry import CenterCrop as CenterCrop
from msjax.dataset.vision.geometry import HorizontalFlip as HorizontalFlip
from msjax.dataset.vision.geometry import Pad as Pad
from msjax.dataset.vision.geometry import RandomCrop as RandomCrop
from msjax.dataset.vision.geometry import RandomHorizontalFlip as RandomHorizontalFlip
from msjax.dataset.vision.geometry import RandomResize as RandomResize
from msjax.dataset.vision.geometry import RandomResizedCrop as RandomResizedCrop
from msjax.dataset.vision.geometry import RandomVerticalFlip as RandomVerticalFlip
from msjax.dataset.vision.geometry import Resize as Resize
from msjax.dataset.vision.geometry import SlicePatches as SlicePatches
from msjax.dataset.vision.geometry import VerticalFlip as VerticalFlip
from msjax.dataset.vision.pixels import HWC2CHW as HWC2CHW
from msjax.dataset.vision.pixels import Decode as Decode
from msjax.dataset.vision.pixels import Normalize as Normalize
from msjax.dataset.vision.pixels import NormalizePad as NormalizePad
from msjax.dataset.vision.pixels import Rescale as Rescale
