from golden import golden_tests

import msjax as ms
from msjax import Tensor, ops

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("arithmetic")


def test_float_power_of_types_that_do_not_mix():
    found = ops.float_power(Tensor([2, 3], ms.int32), Tensor([3, 2], ms.uint16))
    assert found.dtype == ms.float64
    assert found.asnumpy().tolist() == [8, 9]
