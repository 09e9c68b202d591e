"""Record PyTorch's answers to torch_autograd_cases.py in torch_autograd.json. Run with PyTorch 2.13 on CPU."""

from pathlib import Path

import numpy as np
import torch
from snippets import record

HERE = Path(__file__).parent


def reset() -> None:
    torch.manual_seed(0)
    torch.set_grad_enabled(True)


if __name__ == "__main__":
    prelude = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np}
    record(HERE / "torch_autograd_cases.py", HERE / "torch_autograd.json", prelude, reset)
