"""`common._grad_function`: operators with a custom gradient, in MindSpore's form."""

import inspect
from typing import Any

from msjax.core.autodiff import imperative
from msjax.core.tensor.tensor import Tensor


class _Function(imperative.Function):
    """An operator with a custom gradient: subclass with static methods `forward` and `backward`.

    `forward(ctx, *args)` computes, and keeps what `backward(ctx, *gradients)` needs with `ctx.save_for_backward`.
    `backward` returns a gradient for each argument of `forward`, None for what is not a Tensor. With `setup_context(ctx,
    inputs, output)` beside it, `forward` takes no `ctx`.

    Raises:
        RuntimeError: when the gradient is computed, if `backward` returns a number of gradients other than that of
            the arguments, a gradient of what is not a Tensor, or something that is neither a Tensor nor None.

    Examples:
        >>> import msjax as ms
        >>> from msjax.common._grad_function import _Function
        >>> class Twice(_Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         return g * 20
        >>> print(ms.grad(Twice.apply)(ms.Tensor([1.0, 2.0])))
        [20. 20.]
    """

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call it. Keyword arguments and defaults are for functions with `setup_context`."""
        if hasattr(cls, "setup_context"):
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            raise TypeError(
                f"`{cls.__name__}.apply` takes no keyword arguments. Received: {', '.join(kwargs)}."
            )
        return super().apply(*args)

    @classmethod
    def _check(cls, ctx: Any, out: Any, leaves: set[int]) -> None:
        for kept in ctx._tensors:
            if kept is not None and not isinstance(kept, Tensor):
                raise RuntimeError(
                    f"`{cls.__name__}`: save_for_backward() only support None and tensor. Received: {kept!r}. "
                    "Set an attribute of `ctx` for anything else."
                )
        outputs = out if isinstance(out, tuple | list) else (out,)
        for tensor in ctx._dirty:
            if not any(tensor is output for output in outputs):
                raise RuntimeError(
                    f"`{cls.__name__}`: The dirty tensors must all be outputs of the forward function. "
                    f"Received: one of shape {list(tensor.shape)} that is none."
                )
            if id(tensor) in leaves:
                raise RuntimeError(
                    f"`{cls.__name__}`: A leaf tensor that need grad is being used in an inplace operator. Received: "
                    f"shape {list(tensor.shape)}. Change a copy of it, such as `x + 0`."
                )

    @classmethod
    def _gradients(cls, given: Any, args: tuple) -> list[Tensor | None]:
        found = given if isinstance(given, tuple) else (given,)
        if len(found) < len(args):
            raise RuntimeError(
                f"`{cls.__name__}`: Function backward return a wrong number of gradients: there must be one for each "
                f"argument of `forward`. Received: {len(found)} for {len(args)} arguments."
            )
        for i, (argument, gradient) in enumerate(zip(args, found, strict=False)):
            if gradient is not None and not isinstance(argument, Tensor):
                raise RuntimeError(
                    f"`{cls.__name__}`: Input is not tensor, but gradient is not none. Received: argument {i}: "
                    f"{type(argument).__name__}, its gradient: {type(gradient).__name__}."
                )
            if gradient is not None and not isinstance(gradient, Tensor):
                raise RuntimeError(
                    f"`{cls.__name__}`: Gradient should be none or tensor. Received: gradient {i}: {gradient!r}."
                )
        return [g for g, a in zip(found, args, strict=False) if isinstance(a, Tensor)]
