"""Cells, their gradients and their training, against what MindSpore prints for tests/goldens/cells_cases.py."""

import importlib
import json
from pathlib import Path

import pytest

import msjax as ms
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "cells.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.cells_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    assert expected.get("raises") in (None, *found.get("kinds", ())), found
    if "raises" in found and "raises" not in expected:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(expected["prints"], found["prints"], 5e-5), f"{expected['prints']}---\n{found['prints']}"
