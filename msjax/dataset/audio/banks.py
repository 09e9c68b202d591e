"""Filter banks (mel, linear) and DCT matrices for spectrograms."""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.base import check_enum
from msjax.dataset.audio.options import MelType, NormMode, NormType
from msjax.dataset.common import checks
from msjax.ops.common.docstrings import documented_by


def create_dct(n_mfcc: int, n_mels: int, norm: NormMode = NormMode.NONE) -> np.ndarray:
    """Return the matrix (n_mels, n_mfcc), float32, of the cosine transform of type 2.

    Args:
        n_mfcc: coefficients.
        n_mels: filters.
        norm: a `NormMode`.

    Raises:
        TypeError, ValueError: for other arguments.
    """
    checks.check_int("create_dct", "n_mfcc", n_mfcc, 1)
    checks.check_int("create_dct", "n_mels", n_mels, 1)
    places = (np.arange(n_mels) + 0.5)[:, None] * np.arange(n_mfcc)
    matrix = np.cos(math.pi / n_mels * places)
    if check_enum("create_dct", "norm", norm, NormMode) is NormMode.NONE:
        return (2 * matrix).astype(np.float32)
    matrix[:, 0] /= math.sqrt(2)
    return (matrix * math.sqrt(2 / n_mels)).astype(np.float32)


def _triangles(places: np.ndarray, corners: np.ndarray) -> np.ndarray:
    widths = np.diff(corners)
    slopes = corners[None] - places[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.minimum(-slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:])
    return np.maximum(0, np.nan_to_num(sides)) + 0.0  # no negative zeros


def _span(op: str, f_min: Any, f_max: Any, sample_rate: int) -> tuple[float, float]:
    high = f_max if f_max is not None else sample_rate // 2
    checks.check_number(op, "f_min", f_min)
    checks.check_number(op, "f_max", high, 0)
    if f_min > high:
        checks.fail(ValueError, op, "f_max", f"be above f_min={f_min}", f_max)
    return float(f_min), float(high)


def linear_fbanks(n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int) -> np.ndarray:
    """Return a bank (n_freqs, n_filter), float32, of triangles of equal width.

    Args:
        n_freqs: frequencies of the spectrum, from 0 to half the sample rate.
        f_min: where the first triangle begins, in Hz.
        f_max: where the last one ends.
        n_filter: triangles.
        sample_rate: samples in a second.

    Raises:
        TypeError, ValueError: for other arguments.
    """
    op = "linear_fbanks"
    checks.check_number(op, "f_min", f_min, 0)
    low, high = _span(op, f_min, f_max, checks.check_int(op, "sample_rate", sample_rate, 1))
    places = np.linspace(0, sample_rate // 2, checks.check_int(op, "n_freqs", n_freqs, 1))
    corners = np.linspace(low, high, checks.check_int(op, "n_filter", n_filter, 1) + 2)
    return _triangles(places, corners).astype(np.float32)


@documented_by(linear_fbanks)
def melscale_fbanks(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
) -> np.ndarray:
    """Return a bank (n_freqs, n_mels), float32, of triangles of equal width on the mel scale.

    Args:
        n_mels: triangles.
        norm: NormType.SLANEY makes their areas equal.
        mel_type: a `MelType`.
    """
    checks.check_number("melscale_fbanks", "f_min", f_min, 0)
    return mel_bank("melscale_fbanks", "n_freqs", n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type)


def mel_bank(
    op: str,
    name: str,
    n_freqs: int,
    f_min: float,
    f_max: float | None,
    n_mels: int,
    sample_rate: int,
    norm: NormType,
    mel_type: MelType,
) -> np.ndarray:
    """Return `melscale_fbanks`' bank for an operator that may begin below 0 Hz, and names its argument otherwise."""
    check_enum(op, "norm", norm, NormType)
    check_enum(op, "mel_type", mel_type, MelType)
    low, high = _span(op, f_min, f_max, checks.check_int(op, "sample_rate", sample_rate, 1))
    places = np.linspace(0, sample_rate // 2, checks.check_int(op, name, n_freqs, 1))
    first, last = _mel(np.array([low, high]), mel_type)
    corners = _hertz(np.linspace(first, last, checks.check_int(op, "n_mels", n_mels, 1) + 2), mel_type)
    bank = _triangles(places, corners)
    if norm is NormType.SLANEY:
        bank *= 2 / (corners[2:] - corners[:-2])
    return bank.astype(np.float32)


_STEP, _BEND, _LOG = 200 / 3, 1000.0, math.log(6.4) / 27  # Slaney: linear up to 1 kHz, then logarithmic


def _mel(hertz: np.ndarray, kind: MelType) -> np.ndarray:
    if kind is MelType.HTK:
        return 2595 * np.log10(1 + hertz / 700)
    above = _BEND / _STEP + np.log(np.maximum(hertz, _BEND) / _BEND) / _LOG
    return np.where(hertz >= _BEND, above, hertz / _STEP)


def _hertz(mel: np.ndarray, kind: MelType) -> np.ndarray:
    if kind is MelType.HTK:
        return 700 * (10 ** (mel / 2595) - 1)
    above = _BEND * np.exp(_LOG * (np.maximum(mel, _BEND / _STEP) - _BEND / _STEP))
    return np.where(mel >= _BEND / _STEP, above, mel * _STEP)
