"""The table of goldens names every recorded file, and everything that it names is there (`tests/goldens/table.py`)."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.goldens.packing import pack, unpack
from tests.goldens.table import FOLDER, GOLDENS, VERSIONS

MODULES = sorted(path for path in FOLDER.glob("*.py"))
COMMAND = ("record", "table")


def test_every_golden_stands_in_the_table_once():
    recorded = {
        path for path in FOLDER.rglob("*") if path.suffix in (".json", ".npz", ".gz", ".ckpt", ".safetensors")
    }
    named = [golden.path for golden in GOLDENS if golden.path.suffix]
    beside = {file for golden in GOLDENS if golden.files for file in golden.path.parent.glob(golden.files)}
    assert len(set(named)) == len(named)
    assert len({golden.name for golden in GOLDENS}) == len(GOLDENS)
    assert recorded - {*named, *beside} == set(), "not in tests/goldens/table.py"
    assert [path for path in named if not path.exists()] == [], "in the table only"


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_a_row_names_what_there_is(golden):
    assert golden.oracle in VERSIONS
    assert golden.readers, f"no test reads {golden.file}"
    if golden.recorder == "programs":
        assert (FOLDER / f"{golden.name}_cases.py").exists()
        return
    module, _, function = golden.recorder.partition(".")
    source = (FOLDER / f"{module}.py").read_text("utf8")
    (parameters,) = re.findall(rf"^def {function}\((.*)\)", source, re.MULTILINE)
    variable = "*" in parameters
    assert variable or len(parameters.split(", ") if parameters else []) == len(golden.given.split())
    own = [name for name in golden.given.split() if not name.startswith(("mindspore", "torch", "msjax"))]
    assert [name for name in own if not (FOLDER / f"{name}.py").exists()] == []


def test_no_module_here_is_forgotten():
    used = {source for golden in GOLDENS for source in golden.sources}
    tests = [path for path in FOLDER.parent.rglob("*.py") if path != Path(__file__)]
    text = {path: path.read_text("utf8") for path in tests}
    for path in MODULES:
        imported = re.compile(
            rf"\b(?:import|from) (?:tests\.goldens\.)?{path.stem}\b|goldens import .*\b{path.stem}\b"
        )
        assert (
            path.stem in COMMAND
            or path.name in used
            or any(imported.search(source) for other, source in text.items() if other != path)
        ), f"nothing uses {path.name}"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*_mindspore.npz")), ids=lambda path: path.name)
def test_packed_arrays_come_back(path):
    stored, packed = np.load(path), pack(unpack(path))
    assert packed.keys() == set(stored)
    assert all(np.array_equal(stored[name], packed[name]) for name in packed)


def test_the_readme_is_written_from_the_table(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    text = importlib.import_module("record").readme()
    assert (FOLDER / "README.md").read_text("utf8") == text, "python tests/goldens/record.py --readme"
