"""Attributes of datasets, under MindSpore's names; what is expected was seen in MindSpore 2.10."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import msjax.dataset as ds


def numbers(**kwargs: Any) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(np.arange(8), ["x"], **kwargs)


def double(x: np.ndarray) -> np.ndarray:
    return x * 2


def identity(x: Any, info: Any) -> tuple[Any]:
    return (x,)


class Rows:
    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, index

    def __len__(self) -> int:
        return 6


ROWS = Rows()
STEPS: dict[str, tuple[Any, dict[str, Any], int]] = {
    "batch": (
        lambda d: d.batch(2),
        {
            "batch_size": 2, "batch_size_func": None, "drop_remainder": False, "input_columns": [],
            "output_columns": [], "num_parallel_workers": None, "per_batch_map": None,
            "python_multiprocessing": False, "max_rowsize": [-1, -1],
        },
        4,
    ),
    "batch map": (
        lambda d: d.batch(2, True, 2, per_batch_map=identity, input_columns="x"),
        {"drop_remainder": True, "input_columns": ["x"], "num_parallel_workers": 2, "per_batch_map": identity},
        4,
    ),
    "padded_batch": (lambda d: d.padded_batch(4, pad_info={}), {"batch_size": 4, "pad": True, "pad_info": {}}, 2),
    "map": (
        lambda d: d.map(double, "x", ["z"], python_multiprocessing=True, num_parallel_workers=2),
        {
            "operations": [double], "input_columns": ["x"], "output_columns": ["z"], "callbacks": [],
            "num_parallel_workers": 2, "python_multiprocessing": True, "max_rowsize": [-1, -1], "offload": None,
        },
        8,
    ),
    "map in place": (lambda d: d.map([double], "x"), {"output_columns": ["x"], "num_parallel_workers": None}, 8),
    "filter": (lambda d: d.filter(lambda x: x > 2, "x"), {"input_columns": ["x"]}, 5),
    "shuffle": (lambda d: d.shuffle(4), {"buffer_size": 4, "reshuffle_each_epoch": True}, 8),
    "repeat": (lambda d: d.repeat(2), {"count": 2}, 16),
    "endless": (lambda d: d.repeat(), {"count": -1}, 8),
    "take": (lambda d: d.take(2), {"count": 2}, 2),
    "skip": (lambda d: d.skip(2), {"count": 2}, 6),
    "project": (lambda d: d.project("x"), {"columns": ["x"]}, 8),
    "rename": (lambda d: d.rename("x", "z"), {"input_column_names": ["x"], "output_column_names": ["z"]}, 8),
}  # fmt: skip


@pytest.mark.parametrize(("step", "attributes", "size"), STEPS.values(), ids=STEPS)
def test_steps(step: Any, attributes: dict[str, Any], size: int) -> None:
    source = numbers()
    data = step(source)
    assert {name: getattr(data, name) for name in attributes} == attributes
    assert data.children == [source]
    assert [each() for each in source.parent] == [data]
    assert data.parent == []
    assert data.dataset_size is None
    assert data.get_dataset_size() == data.dataset_size == size
    assert source.dataset_size is None


SOURCES: dict[str, tuple[Any, dict[str, Any]]] = {
    "rows": (
        lambda: ds.GeneratorDataset(ROWS, ["x", "y"]),
        {
            "column_names": ["x", "y"], "column_types": [], "num_samples": 0, "num_shards": 1, "shard_id": 0,
            "num_parallel_workers": 1, "python_multiprocessing": True, "max_rowsize": -1, "schema": None,
            "source": ROWS, "source_len": 6, "has_batch_sampler": False, "collate_fn": None, "shuffle_flag": 2,
        },
    ),
    "shard": (lambda: ds.GeneratorDataset(ROWS, "x", num_shards=2, shard_id=1), {"num_shards": 2, "shard_id": 1}),
    "some": (lambda: numbers(num_samples=3, shuffle=False), {"num_samples": 3, "shuffle_flag": 5, "source_len": 8}),
    "dict": (lambda: ds.NumpySlicesDataset({"a": [1]}), {"column_names": ["a"]}),
    "stream": (lambda: ds.GeneratorDataset(lambda: iter([1]), "x"), {"column_names": ["x"], "source_len": -1}),
    "batches": (lambda: ds.GeneratorDataset(ROWS, ["x", "y"], batch_sampler=[[0]]), {"has_batch_sampler": True}),
    "fake": (
        lambda: ds.FakeImageDataset(4, (8, 8, 3), 3),
        {"base_seed": 0, "image_size": (8, 8, 3), "num_images": 4, "num_parallel_workers": None, "num_samples": 0},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "attributes"), SOURCES.values(), ids=SOURCES)
def test_sources(make: Any, attributes: dict[str, Any]) -> None:
    data = make()
    assert {name: getattr(data, name) for name in attributes} == attributes
    assert (data.children, data.parent, data.dataset_size) == ([], [], None)


def test_sources_of_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / "a" / "0.png")
    data = ds.ImageFolderDataset(str(tmp_path), decode=True, shuffle=False)
    assert (data.dataset_dir, data.decode, data.extensions, data.num_samples) == (str(tmp_path), True, [], 0)
    assert isinstance(data.sampler, ds.SequentialSampler)
    assert data.num_parallel_workers is None
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")
    assert ds.TextFileDataset(str(file)).dataset_files == [str(file)]


def test_the_size_is_that_of_the_sampler() -> None:
    data = numbers()
    assert data.get_dataset_size() == 8
    data.use_sampler(ds.SequentialSampler(num_samples=2))
    assert data.dataset_size is None
    assert data.get_dataset_size() == 2
    first, _ = numbers().split([0.75, 0.25])
    assert (first.dataset_size, first.get_dataset_size()) == (None, 6)


def test_a_class_of_the_users() -> None:
    class Squares(ds.GeneratorDataset):
        def __init__(self, top: int, num_samples: int | None = None) -> None:
            super().__init__([i * i for i in range(top)], "x", num_samples=num_samples)

    data = Squares(3)
    assert (data.top, data.num_samples, data.column_names, data.source_len) == (3, 0, ["x"], 3)
    with pytest.raises(AttributeError, match="no attribute 'batch_size'"):
        data.batch_size  # noqa: B018
