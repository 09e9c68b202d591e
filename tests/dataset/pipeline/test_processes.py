"""Worker processes: values and order are those of one process, and every fault ends with an error and without remains."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset.pipeline.worker_process import Mailbox

if os.name != "posix":
    pytest.skip("processes are given open files", allow_module_level=True)


def workers() -> set[int]:
    """The worker processes of this one that are running."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if (
                int(parent) == os.getpid()
                and b"worker_process.py" in (folder / "cmdline").read_bytes()
                and state != "Z"
            ):
                found.add(int(folder.name))
        except (OSError, ValueError):
            continue
    return found


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    others = workers()  # of tests before, which the collector has not found yet
    yield
    ds.config.set_multiprocessing_timeout_interval(300)
    ds.config.set_enable_shared_mem(True)
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    for _ in range(3000):
        if workers() <= others:
            return
        time.sleep(0.01)
    assert workers() <= others


def read(data: ds.Dataset, epochs: int = 1) -> list[list[Any]]:
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[column.tolist() for column in row] for _ in range(epochs) for row in iterator]


def numbers(total: int = 12) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(np.arange(float(total)), "x", shuffle=False)


def test_functions_and_sources_run_elsewhere_and_in_order() -> None:
    factor = 3.0

    def work(x: np.ndarray) -> tuple[np.ndarray, int]:
        return x * factor, os.getpid()

    data = numbers().map(work, "x", ["x", "pid"], num_parallel_workers=2, python_multiprocessing=True)
    rows = read(data, 2)
    assert [row[0] for row in rows] == [3.0 * i for i in range(12)] * 2
    pids = [row[1] for row in rows]
    assert os.getpid() not in pids
    assert pids[:12] == pids[:2] * 6  # one row each, by turns
    assert len(set(pids)) == 2  # the same ones in both epochs

    class Source:
        def __init__(self) -> None:
            self.table = np.arange(30_000.0).reshape(10, 3000)

        def __len__(self) -> int:
            return 10

        def __getitem__(self, index: int) -> Iterator[Any]:
            return iter((self.table[index], os.getpid()))

    source = Source()
    rows = read(ds.GeneratorDataset(source, ["x", "pid"], shuffle=False, num_parallel_workers=2))
    assert [row[0] for row in rows] == source.table.tolist()
    assert len({row[1] for row in rows} - {os.getpid()}) == 2


def test_functions_of_whole_batches_run_elsewhere() -> None:
    def work(x: Any, info: Any) -> Any:  # annotations are sent too: no need to import this package there
        if info.get_epoch_num() == 1 and info.get_batch_num() == 2:
            raise LookupError("no such batch")
        return [one * 2 for one in x], [os.getpid()] * len(x), np.full(len(x), info.get_batch_num())

    def batches(where: bool) -> ds.Dataset:
        return numbers(8).batch(
            3,
            num_parallel_workers=2,
            per_batch_map=work,
            input_columns=["x"],
            output_columns=["x", "pid", "number"],
            python_multiprocessing=where,
        )

    here, there = read(batches(False)), read(batches(True))
    assert [(x, n) for x, _, n in there] == [(x, n) for x, _, n in here]
    assert [x for x, _, _ in there] == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0], [12.0, 14.0]]
    pids = [pid[0] for _, pid, _ in there]
    assert len({*pids, os.getpid()}) == 3
    assert pids[0] == pids[2]
    with pytest.raises(
        RuntimeError, match=r"`work` of whole batches, given batch 2, raised LookupError: no such"
    ) as caught:
        read(batches(True), 2)
    assert __file__ in str(caught.value)

    def short(x: Any, info: Any) -> Any:
        return x[1:]

    data = numbers(4).batch(2, per_batch_map=short, input_columns="x", python_multiprocessing=True)
    with pytest.raises(RuntimeError, match="must give, for each column, a list or array of 2 rows"):
        read(data)


def test_threads_read_a_source_in_order() -> None:
    rows = ds.GeneratorDataset(
        list(range(9)), "x", shuffle=False, num_parallel_workers=3, python_multiprocessing=False
    )
    assert read(rows, 2) == [[i] for i in range(9)] * 2


