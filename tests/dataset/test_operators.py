"""Operators at arguments drawn at random: `tests/goldens/operators_cases.py` against what real MindSpore gave."""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msjax import dataset as ds
from msjax.core import dtype
from msjax.dataset import audio

GOLDENS = Path(__file__).parents[1] / "goldens"
sys.path.insert(0, str(GOLDENS))

import operators_cases  # noqa: E402
from dataset_values import evaluate  # noqa: E402

RECORDED = json.loads((GOLDENS / "operators.json").read_text("utf8"))
NAMES = operators_cases.namespace(ds, dtype, audio)


@pytest.fixture(autouse=True)
def no_seed() -> Iterator[None]:
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def close(want: Any, got: Any) -> bool:
    """Float32 sums have other last bits in another order, and iterations carry them on."""
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(close, want, got))
    if isinstance(want, dict):
        return (
            isinstance(got, dict) and want.keys() == got.keys() and all(close(want[k], got[k]) for k in want)
        )
    return math.isclose(want, got, rel_tol=1e-3, abs_tol=1e-4) if isinstance(want, float) else want == got


@pytest.mark.parametrize("source", operators_cases.CASES)
def test_values_and_errors_are_those_of_mindspore(source: str) -> None:
    assert close(RECORDED[source], json.loads(json.dumps(evaluate(source, NAMES))))


def test_inverse_mel_scale_finds_a_spectrum_with_the_mel_spectrum() -> None:
    ds.config.set_seed(3)
    wanted = audio.MelScale(3, 8000, n_stft=9)(np.full((2, 9, 2), 2.0))
    found = audio.InverseMelScale(9, 3, 8000, max_iter=20000)(wanted)
    np.testing.assert_allclose(audio.MelScale(3, 8000, n_stft=9)(found), wanted, atol=0.05)
