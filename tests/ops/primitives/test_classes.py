"""Class forms: every line of the table of samples, in every way of running it (see `golden.py`)."""

import numpy as np
import pytest
from golden import golden_tests

from msjax.core import dtype
from msjax.core.tensor.tensor import Tensor
from msjax.ops.primitives import nn as classes

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("classes")


def test_batch_norm_gives_statistics_and_moves_the_moving_ones() -> None:
    x = np.random.RandomState(0).randn(6, 3).astype(np.float32)
    one, mean, variance = Tensor(np.ones(3, np.float32)), Tensor([0.1, 0.2, 0.3]), Tensor([1.0, 1.0, 2.0])
    y, *statistics = classes.BatchNorm(is_training=True)(Tensor(x), one, one, mean, variance)
    np.testing.assert_allclose(y.asnumpy().mean(0), [1, 1, 1], atol=1e-5)
    np.testing.assert_allclose(statistics[0].asnumpy(), x.mean(0), rtol=1e-4)
    np.testing.assert_allclose(statistics[1].asnumpy(), x.var(0), rtol=1e-4)
    np.testing.assert_allclose(mean.asnumpy(), 0.9 * np.array([0.1, 0.2, 0.3]) + 0.1 * x.mean(0), rtol=1e-4)
    np.testing.assert_allclose(
        variance.asnumpy(), 0.9 * np.array([1, 1, 2]) + 0.1 * x.var(0, ddof=1), rtol=1e-4
    )
    still = classes.BatchNorm()(Tensor(x), one, one, mean, variance)[0].asnumpy()
    expected = (x - mean.asnumpy()) / np.sqrt(variance.asnumpy() + 1e-5) + 1
    np.testing.assert_allclose(still, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["Dropout", "Dropout2D", "Dropout3D"])
def test_dropout_gives_what_stayed(name: str) -> None:
    x = Tensor(np.full((8, 8, *[2] * {"Dropout3D": 3}.get(name, 2)), 3, np.float32))
    y, mask = getattr(classes, name)(keep_prob=0.75)(x)
    np.testing.assert_allclose(y.asnumpy(), 4 * mask.asnumpy().astype(np.float32))
    assert 0 < mask.asnumpy().mean() < 1
    assert mask.dtype is (dtype.float32 if name == "Dropout" else dtype.bool_)


def test_random_classes() -> None:
    shape, low, high = (50, 4), Tensor(2, dtype.int32), Tensor(5, dtype.int32)
    made = {
        "StandardNormal": classes.StandardNormal(seed=1)(shape),
        "StandardLaplace": classes.StandardLaplace()(shape),
        "UniformReal": classes.UniformReal(seed=3)(shape),
        "UniformInt": classes.UniformInt()(shape, low, high),
        "TruncatedNormal": classes.TruncatedNormal(dtype=dtype.float16)(Tensor([50, 4], dtype.int32)),
        "Gamma": classes.Gamma()((50,), Tensor([1.0] * 4), Tensor([1.0])),
        "Poisson": classes.Poisson()((50,), Tensor([1.0] * 4)),
        "Bernoulli": classes.Bernoulli()(Tensor(np.ones(shape, np.float32)), 0.5),
    }
    assert all(value.shape == shape for value in made.values())
    assert made["TruncatedNormal"].dtype is dtype.float16
    assert set(np.unique(made["UniformInt"].asnumpy())) == {2, 3, 4}
    assert classes.Multinomial()(Tensor([1.0, 2.0]), 3).dtype is dtype.int32
    assert classes.RandpermV2()(5).shape == (5,)
