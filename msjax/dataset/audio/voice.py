"""Voice activity detection (Vad)."""

import math

import numpy as np

from msjax.dataset.audio.base import AudioTransform
from msjax.dataset.common import checks


class Vad(AudioTransform):
    """Cuts silence and noise off the beginning of a recording of a voice.

    A measure of the power in the cepstrum above the noise is smoothed until it reaches a level; then the measures before
    are searched for quieter beginnings. After SoX (sox.sourceforge.net).

    Args:
        sample_rate: samples in a second, above 0.
        trigger_level: the measure of a voice.
        trigger_time: seconds over which measures are smoothed.
        search_time: seconds before the voice that are searched.
        allowed_gap: seconds of silence allowed there.
        pre_trigger_time: seconds before the voice to keep.
        boot_time: seconds of the first estimate of noise.
        noise_up_time: seconds in which it follows louder noise, at least noise_down_time.
        noise_down_time: seconds in which it follows quieter noise.
        noise_reduction_amount: how much noise is subtracted.
        measure_freq: measures in a second, above 0.
        measure_duration: seconds of a measure. Default: two of them overlap.
        measure_smooth_time: seconds over which spectra are smoothed.
        hp_filter_freq: lowest frequency of spectra.
        lp_filter_freq: highest frequency of spectra.
        hp_lifter_freq: lowest pitch of a voice.
        lp_lifter_freq: highest pitch of a voice.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> audio.Vad(8000)(np.zeros(20000)).shape
        (8800,)
    """

    def __init__(
        self,
        sample_rate: int,
        trigger_level: float = 7.0,
        trigger_time: float = 0.25,
        search_time: float = 1.0,
        allowed_gap: float = 0.25,
        pre_trigger_time: float = 0.0,
        boot_time: float = 0.35,
        noise_up_time: float = 0.1,
        noise_down_time: float = 0.01,
        noise_reduction_amount: float = 1.35,
        measure_freq: float = 20.0,
        measure_duration: float | None = None,
        measure_smooth_time: float = 0.4,
        hp_filter_freq: float = 50.0,
        lp_filter_freq: float = 6000.0,
        hp_lifter_freq: float = 150.0,
        lp_lifter_freq: float = 2000.0,
    ) -> None:
        op, given = "Vad", dict(locals())
        rate = checks.check_int(op, "sample_rate", sample_rate, 1)
        checks.check_number(op, "trigger_level", trigger_level)
        positive = "measure_freq hp_filter_freq lp_filter_freq hp_lifter_freq lp_lifter_freq".split()
        others = """trigger_time search_time allowed_gap pre_trigger_time boot_time noise_up_time noise_down_time
            noise_reduction_amount measure_smooth_time""".split()
        for name in [*positive, *others]:
            if checks.check_number(op, name, given[name], 0) == 0 and name in positive:
                checks.fail(ValueError, op, name, "be above 0", given[name])
        if noise_up_time < noise_down_time:
            rule = f"be at least noise_down_time={noise_down_time}"
            checks.fail(ValueError, op, "noise_up_time", rule, noise_up_time)
        duration = checks.check_number(op, "measure_duration", measure_duration or 2 / measure_freq, 0)
        self.level, self.reduction = trigger_level, noise_reduction_amount
        self.length = int(rate * duration + 0.5)
        self.period = int(rate / measure_freq + 0.5)
        self.count = math.ceil(search_time * measure_freq)
        self.gap = int(allowed_gap * measure_freq + 0.5)
        self.kept = int(pre_trigger_time * rate + 0.5)
        self.boot = int(boot_time * measure_freq - 0.5)
        times = (noise_up_time, noise_down_time, measure_smooth_time, trigger_time)
        self.up, self.down, self.smooth, self.trigger = (
            math.exp(-1 / (time * measure_freq)) if time else 0.0 for time in times
        )
        self._windows(rate, (hp_filter_freq, lp_filter_freq), (hp_lifter_freq, lp_lifter_freq))

    def _windows(self, rate: int, filters: tuple[float, float], lifters: tuple[float, float]) -> None:
        self.size = 16
        while self.size < self.length:
            self.size *= 2
        low = max(int(filters[0] / rate * self.size + 0.5), 1)
        high = min(int(filters[1] / rate * self.size + 0.5), self.size // 2)
        self.band = slice(low, high)
        self.window = _hann(self.length)
        self.lifter = _hann(high - low)
        self.quefrencies = slice(
            math.ceil(rate * 0.5 / lifters[1]), min(math.floor(rate * 0.5 / lifters[0]), self.size // 4)
        )

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal from where the voice begins on."""
        if self.quefrencies.stop <= self.quefrencies.start:
            raise RuntimeError("`Vad`: hp_lifter_freq must be below lp_lifter_freq, for this sample rate.")
        lines = signal.reshape(-1, signal.shape[-1])
        end, flushed = self._search(lines)
        first = end - (self.kept + self.count * self.period + self.length) + flushed
        return signal[..., max(first, 0) :]

    def _search(self, lines: np.ndarray) -> tuple[int, int]:
        """Return the sample at which the search ended, and the number of samples before it that are silence."""
        width = self.band.stop - self.band.start
        spectrum, noise = np.zeros((len(lines), width)), np.zeros((len(lines), width))
        measures, mean = np.zeros((len(lines), self.count)), np.zeros(len(lines))
        boot, place, end = 0, 0, self.length
        while end < lines.shape[1]:
            keep = boot / (1 + boot) if boot >= 0 else self.smooth
            now = np.fft.rfft(lines[:, end - self.length : end] * self.window, self.size)[:, self.band]
            spectrum += (1 - keep) * (np.abs(now) - spectrum)
            power = spectrum**2
            follow = np.where(power > noise, self.up, self.down) if boot < 0 else 0
            noise = noise * follow + power * (1 - follow)
            measures[:, place] = self._measure(power - self.reduction * noise)
            mean = mean * self.trigger + measures[:, place] * (1 - self.trigger)
            loud = np.flatnonzero(mean >= self.level)
            if len(loud):
                flush = max(self._quiet(line, place) for line in measures[loud[0] :])
                return end, (self.count - flush) * self.period
            place = (place + 1) % self.count
            if boot >= 0:
                boot = -1 if boot == self.boot else boot + 1
            end += self.period
        return lines.shape[1], 0  # no voice: the last part stays, as in MindSpore

    def _measure(self, power: np.ndarray) -> np.ndarray:
        """Return the level of the cepstrum, for each channel."""
        half = np.zeros((len(power), self.size // 2))
        half[:, self.band] = np.sqrt(np.maximum(power, 0)) * self.lifter
        total = (np.abs(np.fft.rfft(half)[:, self.quefrencies]) ** 2).sum(-1)
        level = np.log(np.maximum(total, 1e-300) / (self.quefrencies.stop - self.quefrencies.start))
        return np.where(total > 0, np.maximum(21 + level, 0), 0.0)

    def _quiet(self, measures: np.ndarray, place: int) -> int:
        """Return the number of measures, counted back from `place`, that belong to the voice."""
        count = self.count
        trigger = zero = count
        for back in range(count):
            value = measures[(place - back) % count]
            if value >= self.level and back <= trigger + self.gap:
                zero = trigger = back
            elif value == 0 and trigger >= zero:
                zero = back
        return min(count - 1, zero)


def _hann(size: int) -> np.ndarray:
    """Return a periodic Hann window of constant power."""
    return (1 - np.cos(2 * np.pi * np.arange(size) / max(size, 1))) / math.sqrt(max(size, 1))
