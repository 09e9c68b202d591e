"""Metrics, against what MindSpore prints for the programs in tests/goldens/metrics_cases.py."""

import json
import re
from pathlib import Path

import pytest

import msjax
from tests.goldens.metrics_prelude import names
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "metrics.json").read_text())
PRELUDE = names(msjax)


def _plain(text):
    """NumPy's numbers are numbers."""
    return re.sub(r"\b(float64|int64)\[\] ", "", text)


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name):
    expected = GOLDEN[name]
    found = run(expected["source"], name, PRELUDE)
    if "raises" in found and expected.get("raises") not in found["kinds"]:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    if not same(_plain(expected["prints"]), _plain(found["prints"]), 1e-5):
        messages = "\n".join([*expected.get("messages", []), "---", *found.get("messages", [])])
        pytest.fail(f"{expected['prints']}---\n{found['prints']}\n{messages}", pytrace=False)
