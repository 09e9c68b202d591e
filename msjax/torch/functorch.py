"""The package `functorch`, which comes with PyTorch: transforms of functions, and modules as functions of their state."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from msjax.torch.func import functional_call, stack_module_state
from msjax.torch.func import functionalize as functionalize
from msjax.torch.func import grad as grad
from msjax.torch.func import grad_and_value as grad_and_value
from msjax.torch.func import hessian as hessian
from msjax.torch.func import jacfwd as jacfwd
from msjax.torch.func import jacrev as jacrev
from msjax.torch.func import jvp as jvp
from msjax.torch.func import vjp as vjp
from msjax.torch.func import vmap as vmap
from msjax.torch.functions.settings import VERSION as __version__  # noqa: F401, N811
from msjax.torch.nn import Module


class FunctionalModule(Module):
    """A module that is called with its parameters, before the other arguments.

    Args:
        stateless_model: the module.
        param_names: in the order in which they are given.
    """

    def __init__(
        self, stateless_model: Any, param_names: Sequence[str], buffer_names: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = tuple(param_names), tuple(buffer_names)

    def forward(self, params: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        """Call the module with these parameters."""
        return functional_call(
            self.stateless_model, dict(zip(self.param_names, params, strict=True)), args, kwargs
        )


class FunctionalModuleWithBuffers(FunctionalModule):
    """A module that is called with its parameters and its buffers, before the other arguments."""

    def forward(self, params: Sequence[Any], buffers: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        """Call the module with these parameters and buffers."""
        state = dict(zip(self.param_names, params, strict=True)) | dict(
            zip(self.buffer_names, buffers, strict=True)
        )
        return functional_call(self.stateless_model, state, args, kwargs)


def _values(named: dict, detached: bool) -> tuple:
    return tuple(value.detach() if detached else value for value in named.values())


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[Callable, tuple]:
    """Return a function of parameters and inputs, and the parameters.

    Args:
        model: a module without buffers.
        disable_autograd_tracking: whether the parameters need no gradients.

    Raises:
        RuntimeError: if the module has buffers.

    Examples:
        >>> from msjax import torch
        >>> f, parameters = torch.functorch.make_functional(torch.nn.Linear(2, 1))
        >>> f(parameters, torch.ones(3, 2)).shape
        torch.Size([3, 1])
    """
    if list(model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    params = dict(model.named_parameters())
    return FunctionalModule(copy.deepcopy(model), list(params)), _values(params, disable_autograd_tracking)


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Callable, tuple, tuple]:
    """Return a function of parameters, buffers and inputs, and the parameters and buffers."""
    params, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    made = FunctionalModuleWithBuffers(copy.deepcopy(model), list(params), list(buffers))
    return made, _values(params, disable_autograd_tracking), _values(buffers, False)


def combine_state_for_ensemble(models: Sequence[Any]) -> tuple[Callable, tuple, tuple]:
    """Return a function as `make_functional_with_buffers` does, and the parameters and buffers of models, stacked."""
    params, buffers = stack_module_state(models)
    made = FunctionalModuleWithBuffers(copy.deepcopy(models[0]), list(params), list(buffers))
    return made, tuple(params.values()), tuple(buffers.values())
