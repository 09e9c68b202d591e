"""Samplers of concatenated datasets: errors, and what MindSpore's recorded pipelines do not show."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest

import msjax.dataset as ds


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def numbers(first: int, count: int, **given: Any) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(list(range(first, first + count)), "x", **{"shuffle": False, **given})


def read(data: ds.Dataset, epochs: int = 1) -> list[list[int]]:
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[int(row[0]) for row in iterator] for _ in range(epochs)]


def test_shards_of_sources() -> None:
    joined = numbers(0, 3) + numbers(3, 4, shuffle=True)
    joined.use_sampler(ds.DistributedSampler(2, 1, False))
    assert read(joined) == [[1, 3, 5]]
    assert joined.get_dataset_size() == 3
    assert joined.is_sharded()


def test_shards_of_steps_are_dealt_out_over_the_epochs() -> None:
    shards = []
    for shard in range(3):
        joined = numbers(0, 4).map(lambda x: x, "x") + numbers(4, 3)
        joined.use_sampler(ds.DistributedSampler(3, shard, False))
        shards.append(read(joined, 3))
    assert shards[0] == [[0, 3, 6], [2, 6], [1, 6]]  # the second epoch goes on with the fifth row
    for rows in zip(*shards, strict=True):
        assert sorted(chain(*rows)) == list(range(7))


@pytest.mark.parametrize("seed", [None, 3])
def test_mixed_datasets_keep_their_order(seed: int | None) -> None:
    if seed is not None:
        ds.config.set_seed(seed)
    joined = (numbers(0, 20) + numbers(100, 30)).concat(numbers(200, 5))
    joined.use_sampler(ds.RandomSampler())
    epochs = read(joined, 3)
    for rows in epochs:
        assert rows != sorted(rows)
        for first, count in ((0, 20), (100, 30), (200, 5)):
            assert [x for x in rows if first <= x < first + 100] == list(range(first, first + count))
    assert epochs[0] != epochs[1]
    assert joined.is_shuffled()
    assert joined.get_dataset_size() == 55


@pytest.mark.parametrize(
    ("sampler", "error", "text"),
    [
        (ds.DistributedSampler(2, 1), ValueError, "neither `shuffle` nor `num_samples`.*shuffle=True"),
        (
            ds.DistributedSampler(2, 1, False, 3),
            ValueError,
            "neither `shuffle` nor `num_samples`.*num_samples=3",
        ),
        (ds.RandomSampler(True), ValueError, "neither `replacement` nor `num_samples`.*replacement=True"),
        (ds.RandomSampler(num_samples=3), ValueError, "neither `replacement` nor `num_samples`"),
        (ds.SequentialSampler(), TypeError, "must be a DistributedSampler or a RandomSampler"),
        (None, TypeError, "must be a DistributedSampler or a RandomSampler"),
    ],
)
def test_other_samplers(sampler: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"`use_sampler`: .*{text}"):
        (numbers(0, 3) + numbers(3, 4)).use_sampler(sampler)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: numbers(0, 4).batch(2) + numbers(0, 4).batch(2),
            TypeError,
            "that are batched. Cut, then batch",
        ),
        (lambda: numbers(9, 1) + numbers(0, 4, num_samples=2), ValueError, "num_samples=2 in dataset 1"),
    ],
)
def test_no_shards(make: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"`use_sampler`: .*{text}"):
        make().use_sampler(ds.DistributedSampler(2, 0, False))


@pytest.mark.parametrize(("low", "count"), [(7, "fewer"), (2, "more")])
def test_mixed_datasets_with_other_numbers_of_rows(low: int, count: str) -> None:
    bounds = [4]
    joined = numbers(0, 3) + numbers(0, 9).filter(lambda x: x > bounds[0])
    joined.use_sampler(ds.RandomSampler())
    bounds[0] = low
    with pytest.raises(RuntimeError, match=f"as many rows .* 4 in dataset 1. Received: {count}") as caught:
        read(joined)
    assert __file__ in str(caught.value)


def test_a_source_without_random_access_keeps_its_order() -> None:
    data = ds.GeneratorDataset(lambda: iter(range(4)), "x")
    for set_sampler in (data.use_sampler, data.add_sampler):
        with pytest.warns(UserWarning, match="no effect on a source without `__getitem__`"):
            set_sampler(ds.RandomSampler())
    assert read(data) == [[0, 1, 2, 3]]
    with pytest.raises(RuntimeError, match="PKSampler"):
        data.use_sampler(ds.PKSampler(2))
    with pytest.warns(UserWarning, match="no effect"):
        data.use_sampler(ds.DistributedSampler(2, 0))
    assert data.is_sharded()
    with pytest.raises(RuntimeError, match="`split`"):
        data.split([2, 2])


def test_flat_map_of_one_row_is_the_dataset_that_was_made() -> None:
    data = numbers(0, 1).flat_map(lambda x: numbers(5, 3))
    data.use_sampler(ds.SequentialSampler(1))
    assert read(data) == [[6, 7]]


def test_flat_map_of_many_rows_is_mixed_as_if_they_were_appended() -> None:
    ds.config.set_seed(5)
    made = numbers(0, 4).flat_map(lambda x: numbers(10 * int(x), 3))
    appended = numbers(0, 3)
    for first in (10, 20, 30):
        appended = appended + numbers(first, 3)
    for data in (made, appended):
        data.use_sampler(ds.RandomSampler())
    assert read(made, 2) == read(appended, 2)
    many = numbers(0, 1500).flat_map(lambda x: numbers(int(x), 1))
    assert read(many) == [list(range(1500))]


@pytest.mark.parametrize("seed", [None, 1])
def test_splits_of_rows_that_are_gone(seed: int | None) -> None:
    if seed is not None:
        ds.config.set_seed(seed)
    bounds = [-1]
    data = numbers(0, 6).filter(lambda x: x > bounds[0])
    shares = data.split([3, 3])
    bounds[0] = 3
    assert sorted(chain(*(read(share)[0] for share in shares))) == [4, 5]
    bounds[0] = 9
    with pytest.raises(RuntimeError, match="`split`: there are no rows to shuffle"):
        read(shares[0])


def test_a_cut_off_repetition_goes_on_as_if_it_had_been_read() -> None:
    """The second pass of the first epoch has an order, though nobody reads it."""
    ds.config.set_seed(0)
    whole = read(numbers(0, 6, shuffle=True).repeat(2), 2)
    cut = read(ds.zip((numbers(0, 6, shuffle=True).repeat(2), numbers(9, 2).rename("x", "y"))), 2)
    assert cut == [rows[:2] for rows in whole]
    assert np.array(cut).shape == (2, 2)
