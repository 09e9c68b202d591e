"""`torch.autograd.function`: custom autograd functions."""

import functools
from collections.abc import Callable
from typing import Any

from msjax.core.autodiff import imperative as core
from msjax.core.autodiff.imperative import FunctionCtx as FunctionCtx
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.sparse import SparseTensor
from msjax.torch.tensors.tensor import as_torch


class _Whole:
    """A sparse tensor, which the tape does not look into."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: SparseTensor) -> None:
        self.tensor = tensor


def _close(values: Any) -> tuple:
    return tuple([_Whole(each) if isinstance(each, SparseTensor) else each for each in values])


def _open(values: Any) -> tuple:
    return tuple([each.tensor if isinstance(each, _Whole) else each for each in values])


class Function(core.Function):
    """An operator with a custom gradient; see :class:`msjax.core.autodiff.imperative.Function`."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call it."""
        sparse = [each for each in args if isinstance(each, SparseTensor)]
        if any(each.requires_grad for each in sparse):
            raise NotImplementedError(
                "`torch.autograd.Function`: gradients by a sparse tensor are not there in msjax.torch; give it values as an "
                "argument of its own."
            )
        if sparse:
            return _of_opened(cls).apply(*_close(args))
        return as_torch(super().apply(*args))

    def __call__(self, *args: Any) -> Any:
        """Refuse the old style."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Call `apply`."
        )

    @classmethod
    def _check(cls, ctx: Any, out: object, leaves: set[int]) -> None:
        ctx._tensors = _close(ctx._tensors)

    @staticmethod
    def _convert_tensors(result: Any) -> Any:
        return as_torch(list(_open(result)) if isinstance(result, list) else result)


@functools.cache
def _of_opened(kind: type[Function]) -> type[Function]:
    """Return a function of the same name and gradient that takes sparse tensors in :class:`_Whole`."""
    first = 0 if hasattr(kind, "setup_context") else 1  # of the arguments of `forward`, behind `ctx`

    def forward(*args: Any) -> Any:
        return kind.forward(*args[:first], *_open(args[first:]))

    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        kind.setup_context(ctx, _open(inputs), output)  # type: ignore[attr-defined]

    own = {"forward": staticmethod(forward)} | (
        {} if first else {"setup_context": staticmethod(setup_context)}
    )
    return type(kind.__name__, (kind,), own)


def once_differentiable(fn: Callable) -> Callable:
    """Mark a backward function whose result has no derivative."""

    @functools.wraps(fn)
    def once(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            return fn(ctx, *gradients)

    return once
