"""Parameters that a compiled function is given as arguments are those of the networks that it calls."""

import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops


class Scaled(nn.Cell):
    """Multiplies and adds."""

    def __init__(self) -> None:
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
        self.b = ms.Parameter(ms.Tensor([1.0, 1.0]), name="b")

    def construct(self, x):
        return (x * self.w + self.b).sum()


@pytest.mark.parametrize("kind", [list, tuple, ms.ParameterTuple])
@pytest.mark.parametrize("transform", ["grad", "value_and_grad", "GradOperation"])
def test_gradients_by_them(kind, transform):
    """The gradient was 0, because the argument was another Tensor than the network's."""
    net = Scaled()

    @ms.jit
    def gradients(x, weights):
        if transform == "GradOperation":
            return ops.GradOperation(get_by_list=True)(net, weights)(x)
        found = getattr(ms, transform)(net, None, weights)(x)
        return found[1] if transform == "value_and_grad" else found

    x = ms.Tensor([1.0, 2.0])
    other = Scaled()
    # Those of another network first: the same program would give 0 for these.
    for weights, expected in (
        (other, [[0.0, 0.0], [0.0, 0.0]]),
        (net, [[1.0, 2.0], [1.0, 1.0]]),
        (other, [[0.0, 0.0], [0.0, 0.0]]),
    ):
        found = gradients(x, kind(weights.trainable_params()))
        np.testing.assert_array_equal([one.asnumpy() for one in found], expected)


def test_gradient_by_position_counts_the_argument_alone():
    """As MindSpore: in a compiled function the argument's own uses, around one those of the Parameter."""
    net = Scaled()
    inner = ms.grad(lambda x, p: (x * p * net.w).sum(), 1)
    compiled = ms.jit(lambda x, p: (x * p * net.w).sum())
    x = ms.Tensor([1.0, 2.0])
    assert ms.jit(lambda x, p: inner(x, p))(x, net.w).asnumpy().tolist() == [2.0, 6.0]
    assert ms.grad(compiled, 1)(x, net.w).asnumpy().tolist() == [4.0, 12.0]
