"""In-place changes and views under every way to run a function, against PyTorch's numbers.

The cases are in tests/goldens/inplace_cases.py, PyTorch's answers in inplace.json.
"""

import json
import textwrap
from pathlib import Path

import numpy as np
import pytest

import msjax as ms

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "inplace.json").read_text())
CASES = GOLDEN["cases"]
WRITTEN = {  # MindSpore's gradients by x and the Parameter w, from x and the new w
    "state parameter row": lambda x, w: (0 * x, 2 * w),
    "state parameter swap": lambda x, w: (w, x),
}
# `x[i] = y` in a compiled function leaves the Tensor outside alone.
LEFT = {("arg row", "x"): "X", ("arg swap", "x"): "X", ("state captured row", "c"): "C"}
LOCAL = [name for name in CASES if name.split()[0] not in ("arg", "state")]


class Lib:
    """The names that the cases use of a framework."""

    no_grad = ms.no_grad

    @staticmethod
    def zeros(*shape):
        return ms.Tensor(np.zeros(shape, np.float32))


def tensor(name, scale=1.0):
    return ms.Tensor(np.array(GOLDEN[name]) * scale)


def close(found, expected, what=""):
    np.testing.assert_allclose(found.asnumpy(), np.array(expected), rtol=1e-12, atol=1e-12, err_msg=what)


def together(one, other, name):
    """Return the expectations of two worlds, stacked."""
    return np.stack([one.golden[name], other.golden[name]])


class World:
    """One case with fresh state."""

    def __init__(self, name, scale=1.0):
        self.name = name
        self.golden = CASES[name]["double" if scale == 2.0 else "plain"]
        self.x = tensor("X", scale)
        self.w = ms.Parameter(tensor("W"), name="w")
        self.c = tensor("C")
        self.names = {"lib": Lib, "w": self.w, "c": self.c}
        self.names |= {"rows": lambda y: y.unbind(0), "halves": lambda y: y.chunk(2, 1)}
        body = textwrap.indent(textwrap.dedent(CASES[name]["body"]).strip(), "    ")
        exec(f"def f(x):\n{body}", self.names)
        self.f = self.names["f"]
        self.left = False

    def reset(self):
        """The state that it began with, in the same boxes."""
        self.x = tensor("X")
        self.w.set_data(tensor("W"))
        self.c.assign_value(tensor("C"))

    def check_gradients(self, dx, dw, **found):
        """`check`, of gradients that MindSpore's functions take: they see nothing written to a Parameter."""
        if self.name in WRITTEN:
            expected = WRITTEN[self.name](np.array(GOLDEN["X"]), np.array(self.golden["w"]))
            for value, other in zip((dx, dw), expected, strict=True):
                close(value, other)
            self.check(**found)
        else:
            self.check(dx=dx, dw=dw, **found)

    def check(self, **found):
        """Compare values, and what the tensors hold now."""
        for name in ("x", "w", "c"):
            if name not in found:
                found[name] = getattr(self, name)
        for name, value in found.items():
            outside = LEFT.get((self.name, name)) if self.left else None
            close(value, self.golden[name] if outside is None else GOLDEN[outside], name)


@pytest.fixture(params=CASES, ids=str)
def world(request):
    return World(request.param)


def test_value(world):
    world.check(value=world.f(world.x))


def test_grad(world):
    value, (dx, dw) = ms.value_and_grad(world.f, 0, weights=world.w)(world.x)
    world.check_gradients(value=value, dx=dx, dw=dw)


def test_jit(world):
    compiled = ms.jit(world.f)
    world.left = True
    for _ in range(3):
        world.check(value=compiled(world.x))
        world.reset()
    assert compiled.programs == 1


def test_jit_of_grad(world):
    compiled = ms.jit(lambda x: ms.value_and_grad(world.f, 0, weights=world.w)(x))
    world.left = True
    for _ in range(2):
        value, (dx, dw) = compiled(world.x)
        world.check_gradients(value=value, dx=dx, dw=dw)
        world.reset()


def test_grad_of_jit(world):
    gradient = ms.value_and_grad(ms.jit(world.f), 0, weights=world.w)
    world.left = True
    for _ in range(2):
        value, (dx, dw) = gradient(world.x)
        world.check_gradients(value=value, dx=dx, dw=dw)
        world.reset()


def test_recompute(world):
    gradient = ms.value_and_grad(lambda x: ms.recompute(world.f, x), 0, weights=world.w)
    value, (dx, dw) = gradient(world.x)
    world.check_gradients(value=value, dx=dx, dw=dw)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
def test_backward(world, compiled):
    """A step as PyTorch would write it: what is changed is the result of an operator on a leaf."""
    x = ms.Tensor(world.x.asnumpy(), requires_grad=True)
    w = ms.Tensor(world.w.asnumpy(), requires_grad=True)

    def step():
        argument = x * 1
        world.names["w"] = w * 1
        value = world.f(argument)
        value.backward()
        return value, argument, world.names["w"].detach()

    world.left = compiled and world.name.startswith("state")  # the argument is made inside
    value, argument, changed = (ms.jit(step) if compiled else step)()
    dx = x.grad if x.grad is not None else x * 0
    dw = w.grad if w.grad is not None else w * 0
    world.check(value=value, dx=dx, dw=dw, x=argument, w=changed)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
