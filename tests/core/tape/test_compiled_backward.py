"""Backward passes that keep coming back are compiled once."""

import jax
import numpy as np
import pytest

from msjax.core.autodiff.grad import value_and_grad
from msjax.core.op.op import op
from msjax.core.tape.compiled_backward import replay
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from tests.core.compositions import add, mul, sin, total

affine = op(lambda x, a, b: x * a + b)


def compiled():
    """The structures of backward passes that are known as programs; the oldest are forgotten."""
    return {structure for structure, known in replay._known.items() if known.parts}


def test_a_step_that_repeats_compiles_its_backward_pass_once():
    rng = np.random.default_rng(0)
    weights = [Parameter(Tensor(rng.normal(size=3).astype(np.float32)), name=f"p{i}") for i in range(12)]

    def net(x):
        for a, b in zip(weights[::2], weights[1::2], strict=True):
            x = sin(affine(x, a, b))
        return total(mul(x, add(x, x)))

    gradient = value_and_grad(net, None, weights)
    x, before, found = Tensor(np.ones(3, np.float32)), compiled(), []
    for _ in range(8):  # other objects in each step, and other ids
        _, gradients = gradient(x)
        found.append([g.asnumpy() for g in gradients])
        for weight in weights:
            weight.set_data(Tensor(weight.asnumpy()))
    assert len(compiled() - before) == 1
    for other in found[1:]:
        np.testing.assert_allclose(np.stack(other), np.stack(found[0]), rtol=1e-5, atol=1e-6)


WIDE = np.ones((1024, 1024), np.float32)


def large_gradient():
    """The gradient of a function whose tape saves some 40 MB, over ten layers."""
    rng = np.random.default_rng(1)
    weights = [Parameter(Tensor(rng.normal(size=1024).astype(np.float32)), name=f"w{i}") for i in range(10)]

    def net(x):
        for weight in weights:
            x = sin(mul(x, weight))
        return total(x)

    gradient = value_and_grad(net, None, weights)
    return lambda x: [g.array for g in gradient(x)[1]]


def agree(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-2)


def test_a_pass_that_saved_much_is_compiled_in_parts():
    gradient, known = large_gradient(), set(replay._known)
    results = [gradient(Tensor(WIDE)) for _ in range(5)]
    new = [replay._known[key] for key in set(replay._known) - known]
    assert any(each.large and len(each.parts) > 1 for each in new)
    for other in results[1:]:
        agree(other, results[0])


@pytest.mark.parametrize("before", [0, 2, 4])
def test_such_a_pass_in_a_trace_of_jax(before):
    gradient = large_gradient()
    expected = [gradient(Tensor(WIDE)) for _ in range(before)]
    for _ in range(4):
        inside = jax.jit(lambda array: gradient(Tensor(array)))(WIDE)
        agree(inside, expected[0] if expected else gradient(Tensor(WIDE)))
    agree(gradient(Tensor(WIDE)), inside)
