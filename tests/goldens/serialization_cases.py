"""Pipelines that are written as JSON. `i` makes a dataset of two images, `x` one of three lines of text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

SOURCES = """
i(num_parallel_workers=1, class_indexing={'a': 3}, decode=True, sampler=ds.RandomSampler(num_samples=1))
i(sampler=ds.SequentialSampler(1))
i(sampler=ds.DistributedSampler(2, 1, shuffle=False, num_samples=1, offset=0))
i(sampler=ds.SubsetRandomSampler([1, 0]))
i(sampler=ds.SubsetSampler([1, 0, 1]))
i(sampler=ds.WeightedRandomSampler([1.0, 2.0], 2))
i(num_shards=2, shard_id=1, shuffle=True, num_samples=1)
x(num_samples=2)
x(shuffle=False, num_shards=3, shard_id=1)
ds.CSVDataset('t.txt', column_names=['a', 'b'], field_delim=' ', shuffle=False)
ds.FakeImageDataset(3, (2, 2, 3))
x(shuffle=False).concat([x(shuffle=False, num_samples=1)])
ds.zip((x(shuffle=False).rename('text', 'b'), x()))
x(shuffle=False).map([text.WhitespaceTokenizer()]).rename('text', 'z').project('z').shuffle(4)
x(shuffle=False).batch(2, True, num_parallel_workers=1).repeat(3).skip(1).take(2)
""".strip().splitlines()
TRANSFORMS = """
[v.RandomCrop((5, 4), [1, 1, 1, 1], True, (1, 2, 3)), v.Resize([4, 4], v.Inter.CUBIC), v.HWC2CHW()]
[v.RandomResizedCrop(4, (0.1, 1.0)), v.Normalize([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])]
[v.RandomRotation((10, 20), v.Inter.BILINEAR, True, (1, 1), (1, 2, 3)), v.Resize((4, 4))]
[v.Pad((1, 2), 3, v.Border.EDGE), v.ConvertColor(v.ConvertMode.COLOR_BGR2GRAY)]
[v.Affine(15, [0.2, 0.2], 1.1, [1.0, 1.0]), v.Rotate(30), v.CenterCrop(3)]
[v.RandomColorAdjust(0.1, 0.2, 0.3, 0.4), v.GaussianBlur(3, 2.0)]
[v.Perspective([[0, 0], [3, 0], [3, 3], [0, 3]], [[0, 0], [2, 0], [3, 3], [0, 2]], v.Inter.LINEAR)]
[v.UniformAugment([v.HorizontalFlip(), v.VerticalFlip()]), v.RandomPosterize((1, 8))]
[t.RandomApply([v.RandomSharpness()], 0.4), t.RandomChoice([v.Invert(), v.Solarize((1, 3))])]
[v.RandomSelectSubpolicy([[(v.RandomRotation(5), 0.5), (v.RandomVerticalFlip(), 0.5)]])]
[v.Rescale(0.5, 1.0), t.TypeCast(np.int32), v.ToTensor(np.float32)]
[v.RandAugment(), v.TrivialAugmentWide(), v.AutoAugment(v.AutoAugmentPolicy.CIFAR10)]
[t.Fill(3), v.Erase(0, 0, 2, 2, (1, 2, 3)), v.CutOut(3)]
""".strip().splitlines()
CASES = [*SOURCES, *(f"i(decode=True, shuffle=False).map({one}, ['image'])" for one in TRANSFORMS)]


def write_files(folder: Path) -> None:
    """Write what the pipelines read."""
    (folder / "img" / "a").mkdir(parents=True)
    for number in range(2):
        pixels = (np.arange(12 * 10 * 3).reshape(12, 10, 3) * (7 + number) % 251).astype(np.uint8)
        Image.fromarray(pixels).save(folder / "img" / "a" / f"{number}.png")
    (folder / "t.txt").write_text("a b\nc d\ne f\n")


def names_of(ds: Any, transforms: Any, vision: Any, text: Any) -> dict[str, Any]:
    """Return the names that the cases use."""
    return {
        "ds": ds,
        "t": transforms,
        "v": vision,
        "text": text,
        "np": np,
        "i": lambda **named: ds.ImageFolderDataset("img", **named),
        "x": lambda **named: ds.TextFileDataset("t.txt", **named),
    }


def outcomes(ds: Any, transforms: Any, vision: Any, text: Any) -> dict[str, Any]:
    """Return each pipeline's description."""
    write_files(Path())
    ds.config.set_num_parallel_workers(2)
    names = names_of(ds, transforms, vision, text)
    return {case: json.loads(json.dumps(ds.serialize(eval(case, dict(names))))) for case in CASES}
