"""Which images each transform takes, and what it makes of those of dtype uint8."""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

DTYPES = "uint8 int8 uint16 int16 uint32 int32 uint64 int64 bool float16 float32 float64".split()
SHAPES = [
    (8, 9),
    (8, 9, 1),
    (8, 9, 2),
    (8, 9, 3),
    (8, 9, 4),
    (2, 8, 9, 1),
    (2, 8, 9, 3),
    (2, 2, 8, 9, 3),
    (0, 3, 3),
]
LETTERS = {"RuntimeError": "R", "TypeError": "T", "ValueError": "V"}


def transforms(vision: Any) -> dict[str, Any]:
    """The transforms by name; none of them draws, where what it gives is compared."""
    how, colours, slices = vision.Inter, vision.ConvertMode, vision.SliceMode
    corners = [[0, 0], [5, 0], [5, 5], [0, 5]], [[0, 1], [5, 0], [4, 5], [1, 4]]
    made = {
        "AdjustBrightness": (0.7,),
        "AdjustContrast": (0.7,),
        "AdjustGamma": (0.7, 1.2),
        "AdjustSaturation": (0.7,),
        "AdjustSharpness": (0.7,),
        "Affine": (15, (0.1, -0.1), 1.1, [5.0, 3.0], how.BILINEAR, (1, 2, 3)),
        "AutoContrast": (10.0, [3]),
        "CenterCrop": (5,),
        "Crop": ((1, 2), (3, 4)),
        "Equalize": (),
        "Erase": (1, 2, 3, 4, 7),
        "GaussianBlur": ((3, 5), (1.0, 2.0)),
        "HWC2CHW": (),
        "HorizontalFlip": (),
        "Invert": (),
        "Normalize": ([1.0, 2.0, 3.0], [2.0]*3),
        "Pad": ((1, 2), (7, 8, 9)),
        "PadToSize": ((12, 13),),
        "Perspective": corners,
        "RandomCrop": ((8, 9), 0),
        "RandomHorizontalFlip": (1.0,),
        "RandomResizedCrop": (8, (1.0, 1.0), (1.125, 1.125)),
        "RandomVerticalFlip": (1.0,),
        "Resize": ((5, 6),),
        "ResizedCrop": (1, 2, 3, 4, (5, 5)),
        "Rotate": (20, how.NEAREST, False, None, (1, 2, 3)),
        "SlicePatches": (2, 2, slices.PAD, 3),
        "Solarize": ((10, 100),),
        "ToTensor": (),
        "VerticalFlip": (),
    }  # fmt: skip
    found = {name: getattr(vision, name)(*arguments) for name, arguments in made.items()}
    found["Resize nearest"] = vision.Resize((5, 6), how.NEAREST)
    found["Resize cubic"] = vision.Resize((5, 6), how.BICUBIC)
    found["Rotate area"] = vision.Rotate(20, how.AREA)
    for name in colours.__members__:
        if name.startswith("COLOR"):
            found[name] = vision.ConvertColor(colours[name])
    return found


def images() -> Iterator[np.ndarray]:
    """All dtypes in one shape; then all shapes in the two usual dtypes."""
    for shape, dtypes in [((8, 9, 3), DTYPES), *((shape, ["uint8", "float32"]) for shape in SHAPES)]:
        numbers = np.arange(np.prod(shape)).reshape(shape) * 37 % 251
        for name in dtypes:
            yield (
                numbers > 125
                if name == "bool"
                else (numbers % 101 if name == "int8" else numbers).astype(name)
            )


def outcomes(vision: Any) -> dict[str, str]:
    """For each transform a letter for each image, a dot where it is taken, and a digest of what it gives for uint8.

    What versions of OpenCV round differently is no part of the digest; `warping_cases.ROUNDED` has it.
    """
    found = {}
    for name, transform in transforms(vision).items():
        letters, digest = "", hashlib.md5()
        for image in images():
            try:
                given = transform(image)
            except Exception as error:
                letters += LETTERS.get(type(error).__name__, "?")
                continue
            letters += "."
            parts = given if isinstance(given, tuple) else (given,)
            for part in parts:
                digest.update(f"{part.dtype} {part.shape}".encode())
                exact = image.dtype == part.dtype == np.uint8 and name != "Resize cubic"
                digest.update(part.tobytes() if exact else b"")
        found[name] = f"{letters} {digest.hexdigest()[:12]}"
    return found
