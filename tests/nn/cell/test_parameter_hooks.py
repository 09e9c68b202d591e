"""Hooks on what compiled functions read of Parameters, whose numbers are those of MindSpore 2.10."""

import pytest

import msjax as ms
from msjax import Parameter, Tensor, nn


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(2.0))

    def construct(self, x):
        return x * self.weight


def test_hooks_stand_between_parameters_and_compiled_functions():
    net = Scaled()
    net.register_parameter_forward_hook([{"params": [net.weight], "hook": lambda weight: weight * 10}])
    by_both = ms.value_and_grad(net, 0, net.trainable_params())
    value, (by_input, (by_weight,)) = ms.jit(by_both)(Tensor(3.0))
    assert (float(value), float(by_input), float(by_weight)) == (60, 20, 30)
    assert float(net(Tensor(3.0))) == 6
    assert float(net.weight.value()) == 2


@pytest.mark.parametrize(
    ("hook", "error"),
    [
        (3, TypeError),
        ([3], TypeError),
        ([{"hook": abs}], ValueError),
        ([{"params": [1], "hook": abs}], TypeError),
    ],
)
def test_hooks_are_checked(hook, error):
    with pytest.raises(error, match="Received"):
        Scaled().register_parameter_forward_hook(hook)


@pytest.mark.parametrize("compiled", [False, True])
def test_hooks_of_unused_parameters_see_zeros(compiled):
    seen = []

    def hook(gradient):
        seen.append(gradient.shape)
        return gradient + 10

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.used, self.unused = (Parameter(Tensor([1.0, 2.0]), name=n) for n in ("used", "unused"))

        def construct(self, x):
            return x * self.used

    net = Net()
    for parameter in net.get_parameters():
        parameter.register_hook(hook)
    gradient = ms.grad(net, None, net.trainable_params())
    found = (ms.jit(gradient) if compiled else gradient)(Tensor([7.0, 8.0]))
    assert [g.asnumpy().tolist() for g in found] == [[17, 18], [10, 10]]
    assert len(seen) == 2 or compiled


def test_hooks_of_unused_inputs_do_not():
    x, y = Tensor([1.0]), Tensor([2.0])
    y.register_hook(lambda gradient: gradient + 10)
    assert [g.asnumpy().tolist() for g in ms.grad(lambda x, y: x * 3, (0, 1))(x, y)] == [[3], [0]]
