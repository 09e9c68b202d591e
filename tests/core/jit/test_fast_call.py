"""A compiled function called again: the short way, and what must not go by it."""

import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops
from msjax.core.jit import execution, fast_call


def tensor(*values):
    return ms.Tensor(np.asarray(values, np.float32))


@pytest.fixture
def short(monkeypatch):
    """How many calls took the short way."""
    taken = []
    run = execution.run_again
    monkeypatch.setattr(execution, "run_again", lambda *args: taken.append(1) or run(*args))
    return taken


class Counting(nn.Cell):
    """Adds to a Parameter, and multiplies in train mode."""

    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(ms.Tensor(0.0), name="count", requires_grad=False)

    @ms.jit
    def construct(self, x):
        """One step."""
        ops.assign_add(self.count, ms.Tensor(1.0))
        return x * 2 if self.training else x


def test_the_second_call_takes_the_short_way(short):
    net = Counting()
    calls = [net(tensor(1.0, 2.0)).asnumpy().tolist() for _ in range(3)]
    assert calls == [[1.0, 2.0]] * 3
    assert net.count.asnumpy() == 3.0
    assert len(short) == 2


def test_flags_shapes_and_other_cells_are_seen(short):
    net, other = Counting(), Counting()
    net(tensor(1.0)), net(tensor(1.0))
    assert len(short) == 1
    net.set_train()
    assert net(tensor(1.0)).asnumpy() == [2.0]
    assert net(tensor(1.0)).asnumpy() == [2.0]
    assert net(tensor(1.0, 2.0)).shape == (2,)
    assert net(ms.Tensor([1.0], ms.float16)).dtype == ms.float16
    assert other(tensor(1.0)).asnumpy() == [1.0]
    assert (net.count.asnumpy(), other.count.asnumpy()) == (6.0, 1.0)


def test_arguments_that_share_memory_are_seen():
    @ms.jit
    def f(x, y):
        x.add_(1.0)
        return x * y

    assert f(tensor(1.0), tensor(3.0)).asnumpy() == [6.0]
    assert f(tensor(1.0), tensor(3.0)).asnumpy() == [6.0]
    both = tensor(2.0)
    assert f(both, both).asnumpy() == [9.0]
    whole = tensor(2.0, 5.0)
    part = whole[0:1]
    assert f(part, tensor(2.0)).asnumpy() == [6.0]
    np.testing.assert_array_equal(whole.asnumpy(), [3.0, 5.0])


def test_an_argument_that_is_captured_too_is_seen():
    w = tensor(1.0)

    @ms.jit
    def f(x):
        w.add_(1.0)
        return x + w

    f(tensor(0.0)), f(tensor(0.0))
    assert f(w).asnumpy() == [8.0]


def test_gradients_and_other_modes_after_calls_without():
    w = ms.Parameter(tensor(3.0), name="w")
    f = ms.jit(lambda x: x * x * w)
    x = tensor(2.0)
    f(x), f(x)
    assert f._last is not None
    assert ms.grad(f)(x).asnumpy() == [12.0]
    assert ms.grad(f, None, [w])(x)[0].asnumpy() == [4.0]
    np.testing.assert_array_equal(ms.vmap(f)(tensor(1.0, 2.0)).asnumpy(), [[3.0], [12.0]])
    assert f(x).asnumpy() == [12.0]
    leaf = tensor(2.0)
    leaf.requires_grad = True
    f(leaf).sum().backward()
    assert leaf.grad.asnumpy() == [12.0]


def test_what_captured_boxes_become_is_read(short):
    w = ms.Parameter(tensor(3.0), name="w")
    f = ms.jit(lambda x: x * w)
    assert [f(tensor(1.0)).asnumpy().item() for _ in range(2)] == [3.0, 3.0]
    w.set_data(tensor(4.0))
    assert f(tensor(1.0)).asnumpy() == [4.0]
    whole = tensor(1.0, 2.0)
    view = whole[0:1]
    g = ms.jit(lambda x: x * view)
    g(tensor(1.0)), g(tensor(1.0))
    whole.add_(1.0)
    assert g(tensor(1.0)).asnumpy() == [2.0]


def test_memory_that_others_hold_is_not_overwritten():
    w = ms.Parameter(tensor(1.0), name="w")
    f = ms.jit(lambda x: ops.assign_add(w, x))
    f(tensor(1.0)), f(tensor(1.0))
    held = w.array
    f(tensor(1.0))
    np.testing.assert_array_equal(np.asarray(held), [3.0])
    assert w.asnumpy() == [4.0]


def test_keywords_numbers_and_lists_go_the_long_way(short):
    f = ms.jit(lambda x, n=1: x * n)
    for call in (lambda: f(tensor(1.0), 2), lambda: f(tensor(1.0), n=2), lambda: f(x=tensor(1.0), n=2)):
        assert [call().asnumpy().item() for _ in range(2)] == [2.0, 2.0]
    g = ms.jit(lambda xs: xs[0] + xs[1])
    assert [g([tensor(1.0), tensor(2.0)]).asnumpy().item() for _ in range(2)] == [3.0, 3.0]
    assert not short


def test_a_stopped_program_is_said(monkeypatch):
    w = ms.Parameter(tensor(1.0), name="w")
    f = ms.jit(lambda x: ops.assign_add(w, x))
    f(tensor(1.0)), f(tensor(1.0))

    def stopped(given, rest, arguments):
        for value in given:
            value.delete()
        raise KeyboardInterrupt

    monkeypatch.setattr(f._last.entry, "run", stopped)
    with pytest.raises(RuntimeError, match=r"state is gone.*load_checkpoint"):
        f(tensor(1.0))


def test_misses_are_no_results():
    f = ms.jit(lambda x: x + 1)
    f(tensor(1.0))
    assert f._last.call((jnp.ones(1),)) is fast_call.MISSED
    assert f._last.call(()) is fast_call.MISSED


def test_hooks_of_arguments_are_part_of_the_program():
    """A hook on a Tensor that is an argument sees its gradient in the compiled function; other Tensors have none."""
    gradients = ms.jit(ms.ops.GradOperation(get_all=True)(lambda x, y: x * y))
    hooked, plain, other = tensor(1.0), tensor(1.0), tensor(3.0)
    for _ in range(3):
        assert [g.item() for g in gradients(plain, other)] == [3, 1]
    handle = hooked.register_hook(lambda g: g * 10)
    for _ in range(3):
        assert [g.item() for g in gradients(hooked, other)] == [30, 1]
        assert [g.item() for g in gradients(plain, other)] == [3, 1]
    handle.remove()
    assert [g.item() for g in gradients(hooked, other)] == [3, 1]
