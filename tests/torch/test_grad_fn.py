"""`Tensor.grad_fn`: names and links of recorded steps, as PyTorch 2.13 has them."""

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
