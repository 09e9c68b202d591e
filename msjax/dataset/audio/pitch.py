"""Pitch detection, resampling and pitch shifting."""

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from msjax.dataset.audio.base import AudioTransform, check_enum, check_sample_rate
from msjax.dataset.audio.levelling import stretch_time
from msjax.dataset.audio.options import ResampleMethod, WindowType
from msjax.dataset.audio.spectra import InverseSpectrogram, Spectrogram
from msjax.dataset.common import checks

_SMALL = 1e-9
_KAISER_BETA = 14.769656459379492


class DetectPitchFrequency(AudioTransform):
    """Pitch of each frame in Hz, by normalized cross-correlation and median smoothing.

    Args:
        sample_rate: samples in a second, not 0.
        frame_time: seconds of a frame.
        win_length: frames of a median.
        freq_low: lowest pitch.
        freq_high: highest pitch.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> tone = np.sin(2 * np.pi * 200 * np.arange(4000) / 8000)
        >>> audio.DetectPitchFrequency(8000)(tone)[20:23]
        array([200., 200., 200.], dtype=float32)
    """

    def __init__(
        self,
        sample_rate: int,
        frame_time: float = 0.01,
        win_length: int = 30,
        freq_low: float = 85,
        freq_high: float = 3400,
    ) -> None:
        op = "DetectPitchFrequency"
        self.rate = check_sample_rate(op, sample_rate)
        given = {"frame_time": frame_time, "freq_low": freq_low, "freq_high": freq_high}
        for name, value in given.items():
            if checks.check_number(op, name, value, 0) == 0:
                checks.fail(ValueError, op, name, "be above 0", value)
        self.window = checks.check_int(op, "win_length", win_length, 1)
        self.lags, self.first = math.ceil(sample_rate / freq_low), math.ceil(sample_rate / freq_high)
        self.size = math.ceil(sample_rate * frame_time)

    takes_integers = False

    def __call__(self, *signals: object) -> np.ndarray:
        """Return the pitches, always float32."""
        return super().__call__(*signals).astype(np.float32)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the pitches, (..., frames)."""
        alike = self._alike(signal)
        best = self._best(alike)
        margin = (self.window - 1) // 2
        missing = self.window - margin - best.shape[-1]
        if missing > 1:
            raise RuntimeError(
                f"`DetectPitchFrequency`: the signal has {missing} frames too few for win_length={self.window}."
            )
        if missing == 1:
            return np.zeros((*best.shape[:-1], 0))
        padded = np.concatenate([np.repeat(best[..., :1], margin, -1), best], -1)
        frames = sliding_window_view(padded, self.window, -1)
        middle = np.sort(frames, -1)[..., (self.window - 1) // 2]
        return self.rate / (_SMALL + middle)

    def _alike(self, signal: np.ndarray) -> np.ndarray:
        """Normalized cross-correlation of each frame with the same later: (..., frame, lag)."""
        count = math.ceil(signal.shape[-1] / self.size)
        padding = self.lags + count * self.size - signal.shape[-1]
        signal = np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, padding)])
        frames = sliding_window_view(signal, self.size, -1)
        early = frames[..., : count * self.size : self.size, :]
        norms = _SMALL + np.linalg.norm(frames, axis=-1)
        columns = []
        for lag in range(1, self.lags + 1):
            late = frames[..., lag : lag + count * self.size : self.size, :]
            scale = (
                norms[..., : count * self.size : self.size]
                * norms[..., lag : lag + count * self.size : self.size]
            )
            columns.append((early * late).sum(-1) / scale**2)
        return np.stack(columns, -1)

    def _best(self, alike: np.ndarray) -> np.ndarray:
        """Return the lag at which frames are most alike; a short one, if it is nearly as good."""
        half = alike.shape[-1] // 2
        anywhere = alike[..., self.first :]
        near = alike[..., self.first : half]
        if not anywhere.shape[-1]:
            raise RuntimeError("`DetectPitchFrequency`: freq_high must be above freq_low, for this rate.")
        if not near.shape[-1]:
            return anywhere.argmax(-1) + self.first + 1
        short = near.max(-1) > 0.99 * anywhere.max(-1)
        return np.where(short, near.argmax(-1), anywhere.argmax(-1)) + self.first + 1


def resample(
    signal: np.ndarray,
    old: int,
    new: int,
    method: ResampleMethod,
    crossings: int,
    rolloff: float,
    beta: float,
) -> np.ndarray:
    """Return a signal at another sample rate, by a windowed sinc filter.

    Source: J. O. Smith, "Digital Audio Resampling", ccrma.stanford.edu/~jos/resample.
    """
    common = math.gcd(old, new)
    old, new = old // common, new // common
    cutoff = min(old, new) * rolloff
    width = math.ceil(crossings * old / cutoff)
    count = math.ceil(new * signal.shape[-1] / old)
    padded = np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(width, width + old)])
    parts = []
    for start in range(0, count, 1 << 16):  # the samples near each new one, in pieces that fit into memory
        wanted = np.arange(start, min(start + (1 << 16), count), dtype=np.int64)[:, None]
        taps = wanted * old // new + np.arange(-width, width + 2)
        time = np.clip((taps * new - wanted * old) * (cutoff / (old * new)), -crossings, crossings)
        if method is ResampleMethod.SINC_INTERPOLATION:
            window = np.cos(time * np.pi / crossings / 2) ** 2
        else:
            window = np.i0(beta * np.sqrt(np.maximum(1 - (time / crossings) ** 2, 0))) / np.i0(beta)
        kernels = np.sinc(time) * window * (cutoff / old)
        near = padded[..., np.minimum(taps + width, padded.shape[-1] - 1)]
        parts.append((near * kernels).sum(-1))
    return np.concatenate(parts, -1) if parts else signal[..., :0]


class Resample(AudioTransform):
    """The signal at another sample rate.

    Args:
        orig_freq: its sample rate.
        new_freq: the new one.
        resample_method: a `ResampleMethod`.
        lowpass_filter_width: zero crossings of the filter, on each side.
        rolloff: where the filter cuts, as a share of the highest frequency, in (0, 1].
        beta: shape of the Kaiser window. Default: 14.769656459379492.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> audio.Resample(4, 2)(np.ones(6)).shape
        (3,)
    """

    def __init__(
        self,
        orig_freq: float = 16000,
        new_freq: float = 16000,
        resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION,
        lowpass_filter_width: int = 6,
        rolloff: float = 0.99,
        beta: float | None = None,
    ) -> None:
        op = "Resample"
        for name, value in (("orig_freq", orig_freq), ("new_freq", new_freq)):
            if int(checks.check_number(op, name, value, 0)) == 0:
                checks.fail(ValueError, op, name, "be at least 1", value)
        if not isinstance(rolloff, float):
            checks.fail(TypeError, op, "rolloff", "be a float", rolloff)
        if not 0 < rolloff <= 1:
            checks.fail(ValueError, op, "rolloff", "be in (0, 1]", rolloff)
        self.rates = int(orig_freq), int(new_freq)
        self.options = (
            check_enum(op, "resample_method", resample_method, ResampleMethod),
            checks.check_int(op, "lowpass_filter_width", lowpass_filter_width, 1),
            rolloff,
            _KAISER_BETA if beta is None else beta,
        )

    def __call__(self, *signals: Any) -> Any:
        """Return the signal at the new rate; at the same rate it stays as it is."""
        given = super().__call__(*signals)
        return signals[0] if self.rates[0] == self.rates[1] else given

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal at the new rate."""
        return signal if self.rates[0] == self.rates[1] else resample(signal, *self.rates, *self.options)


