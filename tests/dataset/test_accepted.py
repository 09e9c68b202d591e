"""Which images transforms take, against MindSpore's; and how they refuse others."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from msjax.dataset import vision
from msjax.dataset.vision import Inter
from tests.goldens.accepted_cases import outcomes

GOLDEN = Path(__file__).parents[1] / "goldens" / "accepted.json"


def test_images_are_taken_and_refused_as_by_mindspore() -> None:
    recorded, got = json.loads(GOLDEN.read_text()), outcomes(vision)
    assert {name: got[name] for name in recorded} == recorded


@pytest.mark.parametrize(
    ("transform", "image", "parts"),
    [
        (vision.Pad(1), np.ones((2, 3, 4), np.uint8), ["`Pad`", "(H, W, 3)", "(2, 3, 4)"]),
        (vision.AdjustHue(0.1), np.ones((2, 3, 3), np.int16), ["`AdjustHue`", "uint8, float32", "int16", "ToType"]),
        (vision.Crop((0, 0), 1), np.ones((0, 3, 3), np.uint8), ["`Crop`", "no pixels", "(0, 3, 3)"]),
        (vision.Resize(4, Inter.PILCUBIC), np.ones((2, 3), np.uint8), ["`Resize`", "PILCUBIC", "(2, 3)"]),
        (vision.Rotate(2, Inter.PILCUBIC), np.ones((2, 3), np.uint8), ["PILCUBIC", "Inter.BICUBIC"]),
        (vision.Erase(1, 0, 3, 2), np.ones((2, 3, 3), np.uint8), ["`Erase`", "3 x 2", "(2, 3, 3)"]),
    ],
)  # fmt: skip
def test_refusals_say_what_would_do(transform: object, image: np.ndarray, parts: list[str]) -> None:
    with pytest.raises(RuntimeError) as caught:
        transform(image)  # type: ignore[operator]
    assert [part for part in parts if part not in str(caught.value)] == []


def test_pil_images_get_an_opaque_margin_and_an_even_middle() -> None:
    image = Image.fromarray(np.arange(8 * 7 * 4).reshape(8, 7, 4).astype(np.uint8))
    assert np.asarray(vision.Pad(1, 7)(image))[0, 0].tolist() == [7, 7, 7, 255]
    np.testing.assert_array_equal(np.asarray(vision.CenterCrop(5)(image)), np.asarray(image)[2:7, 1:6])
    np.testing.assert_array_equal(np.asarray(vision.AdjustGamma(0.5)(image)), np.asarray(image))
