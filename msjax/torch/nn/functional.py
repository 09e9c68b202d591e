"""`torch.nn.functional`: the functions that the modules call."""

from typing import Any

from msjax import ops
from msjax.torch.functions import log_softmax as log_softmax
from msjax.torch.functions import softmax as softmax
from msjax.torch.tensor import dialect


def relu(input: Any) -> Any:
    """max(x, 0)."""
    return dialect(ops.relu(input))


def sigmoid(input: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return dialect(ops.sigmoid(input))


def tanh(input: Any) -> Any:
    """The hyperbolic tangent."""
    return dialect(ops.tanh(input))


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """input @ weight.T + bias."""
    out = ops.matmul(input, ops.swapaxes(weight, 0, 1))
    return dialect(out if bias is None else ops.add(out, bias))


def _reduced(loss: Any, reduction: str) -> Any:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return dialect(loss if reduction == "none" else ops.mean(loss) if reduction == "mean" else ops.sum(loss))


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The mean of the squared differences."""
    return _reduced(ops.square(ops.sub(input, target)), reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The mean of the absolute differences."""
    return _reduced(ops.abs(ops.sub(input, target)), reduction)


def cross_entropy(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The negative logarithm of the probability of the right class."""
    return dialect(ops.cross_entropy(input, target, reduction=reduction))
