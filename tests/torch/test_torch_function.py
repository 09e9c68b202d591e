"""`__torch_function__`: subclasses of Tensor and other classes that handle functions, as in PyTorch 2.13."""

import pytest

from msjax import torch
from msjax.torch import nn
from msjax.torch.nn import functional as F


class Sub(torch.Tensor):
    pass


class Below(Sub):
    pass


class Other(torch.Tensor):
    pass


def sub(kind=Sub):
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(kind)


KEPT = {
    "operator": lambda s, x: s + 1,
    "reflected": lambda s, x: 2 - s,
    "beside a tensor": lambda s, x: x + s,
    "product": lambda s, x: x @ s,
    "method": lambda s, x: s.sum(),
    "index": lambda s, x: s[0],
    "property": lambda s, x: s.T,
    "function": lambda s, x: torch.add(x, s),
    "in a list": lambda s, x: torch.cat([x, s]),
    "layer's function": lambda s, x: F.relu(s),
    "loss": lambda s, x: F.cross_entropy(s, torch.tensor([0, 1])),
    "module": lambda s, x: nn.Linear(2, 2)(s),
    "in place": lambda s, x: s.add_(1),
    "cast": lambda s, x: s.long(),
    "like": lambda s, x: torch.zeros_like(s),
    "linalg": lambda s, x: torch.linalg.norm(s),
    "parts": lambda s, x: s.split(1)[1],
    "named parts": lambda s, x: torch.max(s, 1).values,
}


@pytest.mark.parametrize("name", KEPT)
def test_results_are_of_the_subclass(name):
    s, x = sub(), torch.ones(2, 2)
    found, plain = KEPT[name](s, x), KEPT[name](sub().as_subclass(torch.Tensor), x)
    assert type(found) is Sub
    assert type(plain) is torch.Tensor
    assert found.shape == plain.shape
    if name != "module":
        assert found.tolist() == plain.tolist()
    with torch._C.DisableTorchFunctionSubclass():
        assert type(KEPT[name](torch.ones(2, 2), x)) is torch.Tensor


def test_what_was_given_keeps_its_class():
    x, s = torch.ones(2, 2), sub()
    assert s.to(torch.float32) is s
    y = torch.nn.functional.dropout(x, 0.0) + s
    assert (type(x), type(y)) == (torch.Tensor, Sub)
    assert type(sub().requires_grad_().mul(2).sum()) is Sub


def test_gradients_of_subclasses_are_tensors():
    s = sub().requires_grad_()
    (s * 2).sum().backward()
    assert type(s.grad) is torch.Tensor
    assert s.grad.tolist() == [[2, 2], [2, 2]]


def test_a_subclass_of_a_subclass_comes_first():
    assert type(sub() + sub(Below)) is Below
    assert type(sub(Below) + sub()) is Below
    with pytest.raises(TypeError):
        sub() + sub(Other)


def test_what_a_handler_is_told():
    class Log(torch.Tensor):
        calls = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.calls.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    s = torch.ones(2, 2).as_subclass(Log)
    Log.calls.clear()
    x = torch.ones(2, 2)
    for made in ((s + 1) * 2, torch.exp(s), F.relu(s), torch.cat([s, x]), s[0], x * s, 3 - s, s.view(4)):
        assert type(made) is Log
    assert Log.calls == ["add", "mul", "exp", "relu", "cat", "__getitem__", "mul", "__rsub__", "view"]


HANDLED = {torch.mean: lambda input: "mean", torch.add: lambda input, other: "sum"}


class Scalar:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED:
            return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))


def test_other_classes_handle_functions():
    assert torch.mean(Scalar()) == "mean"
    assert torch.add(torch.ones(1), Scalar()) == "sum"
    assert torch.overrides.is_tensor_like(Scalar())
    assert torch.overrides.has_torch_function((Scalar(),))
    assert not torch.overrides.has_torch_function((torch.ones(1), 3))
    with pytest.raises(TypeError, match="no implementation found for"):
        torch.mul(Scalar(), 2)


def test_functions_of_a_program_are_handled_too(monkeypatch):
    def own(x, scale=1):
        if torch.overrides.has_torch_function((x,)):
            return torch.overrides.handle_torch_function(own, (x,), x, scale=scale)
        return x

    monkeypatch.setitem(HANDLED, own, lambda x, scale: ("own", scale))
    assert own(Scalar(), scale=2) == ("own", 2)
    assert own(3) == 3


def test_a_class_without_handlers():
    class Unit(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, data):
            return torch.Tensor._make_subclass(cls, torch.as_tensor(data))

    x = Unit([1.0, 2.0])
    assert (type(x), type(x + 1), repr(x)) == (Unit, torch.Tensor, "Unit([1., 2.])")
    assert type(nn.Parameter(torch.ones(1)) + 1) is torch.Tensor


def test_methods_of_the_subclass_call_those_of_tensor():
    class Double(torch.Tensor):
        def __add__(self, other):
            return super().__add__(other * 2)

    found = torch.ones(2).as_subclass(Double) + torch.ones(2)
    assert type(found) is Double
    assert found.tolist() == [3, 3]


def test_printing_says_the_subclass():
    assert repr(sub()) == "Sub([[1., 2.],\n     [3., 4.]])"
