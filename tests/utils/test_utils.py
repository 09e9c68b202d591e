"""`mindspore.utils` and `mindspore.tools`."""

import logging
import os

import pytest

import msjax as ms
from msjax import Tensor, tools, utils


def test_dry_runs(monkeypatch):
    monkeypatch.delenv("MS_SIMULATION_LEVEL", raising=False)
    x = Tensor([1.0, 2.0])
    assert utils.dryrun.mock("other", x) is x
    assert utils.dryrun.mock(0, (x > 0).all)
    assert utils.dryrun.mock(0, max, 1, 2) == 2
    monkeypatch.setenv("MS_SIMULATION_LEVEL", "0")  # put back after this test
    utils.dryrun.set_simulation()
    assert os.environ["MS_SIMULATION_LEVEL"] == "1"
    assert utils.dryrun.mock("other", x) == "other"


def test_detection_says_that_there_is_none(caplog):
    with caplog.at_level(logging.WARNING):
        utils.sdc_detect_start()
    assert "Ascend" in caplog.text
    tools.sdc_detect_stop()
    assert tools.get_sdc_detect_result() is False


def test_names():
    assert utils.from_dlpack is ms.from_dlpack
    assert tools.set_dump is ms.set_dump
    assert utils.stress_detect is tools.stress_detect
    with pytest.raises(RuntimeError, match=r"stress_detect.*Ascend"):
        tools.stress_detect()
