"""`torch.autograd.graph`: hooks on what operators save for the backward pass, and the nodes that they leave."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from msjax.core.autodiff import saved_tensors_hooks as core
from msjax.core.tensor.tensor import look, node_of, resolve, wrap
from msjax.public_api import torch_api
from msjax.torch.tensors.grad_fn import GradNode as Node
from msjax.torch.tensors.grad_fn import describe_node
from msjax.torch.tensors.tensor import Tensor, as_torch


class saved_tensors_hooks(core.saved_tensors_hooks):  # noqa: N801
    """Pass what operators save for the backward pass through two functions, inside of this context.

    Which tensors these are is up to the operator; they may differ from PyTorch's.

    Args:
        pack_hook: takes a tensor, returns anything.
        unpack_hook: takes that, returns a tensor of the same shape and dtype.

    Examples:
        >>> from msjax import torch
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        ...     y = x * x
        >>> y.backward()
        >>> x.grad
        tensor([12.])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        super().__init__(lambda tensor: pack_hook(as_torch(tensor)), unpack_hook)


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keep in the host's memory what operators save for the backward pass, inside of this context.

    Args:
        pin_memory: of no effect.
        device_type: of no effect.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: jax.device_get(look(tensor)), lambda array: wrap(jnp.asarray(array)))


def disable_saved_tensors_hooks(error_message: str) -> Any:
    """Return a context in which :class:`saved_tensors_hooks` raises RuntimeError with this message."""
    return core.saved_tensors_hooks_disabled(error_message)


class GradientEdge(NamedTuple):
    """An output of a step of the graph."""

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the step that computed a tensor, or that accumulates its gradient, and which output of that it is.

    Raises:
        RuntimeError: if the tensor needs no gradient.
    """
    ref = node_of(resolve(tensor))
    if ref is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    return GradientEdge(describe_node(ref[0]), ref[1])


__getattr__ = partial(torch_api.lookup, "torch.autograd.graph")
