"""Inner operators for which MindSpore's CPU has no kernel that runs everywhere, against dense matrices and factors."""

import importlib

import numpy as np

import msjax as ms
from msjax import Tensor
from msjax.ops.generated import array_ops_classes as inner
from msjax.ops.generated import gradients_by_vjp as G

STARTS, AT = Tensor([0, 2, 2, 3], ms.int32), Tensor([0, 3, 1], ms.int32)
VALUES, SHAPE = Tensor(np.array([2.0, -1.0, 3.0], np.float32)), (3, 4)
FULL = np.array([[2, 0, 0, -1], [0, 0, 0, 0], [0, 3, 0, 0]], np.float32)
DENSE = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


def test_sparse_rows():
    assert inner.CSR2COO()(STARTS, 3).asnumpy().tolist() == [0, 0, 2]
    assert inner.COO2CSR()(Tensor([0, 0, 2], ms.int32), 3).asnumpy().tolist() == [0, 2, 2, 3]


def test_sparse_products():
    b = DENSE.reshape(4, 3)
    sums = ms.jit(lambda v: inner.CSRReduceSum()(STARTS, AT, v, SHAPE, 1))(VALUES)
    np.testing.assert_array_equal(sums.asnumpy(), FULL.sum(1, keepdims=True))
    np.testing.assert_array_equal(inner.CSRMM()(STARTS, AT, VALUES, SHAPE, Tensor(b)).asnumpy(), FULL @ b)
    np.testing.assert_array_equal(
        inner.CSRMV()(STARTS, AT, VALUES, SHAPE, Tensor(b[:, :1])).asnumpy(), FULL @ b[:, :1]
    )
    gradient = ms.grad(lambda v: inner.CSRMM()(STARTS, AT, v, SHAPE, Tensor(b)))(VALUES)
    np.testing.assert_array_equal(gradient.asnumpy(), b.sum(1)[[0, 3, 1]])


def test_sparse_elementwise():
    there = DENSE[[0, 0, 2], [0, 3, 1]]
    for made, want in (
        (inner.CSRMul(), VALUES.asnumpy() * there),
        (inner.CSRDiv(), VALUES.asnumpy() / there),
    ):
        np.testing.assert_allclose(made(STARTS, AT, VALUES, SHAPE, Tensor(DENSE)).asnumpy(), want, rtol=1e-6)
    row = inner.CSRMul()(STARTS, AT, VALUES, SHAPE, Tensor(DENSE[:1])).asnumpy()
    np.testing.assert_array_equal(row, VALUES.asnumpy() * DENSE[0, [0, 3, 1]])
    np.testing.assert_array_equal(inner.CSRGather()(STARTS, AT, Tensor(DENSE), SHAPE).asnumpy(), there)


def test_lu_has_the_factors_of_the_rows_in_their_order():
    a = np.array([[2.5, 3.1, 3.5], [4.7, 1.9, 0.2], [1.1, 3.6, 2.0]], np.float32)
    packed, order = inner.Lu(ms.int64)(Tensor(a))
    assert order.dtype == ms.int64
    assert order.asnumpy().tolist() == [1, 2, 0]
    lower, upper = np.tril(packed.asnumpy(), -1) + np.eye(3), np.triu(packed.asnumpy())
    np.testing.assert_allclose(lower @ upper, a[[1, 2, 0]], rtol=1e-5)


def test_small_ones():
    assert inner.AddV2()(Tensor([1, 2]), Tensor([3, 4])).asnumpy().tolist() == [4, 6]
    assert inner.ArgminV2()(Tensor([[3, 1], [0, 2]]), 1).asnumpy().tolist() == [1, 0]
    assert inner.Eigh(False)(Tensor([[2.0, 0.0], [0.0, 1.0]])).asnumpy().tolist() == [1.0, 2.0]


def test_dilation_is_pulled_back():
    x, w = Tensor(DENSE.reshape(1, 1, 3, 4)), Tensor(np.array([[[0.0, 2.5], [-1.0, 0.5]]], np.float32))
    seed = Tensor(DENSE.reshape(1, 1, 3, 4) + 1)
    wanted = ms.grad(ms.ops.Dilation2D(1, 1), (0, 1), sens_param=True)(x, w, seed)
    for made, want in zip((G.Dilation2DBackpropInput, G.Dilation2DBackpropFilter), wanted, strict=True):
        np.testing.assert_array_equal(made(1, 1)(x, w, seed).asnumpy(), want.asnumpy())


def test_inner_names_do_not_hang_on_the_way_of_import():
    """`from mindspore.ops import operations as P; P.UpdateCache` finds what `import mindspore.ops.operations as P` does."""
    assert importlib.import_module("msjax.ops").operations.UpdateCache.__name__ == "UpdateCache"