def test_seeds_reach_pythons_and_numpys_random() -> None:
    def draw(x: np.ndarray) -> float:
        return float(x * 0 + np.random.random())  # noqa: NPY002 - what users' functions draw from

    def rows() -> list[list[Any]]:
        ds.config.set_seed(5)
        return read(numbers(4).map(draw, "x", num_parallel_workers=2, python_multiprocessing=True))

    first = rows()
    assert first == rows()
    assert len({row[0] for row in first}) == 4


@pytest.mark.parametrize("what", ["raises", "dies", "hangs", "source raises", "abandoned"])
def test_faults(what: str) -> None:
    def work(x: np.ndarray) -> np.ndarray:
        if x == 5 and what == "raises":
            raise LookupError("no such picture")
        if x == 5 and what == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if x == 5 and what == "hangs":
            time.sleep(600)
        return x

    class Source:
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> int:
            return 1 // (5 - index)

    ds.config.set_multiprocessing_timeout_interval(3)
    if what == "source raises":
        data: ds.Dataset = ds.GeneratorDataset(Source(), "x", shuffle=False, num_parallel_workers=2)
    else:
        data = numbers().map(work, "x", num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    if what == "abandoned":
        next(iterator)
        del iterator
        return
    begin, rows = time.monotonic(), []
    with pytest.raises(RuntimeError) as caught:
        rows.extend(row[0].tolist() for row in iterator)
    assert time.monotonic() - begin < 300  # half of what a function sleeps
    says = {
        "raises": ["operation `work`, given row 5, raised LookupError: no such picture", __file__],
        "dies": ["operation `work`: a worker process ended (SIGKILL)", "row 5", f"(made in {__file__}"],
        "hangs": [
            "a worker process has worked on",
            "row 5",
            "for 3 s",
            "set_multiprocessing_timeout_interval",
            f"(made in {__file__}",
        ],
        "source raises": ["the source, asked for row 5, raised ZeroDivisionError", __file__],
    }[what]
    assert [part for part in says if part not in str(caught.value)] == []
    if what == "raises":
        assert rows == [0, 1, 2, 3, 4]
        assert "In the worker process" in str(caught.value.__cause__)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["indexed", "generated"])
def test_values_of_a_source_that_no_column_can_hold_name_their_row(kind: str, workers: int) -> None:
    class Source:
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> Any:
            return None if index == 5 else index

    def rows() -> Iterator[Any]:
        yield from (Source()[index] for index in range(8))

    source = Source() if kind == "indexed" else rows
    data = ds.GeneratorDataset(source, "x", shuffle=False, num_parallel_workers=workers)
    with pytest.raises(RuntimeError, match="the source, asked for row 5, gave None") as caught:
        read(data)
    assert f"(made in {__file__}" in str(caught.value)


@pytest.mark.parametrize("processes", [True, False])
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: None, r"given row 5, gave None \(NoneType\), which no column can hold"),
        (lambda: (1, 2), r"given row 5, gave 2 columns. Expected: 1, as output_columns=\['x'\]"),
        (lambda: (i for i in range(2)), "generator"),
        (
            lambda: [[1], [1, 2]],
            "given row 5, gave a list whose parts differ in shape|given row 5, raised ValueError",
        ),
    ],
)
def test_wrong_results_name_their_row(wrong: Any, says: str, processes: bool) -> None:
    def work(x: np.ndarray) -> Any:
        return wrong() if x == 5 else x

    data = numbers().map(work, "x", num_parallel_workers=1, python_multiprocessing=processes)
    with pytest.raises(RuntimeError, match=r"operation `work`.* row 5") as caught:
        read(data)
    assert re.search(says, str(caught.value))
    assert __file__ in str(caught.value)


@pytest.mark.parametrize(
    ("row", "says"),
    [(np.zeros(2), "differ in shape in column `x`"), (np.int64(3), "differ in dtype in column `x`")],
)
def test_rows_that_do_not_fit_name_their_batch(row: Any, says: str) -> None:
    data = numbers().map(lambda x: row if x == 5 else x, "x").batch(4)
    with pytest.raises(RuntimeError, match=says) as caught:
        read(data)
    assert "Given: row 4 to row 7." in str(caught.value)
    assert __file__ in str(caught.value)


