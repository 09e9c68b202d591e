"""The modules of the porting guide."""

import math
from typing import Any

from msjax.torch import functions
from msjax.torch.nn import functional as F
from msjax.torch.nn.module import Module, Parameter


class Linear(Module):
    """x @ weight.T + bias, initialised uniformly in ±1/sqrt(in_features)."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        bound = 1 / math.sqrt(in_features) if in_features else 0.0
        self.weight = Parameter((functions.rand(out_features, in_features) * 2 - 1) * bound)
        self.bias = Parameter((functions.rand(out_features) * 2 - 1) * bound) if bias else None

    def forward(self, input: Any) -> Any:
        """Of a (..., in_features) tensor."""
        return F.linear(input, self.weight, self.bias)


class Sequential(Module):
    """Modules called one after another."""

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        for i, module in enumerate(modules):
            setattr(self, str(i), module)

    def forward(self, input: Any) -> Any:
        """The last output."""
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index: int) -> Module:
        return list(self._modules.values())[index]


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        return F.relu(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        return F.tanh(input)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        return F.sigmoid(input)


class Identity(Module):
    """The input."""

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Flatten(Module):
    """All dimensions but the first made one."""

    def forward(self, input: Any) -> Any:
        """Of a (n, ...) tensor, a (n, m) tensor."""
        return functions.flatten(input, 1)


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction


class MSELoss(_Loss):
    """The mean of the squared differences."""

    def forward(self, input: Any, target: Any) -> Any:
        """Of two tensors of one shape."""
        return F.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """The mean of the absolute differences."""

    def forward(self, input: Any, target: Any) -> Any:
        """Of two tensors of one shape."""
        return F.l1_loss(input, target, self.reduction)


class CrossEntropyLoss(_Loss):
    """The negative logarithm of the probability of the right class."""

    def forward(self, input: Any, target: Any) -> Any:
        """Of (n, classes) scores and (n,) classes."""
        return F.cross_entropy(input, target, self.reduction)
