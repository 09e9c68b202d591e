"""Expressions over image transforms that move, blur and sharpen."""

from typing import Any

import numpy as np


def namespace(vision: Any) -> dict[str, Any]:
    """The names that the expressions use."""
    colours = (np.arange(6 * 8 * 3).reshape(6, 8, 3) * 37 % 251).astype(np.uint8)
    ramp = np.arange(0, 160, 10)[None, :, None] + 5 * np.arange(12)[:, None, None] * np.ones((1, 1, 3), int)
    boxes = np.array([[1, 1, 4, 3, 0], [2, 0, 3, 2, 9]], np.float32)
    own = {name: getattr(vision, name) for name in dir(vision) if not name.startswith("_")}
    return own | {
        "I": colours,
        "S": ramp.astype(np.uint8),
        "F": (colours / 251).astype(np.float32),
        "G": colours[..., 0],
        "W": np.tile(colours[:2], (1, 40, 1)),
        "boxes": lambda rows=2: boxes[:rows].copy(),
        "P": ([[0, 0], [7, 0], [7, 5], [0, 5]], [[1, 1], [7, 0], [6, 5], [0, 4]]),
    }


CASES = [
    *(f"Rotate({d})(I)" for d in (90, 30, -45, 180)),
    *(f"Rotate({d}, expand=True)(I)" for d in (30, -45)),
    *(f"Rotate({d}, Inter.BILINEAR, fill_value=7)(S[..., 0])" for d in (30, -45)),
    "Rotate(30, center=(0, 0), fill_value=(9, 9, 9))(I)",
    "Rotate(30)(G)",
    "Rotate(30)(F)",
    "Rotate('a')",
    "RandomRotation((30, 30))(I)",
    "RandomRotation(-3)",
    "Affine(15, [0.2, 0.2], 1.1, [0, 0])(I)",
    "Affine(0, [0.25, 0], 1, 0)(I)",
    "Affine(20, [0, 0], 1.0, [-20, 30])(I)",
    "Affine(30, [-0.1, 0.1], 0.7, 10, Inter.BILINEAR, 9)(S)",
    "Affine(0, [2, 0], 1, 0)",
    "Affine(0, [0, 0], 0, 0)",
    "Affine(0, 0, 1, 0)",
    "RandomAffine(0)(I)",
    "RandomAffine((0, 0), scale=(2, 2), shear=(0, 0))(I)",
    "Perspective(*P, Inter.NEAREST)(I)",
    "Perspective(*P)(S)",
    "Perspective([[0, 0]], P[1])",
    "RandomPerspective(2)",
    "RandomPerspective()(I)",
    "GaussianBlur((5, 3), (1.0, 0.5))(F)",
    "GaussianBlur((3, 5))(F)",
    "GaussianBlur(4)",
    *(f"AdjustSharpness({f})(I)" for f in (0, 0.5, 2.0)),
    "AdjustSharpness(0)(G)",
    "AdjustSharpness(0)(F)",
    "AdjustSharpness(-1)",
    *(f"RandomColor(({f}, {f}))(I)" for f in (0, 0.5, 1, 2)),
    "RandomSharpness((2, 2))(I)",
    "RandomAdjustSharpness(2, 1.0)(I)",
    "RandomAdjustSharpness(2, 0.0)(I)",
    "RandomLighting(0)(I)",
    "RandomLighting(0)(G)",
    "AdjustHue(0.6)",
    "AdjustHue(0.1)(G)",
    "RandomHorizontalFlipWithBBox(1)(I, boxes())",
    "RandomVerticalFlipWithBBox(1)(I, boxes())",
    "RandomHorizontalFlipWithBBox(1)(I)",
    "RandomHorizontalFlipWithBBox(1)(I, boxes().astype(int))",
    "RandomHorizontalFlipWithBBox(1)(I, boxes() + 5)",
    "ResizeWithBBox((7, 11))(I, boxes())[1]",
    "ResizeWithBBox(12)(I, boxes())[1]",
    "RandomCropWithBBox((8, 10), padding=1)(I, boxes())",
    "RandomCropWithBBox((9, 9))(I, boxes())",
    "BoundingBoxAugment(HorizontalFlip(), 1.0)(I, boxes(1))",
    "CutMixBatch(ImageBatchFormat.NHWC, 1.0, 0.0)(I[None], boxes(1))[1]",
    "CutMixBatch(1)",
    "RandAugment(-1)",
    "RandAugment(2, 40, 31)",
    "RandAugment()(F)",
    "TrivialAugmentWide()(G)",
    "UniformAugment([VerticalFlip()], 2)",
    "RandomSelectSubpolicy([[(1, 2)]])",
    "get_image_size(I), get_image_num_channels(I), get_image_size(G), get_image_num_channels(G)",
    "encode_jpeg(F)",
    "encode_jpeg(I, 0)",
    "encode_png(I, 10)",
    "encode_jpeg(1)",
    "read_file('nope')",
    "read_image('nope')",
]

# Versions of OpenCV, or their code for other processors, round these differently: values differ by 1.
ROUNDED = [
    *(f"Resize({size}, Inter.BICUBIC)({image})" for size in ((9, 11), (4, 5), (12, 3)) for image in "ISG"),
    "AdjustHue(0.37)(W)",
]
CASES += ROUNDED
