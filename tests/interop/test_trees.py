"""Tensors and exported Cells in JAX's world: what chex says of trees, and the same function in each of JAX's modes."""

import warnings

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from msjax.interop import as_jax

X = jnp.linspace(-1.0, 1.0, 6, dtype=jnp.float32).reshape(2, 3)


def make_net() -> nn.Cell:
    ms.set_seed(0)
    return nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2))


def test_tensors_are_leaves_of_trees_with_shape_and_dtype():
    tree = {"w": Tensor(np.ones((2, 3), np.float32)), "b": [Tensor(np.zeros(3, np.float32))]}
    arrays = jax.tree.map(jnp.asarray, tree)
    chex.assert_tree_all_finite(tree)
    chex.assert_trees_all_equal_structs(jax.tree.map(lambda a: a + 1, tree), tree)
    chex.assert_trees_all_equal(*map(jax.tree.leaves, (tree, arrays)))
    chex.assert_shape(tree["w"], (2, 3))


def test_exported_cell_is_traced_once_for_arguments_of_one_shape():
    apply, parameters = as_jax(make_net())

    @jax.jit
    @chex.assert_max_traces(n=1)
    def step(parameters, x):
        return jax.grad(lambda p: (apply(p, x) ** 2).sum())(parameters)

    first = step(parameters, X)
    second = step(jax.tree.map(lambda p: p * 2, parameters), X + 1)
    chex.assert_trees_all_equal_shapes_and_dtypes(first, second, parameters)


class Exported(chex.TestCase):
    """Cells as pure functions, compiled and op by op, with arguments on the device and on the host."""

    @chex.all_variants(with_pmap=False)
    def test_gives_what_the_cell_gives(self):
        net = make_net()
        apply, parameters = as_jax(net)
        expected = net(Tensor(X)).asnumpy()
        chex.assert_trees_all_close(self.variant(apply)(parameters, X), expected, rtol=1e-5)  # type: ignore[attr-defined]

    @chex.all_variants(with_pmap=False)
    def test_has_the_gradients_of_the_cell(self):
        net = make_net()
        apply, parameters = as_jax(net)
        weights = net.trainable_params()
        gradients = ms.grad(lambda x: net(x).sum(), None, weights)(Tensor(X))
        expected = {w.name: g.asnumpy() for w, g in zip(weights, gradients, strict=True)}
        gradient = self.variant(jax.grad(lambda p, x: apply(p, x).sum()))  # type: ignore[attr-defined]
        # Gradients are sums of up to 8 terms of their largest size, which may cancel: their roundings do not.
        rounding = 8 * np.finfo(np.float32).eps * max(np.abs(g).max() for g in expected.values())
        chex.assert_trees_all_close(gradient(parameters, X), expected, rtol=1e-5, atol=rounding)


def test_a_function_of_jax_warns_that_it_passes_no_gradient():
    x = ms.Tensor([1.0, 2.0])
    jnp.sin(x)  # from here on JAX calls no function in Python
    with pytest.warns(UserWarning, match="no gradient goes through it") as warned:
        gradient = ms.grad(lambda x: ms.Tensor(jnp.sin(x)).sum() + x.sum())(x)
    assert warned[0].filename == __file__
    np.testing.assert_array_equal(gradient.asnumpy(), [1.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jnp.sin(x)
        ms.grad(lambda y: (y * ms.Tensor(jnp.sin(x))).sum())(x + 1)
        jax.grad(lambda y: jnp.sin(y.array).sum())(x)
        ms.grad(lambda y: (y * ms.Tensor(ms.ops.stop_gradient(y))).sum())(x)
