"""The choices that arguments of audio transforms make."""

from enum import Enum


class BorderType(str, Enum):  # noqa: UP042 - MindSpore's prints as `BorderType.CONSTANT`
    """What signals are padded with."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, Enum):  # noqa: UP042 - MindSpore's prints as `DensityFunction.TPDF`
    """How the noise of `Dither` is distributed."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, Enum):  # noqa: UP042 - MindSpore's prints as `FadeShape.QUARTER_SINE`
    """How `Fade` fades."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):  # noqa: UP042 - MindSpore's prints as `GainType.AMPLITUDE`
    """What the gain of `Vol` is."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, Enum):  # noqa: UP042 - MindSpore's prints as `Interpolation.LINEAR`
    """How delays are interpolated."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):  # noqa: UP042 - MindSpore's prints as `MelType.HTK`
    """Which mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):  # noqa: UP042 - MindSpore's prints as `Modulation.SINUSOIDAL`
    """How delays move."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):  # noqa: UP042 - MindSpore's prints as `NormMode.ORTHO`
    """Whether a cosine transform is orthonormal."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):  # noqa: UP042 - MindSpore's prints as `NormType.SLANEY`
    """Whether mel filters have equal areas."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):  # noqa: UP042 - MindSpore's prints as `ResampleMethod.SINC_INTERPOLATION`
    """The filter of `Resample`."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):  # noqa: UP042 - MindSpore's prints as `ScaleType.POWER`
    """Whether a spectrum holds powers or magnitudes."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):  # noqa: UP042 - MindSpore's prints as `WindowType.BARTLETT`
    """The window of a spectrum."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
