"""What random transforms draw after a seed, against MindSpore's own images."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from msjax import dataset as ds
from msjax.dataset import audio, transforms, vision
from tests.goldens.draws_cases import digests

pytest.importorskip("PIL.Image")
GOLDENS = Path(__file__).parents[1] / "goldens"


@pytest.fixture(autouse=True)
def no_seed() -> Iterator[None]:
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def test_images_after_a_seed_are_those_of_mindspore() -> None:
    recorded, got = json.loads((GOLDENS / "draws.json").read_text()), digests(ds, vision, transforms, audio)
    assert [name for name in recorded if recorded[name] != got[name]] == []
    assert recorded.keys() == got.keys()
