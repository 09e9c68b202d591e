"""Random transforms after a seed, in a `map` of two workers and by themselves; what they gave, as checksums or pixels."""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_RANDOM = np.random.RandomState(0)
IMAGE = _RANDOM.randint(0, 256, (24, 20, 3)).astype(np.uint8)
SMOOTH = (np.add.outer(np.arange(24) * 5, np.arange(20) * 4)[..., None] + np.array([0, 20, 40])).astype(
    np.uint8
)
SPECTRUM = _RANDOM.standard_normal((2, 20, 24)).astype(np.float32)
BOXES = np.array([[1, 2, 6, 8], [4, 5, 10, 12], [0, 0, 20, 24]], np.float32)
BATCH = np.stack([IMAGE, SMOOTH, IMAGE[::-1]])
LABELS = np.eye(4, dtype=np.int32)[[0, 1, 3]]

ARRAYS = """
V.RandomCrop(5)
V.RandomCrop((30, 25), [2, 3, 4, 5], True, (1, 2, 3))
V.RandomCrop((24, 20))
V.RandomHorizontalFlip(0.4)
V.RandomVerticalFlip(0.4)
V.RandomResizedCrop((8, 9))
V.RandomResizedCrop(10, (3.0, 4.0), (2.0, 3.0), Inter.NEAREST, 2)
V.RandomColorAdjust(0.4, 0.4, 0.4, 0.1)
V.RandomAffine(15, (-0.1, 0.1, 0, 0.2), (0.8, 1.2), (-5, 5, -3, 3))
V.RandomRotation(30, fill_value=(1, 2, 3))
V.RandomColor((0.1, 1.9))
V.RandomSharpness((0.1, 1.9))
V.RandomAdjustSharpness(2.0, 0.4)
V.RandomSolarize((10, 200))
V.RandomPosterize((1, 6))
V.RandomLighting(0.3)
V.RandomEqualize(0.6)
V.RandomInvert(0.3)
V.RandAugment()
V.TrivialAugmentWide()
V.AutoAugment()
V.CutOut(5, 2)
V.UniformAugment([V.RandomCrop(5), V.HorizontalFlip(), V.RandomInvert(0.5)], 2)
V.RandomSelectSubpolicy([[(V.RandomCrop(5), 0.5), (V.HorizontalFlip(), 0.5)], [(V.VerticalFlip(), 0.9)]])
T.RandomApply([V.RandomCrop(5), V.RandomCrop(3)], 0.6)
T.RandomChoice([V.RandomCrop(5), V.HorizontalFlip(), V.RandomCrop(3)])
T.Compose([V.RandomCrop(5), V.RandomCrop(3)])
[lambda x: x, V.RandomCrop(9), lambda x, flip=V.RandomHorizontalFlip(): flip(x), V.RandomVerticalFlip()]
""".strip().splitlines()
PILLOW = """
V.RandomCrop((30, 25), [2, 3, 4, 5], True, (1, 2, 3))
V.RandomHorizontalFlip(0.4)
V.RandomResizedCrop((8, 9))
V.RandomColorAdjust(0.4, 0.4, 0.4, 0.1)
V.RandomAffine(15, (0.1, 0.2), (0.8, 1.2), (-5, 5, -3, 3))
V.RandomRotation((10, 80), expand=True, fill_value=(3, 4, 5))
V.RandomSharpness((0.1, 1.9))
V.RandomGrayscale(0.5)
T.RandomOrder([V.RandomHorizontalFlip(), V.RandomCrop(9)])
T.RandomApply([V.RandomCrop(5), V.RandomCrop(3)], 0.6)
""".strip().splitlines()
PERSPECTIVE = "V.RandomPerspective(0.4, 0.8)"
BOTH = """
V.RandomHorizontalFlipWithBBox(0.5)
V.RandomCropWithBBox(12)
V.RandomResizedCropWithBBox((10, 12), (0.3, 1.0))
V.BoundingBoxAugment(V.RandomRotation(90), 0.9)
""".strip().splitlines()
OTHERS = {
    "A.TimeMasking(True, 8)": (SPECTRUM,),
    "A.FrequencyMasking(True, 8)": (SPECTRUM,),
    "A.MaskAlongAxisIID(6, 1.0, 2)": (SPECTRUM,),
    "V.MixUpBatch(0.6)": (BATCH, LABELS),
}


class Same:
    """Six rows of the same arrays; MindSpore writes into what it is given."""

    def __init__(self, *arrays: np.ndarray) -> None:
        self.arrays = arrays

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        return tuple(one.copy() for one in self.arrays)


def digests(ds: Any, vision: Any, transforms: Any, audio: Any) -> dict[str, list[int]]:
    """Return the draws of each case under a seed."""
    names = {"V": vision, "T": transforms, "A": audio, "Inter": vision.Inter}
    cases = [(source, (IMAGE,), 2) for source in ARRAYS] + [(source, (IMAGE, BOXES), 2) for source in BOTH]
    cases += [(source, arrays, 2) for source, arrays in OTHERS.items()]
    found = {}
    for source, arrays, workers in cases:
        found[source] = _mapped(ds, eval(source, names), arrays, workers)
    for source in PILLOW:
        found[f"PIL: {source}"] = _mapped(ds, _with_pil(vision, eval(source, names)), (IMAGE,), 1)
    for source in ARRAYS[:-1]:
        ds.config.set_seed(7)
        transform: Callable[[np.ndarray], Any] = eval(source, names)
        found[f"eager: {source}"] = [_digest(transform(IMAGE.copy())) for _ in range(2)]
    return found


def perspectives(ds: Any, vision: Any) -> dict[str, np.ndarray]:
    """The pixels that `PERSPECTIVE` gives under a seed: on some, the last bit of LAPACK's least squares decides."""
    operations = _with_pil(vision, eval(PERSPECTIVE, {"V": vision}))
    return {"images": np.stack(list(_mapped_arrays(ds, operations, (IMAGE,), 1)))}


def _with_pil(vision: Any, transform: Callable) -> list[Callable]:
    return [vision.ToPIL(), transform, np.asarray]


def _mapped(ds: Any, operations: Any, arrays: tuple[np.ndarray, ...], workers: int) -> list[int]:
    return [_digest(one) for one in _mapped_arrays(ds, operations, arrays, workers)]


def _mapped_arrays(
    ds: Any, operations: Any, arrays: tuple[np.ndarray, ...], workers: int
) -> Iterator[np.ndarray]:
    columns = ["a", "b"][: len(arrays)]
    ds.config.set_seed(7)
    rows = ds.GeneratorDataset(Same(*arrays), columns, shuffle=False)
    iterator = rows.map(operations, columns, num_parallel_workers=workers).create_tuple_iterator(
        output_numpy=True, num_epochs=2
    )
    return (one for _ in range(2) for row in iterator for one in row)


def _digest(array: np.ndarray) -> int:
    if array.dtype.kind == "f":
        array = np.round(array * 1000).astype(np.int64)
    return zlib.crc32(repr(array.shape).encode() + array.tobytes())
