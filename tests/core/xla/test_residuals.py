"""Operators that run on their own save residuals for their backward pass, and a long backward pass frees them."""

import numpy as np
import pytest

from msjax import ops
from msjax.core.autodiff.grad import grad, recording, value_and_grad, watch_argument
from msjax.core.jit.jit import jit
from msjax.core.tape import nodes
from msjax.core.tape.compiled_backward import Replay, replay
from msjax.core.tensor.tensor import Tensor, node_of, resolve
from msjax.core.xla import changing_shapes
from msjax.ops.nn.normalization import batch_norm_training

SHAPE = (8, 4, 16, 16)
BYTES = 4 * 8 * 4 * 16 * 16


def sample(seed=0, dtype=np.float32):
    return Tensor(np.random.default_rng(seed).normal(size=SHAPE).astype(dtype))


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch):
    """What NumPy evaluates is not linearized before the backward pass, and saves its inputs."""
    monkeypatch.setattr(changing_shapes, "ENOUGH", 0)


def saved(fn, x):
    """(bytes saved beside inputs and outputs, sources) of the last operator that `fn` calls."""
    with recording():
        watched, _ = watch_argument(x)
        node = node_of(resolve(fn(watched)))[0]
    assert isinstance(node, nodes.OpNode)
    kinds = node.pullback.sources
    return sum(r.nbytes for r, (kind, _) in zip(node.residuals, kinds, strict=True) if kind == "saved"), node


@pytest.mark.parametrize(
    ("fn", "most"),
    [
        (ops.relu, 1 / 4),
        (lambda x: batch_norm_training(x)[0], 0.01),
        (ops.gelu, 0),
        (ops.hardswish, 1 / 2),
        (ops.tanh, 0),
        (lambda x: ops.masked_fill(x, Tensor(np.ones(SHAPE, np.bool_)), 1.0), 1 / 4),
        (lambda x: ops.clamp(x, -0.5, 0.5), 1 / 2),
    ],
)
def test_no_array_is_saved_that_follows_from_what_is_there(fn, most):
    assert saved(fn, sample())[0] <= most * BYTES


def test_a_map_that_does_not_change_with_its_input_does_not_keep_it():
    _, node = saved(ops.relu, sample())
    assert node.pullback.constant
    assert not any(hasattr(primal, "nbytes") for primal in node.primals)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: (ops.relu(x) * x).sum(),
        lambda x: (ops.gelu(x) * ops.sigmoid(x)).sum(),
        lambda x: (batch_norm_training(x)[0] * x * x).sum(),
        lambda x: ops.where(x > 0, x * x, -x).sum(),
    ],
)
def test_derivatives_are_those_of_one_program(fn):
    cases = [(grad(fn), np.float16, 2e-2), (grad(lambda x: (grad(fn)(x) * x).sum()), np.float64, 1e-9)]
    for derivative, dtype, tolerance in cases:
        x = sample(3, dtype)
        expected, found = jit(derivative)(x), derivative(x)
        assert found.dtype == expected.dtype
        far = tolerance * float(abs(expected.array).max())
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=tolerance, atol=far)


def test_a_long_backward_pass_comes_in_parts(monkeypatch):
    monkeypatch.setattr(Replay, "MOST_BYTES", 4 * BYTES)
    w = sample(5)

    def net(x, w):
        for _ in range(12):
            x = ops.tanh(ops.relu(x * w) + x)
        return (x * w).sum()

    gradient = value_and_grad(net, (0, 1))
    first = gradient(sample(4), w)[1]
    replay._known.clear()
    again = [gradient(sample(4), w)[1] for _ in range(8)]  # operators that NumPy computed compile first
    parts = [known.parts for known in replay._known.values() if len(known.parts) > 1]
    assert len(parts) == 1
    assert len(parts[0]) > 3
    for found in again:
        for a, b in zip(found, first, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-5)
