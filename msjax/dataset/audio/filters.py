"""Audio filters: biquads (low-pass, band-pass, equalizer ...), lfilter, filtfilt.

Formulas: R. Bristow-Johnson's "Cookbook formulae for audio equalizer biquad filter coefficients".
"""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.base import AudioTransform, check_quality_factor, check_sample_rate, lfilter
from msjax.dataset.common import checks
from msjax.ops.common.docstrings import documented_by

Coefficients = tuple[float, float, float, float, float, float]  # b0, b1, b2, a0, a1, a2


class Biquad(AudioTransform):
    """A filter of second order, its output cut to [-1, 1].

    Args:
        b0: numerator, for the present sample.
        b1: numerator, for the one before.
        b2: numerator, for the one before that.
        a0: denominator, not 0.
        a1: denominator.
        a2: denominator.

    Raises:
        TypeError, ValueError: for other numbers.
        RuntimeError: when called with something else than floats.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import audio
        >>> audio.Biquad(0.5, 0.5, 0.0, 1.0, 0.0, 0.0)(np.array([0.2, 0.4, 0.8]))
        array([0.1, 0.3, 0.6])
    """

    keeps_half, takes_integers = True, False

    def __init__(self, b0: float, b1: float, b2: float, a0: float, a1: float, a2: float) -> None:
        given = {"b0": b0, "b1": b1, "b2": b2, "a0": a0, "a1": a1, "a2": a2}
        for name, value in given.items():
            checks.check_number("Biquad", name, value)
        if a0 == 0:
            checks.fail(ValueError, "Biquad", "a0", "not be 0", a0)
        self.coefficients: Coefficients = (b0, b1, b2, a0, a1, a2)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the filtered signal."""
        c = self.coefficients
        return np.clip(lfilter(c[:3], c[3:], signal), -1, 1)


class _Tuned(Biquad):
    """Base class of filters defined by a sample rate, a frequency and a quality factor."""

    def _tune(self, sample_rate: Any, name: str, frequency: Any, Q: Any) -> tuple[float, float]:
        """Cosine of the frequency's angle, and alpha."""
        op = type(self).__name__
        checks.check_number(op, name, frequency)
        angle = 2 * math.pi * frequency / check_sample_rate(op, sample_rate)
        return math.cos(angle), math.sin(angle) / 2 / check_quality_factor(op, Q)

    def _gain(self, gain: Any) -> float:
        return 10 ** (checks.check_number(type(self).__name__, "gain", gain) / 40)


class AllpassBiquad(_Tuned):
    """All-pass filter: changes phases only.

    Args:
        sample_rate: samples in a second, not 0.
        central_freq: frequency in Hz.
        Q: quality factor in (0, 1].

    Raises:
        TypeError, ValueError: for other numbers. RuntimeError: when called with something else than floats.
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        cosine, alpha = self._tune(sample_rate, "central_freq", central_freq, Q)
        if central_freq == 0:
            checks.fail(RuntimeError, "AllpassBiquad", "central_freq", "not be 0", central_freq)
        self.coefficients = (1 - alpha, -2 * cosine, 1 + alpha, 1 + alpha, -2 * cosine, 1 - alpha)


class BandBiquad(_Tuned):
    """A band of two poles.

    Args:
        sample_rate: samples in a second, not 0.
        central_freq: frequency in Hz.
        Q: quality factor in (0, 1].
        noise: a gain for noise-like signals instead of tones.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, noise: bool = False) -> None:
        cosine, _ = self._tune(sample_rate, "central_freq", central_freq, Q)
        a2 = math.exp(-2 * math.pi * central_freq / Q / sample_rate)
        if a2 == 0:
            rule = f"be lower, for Q={Q!r} and sample_rate={sample_rate!r}"
            checks.fail(RuntimeError, "BandBiquad", "central_freq", rule, central_freq)
        a1 = -4 * a2 / (1 + a2) * cosine
        b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        if checks.check_bool("BandBiquad", "noise", noise):
            b0 = math.sqrt(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2))
        self.coefficients = (b0, 0.0, 0.0, 1.0, a1, a2)


@documented_by(BandBiquad)
class BandpassBiquad(_Tuned):
    """Band-pass filter.

    Args:
        const_skirt_gain: the gain of the skirts is constant and that of the peak Q, or the peak's is 1.
    """

    def __init__(
        self, sample_rate: int, central_freq: float, Q: float = 0.707, const_skirt_gain: bool = False
    ) -> None:
        cosine, alpha = self._tune(sample_rate, "central_freq", central_freq, Q)
        b0 = alpha * Q if checks.check_bool("BandpassBiquad", "const_skirt_gain", const_skirt_gain) else alpha
        self.coefficients = (b0, 0.0, -b0, 1 + alpha, -2 * cosine, 1 - alpha)


class BandrejectBiquad(_Tuned):
    """Band-reject filter; arguments and errors as for `AllpassBiquad`."""

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        cosine, alpha = self._tune(sample_rate, "central_freq", central_freq, Q)
        self.coefficients = (1.0, -2 * cosine, 1.0, 1 + alpha, -2 * cosine, 1 - alpha)


class HighpassBiquad(_Tuned):
    """High-pass filter; arguments and errors as for `AllpassBiquad`."""

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        cosine, alpha = self._tune(sample_rate, "cutoff_freq", cutoff_freq, Q)
        b0 = (1 + cosine) / 2
        self.coefficients = (b0, -2 * b0, b0, 1 + alpha, -2 * cosine, 1 - alpha)


