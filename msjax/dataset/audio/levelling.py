"""Spectrogram transforms: decibel conversion, deltas, masking (SpecAugment), time stretching, mean normalization."""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.base import AudioTransform, check_enum
from msjax.dataset.audio.options import BorderType, ScaleType
from msjax.dataset.common import checks
from msjax.dataset.random.generators import transform_generator
from msjax.ops.common.docstrings import documented_by


class AmplitudeToDB(AudioTransform):
    """A spectrum in dB.

    Args:
        stype: a `ScaleType`.
        ref_value: what is 0 dB.
        amin: smaller values count as this (in MindSpore only a smaller `ref_value` does).
        top_db: how far below the largest value the smallest may be.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    rank = 2

    def __init__(
        self,
        stype: ScaleType = ScaleType.POWER,
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: float = 80.0,
    ) -> None:
        op = "AmplitudeToDB"
        self.factor = 10 if check_enum(op, "stype", stype, ScaleType) is ScaleType.POWER else 20
        for name, value in (("ref_value", ref_value), ("amin", amin), ("top_db", top_db)):
            if checks.check_number(op, name, value, 0) == 0:
                checks.fail(ValueError, op, name, "be positive", value)
        self.reference, self.least, self.top = ref_value, amin, top_db

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum in dB."""
        zero = math.log10(max(self.least, self.reference))
        levels = self.factor * (np.log10(np.maximum(signal, self.least)) - zero)
        highest = levels.max(tuple(range(-min(3, levels.ndim), 0)), keepdims=True)
        return np.maximum(levels, highest - self.top)


class DBToAmplitude(AudioTransform):
    """A signal from dB: ref * (10 ** (0.1 * x)) ** power.

    Args:
        ref: what is 0 dB.
        power: 1 for powers, 0.5 for amplitudes.

    Raises:
        TypeError, ValueError: for other numbers. RuntimeError: when called with something else than floats.
    """

    def __init__(self, ref: float, power: float) -> None:
        self.reference = checks.check_number("DBToAmplitude", "ref", ref)
        self.power = checks.check_number("DBToAmplitude", "power", power)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the amplitudes."""
        return self.reference * (10 ** (0.1 * signal)) ** self.power


class Angle(AudioTransform):
    """The angles of complex numbers (..., 2).

    Raises:
        RuntimeError: when called with another shape.
    """

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the angles."""
        if signal.shape[-1] != 2:
            raise RuntimeError(f"`Angle`: the last axis must have 2 values. Received: {signal.shape}.")
        return np.arctan2(signal[..., 1], signal[..., 0])


class ComplexNorm(AudioTransform):
    """The magnitudes of complex numbers (..., 2).

    Args:
        power: their exponent, not negative.

    Raises:
        TypeError, ValueError: for another one. RuntimeError: when called with another shape.
    """

    def __init__(self, power: float = 1.0) -> None:
        self.power = checks.check_number(type(self).__name__, "power", power, 0)

    def apply(self, signal: np.ndarray) -> Any:
        """Return the magnitudes."""
        if signal.shape[-1] != 2:
            raise RuntimeError(
                f"`{type(self).__name__}`: the last axis must have 2 values. Received: {signal.shape}."
            )
        return np.hypot(signal[..., 0], signal[..., 1]) ** self.power


class Magphase(ComplexNorm):
    """The magnitudes and the angles of complex numbers (..., 2); arguments and errors as for `ComplexNorm`."""

    def apply(self, signal: np.ndarray) -> Any:
        """Return magnitude and phase."""
        return super().apply(signal), np.arctan2(signal[..., 1], signal[..., 0])


class ComputeDeltas(AudioTransform):
    """The slopes of a spectrum along time.

    Args:
        win_length: odd, at least 3: how many neighbours count.
        pad_mode: a `BorderType`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    rank = 2

    def __init__(self, win_length: int = 5, pad_mode: BorderType = BorderType.EDGE) -> None:
        self.reach = (checks.check_int("ComputeDeltas", "win_length", win_length, 3) - 1) // 2
        self.mode: Any = check_enum("ComputeDeltas", "pad_mode", pad_mode, BorderType).value

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the slopes."""
        n, length = self.reach, signal.shape[-1]
        wide = np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(n, n)], self.mode)
        parts = (k * wide[..., k + n : k + n + length] for k in range(-n, n + 1))
        return sum(parts, np.zeros_like(signal)) / (n * (n + 1) * (2 * n + 1) / 3)


def _mask_range(signal: np.ndarray, start: int, width: int, value: float, axis: int) -> np.ndarray:
    given = signal.copy()
    np.moveaxis(given, axis, -1)[..., start : start + width] = value
    return given


