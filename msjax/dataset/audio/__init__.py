"""Transforms of sound (`mindspore.dataset.audio`), over NumPy and SciPy.

Those that are missing can be imported and raise when they are used.
"""

from typing import Any

from msjax.dataset import absent as _absent
from msjax.dataset.audio import transforms as transforms
from msjax.dataset.audio import utils as utils
from msjax.dataset.audio.transforms import LFCC as LFCC
from msjax.dataset.audio.transforms import MFCC as MFCC
from msjax.dataset.audio.transforms import AllpassBiquad as AllpassBiquad
from msjax.dataset.audio.transforms import AmplitudeToDB as AmplitudeToDB
from msjax.dataset.audio.transforms import BandBiquad as BandBiquad
from msjax.dataset.audio.transforms import BandpassBiquad as BandpassBiquad
from msjax.dataset.audio.transforms import BandrejectBiquad as BandrejectBiquad
from msjax.dataset.audio.transforms import BassBiquad as BassBiquad
from msjax.dataset.audio.transforms import Biquad as Biquad
from msjax.dataset.audio.transforms import ComplexNorm as ComplexNorm
from msjax.dataset.audio.transforms import ComputeDeltas as ComputeDeltas
from msjax.dataset.audio.transforms import Contrast as Contrast
from msjax.dataset.audio.transforms import DBToAmplitude as DBToAmplitude
from msjax.dataset.audio.transforms import DCShift as DCShift
from msjax.dataset.audio.transforms import DeemphBiquad as DeemphBiquad
from msjax.dataset.audio.transforms import Dither as Dither
from msjax.dataset.audio.transforms import EqualizerBiquad as EqualizerBiquad
from msjax.dataset.audio.transforms import Fade as Fade
from msjax.dataset.audio.transforms import Filtfilt as Filtfilt
from msjax.dataset.audio.transforms import FrequencyMasking as FrequencyMasking
from msjax.dataset.audio.transforms import Gain as Gain
from msjax.dataset.audio.transforms import HighpassBiquad as HighpassBiquad
from msjax.dataset.audio.transforms import InverseSpectrogram as InverseSpectrogram
from msjax.dataset.audio.transforms import LFilter as LFilter
from msjax.dataset.audio.transforms import LowpassBiquad as LowpassBiquad
from msjax.dataset.audio.transforms import Magphase as Magphase
from msjax.dataset.audio.transforms import MaskAlongAxis as MaskAlongAxis
from msjax.dataset.audio.transforms import MaskAlongAxisIID as MaskAlongAxisIID
from msjax.dataset.audio.transforms import MelScale as MelScale
from msjax.dataset.audio.transforms import MelSpectrogram as MelSpectrogram
from msjax.dataset.audio.transforms import MuLawDecoding as MuLawDecoding
from msjax.dataset.audio.transforms import MuLawEncoding as MuLawEncoding
from msjax.dataset.audio.transforms import Overdrive as Overdrive
from msjax.dataset.audio.transforms import PhaseVocoder as PhaseVocoder
from msjax.dataset.audio.transforms import RiaaBiquad as RiaaBiquad
from msjax.dataset.audio.transforms import SlidingWindowCmn as SlidingWindowCmn
from msjax.dataset.audio.transforms import SpectralCentroid as SpectralCentroid
from msjax.dataset.audio.transforms import Spectrogram as Spectrogram
from msjax.dataset.audio.transforms import TimeMasking as TimeMasking
from msjax.dataset.audio.transforms import TimeStretch as TimeStretch
from msjax.dataset.audio.transforms import TrebleBiquad as TrebleBiquad
from msjax.dataset.audio.transforms import Vol as Vol
from msjax.dataset.audio.utils import BorderType as BorderType
from msjax.dataset.audio.utils import DensityFunction as DensityFunction
from msjax.dataset.audio.utils import FadeShape as FadeShape
from msjax.dataset.audio.utils import GainType as GainType
from msjax.dataset.audio.utils import Interpolation as Interpolation
from msjax.dataset.audio.utils import MelType as MelType
from msjax.dataset.audio.utils import Modulation as Modulation
from msjax.dataset.audio.utils import NormMode as NormMode
from msjax.dataset.audio.utils import NormType as NormType
from msjax.dataset.audio.utils import ResampleMethod as ResampleMethod
from msjax.dataset.audio.utils import ScaleType as ScaleType
from msjax.dataset.audio.utils import WindowType as WindowType
from msjax.dataset.audio.utils import create_dct as create_dct
from msjax.dataset.audio.utils import linear_fbanks as linear_fbanks
from msjax.dataset.audio.utils import melscale_fbanks as melscale_fbanks

_ABSENT: set[str] = set(
    "DetectPitchFrequency Flanger GriffinLim InverseMelScale Phaser PitchShift Resample Vad".split()
)


def __getattr__(name: str) -> Any:
    return _absent.transform(__name__, name, _ABSENT)
