"""Writes without a change, and questions about values, are neither outputs nor inputs of a traced function."""

import functools

import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops


def written(step: ms.core.jit.compiled.Compiled) -> int:
    return sum(len(entry.traced.written) for kept in step._entries.values() for entry in kept)


def test_a_box_that_gets_its_own_value_back_is_no_output() -> None:
    p, q = (ms.Parameter(ms.Tensor([1.0, 2.0]), name=name) for name in "pq")

    @ms.jit
    def step(x: ms.Tensor) -> ms.Tensor:
        ops.assign(p, p)
        ops.assign(q, q + x)
        return x * p

    for i in range(3):
        np.testing.assert_allclose(step(ms.Tensor([1.0, 1.0])).asnumpy(), [1, 2])
        np.testing.assert_allclose(q.asnumpy(), [2 + i, 3 + i])
    assert written(step) == 1


def test_a_box_that_gets_the_value_of_another_is_one() -> None:
    p, q = (ms.Parameter(ms.Tensor([value]), name=name) for name, value in (("p", 1.0), ("q", 2.0)))

    @ms.jit
    def swap() -> None:
        before = p + 0
        ops.assign(p, q)
        ops.assign(q, before)

    for _ in range(3):
        swap()
    assert (p.asnumpy(), q.asnumpy()) == (2.0, 1.0)
    assert written(swap) == 2


@pytest.mark.parametrize("training", [False, True])
def test_an_evaluated_net_writes_nothing(training: bool) -> None:
    net = nn.SequentialCell([nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout(p=0.5)])
    net.set_train(training)
    run = ms.jit(lambda x: net(x))
    run(ms.Tensor(np.ones((2, 1, 4, 4), np.float32)))
    assert bool(written(run)) is training


def test_a_partial_function_is_traced_once() -> None:
    traces = []
    net = nn.Dense(2, 2)

    def call(net: nn.Cell, x: ms.Tensor) -> ms.Tensor:
        traces.append(1)
        return net(x)

    x = ms.Tensor(np.ones((1, 2), np.float32))
    found = ms.jit(functools.partial(call, net))(x)
    np.testing.assert_allclose(found.asnumpy(), net(x).asnumpy(), rtol=1e-6)
    assert len(traces) == 1
