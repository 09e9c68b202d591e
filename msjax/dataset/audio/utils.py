"""Enums for arguments of audio transforms, and filter banks (`mindspore.dataset.audio.utils`)."""

from msjax.dataset.audio.banks import create_dct as create_dct
from msjax.dataset.audio.banks import linear_fbanks as linear_fbanks
from msjax.dataset.audio.banks import melscale_fbanks as melscale_fbanks
from msjax.dataset.audio.options import BorderType as BorderType
from msjax.dataset.audio.options import DensityFunction as DensityFunction
from msjax.dataset.audio.options import FadeShape as FadeShape
from msjax.dataset.audio.options import GainType as GainType
from msjax.dataset.audio.options import Interpolation as Interpolation
from msjax.dataset.audio.options import MelType as MelType
from msjax.dataset.audio.options import Modulation as Modulation
from msjax.dataset.audio.options import NormMode as NormMode
from msjax.dataset.audio.options import NormType as NormType
from msjax.dataset.audio.options import ResampleMethod as ResampleMethod
from msjax.dataset.audio.options import ScaleType as ScaleType
from msjax.dataset.audio.options import WindowType as WindowType
