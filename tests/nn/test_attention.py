"""Attention and transformers, against what MindSpore prints for the programs in tests/goldens/attention_cases.py."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "attention.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.attention_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    if "raises" in found:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(expected["prints"], found["prints"], 5e-5), f"{expected['prints']}---\n{found['prints']}"


def test_compiled_and_mapped():
    net = nn.TransformerEncoderLayer(4, 2, 6)
    x = Tensor(np.random.default_rng(0).normal(size=(2, 5, 3, 4)).astype(np.float32))
    expected = [net(x[i]).asnumpy() for i in range(2)]
    np.testing.assert_allclose(ms.jit(net)(x[0]).asnumpy(), expected[0], atol=1e-6)
    np.testing.assert_allclose(ms.vmap(net)(x).asnumpy(), expected, atol=1e-6)