class MaskAlongAxis(AudioTransform):
    """A stripe of a spectrum set to a value.

    Args:
        mask_start: where it begins.
        mask_width: its width, at least 1.
        mask_value: the value.
        axis: 1 for frequencies, 2 for time, of (channel, frequency, time).

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with a smaller spectrum.
    """

    rank = 2

    def __init__(self, mask_start: int, mask_width: int, mask_value: float, axis: int) -> None:
        op = "MaskAlongAxis"
        self.start = checks.check_int(op, "mask_start", mask_start, 0)
        self.width = checks.check_int(op, "mask_width", mask_width, 1)
        self.value = checks.check_number(op, "mask_value", mask_value)
        self.axis = checks.check_int(op, "axis", axis, 1, 2)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum with the stripe."""
        if self.start + self.width > signal.shape[self.axis - 3]:
            raise RuntimeError(
                f"`MaskAlongAxis`: the stripe reaches beyond the spectrum. Received: shape {signal.shape}."
            )
        return _mask_range(signal, self.start, self.width, self.value, self.axis - 3)


@documented_by(MaskAlongAxis)
class MaskAlongAxisIID(AudioTransform):
    """A stripe of random place and width set to a value.

    Args:
        mask_param: its greatest width.
    """

    rank = 2

    def __init__(self, mask_param: int, mask_value: float, axis: int) -> None:
        op = "MaskAlongAxisIID"
        self.most = checks.check_int(op, "mask_param", mask_param, 0)
        self.value = checks.check_number(op, "mask_value", mask_value)
        self.axis = checks.check_int(op, "axis", axis, 1, 2)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum with the stripe."""
        length = signal.shape[self.axis - 3]
        if self.most > length:
            raise RuntimeError(
                f"`MaskAlongAxisIID`: mask_param={self.most} is more than the {length} there are."
            )
        draw = transform_generator(self).below
        width = draw(self.most + 1)
        return _mask_range(signal, draw(length - width + 1), width, self.value, self.axis - 3)


@documented_by(MaskAlongAxis)
class TimeMasking(AudioTransform):
    """Times of a spectrum set to a value.

    Args:
        iid_masks: each channel has its own random stripe, at most `time_mask_param` wide.
        time_mask_param: else the width.
        mask_start: else where it begins.
    """

    rank = 2
    axis, name = -1, "time_mask_param"

    def __init__(
        self, iid_masks: bool = False, time_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
    ) -> None:
        self._set(iid_masks, time_mask_param, mask_start, mask_value)

    def _set(self, iid_masks: Any, width: Any, start: Any, value: Any) -> None:
        op = type(self).__name__
        self.random = checks.check_bool(op, "iid_masks", iid_masks)
        self.width = checks.check_int(op, self.name, width, 0)
        self.start = checks.check_int(op, "mask_start", start, 0)
        self.value = checks.check_number(op, "mask_value", value, 0)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum with the stripe."""
        op, length = type(self).__name__, signal.shape[self.axis]
        if self.width + (0 if self.random else self.start) > length:
            raise RuntimeError(
                f"`{op}`: {self.name}={self.width} reaches beyond the {length} values there are."
            )
        if not self.random:
            return _mask_range(signal, self.start, self.width, self.value, self.axis)
        draw = transform_generator(self).below
        width = draw(self.width + 1)
        return _mask_range(signal, draw(length - width + 1), width, self.value, self.axis)


class FrequencyMasking(TimeMasking):
    """Frequencies of a spectrum set to a value; arguments and errors as for `TimeMasking`."""

    axis, name = -2, "freq_mask_param"

    def __init__(
        self, iid_masks: bool = False, freq_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
    ) -> None:
        self._set(iid_masks, freq_mask_param, mask_start, mask_value)


class PhaseVocoder(AudioTransform):
    """A complex spectrum (..., frequency, time, 2) of another tempo, at the same pitch.

    Args:
        rate: how much faster.
        phase_advance: array (frequency, 1), the phase of each window, of the spectrum's dtype.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with another shape or dtype.
    """

    takes_integers = False
    rank = 3

    def __init__(self, rate: float, phase_advance: np.ndarray) -> None:
        if checks.check_number("PhaseVocoder", "rate", rate, 0) == 0:
            checks.fail(ValueError, "PhaseVocoder", "rate", "be positive", rate)
        if not isinstance(phase_advance, np.ndarray):
            checks.fail(TypeError, "PhaseVocoder", "phase_advance", "be an array", phase_advance)
        self.rate, self.advance = rate, phase_advance

    def __call__(self, *signals: Any) -> Any:
        """Return the spectrum of that tempo."""
        for signal in signals:
            if isinstance(signal, np.ndarray) and signal.dtype != self.advance.dtype:
                raise RuntimeError(
                    f"`PhaseVocoder`: the spectrum must be of phase_advance's dtype, {self.advance.dtype}. "
                    f"Received: {signal.dtype}."
                )
        return super().__call__(*signals)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum of that tempo."""
        if self.advance.shape != (signal.shape[-3], 1):
            raise RuntimeError(
                f"`PhaseVocoder`: argument `phase_advance` must have shape {(signal.shape[-3], 1)} for a spectrum "
                f"{signal.shape}. Received: {self.advance.shape}."
            )
        return _change_tempo("PhaseVocoder", signal, self.rate, self.advance)


