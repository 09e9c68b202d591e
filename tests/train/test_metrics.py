"""Metrics, against what MindSpore prints for the programs in tests/goldens/metrics_cases.py."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import msjax
from msjax import train
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


def test_surfaces_of_what_is_not_there():
    nothing, something = np.zeros((2, 3)), np.array([[0, 0, 1], [0, 1, 0]])
    for kind in (train.HausdorffDistance, train.MeanSurfaceDistance, train.RootMeanSquareDistance):
        for pair in ((nothing, something), (something, nothing)):
            metric = kind()
            metric.update(*pair, 1)
            found = metric.eval()
            assert type(found) is float
            assert found == np.inf


def test_confusion_matrix_metric_gives_a_float_or_an_array_of_one():
    metric = train.ConfusionMatrixMetric(skip_channel=False, metric_name="tpr", decrease="none")
    np.testing.assert_array_equal(metric.eval(), [np.nan])
    pair = [[[0], [1]], [[1], [0]]], [[[0], [1]], [[0], [1]]]
    metric.update(*pair)
    assert metric.eval().tolist() == [0.5]
    by_sample = train.ConfusionMatrixMetric(skip_channel=False, metric_name="tpr", calculation_method=True)
    with pytest.raises(RuntimeError, match="update"):
        by_sample.eval()
    by_sample.update(*pair)
    assert type(by_sample.eval()) is float
    assert by_sample.eval() == 0.5
