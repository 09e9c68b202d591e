"""Iterators: Tensors at the edge, a few rows ahead in a thread, errors with the user's traceback."""

import gc
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

from msjax import dataset as ds
from msjax.core import dtype
from msjax.core.tensor.tensor import Tensor
from msjax.dataset import config
from msjax.dataset.common import columns
from msjax.dataset.pipeline import prefetch


def ordered(n: int = 6) -> ds.GeneratorDataset:
    return ds.GeneratorDataset(list(range(n)), "x", shuffle=False)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "msjax-dataset"]


def soon(condition: Callable[[], bool], times: int = 200) -> bool:
    for _ in range(times):
        if condition():
            return True
        time.sleep(0.01)
    return False


def all_end() -> bool:
    """Whether all threads end, once what a test left is collected: what is young, for all there is takes seconds."""
    gc.collect(1)
    if soon(lambda: not threads(), 20):
        return True
    gc.collect()
    return soon(lambda: not threads())


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert all_end()


@pytest.fixture(params=["prefetching", "debug"])
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    ds.config.set_debug_mode(request.param == "debug")
    yield request.param
    ds.config.set_debug_mode(False)


def test_rows_are_tensors(mode: str) -> None:
    data = ds.NumpySlicesDataset({"x": np.ones((4, 2), np.float32), "y": [1, 2, 3, 4]}, shuffle=False).batch(
        2
    )
    for row in data.create_dict_iterator(num_epochs=1):
        assert list(row) == ["x", "y"]
        assert isinstance(row["x"], Tensor)
        assert isinstance(row["y"], Tensor)
        assert (row["x"].shape, row["x"].dtype) == ((2, 2), dtype.float32)
        assert (row["y"].shape, row["y"].dtype) == ((2,), dtype.int64)


@pytest.mark.parametrize(
    "name", "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
)
def test_dtypes_arrive(name: str, mode: str) -> None:
    (row,) = ds.NumpySlicesDataset([np.ones(2, name)], ["x"]).create_tuple_iterator(num_epochs=1)
    assert row[0].dtype is getattr(dtype, name)


def test_strings_and_dicts_arrive(mode: str) -> None:
    data = ds.GeneratorDataset([("a", {"p": 1.5, "q": ["b"]})], ["s", "d"]).batch(1)
    (row,) = data.create_dict_iterator(num_epochs=1)
    assert isinstance(row["s"], np.ndarray)
    assert row["s"].tolist() == ["a"]
    assert isinstance(row["d"]["p"], Tensor)
    assert row["d"]["p"].asnumpy().tolist() == [1.5]
    assert row["d"]["q"].tolist() == [["b"]]


def test_one_transfer_for_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    put = jax.device_put
    monkeypatch.setattr(columns.jax, "device_put", lambda *args: calls.append(args) or put(*args))
    data = ds.NumpySlicesDataset(([1, 2, 3, 4], [5.0, 6.0, 7.0, 8.0], ["a"] * 4)).batch(2)
    assert len(list(data.create_tuple_iterator(num_epochs=1))) == 2
    assert [len(args[0]) for args in calls] == [2, 2]


@pytest.mark.parametrize("output_numpy", [True, False])
def test_nothing_is_shared_with_the_source(output_numpy: bool, mode: str) -> None:
    source = np.zeros((2, 1000), np.float32)
    rows = list(
        ds.NumpySlicesDataset(source, ["x"]).create_tuple_iterator(num_epochs=1, output_numpy=output_numpy)
    )
    source[:] = 1
    assert all(np.asarray(row[0]).sum() == 0 for row in rows)
    if output_numpy:
        rows[0][0][:] = 2
        assert source.max() == 1


def test_rows_are_made_on_this_threads_device() -> None:
    device = jax.devices("cpu")[-1]
    with jax.default_device(device):
        (row,) = ds.NumpySlicesDataset([[1.0]]).create_tuple_iterator(num_epochs=1)
    assert row[0].array.devices() == {device}
    assert not row[0].array.committed


