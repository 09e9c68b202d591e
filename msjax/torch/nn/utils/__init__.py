"""`torch.nn.utils`: limiting gradients."""

import importlib
from collections.abc import Iterable
from typing import Any

from msjax import ops
from msjax.core.autograd import no_grad
from msjax.torch import functions, wider
from msjax.torch.calling import change
from msjax.torch.tensor import Tensor, dialect


def _gradients(parameters: Any) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter.grad for parameter in listed if parameter.grad is not None]


@no_grad()
def clip_grad_norm_(parameters: Iterable[Tensor] | Tensor, max_norm: float, norm_type: float = 2.0) -> Tensor:
    """Scale gradients in place so that their norm together is at most `max_norm`; returns the norm before."""
    gradients = _gradients(parameters)
    if not gradients:
        return functions.tensor(0.0)
    norms = [dialect(g).norm(norm_type) for g in gradients]
    total = dialect(ops.stack(norms)).norm(norm_type)
    scale = dialect(ops.minimum(ops.div(float(max_norm), ops.add(total, 1e-6)), 1.0))
    for gradient in gradients:
        change(gradient, ops.mul(gradient, scale))
    return total


@no_grad()
def clip_grad_value_(parameters: Iterable[Tensor] | Tensor, clip_value: float) -> None:
    """Limit gradients in place to [-clip_value, clip_value]."""
    for gradient in _gradients(parameters):
        change(gradient, functions.clamp(gradient, -clip_value, clip_value))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all Parameters in one dimension."""
    return functions.cat([functions.reshape(p, -1) for p in parameters])


@no_grad()
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Take over what :func:`parameters_to_vector` gave."""
    at = 0
    for parameter in parameters:
        size = parameter.numel()
        change(parameter, functions.reshape(vec[at : at + size], tuple(parameter.shape)))
        at += size


def __getattr__(name: str) -> Any:
    if name == "rnn":
        return importlib.import_module(f"{__name__}.rnn")
    return wider.missing("torch.nn.utils", name)
