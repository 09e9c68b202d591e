"""Gradients by integers as MindSpore 2.10 gives them, in every mode, and what must stay as it is without them."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax
from msjax import Tensor, ops
from msjax.core.xla import integer_gradients
from tests.goldens.snippets import run, same

GOLDENS = json.loads((Path(__file__).parents[2] / "goldens" / "integer_gradients.json").read_text())

# Where msjax departs on purpose: why, and what it prints.
DEPARTURES: dict[str, tuple[str, str]] = {}


@pytest.mark.parametrize("name", GOLDENS)
def test_as_mindspore(name):
    golden = GOLDENS[name]
    why, prints = DEPARTURES.get(name, ("", golden["prints"]))
    with msjax.install_as("mindspore"):
        from tests.goldens import integer_gradients_prelude

        try:
            found = run(golden["source"], name, integer_gradients_prelude.NAMES)
        finally:
            msjax.set_context(mode=msjax.PYNATIVE_MODE)
    assert "raises" not in found, f"{golden['source']}\n{found.get('traceback')}"
    assert same(prints, found["prints"]), (
        f"{golden['source']}\n--- expected\n{prints}\n--- found\n{found['prints']}\n{why}"
    )


def test_values_stay_exact():
    @msjax.jit
    def hashed(x, n):
        while n > 0:
            x = x * 1103515245 + 12345  # beyond what a float holds, and around the end of int32
            n = n - 1
        return x

    x, n = Tensor([3], msjax.int32), Tensor(5, msjax.int32)
    value, _ = msjax.value_and_grad(hashed, (0, 1))(x, n)
    expected = np.array([3], np.int32)
    for _ in range(5):
        expected = expected * np.int32(1103515245) + np.int32(12345)
    assert value.asnumpy().tolist() == expected.tolist()


def test_conditions_see_exact_values():
    """2 ** 60 and 2 ** 60 + 1 are the same float."""

    @msjax.jit
    def chosen(x, y):
        if x == y:
            return x * 2
        return x * 3

    x, y = Tensor([2**60], msjax.int64), Tensor([2**60 + 1], msjax.int64)
    assert [msjax.grad(chosen)(x, other).asnumpy().tolist() for other in (x, y)] == [[2], [3]]


def test_programs_of_floats_are_not_evaluated_anew(monkeypatch):
    monkeypatch.setattr(integer_gradients, "evaluate", None)

    def loss(x, ids):
        return ops.gather(x, ids, 0).sum() + (x * (x > 0).astype(msjax.float32)).sum()

    x, ids = Tensor([[1.5], [2.5]]), Tensor([0, 0])
    for fn in (loss, msjax.jit(loss)):
        assert msjax.grad(fn)(x, ids).asnumpy().tolist() == [[3], [1]]


def test_mapped_gradients():
    x = Tensor([[2, 3], [4, 5]], msjax.int32)
    found = msjax.vmap(msjax.grad(msjax.jit(lambda v: (v * v).sum())))(x)
    assert found.dtype == msjax.int32
    assert found.asnumpy().tolist() == [[4, 6], [8, 10]]


def test_recomputed_integers():
    assert msjax.grad(msjax.jit(lambda x: msjax.recompute(lambda v: 3 * v * v, x)))(
        Tensor([2])
    ).asnumpy() == [12]


def test_a_derivative_that_there_is_none_of_raises():
    """The backward pass of a loop is no formula of its integers: a second derivative would lack terms."""

    @msjax.jit
    def powers(x, n):
        while n > 0:
            x = x * x
            n = n - 1
        return x

    with pytest.raises(TypeError, match="there is no derivative by integers of"):
        msjax.grad(msjax.grad(powers))(Tensor([2], msjax.int32), Tensor(2))


PRIMITIVES = {
    "scatter": lambda x: jnp.zeros(4, x.dtype).at[jnp.array([0, 2, 3])].set(x * 2),
    "scatter-add": lambda x: jnp.zeros(4, x.dtype).at[jnp.array([0, 2, 2])].add(x * 2),
    "dynamic_update_slice": lambda x: jax.lax.dynamic_update_slice(x * 3, x[:1] * 5, (1,)),
    "dynamic_slice": lambda x: jax.lax.dynamic_slice(x * 3, (1,), (2,)),
    "dot_general": lambda x: x.reshape(1, 3) @ x.reshape(3, 1),
    "sort of pairs": lambda x: jax.lax.sort((x, x * 2), num_keys=1)[1] * jnp.array([1, 10, 100]),
    "scan": lambda x: jax.lax.scan(lambda c, v: (c + v * v, c * v), x[0], x)[0],
    "scan, stacked": lambda x: jax.lax.scan(lambda c, v: (c + v * v, c * v), x[0], x)[1],
    "cond": lambda x: jax.lax.cond(x[0] > 2, lambda v: v * v, lambda v: v - 1, x),
    "pad": lambda x: jax.lax.pad(x * 2, np.array(0, x.dtype), [(1, 1, 0)]),
    "select_n": lambda x: jnp.where(x > 2, x * x, 4 * x),
    "custom_jvp": jax.nn.relu,
    "fori_loop": lambda x: jax.lax.fori_loop(0, 3, lambda i, v: v * 2 + i, x),
    "convolution": lambda x: jnp.convolve(x, jnp.array([1, 2], x.dtype)),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives(name):
    """Of whole numbers that floats hold, the gradients are those of the floats."""
    fn, x = PRIMITIVES[name], np.array([5, 2, 3])

    def total(v):
        return fn(v).sum()

    expected = jax.grad(total)(x.astype(np.float64))
    lifted = integer_gradients.Lifted(total, [jnp.asarray(x)], [0])
    (found,), out = lifted.push_forward(*lifted.floats)
    assert out[0] == total(jnp.asarray(x)) == found
    gradient = jax.grad(lambda *v: lifted.push_forward(*v)[0][0])(*lifted.floats)
    np.testing.assert_array_equal(gradient, np.trunc(expected))


def test_an_operation_without_a_formula_raises():
    def doubled(v):
        return jax.lax.reduce(v, np.int64(0), lambda a, b: a + 2 * b, (0,))

    lifted = integer_gradients.Lifted(doubled, [jnp.arange(3)], [0])
    with pytest.raises(TypeError, match="no derivative by integers of JAX's operation `reduce`"):
        lifted.push_forward(*lifted.floats)
