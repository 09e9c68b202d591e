"""Costs of the first call of a compiled function: one trace, and no program beside its own."""

import weakref

import jax
import numpy as np

import msjax as ms
from msjax import nn, ops
from msjax.core.trace import trace


class Masked(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.mask = ms.Tensor(np.tril(np.ones((3, 3), np.float32)))
        self.more = [ms.Tensor(np.float32(2.0)), {"bias": ms.Tensor(np.ones(3, np.float32))}]
        self.dense = nn.Dense(3, 3)

    def construct(self, x):
        return self.dense(x * self.mask) * self.more[0] + self.more[1]["bias"]


def test_tensors_that_cells_hold_are_found_before_the_trace(monkeypatch):
    runs = []
    call = trace._Run.__call__
    monkeypatch.setattr(
        trace._Run, "__call__", lambda self, *values: runs.append(self) or call(self, *values)
    )
    net = Masked()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.1)
    gradient = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    @ms.jit
    def step(x):
        loss, grads = gradient(x)
        optimizer(grads)
        return loss

    before = net.dense.weight.asnumpy()
    step(ms.Tensor(np.ones((3, 3), np.float32)))
    assert len([run for run in runs if run.fn.__name__ == "step"]) == 1
    assert not np.array_equal(before, net.dense.weight.asnumpy())


NET, CALLS = Masked(), []


def test_globals_that_inner_functions_mention_are_found_before_the_trace(monkeypatch):
    """Also the lists among them, which change once for each call."""
    runs = []
    call = trace._Run.__call__
    monkeypatch.setattr(
        trace._Run, "__call__", lambda self, *values: runs.append(self) or call(self, *values)
    )

    @ms.jit
    def gradient(x):
        def loss_of(x):
            CALLS.append(1)
            return NET(x).sum()

        return ms.grad(lambda x: loss_of(x))(x)

    x = ms.Tensor(np.ones((3, 3), np.float32))
    gradient(x)
    assert len([run for run in runs if run.fn.__name__ == "gradient"]) == 1
    gradient(x)
    assert len(CALLS) == 2


def test_state_of_others_is_copied_without_compiling(monkeypatch):
    mine = jax.numpy.arange(7.0, dtype=np.float32)
    p = ms.Parameter(ms.Tensor(mine), name="p")
    p.set_data(ms.Tensor(mine))
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda name, seconds, **more: (
            compiled.append(more.get("fun_name")) if "backend_compile" in name else None
        )
    )

    @ms.jit
    def step():
        ops.assign_add(p, ms.Tensor(np.ones(7, np.float32)))
        return p.sum()

    try:
        total = step()
    finally:
        jax.monitoring.clear_event_listeners()
    assert float(total) == 28.0
    assert [name for name in compiled if "step" not in name] == []
    np.testing.assert_array_equal(mine, np.arange(7.0))


def test_a_tensor_that_nobody_expected_is_an_input_too():
    """Find what is read through a weak reference by the trace alone, which is then made a second time."""
    weight = ms.Parameter(ms.Tensor(2.0))
    read = weakref.ref(weight)
    step = ms.jit(lambda x: x + read())
    assert step(ms.Tensor(1.0)).item() == 3
    weight.set_data(ms.Tensor(5.0))
    assert step(ms.Tensor(1.0)).item() == 6
