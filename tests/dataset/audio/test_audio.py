"""`mindspore.dataset.audio`: `tests/goldens/audio_cases.py` against what real MindSpore gave."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msjax.dataset import audio

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))

import audio_cases  # noqa: E402
from dataset_values import evaluate  # noqa: E402

RECORDED = json.loads((GOLDENS / "audio.json").read_text("utf8"))
NAMES = audio_cases.namespace(audio)


def close(want: Any, got: Any) -> bool:
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(close, want, got))
    if isinstance(want, dict):
        return (
            isinstance(got, dict) and want.keys() == got.keys() and all(close(want[k], got[k]) for k in want)
        )
    return math.isclose(want, got, rel_tol=1e-5, abs_tol=1e-6) if isinstance(want, float) else want == got


@pytest.mark.parametrize("source", audio_cases.CASES)
def test_values_and_errors_are_those_of_mindspore(source: str) -> None:
    assert close(RECORDED[source], json.loads(json.dumps(evaluate(source, NAMES))))


def test_mel_spectrogram_is_its_two_parts() -> None:
    # MindSpore's own gives other numbers than its Spectrogram and MelScale one after the other.
    signal = NAMES["L"]
    parts = audio.MelScale(4, 8000, n_stft=9)(audio.Spectrogram(16)(signal))
    assert np.allclose(audio.MelSpectrogram(8000, 16, n_mels=4)(signal), parts)


def test_random_stripes_and_noise_stay_small() -> None:
    spectrum = np.ones((2, 8, 10))
    for _ in range(10):
        given = audio.TimeMasking(True, 3)(spectrum)
        assert ((given == 0).all(1).sum(-1) <= 3).all()
        given = audio.FrequencyMasking(True, 3)(spectrum)
        assert ((given == 0).all(-1).sum(-1) <= 3).all()
        assert (audio.MaskAlongAxisIID(4, 0.5, 2)(spectrum) == 0.5).sum() <= 2 * 8 * 4
    for kind in audio.DensityFunction:
        noisy = audio.Dither(kind)(NAMES["L"])
        assert np.abs(noisy - NAMES["L"]).max() < 4 / 32768


def test_griffin_lim_finds_a_signal_with_the_spectrum() -> None:
    signal = np.sin(np.arange(200) * 0.4)
    wanted = audio.Spectrogram(16, power=1.0)(signal)
    for momentum in (0.0, 0.9):
        found = audio.GriffinLim(16, 60, power=1.0, momentum=momentum)(wanted)
        error = np.abs(audio.Spectrogram(16, power=1.0)(found) - wanted).mean()
        assert error < 0.2 * wanted.mean()


def test_vad_begins_with_the_voice() -> None:
    # MindSpore's own finds no voice in it.
    time = np.arange(12000)
    voice = np.sin(2 * np.pi * 200 * time / 8000) * np.abs(np.sin(time / 900))
    noise = np.random.default_rng(0).standard_normal(24000) * 0.001
    found = audio.Vad(8000)(np.concatenate([np.zeros(12000), voice]) + noise)
    assert 12000 <= len(found) <= 14000


def test_angle():
    values = np.array([[1.0, 2.0], [3.0, -1.0]])
    for dtype, given in (
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int32, np.float32),
        (np.float16, np.float32),
    ):
        angles = audio.Angle()(values.astype(dtype))
        assert angles.dtype == given
        np.testing.assert_allclose(angles, [1.10714872, -0.32175055], rtol=1e-6)
    with pytest.raises(RuntimeError, match="2 values"):
        audio.Angle()(np.ones((2, 3)))


@pytest.mark.parametrize("rates", [(0.5, 2), (2, 0.5), (0, 1)])
def test_rates_below_one_are_refused(rates):
    with pytest.raises(ValueError, match="must be at least 1"):
        audio.Resample(*rates)
