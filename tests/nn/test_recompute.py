"""Residuals that `Cell.recompute` saves in compiled programs."""

import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = (
            nn.LayerNorm((width,)),
            nn.Dense(width, 4 * width),
            nn.Dense(4 * width, width),
        )

    def construct(self, x):
        return x + self.down(ops.gelu(self.up(self.norm(x))))


def step_and_scratch(recompute, width=32, rows=256, depth=4):
    """The gradients of a step, and how many bytes its program needs beside arguments and results."""
    ms.set_seed(0)
    net = nn.SequentialCell([Block(width) for _ in range(depth)])
    if recompute:
        for block in net:
            block.recompute()
    step = ms.jit(ms.value_and_grad(lambda x: ops.square(net(x)).sum(), None, net.trainable_params()))
    x = ms.Tensor(np.random.default_rng(0).normal(size=(rows, width)).astype(np.float32))
    gradients = step(x)[1]
    ((entry,),) = step._entries.values()
    given, rest = ([box.array for box in boxes] for boxes in entry.owners([x]))
    compiled = entry.run.lower(given, rest, [x.array]).compile()
    return gradients, compiled.memory_analysis().temp_size_in_bytes


def test_recomputed_blocks_give_the_same_gradients_in_less_memory():
    plain, needed = step_and_scratch(recompute=False)
    again, less = step_and_scratch(recompute=True)
    for a, b in zip(plain, again, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-3)
    assert less < 0.7 * needed


class Remembering(nn.Cell):
    def __init__(self):
        super().__init__()
        self.last, self.calls, self.all = ms.Tensor([0.0, 0.0]), 0, []
        self.scale = ms.Parameter(ms.Tensor([1.0, 1.0]), name="scale")
        self.total = ms.Parameter(ms.Tensor([0.0]), name="total", requires_grad=False)

    def construct(self, x):
        self.last = self.last + x
        self.calls += 1
        self.all.append(self.calls)
        self.total += 1
        return self.last * self.scale * x


@pytest.mark.parametrize("gradient", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_what_a_recomputed_block_assigns_is_assigned_once_for_each_call(transform, gradient):
    block = Remembering()
    block.recompute()
    net = nn.SequentialCell([block])
    f = transform((lambda x: ms.grad(lambda x: net(x).sum())(x)) if gradient else lambda x: net(x))
    x = ms.Tensor([1.0, 2.0])
    found = [f(x).asnumpy().tolist() for _ in range(3)]
    assert found == ([[2, 4], [3, 6], [4, 8]] if gradient else [[1, 4], [2, 8], [3, 12]])
    assert (block.last.asnumpy().tolist(), block.calls, block.all) == ([3, 6], 3, [1, 2, 3])
    assert block.total.asnumpy() == 3
