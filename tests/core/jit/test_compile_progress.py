"""Progress of compilations: said on stderr after a while, once, and never by a thread that stays."""

import threading

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from msjax.core.jit import compile_progress
from tests.trace_notes import TraceNotes

X = Tensor(np.ones((2, 3), np.float32))


@pytest.fixture(autouse=True)
def on():
    ms.set_context(compile_progress=True)
    yield
    ms.set_context(compile_progress=False)


@pytest.fixture
def said(monkeypatch):
    """Collect what is written; `said.wait(n)` returns when there are n lines."""
    lines, more = (
        TraceNotes(),
        threading.Condition(),
    )  # what happens to a list is an effect of the function that reaches it

    def write(text, end=""):
        with more:
            lines.append(text + end)
            more.notify_all()

    def wait(count):
        with more:
            assert more.wait_for(lambda: len(lines) >= count, 60)

    monkeypatch.setattr(compile_progress, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(compile_progress, "_write", write)
    write.lines, write.wait = lines, wait
    return write


def threads():
    return [t for t in threading.enumerate() if t.name == "msjax-compile-progress"]


def test_functions_say_what_for_which_shapes_and_how_long(said):
    @ms.jit
    def doubled(x, times):
        said.wait(1)
        return x * times

    doubled(X, 2)
    assert said.lines[0] == "msjax: compiling doubled for Float32[2, 3] ...\n"
    assert said.lines[1].startswith("msjax: compiled doubled for Float32[2, 3]: ")
    assert not threads()


def test_cells_and_steps(said):
    class Net(nn.Cell):
        def construct(self, x):
            said.wait(1)
            return x.sum()

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        Net()(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert said.lines[0] == "msjax: compiling Net for Float32[2, 3] ...\n"
    said.lines.clear()
    net = nn.Dense(3, 1)
    data = ms.dataset.NumpySlicesDataset(
        (np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), ["x", "y"]
    )
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(1, data.batch(2))
    assert said.lines[-1].startswith("msjax: compiled TrainOneStepCell for Float32[2, 3], Float32[2, 1]: ")


def test_many_shapes_are_not_all_named(said):
    ms.jit(lambda *many: said.wait(1) or many[0])(*[Tensor(np.ones(n)) for n in range(1, 8)])
    assert said.lines[0].endswith("for Float64[1], Float64[2], Float64[3], Float64[4] and 3 more ...\n")


def test_only_the_first_call_compiles(said):
    f = ms.jit(lambda x: x - 1)
    f(X)
    count = len(said.lines)
    f(X)
    assert len(said.lines) == count


def test_what_is_compiled_inside_is_part_of_it(said):
    inner = ms.jit(lambda x: x + 1)
    ms.jit(lambda x: said.wait(1) or inner(x))(X)
    assert len(said.lines) == 2


def test_what_fails_says_so(said):
    @ms.jit
    def wrong(x):
        said.wait(1)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  the function's own
        wrong(X)
    assert said.lines[1].startswith("msjax: stopped compiling wrong")
    assert not threads()


def test_on_a_terminal_one_line_is_rewritten(said, monkeypatch):
    monkeypatch.setattr(compile_progress, "_is_terminal", lambda: True)
    monkeypatch.setattr(compile_progress, "REFRESH_SECONDS", 0.0)
    ms.jit(lambda x: said.wait(3) or x)(X)
    assert all(line == "msjax: compiling <lambda> for Float32[2, 3]: 0 s" for line in list(said.lines)[:3])
    assert said.lines[-1].endswith(" s\n")


def test_short_and_silenced_ones_say_nothing(said, monkeypatch):
    ms.set_context(compile_progress=False)
    ms.jit(lambda x: x + 2)(X)
    ms.set_context(compile_progress=True)
    monkeypatch.setattr(compile_progress, "SILENT_SECONDS", 1e6)
    ms.jit(lambda x: x + 3)(X)
    assert not said.lines
    assert not threads()


def test_the_line_fits_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr(compile_progress, "_is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    compile_progress._write("x" * 100)
    compile_progress._write("done", "\n")
    assert capsys.readouterr().err == f"\r\x1b[K{'x' * 25} ...\r\x1b[Kdone\n"