@pytest.mark.parametrize("ahead", [None, 1, 3])
def test_so_many_rows_ahead(ahead: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_values", {**config._values})
    if ahead is not None:
        ds.config.set_prefetch_size(ahead)
    more, read = ahead or 2, []
    data = ds.NumpySlicesDataset(list(range(9)), "x", shuffle=False)
    iterator = data.map(lambda x: read.append(int(x)) or x).create_tuple_iterator(num_epochs=2)
    assert read == []
    for given in range(1, 5):
        next(iterator)
        assert soon(lambda n=given: len(read) == n + more)
        time.sleep(0.02)
        assert read == list(range(given + more))
    iterator.stop()


def test_an_epoch_begins_when_its_first_row_is_asked_for() -> None:
    begun = []

    def source() -> Iterator[int]:
        begun.append(1)
        yield from range(3)

    iterator = ds.GeneratorDataset(source, "x").create_tuple_iterator(num_epochs=2)
    assert len(list(iterator)) == 3
    time.sleep(0.02)
    assert len(begun) == 1
    assert len(list(iterator)) == 3
    assert len(begun) == 2


def test_work_and_wait_overlap() -> None:
    begun = [threading.Event() for _ in range(10)]

    def work(x: np.ndarray) -> np.ndarray:
        begun[int(x)].set()
        return x

    for i, _ in enumerate(ordered(10).map(work).create_tuple_iterator(num_epochs=1)):
        assert begun[min(i + 1, 9)].wait(60)  # the next row, while this one is in use


@pytest.mark.parametrize("end", ["exhausted", "broken off", "forgotten", "stopped", "failed"])
def test_threads_end(end: str) -> None:
    closed = []

    def source() -> Iterator[int]:
        try:
            for i in range(1000):
                if end == "failed" and i == 3:
                    raise KeyError("user")
                if end == "exhausted" and i == 3:
                    return
                yield i
        finally:
            closed.append(threading.current_thread().name)

    iterator = ds.GeneratorDataset(source, "x").create_tuple_iterator(num_epochs=1)
    if end in ("exhausted", "failed"):
        try:
            list(iterator)
        except RuntimeError:
            assert end == "failed"
    else:
        next(iterator)
        assert threads()
    if end == "stopped":
        iterator.stop()
        with pytest.raises(RuntimeError, match="was stopped"):
            next(iterator)
    del iterator
    assert all_end()
    assert soon(lambda: closed == ["msjax-dataset"])


def test_debug_mode_has_no_threads() -> None:
    ds.config.set_debug_mode(True)
    try:
        names = []
        for _ in ordered().map(lambda x: names.append(threading.current_thread().name) or x):
            assert not threads()
        assert set(names) == {threading.current_thread().name}
    finally:
        ds.config.set_debug_mode(False)


def failing(x: np.ndarray) -> np.ndarray:
    if x == 2:
        raise LookupError("no such picture")
    return x


class Failing:
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> np.ndarray:
        return failing(np.array(index))


def failing_rows() -> Iterator[np.ndarray]:
    for i in range(4):
        yield failing(np.array(i))


FAILING: dict[str, tuple[Callable[[], ds.Dataset], str]] = {
    "map": (lambda: ordered().map(failing), "`map`: operation `failing`"),
    "filter": (lambda: ordered().filter(failing), "`filter`: the predicate `failing`"),
    "source": (lambda: ds.GeneratorDataset(Failing(), "x", shuffle=False), "asked for row 2"),
    "generator": (lambda: ds.GeneratorDataset(failing_rows, "x"), "`GeneratorDataset`: the source"),
    "batch map": (
        lambda: ordered().batch(1, per_batch_map=lambda x, info: ([failing(x[0])],)),
        "`batch`: the function `<lambda>`",
    ),
    "batch size": (
        lambda: ordered().batch(lambda info: int(failing(np.array(info.get_batch_num()))) * 0 + 1),
        "`batch`: the `batch_size` function",
    ),
}


@pytest.mark.parametrize(("make", "part"), FAILING.values(), ids=FAILING)
def test_errors_keep_the_users_traceback(make: Callable[[], ds.Dataset], part: str, mode: str) -> None:
    rows: list[int] = []
    with pytest.raises(RuntimeError) as caught:
        rows.extend(int(row[0].asnumpy().reshape(())) for row in make())
    assert rows in ([0, 1], [1])  # the filter leaves 0 out
    assert part in str(caught.value)
    assert "LookupError: no such picture" in str(caught.value)
    assert f"({__file__}, line {failing.__code__.co_firstlineno + 2})" in str(caught.value)
    cause = caught.value.__cause__
    assert isinstance(cause, LookupError)
    assert any(frame.name == "failing" for frame in traceback.extract_tb(cause.__traceback__))


def test_after_an_error_the_next_epoch_can_begin(mode: str) -> None:
    broken = [True]

    def sometimes(x: np.ndarray) -> np.ndarray:
        if broken[0] and x == 1:
            raise ValueError
        return x

    iterator = ordered(3).map(sometimes).create_tuple_iterator(num_epochs=2, output_numpy=True)
    with pytest.raises(RuntimeError):
        list(iterator)
    broken[0] = False
    assert [int(row[0]) for row in iterator] == [0, 1, 2]


def test_stop_iteration_in_a_function_is_an_error(mode: str) -> None:
    def ends(x: np.ndarray) -> None:
        raise StopIteration

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        list(ordered().map(ends))


def test_an_interrupt_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    iterator = ordered(3).create_tuple_iterator(num_epochs=1, output_numpy=True)
    rows = [int(next(iterator)[0])]
    feed = iterator._feed

    def interrupted() -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(feed), "__next__", lambda self: interrupted())
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    monkeypatch.undo()
    rows += [int(row[0]) for row in iterator]
    assert rows == [0, 1, 2]


