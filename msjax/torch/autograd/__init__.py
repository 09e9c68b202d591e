"""`torch.autograd`: gradients of recorded tensors."""

import functools
from typing import Any

from msjax.core import autograd as core
from msjax.core.autograd import enable_grad as enable_grad
from msjax.core.autograd import no_grad as no_grad
from msjax.core.autograd import set_grad_enabled as set_grad_enabled
from msjax.torch.autograd.function import Function as Function
from msjax.torch.functions import Variable as Variable
from msjax.torch.tensor import dialect


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Accumulate gradients into the leaves; see :func:`msjax.core.autograd.backward`."""
    core.backward(
        tensors, grad_variables if grad_tensors is None else grad_tensors, retain_graph, create_graph, inputs
    )


@functools.wraps(core.grad)
def grad(*args: Any, **kwargs: Any) -> Any:  # noqa: D103  that of the function wrapped
    return dialect(core.grad(*args, **kwargs))
