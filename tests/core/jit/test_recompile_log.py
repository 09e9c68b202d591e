"""`jit` makes as few programs as it must, and says why it makes another."""

import logging
import re

import numpy as np
import pytest

import msjax as ms
from msjax import nn
from tests.trace_notes import TraceNotes

X = ms.Tensor([1.0, 2.0])


@pytest.fixture
def reports(caplog):
    """The reasons that were given, in order."""
    ms.set_context(log_compiles=True)
    with caplog.at_level(logging.WARNING, "msjax.jit"):
        yield lambda: [record.getMessage().split(": ", 2)[2] for record in caplog.records]
    ms.set_context(log_compiles=False)


@ms.jit
def scaled(x, n=2, options=()):
    return x * n


ARGUMENTS = {
    "shape": ((ms.Tensor([1.0]), 2), {}, r"^`x` has another shape: Float32\[1\], not Float32\[2\]$"),
    "dtype": ((ms.Tensor([1, 2]), 2), {}, r"^`x` has another dtype: Int64\[2\], not Float32\[2\]$"),
    "value": ((X, 3), {}, "^`n` has another static value: 3, not 2$"),
    "type": ((X, 2.0), {}, "^`n` has another static value: 2.0, not 2$"),
    "structure": ((X,), {"n": 2}, "^the arguments have another structure: .*'n'"),
    "requires_grad": (
        (ms.Tensor([1.0, 2.0], requires_grad=True), 2),
        {},
        "^`x` requires grad and has no .grad",
    ),
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_an_argument_is_named(kind, reports):
    args, kwargs, expected = ARGUMENTS[kind]
    step = ms.jit(scaled._fn)
    step(X, 2)
    step(*args, **kwargs)
    step(*args, **kwargs)
    first, reason = reports()
    assert first == "first call"
    assert re.search(expected, reason), reason


def test_the_nearest_program_is_compared_and_nested_arguments_are_named(reports):
    step = ms.jit(lambda pair, n: pair["a"] * n)
    step({"a": X}, 2)
    step({"a": ms.Tensor([1, 2, 3])}, 5)
    step({"a": ms.Tensor([1, 2, 3])}, 2)
    assert reports()[1].startswith("`pair['a']` has another shape: Int64[3], not Float32[2]; `n` has another")
    assert reports()[2] == "`n` has another static value: 2, not 5"


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        self.drop = nn.Dropout(p=0.5)
        self.scale = 2.0
        self.state = ms.Parameter(ms.Tensor(2.0), name="state", requires_grad=False)

    def construct(self, x):
        return self.drop(self.dense(x)) * self.scale + self.state


WORLD = {
    "train mode": (lambda net: net.set_train(), "Net.training is True, not False"),
    "attribute": (lambda net: setattr(net, "scale", 3.0), "Net.scale is 3.0, not 2.0"),
    "child": (lambda net: setattr(net, "drop", nn.Identity()), "Net.drop is another"),
    "captured shape": (
        lambda net: net.state.set_data(ms.Tensor([[1.0], [2.0]]), slice_shape=True),
        "captured `state` has another shape or dtype: Float32[2, 1], not Float32[]",
    ),
    "Parameter's requires_grad": (
        lambda net: setattr(net.state, "requires_grad", True),
        "Net.state now requires grad",
    ),
}


@pytest.mark.parametrize("kind", WORLD)
def test_a_flag_or_captured_object_is_named(kind, reports):
    change, expected = WORLD[kind]
    net = Net()
    step = ms.jit(lambda x: net(x))
    step(X)
    change(net)
    step(X)
    assert expected in reports()[-1]


def test_nothing_is_said_unasked(caplog):
    with caplog.at_level(logging.INFO, "msjax.jit"):
        ms.jit(scaled._fn)(X)
    assert not caplog.records


def test_ten_switches_make_two_programs_for_each_way_to_compile():
    for compiled, net in _ways():
        for i in range(10):
            net.set_train(i % 2 == 1)
            compiled(X)
        assert net.traces == 2


class Counted(Net):
    traces = 0

    def construct(self, x):
        type(self).traces += 1
        return super().construct(x)


def _ways():
    for way in ("jit", "graph mode", "value_and_grad"):
        net = type("Counted", (Counted,), {"traces": 0})()
        if way == "jit":
            yield ms.jit(lambda x, net=net: net(x)), net
        elif way == "graph mode":
            ms.set_context(mode=ms.GRAPH_MODE)
            yield net, net
            ms.set_context(mode=ms.PYNATIVE_MODE)
        else:
            yield (
                ms.jit(ms.value_and_grad(lambda x, net=net: net(x).sum(), None, net.trainable_params())),
                net,
            )


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class TestGraphMode:
    class Steps(nn.Cell):
        """Counts how often Python runs `construct`."""

        def __init__(self, inner=None):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
            self.inner = inner
            object.__setattr__(self, "ran", TraceNotes())

        def construct(self, x):
            self.ran.append(1)
            y = x * self.w
            if self.inner is not None:
                y = self.inner(y)
            return y

    def test_a_call_compiles_once_and_runs_its_program_again(self, graph_mode):
        net = self.Steps()
        for _ in range(3):
            np.testing.assert_array_equal(net(X).asnumpy(), [2.0, 6.0])
        assert len(net.ran) == 1
        assert net._compiled.programs == 1

    def test_cells_inside_are_part_of_the_program(self, graph_mode):
        inner = self.Steps()
        net = self.Steps(inner)
        for _ in range(3):
            net(X)
        assert len(inner.ran) == len(net.ran) == 1
        assert net._compiled.programs == 1
        assert "_program" not in inner.__dict__

    @pytest.mark.parametrize("around", ["grad", "value_and_grad", "jit of value_and_grad"])
    def test_under_gradients_it_is_compiled_too(self, graph_mode, around):
        inner = self.Steps()
        net = self.Steps(inner)
        weights = net.trainable_params()

        def forward(x):
            return net(x).sum()

        step = (
            ms.grad(forward, None, weights) if around == "grad" else ms.value_and_grad(forward, None, weights)
        )
        step = ms.jit(step) if around.startswith("jit") else step
        for _ in range(3):
            found = step(X)
        gradients = found if around == "grad" else found[1]
        np.testing.assert_array_equal(gradients[0].asnumpy(), [2.0, 6.0])
        np.testing.assert_array_equal(gradients[1].asnumpy(), [2.0, 6.0])
        assert len(net.ran) == len(inner.ran) == 1

    def test_statements_over_tensors_and_set_train(self, graph_mode):
        class Choosing(nn.Cell):
            def __init__(self):
                super().__init__()
                self.w = ms.Parameter(ms.Tensor(2.0), name="w")

            def construct(self, x):
                if self.training:
                    return x
                while x < 10:
                    x = x * self.w
                return x

        net = Choosing()
        x = ms.Tensor(3.0)
        for _ in range(5):
            assert net.set_train()(x) == 3.0
            assert net.set_train(False)(x) == 12.0
        assert net._compiled.programs == 2
        value, (gradient,) = ms.value_and_grad(net, None, net.trainable_params())(x)
        assert (value, gradient) == (12.0, 12.0)