class PitchShift(AudioTransform):
    """The signal with all pitches moved by some steps, and of the same length.

    Args:
        sample_rate: samples in a second.
        n_steps: by how many steps.
        bins_per_octave: steps of an octave, not 0.
        n_fft: samples of a transform.
        win_length: samples of a window. Default: n_fft.
        hop_length: samples from one to the next. Default: a quarter of a window.
        window: a `WindowType`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    def __init__(
        self,
        sample_rate: int,
        n_steps: int,
        bins_per_octave: int = 12,
        n_fft: int = 512,
        win_length: int | None = None,
        hop_length: int | None = None,
        window: WindowType = WindowType.HANN,
    ) -> None:
        op = "PitchShift"
        self.rate = checks.check_int(op, "sample_rate", sample_rate, 0)
        checks.check_int(op, "n_steps", n_steps, -(2**31))
        if checks.check_int(op, "bins_per_octave", bins_per_octave, -(2**31)) == 0:
            checks.fail(ValueError, op, "bins_per_octave", "not be 0", bins_per_octave)
        checks.check_int(op, "n_fft", n_fft, 1)
        width = n_fft if win_length is None else checks.check_int(op, "win_length", win_length, 1)
        hop = width // 4 if hop_length is None else checks.check_int(op, "hop_length", hop_length, 1)
        self.frames = {"n_fft": n_fft, "win_length": width, "hop_length": hop, "window": window}
        self.stretch = 2.0 ** (-n_steps / bins_per_octave)
        self.spectrum = Spectrogram(**self.frames, power=0.0)
        self.advance = np.linspace(0, math.pi * hop, n_fft // 2 + 1)[:, None]

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal with other pitches."""
        length = signal.shape[-1]
        stretched = stretch_time(self.spectrum.apply(signal), self.stretch, self.advance)
        longer = InverseSpectrogram(round(length / self.stretch), **self.frames).apply(stretched)
        options = (ResampleMethod.SINC_INTERPOLATION, 6, 0.99, _KAISER_BETA)
        given = resample(longer, int(self.rate / self.stretch), self.rate, *options)[..., :length]
        return np.pad(given, [(0, 0)] * (signal.ndim - 1) + [(0, length - given.shape[-1])])
