"""Gain, volume, fading, overdrive, dithering and mu-law coding of signals."""

import math
from typing import Any

import numpy as np

from msjax.dataset.audio.base import AudioTransform, check_enum, lfilter
from msjax.dataset.audio.options import DensityFunction, FadeShape, GainType
from msjax.dataset.common import checks
from msjax.dataset.random.generators import transform_generator


class Contrast(AudioTransform):
    """Contrast: makes a signal sound louder, as SoX's effect of that name.

    Args:
        enhancement_amount: in [0, 100].

    Raises:
        TypeError, ValueError: for another one. RuntimeError: when called with something else than floats.
    """

    def __init__(self, enhancement_amount: float = 75.0) -> None:
        self.amount = checks.check_number("Contrast", "enhancement_amount", enhancement_amount, 0, 100) / 750

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the louder signal."""
        angle = signal * (math.pi / 2)
        return np.sin(angle + self.amount * np.sin(4 * angle))


class DCShift(AudioTransform):
    """A signal moved up or down.

    Args:
        shift: in [-2, 2].
        limiter_gain: how peaks that would be cut are squeezed instead, to the same side for shifts below 0 (MindSpore
            moves those peaks to the other side). Default, and 0: they are cut.

    Raises:
        TypeError, ValueError: for other numbers. RuntimeError: when called with something else than floats.
    """

    def __init__(self, shift: float, limiter_gain: float | None = None) -> None:
        self.shift = checks.check_number("DCShift", "shift", shift, -2, 2)
        self.limit = (
            shift
            if limiter_gain is None
            else checks.check_number("DCShift", "limiter_gain", limiter_gain, -math.inf, math.inf)
        )

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the moved signal."""
        side = 1 if self.shift >= 0 else -1
        threshold = 1 - (abs(self.shift) - self.limit)
        if not self.limit or self.shift == self.limit or threshold == 1:
            return np.clip(signal + self.shift, -1, 1)
        squeezed = (side * signal - threshold) * self.limit / (1 - threshold) + threshold + abs(self.shift)
        high = side * signal > threshold
        moved = np.where(high, np.minimum(squeezed, threshold), side * signal + abs(self.shift))
        return np.clip(side * moved, -1, 1)


class Gain(AudioTransform):
    """A signal amplified.

    Args:
        gain_db: in dB.

    Raises:
        TypeError, ValueError: for another one. RuntimeError: when called with something else than floats.
    """

    def __init__(self, gain_db: float = 1.0) -> None:
        self.factor = 10 ** (checks.check_number("Gain", "gain_db", gain_db) / 20)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the amplified signal."""
        return signal * self.factor


class Vol(AudioTransform):
    """A signal of another volume, cut to [-1, 1].

    Args:
        gain: a factor of amplitude (not negative) or power (positive), or dB.
        gain_type: a `GainType`.

    Raises:
        TypeError, ValueError: for other arguments. RuntimeError: when called with something else than floats.
    """

    def __init__(self, gain: float, gain_type: GainType = GainType.AMPLITUDE) -> None:
        check_enum("Vol", "gain_type", gain_type, GainType)
        checks.check_number("Vol", "gain", gain, -checks.FLOAT_MAX if gain_type is GainType.DB else 0)
        if gain_type is GainType.POWER and gain == 0:
            checks.fail(ValueError, "Vol", "gain", "be positive for GainType.POWER", gain)
        factors = {GainType.AMPLITUDE: gain, GainType.POWER: abs(gain) ** 0.5, GainType.DB: 10 ** (gain / 20)}
        self.factor = factors[gain_type]

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal of that volume."""
        return np.clip(signal * self.factor, -1, 1)


