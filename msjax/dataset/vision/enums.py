"""Enums for arguments of image transforms."""

from enum import Enum, IntEnum


class Inter(IntEnum):
    """Interpolation of images."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class AutoAugmentPolicy(str, Enum):  # noqa: UP042 - MindSpore's prints as `AutoAugmentPolicy.SVHN`
    """Dataset for which the pairs of `AutoAugment` were learned."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class Border(str, Enum):  # noqa: UP042 - MindSpore's prints as `Border.EDGE`
    """Padding mode of images: a value, the edge's pixels, or a mirror image without or with the edge."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ConvertMode(IntEnum):
    """Conversion between orders of color channels."""

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class SliceMode(IntEnum):
    """Policy of `SlicePatches` where the sizes do not divide: pad, or drop the rest."""

    PAD = 0
    DROP = 1


class ImageBatchFormat(IntEnum):
    """Layout of a batch of images: channels last or first."""

    NHWC = 0
    NCHW = 1
