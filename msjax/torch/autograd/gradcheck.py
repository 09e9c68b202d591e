"""`torch.autograd.gradcheck`: gradients compared with finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core.autodiff import imperative as core
from msjax.torch.functions import basic
from msjax.torch.tensors.tensor import Tensor, as_torch


class GradcheckError(RuntimeError):
    """A derivative that is not what differences say."""


def _differentiable_outputs(func: Callable, inputs: tuple) -> list[Any]:
    out = func(*inputs)
    return [each for each in (out if isinstance(out, tuple | list) else (out,)) if isinstance(each, Tensor)]


def _numerical_jacobian(func: Callable, inputs: tuple, place: int, eps: float) -> list[np.ndarray]:
    """Return each output's derivative by each element of an input, by finite differences."""
    base = inputs[place].detach().numpy()
    columns = []
    for i in range(base.size):
        ends = []
        for step in (eps, -eps):
            moved = base.copy()
            moved.reshape(-1)[i] += step
            given = [*inputs]
            given[place] = basic.tensor(moved)
            ends.append([each.detach().numpy() for each in _differentiable_outputs(func, tuple(given))])
        columns.append([(a - b) / (2 * eps) for a, b in zip(*ends, strict=True)])
    return [np.stack([column[k].reshape(-1) for column in columns], 1) for k in range(len(columns[0]))]


def _analytical_jacobian(output: Any, input: Any) -> np.ndarray:
    rows = []
    for i in range(output.numel()):
        seed = basic.zeros_like(output).detach()
        seed.reshape(-1)[i] = 1
        (gradient,) = core.grad(output, (input,), seed, retain_graph=True, allow_unused=True)
        rows.append(
            np.zeros(input.numel()) if gradient is None else as_torch(gradient).detach().numpy().reshape(-1)
        )
    return np.stack(rows)


def gradcheck(
    func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, **options: Any,
) -> bool:  # fmt: skip
    """Check gradients against finite differences; return True if they agree.

    Args:
        func: of tensors.
        inputs: a tensor or a tuple of them, best of dtype float64.
        eps: the step of the differences.
        atol: absolute tolerance.
        rtol: relative tolerance.
        raise_exception: whether to raise where they do not agree.
        nondet_tol: of no effect.
        options: checks of PyTorch's that have no meaning here.

    Returns:
        Whether they agree.

    Raises:
        GradcheckError: if they do not; a RuntimeError.
        ValueError: if no input requires grad.

    Examples:
        >>> from msjax import torch
        >>> torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
        True
    """
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    places = [i for i, each in enumerate(given) if isinstance(each, Tensor) and each.requires_grad]
    if not places:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them do."
        )
    outputs = _differentiable_outputs(func, given)
    for place in places:
        for k, numeric in enumerate(_numerical_jacobian(func, given, place, eps)):
            analytic = _analytical_jacobian(outputs[k], given[place])
            if not np.allclose(analytic, numeric, rtol, atol):
                if raise_exception:
                    raise GradcheckError(
                        f"Jacobian mismatch for output {k} with respect to input {place}, numerical:{numeric} "
                        f"analytical:{analytic}"
                    )
                return False
    return True


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Return the same for the derivatives of the gradients, with `grad_outputs` of ones if there are none."""
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    places = [i for i, each in enumerate(given) if isinstance(each, Tensor) and each.requires_grad]

    def slopes(*moved: Any) -> tuple:
        leaves = [
            each if each.requires_grad else each.clone().requires_grad_()
            for each in (moved[i] for i in places)
        ]
        full = [*moved]
        for i, leaf in zip(places, leaves, strict=True):
            full[i] = leaf
        outputs = _differentiable_outputs(func, tuple(full))
        seeds = grad_outputs or [basic.ones_like(each) for each in outputs]
        found = core.grad(outputs, leaves, seeds, create_graph=True, allow_unused=True)
        return tuple(
            basic.zeros_like(leaf) if g is None else g
            for g, leaf in zip(as_torch(found), leaves, strict=True)
        )

    return gradcheck(slopes, given, **options)
