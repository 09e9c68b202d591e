"""Gradients do not see the writes of in-place operators: they flow to the variable, and none to what was written.

The numbers are those of MindSpore 2.10: of (y x).sum() by x and v, where v x was written to the first two of y = 2 x,
or of a Parameter y.
"""

import pytest

import msjax as ms
from msjax import ops

FIRST = [0, 1]
WRITERS = {  # name: (write u to y, gradient by x if y is 2 x, new values if it is the Parameter [4, 1, 6])
    "scatter_update": (lambda y, u: ops.scatter_update(y, ms.Tensor(FIRST), u), [6, 20, 28], [2, 10, 6]),
    "scatter_add": (lambda y, u: ops.scatter_add(y, ms.Tensor(FIRST), u), [10, 30, 28], [6, 11, 6]),
    "ScatterNdUpdate": (
        lambda y, u: ops.ScatterNdUpdate()(y, ms.Tensor([[0], [1]]), u), [6, 20, 28], [2, 10, 6]
    ),
    "index_add": (lambda y, u: ops.index_add(y, ms.Tensor(FIRST), u, 0), [10, 30, 28], [6, 11, 6]),
    "assign": (lambda y, u: ops.assign(y, ops.concat([u, u[:1]])), [6, 20, 16], [2, 10, 2]),
    "AssignAdd": (lambda y, u: ops.AssignAdd()(y, ops.concat([u, u[:1]])), [10, 30, 30], [6, 11, 8]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_gradients_see_no_change(name):
    write, by_x, new = WRITERS[name]
    x, v = ms.Tensor([2.0, 5.0, 7.0]), ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="v")
    p = ms.Parameter(ms.Tensor([4.0, 1.0, 6.0]), name="p")

    def through(y, x):
        write(y, (v * x)[:2])
        return (y * x).sum()

    dx, dv = ms.grad(lambda x: through(x * 2, x), 0, v)(x)
    assert (dx.asnumpy().tolist(), dv.asnumpy().tolist()) == (by_x, [0, 0, 0])
    dx, (dv, dp) = ms.grad(lambda x: through(p, x), 0, [v, p])(x)
    assert p.asnumpy().tolist() == dx.asnumpy().tolist() == new
    assert (dv.asnumpy().tolist(), dp.asnumpy().tolist()) == ([0, 0, 0], x.asnumpy().tolist())


def test_weights_made_anew_in_each_call():
    """A layer with normalized weights as model zoos write it: what is trained is the weight, not what it is made of."""

    class Normalized(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = ms.nn.Dense(2, 1, has_bias=False)
            self.v = ms.Parameter(ms.Tensor([[3.0, 4.0]]), name="v")

        def construct(self, x):
            ops.assign(self.dense.weight, self.v / 5)
            return self.dense(x).sum()

    net, x = Normalized(), ms.Tensor([[1.0, 2.0]])
    for call in (net, ms.jit(net)):
        value, grads = ms.value_and_grad(call, None, [net.dense.weight, net.v])(x)
        assert float(value) == pytest.approx(2.2)
        assert [g.asnumpy().tolist() for g in grads] == [[[1, 2]], [[0, 0]]]
