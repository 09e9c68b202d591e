"""The test that the programs of one golden file print under msjax what they printed where they were recorded."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import msjax as ms
from tests.goldens.snippets import run, same

FOLDER = Path(__file__).parent


def replayed(family: str, tolerance: float = 2e-5) -> tuple[Any, Any]:
    """For `family`.json: the fixture of the names that its programs know, and the test, one case for each program."""
    golden = json.loads((FOLDER / f"{family}.json").read_text())

    @pytest.fixture(scope="module")
    def names() -> dict[str, Any]:
        with ms.install_as("mindspore"):
            return importlib.import_module(f"tests.goldens.{family}_prelude").NAMES

    @pytest.mark.parametrize("name", golden)
    def test_as_mindspore(name: str, names: dict[str, Any]) -> None:
        expected = golden[name]
        with ms.install_as("mindspore"):
            found = run(expected["source"], name, names)
        assert expected.get("raises") in (None, *found.get("kinds", ())), found
        if "raises" in found and "raises" not in expected:
            pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
        assert same(expected["prints"], found["prints"], tolerance), (
            f"{expected['prints']}---\n{found['prints']}"
        )

    return names, test_as_mindspore
