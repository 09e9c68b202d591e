"""The names of the programs of integer_gradients_cases.py: gradients in every mode."""

from typing import Any

import mindspore
from mindspore import Tensor, grad, int32, jit, mint, nn, ops

from tests.goldens import autodiff_prelude


class Called(nn.Cell):
    """A function as a Cell."""

    def __init__(self, fn: Any) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        return self.fn(*args)


class Differentiated(nn.Cell):
    """The gradient of a Cell by all its inputs, as a Cell."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net, self.gradient = net, ops.GradOperation(get_all=True)

    def construct(self, *args: Any) -> Any:
        return self.gradient(self.net)(*args)


def everywhere(fn: Any, *args: Any) -> list:
    """The gradients by all arguments: of a function, of a compiled one, of a Cell in both modes, compiled in a Cell."""
    positions = tuple(range(len(args)))
    found = [grad(fn, positions)(*args), grad(jit(fn), positions)(*args)]
    return [*found, *of_cell(lambda: Called(fn), *args)]


def of_cell(made: Any, *args: Any) -> list:
    """The gradients of a Cell by all its inputs: in PyNative mode, in graph mode, and compiled within another Cell."""
    found = [ops.GradOperation(get_all=True)(made())(*args)]
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    try:
        found.append(ops.GradOperation(get_all=True)(made())(*args))
        found.append(Differentiated(made())(*args))
    finally:
        mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    return found


def whole(values: Any, dtype: Any = int32) -> Tensor:
    """A Tensor of integers."""
    return Tensor(values, dtype)


NAMES = {
    **autodiff_prelude.names(mindspore),
    "mint": mint,
    "everywhere": everywhere,
    "of_cell": of_cell,
    "whole": whole,
}
