"""Residuals that `Cell.recompute` saves in compiled programs."""

import numpy as np

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
