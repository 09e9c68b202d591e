"""Record PyTorch's answers to torch_cases.py in torch.json. Run with PyTorch 2.13 on CPU."""

from pathlib import Path

import numpy as np
import torch
from snippets import record
from torch_prelude import fill_with

HERE = Path(__file__).parent


def reset() -> None:
    torch.manual_seed(0)


if __name__ == "__main__":
    prelude = {
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "S": torch.optim.lr_scheduler,
        "np": np,
    }
    record(HERE / "torch_cases.py", HERE / "torch.json", {**prelude, "fill": fill_with(torch)}, reset)
