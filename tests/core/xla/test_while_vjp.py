"""Gradients of a loop of unknown length, against the same loop written out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from msjax.core.xla.while_vjp import CHECKPOINTS, while_with_vjp

START = jnp.linspace(0.0, 1.0, 5, dtype=jnp.float32)
FACTOR = jnp.float32(0.01)


def looped(x, factor, turns):
    def step(state, constants):
        i, value = state
        return i + 1, jnp.sin(value) * constants[0] + value * 0.99

    first = jnp.int32(0), x
    return while_with_vjp(lambda state, constants: state[0] < constants[1], step, first, (factor, turns))[
        1
    ].sum()


def written_out(x, factor, turns):
    for _ in range(turns):
        x = jnp.sin(x) * factor + x * 0.99
    return x.sum()


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 7, 40])
def test_gradients_of_state_and_constants(turns):
    found = jax.jit(jax.grad(looped, (0, 1)))(START, FACTOR, jnp.int32(turns))
    expected = jax.grad(written_out, (0, 1))(START, FACTOR, turns)
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f, e, rtol=2e-5, atol=1e-6)


def test_second_and_third_derivatives():
    second = jax.grad(lambda a: jax.grad(looped, 1)(START, a, jnp.int32(4)))
    expected = jax.grad(lambda a: jax.grad(written_out, 1)(START, a, 4))
    np.testing.assert_allclose(jax.jit(second)(FACTOR), expected(FACTOR), rtol=2e-5)
    np.testing.assert_allclose(jax.jit(jax.grad(second))(FACTOR), jax.grad(expected)(FACTOR), rtol=2e-5)


def test_more_turns_than_the_checkpoints_halve():
    """Beyond 2 ** (CHECKPOINTS - 1) turns a stretch between checkpoints is computed for every turn in it."""
    turns = 2 ** (CHECKPOINTS - 1) + 100

    def step(state, constants):
        i, value = state
        return i + 1, value + constants[0]

    def total(a):
        first = jnp.int32(0), jnp.float32(0)
        return while_with_vjp(lambda state, _: state[0] < turns, step, first, (a,))[1]

    assert float(jax.jit(jax.grad(total))(jnp.float32(1e-3))) == turns


def test_a_loop_that_is_mapped():
    found = jax.vmap(jax.grad(looped), (None, None, 0))(START, FACTOR, jnp.array([0, 1, 5], jnp.int32))
    for row, turns in zip(found, (0, 1, 5), strict=True):
        np.testing.assert_allclose(row, jax.grad(written_out)(START, FACTOR, turns), rtol=2e-5)
