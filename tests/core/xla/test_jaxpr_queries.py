"""Queries on jaxprs."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from msjax.core.xla.jaxpr_queries import find_differentiable_outputs


def outputs(x, y):
    kept, cut = x * 2, lax.stop_gradient(x) + 1
    total, last = lax.fori_loop(0, 3, lambda i, c: (c[0] + x, c[1] * 2), (y, y))
    return kept, cut, y, jnp.float32(1), total, last


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.checkpoint, lambda f: jax.jit(jax.jit(f))])
def test_outputs_through_which_gradients_flow(wrap):
    jaxpr = jax.make_jaxpr(wrap(outputs))(jnp.float32(1), jnp.float32(2)).jaxpr
    x, y = jaxpr.invars
    loop = [True, True]  # as a whole
    assert find_differentiable_outputs(jaxpr, [x]) == [True, False, False, False, *loop]
    assert find_differentiable_outputs(jaxpr, [y]) == [False, False, True, False, *loop]
    assert find_differentiable_outputs(jaxpr, []) == [False] * 6
