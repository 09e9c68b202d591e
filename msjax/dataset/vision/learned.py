"""AutoAugment: pairs of image operations learned for a dataset."""

from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.random.generators import transform_generator
from msjax.dataset.vision.enums import AutoAugmentPolicy, Inter
from msjax.dataset.vision.policies import SIGNED, Magnitudes, magnitude_table

# Kind, probability and strength of 0 to 9 of two operations; 25 pairs each. Source: the paper's tables 7 to 9.
_PAIRS = {
    AutoAugmentPolicy.IMAGENET: """
    Posterize 0.4 8, Rotate 0.6 9; Solarize 0.6 5, AutoContrast 0.6; Equalize 0.8, Equalize 0.6;
    Posterize 0.6 7, Posterize 0.6 6; Equalize 0.4, Solarize 0.2 4; Equalize 0.4, Rotate 0.8 8;
    Solarize 0.6 3, Equalize 0.6; Posterize 0.8 5, Equalize 1.0; Rotate 0.2 3, Solarize 0.6 8;
    Equalize 0.6, Posterize 0.4 6; Rotate 0.8 8, Color 0.4 0; Rotate 0.4 9, Equalize 0.6; Equalize 0.0, Equalize 0.8;
    Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8; Rotate 0.8 8, Color 1.0 2; Color 0.8 8, Solarize 0.8 7;
    Sharpness 0.4 7, Invert 0.6; ShearX 0.6 5, Equalize 1.0; Color 0.4 0, Equalize 0.6; Equalize 0.4, Solarize 0.2 4;
    Solarize 0.6 5, AutoContrast 0.6; Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8;
    Equalize 0.8, Equalize 0.6
    """,
    AutoAugmentPolicy.CIFAR10: """
    Invert 0.1, Contrast 0.2 6; Rotate 0.7 2, TranslateX 0.3 9; Sharpness 0.8 1, Sharpness 0.9 3;
    ShearY 0.5 8, TranslateY 0.7 9; AutoContrast 0.5, Equalize 0.9; ShearY 0.2 7, Posterize 0.3 7;
    Color 0.4 3, Brightness 0.6 7; Sharpness 0.3 9, Brightness 0.7 9; Equalize 0.6, Equalize 0.5;
    Contrast 0.6 7, Sharpness 0.6 5; Color 0.7 7, TranslateX 0.5 8; Equalize 0.3, AutoContrast 0.4;
    TranslateY 0.4 3, Sharpness 0.2 6; Brightness 0.9 6, Color 0.2 8; Solarize 0.5 2, Invert 0.0;
    Equalize 0.2, AutoContrast 0.6; Equalize 0.2, Equalize 0.6; Color 0.9 9, Equalize 0.6;
    AutoContrast 0.8, Solarize 0.2 8; Brightness 0.1 3, Color 0.7 0; Solarize 0.4 5, AutoContrast 0.9;
    TranslateY 0.9 9, TranslateY 0.7 9; AutoContrast 0.9, Solarize 0.8 3; Equalize 0.8, Invert 0.1;
    TranslateY 0.7 9, AutoContrast 0.9
    """,
    AutoAugmentPolicy.SVHN: """
    ShearX 0.9 4, Invert 0.2; ShearY 0.9 8, Invert 0.7; Equalize 0.6, Solarize 0.6 6; Invert 0.9, Equalize 0.6;
    Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, AutoContrast 0.8; ShearY 0.9 8, Invert 0.4; ShearY 0.9 5, Solarize 0.2 6;
    Invert 0.9, AutoContrast 0.8; Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, Solarize 0.3 3; ShearY 0.8 8, Invert 0.7;
    Equalize 0.9, TranslateY 0.6 6; Invert 0.9, Equalize 0.6; Contrast 0.3 3, Rotate 0.8 4;
    Invert 0.8, TranslateY 0.0 2; ShearY 0.7 6, Solarize 0.4 8; Invert 0.6, Rotate 0.8 4;
    ShearY 0.3 7, TranslateX 0.9 3; ShearX 0.1 6, Invert 0.6; Solarize 0.7 2, TranslateY 0.6 7;
    ShearY 0.8 4, Invert 0.8; ShearX 0.7 9, TranslateY 0.8 3; ShearY 0.8 5, AutoContrast 0.7; ShearX 0.7 2, Invert 0.1
    """,
}


class AutoAugment(Magnitudes):
    """One of 25 pairs of operations, each applied with its probability (E. Cubuk et al., "AutoAugment", 2018).

    Args:
        policy: an `AutoAugmentPolicy`: for which dataset the pairs were learned.
        interpolation: Inter.NEAREST or Inter.BILINEAR.
        fill_value: an int in [0, 255], or three of them, for what lies outside of the image.

    Raises:
        TypeError, ValueError: for other arguments. NotImplementedError: for other interpolations.
        RuntimeError: when called with something else than (H, W, 3) of dtype uint8.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import vision
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> vision.AutoAugment(vision.AutoAugmentPolicy.CIFAR10)(image).shape
        (8, 8, 3)
    """

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        if not isinstance(policy, AutoAugmentPolicy):
            raise TypeError(
                checks.argument_error_text("AutoAugment", "policy", "be an AutoAugmentPolicy", policy)
            )
        super().__init__(interpolation, fill_value)
        self.policy = policy
        self.pairs = [pair.split(",") for pair in _PAIRS[policy].split(";")]

    def apply(self, image: np.ndarray) -> np.ndarray:
        """Return the changed image."""
        self._check(image)
        space = magnitude_table(10, False, *image.shape[:2]) | {
            "Solarize": np.linspace(256, 0, 10)
        }  # not 255 here
        draw = transform_generator(self)
        pair = self.pairs[draw.below(len(self.pairs))]
        chances = [draw.share() for _ in pair]
        signs = [draw.below(2) for _ in pair]
        for operation, chance, ahead in zip(pair, chances, signs, strict=True):
            kind, probability, *level = operation.split()
            if chance <= np.float32(probability):
                strength = float(space[kind][int(level[0])]) if level else 0.0
                image = self._change(image, kind, strength if ahead or kind not in SIGNED else -strength)
        return image
