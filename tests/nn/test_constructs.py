"""The names and defaults of what layers are called with, against MindSpore's (tests/goldens/constructs.json)."""

import importlib
import inspect
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import mint, nn

RECORDED = json.loads((Path(__file__).parents[1] / "goldens" / "constructs.json").read_text())

# In one process there is nothing that these could do: they refuse to be made, or to be called.
_ABSENT = {"AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell", "OptTFTWrapper", "Optimizer"}


def _own(function):
    shown = list(inspect.signature(function).parameters.values())[1:]
    return ", ".join(str(one.replace(annotation=one.empty)) for one in shown)


@pytest.mark.parametrize("path", RECORDED)
def test_as_mindspore(path):
    module = importlib.import_module(f"msjax.{path}")
    found = {
        name: (text, _own(getattr(module, name).construct))
        for name, text in RECORDED[path].items() - _left(path)
    }
    wrong = {
        name: pair
        for name, pair in found.items()
        if pair[0] != pair[1].replace("*inputs, **named", "*args, **kwargs")
    }
    assert not wrong


def _left(path):
    return {item for item in RECORDED[path].items() if item[0] in _ABSENT}


def test_called_by_name():
    x, y = ms.Tensor([[0.5, -1.0]]), ms.Tensor([[1.0, 0.0]])
    assert float(mint.nn.L1Loss()(labels=y, logits=x)) == 0.75
    np.testing.assert_allclose(nn.BCEWithLogitsLoss()(input=x, target=y), 0.393669, rtol=1e-6)
    assert nn.AdaptiveMaxPool1d(1)(x=x.reshape(1, 1, 2)).shape == (1, 1, 1)
    with pytest.raises(TypeError, match="SiLU"):
        mint.nn.SiLU()(input=x)
    weight = ms.Parameter(ms.Tensor([1.0]), name="w")
    assert nn.FTRL([weight])(grads=(ms.Tensor([1.0]),)) == (True,)


def test_margin_of_the_constructor_counts_unless_it_is_one():
    x, far = ms.Tensor([[0.0]]), ms.Tensor([[0.0]])
    assert float(nn.TripletMarginLoss(margin=2.0)(x, x, far, 5.0)) == pytest.approx(2.0)
    assert float(nn.TripletMarginLoss()(x, x, far, 5.0)) == pytest.approx(5.0)
