"""Pipelines whose rows come in an order that follows from the seed; `ds` is MindSpore's `dataset` or this package's."""

import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

SEEDS = (0, 1, 12345)
EPOCHS = 3
_WEIGHTS = [0.1, 0.9, 0.3, 0.4, 0.1, 0.1, 0.1, 0.1, 0.5, 0.1]


def _rows(ds: Any, count: int, **settings: Any) -> Any:
    return ds.NumpySlicesDataset(np.arange(count), column_names=["x"], **settings)


class _Indexed:
    def __len__(self) -> int:
        return 10

    def __getitem__(self, i: int) -> tuple[np.ndarray]:
        return (np.array(i),)


def _resampled(ds: Any) -> Any:
    part = _rows(ds, 20, shuffle=False).split([0.7, 0.3])[0]
    part.use_sampler(ds.DistributedSampler(2, 0))
    return part


def _digits(ds: Any, sampler: Any) -> Any:
    """Eight images of three kinds, whose pixels are their numbers."""
    with tempfile.TemporaryDirectory() as folder:
        pixels = b"".join(bytes([i]) * 784 for i in range(8))
        images = struct.pack(">IIII", 2051, 8, 28, 28) + pixels
        labels = struct.pack(">II", 2049, 8) + bytes(i % 3 for i in range(8))
        Path(folder, "train-images-idx3-ubyte").write_bytes(images)
        Path(folder, "train-labels-idx1-ubyte").write_bytes(labels)
        data = ds.MnistDataset(folder, sampler=sampler)
        rows = data.create_tuple_iterator(num_epochs=EPOCHS, output_numpy=True)
        return [[int(row[0].ravel()[0]) for row in rows] for _ in range(EPOCHS)]


def _records(ds: Any, **settings: Any) -> Any:
    """Two MindRecord files of 5 and 7 rows."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in "ab"]
        for number, path in enumerate(paths):
            _rows(ds, 5 + 2 * number, shuffle=False).map(lambda x, number=number: x + 10 * number).save(path)
        data = ds.MindDataset(paths, **settings)
        rows = data.create_tuple_iterator(num_epochs=EPOCHS, output_numpy=True)
        return [[int(row[0]) for row in rows] for _ in range(EPOCHS)]


def _within(sampler: Any, child: Any) -> Any:
    sampler.add_child(child)
    return sampler


CLASSES: dict[str, Any] = {
    "classes": lambda ds: ds.PKSampler(2),
    "classes shuffled": lambda ds: ds.PKSampler(2, shuffle=True),
    "some of the classes": lambda ds: ds.PKSampler(1, None, True, num_samples=2),
    "sequence of classes": lambda ds: _within(ds.SequentialSampler(1, 2), ds.PKSampler(2)),
}
RECORDS: dict[str, Any] = {
    "records": lambda ds: {},
    "some records": lambda ds: {"num_samples": 3},
    "more records than there are": lambda ds: {"num_samples": 30},
    "records, partial": lambda ds: {"shuffle": ds.Shuffle.PARTIAL},
    "some records, partial": lambda ds: {"shuffle": ds.Shuffle.PARTIAL, "num_samples": 3},
    "records, sampled": lambda ds: {"sampler": ds.RandomSampler(num_samples=4)},
    "records, replacement": lambda ds: {"sampler": ds.RandomSampler(replacement=True)},
    "records, subset": lambda ds: {"sampler": ds.SubsetRandomSampler([3, 1, 8, 0], 2)},
}
CASES: dict[str, Any] = {
    **{f"all of {n}": lambda ds, n=n: _rows(ds, n, shuffle=True) for n in (2, 3, 4, 5, 10, 33, 400)},
    **{f"shuffle {n}": lambda ds, n=n: _rows(ds, n, shuffle=False).shuffle(4) for n in (2, 3, 4, 5, 33)},
    "shuffle of all": lambda ds: _rows(ds, 400, shuffle=False).shuffle(500),
    "some": lambda ds: _rows(ds, 10, sampler=ds.RandomSampler(num_samples=4)),
    "replacement": lambda ds: _rows(ds, 10, sampler=ds.RandomSampler(replacement=True, num_samples=6)),
    "a share": lambda ds: _rows(ds, 10, num_shards=2, shard_id=1, shuffle=True),
    "a third": lambda ds: ds.GeneratorDataset(_Indexed(), ["x"], sampler=ds.DistributedSampler(3, 1)),
    "subset": lambda ds: _rows(ds, 10, sampler=ds.SubsetRandomSampler([1, 3, 5, 7, 9])),
    "some of a subset": lambda ds: _rows(ds, 10, sampler=ds.SubsetRandomSampler([3, 1, 7, 5, 9], 3)),
    "some of a list": lambda ds: _rows(ds, 10, sampler=[3, 1, 7], num_samples=2),
    "weights": lambda ds: _rows(ds, 10, sampler=ds.WeightedRandomSampler(_WEIGHTS, 6)),
    "weights once": lambda ds: _rows(
        ds, 10, sampler=ds.WeightedRandomSampler(_WEIGHTS, 6, replacement=False)
    ),
    "generator": lambda ds: ds.GeneratorDataset(_Indexed(), ["x"], shuffle=True),
    "repeated": lambda ds: _rows(ds, 10, shuffle=True).repeat(2),
    "split": lambda ds: _rows(ds, 10, shuffle=False).split([0.7, 0.3])[0],
    "split, rest": lambda ds: _rows(ds, 10, shuffle=True).split([7, 3])[1],
    "split in order": lambda ds: _rows(ds, 10, shuffle=True).split([7, 3], randomize=False)[1],
    "split of a map": lambda ds: _rows(ds, 10, shuffle=False).map(lambda x: x).split([7, 3])[1],
    "split, sampled": _resampled,
    "both": lambda ds: _rows(ds, 10, shuffle=True).shuffle(5),
}


def orders(ds: Any) -> dict[str, list[list[int]]]:
    """The rows of some epochs of every case after every seed."""
    found = {}
    for seed in SEEDS:
        ds.config.set_seed(seed)
        for name, make in CASES.items():
            each = make(ds).create_tuple_iterator(num_epochs=EPOCHS, output_numpy=True)
            found[f"{name}, seed {seed}"] = [[int(row[0]) for row in each] for _ in range(EPOCHS)]
        for name, sampler in CLASSES.items():
            found[f"{name}, seed {seed}"] = _digits(ds, sampler(ds))
        for name, settings in RECORDS.items():
            found[f"{name}, seed {seed}"] = _records(ds, **settings(ds))
    return found
