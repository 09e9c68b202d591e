"""The table of the steps of a pipeline: every step counts its rows once, and the values stay what they are."""

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset import vision
from msjax.dataset.pipeline.profiling import profile_stages

IMAGES = np.random.RandomState(0).randint(0, 256, (10, 12, 10, 3)).astype(np.uint8)


def pipeline() -> ds.Dataset:
    data = ds.NumpySlicesDataset((IMAGES, np.arange(10)), ["x", "y"]).map(
        [vision.RandomCrop(6), vision.HWC2CHW()], "x", num_parallel_workers=2
    )
    return data.filter(lambda y: y % 5, "y").project(["y", "x"]).batch(3)


def rows(data: ds.Dataset) -> list[list[list[int]]]:
    ds.config.set_seed(2)
    return [
        [column.tolist() for column in row]
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


@pytest.fixture(autouse=True)
def seed() -> None:
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def test_rows_of_each_step() -> None:
    plain = rows(pipeline())
    with profile_stages() as profile:
        assert rows(pipeline()) == plain
        rows(ds.NumpySlicesDataset(IMAGES, "x").batch(4))
    first, second = profile.stages
    assert [(stage.name, stage.rows) for stage in first] == [
        ("NumpySlicesDataset", 10),
        ("map RandomCrop, HWC2CHW", 10),
        ("filter", 8),
        ("project", 8),
        ("batch", 3),
    ]
    assert [(stage.name, stage.rows) for stage in second] == [("NumpySlicesDataset", 3), ("batch", 3)]
    crop = list(first)[1]
    assert crop.threads == 2
    assert crop.busy > 0
    assert 0 <= first.own <= first.seconds
    assert first.seconds >= first.below[0].seconds
    assert profile.waited > 0
    table = str(profile).splitlines()
    assert table[0].split() == ["step", "rows", "ms", "a", "row", "own", "ms", "threads", "busy"]
    assert len(table) == 9
    assert "2 x " in table[2]
    assert table[-1].startswith("The program waits for rows for ")


def test_nothing_is_counted_outside() -> None:
    with profile_stages() as profile:
        pass
    rows(pipeline())
    assert profile.stages == []
    assert str(profile).count("\n") == 0
