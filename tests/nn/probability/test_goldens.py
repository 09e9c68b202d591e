"""Distributions and bijectors against what MindSpore prints for the programs in tests/goldens/probability_cases.py."""

import importlib
import json
from pathlib import Path

import pytest

import msjax as ms
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "probability.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.probability_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    if "raises" in found:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(expected["prints"], found["prints"]), f"{expected['prints']}---\n{found['prints']}"
