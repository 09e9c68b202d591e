"""Iterators that go on where another one was, also in another process: after a seed with the same rows."""

import random
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms
import msjax.dataset as ds
from msjax.dataset import transforms, vision
from msjax.mindrecord import FileWriter

IMAGES = np.random.RandomState(0).randint(0, 256, (13, 12, 10, 3)).astype(np.uint8)


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    ds.config.set_debug_mode(False)


def images() -> ds.Dataset:
    return ds.NumpySlicesDataset((IMAGES, np.arange(13)), ["x", "y"])


def sampled(data: ds.Dataset, sampler: Any) -> ds.Dataset:
    data.use_sampler(sampler)
    return data


def noisy(x: np.ndarray) -> np.ndarray:
    return x + np.float32(random.random()) + np.random.rand()  # noqa: NPY002


NESTED = transforms.Compose(
    [
        transforms.RandomApply([vision.RandomCrop(7)], 0.5),
        vision.RandomResizedCrop(5),
        vision.RandomRotation(20),
    ]
)
PIPELINES: dict[str, Callable[[], ds.Dataset]] = {
    "source": images,
    "arrays in batches": lambda: images().batch(3),
    "crops": lambda: images().map([vision.RandomResizedCrop(6), vision.RandomHorizontalFlip()], "x").batch(4),
    "nested": lambda: images().map(NESTED, "x", num_parallel_workers=3),
    "shuffled": lambda: images().map(vision.RandomCrop(6), "x").shuffle(5).repeat(2).batch(4),
    "python": lambda: images().map(noisy, "x").filter(lambda y: y % 4, "y").batch(2),
    "taken": lambda: images().skip(2).take(9).project("y").rename("y", "z").batch(2),
    "zipped": lambda: ds.zip((images(), images().rename(["x", "y"], ["a", "b"]))).batch(4),
    "made of rows": lambda: ds.NumpySlicesDataset([0, 3], "i", shuffle=False).flat_map(
        lambda i: ds.NumpySlicesDataset(IMAGES[int(i) :][:4], "x").map(vision.RandomCrop(6), "x").shuffle(3)
    ),
    "mixed": lambda: sampled(images().map(vision.RandomCrop(6), "x") + images().skip(4), ds.RandomSampler()),
    "shards": lambda: sampled(images() + images().skip(4), ds.DistributedSampler(2, 1, shuffle=False)).batch(
        2
    ),
    "joined": lambda: (images() + images()).batch(5, drop_remainder=True),
    "batch numbers": lambda: (
        images()
        .project("y")
        .batch(3, per_batch_map=lambda y, info: ([one + 100 * info.get_batch_num() for one in y],))
    ),
    "lists": lambda: ds.GeneratorDataset(list(range(9)), "x", batch_sampler=[[0, 2], [4], [5, 1], [8]]),
    "weights": lambda: ds.NumpySlicesDataset(
        list(range(9)), "x", sampler=ds.WeightedRandomSampler(np.arange(1.0, 10).tolist(), 9)
    ),
}


def read(iterator: Any, count: int) -> list[list[np.ndarray]]:
    """So many rows, of one epoch after the other."""
    found: list[list[np.ndarray]] = []
    while len(found) < count:
        row = next(iterator, None)
        found += [] if row is None else [row]
    return found


def same(rows: list[list[np.ndarray]], others: list[list[np.ndarray]]) -> None:
    assert len(rows) == len(others)
    for row, other in zip(rows, others, strict=True):
        for column, twin in zip(row, other, strict=True):
            np.testing.assert_array_equal(column, twin, strict=True)


@pytest.mark.parametrize("before", [0, 3, 7])
@pytest.mark.parametrize("name", PIPELINES)
def test_the_same_rows_follow(name: str, before: int) -> None:
    ds.config.set_seed(11)
    iterator = PIPELINES[name]().create_tuple_iterator(output_numpy=True)
    read(iterator, before)
    state = iterator.get_state()
    rows = read(iterator, 9)
    iterator.stop()
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    again = PIPELINES[name]().create_tuple_iterator(output_numpy=True)
    again.set_state(state)
    assert again.get_state() == state
    same(rows, read(again, 9))
    again.stop()


@pytest.mark.parametrize("before", [2, 6])
def test_without_a_seed_the_order_is_the_same_and_nothing_is_computed_again(before: int) -> None:
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    calls: list[int] = []

    def work(y: np.ndarray) -> np.ndarray:
        calls.append(int(y))
        return y

    data = images().project("y").map(work, "y").batch(3)
    iterator = data.create_tuple_iterator(output_numpy=True)
    read(iterator, before)
    state = iterator.get_state()
    rows = read(iterator, 3)
    iterator.stop()
    again = data.create_tuple_iterator(output_numpy=True)
    again.set_state(state)
    calls.clear()
    same(rows, read(again, 3))
    assert calls[0] == int(rows[0][0][0])
    again.stop()


