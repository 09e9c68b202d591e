"""`torch.autograd`: gradients of recorded tensors."""

import functools
import importlib
import warnings
from typing import Any

from msjax.core.autodiff import imperative as core
from msjax.core.autodiff.imperative import enable_grad as enable_grad
from msjax.core.autodiff.imperative import no_grad as no_grad
from msjax.core.autodiff.imperative import set_grad_enabled as set_grad_enabled
from msjax.torch.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from msjax.torch.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from msjax.torch.autograd.function import Function as Function
from msjax.torch.autograd.gradcheck import gradcheck as gradcheck
from msjax.torch.autograd.gradcheck import gradgradcheck as gradgradcheck
from msjax.torch.functions import basic, finfo_and_modes, served_from_mint
from msjax.torch.tensors.creation import Variable as Variable
from msjax.torch.tensors.tensor import as_torch


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Accumulate gradients into the leaves; see :func:`msjax.core.autodiff.imperative.backward`."""
    core.backward(
        tensors, grad_variables if grad_tensors is None else grad_tensors, retain_graph, create_graph, inputs
    )


@functools.wraps(core.grad)
def grad(  # noqa: D103  that of the function wrapped
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    options = {
        "create_graph": create_graph, "allow_unused": allow_unused, "materialize_grads": materialize_grads,
    }  # fmt: skip
    if not is_grads_batched:
        return as_torch(core.grad(outputs, inputs, grad_outputs, retain_graph, **options))
    seeds = grad_outputs if isinstance(grad_outputs, tuple | list) else (grad_outputs,)
    rows = [
        core.grad(outputs, inputs, [seed[i] for seed in seeds], True, **options) for i in range(len(seeds[0]))
    ]
    return tuple(basic.stack(part) for part in zip(*rows, strict=True))


def __getattr__(name: str) -> Any:
    if name in ("functional", "forward_ad", "graph"):
        return importlib.import_module(f"msjax.torch.autograd.{name}")
    if name == "inference_mode":
        return finfo_and_modes.inference_mode
    return served_from_mint.make_placeholder("torch.autograd", name)
