"""`torch.nn.grad`: gradients of convolutions by their input and by their weight."""

from collections.abc import Callable, Sequence
from typing import Any

from msjax.torch import autograd
from msjax.torch.functions import basic
from msjax.torch.nn import functional as F

NAMES = [f"conv{rank}d_{towards}" for rank in (1, 2, 3) for towards in ("input", "weight")]


def _towards_input(rank: int) -> Callable:
    def gradient(
        input_size: Sequence[int], weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return _pull_back(
            lambda x: _convolve(rank, x, weight, stride, padding, dilation, groups),
            input_size,
            weight,
            grad_output,
        )

    gradient.__doc__ = f"Return the gradient of `conv{rank}d` by an input of this size."
    return gradient


def _towards_weight(rank: int) -> Callable:
    def gradient(
        input: Any, weight_size: Sequence[int], grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return _pull_back(
            lambda w: _convolve(rank, input, w, stride, padding, dilation, groups),
            weight_size,
            input,
            grad_output,
        )

    gradient.__doc__ = f"Return the gradient of `conv{rank}d` by a weight of this size."
    return gradient


def _convolve(rank: int, *arguments: Any) -> Any:
    x, weight, *options = arguments
    return getattr(F, f"conv{rank}d")(x, weight, None, *options)


def _pull_back(function: Callable, size: Sequence[int], like: Any, grad_output: Any) -> Any:
    # The function is linear: where its gradient is asked for does not matter.
    point = basic.zeros(tuple(size), dtype=like.dtype).requires_grad_()
    (found,) = autograd.grad(function(point), point, grad_output)
    return found


globals().update({f"conv{rank}d_input": _towards_input(rank) for rank in (1, 2, 3)})
globals().update({f"conv{rank}d_weight": _towards_weight(rank) for rank in (1, 2, 3)})
