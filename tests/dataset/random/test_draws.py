"""Draws of random transforms after a seed, against MindSpore's own images."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from msjax import dataset as ds
from msjax.dataset import audio, transforms, vision
from msjax.dataset.vision import warping
from tests.goldens.draws_cases import digests, perspectives

GOLDENS = Path(__file__).parents[2] / "goldens"


@pytest.fixture(autouse=True)
def no_seed() -> Iterator[None]:
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def test_images_after_a_seed_are_those_of_mindspore() -> None:
    recorded, got = json.loads((GOLDENS / "draws.json").read_text()), digests(ds, vision, transforms, audio)
    assert [name for name in recorded if recorded[name] != got[name]] == []
    assert recorded.keys() == got.keys()


def test_perspectives_after_a_seed_are_those_of_mindspore(monkeypatch: pytest.MonkeyPatch) -> None:
    """Least squares, in MindSpore as here, has other last bits on another CPU, or with another NumPy.

    The systems' condition number is below 3,000 and images are 24 pixels high, so rounding (2 ** -52) moves the place
    that a pixel is taken from by some 2e-11. That decides whether a place on the image's border is in it or black, and
    which way a grey level is rounded. So MindSpore's must be among those of places moved by 1e-9 to each side.
    """
    recorded, project = np.load(GOLDENS / "draws_perspectives.npz")["images"], warping.projective_map
    moved = []
    for shift in [(-1e-9, -1e-9), (-1e-9, 1e-9), (1e-9, -1e-9), (1e-9, 1e-9)]:
        by = np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1]])

        def project_and_move(*corners: object, by: np.ndarray = by) -> np.ndarray:
            matrix = by @ project(*corners)
            return matrix / matrix[2, 2]

        monkeypatch.setattr(warping, "projective_map", project_and_move)
        moved.append(perspectives(ds, vision)["images"])
    assert np.all(np.min(moved, 0) <= recorded)
    assert np.all(recorded <= np.max(moved, 0))
    apart = np.ptp(np.stack(moved).astype(int), axis=0)
    assert (apart > 1).mean() < 0.01  # most are told exactly
