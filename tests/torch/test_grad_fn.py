"""`Tensor.grad_fn`: names and links of recorded steps, as PyTorch 2.13 has them."""

import contextlib

import pytest

from msjax import torch
from msjax.torch.nn import functional as F

X = torch.ones(3, 4, requires_grad=True)
W, B = torch.ones(5, 4, requires_grad=True), torch.ones(5, requires_grad=True)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda: X + 1, "AddBackward0"),
        (lambda: X**2, "PowBackward0"),
        (lambda: X @ W.t(), "MmBackward0"),
        (lambda: X[0] @ X[1], "DotBackward0"),
        (lambda: F.linear(X, W, B), "AddmmBackward0"),
        (lambda: F.linear(X, W), "MmBackward0"),
        (lambda: X.sum(), "SumBackward0"),
        (lambda: X.mean(1), "MeanBackward1"),
        (lambda: X.max(), "MaxBackward1"),
        (lambda: X.max(1).values, "MaxBackward0"),
        (lambda: X.view(4, 3), "ViewBackward0"),
        (lambda: X.permute(1, 0), "PermuteBackward0"),
        (lambda: X[0], "SelectBackward0"),
        (lambda: X[:, 1:], "SliceBackward0"),
        (lambda: torch.cat([X, X]), "CatBackward0"),
        (lambda: X.clone(), "CloneBackward0"),
        (lambda: F.conv2d(X[None, None], torch.ones(1, 1, 2, 2)), "ConvolutionBackward0"),
        (lambda: F.mse_loss(X, torch.zeros(3, 4)), "MseLossBackward0"),
        (lambda: F.cross_entropy(X, torch.tensor([0, 1, 2])), "NllLossBackward0"),
    ],
)
def test_names(run, name):
    out = run()
    assert out.grad_fn.name() == name
    assert f"grad_fn=<{name}>" in repr(out)
    assert repr(out.grad_fn).startswith(f"<{name} object at 0x")


def test_the_graph_can_be_walked():
    loss = (F.relu(F.linear(X, W, B)) * 2).sum()
    step, names = loss.grad_fn, []
    while step is not None:
        names.append(step.name())
        step = step.next_functions[0][0] if step.next_functions else None
    expected = "SumBackward0 MulBackward0 ReluBackward0 AddmmBackward0 torch::autograd::AccumulateGrad"
    assert names == expected.split()
    assert loss.grad_fn.next_functions[0][0].next_functions[1] == (None, 0)


def test_the_end_knows_its_tensor():
    (end, place), _ = (X * 2).grad_fn.next_functions
    assert place == 0
    assert end.variable is X
    with pytest.raises(AttributeError, match="variable"):
        _ = (X * 2).grad_fn.variable


def test_a_step_is_equal_to_itself():
    out = X * 2
    assert out.grad_fn == out.grad_fn
    assert {out.grad_fn: 1}[out.grad_fn] == 1
    assert out.grad_fn != (X * 2).grad_fn
    assert X.grad_fn is None


def test_a_function_of_the_program_has_its_name():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    assert Double.apply(X).grad_fn.name() == "DoubleBackward"


@pytest.mark.parametrize(
    ("run", "saved"),
    [
        (lambda: X * X, {"self": X, "other": X}),
        (lambda: X * 2.0, {"self": None, "other": torch.tensor(2.0)}),
        (lambda: X**2, {"self": X}),
        (lambda: X.exp(), {"result": X.exp()}),
        (lambda: X.softmax(1), {"result": X.softmax(1)}),
        (lambda: X @ W.t(), {"self": X, "mat2": W.t(), "self_sym_sizes": (3, 4)}),
        (lambda: X.sum(1), {"self_sym_sizes": (3, 4)}),
    ],
)
def test_what_operators_saved(run, saved):
    step = run().grad_fn
    assert {f"_saved_{name}" for name in saved} == {name for name in dir(step) if name.startswith("_saved")}
    for name, value in saved.items():
        found = getattr(step, f"_saved_{name}")
        assert torch.equal(found, value) if isinstance(value, torch.Tensor) else found == value
    assert not hasattr(step, "_saved_nothing")


def test_what_was_saved_has_gradients_and_goes_with_the_backward_pass():
    y = X.exp()
    assert (X * W[0]).grad_fn._saved_self is X
    saved = y.grad_fn._saved_result
    assert saved.grad_fn == y.grad_fn
    y.sum().backward(retain_graph=True)
    assert torch.equal(y.grad_fn._saved_result, y)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        _ = y.grad_fn._saved_result
    X.grad = None


def test_hooks_on_saved_tensors():
    seen = []
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.item()) or t * 2, lambda t: t)
    x = torch.tensor([3.0], requires_grad=True)
    with hooks:
        y = x.exp()
        z = torch.utils.checkpoint.checkpoint(lambda v: (v * v).exp(), x, use_reentrant=False)
    assert {20.086, 3.0} <= {round(s, 3) for s in seen}
    assert torch.equal(y.grad_fn._saved_result, 2 * y)
    y.backward()
    torch.testing.assert_close(x.grad, 2 * y)
    with (
        torch.autograd.graph.disable_saved_tensors_hooks("none here"),
        pytest.raises(RuntimeError, match="none here"),
    ):
        hooks.__enter__()
    with torch.autograd.graph.save_on_cpu():
        w = x * x
    (gradient,) = torch.autograd.grad(w, x)
    assert gradient == 6
    z.backward()
    assert x.grad > 1e5
    assert torch.autograd.graph.get_gradient_edge(w) == (w.grad_fn, 0)


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda x: (x / x).sum(), "'DivBackward0' returned nan values in its 1th output"),
        (
            lambda x: (torch.ones(2) * (x.sqrt() * 0)).sum(),
            "'SqrtBackward0' returned nan values in its 0th output",
        ),
        (lambda x: (x * 2).sum(), None),
    ],
)
def test_anomalies(run, error):
    x = torch.zeros(2, requires_grad=True)
    assert not torch.is_anomaly_enabled()
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        assert torch.is_anomaly_enabled()
        assert not torch.is_anomaly_check_nan_enabled()
        run(x).backward()
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        detect = torch.autograd.detect_anomaly()
    for _ in range(4 if error else 1):  # a backward pass that recurs is not compiled here
        with contextlib.nullcontext() if error is None else pytest.raises(RuntimeError, match=error), detect:
            run(x).backward()
    assert not torch.is_anomaly_enabled()
