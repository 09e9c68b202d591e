"""Gradients of products and quotients at positions; those by `x` and of distinct positions are MindSpore's on CPU."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import msjax as ms
from msjax import Tensor, ops
from msjax.ops.array.scattered_products import multiply_at

X = Tensor([[1.0, 2.0], [3.0, 0.0], [5.0, 6.0], [7.0, 0.0]])


@pytest.mark.parametrize("transform", [lambda f: f, ms.jit])
def test_products_of_segments(transform):
    def product(x):
        return ops.unsorted_segment_prod(x, Tensor([0, 1, 0, 1], ms.int32), 2).sum()

    found = transform(ms.grad(product))(X)
    np.testing.assert_allclose(found.asnumpy(), [[5, 6], [7, 0], [1, 2], [3, 0]])
    curved = transform(ms.grad(lambda x: (ms.grad(product)(x) ** 2).sum()))(X + 1)
    np.testing.assert_allclose(curved.asnumpy(), 2 * (X + 1).asnumpy(), rtol=1e-5)


def test_updates_that_multiply_and_divide():
    at, u = Tensor([[0], [1]], ms.int32), X[:2] + 1

    def gradients(op):
        return [g.asnumpy() for g in ms.grad(lambda x, u: op(x, at, u).sum(), (0, 1))(X, u)]

    by_x, by_u = gradients(ops.tensor_scatter_mul)
    np.testing.assert_allclose(by_x, [[2, 3], [4, 1], [1, 1], [1, 1]])
    np.testing.assert_allclose(by_u, [[1, 2], [3, 0]])
    by_x, by_u = gradients(ops.tensor_scatter_div)
    np.testing.assert_allclose(by_x, [[1 / 2, 1 / 3], [1 / 4, 1], [1, 1], [1, 1]])
    np.testing.assert_allclose(by_u, [[-1 / 4, -2 / 9], [-3 / 16, 0]], rtol=1e-6)


def test_positions_that_meet_and_slices():
    r = np.random.RandomState(0)
    where = (slice(None), jnp.array([0, 1, 1, 0]))
    check_grads(lambda x, u: multiply_at(x, where, u), (r.rand(2, 2) + 0.5, r.rand(2, 4) + 0.5), 2)
    np.testing.assert_array_equal(multiply_at(jnp.ones(2), jnp.array([0, 7]), jnp.array([2.0, 3.0])), [2, 1])


def test_mapped():
    f = ms.vmap(ms.grad(lambda x: ops.UnsortedSegmentProd()(x, Tensor([0, 0], ms.int32), 1).sum()))
    np.testing.assert_allclose(f(Tensor([[2.0, 3.0], [0.0, 5.0]])).asnumpy(), [[3, 2], [5, 0]])


def test_derivatives_that_are_taken_for_zero():
    x = X + 1
    by_x, by_other = ms.grad(lambda a, b: ops.nextafter(a, b) * 3, (0, 1))(x, x + 1)
    np.testing.assert_array_equal(by_x.asnumpy(), np.full((4, 2), 3.0))
    assert not by_other.any()
    by_a, by_b, by_x = ms.grad(ops.Betainc(), (0, 1, 2))(Tensor([2.0]), Tensor([2.0]), Tensor([0.4]))
    assert by_a == by_b == 0
    np.testing.assert_allclose(by_x.asnumpy(), [1.44], rtol=1e-5)
