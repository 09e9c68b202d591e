"""Phaser and flanger effects, after SoX (sox.sourceforge.net)."""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.base import AudioTransform, check_enum, check_sample_rate
from msjax.dataset.audio.options import Interpolation, Modulation
from msjax.dataset.common import checks


def modulation_wave(modulation: Modulation, size: int, low: float, high: float, phase: float) -> np.ndarray:
    """Return one period of a sine or triangle wave between two values, starting at `phase`, a share of the period."""
    point = (np.arange(size) + int(phase * size + 0.5)) % size
    if modulation is Modulation.SINUSOIDAL:
        height = (np.sin(point * np.pi / size * 2) + 1) / 2
    else:
        quarter = 4 * point // size
        height = point * 2 / size
        height = np.select([quarter == 0, quarter == 3], [height + 0.5, height - 1.5], 1.5 - height)
    return height * (high - low) + low


class Phaser(AudioTransform):
    """Phaser: adds the signal with a short delay, which a low-frequency oscillator varies.

    Args:
        sample_rate: samples in a second.
        gain_in: gain before, in [0, 1].
        gain_out: gain afterwards, in [0, 1e9].
        delay_ms: longest delay in milliseconds, in [0, 5].
        decay: how much of the past is added, in [0, 0.99].
        mod_speed: how often the delay goes up and down in a second, in [0.1, 2].
        sinusoidal: as a sine; otherwise as a triangle.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> audio.Phaser(44100)(np.array([0.1, 0.5, 0.2])).round(4)
        array([0.0296, 0.1598, 0.1231])
    """

    def __init__(
        self,
        sample_rate: int,
        gain_in: float = 0.4,
        gain_out: float = 0.74,
        delay_ms: float = 3.0,
        decay: float = 0.4,
        mod_speed: float = 0.5,
        sinusoidal: bool = True,
    ) -> None:
        checks.check_int("Phaser", "sample_rate", sample_rate, -(2**31))
        self.gain_in = checks.check_number("Phaser", "gain_in", gain_in, 0, 1)
        self.gain_out = checks.check_number("Phaser", "gain_out", gain_out, 0, 1e9)
        self.decay = checks.check_number("Phaser", "decay", decay, 0, 0.99)
        checks.check_number("Phaser", "delay_ms", delay_ms, 0, 5)
        checks.check_number("Phaser", "mod_speed", mod_speed, 0.1, 2)
        kind = (
            Modulation.SINUSOIDAL
            if checks.check_bool("Phaser", "sinusoidal", sinusoidal)
            else Modulation.TRIANGULAR
        )
        self.longest = int(delay_ms * 0.001 * sample_rate + 0.5)
        delays = modulation_wave(kind, int(sample_rate / mod_speed + 0.5), 1.0, self.longest, 0.25)
        self.delays = (delays + np.where(delays < 0, -0.5, 0.5)).astype(int)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal with the effect."""
        if not self.longest:
            raise RuntimeError("`Phaser`: delay_ms * sample_rate must be at least half a sample.")
        lines = signal.reshape(-1, signal.shape[-1]) * self.gain_in
        past = np.zeros((len(lines), self.longest))
        place = 0
        for at in range(lines.shape[1]):
            lines[:, at] += past[:, (place + self.delays[at % len(self.delays)]) % self.longest]
            place = (place + 1) % self.longest
            past[:, place] = lines[:, at] * self.decay
        return np.clip(lines * self.gain_out, -1, 1).reshape(signal.shape)


class Flanger(AudioTransform):
    """Flanger: adds the signal to itself with a short delay, which a low-frequency oscillator varies.

    Args:
        sample_rate: samples in a second, not 0.
        delay: shortest delay in milliseconds, in [0, 30].
        depth: how much longer it becomes, in [0, 10].
        regen: feedback in percent, in [-95, 95].
        width: how much of the delayed signal is added, in percent, in [0, 100].
        speed: how often the delay goes up and down in a second, in [0.1, 10].
        phase: how far the next channel is ahead, in percent of a period, in [0, 100].
        modulation: a `Modulation`.
        interpolation: an `Interpolation` between samples.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats of shape
            (..., channel, time).
    """

    rank = 2

    def __init__(
        self,
        sample_rate: int,
        delay: float = 0.0,
        depth: float = 2.0,
        regen: float = 0.0,
        width: float = 71.0,
        speed: float = 0.5,
        phase: float = 25.0,
        modulation: Modulation = Modulation.SINUSOIDAL,
        interpolation: Interpolation = Interpolation.LINEAR,
    ) -> None:
        op = "Flanger"
        check_sample_rate(op, sample_rate)
        shortest = checks.check_number(op, "delay", delay, 0, 30) / 1000
        deep = checks.check_number(op, "depth", depth, 0, 10) / 1000
        self.feedback = checks.check_number(op, "regen", regen, -95, 95) / 100
        gain = checks.check_number(op, "width", width, 0, 100) / 100
        checks.check_number(op, "speed", speed, 0.1, 10)
        self.phase = checks.check_number(op, "phase", phase, 0, 100) / 100
        check_enum(op, "modulation", modulation, Modulation)
        self.linear = check_enum(op, "interpolation", interpolation, Interpolation) is Interpolation.LINEAR
        self.gain_in = 1 / (1 + gain)
        self.gain = gain / (1 + gain) * (1 - abs(self.feedback))
        self.size = int((shortest + deep) * sample_rate + 0.5) + 2
        low = math.floor(shortest * sample_rate + 0.5)
        self.delays = modulation_wave(modulation, int(sample_rate / speed), low, self.size - 2.0, 0.75)

    def __call__(self, *signals: Any) -> Any:
        """Return the signal with the effect, in its dtype, whatever that is."""
        given = super().__call__(*signals)
        return given.astype(signals[0].dtype)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal with the effect."""
        shape = signal.shape
        signal = signal.reshape(-1, *shape[-2:])
        channels = np.arange(shape[-2])
        ahead = (channels * len(self.delays) * self.phase + 0.5).astype(int)
        past, last, given = np.zeros((*signal.shape[:2], self.size)), 0.0, np.empty_like(signal)
        for at in range(shape[-1]):
            place = -(at + 1) % self.size
            delay = self.delays[(at + ahead) % len(self.delays)]
            past[:, :, place] = signal[:, :, at] + last * self.feedback
            whole = np.floor(delay).astype(int)
            near = np.stack([past[:, channels, (place + whole + step) % self.size] for step in range(3)])
            last = self._between(near, delay - whole)
            given[:, :, at] = signal[:, :, at] * self.gain_in + last * self.gain
        return np.clip(given, -1, 1).reshape(shape)

    def _between(self, near: np.ndarray, part: np.ndarray) -> np.ndarray:
        first, second, third = near
        if self.linear:
            return first + (second - first) * part
        far, near = third - first, second - first
        return first + ((far / 2 - near) * part + near * 2 - far / 2) * part
