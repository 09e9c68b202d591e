"""The table of goldens names every recorded file, and everything that it names is there (`tests/goldens/table.py`)."""

import importlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.goldens.packing import pack, unpack
from tests.goldens.table import FOLDER, GOLDENS, VERSIONS

MODULES = sorted(path for path in FOLDER.glob("*.py"))
COMMAND = ("record", "table", "random_search")


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


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    return importlib.import_module("record")


def test_the_readme_is_written_from_the_table(recorder):
    text = (FOLDER / "README.md").read_text("utf8")
    assert text == recorder.readme(), "python tests/goldens/record.py --readme"


def test_what_differs_is_told_with_its_place(recorder):
    nan, ones = float("nan"), np.ones(2, np.float32)
    old = {"a": [1.0, nan, "x"], "b": "y 1.5", "c": {"outputs": [ones]}}
    new = {"a": [1.000001, nan, "z"], "b": "y 1.500001", "c": {"outputs": [ones.astype(np.float16)]}, "d": 1}
    assert list(recorder.differences(old, old)) == []
    assert list(recorder.differences(old, new)) == [
        (" / a[0]", 1.0, 1.000001, True),
        (" / a[2]", "x", "z", False),
        (" / b", "y 1.5", "y 1.500001", True),
        (" / c / outputs[0][0]", "float32", "float16", False),
        (" / d", "(missing)", 1, False),
    ]


def test_lines_of_a_level(recorder):
    data = {"a": {"b": {"c": [1], "d": "ü"}}, "e": 2}
    assert recorder.lines(data, 1) == '{\n"a": {"b": {"c": [1], "d": "ü"}},\n"e": 2\n}'
    for depth in (1, 2, 3):
        assert json.loads(recorder.lines(data, depth)) == data
    assert '\n  "c": [1],\n  "d": "ü"\n' in recorder.lines(data, 3)
