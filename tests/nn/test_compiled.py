"""Compiled programs depend on some facts of a Cell, and are made anew only when these change."""

import threading

import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops
from tests.trace_notes import TraceNotes

X = ms.Tensor(np.array([[1.0, 2.0]], np.float32))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")
        self.drop = nn.Dropout(p=0.5)
        self.layers = nn.CellList([nn.ReLU()])
        self.scale = 2.0
        self.offset = ms.Tensor([1.0, 1.0])
        self.register_buffer("seen", ms.Tensor(0.0))

    def construct(self, x):
        y = self.drop(self.dense(x)) * self.scale + self.offset
        for layer in self.layers:
            y = layer(y)
        return y + self.seen


def programs_after(change, net=None):
    """How many programs there are after a change, and whether the last one gives what eager code gives."""
    net = Net() if net is None else net
    step = ms.jit(lambda x: net(x))
    for _ in range(2):
        step(X)
    change(net)
    for _ in range(2):
        compiled = step(X).asnumpy()
    np.testing.assert_allclose(compiled, net(X).asnumpy(), rtol=1e-6)
    return step.programs


def _hook(net):
    net.layers[0].register_forward_hook(lambda cell, args, out: out * 3)


def _replace(net):
    net.dense.weight = ms.Parameter(ms.Tensor([[5.0, 5.0], [6.0, 6.0]]))


CHANGES = {
    "attribute": lambda net: setattr(net, "scale", 3.0),
    "Tensor": lambda net: setattr(net, "offset", ms.Tensor([7.0, 7.0])),
    "child": lambda net: setattr(net, "drop", nn.Identity()),
    "layer appended": lambda net: net.layers.append(nn.Tanh()),
    "layer replaced": lambda net: net.layers.__setitem__(0, nn.Tanh()),
    "hook": _hook,
    "Parameter": _replace,
    "precision": lambda net: net.dense.to_float(ms.float16),
    "construct": lambda net: setattr(net.dense, "construct", lambda x: x * 100),
    "buffer": lambda net: net.register_buffer("seen", ms.Tensor(5.0)),
    "requires_grad": lambda net: setattr(net.dense.weight, "requires_grad", False),
}
SAME = {
    "weights": lambda net: net.dense.weight.set_data(ms.Tensor([[5.0, 5.0], [6.0, 6.0]])),
    "weights assigned": lambda net: setattr(net.dense, "weight", ms.Tensor([[5.0, 5.0], [6.0, 6.0]])),
    "same attribute": lambda net: setattr(net, "scale", 2.0),
    "buffer written": lambda net: net.seen.set_data(ms.Tensor(5.0)),
    "another net": lambda net: Net().set_train(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_makes_a_new_program(change):
    assert programs_after(CHANGES[change]) == 2


@pytest.mark.parametrize("change", SAME)
def test_values_make_no_new_program(change):
    assert programs_after(SAME[change]) == 1


def test_ten_switches_make_two_programs():
    net = Net()
    step = ms.jit(lambda x: net(x))
    for i in range(10):
        net.set_train(i % 2 == 0)
        for _ in range(2):
            step(X)
    assert step.programs == 2


def test_a_hook_that_is_gone_gives_the_first_program_back():
    net = Net()
    step = ms.jit(lambda x: net(x))
    before = step(X).asnumpy()
    handle = net.dense.register_forward_hook(lambda cell, args, out: out * 3)
    assert not np.allclose(step(X).asnumpy(), before)
    handle.remove()
    np.testing.assert_array_equal(step(X).asnumpy(), before)


def test_methods_that_are_compiled_follow_set_train():
    class Compiled(nn.Cell):
        @ms.jit
        def construct(self, x):
            return x * 2 if self.training else x

    net = Compiled()
    assert net(X).asnumpy().tolist() == [[1, 2]]
    assert net.set_train()(X).asnumpy().tolist() == [[2, 4]]


def test_a_program_within_a_program_follows_set_train():
    net = nn.Dropout(p=0.5)
    inner = ms.jit(lambda x: net(x))
    outer = ms.jit(lambda x: inner(x) + 0)
    ones = ops.ones((64,), ms.float32)
    inner(ones)
    assert outer(ones).asnumpy().max() == 1
    net.set_train()
    assert outer(ones).asnumpy().max() == 2


class TestGraphMode:
    def test_cells_are_compiled(self):
        traced = TraceNotes()

        class Traced(nn.Cell):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(2, 2)

            def construct(self, x):
                traced.append(1)
                return ops.relu(self.dense(x))

        net = Traced()
        eager, gradient = net(X).asnumpy(), ms.grad(net)(X).asnumpy()
        ms.set_context(mode=ms.GRAPH_MODE)
        traced.clear()
        for _ in range(3):
            np.testing.assert_allclose(net(X).asnumpy(), eager, rtol=1e-6)
        count = len(traced)
        assert count <= 2
        np.testing.assert_allclose(ms.grad(net)(X).asnumpy(), gradient, rtol=1e-6)

    def test_state_is_written(self):
        ms.set_context(mode=ms.GRAPH_MODE)
        net = nn.BatchNorm1d(2).set_train()
        net(ops.ones((4, 2), ms.float32))
        np.testing.assert_allclose(net.moving_mean.asnumpy(), [0.1, 0.1], rtol=1e-6)


def test_two_threads_train_one_net():
    net = nn.SequentialCell(nn.Dense(8, 8), nn.Tanh(), nn.Dense(8, 1))
    weights = net.trainable_params()
    x = ms.Tensor(np.random.RandomState(0).standard_normal((4, 8)).astype(np.float32))
    gradient = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, weights)
    want = [g.asnumpy() for g in gradient(x)[1]]
    wrong = []

    def work():
        for _ in range(10):
            for got, expected in zip(gradient(x)[1], want, strict=True):
                if not np.allclose(got.asnumpy(), expected, rtol=1e-5):
                    wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_flag_that_another_thread_changes_reaches_the_guards_of_all():
    net = Net().set_train(False)
    step = ms.jit(lambda x: net(x))
    before = [step(X).asnumpy() for _ in range(2)]
    thread = threading.Thread(target=lambda: setattr(net, "scale", 3.0))
    thread.start()
    thread.join()
    after = step(X).asnumpy()
    assert step.programs == 2
    np.testing.assert_allclose(after, net(X).asnumpy(), rtol=1e-6)
    assert not np.allclose(after, before[1])


def test_compile_runs_nothing():
    """A training step that is compiled beforehand changes nothing, and the first call makes no further program."""
    net = nn.Dense(2, 1)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    x, y = ops.ones((4, 2)), ops.zeros((4, 1))
    before = net.weight.asnumpy()
    step.compile(x, y)
    assert (net.weight.asnumpy() == before).all()
    step.compile_and_run(x, y)
    assert (net.weight.asnumpy() != before).any()
    assert step._compiled.programs == 1
