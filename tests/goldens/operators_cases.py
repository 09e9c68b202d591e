"""Expressions over operators of `mindspore.dataset` at arguments that were drawn at random: values, and types of errors."""

from typing import Any

import numpy as np


def namespace(ds: Any, dtypes: Any, audio: Any) -> dict[str, Any]:
    """The names that the expressions use.

    `seeded` sets MindSpore's seed before, and gives the rows of a pipeline; `drawn` calls a function after each of some seeds.
    """
    random = np.random.RandomState(0)

    def seeded(function: Any, *columns: Any) -> Any:
        ds.config.set_seed(3)
        names = list("ab"[: len(columns)])
        data = ds.NumpySlicesDataset(tuple([one] * 2 for one in columns), names, shuffle=False)
        data = data.map(function, names, num_parallel_workers=1)
        rows = [list(row) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        ds.config.set_seed(3)
        return function(*(np.copy(one) for one in columns)), rows

    def drawn(function: Any, seeds: tuple[int, ...], image: Any) -> list[Any]:
        found = []
        for seed in seeds:
            ds.config.set_seed(seed)
            found.append(function(np.copy(image)))
        return found

    return {
        "np": np,
        "ms": dtypes,
        "vision": ds.vision,
        "audio": audio,
        "text": ds.text,
        "transforms": ds.transforms,
        "seeded": seeded,
        "drawn": drawn,
        "G": np.arange(256).astype(np.uint8).reshape(16, 16, 1).repeat(3, 2),
        "I": (np.arange(5 * 6 * 3).reshape(5, 6, 3) * 37 % 251).astype(np.uint8),
        "B": random.randint(0, 256, (3, 4, 5, 3)).astype(np.uint8),
        "N": np.eye(3, dtype=np.uint8),
        "W": (random.rand(2, 20) * 2 - 1).astype(np.float32),
        "S": random.rand(2, 3, 4).astype(np.float32),
        "C": (random.rand(9, 5, 2) * 2 - 1).astype(np.float32),
    }


_AUDIO = """
seeded(audio.InverseMelScale(5, 3, 8000, max_iter=3), S)
seeded(audio.InverseMelScale(5, 3, 8000, max_iter=200, sgdargs={'sgd_lr': 0.3, 'sgd_momentum': 0.9}), S)
seeded(audio.InverseMelScale(5, 3, 8000, max_iter=5, tolerance_loss=0.2), S)
seeded(audio.InverseMelScale(5, 3, 8000, max_iter=9, tolerance_change=0.01), S[0])
seeded(audio.InverseMelScale(5, 3, 8000, max_iter=3), S.astype(np.float64))
seeded(audio.InverseMelScale(5, 3, 8000, max_iter=50), np.stack([S, S]).astype(np.float64))
seeded(audio.GriffinLim(n_fft=16, n_iter=2, length=32), np.abs(C[..., 0]))
seeded(audio.GriffinLim(n_fft=16, n_iter=2), np.abs(C[..., 0]))
audio.InverseSpectrogram(n_fft=16, center=False)(C)
audio.InverseSpectrogram(50, n_fft=16, hop_length=4)(C)
audio.InverseSpectrogram(50, n_fft=16, hop_length=4, pad=3, center=False)(C)
audio.InverseSpectrogram(20, n_fft=16, pad=3)(C)
audio.InverseSpectrogram(n_fft=18)(C)
audio.PhaseVocoder(1.0, np.ones((9, 1), np.float32))(C)
audio.PhaseVocoder(1.0, np.ones((9, 1), np.float32))(np.stack([[C, C]] * 2))
audio.PhaseVocoder(2.0, np.ones((9, 1), np.float64))(C)
audio.PhaseVocoder(2.0, np.ones((9, 2), np.float32))(C)
audio.PhaseVocoder(2**40, np.ones((9, 1), np.float32))
audio.TimeStretch(fixed_rate=2.0)(C)
audio.TimeStretch(3, 9, 0.7)((C * 9).astype(np.int32))
audio.TimeStretch(n_freq=9)(C)
audio.SlidingWindowCmn()((C[..., 0] * 9).astype(np.int32))
audio.PitchShift(16000, 3, n_fft=16)((W[:, :18] * 50).astype(np.int32))
audio.Flanger(44100)((W * 50).astype(np.int32))
audio.Flanger(44100)(W > 0)
audio.Phaser(44100)(W > 0)
audio.Angle()(C > 0)
audio.Angle()(C[0, 0])
audio.ComplexNorm(0.5)(C[0, 0])
audio.Magphase()(C[0, 0])
audio.MuLawDecoding()(W > 0)
audio.Resample(16000, 16000)((W * 50).astype(np.int16))
audio.Fade()((W * 50).astype(np.int16))
audio.LFCC(n_filter=12, n_lfcc=20)(np.tile(W, 30))
audio.MelSpectrogram(n_fft=40, n_mels=3)(W)
audio.MelSpectrogram(n_fft=16, n_mels=3, power=0.0)
audio.AllpassBiquad(44100, 0.0)(W)
audio.BandBiquad(1, 7000.0)(W)
audio.Biquad(0.1, 0.2, 0.3, 1.0, 0.4, 0.5)(W.astype(np.complex64))
audio.Vol(float('nan'), audio.GainType.DB)(W)
audio.DBToAmplitude(1e40, 2)
audio.FrequencyMasking(mask_value=2**31)
audio.Angle(unknown=1)
audio.ComplexNorm()(1, 2)
audio.melscale_fbanks(21, -1, 100, 12, 16000)
"""
_VISION = """
seeded(vision.CutMixBatch(vision.ImageBatchFormat.NHWC, 0.5, 1.0), B, N)
seeded(vision.CutMixBatch(vision.ImageBatchFormat.NCHW, 2, 0.5), B.transpose(0, 3, 1, 2), N)
vision.CutMixBatch(vision.ImageBatchFormat.NCHW)(B, N)
seeded(vision.RandomCrop((2, 3), (1, 2)), B)
seeded(vision.RandomCrop(3), np.stack([B, B]))
seeded(vision.RandomResizedCrop((3, 4), interpolation=vision.Inter.NEAREST), I.astype(np.int32))
vision.SlicePatches(1, 1)(I)
vision.GaussianBlur(3, [0.3, 0])(I.astype(np.float64))
vision.GaussianBlur(3, [0, 0.3])(I.astype(np.float64))
vision.GaussianBlur([1, 5])(I.astype(np.float64))
vision.Solarize((50, 50))(I)
vision.Solarize((0, 0))(I)
vision.MixUp(2, 0.4)(B, N)
vision.FiveCrop(40)(vision.ToPIL()(I))
vision.Decode(True)(np.arange(5, dtype=np.uint8))
vision.AdjustBrightness(2**31)
vision.AdjustContrast(3.0)(1, 2)
vision.Affine(400, (0.0, 0.0), 1.0, 0.0)
vision.Equalize(1)
vision.GaussianBlur(15, 2**31)
vision.HWC2CHW(unknown=1)
vision.MixUpBatch()(1, 2)
vision.RandomAdjustSharpness(1e40)
vision.RandomAffine([0, 0], shear=[None])
vision.RandomColor((0, 0, 0))
vision.RandomErasing(0.0, value=[None])
vision.RandomPerspective(0.5, 1)
vision.RandomPosterize((0.5, 0.5))
vision.RandomRotation(2**31)
vision.RandomSolarize([100, 200])
vision.Rotate(30, center=[1, 2, 3])
drawn(vision.RandAugment(1, 3), (6, 8, 15, 44, 70, 160), I)
drawn(vision.RandAugment(1, 3, 31, vision.Inter.LINEAR, 7), (6, 8, 15, 44, 70, 160), I)
drawn(vision.TrivialAugmentWide(7), (10, 13, 46), G)
drawn(vision.RandAugment(2, 3, 10), (143, 263), G)
drawn(vision.AutoAugment(), (11, 44, 52, 61), G)
drawn(vision.AutoAugment(vision.AutoAugmentPolicy.CIFAR10), (102, 129), G)
drawn(vision.AutoAugment(vision.AutoAugmentPolicy.SVHN), (2, 40, 57), G)
"""
_TEXT = r"""
text.FilterWikipediaXML()("#REDIRECT [[A]]")
text.FilterWikipediaXML()("a #redirect b")
text.RegexReplace("a(b)", r"\1")("ab aab")
text.RegexReplace("a", r"x\\y")("ab aab")
text.RegexReplace("a", "\\")("ab aab")
text.RegexReplace("a(b)", "$12-$0")("ab aab")
text.RegexReplace("(?<q>a)", "${q}x")("ab aab")
text.RegexReplace("a", r"\$1")("ab aab")
text.RegexReplace("a", "$1")("ab aab")
text.RegexReplace("a", "$")("ab aab")
text.RegexReplace(r"\p{Han}", "-")("ab 我a")
text.RegexReplace(r"[^\p{IsHan}b]", "-")("ab 我a")
text.RegexReplace(r"\P{script=Han}", "-")("ab 我a")
text.RegexReplace(r"\x{61}", "-")("ab 我a")
text.AddToken("")(["a"])
text.CaseFold(1)
transforms.OneHot(1)(0)
transforms.OneHot(1)([0, 0])
transforms.TypeCast(ms.string)(["a", "bb"])
transforms.TypeCast(str)([1, 2])
transforms.Duplicate(unknown=1)
transforms.RandomChoice([lambda x: x, lambda x: x])(3)
transforms.RandomApply([lambda x: x], 1.0)(3)
"""
CASES = [line for block in (_AUDIO, _VISION, _TEXT) for line in block.strip().splitlines()]