def _change_tempo(op: str, signal: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Return `stretch_time`'s; one of unchanged tempo has all its channels on one axis, as in MindSpore."""
    if signal.shape[-1] != 2:
        raise RuntimeError(f"`{op}`: takes (..., frequency, time, 2). Received: shape {signal.shape}.")
    return signal.reshape(-1, *signal.shape[-3:]) if rate == 1 else stretch_time(signal, rate, advance)


def stretch_time(signal: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Stretch a spectrogram in time with a phase vocoder, every `rate`-th frame (J. Flanagan, R. Golden, 1966)."""
    spectrum = signal[..., 0] + 1j * signal[..., 1]
    times = np.arange(0, spectrum.shape[-1], rate)
    share, places = times % 1, times.astype(np.int64)
    wide = np.pad(spectrum, [(0, 0)] * (spectrum.ndim - 1) + [(0, 2)])
    now, after = wide[..., places], wide[..., places + 1]
    turn = np.angle(after) - np.angle(now) - advance
    turn = turn - 2 * math.pi * np.rint(turn / (2 * math.pi)) + advance
    phase = np.cumsum(np.concatenate([np.angle(spectrum[..., :1]), turn[..., :-1]], -1), -1)
    size = share * np.abs(after) + (1 - share) * np.abs(now)
    return np.stack([size * np.cos(phase), size * np.sin(phase)], -1)


class TimeStretch(AudioTransform):
    """Time stretching: `PhaseVocoder` with the phase advance of a hop length.

    Args:
        hop_length: samples from one window to the next. Default: as many as there are frequencies, less one.
        n_freq: frequencies of the spectrum; the phases are the same for any number.
        fixed_rate: how much faster. Default: 1.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with another shape.
    """

    rank = 3

    def __init__(
        self, hop_length: int | None = None, n_freq: int = 201, fixed_rate: float | None = None
    ) -> None:
        op = "TimeStretch"
        count = checks.check_int(op, "n_freq", n_freq, 1)
        self.hop = count - 1 if hop_length is None else checks.check_int(op, "hop_length", hop_length, 1)
        self.rate = 1.0 if fixed_rate is None else checks.check_number(op, "fixed_rate", fixed_rate, 0)
        if self.rate == 0:
            checks.fail(ValueError, op, "fixed_rate", "be positive", fixed_rate)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum of that tempo."""
        advance = np.linspace(0, math.pi * self.hop, signal.shape[-3])[:, None]
        return _change_tempo("TimeStretch", signal, self.rate, advance)


class SlidingWindowCmn(AudioTransform):
    """A spectrum (..., time, feature) less its mean over neighbouring times.

    Args:
        cmn_window: how many times count.
        min_cmn_window: at least how many at the beginning, unless `center`.
        center: the neighbours are on both sides, or before.
        norm_vars: divide by the deviation too.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    rank = 2

    def __init__(
        self, cmn_window: int = 600, min_cmn_window: int = 100, center: bool = False, norm_vars: bool = False
    ) -> None:
        op = "SlidingWindowCmn"
        self.window = checks.check_int(op, "cmn_window", cmn_window, 0)
        self.least = checks.check_int(op, "min_cmn_window", min_cmn_window, 0)
        self.center = checks.check_bool(op, "center", center)
        self.divides = checks.check_bool(op, "norm_vars", norm_vars)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum without its mean."""
        length = signal.shape[-2]
        parts = [self._one(signal, t, *self._range(t, length)) for t in range(length)]
        return np.stack(parts, -2)

    def _range(self, time: int, length: int) -> tuple[int, int]:
        start = time - self.window // 2 if self.center else time - self.window
        end = start + self.window if self.center else time + 1
        if start < 0:
            start, end = 0, end - start
        if not self.center and end > time:
            end = max(time + 1, self.least)
        if end > length:
            start, end = max(0, start - (end - length)), length
        return start, end

    def _one(self, signal: np.ndarray, time: int, start: int, end: int) -> np.ndarray:
        near = signal[..., start:end, :]
        centred = signal[..., time, :] - near.mean(-2)
        if not self.divides:
            return centred
        return centred / np.sqrt(near.var(-2)) if end - start > 1 else np.zeros_like(centred)
