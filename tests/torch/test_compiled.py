"""PyTorch's dialect in compiled functions: classes of Tensors, and recorded random programs."""

import copy
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


def test_integers_made_in_a_branch_are_not_on_the_tape():
    """Check the flag of a conversion and of a copy, and that an operator with a derivative of its own takes them."""

    def f(x, y):
        i, j = (y > 0).long(), y.long()
        if x.sum() > 0:
            i.copy_(y)
            j = x.long()
        found = i.requires_grad, j.requires_grad
        i.clamp_(0, 1)
        ((i + j) * x * y).sum().backward()
        return (*found, i, j)

    for how in (lambda f: f, ms.jit):
        x, y = (torch.tensor(values, requires_grad=True) for values in ([1.5, 2.5], [3.0, -1.0]))
        *found, i, j = how(f)(x, y)
        assert found == [False, False]
        assert not i.requires_grad
        assert not j.requires_grad
        assert (i.tolist(), j.tolist()) == ([1, 0], [1, 2])
        assert (x.grad.tolist(), y.grad.tolist()) == ([6.0, -2.0], [3.0, 5.0])


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


class Remembering(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.register_buffer("mean", torch.zeros(1))
        self.last, self.calls, self.all = torch.zeros(1), 0, []

    def forward(self, x):
        self.mean = self.mean * 0.5 + x * 0.5
        self.last = self.last + self.mean
        self.calls += 1
        self.all.append(self.calls)
        return x - self.mean + self.weight * x


@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_what_forward_assigns_is_assigned_at_each_call(transform):
    """As in PyTorch 2.13, which has no gradients for these attributes: nothing leads to the calls before."""
    net = Remembering()
    f = transform(lambda x: net(x))
    found = []
    for _ in range(3):
        out = f(torch.tensor([4.0]))
        out.sum().backward()
        found.append(out.tolist())
    assert found == [[2.0], [1.0], [0.5]]
    assert (net.mean.tolist(), net.last.tolist(), net.calls, net.all) == ([3.5], [8.5], 3, [1, 2, 3])
    assert net.weight.grad.tolist() == [12.0]
    assert not net.mean.requires_grad
    assert list(dict(net.named_buffers())) == ["mean"]


def test_moving_averages_of_a_compiled_forward_pass_are_not_on_the_tape():
    torch.manual_seed(0)
    eager = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))
    compiled = copy.deepcopy(eager)
    f = ms.jit(lambda x: compiled(x))
    optimizers = [torch.optim.SGD(net.parameters(), 0.1) for net in (eager, compiled)]
    for _ in range(3):
        x = torch.randn(4, 3)
        for forward, optimizer in zip((eager, f), optimizers, strict=True):
            optimizer.zero_grad()
            forward(x).exp().mean().backward()
            optimizer.step()
    for expected, found in zip(eager.state_dict().items(), compiled.state_dict().items(), strict=True):
        assert found[0] == expected[0]
        torch.testing.assert_close(found[1], expected[1], rtol=1e-4, atol=1e-5)
    assert not compiled[1].running_mean.requires_grad


def test_results_without_a_gradient_are_not_on_the_tape():
    p = torch.nn.Parameter(torch.ones(2))
    results = ms.jit(lambda x: (p * x, x * 2, (p * x).detach(), x))(torch.ones(2))
    assert [result.requires_grad for result in results] == [True, False, False, False]


def _write_in_branch(q, a):
    b = q.detach()
    if a.sum() > 0:
        b[...] = a
    return b * 1


def _write_in_loop(q, a):
    b, n = q.detach(), a.sum()
    while n > 0:
        b[0] = a[0]
        n = n - 10
    return b * 1


def _write_beside_the_tape(q, a):
    b = q.detach()
    if a.sum() > 0:
        b.mul_(a)
    return b + q


def _write_view(q, a):
    b = q.detach()[:1]
    if a.sum() > 0:
        b.add_(a[1])
    return b + 0


@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
@pytest.mark.parametrize(
    ("fn", "out", "of_a", "of_q"),
    [
        (_write_in_branch, [1.0, 2.0], [1.0, 1.0], None),
        (_write_in_loop, [1.0, 4.0], [1.0, 0.0], None),
        (_write_beside_the_tape, [6.0, 16.0], [3.0, 4.0], [1.0, 1.0]),
        (_write_view, [5.0], [0.0, 1.0], None),
    ],
)
def test_a_branch_or_a_loop_writes_to_a_detached_tensor(fn, out, of_a, of_q, transform):
    """From seed 1300061 of the random programs; the numbers are PyTorch's."""
    q, a = torch.tensor([3.0, 4.0], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
    found = transform(fn)(q * 1, a * 1)
    found.sum().backward()
    assert (found.tolist(), a.grad.tolist()) == (out, of_a)
    # A compiled function gives zeros where nothing is on the way.
    assert q.grad is None or q.grad.tolist() == (of_q or [0.0, 0.0])


@pytest.mark.parametrize("k", [3.0, -1.0])
def test_a_view_that_an_inner_loop_makes_of_a_new_tensor_is_a_view_after_the_outer_one(k):
    """As in PyTorch 2.13: what is written to it is written to the tensor, of whichever iteration that is."""

    def f(x, n, k):
        a = x * 2
        c, r = a, a[:2]
        outer = n - 1
        while outer > 0:
            outer = outer - 1
            inner = n - 1
            while inner > 0:
                inner = inner - 1
                if k > 0:  # noqa: SIM108 - the statement is what is tested
                    a = c * k
                else:
                    a = x + 1
                r = a[1:3]
        r.mul_(10)
        return a, c

    given = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor(3), torch.tensor(k)
    expected = [[6.0, 120.0, 180.0, 24.0] if k > 0 else [2.0, 30.0, 40.0, 5.0], [2.0, 4.0, 6.0, 8.0]]
    for way in (f, ms.jit(f)):
        assert [x.tolist() for x in way(*given)] == expected
