"""Enums for arguments of audio transforms."""

from enum import Enum


class BorderType(str, Enum):  # noqa: UP042 - MindSpore's prints as `BorderType.CONSTANT`
    """Padding mode of signals."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, Enum):  # noqa: UP042 - MindSpore's prints as `DensityFunction.TPDF`
    """Distribution of the noise of `Dither`."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, Enum):  # noqa: UP042 - MindSpore's prints as `FadeShape.QUARTER_SINE`
    """Shape of the fade of `Fade`."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):  # noqa: UP042 - MindSpore's prints as `GainType.AMPLITUDE`
    """Unit of the gain of `Vol`."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, Enum):  # noqa: UP042 - MindSpore's prints as `Interpolation.LINEAR`
    """Interpolation of delays."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):  # noqa: UP042 - MindSpore's prints as `MelType.HTK`
    """Formula of the mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):  # noqa: UP042 - MindSpore's prints as `Modulation.SINUSOIDAL`
    """Modulation waveform of delays."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):  # noqa: UP042 - MindSpore's prints as `NormMode.ORTHO`
    """Normalization of the discrete cosine transform: orthonormal or none."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):  # noqa: UP042 - MindSpore's prints as `NormType.SLANEY`
    """Normalization of mel filters: equal areas (Slaney) or none."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):  # noqa: UP042 - MindSpore's prints as `ResampleMethod.SINC_INTERPOLATION`
    """The filter of `Resample`."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):  # noqa: UP042 - MindSpore's prints as `ScaleType.POWER`
    """Scale of a spectrogram: power or magnitude."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):  # noqa: UP042 - MindSpore's prints as `WindowType.BARTLETT`
    """The window of a spectrum."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
