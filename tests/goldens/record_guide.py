"""Record what the guides' blocks print in guide.json: run once with MindSpore 2.10.0 and once with PyTorch 2.13."""

import importlib.util
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
from tests.guide.blocks import TEXTS, run, sections, served_by  # noqa: E402

if __name__ == "__main__":
    here = {name for name in ("mindspore", "torch") if importlib.util.find_spec(name)}
    if "torch" in here:
        here.add("oneflow")
        importlib.import_module("torch").manual_seed(0)
    golden = HERE / "guide.json"
    found = json.loads(golden.read_text()) if golden.exists() else {}
    for text in TEXTS:
        outcomes = run(text, served_by("torch", ["oneflow"]))
        found.setdefault(text, {})
        for section in sections(text):
            if section.framework in here:
                assert not outcomes[section.name].failures, outcomes[section.name].failures
                found[text][section.name] = outcomes[section.name].printed
        found[text] = {section.name: found[text].get(section.name) for section in sections(text)}
    golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
