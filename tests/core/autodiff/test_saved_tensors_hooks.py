"""Hooks on what operators save; values and order are those of MindSpore 2.10 on CPU."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def run(f, *args, pack=None, unpack=None):
    """The gradients, and what went through the hooks."""
    seen = []

    def keep(x):
        seen.append(("p", x.asnumpy().tolist()))
        return x.asnumpy()

    def give(x):
        seen.append(("u", x.tolist()))
        return Tensor(x)

    def hooked(*args):
        with ms.saved_tensors_hooks(pack or keep, unpack or give):
            return f(*args)

    return [g.asnumpy().tolist() for g in ms.grad(hooked, tuple(range(len(args))))(*args)], seen


@pytest.mark.parametrize(
    ("f", "saved"),
    [
        (lambda x, y: x * y, [[1, 2], [3, 4]]),
        (lambda x, y: ops.matmul(x, y), [[1, 2], [3, 4]]),
        (lambda x, y: x + y, []),
    ],
)
def test_what_is_packed_is_unpacked(f, saved):
    gradients, seen = run(f, X, Y)
    assert seen == [(kind, value) for kind in "pu" for value in saved]
    assert gradients == [g.asnumpy().tolist() for g in ms.grad(f, (0, 1))(X, Y)]


def test_gradients_come_from_what_is_unpacked():
    doubled = run(lambda x, y: x * y, X, Y, pack=lambda v: v.asnumpy(), unpack=lambda v: Tensor(v * 2))
    assert doubled[0] == [[6, 8], [2, 4]]
    second = ms.grad(lambda x: ms.grad(lambda x: hooked_cube(x))(x))(Tensor(2.0))
    assert float(second) == 12.0


def hooked_cube(x):
    with ms.saved_tensors_hooks(lambda v: v.asnumpy() if False else v + 0, lambda v: v):
        return x * x * x


def test_the_innermost_hooks_count():
    seen = []

    def f(x, y):
        with ms.saved_tensors_hooks(lambda v: seen.append("inner") or v.asnumpy(), Tensor):
            z = x * y
        return z * y

    gradients, outer = run(f, X, Y)
    assert gradients == [[9, 16], [6, 16]]
    assert seen == ["inner"] * 2
    assert outer == [("p", [3, 8]), ("p", [3, 4]), ("u", [3, 8]), ("u", [3, 4])]


def test_a_repeated_backward_pass():
    net = nn.Dense(2, 1, weight_init="ones")
    for _ in range(4):  # without hooks, the third would be compiled
        with ms.saved_tensors_hooks(lambda v: v.asnumpy(), lambda v: Tensor(v * 3)):
            gradient = ms.grad(lambda x: net(x).sum(), 0)(X.reshape(1, 2))
        np.testing.assert_array_equal(gradient.asnumpy(), [[3, 3]])


def test_backward_and_released_graphs():
    x = Tensor([1.0, 2.0], requires_grad=True)
    with ms.saved_tensors_hooks(lambda v: v.asnumpy(), Tensor):
        y = (x * x).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_compiled():
    hooks = ms.register_saved_tensors_hooks(lambda v: v + 1, lambda v: v)
    f = hooks(lambda x, y: x * y)
    assert [g.asnumpy().tolist() for g in ms.jit(ms.grad(f, (0, 1)))(X, Y)] == [[4, 5], [2, 3]]
    assert [g.asnumpy().tolist() for g in ms.grad(f, (0, 1))(X, Y)] == [[3, 4], [1, 2]]

    @ms.jit
    def within(x, y):
        with ms.saved_tensors_hooks(abs, abs):
            return x * y

    with pytest.raises(RuntimeError, match="register_saved_tensors_hooks"):
        within(X, Y)


def test_what_must_fail():
    with pytest.raises(TypeError, match="pack_hook"):
        ms.saved_tensors_hooks(3, abs)
    with pytest.raises(TypeError, match="unpack_hook"):
        ms.register_saved_tensors_hooks(abs, 3)
    with pytest.raises(RuntimeError, match="must return a Tensor"):
        run(lambda x, y: x * y, X, Y, unpack=lambda v: 3)
    with pytest.raises(ValueError, match="must return what was packed"):
        run(lambda x, y: x * y, X, Y, unpack=lambda v: Tensor([1.0]))


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


def with_hooks(cell, pack, unpack):
    """The Cell with hooks, and the letters of those that ran: p for packed, u for unpacked."""
    seen = []
    cell.register_saved_tensors_hooks(
        lambda x: (seen.append("p"), pack(x))[1], lambda x: (seen.append("u"), unpack(x))[1]
    )
    return cell.set_grad(), seen


def test_hooks_of_a_cell():
    cell, seen = with_hooks(Product(), lambda x: x * 2, lambda x: x + 2)
    assert cell(X, Y).tolist() == [3.0, 8.0]
    assert seen == ["p", "p"]
    seen.clear()
    gradients = ms.grad(cell, (0, 1))(X, Y)
    assert [g.tolist() for g in gradients] == [[8.0, 10.0], [4.0, 6.0]]
    assert "".join(seen) == "ppuu"
    cell.recompute()
    assert [g.tolist() for g in ms.grad(cell, (0, 1))(X, Y)] == [[8.0, 10.0], [4.0, 6.0]]


def test_hooks_around_derivatives_of_a_users():
    class Both(ms._Function):
        @staticmethod
        def forward(ctx, x, y):
            x.kept = "attribute"
            ctx.save_for_backward(x, x + y)
            return x + y

        @staticmethod
        def backward(ctx, gradient):
            x, total = ctx.saved_tensors
            assert x.kept == "attribute"
            return gradient * x, gradient * total

    class OfFunction(nn.Cell):
        def construct(self, x, y):
            return Both.apply(x, y)

    class OfBprop(nn.Cell):
        used_bprop_inputs = (0, 2)

        def construct(self, x, y):
            return x * y, y

        def bprop(self, x, y, out, dout):
            assert y is None
            return dout[0] * out[0] * x, dout[1] * out[1]

    cell, seen = with_hooks(OfFunction(), lambda x: x + 1, lambda x: x)
    assert [g.tolist() for g in ms.grad(cell, (0, 1))(X, Y)] == [[2.0, 3.0], [5.0, 7.0]]
    assert "".join(seen) == "ppuu"
    cell, seen = with_hooks(OfBprop(), lambda x: x + 0, lambda x: x - 1)
    assert [g.tolist() for g in ms.grad(cell, (0, 1))(X, Y)] == [[0.0, 7.0], [2.0, 3.0]]
    assert "".join(seen) == "pppuuu"


def test_numbers_are_not_packed():
    assert run(lambda x: 3 * x, X)[1] == []


def test_hooks_can_be_forbidden():
    from msjax.core.autodiff.saved_tensors_hooks import saved_tensors_hooks_disabled

    def hooks():
        return ms.saved_tensors_hooks(lambda x: x + 1, lambda x: x)

    def left_out(x):
        with hooks():
            y = x * x
            with saved_tensors_hooks_disabled("no", is_error_on_outer_hook=False):
                return y * y

    for outer, inner in (
        (saved_tensors_hooks_disabled("no"), hooks()),
        (hooks(), saved_tensors_hooks_disabled("no")),
    ):
        with pytest.raises(RuntimeError, match="no"), outer, inner:
            pass
    assert ms.grad(left_out)(X).tolist() == [8.0, 48.0]
    outer, inner = hooks(), hooks()
    with outer, inner:
        assert (outer.pre_disable_async, inner.pre_disable_async) == (False, True)


@pytest.mark.parametrize(
    ("f", "gradient"),
    [
        (ops.sigmoid, [-1.00992, -1.6566]),
        (ops.relu, [1, 1]),
        (ops.silu, [1.04129, 1.0881]),
        (ops.elu, [1, 1]),
        (ops.atan, [0.307692, 0.1]),
        (ops.erf, [0.11893, 0.000139253]),
        (ops.hardsigmoid, [1 / 6, 0]),
        (lambda x: x**3, [6.75, 27]),
    ],
)
def test_hooks_see_inputs_and_outputs_of_operators(f, gradient):
    hooked = ms.saved_tensors_hooks(lambda v: v + 1, lambda v: v)

    def plus_one(x):
        with hooked:
            return f(x)

    np.testing.assert_allclose(ms.grad(plus_one)(Tensor([0.5, 2.0])).asnumpy(), gradient, rtol=1e-5)
