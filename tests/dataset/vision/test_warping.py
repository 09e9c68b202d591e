"""Image transforms that move, blur and sharpen: `tests/goldens/warping_cases.py` against what real MindSpore gave."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msjax.dataset import vision

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))

import warping_cases  # noqa: E402
from dataset_values import evaluate  # noqa: E402

RECORDED = json.loads((GOLDENS / "warping.json").read_text("utf8"))
IMAGE = warping_cases.namespace(vision)["I"]


def close(want: Any, got: Any) -> bool:
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(close, want, got))
    if isinstance(want, dict):
        return (
            isinstance(got, dict) and want.keys() == got.keys() and all(close(want[k], got[k]) for k in want)
        )
    return math.isclose(want, got, rel_tol=2e-6, abs_tol=1e-6) if isinstance(want, float) else want == got


@pytest.mark.parametrize("source", warping_cases.CASES)
def test_values_and_errors_are_those_of_mindspore(source: str) -> None:
    got = json.loads(json.dumps(evaluate(source, warping_cases.namespace(vision))))
    if source in warping_cases.ROUNDED:
        want, got = (json.loads(json.dumps(one)) for one in (RECORDED[source], got))
        pixels = [np.array(one.pop("data")) for one in (want, got)]
        assert want == got
        assert np.abs(pixels[0] - pixels[1]).max() <= 1
        assert (pixels[0] != pixels[1]).mean() < 0.5
    else:
        assert close(RECORDED[source], got)


def test_random_perspective_and_policies_keep_the_kind_of_image() -> None:
    image = vision.ToPIL()(IMAGE)
    assert vision.RandomPerspective(0.5, 1.0)(image).size == (8, 6)
    for transform in (
        vision.RandAugment(),
        vision.TrivialAugmentWide(),
        vision.UniformAugment([vision.VerticalFlip(), vision.RandomColor()]),
        vision.RandomSelectSubpolicy([[(vision.VerticalFlip(), 1.0)]]),
    ):
        for _ in range(20):
            given = transform(IMAGE)
            assert given.shape == IMAGE.shape
            assert given.dtype == np.uint8


def test_cut_mix_adds_labels_by_area() -> None:
    images = np.stack([np.zeros((8, 8, 1), np.uint8), np.ones((8, 8, 1), np.uint8)])
    for _ in range(10):
        mixed, labels = vision.CutMixBatch(vision.ImageBatchFormat.NHWC)(images, np.eye(2, dtype=np.float32))
        assert np.allclose(labels[:, 1], mixed.mean((1, 2, 3)))


def test_images_survive_files(tmp_path: Path) -> None:
    path = str(tmp_path / "a.png")
    vision.write_png(path, IMAGE)
    assert np.array_equal(vision.read_image(path), IMAGE)
    assert vision.read_image(path, vision.ImageReadMode.GRAYSCALE).shape == (6, 8, 1)
    assert np.array_equal(vision.Decode()(vision.read_file(path)), IMAGE)
    assert bytes(vision.encode_jpeg(IMAGE)[:2]) == b"\xff\xd8"


def test_rotations_of_arrays_fill_blue_green_and_red_in_this_order() -> None:
    # As MindSpore does, against its documentation.
    assert vision.Rotate(45, fill_value=(1, 2, 3))(IMAGE)[0, 0].tolist() == [3, 2, 1]
