"""Modules, functions, optimizers, data and files as PyTorch 2.13 has them: its recorded programs run on msjax.torch."""

import json
from pathlib import Path

import numpy as np
import pytest

import msjax
from tests.goldens.snippets import run, same
from tests.goldens.torch_prelude import fill_with

GOLDENS = Path(__file__).parents[1] / "goldens"
RECORDED = json.loads((GOLDENS / "torch.json").read_text())


@pytest.mark.parametrize("name", RECORDED)
def test_as_pytorch(name):
    golden = RECORDED[name]
    with msjax.install_as("torch") as torch:
        nn = torch.nn
        prelude = {"torch": torch, "nn": nn, "F": nn.functional, "S": torch.optim.lr_scheduler, "np": np}
        torch.manual_seed(0)
        found = run(golden["source"], name, {**prelude, "fill": fill_with(torch)})
    if "raises" in found:
        pytest.fail(found["traceback"], pytrace=False)
    if not same(golden["prints"], found["prints"], tolerance=1e-4):
        messages = "\n".join([*golden.get("messages", []), "---", *found.get("messages", [])])
        pytest.fail(
            f"--- expected\n{golden['prints']}\n--- found\n{found['prints']}\n{messages}", pytrace=False
        )
