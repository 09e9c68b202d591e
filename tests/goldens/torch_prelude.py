"""The names of the programs of torch_cases.py and torch_autograd_cases.py, for PyTorch and for msjax.torch."""

from typing import Any

import numpy as np


def names(torch: Any) -> dict[str, Any]:
    """The names of the programs; `fill` gives a module's Parameters the same values everywhere."""

    def fill(module: Any) -> Any:
        with torch.no_grad():
            for parameter in module.parameters():
                shape = tuple(parameter.shape)
                parameter.copy_((torch.arange(parameter.numel()).float() % 7 / 5 - 0.5).reshape(shape))
        return module

    nn = torch.nn
    return {
        "torch": torch,
        "nn": nn,
        "F": nn.functional,
        "S": torch.optim.lr_scheduler,
        "np": np,
        "fill": fill,
    }
