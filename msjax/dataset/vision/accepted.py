"""Accepted inputs of each image transform: dtypes, ranks and channels, as in MindSpore's own code (OpenCV)."""

from functools import cache, lru_cache

import numpy as np

_OPENCV = "uint8 int8 uint16 int16 int32 bool float16 float32 float64"
_DTYPES = {
    "any": f"{_OPENCV} uint32 uint64 int64",
    "opencv": _OPENCV,
    "single": _OPENCV.replace("float16 ", ""),
    "mixed": "uint8 uint16 int16 bool float32 float64",
    "grey": "uint8 uint16 float32",
    "colour": "uint8 uint16 bool float32",
    "hue": "uint8 float32",
    "bytes": "uint8 bool",
    "posters": "uint8 int8 bool",
}
# Shapes: "all" for rank 2 and more; "flat" for (H, W) and (H, W, C); "hwc" for (H, W, C); "pictures" for (H, W),
# (H, W, 1) and (H, W, 3); "rgb" for (H, W, 3); "channels" for any rank from 2 with 1 or 3 channels.
_RULES = """
    Rescale RandomResize Resize HorizontalFlip RandomHorizontalFlip VerticalFlip CenterCrop: opencv all
    RandomSelectSubpolicy RandomResizedCrop: opencv all
    RandomVerticalFlip Crop SlicePatches ToTensor ResizedCrop: opencv flat
    RandomCrop AdjustGamma: opencv channels
    AdjustBrightness Pad PadToSize: opencv pictures
    Erase RandomLighting: opencv rgb
    Rotate: single all
    Affine HWC2CHW Perspective RandomAffine RandomRotation: single flat
    Solarize RandomSolarize: single pictures
    Invert RandomInvert: single rgb
    AdjustSharpness GaussianBlur RandomAdjustSharpness RandomSharpness: mixed flat
    AdjustContrast AdjustSaturation: grey rgb
    RandomColor: colour rgb
    RandomColorAdjust: opencv rgb
    AutoAugment RandAugment TrivialAugmentWide: any rgb
    ConvertColor: colour flat
    AdjustHue: hue rgb
    Posterize RandomPosterize: posters flat
    AutoContrast Equalize RandomAutoContrast RandomEqualize: bytes pictures
    CutOut: any hwc
    Normalize: any all
    NormalizePad: any flat
"""
_FORMS = {
    "all": "(..., H, W) or (..., H, W, C)",
    "flat": "(H, W) or (H, W, C)",
    "hwc": "(H, W, C)",
    "pictures": "(H, W), (H, W, 1) or (H, W, 3)",
    "rgb": "(H, W, 3)",
    "channels": "(H, W), (..., H, W, 1) or (..., H, W, 3)",
}
# What comes back as bool from an image of bools; other transforms of OpenCV's give uint8.
_KEEP_BOOL = """
    HorizontalFlip RandomHorizontalFlip VerticalFlip RandomVerticalFlip CenterCrop Crop Erase Resize
    RandomResize ResizedCrop RandomResizedCrop Rotate RandomRotation Affine RandomAffine HWC2CHW Invert RandomInvert
    Solarize RandomSolarize ConvertColor AdjustBrightness AdjustGamma RandomColorAdjust RandomLighting
    RandomSelectSubpolicy
""".split()


@lru_cache(maxsize=256)
def _rule(cls: type) -> tuple[str, str] | None:
    rules = {
        name: tuple(rule.split())
        for names, rule in (line.split(":") for line in _RULES.strip().splitlines())
        for name in names.split()
    }
    return next((rules[one.__name__] for one in cls.__mro__ if one.__name__ in rules), None)  # type: ignore[return-value]


@cache
def _knows(kinds: str, dtype: np.dtype) -> bool:
    return dtype.name in _DTYPES[kinds].split()


def check_image(cls: type, image: np.ndarray) -> None:
    """Raise for an image that MindSpore's transform does not accept.

    Args:
        cls (type): the transform's class.
        image (ndarray): with numbers, of rank 2 or more.

    Raises:
        RuntimeError: for another dtype, rank or number of channels, or an image without pixels.
    """
    rule = _rule(cls)
    if rule is None:
        return
    op, (kinds, form) = cls.__name__, rule
    if not _knows(kinds, image.dtype):
        raise RuntimeError(
            f"`{op}`: takes images of dtype {', '.join(_DTYPES[kinds].split())}. Received: {image.dtype}. "
            f"Convert it before, with ToType or astype."
        )
    if not _fits(image.shape, form):
        raise RuntimeError(f"`{op}`: takes images of shape {_FORMS[form]}. Received: {image.shape}.")
    if image.size == 0:
        raise RuntimeError(f"`{op}`: the image has no pixels. Received: shape {image.shape}.")


def _fits(shape: tuple[int, ...], form: str) -> bool:
    rank, channels = len(shape), 1 if len(shape) == 2 else shape[-1]
    return {
        "all": True,
        "flat": rank <= 3,
        "hwc": rank == 3,
        "pictures": rank <= 3 and channels in (1, 3),
        "rgb": rank == 3 and channels == 3,
        "channels": channels in (1, 3),
    }[form]


def check_interpolation(op: str, image: np.ndarray) -> None:
    """Raise for an image that OpenCV does not interpolate.

    Raises:
        RuntimeError: for another dtype.
    """
    if not _knows("mixed", image.dtype):
        raise RuntimeError(
            f"`{op}`: interpolates images of dtype {_DTYPES['mixed'].replace(' ', ', ')}. Received: {image.dtype}."
        )


def keeps_bool(cls: type) -> bool:
    """Return True if the transform keeps the dtype of a bool image."""
    return any(one.__name__ in _KEEP_BOOL for one in cls.__mro__)
