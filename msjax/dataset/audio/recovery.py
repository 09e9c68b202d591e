"""Inverse transforms: Griffin-Lim phase reconstruction and the inverse mel scale."""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.banks import mel_bank
from msjax.dataset.audio.base import AudioTransform
from msjax.dataset.audio.options import MelType, NormType, WindowType
from msjax.dataset.audio.spectra import InverseSpectrogram, Spectrogram
from msjax.dataset.common import checks
from msjax.dataset.random.generators import transform_generator


class GriffinLim(AudioTransform):
    """A signal with a given spectrum of magnitudes.

    Source: N. Perraudin, P. Balazs, P. Søndergaard, "A fast Griffin-Lim algorithm", 2013.

    Args:
        n_fft: samples of a transform.
        n_iter: iterations.
        win_length: samples of a window, at most n_fft. Default: n_fft.
        hop_length: samples from one to the next. Default: half a window.
        window_type: a `WindowType`.
        power: the exponent of the spectrum.
        momentum: of the fast algorithm; 0 for the plain one.
        length: samples of the signal. Default: as many as there are.
        rand_init: begin with random phases.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats of shape
            (..., frequency, time).

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> audio.GriffinLim(n_fft=16, n_iter=2)(np.ones((9, 5))).shape
        (32,)
    """

    rank = 2

    def __init__(
        self,
        n_fft: int = 400,
        n_iter: int = 32,
        win_length: int | None = None,
        hop_length: int | None = None,
        window_type: WindowType = WindowType.HANN,
        power: float = 2.0,
        momentum: float = 0.99,
        length: int | None = None,
        rand_init: bool = True,
    ) -> None:
        op = "GriffinLim"
        self.count = checks.check_int(op, "n_iter", n_iter, 1)
        checks.check_int(op, "n_fft", n_fft, 1)
        width = n_fft if win_length is None else checks.check_int(op, "win_length", win_length, 0) or n_fft
        hop = (
            width // 2
            if hop_length is None
            else checks.check_int(op, "hop_length", hop_length, 0) or width // 2
        )
        if checks.check_number(op, "power", power, 0) == 0:
            checks.fail(ValueError, op, "power", "be above 0", power)
        fast = checks.check_number(op, "momentum", momentum, 0)
        if length is not None:
            checks.check_int(op, "length", length, 0)
        self.random = checks.check_bool(op, "rand_init", rand_init)
        # m / (1 + m) twice, as in MindSpore.
        self.power, self.momentum, self.bins = power, fast / (1 + 2 * fast), n_fft // 2 + 1
        frames: dict[str, Any] = {
            "n_fft": n_fft,
            "win_length": width,
            "hop_length": hop,
            "window": window_type,
        }
        self.there = Spectrogram(**frames, power=0.0)
        self.back, self.last = (InverseSpectrogram(one, **frames) for one in (None, length or None))

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal."""
        if signal.shape[-2] != self.bins:
            raise RuntimeError(
                f"`GriffinLim`: the spectrum must have n_fft // 2 + 1 = {self.bins} frequencies. Received: {signal.shape}."
            )
        size = signal ** (1 / self.power)
        phases = np.ones(signal.shape, complex)
        if self.random:
            draw, shape = (
                transform_generator(self),
                (*signal.shape[:-2], signal.shape[-1], signal.shape[-2], 2),
            )
            parts = np.reshape([draw.fraction() for _ in range(math.prod(shape))], shape)  # MindSpore's order
            phases = np.swapaxes(parts[..., 1] + 1j * parts[..., 0], -1, -2)
        before = np.zeros(())
        for _ in range(self.count):
            again = self.there.complex(_signal(self.back, size * phases))
            phases = again - before * self.momentum
            phases, before = phases / (np.abs(phases) + 1e-16), again
        return _signal(self.last, size * phases)


def _signal(inverse: InverseSpectrogram, spectrum: np.ndarray) -> np.ndarray:
    return inverse.apply(np.stack([np.real(spectrum), np.imag(spectrum)], -1))


class InverseMelScale(AudioTransform):
    """A spectrum with a given spectrum on the mel scale, found by stochastic gradient descent from random numbers.

    Args:
        n_stft: frequencies of the spectrum.
        n_mels: filters.
        sample_rate: samples in a second.
        f_min: lowest frequency in Hz.
        f_max: highest. Default: half the sample rate.
        max_iter: steps at most.
        tolerance_loss: the loss at which to stop.
        tolerance_change: the change of the loss at which to stop.
        sgdargs: dict with `sgd_lr` and `sgd_momentum`, which has no effect, as in MindSpore. Default: 0.1 and 0.9.
        norm: a `NormType`.
        mel_type: a `MelType`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with another shape.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> audio.InverseMelScale(20, 3, 16000, 0, 8000, 10)(np.ones((2, 3, 2))).shape
        (2, 20, 2)
    """

    rank, in_own_dtype = 2, True  # the random numbers are of the signal's

    def __init__(
        self,
        n_stft: int,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        max_iter: int = 100000,
        tolerance_loss: float = 1e-5,
        tolerance_change: float = 1e-8,
        sgdargs: dict[str, float] | None = None,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        op = "InverseMelScale"
        self.bank = mel_bank(op, "n_stft", n_stft, f_min, f_max, n_mels, sample_rate, norm, mel_type)
        self.count = checks.check_int(op, "max_iter", max_iter, 1)
        for name, value in (("tolerance_loss", tolerance_loss), ("tolerance_change", tolerance_change)):
            if checks.check_number(op, name, value, 0) == 0:
                checks.fail(ValueError, op, name, "be above 0", value)
        self.loss, self.change = tolerance_loss, tolerance_change
        given = sgdargs or {"sgd_lr": 0.1, "sgd_momentum": 0.9}
        self.rate = checks.check_number(op, "sgd_lr", given["sgd_lr"], 0)
        checks.check_number(op, "sgd_momentum", given["sgd_momentum"], 0)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the spectrum, (..., n_stft, time); a single one gets an axis of length 1 before it, as in MindSpore."""
        bank = self.bank
        if signal.shape[-2] != bank.shape[1]:
            raise RuntimeError(
                f"`InverseMelScale`: the spectrum must have n_mels={bank.shape[1]} filters. Received: {signal.shape}."
            )
        words, shape = transform_generator(self), (*signal.shape[:-2], len(bank), signal.shape[-1])
        draw = words.fraction if signal.dtype == np.float64 else words.share
        given = np.array([draw() for _ in range(math.prod(shape))], signal.dtype).reshape(shape)
        for place in np.ndindex(shape[:-2]):
            given[place] = self._descend(bank.T, given[place], signal[place].astype(given.dtype))
        return given[None] if given.ndim == 2 else given

    def _descend(self, bank: np.ndarray, found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Return the spectrum of one channel (n_stft, time), from random numbers."""
        before = np.inf
        for _ in range(self.count):
            error = wanted - bank @ found
            loss = (error**2).mean()
            if loss < self.loss or abs(before - loss) < self.change:
                break
            before = loss
            found = found + self.rate * (bank.T @ error) / error.shape[-1]
        return np.maximum(found, 0)
