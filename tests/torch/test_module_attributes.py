"""Tensors and modules inside of a module: its tables are what its attributes are, as in PyTorch."""

import copy

import pytest

from msjax import torch
from msjax.torch import nn


def test_what_is_written_to_the_tables_is_what_the_module_computes_with():
    net = nn.Linear(2, 2)
    net._parameters["weight"] = nn.Parameter(torch.full((2, 2), 5.0))
    net._parameters["bias"] = None
    net._buffers["scale"] = torch.ones(1)
    net._modules["inner"] = nn.ReLU()
    assert net(torch.ones(1, 2)).tolist() == [[10.0, 10.0]]
    assert net.weight is net.state_dict(keep_vars=True)["weight"]
    assert net.bias is None
    assert net.scale.item() == 1
    assert isinstance(net.inner, nn.ReLU)
    assert not {"weight", "bias", "scale", "inner"} & vars(net).keys()
    assert {"weight", "scale", "inner"} <= set(dir(net))
    del net._parameters["weight"]
    assert not hasattr(net, "weight")


def test_compiled_functions_see_the_tables():
    net = nn.Linear(2, 1, bias=False)
    compiled = torch.func.vmap(net)
    net._parameters["weight"] = nn.Parameter(torch.ones(1, 2))
    assert compiled(torch.ones(3, 2)).tolist() == [[2.0]] * 3


def test_an_attribute_keeps_its_place_when_its_value_changes():
    net = nn.Linear(2, 2)
    net.weight = nn.Parameter(torch.zeros(2, 2))
    assert [name for name, _ in net.named_parameters()] == ["weight", "bias"]
    outer = nn.Sequential(nn.ReLU(), nn.Tanh())
    setattr(outer, "0", nn.Sigmoid())
    assert [type(each).__name__ for each in outer] == ["Sigmoid", "Tanh"]


def test_a_name_changes_its_kind():
    net = nn.Module()
    net.register_buffer("kept", torch.ones(1), persistent=False)
    net.kept = nn.Parameter(torch.zeros(1))
    assert list(net._buffers) == []
    assert list(net.state_dict()) == ["kept"]
    net.kept = nn.ReLU() if net.kept is None else None
    net.kept = nn.Parameter(torch.ones(1))
    net.plain = 3
    net.plain = nn.Parameter(torch.ones(1))
    assert "plain" not in vars(net)
    assert list(net.state_dict()) == ["kept", "plain"]
    del net.plain
    assert list(net.state_dict()) == ["kept"]


@pytest.mark.parametrize(
    ("name", "what"),
    [("weight", "as parameter 'weight'"), ("scale", "as buffer 'scale'"), ("inner", "as child module")],
)
def test_what_is_of_another_kind_is_refused(name, what):
    net = nn.Linear(2, 2)
    net.register_buffer("scale", torch.ones(1))
    net.inner = nn.ReLU()
    with pytest.raises(TypeError, match=f"cannot assign 'int' {what}"):
        setattr(net, name, 3)
    setattr(net, name, None)
    assert getattr(net, name) is None


def test_before_init_nothing_can_be_registered():
    class Early(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(torch.ones(1))

    with pytest.raises(AttributeError, match="cannot assign parameters before Module"):
        Early()
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wait'"):
        nn.Linear(1, 1).wait  # noqa: B018
    with pytest.raises(AttributeError):
        del nn.Linear(1, 1).wait


def test_a_copy_has_its_own_tables():
    net = nn.Linear(2, 2)
    twin = copy.deepcopy(net)
    twin.weight.data.zero_()
    assert net.weight.abs().sum() > 0
    assert twin.weight.abs().sum() == 0
    assert twin._non_persistent_buffers_set is not net._non_persistent_buffers_set


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (torch.tensor_split, {"indices": (1,), "dim": 0}),
        (torch.tensor_split, {"sections": 2}),
        (torch.hsplit, {"sections": 2}),
        (torch.vsplit, {"indices": [1]}),
        (torch.Tensor.split, {"split_size": 1}),
    ],
)
def test_names_of_parameters_of_each_form(call, named):
    x = torch.arange(4.0).reshape(2, 2)
    parts = call(x, **named)
    assert len(parts) == 2
    assert sum(part.numel() for part in parts) == 4
    assert torch.true_divide(input=x, other=x + 1).shape == x.shape
    assert torch.dropout(x, p=0.0, train=True).tolist() == x.tolist()
    assert torch.result_type(tensor=x, other=1) == torch.float32


@pytest.mark.parametrize("kind", ["register_full_backward_hook", "register_full_backward_pre_hook"])
def test_a_hook_that_goes_first(kind):
    called = []
    net = nn.Linear(2, 1)
    for name, first in (("a", False), ("b", True), ("c", False)):
        getattr(net, kind)(lambda *args, name=name: called.append(name), prepend=first)
    x = torch.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    assert called == ["b", "a", "c"]


def test_handles_and_former_hooks():
    called = []
    net = nn.Tanh()
    with net.register_forward_hook(lambda *args: called.append("forward")):
        net(torch.ones(1))
    net(torch.ones(1))
    net.register_backward_hook(lambda module, given, taken: (given[0] * 3,))
    x = torch.zeros(1, requires_grad=True)
    net(x).sum().backward()
    assert called == ["forward"]
    assert x.grad.tolist() == [3]
