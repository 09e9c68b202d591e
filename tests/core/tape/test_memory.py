"""Lifetimes: residuals that are inputs are not copied, graphs are freed, recompute keeps inputs alone."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from msjax.core.autodiff.grad import grad
from msjax.core.autodiff.jvp_vjp_jacobian import recompute, vjp
from msjax.core.jit.jit import jit
from msjax.core.op.op import op
from msjax.core.tape import nodes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor

SIDE = 128
UNIT = SIDE * SIDE * 4  # bytes of one array

matmul, tanh, sin, total = map(
    op, (lambda a, b: a @ b, lambda a: jnp.tanh(a), lambda a: jnp.sin(a), lambda a: a.sum())
)
add, mul = op(lambda a, b: a + b), op(lambda a, b: a * b)


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch):
    """Leave nothing to NumPy: JAX lists its own arrays alone, and what a compiled operator keeps is the matter here."""
    monkeypatch.setattr(nodes, "is_at_home", lambda: False)


def square(seed=0):
    return Tensor(np.random.default_rng(seed).normal(size=(SIDE, SIDE)).astype(np.float32) / SIDE)


def alive():
    """How many arrays of the tests' size are alive."""
    gc.collect()
    return sum(a.nbytes == UNIT for a in jax.live_arrays() if not a.is_deleted())


def kept_by(fn, *args):
    """How many arrays the gradient of a call keeps, beyond its inputs and its output."""
    before = alive()
    out, pull = vjp(fn, *args)
    found = alive() - before
    pull(Tensor(jnp.ones_like(out.array)))
    return found


def test_residuals_that_are_inputs_are_not_copied():
    x, w = square(1), square(2)
    assert kept_by(lambda x, w: total(matmul(x, w)), x, w) == 0
    assert kept_by(lambda x, w: total(add(x, w)), x, w) == 0


def test_the_buffers_of_residuals_are_those_of_the_inputs():
    x, w = square(1), square(2)
    from msjax.core.autodiff.grad import recording, watch_argument
    from msjax.core.tape import nodes
    from msjax.core.tensor.tensor import node_of, resolve

    with recording():
        a, _ = watch_argument(x)
        node = node_of(resolve(mul(a, w)))[0]
    assert isinstance(node, nodes.OpNode)
    pointers = {r.unsafe_buffer_pointer() for r in node.residuals}
    assert pointers <= {x.array.unsafe_buffer_pointer(), w.array.unsafe_buffer_pointer()}


@pytest.mark.parametrize("depth", [4, 12])
def test_recompute_keeps_the_inputs_of_blocks_alone(depth):
    w = square(3)

    def block(h):
        for _ in range(4):
            h = sin(tanh(matmul(h, w)))
        return h

    def chain(call):
        def run(h):
            for _ in range(depth):
                h = call(h)
            return total(h)

        return run

    plain = kept_by(chain(block), square(4))
    saved = kept_by(chain(lambda h: recompute(block, h)), square(4))
    assert saved <= depth + 1 < plain / 4

    def gradient(call):
        return grad(chain(call))(square(4)).asnumpy()

    np.testing.assert_allclose(gradient(lambda h: recompute(block, h)), gradient(block), rtol=1e-5, atol=1e-8)


def test_a_graph_is_freed_with_its_gradient():
    x, w = square(5), square(6)
    step = grad(lambda x: total(tanh(matmul(x, w))))
    step(x)
    before = alive()
    for _ in range(5):
        gradient = step(x)
    assert alive() - before <= 1
    del gradient


def test_what_a_function_keeps_for_itself_keeps_no_chain_of_graphs():
    held = [square(7)]

    def step(x):
        held[0] = tanh(matmul(held[0], x))
        return total(held[0])

    x = square(8)
    counts = []
    for _ in range(6):
        grad(step)(x)
        counts.append(alive())
    assert counts[-1] <= counts[1]


def test_a_compiled_step_reuses_the_memory_of_its_state():
    w = Parameter(square(9), name="w")

    @jit
    def step(x):
        w.set_data(add(w, x))
        return total(x)

    x = square(10)
    step(x)
    step(x)
    old = w._value
    step(x)
    assert old.is_deleted()


def test_an_array_that_someone_holds_is_not_reused():
    w = Parameter(square(11), name="w")

    @jit
    def step(x):
        w.set_data(add(w, x))
        return total(x)

    x = square(12)
    step(x)
    held = w.array
    expected = np.array(held)
    step(x)
    np.testing.assert_array_equal(np.asarray(held), expected)
