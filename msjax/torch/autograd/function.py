"""`torch.autograd.function`: custom autograd functions."""

import functools
from collections.abc import Callable
from typing import Any

from msjax.core.autodiff import imperative as core
from msjax.core.autodiff.imperative import FunctionCtx as FunctionCtx
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.tensors.tensor import as_torch


class Function(core.Function):
    """An operator with a custom gradient; see :class:`msjax.core.autodiff.imperative.Function`."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call it."""
        return as_torch(super().apply(*args))

    def __call__(self, *args: Any) -> Any:
        """Refuse the old style."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Call `apply`."
        )

    @staticmethod
    def _convert_tensors(result: Any) -> Any:
        return as_torch(result)


def once_differentiable(fn: Callable) -> Callable:
    """Mark a backward function whose result has no derivative."""

    @functools.wraps(fn)
    def once(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            return fn(ctx, *gradients)

    return once
