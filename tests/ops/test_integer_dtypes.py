"""Operators for floating numbers on integers, and division by 0; the numbers are MindSpore's on CPU."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops


def whole(values, dtype):
    return Tensor(np.array(values, dtype))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_activations_cut_off_fractions(dtype):
    x = whole([1, 2, 3, 4, -2, 5], dtype)
    for f, expected in ((ops.hardswish, [0, 1, 3, 4, 0, 5]), (ops.selu, [1, 2, 3, 4, -1, 5])):
        found = f(x)
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found.asnumpy(), expected)
    np.testing.assert_array_equal(ops.HSigmoid()(x).asnumpy(), [0, 0, 1, 1, 0, 1])
    with pytest.raises(TypeError, match=r"hardswish.*signed integer"):
        ops.hardswish(x > 1)


def test_huber_loss_of_integers_is_float32():
    x = whole([1, 5], np.int16)
    assert str(ops.huber_loss(x, x * 2)) == "2.5"
    assert ops.huber_loss(x, x * 2).dtype == ms.float32


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_division_by_zero(dtype):
    x, zero, ends = whole([1, 0, 5], dtype), whole([0, 0, 0], dtype), np.iinfo(dtype)
    np.testing.assert_array_equal((x // zero).asnumpy(), [ends.max, 0, ends.max])
    np.testing.assert_array_equal(ops.remainder(x, zero).asnumpy(), [1, 0, 5])
    if dtype in (np.int32, np.int64):
        np.testing.assert_array_equal((x % zero).asnumpy(), [ends.min] * 3)
        np.testing.assert_array_equal(ms.jit(lambda x, y: x % y)(x, zero).asnumpy(), [ends.min] * 3)


def test_uint64_is_divided():
    x = whole([7, 2**64 - 1], np.uint64)
    np.testing.assert_array_equal((x // whole([2, 2], np.uint64)).asnumpy(), [3, 2**63 - 1])
    assert int(ops.truncate_div(x, whole([2, 2], np.uint64))[0]) == 3


def test_norms_keep_dtypes():
    x = whole([[1, -3], [2, 0]], np.int32)
    assert ops.norm(x, float("inf"), dim=1).dtype == ms.int32
    z = Tensor(np.array([3 + 4j, 0], np.complex64))
    assert ops.norm(z).dtype == ms.complex64
    np.testing.assert_allclose(ops.norm(z).asnumpy(), 5)


def test_bools_and_fractions():
    t = Tensor([[True, False]])
    np.testing.assert_array_equal(ops.kron(t, t).asnumpy(), [[True, False, False, False]])
    np.testing.assert_array_equal(ops.bincount(Tensor([0.0, 1.5])).asnumpy(), [1, 1])
    assert ops.trapz(Tensor(np.array([1.0, 2.0]))).dtype == ms.float32


def test_scattered_divisions_of_integers_are_cut_off():
    x, at, by = whole([7, -7, 9, 5], np.int32), whole([[0], [1], [0]], np.int32), whole([2, 2, -3], np.int32)
    assert str(ops.tensor_scatter_div(x, at, by)) == "[-1 -3  9  5]"
    assert str(ops.scatter_div(ms.Parameter(x), at[:, 0], by)) == "[-1 -3  9  5]"
    assert ops.ScatterNdDiv()(ms.Parameter(x), at, by).dtype == ms.int32


def test_bools_count():
    yes, at = Tensor([True, False]), whole([[2], [0]], np.int32)
    assert str(ops.scatter_nd(at, yes, (3,))) == "[False False  True]"
    assert str(ops.vander(yes)) == "[[1 1]\n [0 1]]"
    assert ops.vander(whole([1, 200], np.uint8)).dtype == ms.int64
    assert ops.subtract(yes, yes).dtype == ms.int64


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_, np.int32])
def test_methods_that_sum_widen(dtype):
    x = whole([[1, 2], [3, 4]], dtype)
    assert x.cumsum(1).dtype == x.cumsum().dtype == ms.int32
    assert x.cumsum(0, dtype=ms.int8).dtype == (ms.int32 if dtype == np.int8 else ms.int8)
    assert x.trace().dtype == (ms.bool_ if dtype == np.bool_ else ms.int64)
    assert x.trace(dtype=ms.float32) == (2 if dtype == np.bool_ else 5)
    assert Tensor([1.5]).cumsum(0).dtype == ms.float32
