"""`linearize`, whose numbers here are those of MindSpore's documentation."""

import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.core.autodiff.linearize import linearize


def test_directions_of_a_product():
    x, y = Tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]), Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    v = ops.ones((2, 3)), Tensor([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    outputs, along = linearize(ops.matmul, (x, y))
    assert outputs.asnumpy().tolist() == [[22, 28], [40, 52]]
    assert along(v).asnumpy().tolist() == [[12, 15], [16, 19]]
    compiled = ms.jit(lambda x, y, v: linearize(ops.matmul, [x, y])[1](v))
    assert compiled(x, y, v).asnumpy().tolist() == [[12, 15], [16, 19]]
    with pytest.raises(TypeError, match="Received: 3"):
        linearize(ops.sin, 3)
