import numpy as np
from golden import golden_tests

import msjax as ms

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("scatter")


def test_vmap_over_the_axis_of_index_fill():
    x, at = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), ms.Tensor([1], ms.int32)
    axes = ms.Tensor([0, 1, -1], ms.int32)
    each = [ms.ops.index_fill(x, k, at, 5.0).asnumpy() for k in (0, 1, -1)]
    mapped = ms.vmap(lambda x, axis: ms.ops.index_fill(x, axis, at, 5.0), (None, 0))
    np.testing.assert_array_equal(mapped(x, axes).asnumpy(), each)
    np.testing.assert_array_equal(ms.jit(mapped)(x, axes).asnumpy(), each)
    kept = ms.grad(lambda x: mapped(x, axes).sum())(x)
    np.testing.assert_array_equal(kept.asnumpy(), [[3, 1, 3], [2, 0, 2]])
    values = ms.vmap(lambda x, axis, v: x.index_fill(axis, at, v), (None, 0, 0))(x, axes, axes.float())
    assert [float(v[1, 1]) for v in values] == [0.0, 1.0, -1.0]
