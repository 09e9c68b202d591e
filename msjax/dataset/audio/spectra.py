"""Spectrograms, MFCC and LFCC. Shapes: a spectrum is (..., frequency, time), a complex one (..., frequency, time, 2)."""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.banks import create_dct, linear_fbanks, mel_bank
from msjax.dataset.audio.base import AudioTransform, check_enum
from msjax.dataset.audio.levelling import AmplitudeToDB
from msjax.dataset.audio.options import BorderType, MelType, NormMode, NormType, WindowType
from msjax.dataset.common import checks
from msjax.ops.common.docstrings import documented_by

_MODES: dict[BorderType, Any] = {
    BorderType.CONSTANT: "constant",
    BorderType.EDGE: "edge",
    BorderType.REFLECT: "reflect",
    BorderType.SYMMETRIC: "symmetric",
}


class _Frames(AudioTransform):
    """Base class of the transforms that cut a signal into overlapping windows (frames).

    Args:
        n_fft: samples of a transform.
        win_length: samples of a window, at most n_fft. Default: n_fft.
        hop_length: samples from one to the next. Default: half a window.
        window: a `WindowType`.
    """

    def _frame(self, n_fft: Any, win_length: Any, hop_length: Any, window: Any) -> None:
        op = type(self).__name__
        self.size = checks.check_int(op, "n_fft", n_fft, 1)
        self.width = n_fft if win_length is None else checks.check_int(op, "win_length", win_length, 1)
        self.hop = (
            self.width // 2 if hop_length is None else checks.check_int(op, "hop_length", hop_length, 1)
        )
        if self.width > self.size:
            checks.fail(ValueError, op, "win_length", f"be at most n_fft={n_fft}", win_length)
        kind = check_enum(op, "window", window, WindowType).value
        import scipy.signal  # which takes longer to import than jax

        shape = scipy.signal.get_window(("kaiser", 12.0) if kind == "kaiser" else kind, self.width)
        left = (self.size - self.width) // 2
        self.window = np.pad(shape, (left, self.size - self.width - left))


