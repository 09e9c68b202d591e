"""Expressions over `mindspore.dataset.audio`."""

from typing import Any

import numpy as np


def namespace(audio: Any) -> dict[str, Any]:
    """The names that the expressions use."""
    random = np.random.RandomState(0)
    own = {name: getattr(audio, name) for name in dir(audio) if not name.startswith("_")}
    long = (np.sin(np.arange(120) * 0.3) * 0.5 + random.rand(120) * 0.1)[None]
    return own | {
        "np": np,
        "W": random.rand(2, 20) * 1.6 - 0.8,
        "S": random.rand(1, 11, 6),
        "C": random.rand(1, 5, 6, 2),
        "L": long,
        "L32": long.astype(np.float32),
    }


FILTERS = [
    "AllpassBiquad(44100,2000.)",
    "BandBiquad(44100,2000.)",
    "BandBiquad(44100,2000.,noise=True)",
    "BandpassBiquad(44100,2000.)",
    "BandpassBiquad(44100,2000.,0.7,True)",
    "BandrejectBiquad(44100,2000.)",
    "BassBiquad(44100,10.)",
    "Biquad(.5,.2,.1,1.,.3,.1)",
    "Biquad(.5,.2,.1,2.,.3,.1)",
    "Contrast()",
    "Contrast(0.)",
    "DCShift(.5,.05)",
    "DCShift(-.5)",
    "DeemphBiquad(44100)",
    "EqualizerBiquad(44100,1500.,5.5)",
    "Fade(5,4)",
    "Fade(5,4,FadeShape.EXPONENTIAL)",
    "Fade(5,4,FadeShape.LOGARITHMIC)",
    "Fade(5,4,FadeShape.HALF_SINE)",
    "Fade(5,4,FadeShape.QUARTER_SINE)",
    "Filtfilt([1.,.1],[.5,.2])",
    "Gain()",
    "HighpassBiquad(44100,1500.)",
    "LFilter([1.,.1],[.5,.2])",
    "LFilter([1.,.1],[2.5,.2],False)",
    "LowpassBiquad(4000,1500.)",
    "MuLawEncoding()",
    "Overdrive()",
    "RiaaBiquad(44100)",
    "TrebleBiquad(44100,20.)",
    "Vol(2.)",
    "Vol(.5,GainType.DB)",
    "Vol(.3,GainType.POWER)",
]
CASES = [
    *(f"{one}(W)" for one in FILTERS),
    *(f"{one}(W.astype(np.float32))" for one in FILTERS[::4]),
    "AllpassBiquad(44100,200.)(W.astype(np.int32))",
    "AllpassBiquad(0,200.)",
    "AllpassBiquad(44100,200.,-1.)",
    "Contrast(200.)",
    "Fade(100,0)(W)",
    "DeemphBiquad(3)",
    "MuLawDecoding()(np.arange(0,250,50).reshape(1,5).astype(np.int32))",
    "ComplexNorm()(C)",
    "Magphase()(C)",
    "ComputeDeltas(7,BorderType.CONSTANT)(S)",
    "MelScale(4,8000,0.,None,11)(S)",
    "MaskAlongAxis(1,2,.5,1)(S)",
    "FrequencyMasking(False,3,2,.5)(S)",
    "SlidingWindowCmn(3,1)(S)",
    "SlidingWindowCmn()(S)",
    "Spectrogram(16)(L)",
    "Spectrogram(16,power=0.)(L)",
    "Spectrogram(16,window=WindowType.BARTLETT,pad_mode=BorderType.EDGE)(L)",
    "LFCC(4000,10,6)(L32)",
    "InverseSpectrogram(100,16)(Spectrogram(16,power=0.)(L32))",
    "TimeStretch(4,5,1.3)(C)",
    "create_dct(4,6,NormMode.NONE)",
    "linear_fbanks(11,0.,4000.,4,8000)",
    "Phaser(8000,.5,.9,1.,.3,1.5,False)(W)",
    "Phaser(44100)(W.astype(np.int32))",
    "Phaser(8000,2.)",
    "Flanger(800)(W)",
    "Flanger(800,1.,2.,50.,71.,2.,30.,Modulation.TRIANGULAR,Interpolation.QUADRATIC)(W)",
    "Flanger(0)",
    "DetectPitchFrequency(30,0.1,3,5,25)(W)",
    "DetectPitchFrequency(8000,win_length=4)(L)",
    "DetectPitchFrequency(8000,win_length=4,freq_high=86)(L)",
    "DetectPitchFrequency(8000)(W)",
    "Resample(300,200,ResampleMethod.KAISER_WINDOW,4,.8)(W)",
    "Resample(8000,16000)(W)",
    "Resample(1,2,rolloff=1)",
    "PitchShift(8000,4,n_fft=16)(L)",
    "PitchShift(8000,0,n_fft=16)(L32)",
    "InverseMelScale(20,3,16000,0,8000,10)(np.ones((3,2))).shape",
    "GriffinLim(16,2)(np.ones((2,9,6))).shape",
    "GriffinLim(16,2)(np.ones((8,6)))",
    "Vad(600)(np.zeros((2,1000))).shape",
    "Vad(600,noise_up_time=.001)",
]
