import numpy as np
import pytest
from golden import golden_tests

import msjax as ms
from msjax import Tensor, ops

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("shape")


@pytest.mark.parametrize(
    "size", [(ms.Tensor([3]), 2), [ms.Tensor(3), np.int8(2)], (np.array(3), ms.Tensor([2], ms.int32))]
)
def test_sizes_may_be_tensors_of_one_element(size):
    x = Tensor(np.arange(6.0, dtype=np.float32))
    made = [x.reshape(size), ops.zeros(size), ops.broadcast_to(Tensor([1.0]), size), x.view(*size)]
    assert [t.shape for t in made] == [(3, 2)] * 4
    assert ops.tile(x, size).shape == (3, 12)


@pytest.mark.parametrize(
    "size", [((3,), 2), (np.array([3]), 2), (ms.Tensor([3, 1]), 2), (ms.Tensor([3.0]), 2)]
)
def test_sizes_that_are_none(size):
    with pytest.raises(TypeError, match="shape"):
        ops.reshape(Tensor(np.arange(6)), size)
