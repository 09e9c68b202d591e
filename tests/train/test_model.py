"""Model and callbacks, against what MindSpore prints for the programs in tests/goldens/train_cases.py."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import msjax
import msjax.dataset as ds
from msjax import nn
from msjax.train import Model
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "train.json").read_text())


@pytest.fixture(scope="module")
def prelude():
    with msjax.install_as("mindspore"):
        yield importlib.import_module("tests.goldens.train_prelude")


def _plain(text):
    """NumPy's numbers are numbers."""
    return re.sub(r"\b(float64|int64)\[\] ", "", text)


@pytest.mark.parametrize("mode", ["pynative", "graph"])
@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, mode, prelude, tmp_path):
    expected = GOLDEN[name]
    msjax.set_context(mode=msjax.GRAPH_MODE if mode == "graph" else msjax.PYNATIVE_MODE)
    with msjax.install_as("mindspore"):
        found = run(expected["source"], name, {**prelude.NAMES, "folder": str(tmp_path)})
    msjax.set_context(mode=msjax.PYNATIVE_MODE)
    if "raises" in found and expected.get("raises") not in found["kinds"]:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(_plain(expected["prints"]), _plain(found["prints"]), 1e-4), (
        f"{expected['prints']}---\n{found['prints']}"
    )


def test_a_list_is_no_data_set():
    with pytest.raises(
        (TypeError, AttributeError), match=r"argument `train_dataset` must be a data set .* Received: list"
    ):
        Model(nn.Dense(2, 1), nn.MSELoss()).train(1, [(1, 2)])


def test_a_model_without_a_loss_says_what_the_network_gets():
    rows = ds.NumpySlicesDataset({"x": np.ones((4, 2), np.float32), "y": np.ones((4, 1), np.float32)}).batch(
        2
    )
    with pytest.raises(TypeError) as raised:
        Model(nn.Dense(2, 1)).train(1, rows)
    assert raised.value.__notes__[0].startswith(
        "`Model` was made without `loss_fn`, so the network gets all 2 columns"
    )
