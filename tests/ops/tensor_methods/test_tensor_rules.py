"""Rules of Tensors on sizes, axes and dtypes, against what MindSpore prints for tests/goldens/tensor_rules_cases.py."""

import numpy as np

import msjax as ms
from msjax import Tensor, ops
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("tensor_rules")


def test_cross_products_broadcast():
    """MindSpore reads beyond the end of what it should repeat."""
    x, up = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3)), Tensor([1.0, 1.0, 1.0])
    for found in (ops.cross(x, up), ops.cross(x, up[None]), ms.jit(ops.cross)(x, up[None])):
        assert found.asnumpy().tolist() == [[-1, 2, -1], [-1, 2, -1]]
    assert ops.cross(up, x).asnumpy().tolist() == [[1, -2, 1], [1, -2, 1]]
