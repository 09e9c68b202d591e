"""Random operators over images and attention: they repeat under `set_seed`, go on, and draw what they say."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops

IMAGE = Tensor(np.arange(2 * 3 * 81, dtype=np.float32).reshape(2, 3, 9, 9))
Q = Tensor(np.ones((1, 4, 16, 4), np.float32))
SIZE, BOX = Tensor(np.array([40, 40, 3], np.int32)), Tensor(np.array([[[0.1, 0.2, 0.8, 0.9]]], np.float32))
DRAWS = {
    "fractional_max_pool2d": lambda: ops.fractional_max_pool2d(IMAGE, 2, (4, 4)),
    "fractional_max_pool3d": lambda: ops.fractional_max_pool3d(
        IMAGE.reshape(1, 2, 3, 9, 9), (1, 2, 2), (2, 4, 4)
    ),
    "FractionalMaxPool": lambda: ops.FractionalMaxPool([1.0, 1.5, 1.5, 1.0])(IMAGE.transpose(0, 2, 3, 1))[1],
    "extract_glimpse": lambda: ops.ExtractGlimpse()(
        IMAGE.transpose(0, 2, 3, 1), Tensor([20, 20], ms.int32), Tensor(np.zeros((2, 2), np.float32))
    ),
    "sample_distorted_bounding_box": lambda: ops.SampleDistortedBoundingBoxV2()(SIZE, BOX, Tensor(0.1))[2],
    "attention": lambda: ops.scaled_dot_product_attention(Q, Q, Q, dropout_p=0.5),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_repeat_and_go_on(name):
    runs = []
    for _ in range(2):
        ms.set_seed(11)
        runs.append([DRAWS[name]().asnumpy() for _ in range(6)])
    for first, again in zip(*runs, strict=True):
        np.testing.assert_array_equal(first, again)
    assert any(not np.array_equal(runs[0][0], other) for other in runs[0][1:])


def test_eager_and_compiled_draws_are_the_same():
    f = DRAWS["fractional_max_pool2d"]
    compiled = ms.jit(lambda x: ops.fractional_max_pool2d(x, 2, (4, 4)))
    for seed in range(20):
        ms.set_seed(seed)
        expected = f().asnumpy()
        ms.set_seed(seed)
        np.testing.assert_array_equal(compiled(IMAGE).asnumpy(), expected)


def test_moments():
    ms.set_seed(5)
    kept = np.concatenate([DRAWS["attention"]().asnumpy().ravel() for _ in range(4)])
    assert abs(kept.mean() - 1) < 0.1  # weights of 1 / 16, half of them doubled
    glimpse = DRAWS["extract_glimpse"]().asnumpy()[0, 0, :, 0]
    assert glimpse.std() > 0
    wide = Tensor(np.tile(np.arange(100, dtype=np.float32), (1, 400, 2, 1)))
    starts = ops.fractional_max_pool2d(wide, (1, 2), (2, 4)).asnumpy()[0, :, 0, 1] - 1
    assert set(starts) == {32, 33}  # floor((1 + u) 98 / 3) - floor(u 98 / 3)
    assert abs((starts == 33).mean() - 2 / 3) < 0.1
