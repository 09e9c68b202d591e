"""migration_examples/: the MindSpore version on msjax has the losses that the PyTorch version has on PyTorch."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import msjax

EXAMPLES = Path(__file__).parents[2] / "migration_examples"
RECORDED = json.loads((Path(__file__).parents[1] / "goldens" / "migration.json").read_text())


def test_every_example_has_both_versions():
    for before in EXAMPLES.glob("pytorch_*.py"):
        name = before.stem.removeprefix("pytorch_")
        assert (EXAMPLES / f"mindspore_{name}.py").exists()
        assert name in RECORDED


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "eager"])
@pytest.mark.parametrize("name", RECORDED)
def test_same_losses_as_pytorch(name, compiled, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    with msjax.install_as("mindspore"):
        losses, accuracy = importlib.import_module(f"mindspore_{name}").main(compiled=compiled)
    for module in ("digits", f"mindspore_{name}"):
        monkeypatch.delitem(sys.modules, module)
    np.testing.assert_allclose(losses, RECORDED[name]["losses"], rtol=1e-4, atol=1e-4)
    assert accuracy == pytest.approx(RECORDED[name]["accuracy"], abs=2 / 297)  # two digits may be on the edge


@pytest.mark.parametrize("name", RECORDED)
def test_the_scripts_for_pytorch_run_as_they_are(name, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    with msjax.install_as("torch"):
        losses, accuracy = importlib.import_module(f"pytorch_{name}").main()
    for module in ("digits", f"pytorch_{name}"):
        monkeypatch.delitem(sys.modules, module)
    np.testing.assert_allclose(losses, RECORDED[name]["losses"], rtol=1e-4, atol=1e-4)
    assert accuracy == pytest.approx(RECORDED[name]["accuracy"], abs=2 / 297)
