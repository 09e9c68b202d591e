"""Corners of operators where MindSpore 2.10 on CPU differs from what a formula suggests, as it prints them."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, mint, ops

NAN, INF = float("nan"), float("inf")


def same(found, expected):
    np.testing.assert_allclose(found.asnumpy(), np.asarray(expected, found.asnumpy().dtype), rtol=2e-4)


def test_products_of_flags_keep_nan():
    flags = Tensor([True, False])
    for found in (flags * Tensor([NAN, NAN]), Tensor([NAN, NAN]) * flags, mint.mul(flags, NAN)):
        same(found, [NAN, NAN])
    same(ms.jit(ops.mul)(flags, Tensor([INF, INF])), [INF, NAN])
    same(ms.grad(lambda x: (x * flags).sum())(Tensor([2.0, 3.0])), [1.0, 0.0])


def test_xlogy_and_xdivy_where_x_is_zero():
    x, y = Tensor([0.0, 0.0, 1.0, 2.0]), Tensor([0.0, 2.0, 0.0, 3.0])
    same(ops.xlogy(x, y), [NAN, 0.0, -INF, 2.19722])
    by_x, by_y = ms.grad(lambda x, y: ops.xlogy(x, y).sum(), (0, 1))(x, y)
    same(by_x, [0.0, 0.69315, -INF, 1.09861])
    same(by_y, [NAN, 0.0, INF, 0.66667])
    by_x, by_y = ms.grad(lambda x, y: ops.xdivy(x, y).sum(), (0, 1))(x, y)
    same(by_x, [0.0, 0.0, INF, 0.33333])
    same(by_y, [0.0, 0.0, -INF, -0.22222])


def test_errors_name_the_operator():
    for wrong in (
        lambda: Tensor([1.0]) + "a",
        lambda: "a" - Tensor([1.0]),
        lambda: ops.add(Tensor([1.0]), object()),
    ):
        with pytest.raises(TypeError, match=r"`(add|sub)`: argument `(input|other|self)`"):
            wrong()


def test_no_largest_elements():
    values, places = mint.topk(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0, 0)
    assert values.shape == places.shape == (0, 2)
    assert places.dtype == ms.int64
    with pytest.raises(ValueError, match="topk"):
        ops.topk(Tensor([1.0]), 0)


def test_diagonals():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.diag(0).shape == (2, 2, 2, 2)
    same(x.diag(diagonal=-1), [3.0])
    same(Tensor([5.0]).diag(1), [[0.0, 5.0], [0.0, 0.0]])


def test_dtypes_of_norms():
    half, whole = Tensor([[1.0, -2.0]], ms.float16), Tensor([[1, -2]])
    norm = ms.numpy.norm
    kinds = [norm(half), norm(half, 1, 0), norm(half, None, (0, 1)), norm(half, INF, 1), norm(half, 1)]
    assert [str(x.dtype) for x in kinds] == ["Float32", "Float32", "Float16", "Float16", "Float16"]
    kinds = [norm(whole), norm(whole, INF, 1), norm(whole, 1), norm(whole, 1, 1)]
    assert [str(x.dtype) for x in kinds] == ["Float32", "Int64", "Int64", "Float32"]


def test_gradients_through_integers():
    x = Tensor([1.5, -2.25, 0.0])
    for function, expected in (
        (lambda x: x.astype(ms.int32).astype(ms.float32).sum(), [1.0, 1.0, 1.0]),
        (lambda x: (ops.cast(x, ms.int64) * x).sum(), [2.0, -4.0, 0.0]),
        (lambda x: (x * x.astype(ms.bool_)).sum(), [2.0, 2.0, 0.0]),
        (lambda x: ((x - x.astype(ms.int32)) * 2).sum(), [0.0, 0.0, 0.0]),
        (lambda x: ops.gather(x, x.clip(0, 1).astype(ms.int32), 0).sum(), [2.0, 1.0, 0.0]),
        (lambda x: ((x.astype(ms.int32) > 0) * x).sum(), [1.0, 0.0, 0.0]),
    ):
        same(ms.grad(function)(x), expected)
    same(ms.jit(ms.grad(lambda x: (x.astype(ms.int32) * 2).sum()))(x), [2.0, 2.0, 2.0])