def test_what_cannot_be_sent_runs_here_with_a_warning() -> None:
    import threading

    lock = threading.Lock()

    def work(x: np.ndarray) -> np.ndarray:
        with lock:
            return x + 1

    data = numbers(3).map(work, "x", num_parallel_workers=2, python_multiprocessing=True)
    with pytest.warns(UserWarning, match="`map`: operation `work` cannot be sent to another process"):
        assert read(data) == [[1.0], [2.0], [3.0]]


def ended(group: int) -> bool:
    """Whether no process of a group is left; if not, a moment later."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    time.sleep(0.01)
    return False


def test_an_interrupt_ends_a_program_and_its_processes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        import signal, time
        import mindspore.dataset as ds
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores interrupts
        def work(x):
            time.sleep(0.05)
            return x
        data = ds.NumpySlicesDataset(list(range(10000)), "x", shuffle=False)
        for row in data.map(work, "x", num_parallel_workers=2, python_multiprocessing=True):
            print("row", flush=True)
        """)
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "msjax", "run", str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "row\n"
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
    assert any(ended(running.pid) for _ in range(300))


@pytest.mark.parametrize(
    ("shared", "size", "told"),
    [(False, None, False), (True, 0, False), (True, 1, True), (True, [-1, 1], True)],
)
def test_large_rows_may_go_through_pipes(
    shared: bool, size: Any, told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Both ways at once: neither the program nor the process waits for the other one to receive."""
    data = ds.NumpySlicesDataset(
        np.arange(12.0).reshape(12, 1, 1) + np.zeros((12, 600, 300)), "x", shuffle=False
    )
    ds.config.set_enable_shared_mem(shared)
    assert ds.config.get_enable_shared_mem() is shared
    given = {"num_parallel_workers": 2, "python_multiprocessing": True, "max_rowsize": size}
    rows = data.map(lambda x: x + 1, "x", **given).create_tuple_iterator(num_epochs=1, output_numpy=True)
    for i, (row,) in enumerate(rows):
        assert row.shape == (600, 300)
        assert row.min() == row.max() == i + 1
        row[0] = -1  # the receiver's own
    assert ("`max_rowsize`" in caplog.text) is told


def test_batches_and_sources_through_pipes() -> None:
    class Source:
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> Any:
            return np.full(200000, index, np.float64)

    data = ds.GeneratorDataset(Source(), "x", num_parallel_workers=2, max_rowsize=1, shuffle=False)
    given = {"num_parallel_workers": 1, "python_multiprocessing": True, "max_rowsize": [1, 0]}
    data = data.batch(2, per_batch_map=lambda x, info: ([one * 2 for one in x],), **given)
    assert data.max_rowsize == [2, 0]
    means = [row[0].mean(1).tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert means == [[0, 2], [4, 6], [8, 10]]


@pytest.mark.parametrize("step", ["map", "batch", "GeneratorDataset"])
@pytest.mark.parametrize(
    ("size", "error"),
    [(-2, ValueError), (2**31, ValueError), (1.5, TypeError), (True, TypeError), ("1", TypeError)],
)
def test_row_sizes(step: str, size: Any, error: type[Exception]) -> None:
    make = {
        "map": lambda size: numbers().map(lambda x: x, "x", max_rowsize=size),
        "batch": lambda size: numbers().batch(3, max_rowsize=size),
        "GeneratorDataset": lambda size: ds.GeneratorDataset([1, 2], "x", max_rowsize=size),
    }[step]
    with pytest.raises(error, match=f"`{step}`: argument `max_rowsize` must be"):
        make(size)
    for several in ([size, 1], [1], [1, 2, 3]):  # of the last of these there is one alone
        with pytest.raises(error if len(several) == 2 and step != "GeneratorDataset" else TypeError):
            make(several)
    assert make(None).max_rowsize == (-1 if step == "GeneratorDataset" else [-1, -1])
    assert make(2).max_rowsize == {"map": [2, 2], "batch": [6, 6], "GeneratorDataset": 2}[step]


def test_mailboxes_grow_and_give_copies() -> None:
    with open(os.memfd_create("test"), "r+b") as file:
        one, other = Mailbox(file.fileno()), Mailbox(file.fileno())
        for value in ({"a": np.arange(3)}, [np.ones((500, 70)), "text", None], []):
            got = other.read(one.write(value))
            assert repr(got) == repr(value)
        first = other.read(one.write([np.zeros(1000)]))
        other.read(one.write([np.ones(1000)]))
        first[0] += 1
        assert first[0].sum() == 1000
