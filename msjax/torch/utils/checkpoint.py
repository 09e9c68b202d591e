"""`torch.utils.checkpoint`: activation checkpointing (rematerialization): the backward pass recomputes, to save memory."""

from collections.abc import Callable
from typing import Any

from msjax.core.autodiff import jvp_vjp_jacobian
from msjax.torch.functions import served_from_mint
from msjax.torch.tensors.tensor import as_torch


def checkpoint(function: Callable, *args: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Call a function, saving for its gradient nothing but its inputs.

    Args:
        function: of tensors.
        args: its arguments.
        use_reentrant: of no effect.
        kwargs: its keyword arguments; `preserve_rng_state`, `determinism_check`, `debug` and `context_fn` are of no effect.

    Returns:
        What the function returns.

    Examples:
        >>> from msjax import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> torch.utils.checkpoint.checkpoint(torch.square, x, use_reentrant=False).sum().backward()
        >>> x.grad
        tensor([2., 2.])
    """
    for option in ("preserve_rng_state", "determinism_check", "debug", "context_fn", "early_stop"):
        kwargs.pop(option, None)
    heard = lambda *given, **named: function(*as_torch(list(given)), **as_torch(named))  # noqa: E731
    return as_torch(jvp_vjp_jacobian.recompute(heard, *args, **kwargs))


def checkpoint_sequential(functions: Any, segments: int, input: Any, **options: Any) -> Any:
    """Run modules one after another, in parts that save their input only."""
    listed = list(functions)
    size = -(-len(listed) // segments)

    def part(modules: list[Any]) -> Callable:
        def run(x: Any) -> Any:
            for module in modules:
                x = module(x)
            return x

        return run

    for i in range(0, len(listed), size):
        input = checkpoint(part(listed[i : i + size]), input, **options)
    return input


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.utils.checkpoint", name)
