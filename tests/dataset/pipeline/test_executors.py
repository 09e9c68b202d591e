"""Threads and processes that work ahead: order and values are those of one, and each ends in any case."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset import transforms, vision
from msjax.dataset.pipeline import map_node
from msjax.dataset.pipeline.executors import ThreadExecutor, run_in_order


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    workers = ds.config.get_num_parallel_workers()
    yield
    ds.config.set_num_parallel_workers(workers)
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    ds.config.set_debug_mode(False)


def numbers(total: int, failing: int = -1) -> Iterator[int]:
    for i in range(total):
        if i == failing:
            raise KeyError(i)
        yield i


@pytest.mark.parametrize("executors", [1, 2, 3])
@pytest.mark.parametrize("total", [0, 1, 4, 5, 23])
@pytest.mark.parametrize("first", [0, 1])
def test_results_come_in_order_each_from_its_executor(executors: int, total: int, first: int) -> None:
    working = [
        ThreadExecutor(lambda item, executor=executor: (item, executor)) for executor in range(executors)
    ]
    found = list(run_in_order(numbers(total), working, first % executors, 2))
    assert found == [(i, (i, (first % executors + i) % executors)) for i in range(total)]
    for executor in working:
        executor.close()


def test_an_error_of_the_items_comes_after_what_was_before_it() -> None:
    executor, found = ThreadExecutor(lambda item: item), []
    results = run_in_order(numbers(9, failing=5), [executor], 0, 2)
    with pytest.raises(KeyError):
        found.extend(item for item, _ in results)
    assert [next(run_in_order(numbers(9), [executor], 0, 2))[0], *found] == [0, 0, 1, 2, 3, 4]
    executor.close()


IMAGES = np.random.RandomState(0).randint(0, 256, (21, 12, 10, 3)).astype(np.uint8)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_images_do_not_depend_on_threads(workers: int) -> None:
    operations = [vision.RandomResizedCrop(8), vision.RandomHorizontalFlip(), vision.RandomColorAdjust(0.2)]

    def rows(debug: bool) -> list[np.ndarray]:
        ds.config.set_seed(3)
        ds.config.set_debug_mode(debug)
        data = ds.NumpySlicesDataset(IMAGES, "x").map(operations, "x", num_parallel_workers=workers).repeat(2)
        epochs = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        return [row[0] for _ in range(2) for row in epochs]

    inline, ahead = rows(True), rows(False)
    assert len(inline) == len(ahead) == 84
    assert all(np.array_equal(one, other) for one, other in zip(inline, ahead, strict=True))


@pytest.mark.parametrize(
    ("operation", "ahead"),
    [
        (vision.Decode(), True),
        (vision.Decode(to_pil=True), False),
        (vision.ToPIL(), False),
        (transforms.Compose([vision.Resize(2), vision.HWC2CHW()]), True),
        (transforms.Compose([vision.Resize(2), lambda x: x]), False),
        (transforms.RandomOrder([vision.Resize(2)]), False),
        (transforms.TypeCast("int32"), False),
        (lambda x: x, False),
    ],
)
def test_what_draws_from_pythons_random_or_holds_the_lock_stays_in_one_thread(
    operation: Any, ahead: bool
) -> None:
    assert map_node.releases_lock(operation) is ahead


@pytest.mark.parametrize("mode", list(ds.config.ErrorSamplesMode))
def test_errors_in_threads(mode: Any) -> None:
    ds.config.set_error_samples_mode(mode)
    try:
        small = [IMAGES[0][:4] if i == 3 else IMAGES[i] for i in range(6)]
        data = ds.GeneratorDataset([(one,) for one in small], "x", shuffle=False).map(
            vision.RandomCrop(6), "x"
        )
        found, said = [], ""
        iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        try:
            found.extend(row[0].shape for row in iterator)
        except RuntimeError as error:
            said = str(error)
        kinds = ds.config.ErrorSamplesMode
        assert found == [(6, 6, 3)] * {kinds.RETURN: 3, kinds.REPLACE: 6, kinds.SKIP: 5}[mode]
        assert ("operation `RandomCrop`, given row 3, raised" in said) == (mode == kinds.RETURN)
        assert (f"(made in {__file__}, line " in said) == (mode == kinds.RETURN)
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)


def test_threads_end_with_their_iterator() -> None:
    iterator = ds.NumpySlicesDataset(IMAGES, "x").map(vision.HWC2CHW(), "x").create_tuple_iterator()
    next(iterator)
    assert any(thread.name == "msjax-dataset" for thread in threading.enumerate())
    iterator.stop()
    for thread in threading.enumerate():
        if thread.name == "msjax-dataset":
            thread.join(5)
            assert not thread.is_alive()
