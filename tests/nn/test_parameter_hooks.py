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