class LowpassBiquad(_Tuned):
    """Low-pass filter; arguments and errors as for `AllpassBiquad`."""

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        cosine, alpha = self._tune(sample_rate, "cutoff_freq", cutoff_freq, Q)
        b0 = (1 - cosine) / 2
        self.coefficients = (b0, 2 * b0, b0, 1 + alpha, -2 * cosine, 1 - alpha)


@documented_by(AllpassBiquad)
class EqualizerBiquad(_Tuned):
    """Peaking equalizer: raises or lowers a band.

    Args:
        center_freq: frequency in Hz.
        gain: in dB.
    """

    def __init__(self, sample_rate: int, center_freq: float, gain: float, Q: float = 0.707) -> None:
        cosine, alpha = self._tune(sample_rate, "center_freq", center_freq, Q)
        up, down = alpha * self._gain(gain), alpha / self._gain(gain)
        self.coefficients = (1 + up, -2 * cosine, 1 - up, 1 + down, -2 * cosine, 1 - down)


def _shelf(gain: float, cosine: float, alpha: float, side: int) -> Coefficients:
    """Return a shelf of low (side 1) or high (side -1) frequencies."""
    root, near, far = 2 * math.sqrt(gain) * alpha, side * (gain - 1) * cosine, side * (gain + 1) * cosine
    return (
        gain * (gain + 1 - near + root),
        side * 2 * gain * (gain - 1 - far),
        gain * (gain + 1 - near - root),
        gain + 1 + near + root,
        -side * 2 * (gain - 1 + far),
        gain + 1 + near - root,
    )


@documented_by(AllpassBiquad)
class BassBiquad(_Tuned):
    """Bass filter: raises or lowers low frequencies.

    Args:
        gain: in dB.
    """

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 100.0, Q: float = 0.707) -> None:
        self.coefficients = _shelf(
            self._gain(gain), *self._tune(sample_rate, "central_freq", central_freq, Q), 1
        )


class TrebleBiquad(_Tuned):
    """Treble filter: raises or lowers high frequencies; arguments and errors as for `BassBiquad`."""

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 3000, Q: float = 0.707) -> None:
        self.coefficients = _shelf(
            self._gain(gain), *self._tune(sample_rate, "central_freq", central_freq, Q), -1
        )


class DeemphBiquad(_Tuned):
    """The de-emphasis of compact discs.

    Args:
        sample_rate: 44100 or 48000.

    Raises:
        TypeError, ValueError: for another one. RuntimeError: when called with something else than floats.
    """

    _SHELVES = {44100: (5283.0, 0.4845, -9.477), 48000: (5356.0, 0.479, -9.62)}

    def __init__(self, sample_rate: int) -> None:
        if check_sample_rate("DeemphBiquad", sample_rate) not in self._SHELVES:
            checks.fail(ValueError, "DeemphBiquad", "sample_rate", "be 44100 or 48000", sample_rate)
        frequency, slope, decibels = self._SHELVES[sample_rate]
        gain, angle = 10 ** (decibels / 40), 2 * math.pi * frequency / sample_rate
        alpha = math.sin(angle) / 2 * math.sqrt((gain + 1 / gain) * (1 / slope - 1) + 2)
        self.coefficients = _shelf(gain, math.cos(angle), alpha, -1)


class RiaaBiquad(_Tuned):
    """The equalization of vinyl records.

    Args:
        sample_rate: 44100, 48000, 88200 or 96000.

    Raises:
        TypeError, ValueError: for another one. RuntimeError: when called with something else than floats.
    """

    _ROOTS = {
        44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
        48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
        88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
        96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
    }

    def __init__(self, sample_rate: int) -> None:
        if check_sample_rate("RiaaBiquad", sample_rate) not in self._ROOTS:
            checks.fail(
                ValueError, "RiaaBiquad", "sample_rate", f"be one of {list(self._ROOTS)}", sample_rate
            )
        zeros, poles = (np.poly(roots) for roots in self._ROOTS[sample_rate])
        back = np.exp(-2j * math.pi * 1000 / sample_rate * np.arange(3))
        gain = abs(poles @ back) / abs(zeros @ back)  # 0 dB at 1 kHz
        b, a = (gain * zeros).tolist(), poles.tolist()
        self.coefficients = (b[0], b[1], b[2], a[0], a[1], a[2])


class LFilter(AudioTransform):
    """A filter given by its difference equation.

    Args:
        a_coeffs: denominator, for the present sample first.
        b_coeffs: numerator, as many.
        clamp: cut the output to [-1, 1].

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    keeps_half, takes_integers = True, False

    def __init__(self, a_coeffs: Any, b_coeffs: Any, clamp: bool = True) -> None:
        op = type(self).__name__
        for name, value in (("a_coeffs", a_coeffs), ("b_coeffs", b_coeffs)):
            if not isinstance(value, list | tuple):
                checks.fail(TypeError, op, name, "be a list or tuple of numbers", value)
            for one in value:
                checks.check_number(op, name, one)
        if len(a_coeffs) != len(b_coeffs) or not a_coeffs:
            checks.fail(ValueError, op, "b_coeffs", f"have {len(a_coeffs)} numbers, as a_coeffs", b_coeffs)
        if a_coeffs[0] == 0:
            checks.fail(ValueError, op, "a_coeffs", "not begin with 0", a_coeffs)
        self.a, self.b, self.clamp = a_coeffs, b_coeffs, checks.check_bool(op, "clamp", clamp)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the filtered signal."""
        given = lfilter(self.b, self.a, signal)
        return np.clip(given, -1, 1) if self.clamp else given


class Filtfilt(LFilter):
    """`LFilter` forwards, then backwards; arguments and errors are its."""

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the filtered signal."""
        forwards = lfilter(self.b, self.a, signal)
        return super().apply(forwards[..., ::-1])[..., ::-1]
