"""Backward passes that keep coming back are compiled once."""

import numpy as np

from msjax.core.grad import value_and_grad
from msjax.core.op import op
from msjax.core.parameter import Parameter
from msjax.core.replay import replay
from msjax.core.tensor import Tensor
from tests.core.compositions import add, mul, sin, total

affine = op(lambda x, a, b: x * a + b)


def compiled():
    """How many backward passes are known as programs."""
    return sum(entry[1] is not None for entry in replay._known.values())


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
    assert compiled() == before + 1
    for other in found[1:]:
        np.testing.assert_allclose(np.stack(other), np.stack(found[0]), rtol=1e-5, atol=1e-6)