def test_backward_of_parameters(world, compiled):
    x = ms.Tensor(world.x.asnumpy(), requires_grad=True)

    def step():
        argument = x * 1
        with ms.enable_grad():
            value = world.f(argument)
        value.backward()
        return value, argument

    world.left = compiled and world.name.startswith("state")
    value, argument = (ms.jit(step) if compiled else step)()
    dx = x.grad if x.grad is not None else x * 0
    dw = world.w.grad if world.w.grad is not None else world.w * 0
    world.check(value=value, dx=dx, dw=dw, x=argument)


@pytest.mark.parametrize("name", LOCAL)
def test_vmap(name):
    world, double = World(name), World(name, 2.0)
    both = ms.Tensor(np.stack([world.x.asnumpy(), double.x.asnumpy()]))
    close(ms.vmap(world.f)(both), together(world, double, "value"))
    close(ms.vmap(ms.grad(world.f))(both), together(world, double, "dx"))
    dx, dw = ms.grad(lambda x: ms.vmap(world.f)(x).sum(), 0, weights=world.w)(both)
    close(dx, together(world, double, "dx"))
    close(dw, together(world, double, "dw").sum(0))


def doubled_product(a, b):
    a.mul_(2.0)
    return (a * b).sum()


SHARED = {  # arguments made of x: (value, x afterwards, gradient by x)
    "the same twice": (lambda x: (x, x), 56, [2, 4, 6], [8, 16, 24]),
    "overlapping": (lambda x: (x[1:], x[:2]), 28, [1, 4, 6], [4, 14, 8]),
    "the same view": (lambda x: (x[1:], x[1:]), 52, [1, 4, 6], [0, 16, 24]),
}
AROUND = {
    "eager": lambda f: f,
    "jit": ms.jit,
    "recompute": lambda f: lambda *args: ms.recompute(f, *args),
    "jit of recompute": lambda f: ms.jit(lambda *args: ms.recompute(f, *args)),
    "jit of jit": lambda f: ms.jit(ms.jit(f)),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("case", SHARED)
def test_arguments_that_share_memory_see_each_others_changes(case, around):
    arguments, value, after, gradient = SHARED[case]
    f = AROUND[around](doubled_product)
    x = ms.Tensor([1.0, 2.0, 3.0])
    assert float(f(*arguments(x))) == value
    assert x.asnumpy().tolist() == after
    found = ms.grad(lambda x: f(*arguments(x)))(ms.Tensor([1.0, 2.0, 3.0]))
    assert found.asnumpy().tolist() == gradient


@pytest.mark.parametrize("around", AROUND)
def test_an_argument_that_is_captured_too_sees_its_changes(around):
    x = ms.Tensor([1.0, 2.0, 3.0])
    assert float(AROUND[around](lambda a: doubled_product(a, x))(x)) == 56
    assert x.asnumpy().tolist() == [2, 4, 6]


def test_a_loop_carries_tensors_that_share_memory():
    x = ms.Tensor([1.0, 2.0, 3.0])

    def body(pair):
        pair[0].mul_(2.0)
        return pair

    a, b = ms.ops.WhileLoop()(lambda pair: pair[0].sum() < 100, body, (x, x))
    assert a.asnumpy().tolist() == b.asnumpy().tolist() == [32, 64, 96]


def test_mapped_arguments_that_share_memory_cannot_be_changed():
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match=r"shares memory|differs from lane to lane"):
        ms.vmap(doubled_product)(x, x)
    assert x.asnumpy().tolist() == [[1, 2], [3, 4]]


# ---------------------------------------------------------------------- what a compiled function leaves alone


def _row(x):
    x[0] = 5.0
    return x


def _part(x):
    x[0][1] += 5.0
    return x


def _branch(x):
    if x.sum() > 0:
        x[0] = 5.0
    else:
        x[1] = 6.0
    return x


def _loop(x):
    i = 0
    while x[1].sum() >= 0 and i < 2:
        x[i] = i - 10.0
        i += 1
    return x


def _before(x):
    ms.ops.assign(x, x + 1.0)
    x[0] = 4.0
    x.add_(1.0)
    return x


def _inner(x):
    return x, ms.jit(_row)(x)


@pytest.mark.parametrize("fn", [_row, _part, _branch, _loop, _before, _inner])
def test_items_of_arguments(fn):
    """MindSpore 2.10: the result has what was assigned; the caller's Tensor only what was done before, not by items."""
    results = {
        _row: [[5.0, 5.0], [0.0, 0.0]], _part: [[0.0, 5.0], [0.0, 0.0]], _branch: [[0.0, 0.0], [6.0, 6.0]],
        _loop: [[-10.0, -10.0], [-9.0, -9.0]], _before: [[5.0, 5.0], [2.0, 2.0]],
        _inner: [[[0.0, 0.0], [0.0, 0.0]], [[5.0, 5.0], [0.0, 0.0]]],
    }  # fmt: skip
    compiled = ms.jit(fn)
    for _ in range(2):
        x = ms.ops.zeros((2, 2))
        out = compiled(x)
        found = [y.asnumpy().tolist() for y in out] if isinstance(out, tuple) else out.asnumpy().tolist()
        assert found == results[fn]
        assert x.asnumpy().tolist() == [[float(fn is _before)] * 2] * 2


def test_items_of_arguments_where_python_runs():
    for mode in ("bytecode", "trace"):
        x = ms.ops.zeros((2, 2))
        assert ms.jit(_row, capture_mode=mode)(x).asnumpy().tolist() == [[5.0, 5.0], [0.0, 0.0]]
        assert x.asnumpy().tolist() == [[5.0, 5.0], [0.0, 0.0]]
