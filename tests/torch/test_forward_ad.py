"""`torch.autograd.forward_ad`: tangents against derivatives that are known, and against `torch.func.jvp`."""

import numpy as np
import pytest

from msjax import torch
from msjax.torch.autograd import forward_ad

X, Y = torch.tensor([1.0, 2.0, -3.0]), torch.tensor([0.5, -1.0, 2.0])
V, W = torch.tensor([1.0, 0.0, 2.0]), torch.tensor([0.0, 1.0, -1.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x * y,
        lambda x, y: (x.sin() * y.exp()).sum(),
        lambda x, y: torch.cumsum(x, 0)[1:] / y[:2],
        lambda x, y: torch.outer(x, y).softmax(0),
        lambda x, y: x,
    ],
)
def test_tangents_are_those_of_jvp(function):
    with forward_ad.dual_level():
        out = function(forward_ad.make_dual(X, V), forward_ad.make_dual(Y, W))
        primal, tangent = forward_ad.unpack_dual(out)
    value, expected = torch.func.jvp(function, (X, Y), (V, W))
    np.testing.assert_allclose(primal.numpy(), value.numpy(), 1e-6)
    np.testing.assert_allclose(tangent.numpy(), expected.numpy(), 1e-6, 1e-6)
    assert not tangent.requires_grad


def test_a_tangent_can_be_differentiated():
    x = X.clone().requires_grad_()
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual((forward_ad.make_dual(x, V) ** 3).sum()).tangent
    (found,) = torch.autograd.grad(tangent, x)
    np.testing.assert_allclose(found.numpy(), (6 * X * V).numpy(), 1e-6)


def test_parameters_may_be_dual():
    net = torch.nn.Linear(3, 2)
    with forward_ad.dual_level():
        duals = {name: forward_ad.make_dual(p, torch.ones_like(p)) for name, p in net.named_parameters()}
        tangent = forward_ad.unpack_dual(torch.func.functional_call(net, duals, X)).tangent
    np.testing.assert_allclose(tangent.detach().numpy(), [float(X.sum()) + 1] * 2, 1e-6)


def test_what_depends_on_no_dual_tensor_has_no_tangent():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(X, V)
        assert forward_ad.unpack_dual(Y).tangent is None
        assert forward_ad.unpack_dual(Y.clone().requires_grad_() * 2).tangent is None
    assert forward_ad.unpack_dual(dual).tangent is None


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: forward_ad.make_dual(X, V), RuntimeError),
        (forward_ad.exit_dual_level, RuntimeError),
    ],
)
def test_outside_of_a_level_it_is_refused(call, error):
    with pytest.raises(error, match="level"):
        call()


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: forward_ad.make_dual(X, V[:2]), RuntimeError, "shape"),
        (lambda: forward_ad.make_dual(torch.tensor([1]), torch.tensor([1])), ValueError, "floating"),
        (forward_ad.enter_dual_level, RuntimeError, "Nested"),
    ],
)
def test_wrong_calls_are_refused(call, error, match):
    with forward_ad.dual_level(), pytest.raises(error, match=match):
        call()
