"""PyTorch's dialect in compiled functions: classes of Tensors, and recorded random programs."""

import gzip
import json
import os
from pathlib import Path

import pytest

import msjax as ms
import msjax.torch as torch
from tests.goldens import inplace_programs_cases as cases


def test_tensors_of_compiled_functions_are_pytorchs():
    """Check that branches, loops, iterations and results give the dialect's class, with its methods."""
    kinds = []

    @ms.jit
    def f(x, n):
        y = x
        if x.sum() > 0:  # noqa: SIM108 - the statement is what is tested
            y = x * 2
        else:
            y = x * 3
        kinds.append(type(y))
        z = y if n > 1 else x
        kinds.append(type(z))
        while n > 0:
            n = n - 1
            y = y.relu_() + z
            kinds.append(type(y))
        kinds.append(type(y))
        for row in torch.ones(40, 2):
            kinds.append(type(row))
            y = y + row
        kinds.append(type(not y.sum() > 0))
        return y, {"z": z}

    y, found = f(torch.tensor([1.0, 2.0]), torch.tensor(2))
    assert {*kinds, type(y), type(found["z"])} == {torch.Tensor}
    assert (y.tolist(), found["z"].tolist()) == ([46.0, 52.0], [2.0, 4.0])


# ---------------------------------------------------------------------- random programs

PROGRAMS = json.loads(
    gzip.decompress((Path(cases.__file__).parent / "inplace_programs.json.gz").read_bytes())
)
WRITTEN = [name for name in PROGRAMS if not name.startswith("in place")]
RUN = (
    list(PROGRAMS)
    if os.environ.get("MSJAX_ALL_PROGRAMS")
    else [*list(PROGRAMS)[: -len(WRITTEN) : 30], *WRITTEN]
)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", RUN)
def test_as_pytorch(name, compiled):
    """Values and gradients; the backward pass is compiled with the program."""
    golden = PROGRAMS[name]
    found = cases.run(torch, golden["source"], ms.jit if compiled else None)
    assert cases.differs(found, golden) == "", golden["source"]


@pytest.mark.parametrize(
    ("code", "shares"),
    {
        "x.t().contiguous()": False,
        "x[:, 0].contiguous()": False,
        "x[1].contiguous()": True,
        "x.t().contiguous().t()": False,
        "x.flatten()": True,
        "x[0].flatten()": True,
        "x.t().flatten()": False,
        "torch.nn.Flatten()(x)": True,
        "x.real": True,
        "x.conj()": True,
        "x.mH": True,
        "x[torch.tensor(1)]": True,
        "x[torch.tensor(-1), 1:]": True,
        "x[..., torch.tensor(0)]": True,
        "x[torch.tensor([1])]": False,
    }.items(),
)
@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_what_shares_memory(code, shares, transform):
    """As in PyTorch 2.13: a change of the result is one of the tensor, or not."""

    def f(x):
        x = x * 1
        eval(code, {"x": x, "torch": torch}).mul_(10)
        return x

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert (not torch.equal(transform(f)(x), x)) is shares


@pytest.mark.parametrize("view", ["x[0]", "x.view(4)", "x.t()", "x[:]"])
def test_a_view_is_not_detached_in_place(view):
    x = torch.ones(2, 2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="`detach_`: a view cannot be detached in place"):
        eval(view, {"x": x}).detach_()
    assert not x.detach().detach_().requires_grad


def test_no_gradient_goes_through_integers():
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    i = torch.zeros(2, dtype=torch.int64)
    i.copy_(x)
    assert not i.requires_grad
    (i * x).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0]


def test_a_detached_tensor_keeps_what_it_was_written_with():
    """Also after a change of the tensor whose memory it shares."""
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    a = x * 2
    d = a.detach()
    d[0] = y
    a.mul_(2)
    (d * d).sum().backward()
    assert (d.tolist(), y.grad.tolist(), x.grad) == ([6.0, 8.0], [12.0], None)
