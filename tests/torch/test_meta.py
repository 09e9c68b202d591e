"""Tensors of the device `meta`: shapes and dtypes without elements, and modules that get theirs later."""

import copy

import pytest

from msjax import torch
from msjax.torch import nn
from msjax.torch.nn import functional as F

COMPUTED = {
    "add": lambda x: x + 1,
    "product": lambda x: x @ x.T,
    "view": lambda x: x[:, None].expand(2, 4, 3),
    "cat": lambda x: torch.cat([x, x], 1),
    "split": lambda x: torch.split(x, 1)[0],
    "softmax": lambda x: F.softmax(x, -1),
    "dropout": lambda x: F.dropout(x, 0.5),
    "in place": lambda x: x.clone().add_(1).uniform_(),
    "like": lambda x: torch.randn_like(x),
    "new": lambda x: x.new_ones(4, dtype=torch.int32),
    "argmax": lambda x: x.argmax(-1),
    "comparison": lambda x: x > 0,
    "cast": lambda x: x.half(),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x),
    "where": lambda x: torch.where(x > 0, x, x),
    "initializer": lambda x: nn.init.kaiming_uniform_(x.clone()),
    "beside a number": lambda x: x * torch.tensor(2.0),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_shapes_and_dtypes_are_those_of_a_tensor_with_elements(name):
    found = COMPUTED[name](torch.empty(2, 3, device="meta"))
    there = COMPUTED[name](torch.ones(2, 3))
    assert found.is_meta
    assert (found.shape, found.dtype, found.device.type) == (there.shape, there.dtype, "meta")


MADE = {
    "tensor": lambda: torch.tensor([1, 2]),
    "zeros": lambda: torch.zeros(2, dtype=torch.float64),
    "full": lambda: torch.full((2,), 3),
    "arange": lambda: torch.arange(5),
    "eye": lambda: torch.eye(2),
    "randint": lambda: torch.randint(0, 5, (2,)),
    "randperm": lambda: torch.randperm(4),
    "tril_indices": lambda: torch.tril_indices(3, 3),
}


@pytest.mark.parametrize("name", MADE)
def test_the_device_of_a_context_is_that_of_what_is_made(name):
    there = MADE[name]()
    with torch.device("meta"):
        found = MADE[name]()
        assert torch.get_default_device().type == "meta"
        assert not torch.zeros(1, device="cpu").is_meta
    assert (found.is_meta, found.shape, found.dtype) == (True, there.shape, there.dtype)
    assert not MADE[name]().is_meta


def test_the_default_device():
    torch.set_default_device("meta")
    try:
        assert torch.ones(1).is_meta
    finally:
        torch.set_default_device(None)
    assert not torch.ones(1).is_meta


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.sum().item(), RuntimeError),
        (lambda x: x.numpy(), TypeError),
        (lambda x: x.tolist(), NotImplementedError),
        (lambda x: bool((x > 0).all()), RuntimeError),
        (lambda x: x.cpu(), NotImplementedError),
        (lambda x: x.to("cpu"), NotImplementedError),
        (lambda x: torch.ones(2, 3).copy_(x), NotImplementedError),
        (lambda x: nn.Linear(2, 3, device="meta").cpu(), NotImplementedError),
    ],
)
def test_elements_that_are_not_there(call, error):
    with pytest.raises(error, match="meta"):
        call(torch.empty(2, 3, device="meta"))


def test_how_it_is_printed():
    assert repr(torch.empty(2, 3, device="meta")) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(torch.ones(1).long().to("meta")).endswith("dtype=torch.int64)")


LAYERS = {
    "linear": lambda: (nn.Linear(4, 5), (3, 4)),
    "conv": lambda: (nn.Conv2d(3, 4, 3), (1, 3, 8, 8)),
    "norms": lambda: (nn.Sequential(nn.BatchNorm1d(4), nn.LayerNorm(4), nn.Dropout()), (3, 4)),
    "attention": lambda: (nn.TransformerEncoderLayer(8, 2, 16), (2, 1, 8)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_module_is_made_without_elements_and_gets_them(name):
    with torch.device("meta"):
        net, shape = LAYERS[name]()
    assert all(tensor.is_meta for tensor in net.state_dict().values())
    full, _ = LAYERS[name]()
    x = torch.ones(*shape)
    assert net(x.to("meta")).shape == full(x).shape
    loaded = copy.deepcopy(net)
    loaded.load_state_dict(full.state_dict(), assign=True)
    assert all(isinstance(p, nn.Parameter) and p.requires_grad for p in loaded.parameters())
    assert torch.equal(loaded.eval()(x), full.eval()(x))
    net.to_empty(device="cpu")
    net.load_state_dict(full.state_dict())
    assert torch.equal(net.eval()(x), full(x))
    assert all(p.is_meta for p in full.to("meta").parameters())


def test_values_that_have_no_place_are_not_loaded_without_a_word():
    net = nn.Linear(2, 1, bias=False, device="meta")
    with pytest.warns(UserWarning, match="which is a no-op"):
        net.load_state_dict({"weight": torch.ones(1, 2)})
    assert net.weight.is_meta