class Overdrive(AudioTransform):
    """Overdrive: distorts a signal, as SoX's effect of that name.

    Args:
        gain: in [0, 100] dB.
        color: even harmonics, in [0, 100].

    Raises:
        TypeError, ValueError: for other numbers. RuntimeError: when called with something else than floats.
    """

    def __init__(self, gain: float = 20.0, color: float = 20.0) -> None:
        self.gain = 10 ** (checks.check_number("Overdrive", "gain", gain, 0, 100) / 20)
        self.color = checks.check_number("Overdrive", "color", color, 0, 100) / 200

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the distorted signal."""
        driven = np.clip(signal * self.gain + self.color, -1, 1)
        moved = lfilter([1, -1], [1, -0.995], driven - driven**3 / 3)
        return np.clip(signal * 0.5 + moved * 0.75, -1, 1)


class Fade(AudioTransform):
    """Fade-in and fade-out of a signal.

    Args:
        fade_in_len: samples at the beginning.
        fade_out_len: samples at the end.
        fade_shape: a `FadeShape`.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with a shorter signal, or something else than floats.
    """

    def __init__(
        self, fade_in_len: int = 0, fade_out_len: int = 0, fade_shape: FadeShape = FadeShape.LINEAR
    ) -> None:
        self.start = checks.check_int("Fade", "fade_in_len", fade_in_len, 0)
        self.end = checks.check_int("Fade", "fade_out_len", fade_out_len, 0)
        self.shape = check_enum("Fade", "fade_shape", fade_shape, FadeShape)

    def __call__(self, *signals: Any) -> Any:
        """Return the fading signal; without a fade it stays as it is."""
        given = super().__call__(*signals)
        return given if self.start or self.end else signals[0]

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the fading signal."""
        length = signal.shape[-1]
        if max(self.start, self.end) > length:
            raise RuntimeError(f"`Fade`: the signal of {length} samples is shorter than the fade.")
        weights = np.ones(length)
        weights[: self.start] *= self._curve(np.linspace(0, 1, self.start))
        weights[length - self.end :] *= self._curve(np.linspace(1, 0, self.end))
        return signal * weights

    def _curve(self, share: np.ndarray) -> np.ndarray:
        curves = {
            FadeShape.LINEAR: share,
            FadeShape.EXPONENTIAL: 2 ** (share - 1) * share,
            FadeShape.LOGARITHMIC: np.log10(0.1 + share) + 1,
            FadeShape.QUARTER_SINE: np.sin(share * math.pi / 2),
            FadeShape.HALF_SINE: np.sin(share * math.pi - math.pi / 2) / 2 + 0.5,
        }
        return curves[self.shape]


class MuLawEncoding(AudioTransform):
    """Codes, int32, of a signal in [-1, 1] (ITU-T G.711).

    Args:
        quantization_channels: how many codes there are.

    Raises:
        TypeError, ValueError: for another number. RuntimeError: when called with something else than floats.
    """

    def __init__(self, quantization_channels: int = 256) -> None:
        self.most = checks.check_int("MuLawEncoding", "quantization_channels", quantization_channels, 1) - 1.0

    def __call__(self, *signals: Any) -> np.ndarray:
        """Return the codes."""
        return super().__call__(*signals).astype(np.int32)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the codes, as floats."""
        squeezed = np.sign(signal) * np.log1p(self.most * np.abs(signal)) / np.log1p(self.most)
        return np.trunc((squeezed + 1) / 2 * self.most + 0.5)


class MuLawDecoding(AudioTransform):
    """Mu-law decoding of the codes that `MuLawEncoding` gives; integers become float32.

    Args:
        quantization_channels: how many codes there are.

    Raises:
        TypeError, ValueError: for another number. RuntimeError: when called with something else than numbers.
    """

    def __init__(self, quantization_channels: int = 256) -> None:
        self.most = checks.check_int("MuLawDecoding", "quantization_channels", quantization_channels, 1) - 1.0

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the signal."""
        share = signal / self.most * 2 - 1
        return np.sign(share) * np.expm1(np.abs(share) * np.log1p(self.most)) / self.most


class Dither(AudioTransform):
    """A signal rounded to 16 bits after noise was added.

    Args:
        density_function: a `DensityFunction`, of the noise.
        noise_shaping: let the error of a sample count for the next.

    Raises:
        TypeError: for other arguments. RuntimeError: when called with something else than floats.
    """

    def __init__(
        self, density_function: DensityFunction = DensityFunction.TPDF, noise_shaping: bool = False
    ) -> None:
        self.kind = check_enum("Dither", "density_function", density_function, DensityFunction)
        self.shaping = checks.check_bool("Dither", "noise_shaping", noise_shaping)

    def apply(self, signal: np.ndarray) -> np.ndarray:
        """Return the rounded signal."""
        flat = signal.reshape(-1, signal.shape[-1])
        scaled = flat * flat.dtype.type(32766)
        noise = np.bartlett(flat.shape[1]).astype(flat.dtype)
        if self.kind is not DensityFunction.TPDF:
            flat = flat.copy()
            noise = self._sample(flat)
        raised = scaled + noise
        rounded = np.copysign(np.floor(np.abs(raised) + 0.5), raised) / flat.dtype.type(32768)
        if self.shaping:
            error = np.zeros_like(flat)
            error[:, 1:] = (rounded - flat)[:, :-1]
            rounded = rounded + error
        return rounded.reshape(signal.shape)

    def _sample(self, flat: np.ndarray) -> Any:
        """Return a sample of the signal; for GPDF the sum of seven, whose parts are written into the signal."""
        draw = transform_generator(self)
        count = 7 if self.kind is DensityFunction.GPDF else 1
        picked = [tuple(draw.below(size) if size > 1 else 0 for size in flat.shape) for _ in range(count)]
        noise = flat[picked[0]]
        for place in picked[1:]:
            noise = noise + flat[place]
            flat[place] = noise
        return noise
