"""Numbers in the place of Tensors, and the other way round, where MindSpore takes both."""

import numpy as np

from msjax import Tensor, ops

X = Tensor(np.array([[1, 2], [3, 4]], np.float32))


def test_padding_values():
    expected = [[1, 2, 0.5], [3, 4, 0.5]]
    for value in (0.5, Tensor(0.5), Tensor([0.5])):
        np.testing.assert_array_equal(ops.PadV3()(X, (0, 1), value).asnumpy(), expected)
        np.testing.assert_array_equal(ops.pad(X, (0, 1), value=value).asnumpy(), expected)


def test_norms_of_numpy():
    for clip in (ops.clip_by_norm, lambda x, norm: ops.clip_by_global_norm([x], norm)[0]):
        np.testing.assert_array_equal(clip(X, np.float32(1)).asnumpy(), clip(X, 1.0).asnumpy())
