"""Outputs of the guide's texts and of the examples of migration_examples/ where they were written for."""

import importlib.util
import json
import runpy
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def guide() -> dict[str, Any]:
    """Return the prints of the guides' blocks: of those of the framework that is installed; the rest as recorded."""
    sys.path.append(str(ROOT))
    from tests.guide.blocks import TEXTS, run, sections, served_by

    here = {name for name in ("mindspore", "torch") if importlib.util.find_spec(name)}
    if "torch" in here:
        here.add("oneflow")
    recorded = json.loads((HERE / "guide.json").read_text())
    found: dict[str, Any] = {}
    for text in TEXTS:
        outcomes = run(text, served_by("torch", ["oneflow"]))
        found[text] = {}
        for section in sections(text):
            outcome = outcomes[section.name]
            if section.framework in here:
                assert not outcome.failures, outcome.failures
            found[text][section.name] = (
                outcome.printed if section.framework in here else recorded.get(text, {}).get(section.name)
            )
    return found


def migration() -> dict[str, Any]:
    """The losses and accuracies of migration_examples/pytorch_*.py."""
    folder = ROOT / "migration_examples"
    sys.path.insert(0, str(folder))
    found = {}
    for script in sorted(folder.glob("pytorch_*.py")):
        losses, accuracy = runpy.run_path(str(script))["main"]()
        found[script.stem.removeprefix("pytorch_")] = {"losses": losses, "accuracy": accuracy}
    return found
