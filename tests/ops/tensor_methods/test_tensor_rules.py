"""Rules of Tensors on sizes, axes and dtypes, against what MindSpore prints for tests/goldens/tensor_rules_cases.py."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("call", [lambda x: x.repeat(2, 0), ms.jit(lambda x: x.repeat(2, 0))])
def test_an_axis_in_the_place_of_a_number_of_repetitions_raises(call):
    """MindSpore 2.10 has neither meaning on CPU; it meant an axis before 2.5."""
    x = Tensor([[1.0, 2.0]])
    with pytest.raises(ValueError, match="axis=0"):
        call(x)
    assert x.repeat(2, axis=0).asnumpy().tolist() == [[1, 2], [1, 2]]
    assert x.repeat((2, 0)).shape == (2, 0)
    assert x.repeat(2, 1).asnumpy().tolist() == [[1, 2], [1, 2]]
