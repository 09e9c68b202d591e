"""Modules, functions, optimizers, data and files as PyTorch 2.13 has them: its recorded programs run on msjax.torch."""

import json
from pathlib import Path

import pytest

import msjax
from tests.goldens.snippets import run, same
from tests.goldens.torch_prelude import names

GOLDENS = Path(__file__).parents[1] / "goldens"
RECORDED = {
    f"{file}/{name}": golden
    for file in ("torch.json", "torch_operators.json", "torch_conventions.json", "torch_libraries.json")
    for name, golden in json.loads((GOLDENS / file).read_text()).items()
}


@pytest.mark.parametrize("name", RECORDED)
def test_as_pytorch(name):
    golden = RECORDED[name]
    with msjax.install_as("torch") as torch:
        torch.manual_seed(0)
        found = run(golden["source"], name, names(torch))
    if "raises" in found:
        pytest.fail(found["traceback"], pytrace=False)
    if not same(golden["prints"], found["prints"], tolerance=1e-4):
        messages = "\n".join([*golden.get("messages", []), "---", *found.get("messages", [])])
        pytest.fail(
            f"--- expected\n{golden['prints']}\n--- found\n{found['prints']}\n{messages}", pytrace=False
        )


def test_results_go_into_out():
    torch = msjax.torch
    t, out = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.zeros(2, 2)
    for call in (torch.matmul, torch.mul, torch.add, torch.sub, torch.div):
        assert call(t, t, out=out) is out
        assert torch.equal(out, call(t, t))
    with pytest.raises(RuntimeError, match="automatic differentiation"):
        torch.mul(t.clone().requires_grad_(), t, out=out)
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.exp(t, out=torch.zeros(2, 2, dtype=torch.int64))
    resized = torch.zeros(2)
    with pytest.warns(UserWarning, match="was resized"):
        torch.exp(t, out=resized)
    assert torch.equal(resized, torch.exp(t))
