"""Counting operations, and what is printed of them."""

import re

import numpy as np
import pytest

import msjax as ms
from msjax import dataset as ds
from msjax import nn, ops
from msjax.train import FlopsUtilizationCollector, Model
from msjax.train.callback.flops import flops_of


def test_what_is_counted():
    x = ops.ones((2, 3))
    assert flops_of(nn.Dense(3, 4), x) == 2 * 2 * 3 * 4
    assert flops_of(ops.bmm, ops.ones((5, 2, 3)), ops.ones((5, 3, 4))) == 5 * 48
    net = nn.Conv2d(4, 6, 3, group=2, has_bias=False)
    assert flops_of(net, ops.ones((1, 4, 5, 5))) == 2 * (6 * 25) * (2 * 9)
    dense = nn.Dense(3, 4)
    step = ms.value_and_grad(lambda x: dense(x).sum(), 0)
    assert flops_of(step, x) == 2 * 48
    jitted = ms.jit(lambda x: ops.matmul(x, x.T) + 1)
    assert flops_of(jitted, x) == 24


def run(collector):
    data = {"x": np.ones((64, 10), np.float32), "y": np.zeros((64,), np.int32)}
    net = nn.Dense(10, 5)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    model.train(2, ds.NumpySlicesDataset(data).batch(32), callbacks=[collector])


def test_what_is_printed(capsys):
    run(FlopsUtilizationCollector(2, computility=10e6))
    first, *rest = capsys.readouterr().out.splitlines()
    numbers = "Full model flops is 6400.0, Full hardware flops is 6400.0, Shard model flops is 6400.0, "
    assert first == numbers + "Shard hardware flops is 6400.0."
    line = r"Train per step time: +[\d.]+ ms mfu:[\d.]+% hfu:[\d.]+%"
    assert [bool(re.fullmatch(line, text)) for text in rest] == [True, True]


def test_files(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    run(FlopsUtilizationCollector(2, enable_ma_collector=True))
    assert capsys.readouterr().out == ""
    assert (
        (tmp_path / "flops_rank_0.txt")
        .read_text()
        .startswith('flops{type="model_flops", rank_id="0"} 6400.0 ')
    )
    assert (tmp_path / "time_step_rank_0.txt").read_text().startswith('time_monitor{type="per_step_time"')


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TypeError, {"data_size": 1.5}),
        (ValueError, {"data_size": 0}),
        (TypeError, {"data_size": 1, "full_flops": 1}),
        (TypeError, {"data_size": 1, "enable_ma_collector": 1}),
    ],
)
def test_what_is_refused(error, options):
    with pytest.raises(error):
        FlopsUtilizationCollector(**options)