IMAGES = """ds.NumpySlicesDataset(np.zeros((64, 400, 500, 3), np.uint8), "x").repeat().map(
    [ds.vision.RandomRotation(30), ds.vision.Resize(600), ds.vision.Resize(8)], num_parallel_workers=2)"""


@pytest.mark.parametrize(
    "data",
    [
        'ds.GeneratorDataset(lambda: ((i,) for i in range(10**9)), "x")',
        'ds.GeneratorDataset(lambda: ((i,) for i in iter(int, 1)), "x")',
        IMAGES,
    ],
    ids=["long", "endless", "images"],
)
def test_the_interpreter_exits_in_the_middle(data: str) -> None:
    program = f"""
import numpy as np
from msjax import dataset as ds
iterator = {data}.batch(8).create_dict_iterator()
print(next(iterator)["x"].shape[:1])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr.strip()) == (0, "(8,)", "")


def test_several_threads_iterate_at_once() -> None:
    data = ordered(50).map(lambda x: x * 2).batch(5)
    results: list[Any] = [None] * 4

    def run(place: int) -> None:
        results[place] = [row[0].asnumpy().tolist() for row in data]

    workers = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [[[2 * i for i in range(k, k + 5)] for k in range(0, 50, 5)]] * 4


def test_looking_at_shapes_tells_no_callback() -> None:
    told = []

    class Tell(ds.DSCallback):
        def ds_step_begin(self, ds_run_context: Any) -> None:
            told.append(ds_run_context.cur_step_num)

    data = ordered().map(lambda x: x, callbacks=Tell()).filter(lambda x: x > 2)
    assert (data.output_shapes(), data.output_types(), data.get_dataset_size()) == (
        [[]],
        [np.dtype("int64")],
        3,
    )
    assert told == []
    assert len(list(data)) == 3
    assert told == [1, 2, 3, 4, 5, 6]


def test_a_forked_process_is_told_to_make_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ds.NumpySlicesDataset([1, 2, 3], "x", shuffle=False)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(iterator)
    with monkeypatch.context() as forked:
        forked.setattr(prefetch.os, "getpid", lambda: -1)
        with pytest.raises(RuntimeError, match=r"was forked from.* Make another iterator here"):
            next(iterator)
        iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        assert [row[0].item() for row in iterator] == [1, 2, 3]
