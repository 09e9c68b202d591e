"""What the programs of torch_cases.py begin with, for PyTorch and for msjax.torch."""

from collections.abc import Callable
from typing import Any


def fill_with(torch: Any) -> Callable[[Any], Any]:
    """A function that gives a module's Parameters the same values everywhere."""

    def fill(module: Any) -> Any:
        with torch.no_grad():
            for parameter in module.parameters():
                shape = tuple(parameter.shape)
                parameter.copy_((torch.arange(parameter.numel()).float() % 7 / 5 - 0.5).reshape(shape))
        return module

    return fill
