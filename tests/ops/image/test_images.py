"""Operators on images and boxes, against what MindSpore prints for the programs in tests/goldens/images_cases.py."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import ops
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "images.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.images_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    if found.get("raises") != expected.get("raises"):
        pytest.fail(f"{expected['source']}\n{found.get('traceback')}", pytrace=False)
    assert same(expected["prints"], found["prints"]), f"{expected['prints']}---\n{found['prints']}"
    for message in found.get("messages", []):
        assert re.match("[\"']?(`|Failed calling )", message), message


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic", "area"])
def test_resizing_is_the_same_compiled_and_mapped(mode, names):
    x = names["image"](2, 1, 2, 3, 4)
    expected = [ops.interpolate(x[k], (4, 5), mode=mode).asnumpy() for k in range(2)]
    compiled = ms.jit(lambda x: ops.interpolate(x, (4, 5), mode=mode))(x[0])
    np.testing.assert_allclose(compiled.asnumpy(), expected[0], atol=1e-6)
    mapped = ms.vmap(lambda x: ops.interpolate(x, (4, 5), mode=mode))(x)
    np.testing.assert_allclose(mapped.asnumpy(), expected, atol=1e-6)
