from golden import golden_tests

import msjax as ms
from msjax import Tensor, ops

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("arithmetic")


def test_float_power_of_types_that_do_not_mix():
    found = ops.float_power(Tensor([2, 3], ms.int32), Tensor([3, 2], ms.uint16))
    assert found.dtype == ms.float64
    assert found.asnumpy().tolist() == [8, 9]


def test_real_div_of_integers():
    """MindSpore 2.10: rounded towards zero; by zero the limit of the dtype, and 0 of 0."""
    x, y = ms.Tensor([3, -3, 0, 5, -7], ms.int32), ms.Tensor([0, 0, 0, 2, 2], ms.int32)
    for fn in (ms.ops.tensor_div, ms.ops.RealDiv()):
        assert fn(x, y).asnumpy().tolist() == [2**31 - 1, -(2**31), 0, 2, -3]
    assert ms.ops.tensor_div(1, 2).dtype == ms.int64
    assert ms.ops.tensor_div(ms.Tensor([1.0]), 2).asnumpy().tolist() == [0.5]
