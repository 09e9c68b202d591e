"""Order and randomness: permutations, seeds, epochs, shares. What a seed gives is MindSpore's."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msjax import dataset as ds
from msjax import mindrecord
from msjax.core.tensor import random_state as core_random
from msjax.dataset import transforms, vision
from msjax.dataset.random.mindspore_rng import Mt19937, shuffle
from tests.goldens.orders_cases import orders

GOLDENS = Path(__file__).parents[2] / "goldens"
N = 40
ROWS = list(range(N))


@pytest.fixture(autouse=True)
def no_seed() -> Iterator[None]:
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def epochs(dataset: ds.Dataset, count: int = 1) -> list[list[Any]]:
    iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[row[0].tolist() for row in iterator] for _ in range(count)]


def numbers(**arguments: Any) -> ds.GeneratorDataset:
    return ds.GeneratorDataset(ROWS, "x", **arguments)


def ordered() -> ds.GeneratorDataset:
    return numbers(shuffle=False)


class Images:
    def __len__(self) -> int:
        return N

    def __getitem__(self, index: int) -> np.ndarray:
        return np.arange(16, dtype=np.uint8).reshape(4, 4, 1) + index


SHUFFLED: dict[str, Callable[[], ds.Dataset]] = {
    "default": numbers,
    "slices": lambda: ds.NumpySlicesDataset(ROWS, "x"),
    "sampler": lambda: numbers(sampler=ds.RandomSampler()),
    "subset": lambda: numbers(sampler=ds.SubsetRandomSampler(ROWS)),
    "weighted": lambda: numbers(sampler=ds.WeightedRandomSampler([1] * N, N, replacement=False)),
    "shuffle": lambda: ordered().shuffle(N),
    "window": lambda: ordered().shuffle(7),
    "both": lambda: numbers().shuffle(7),
    "mapped": lambda: numbers().map(lambda x: x),
    "child": lambda: numbers(sampler=_with_child()),
}
# MindSpore's sampler by weights draws the same in every epoch after a seed.
ANEW = {name: make for name, make in SHUFFLED.items() if name != "weighted"}
RANDOM_PIXELS: dict[str, Any] = {
    "crop": vision.RandomCrop(3),
    "flip": vision.RandomHorizontalFlip(),
    "vertical flip": vision.RandomVerticalFlip(),
    "resized crop": vision.RandomResizedCrop(3),
    "cut out": vision.CutOut(2),
    "solarize": vision.RandomSolarize((0, 200)),
    "apply": transforms.RandomApply([lambda x: x * 2]),
    "choice": transforms.RandomChoice([lambda x: x, lambda x: x * 2]),
    "order": transforms.RandomOrder([lambda x: x + 1, lambda x: x * 2]),
    "nested": transforms.Compose([transforms.RandomApply([vision.RandomHorizontalFlip(1.0)])]),
}


def _with_child() -> ds.RandomSampler:
    sampler = ds.RandomSampler()
    sampler.add_child(ds.RandomSampler())
    return sampler


def test_orders_after_a_seed_are_mindspores() -> None:
    recorded, got = json.loads((GOLDENS / "orders.json").read_text()), orders(ds)
    assert [name for name in recorded if recorded[name] != got[name]] == []
    assert recorded.keys() == got.keys()


def test_long_lists_are_shuffled_as_mindspore_does() -> None:
    rows = list(range(70000))  # from 65536 on by another way
    shuffle(rows, Mt19937(7))
    assert sorted(rows) == list(range(70000))
    assert (rows[:5], rows[-5:]) == ([68737, 37819, 55518, 21721, 46481], [57263, 54761, 67476, 50028, 53514])


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED)
def test_shuffled_rows_are_a_permutation_new_in_each_epoch(make: Callable[[], ds.Dataset]) -> None:
    first, second, third = epochs(make(), 3)
    assert sorted(first) == sorted(second) == sorted(third) == ROWS
    assert len({tuple(ROWS), tuple(first), tuple(second), tuple(third)}) == 4


@pytest.mark.parametrize("make", ANEW.values(), ids=ANEW)
def test_a_seed_repeats_iterators_and_lets_epochs_differ(make: Callable[[], ds.Dataset]) -> None:
    ds.config.set_seed(3)
    dataset = make()
    first = epochs(dataset, 3)
    assert first == epochs(dataset, 3) == epochs(make(), 3)
    assert first[0] != first[1] != first[2]
    ds.config.set_seed(4)
    assert epochs(dataset, 3) != first


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED)
def test_without_a_seed_iterators_differ(make: Callable[[], ds.Dataset]) -> None:
    dataset = make()
    assert epochs(dataset) != epochs(dataset)


@pytest.mark.parametrize("make", ANEW.values(), ids=ANEW)
def test_repeats_are_shuffled_like_epochs(make: Callable[[], ds.Dataset]) -> None:
    ds.config.set_seed(3)
    (repeated,) = epochs(make().repeat(2))
    assert sorted(repeated[:N]) == sorted(repeated[N:]) == ROWS
    assert repeated[:N] != repeated[N:]


@pytest.mark.parametrize("transform", RANDOM_PIXELS.values(), ids=RANDOM_PIXELS)
def test_random_transforms_follow_the_seed(transform: Any) -> None:
    dataset = ds.GeneratorDataset(Images(), "x", shuffle=False).map(transform)
    ds.config.set_seed(3)
    first = epochs(dataset, 2)
    ds.config.set_seed(3)  # again, for what draws from Python's `random`
    assert first == epochs(dataset, 2)
    assert first[0] != first[1]
    ds.config.set_seed(4)
    assert epochs(dataset, 2) != first


@pytest.mark.parametrize("transform", RANDOM_PIXELS.values(), ids=RANDOM_PIXELS)
def test_random_transforms_outside_a_pipeline_begin_with_the_seed(transform: Any) -> None:
    image = 16 * np.arange(16, dtype=np.uint8).reshape(4, 4, 1)

    def draw(seed: int) -> list[str]:
        ds.config.set_seed(seed)
        return [str(transform(image).tolist()) for _ in range(20)]

    in_python = isinstance(transform, transforms.RandomOrder)
    assert draw(3) == draw(3)
    assert (len(set(draw(3))) > 1) == in_python
    assert len(set(draw(ds.config.DEFAULT_SEED))) > 1


def test_the_seed_set_last_counts() -> None:
    core_random.set_seed(7)
    assert ds.config.get_seed() == 7
    under_seven = epochs(numbers())
    ds.config.set_seed(8)
    assert ds.config.get_seed() == 8
    assert epochs(numbers()) != under_seven
    core_random.set_seed(7)
    assert ds.config.get_seed() == 7
    assert epochs(numbers()) == under_seven


@pytest.mark.parametrize("draw", [random.random, np.random.random], ids=["random", "numpy"])
@pytest.mark.parametrize("set_seed", [ds.config.set_seed, core_random.set_seed], ids=["dataset", "global"])
def test_functions_of_the_user_draw_from_seeded_modules(draw: Any, set_seed: Any) -> None:
    set_seed(5)
    first = draw()
    set_seed(5)
    assert draw() == first


def test_iterators_do_not_disturb_each_other() -> None:
    ds.config.set_seed(3)
    dataset = numbers().map(transforms.RandomApply([lambda x: -x])).shuffle(5).batch(4)
    alone = epochs(dataset)[0]
    one, two = (dataset.create_tuple_iterator(num_epochs=1, output_numpy=True) for _ in range(2))
    together = [(a[0].tolist(), b[0].tolist()) for a, b in zip(one, two, strict=True)]
    assert [a for a, _ in together] == [b for _, b in together] == alone


def test_several_pipelines_share_a_source() -> None:
    source = ordered()
    evens, odds = source.filter(lambda x: x % 2 == 0), source.filter(lambda x: x % 2 == 1)
    assert epochs(evens) == [ROWS[::2]]
    assert epochs(odds) == [ROWS[1::2]]
    assert epochs(ds.zip((evens, odds.rename("x", "y")))) == [ROWS[::2]]


@pytest.mark.parametrize("buffer_size", [2, 5, N - 1, N, 3 * N])
def test_shuffle_draws_from_the_next_rows(buffer_size: int) -> None:
    for place, row in enumerate(epochs(ordered().shuffle(buffer_size))[0]):
        assert row < place + buffer_size


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9])
@pytest.mark.parametrize("shards", [1, 2, 3, 8])
def test_shards_are_equal_and_cover(shards: int, size: int, shuffle: bool) -> None:
    # No seed is set: processes that know nothing of each other must still cut one permutation.
    shares = [
        epochs(ds.GeneratorDataset(ROWS[:size], "x", shuffle=shuffle, num_shards=shards, shard_id=i), 2)
        for i in range(shards)
    ]
    for epoch in range(2):
        rows = [share[epoch] for share in shares]
        assert {len(share) for share in rows} == {-(-size // shards)}
        assert {row for share in rows for row in share} == set(ROWS[:size])
    if shuffle and size > 6:
        assert [share[0] for share in shares] != [share[1] for share in shares]


@pytest.mark.parametrize("offset", range(-1, 4))
def test_shards_with_an_offset_do_not_overlap(offset: int) -> None:
    shares = [epochs(numbers(sampler=ds.DistributedSampler(3, i, True, offset=offset)))[0] for i in range(3)]
    together = sorted(row for share in shares for row in share)
    assert together == ROWS if offset >= 0 else set(together) == set(ROWS)


PARTS: dict[str, Callable[[], ds.Dataset]] = {
    "shuffled": numbers,
    "ordered": ordered,
    "mapped": lambda: numbers().map(lambda x: x),
    "shuffled late": lambda: ordered().shuffle(11),
    "batched": lambda: ordered().batch(1).map(lambda x: x[0]),
}


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("randomize", [True, False])
@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS)
def test_shares_of_a_split_are_disjoint_in_every_epoch(
    make: Callable[[], ds.Dataset], randomize: bool, seed: int | None
) -> None:
    if seed is not None:
        ds.config.set_seed(seed)
    dataset = make()
    train, test = dataset.split([0.75, 0.25], randomize)
    for _ in range(2):
        learned, held = epochs(train, 2), epochs(test, 2)
        assert sorted(learned[0] + held[0]) == sorted(learned[1] + held[1]) == ROWS
        assert seed is not None or sorted(learned[0]) == sorted(learned[1])
    assert (learned[0] == learned[1]) == (not dataset.is_shuffled())
    assert (train.get_dataset_size(), test.get_dataset_size()) == (30, 10)


RECORDS = {  # what MindSpore gives for two files of eight rows after the seed 7, in two epochs
    "all": (
        [4, 5, 100, 103, 104, 7, 106, 107, 102, 2, 1, 101, 105, 6, 3, 0],
        [106, 3, 103, 5, 104, 105, 7, 6, 101, 4, 0, 107, 100, 102, 2, 1],
    ),
    "infile": (
        [4, 5, 1, 2, 6, 7, 3, 0, 104, 105, 101, 102, 106, 107, 103, 100],
        [3, 4, 2, 5, 6, 1, 7, 0, 103, 104, 102, 105, 106, 101, 107, 100],
    ),
    "files": (
        [100, 101, 102, 103, 104, 105, 106, 107, 0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 102, 103, 104, 105, 106, 107],
    ),
    "share": ([5, 103, 7, 107, 2, 101, 6, 0], [106, 1, 104, 105, 0, 7, 100, 102]),
    "subset": ([7, 101, 3, 5, 1], [7, 101, 3, 5, 1]),
}


def test_rows_of_mindrecord_files_are_shuffled_as_mindspore_does(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a", "b")]
    for number, path in enumerate(paths):
        writer = mindrecord.FileWriter(path, 1)
        writer.add_schema({"x": {"type": "int32"}}, "numbers")
        writer.write_raw_data([{"x": row + 100 * number} for row in range(8)])
        writer.commit()
    settings: dict[str, Any] = {
        "all": {},
        "infile": {"shuffle": ds.Shuffle.INFILE},
        "files": {"shuffle": ds.Shuffle.FILES},
        "share": {"num_shards": 2, "shard_id": 1},
        "subset": {"sampler": ds.SubsetRandomSampler([1, 3, 5, 7, 9])},
    }
    ds.config.set_seed(7)
    for name, chosen in settings.items():
        assert tuple(epochs(ds.MindDataset(paths, **chosen), 2)) == RECORDS[name], name


@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS)
def test_shares_are_disjoint_wherever_they_are_used(make: Callable[[], ds.Dataset]) -> None:
    train, test = make().split([30, 10])
    train, validation = train.split([20, 10])
    learned = train.map(lambda x: x).shuffle(5).batch(2).repeat(2)
    held = test.map(lambda x: x).map(lambda x: x).batch(5)
    for _ in range(2):
        rows = [np.ravel(epochs(part)[0]).tolist() for part in (learned, held)]
        assert sorted(set(rows[0])) == sorted(rows[0])[::2]
        assert sorted([*set(rows[0]), *rows[1], *epochs(validation)[0]]) == ROWS


def test_a_split_is_repeated_by_the_seed() -> None:
    def cut() -> list[int]:
        ds.config.set_seed(3)
        return epochs(ordered().split([10, 30])[0])[0]

    assert cut() == cut()
    assert cut() != ROWS[:10]


def test_weights_are_kept() -> None:
    weights, rows = [1, 2, 0, 5], []
    for seed in range(100):
        ds.config.set_seed(seed)
        rows += epochs(numbers(sampler=ds.WeightedRandomSampler(weights, N)))[0]
    shares = np.bincount(rows, minlength=4) / len(rows)
    np.testing.assert_allclose(shares, np.array(weights) / 8, atol=0.02)


def test_weights_without_replacement_favour_the_heavy() -> None:
    sampler, first = ds.WeightedRandomSampler([1, 1, 8], 1, replacement=False), []
    for seed in range(1000):
        ds.config.set_seed(seed)
        first += epochs(ds.GeneratorDataset([0, 1, 2], "x", sampler=sampler))[0]
    np.testing.assert_allclose(np.bincount(first) / 1000, [0.1, 0.1, 0.8], atol=0.04)


def test_endless_repetition_of_nothing_ends() -> None:
    assert epochs(ordered().filter(lambda x: False).repeat()) == [[]]


def test_take_of_an_endless_repetition() -> None:
    dataset = ordered().repeat().take(2 * N + 1)
    assert epochs(dataset) == [ROWS + ROWS + [0]]
    assert dataset.get_dataset_size() == 2 * N + 1