def test_mindrecord_files_in_the_middle_of_an_epoch(tmp_path: Path) -> None:
    path = str(tmp_path / "some.mindrecord")
    writer = FileWriter(path)
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": i} for i in range(10)])
    writer.commit()
    ds.config.set_seed(3)
    data = ds.MindDataset(path, shuffle=ds.Shuffle.INFILE).batch(2)
    iterator = data.create_tuple_iterator(output_numpy=True)
    read(iterator, 7)
    state, rows = iterator.get_state(), read(iterator, 9)
    ds.config.set_seed(4)
    again = data.create_tuple_iterator(output_numpy=True)
    again.set_state(state)
    same(rows, read(again, 9))


PROGRAM = """
import sys, numpy as np
import msjax as ms, msjax.dataset as ds
from msjax.dataset import vision
images = np.random.RandomState(0).randint(0, 256, (13, 12, 10, 3)).astype(np.uint8)
data = ds.NumpySlicesDataset((images, np.arange(13)), ["x", "y"]).map(vision.RandomCrop(6), "x").batch(4)
iterator = data.create_dict_iterator(num_epochs=2)
iterator.set_state(ms.load_checkpoint(sys.argv[1])["rows"])
print([int(row["x"].sum()) for _ in range(2) for row in iterator])
"""


def test_a_checkpoint_holds_the_state_for_another_process(tmp_path: Path) -> None:
    ds.config.set_seed(5)
    data = images().map(vision.RandomCrop(6), "x").batch(4)
    iterator = data.create_dict_iterator(num_epochs=2)
    read(iterator, 2)
    file = str(tmp_path / "some.ckpt")
    ms.save_checkpoint([], file, append_dict={"rows": iterator.get_state()})
    rest = [int(row["x"].sum()) for _ in range(2) for row in iterator]
    (tmp_path / "other.py").write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run(
        [sys.executable, str(tmp_path / "other.py"), file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(rest)
    assert len(rest) == 6


def test_the_number_of_epochs_counts_those_before() -> None:
    data = images().batch(5)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    read(iterator, 4)
    again = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    again.set_state(iterator.get_state())
    assert len(list(again)) == 2
    with pytest.raises(RuntimeError, match="has given the 2 epochs"):
        next(again)


def test_what_is_no_state_of_these_steps() -> None:
    iterator = images().create_tuple_iterator()
    with pytest.raises(TypeError, match="`set_state`: argument `state` must be a str"):
        iterator.set_state(3)  # type: ignore[arg-type]
    for text in ("", "abc", iterator.get_state()[:-2]):
        with pytest.raises(ValueError, match="must be what `get_state` gave"):
            iterator.set_state(text)
    with pytest.raises(ValueError, match=r"over other steps: \['RandomAccess\(x, y\)'\]"):
        images().batch(2).create_tuple_iterator().set_state(iterator.get_state())


CUT_OFF: dict[str, Callable[[], ds.Dataset]] = {
    "taken": lambda: images().project("y").take(3),
    "taken of mixed": lambda: sampled(images() + images(), ds.RandomSampler()).project("y").take(4),
    "taken of weighted": lambda: ds.NumpySlicesDataset(
        list(range(9)), "x", sampler=ds.WeightedRandomSampler([0.5] * 9, 6)
    ).take(2),
    "zipped": lambda: ds.zip((images().project("y").shuffle(5), ds.NumpySlicesDataset([1, 2], "z"))),
    "repeated": lambda: ds.zip((images().project("y").repeat(3), ds.NumpySlicesDataset([1, 2], "z"))),
    "shards": lambda: sampled(
        images().project("y").map(lambda y: y, "y") + images().project("y"),
        ds.DistributedSampler(2, 1, shuffle=False),
    ).take(5),
}


def read_epochs(iterator: Any, count: int) -> list[Any]:
    """So many rows and ends of epochs."""
    found = []
    for _ in range(count):
        row = next(iterator, None)
        found.append(row and [column.tolist() for column in row])
    return found


@pytest.mark.parametrize("seed", [None, 7])
@pytest.mark.parametrize("name", CUT_OFF)
def test_at_each_row_of_epochs_that_are_cut_off(name: str, seed: int | None) -> None:
    """The ends of epochs, too, where the rest of the rows is still to be read, or was never begun."""
    if seed is not None:
        ds.config.set_seed(seed)
    data = CUT_OFF[name]()
    for before in range(8):
        iterator = data.create_tuple_iterator(output_numpy=True)
        read_epochs(iterator, before)
        state = iterator.get_state()
        rows = read_epochs(iterator, 14)
        again = data.create_tuple_iterator(output_numpy=True)
        again.set_state(state)
        first = read_epochs(again, 5)
        once_more = data.create_tuple_iterator(output_numpy=True)
        once_more.set_state(again.get_state())
        assert first + read_epochs(again, 9) == rows
        assert first + read_epochs(once_more, 9) == rows
