"""Pipelines: combinations of steps, against the same steps on plain lists."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from msjax import dataset as ds
from msjax.core.tensor.tensor import Tensor
from msjax.dataset.common import placeholders
from msjax.dataset.random import generators

Rows = list[Any]


def grouped(rows: Rows, size: int, drop: bool = False) -> Rows:
    return [rows[i : i + size] for i in range(0, len(rows) - (size - 1 if drop else 0), size)]


STEPS: dict[str, tuple[Callable[[ds.Dataset], ds.Dataset], Callable[[Rows], Rows]]] = {
    "map": (lambda d: d.map(lambda x: x + 1), lambda r: [(np.array(x) + 1).tolist() for x in r]),
    "batch": (lambda d: d.batch(3, True), lambda r: grouped(r, 3, True)),
    "repeat": (lambda d: d.repeat(2), lambda r: r * 2),
    "take": (lambda d: d.take(5), lambda r: r[:5]),
    "skip": (lambda d: d.skip(2), lambda r: r[2:]),
    "filter": (
        lambda d: d.filter(lambda x: x.sum() % 2 == 0),
        lambda r: [x for x in r if np.sum(x) % 2 == 0],
    ),
    "concat": (lambda d: d + d.take(1), lambda r: r + r[:1]),
    "flat_map": (
        lambda d: d.flat_map(lambda x: ds.NumpySlicesDataset(np.stack([x, x + 1]), "x", shuffle=False)),
        lambda r: [y for x in r for y in (x, (np.array(x) + 1).tolist())],
    ),
    "apply": (lambda d: d.apply(lambda e: e.skip(1)), lambda r: r[1:]),
}


@pytest.mark.parametrize("steps", list(itertools.product(STEPS, repeat=3)), ids="-".join)
def test_three_steps(steps: tuple[str, ...]) -> None:
    dataset, rows = ds.NumpySlicesDataset(list(range(10)), "x", shuffle=False), list(range(10))
    for step in steps:
        dataset, rows = STEPS[step][0](dataset), STEPS[step][1](rows)
    iterator = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    for _ in range(2):
        assert [row[0].tolist() for row in iterator] == rows
    assert dataset.get_dataset_size() == len(rows)


def test_a_row_is_read_only_when_needed() -> None:
    read = []

    class Source:
        def __len__(self) -> int:
            return 10

        def __getitem__(self, index: int) -> int:
            read.append(index)
            return index

    data = ds.GeneratorDataset(Source(), "x", shuffle=False)
    assert len(list(data.take(3))) == 3
    assert read == [0, 1, 2]
    read.clear()
    assert len(list(data.split([4, 6], randomize=False)[0])) == 4
    assert sorted(read) == [0, 1, 2, 3]


def test_functions_may_give_and_take_tensors() -> None:
    data = ds.GeneratorDataset([(Tensor([1.0, 2.0]), [Tensor([3]), Tensor([4])])], ["x", "y"])
    (row,) = data.map(lambda x: Tensor(x) * 2, "x").create_dict_iterator(num_epochs=1, output_numpy=True)
    assert row["x"].tolist() == [2.0, 4.0]
    assert row["x"].dtype == np.float32
    assert row["y"].tolist() == [[3], [4]]


def test_steps_do_not_change_the_dataset_they_are_made_of() -> None:
    data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
    data.map(lambda x: x * 100)
    data.rename("x", "y")
    assert [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)] == [1, 2, 3]


def test_a_user_written_sampler_is_asked_in_every_epoch() -> None:
    class Growing(ds.Sampler):
        epochs = 0

        def __iter__(self) -> Any:
            self.epochs += 1
            return iter(range(self.epochs))

    iterator = ds.GeneratorDataset([5, 6, 7], "x", sampler=Growing()).create_tuple_iterator(num_epochs=3)
    assert [[int(row[0]) for row in iterator] for _ in range(3)] == [[5], [5, 6], [5, 6, 7]]


@pytest.mark.parametrize("mode", list(ds.config.ErrorSamplesMode))
def test_bad_samples_in_shuffled_data(mode: ds.config.ErrorSamplesMode) -> None:
    def picky(x: np.ndarray) -> np.ndarray:
        if x % 3 == 0:
            raise ValueError(f"bad {x}")
        return x

    data = ds.GeneratorDataset(list(range(12)), "x").map(picky)
    ds.config.set_error_samples_mode(mode)
    try:
        if mode is ds.config.ErrorSamplesMode.RETURN:
            with pytest.raises(RuntimeError, match="ValueError: bad"):
                list(data)
            return
        rows = [int(row[0]) for row in data]
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    good = [1, 2, 4, 5, 7, 8, 10, 11]
    assert sorted(rows[:8]) == good
    assert rows[8:] == (rows[:4] if mode is ds.config.ErrorSamplesMode.REPLACE else [])


def test_a_run_has_a_generator_for_each_place() -> None:
    ds.config.set_seed(3)
    run = generators.Run()
    places = [run, run.child(0), run.child(1), run.child(0).child(0)]
    drawn = [place.generator().random() for place in places]
    assert len(set(drawn)) == len(places)
    assert run.child(1).generator() is places[2].generator()
    assert generators.Run().child(1).generator().random() == drawn[2]


def test_names_of_mindspore_are_there_or_say_that_they_are_not() -> None:
    public = {name for name in vars(ds) if not name.startswith("_")}
    assert not public & {*placeholders.PARTS}
    methods = {name for name in dir(ds.GeneratorDataset) if not name.startswith("_")}
    assert not methods & set(placeholders.METHODS)


@pytest.mark.parametrize("content", ['{"seed": 4, "numParallelWorkers": 2}', '{"unknown": 1}'])
def test_settings_from_a_file(content: str, tmp_path: Any) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content)
    if "unknown" in content:
        with pytest.raises(RuntimeError, match="'unknown'"):
            ds.config.load(str(file))
    else:
        ds.config.load(str(file))
        assert ds.config.get_seed() == 4