@documented_by(_Frames)
class Spectrogram(_Frames):
    """The spectrum of a signal.

    Args:
        pad: zeros added on both sides.
        power: 1.0 for magnitudes, 2.0 for powers ...; 0.0 for complex numbers.
        normalized: divide by the window's norm.
        center: windows begin half a transform before the signal.
        pad_mode: a `BorderType`, what is there.
        onesided: half of the frequencies, the others mirror them: complex ones are conjugated (MindSpore's are not).

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    def __init__(
        self,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        op = type(self).__name__
        self._frame(n_fft, win_length, hop_length, window)
        self.pad, self.power = checks.check_int(op, "pad", pad, 0), checks.check_number(op, "power", power, 0)
        self.normalized = checks.check_bool(op, "normalized", normalized)
        self.center = checks.check_bool(op, "center", center)
        self.onesided = checks.check_bool(op, "onesided", onesided)
        self.mode = _MODES[check_enum(op, "pad_mode", pad_mode, BorderType)]

    def complex(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum as complex numbers."""
        margin = [(0, 0)] * (signal.ndim - 1)
        signal = np.pad(signal, [*margin, (self.pad, self.pad)])
        if self.center:
            signal = np.pad(signal, [*margin, (self.size // 2, self.size // 2)], self.mode)
        if signal.shape[-1] < self.size:
            raise RuntimeError(f"`{type(self).__name__}`: the signal is shorter than n_fft={self.size}.")
        frames = (
            np.lib.stride_tricks.sliding_window_view(signal, self.size, -1)[..., :: self.hop, :] * self.window
        )
        spectrum = np.fft.rfft(frames) if self.onesided else np.fft.fft(frames)
        scale = math.sqrt((self.window**2).sum()) if self.normalized else 1
        return np.swapaxes(spectrum, -1, -2) / scale

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum."""
        spectrum = self.complex(signal)
        if self.power == 0:
            return np.stack([np.real(spectrum), np.imag(spectrum)], -1)
        return np.abs(spectrum) ** self.power


class InverseSpectrogram(_Frames):
    """The signal with a complex spectrum.

    Args:
        length: samples of the signal, which is cut, or filled with zeros. Default: as many as `Spectrogram` has from
            it with `center`; without it the last `n_fft` are cut off, as in MindSpore.
        n_fft: as for `Spectrogram`.
        win_length: the same.
        hop_length: the same.
        pad: the same.
        window: the same.
        normalized: the same.
        center: the same.
        pad_mode: the same.
        onesided: the same.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    rank = 3

    def __init__(
        self,
        length: int | None = None,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        op = "InverseSpectrogram"
        self._frame(n_fft, win_length, hop_length, window)
        self.length = None if length is None else checks.check_int(op, "length", length, 0)
        self.pad = checks.check_int(op, "pad", pad, 0)
        self.normalized = checks.check_bool(op, "normalized", normalized)
        self.center = checks.check_bool(op, "center", center)
        self.onesided = checks.check_bool(op, "onesided", onesided)
        check_enum(op, "pad_mode", pad_mode, BorderType)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal."""
        bins = self.size // 2 + 1 if self.onesided else self.size
        if signal.shape[-1] != 2 or signal.shape[-3] != bins:
            raise RuntimeError(
                f"`InverseSpectrogram`: takes (..., {bins}, time, 2), for n_fft={self.size}. "
                f"Received: shape {signal.shape}."
            )
        scale = math.sqrt((self.window**2).sum()) if self.normalized else 1
        spectrum = np.swapaxes(signal[..., 0] + 1j * signal[..., 1], -1, -2) * scale
        frames = np.fft.irfft(spectrum, self.size) if self.onesided else np.fft.ifft(spectrum).real
        whole = self._add_frames(frames * self.window)
        weight = self._add_frames(np.broadcast_to(self.window**2, frames.shape[-2:]))
        given = whole / np.where(weight > 1e-11, weight, 1)
        start = self.size // 2 if self.center else 0
        if self.length is None:
            size = given.shape[-1] - self.size // 2 * 2
            return given[..., start + self.pad : start + size - self.pad]
        start += self.pad
        given = given[..., start : start + self.length]
        missing = self.length - given.shape[-1]
        return np.pad(given, [(0, 0)] * (given.ndim - 1) + [(0, missing)])

    def _add_frames(self, frames: np.ndarray) -> np.ndarray:
        count = frames.shape[-2]
        given = np.zeros((*frames.shape[:-2], self.size + self.hop * (count - 1)))
        for i in range(count):
            given[..., i * self.hop : i * self.hop + self.size] += frames[..., i, :]
        return given


@documented_by(InverseSpectrogram)
class SpectralCentroid(AudioTransform):
    """The mean frequency of each window, in Hz.

    Args:
        sample_rate: samples in a second.
    """

    def __init__(
        self,
        sample_rate: int,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
    ) -> None:
        half = checks.check_int("SpectralCentroid", "sample_rate", sample_rate, 1) // 2
        self.spectrum = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)
        self.frequencies = np.linspace(0, half, 1 + n_fft // 2)[:, None]

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the frequencies, (..., 1, time)."""
        spectrum = self.spectrum.apply(signal)
        return (self.frequencies * spectrum).sum(-2, keepdims=True) / spectrum.sum(-2, keepdims=True)


class MelScale(AudioTransform):
    """A spectrum on the mel scale.

    Args:
        n_mels: filters.
        sample_rate: samples in a second.
        f_min: lowest frequency in Hz.
        f_max: highest. Default: half the sample rate.
        n_stft: frequencies of the spectrum.
        norm: a `NormType`.
        mel_type: a `MelType`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with another shape.
    """

    rank = 2

    def __init__(
        self,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        n_stft: int = 201,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        self.bank = mel_bank("MelScale", "n_stft", n_stft, f_min, f_max, n_mels, sample_rate, norm, mel_type)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum, (..., n_mels, time)."""
        if signal.shape[-2] != len(self.bank):
            raise RuntimeError(
                f"`MelScale`: the spectrum must have n_stft={len(self.bank)} frequencies. Received: {signal.shape}."
            )
        return self.bank.T.astype(np.float64) @ signal


class MelSpectrogram(AudioTransform):
    """`Spectrogram`, then `MelScale`; arguments and errors are theirs."""

    def __init__(
        self,
        sample_rate: int = 16000,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        f_min: float = 0.0,
        f_max: float | None = None,
        pad: int = 0,
        n_mels: int = 128,
        window: WindowType = WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
        norm: NormType = NormType.NONE,
        mel_scale: MelType = MelType.HTK,
    ) -> None:
        if power == 0:
            checks.fail(ValueError, "MelSpectrogram", "power", "be above 0", power)
        self.spectrum = Spectrogram(
            n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided
        )
        self.scale = MelScale(n_mels, sample_rate, f_min, f_max, n_fft // 2 + 1, norm, mel_scale)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum, (..., n_mels, time)."""
        if signal.shape[-1] <= self.spectrum.size // 2:
            raise RuntimeError(
                f"`MelSpectrogram`: a signal must be longer than half of n_fft={self.spectrum.size}. "
                f"Received: shape {signal.shape}."
            )
        return self.scale.apply(self.spectrum.apply(signal))


class MFCC(AudioTransform):
    """The cepstrum of a signal on the mel scale.

    Args:
        sample_rate: samples in a second.
        n_mfcc: coefficients.
        dct_type: 2.
        norm: a `NormMode` of the cosine transform.
        log_mels: natural logarithms instead of dB.
        melkwargs: dict of further arguments of `MelSpectrogram`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_mfcc: int = 40,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_mels: bool = False,
        melkwargs: dict[str, Any] | None = None,
    ) -> None:
        if dct_type != 2:
            checks.fail(ValueError, "MFCC", "dct_type", "be 2", dct_type)
        self.spectrum: AudioTransform = MelSpectrogram(sample_rate, **(melkwargs or {}))
        filters = (melkwargs or {}).get("n_mels", 128)
        if checks.check_int("MFCC", "n_mfcc", n_mfcc, 1) > filters:
            checks.fail(ValueError, "MFCC", "n_mfcc", f"be at most n_mels={filters}", n_mfcc)
        self.matrix = create_dct(n_mfcc, filters, norm).T.astype(np.float64)
        self.log = checks.check_bool("MFCC", "log_mels", log_mels)

    def __call__(self, *signals: Any) -> Any:
        """Return the cepstrum, always float32."""
        return super().__call__(*signals).astype(np.float32)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the cepstrum, (..., n_mfcc, time)."""
        spectrum = self.spectrum.apply(signal)
        return self.matrix @ (np.log(spectrum + 1e-6) if self.log else AmplitudeToDB().apply(spectrum))


class _LinearSpectrogram(AudioTransform):
    def __init__(
        self, filters: int, sample_rate: int, f_min: float, f_max: Any, given: dict[str, Any]
    ) -> None:
        self.spectrum = Spectrogram(**given)
        high = sample_rate // 2 if f_max is None else f_max
        self.bank = linear_fbanks(self.spectrum.size // 2 + 1, f_min, high, filters, sample_rate)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        return self.bank.T.astype(np.float64) @ self.spectrum.apply(signal)


@documented_by(MFCC)
class LFCC(MFCC):
    """The cepstrum of a signal with filters of equal width.

    Args:
        n_filter: filters.
        n_lfcc: coefficients.
        f_min: lowest frequency in Hz.
        f_max: highest. Default: half the sample rate.
        log_lf: natural logarithms instead of dB.
        speckwargs: dict of arguments of `Spectrogram`.
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_filter: int = 128,
        n_lfcc: int = 40,
        f_min: float = 0.0,
        f_max: float | None = None,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_lf: bool = False,
        speckwargs: dict[str, Any] | None = None,
    ) -> None:
        if dct_type != 2:
            checks.fail(ValueError, "LFCC", "dct_type", "be 2", dct_type)
        self.spectrum = _LinearSpectrogram(n_filter, sample_rate, f_min, f_max, speckwargs or {})
        checks.check_int("LFCC", "n_lfcc", n_lfcc, 1)
        self.matrix = create_dct(n_lfcc, n_filter, norm).T.astype(np.float64)
        self.log = checks.check_bool("LFCC", "log_lf", log_lf)
