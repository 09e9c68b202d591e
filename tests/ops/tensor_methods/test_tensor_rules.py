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


@pytest.mark.parametrize("way", [lambda call: call, ms.jit])
def test_an_axis_in_the_place_of_a_number_of_repetitions_is_the_call_before_2_5(way):
    """MindSpore 2.10 has no kernel for either on CPU, and refuses the last two when it compiles."""
    x = Tensor([[1.0, 2.0]])
    assert way(lambda x: x.repeat(2, 0))(x).asnumpy().tolist() == [[1, 2], [1, 2]]
    assert way(lambda x: x.repeat(2, -1))(x).asnumpy().tolist() == [[1, 1, 2, 2]]
    assert way(lambda x: x.repeat(2, 1))(x[..., None]).asnumpy().tolist() == [[[1], [1], [2], [2]]]
    assert x.repeat(2, axis=0).asnumpy().tolist() == [[1, 2], [1, 2]]
    assert x.repeat((2, 0)).shape == (2, 0)
    assert x.repeat(2, 1).asnumpy().tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("way", ["eager", "compiled"])
def test_a_number_for_each_element_then_an_axis_is_the_call_before_2_5(way):
    """MindSpore 2.10 refuses `repeat(a tuple, an int)`, so that it can mean nothing else."""
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])

    def weighted(x):
        return (x.repeat((2, 1), 0) * Tensor([[1.0], [10.0], [100.0]])).sum()

    value, gradient = ms.value_and_grad(ms.jit(weighted) if way == "compiled" else weighted)(x)
    assert (value.item(), gradient.asnumpy().tolist()) == (733.0, [[11, 11], [100, 100]])
    assert x.repeat([0, 2], 1).asnumpy().tolist() == [[2, 2], [4, 4]]
    assert x.repeat([2], None).asnumpy().tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    with pytest.raises(ValueError, match="repeats"):
        x.repeat([2, 1, 3], 0)
