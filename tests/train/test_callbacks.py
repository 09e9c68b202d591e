"""Callbacks are entered before a run begins and left after it, whatever happens."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from msjax import dataset as ds
from msjax.train import (
    Callback,
    CheckpointConfig,
    LambdaCallback,
    LossMonitor,
    Model,
    ModelCheckpoint,
    RunContext,
)
from msjax.train.callback.base import RunParameters


class _Log(Callback):
    def __init__(self, returned=True, fails=False):
        self.events, self.returned, self.fails = [], returned, fails

    def __enter__(self):
        self.events.append("enter")
        return self if self.returned else None

    def __exit__(self, kind, *error):
        self.events.append(f"exit {kind.__name__ if kind else None}")

    def begin(self, run_context):
        self.events.append("begin")

    def step_end(self, run_context):
        if self.fails:
            raise RuntimeError("stopped")

    def end(self, run_context):
        self.events.append("end")


@pytest.fixture
def model():
    net = nn.Dense(2, 1)
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01), metrics={"mse"})


@pytest.fixture
def data():
    columns = {"x": np.ones((2, 2), np.float32), "y": np.ones((2, 1), np.float32)}
    return ds.NumpySlicesDataset(columns, shuffle=False).batch(2)


@pytest.mark.parametrize("returned", [True, False])
def test_runs_enter_and_leave(model, data, returned):
    log = _Log(returned)
    model.train(1, data, callbacks=log)
    model.eval(data, callbacks=[log])
    assert log.events == ["enter", "begin", "end", "exit None"] * 2


def test_left_after_an_error(model, data):
    log, later = _Log(fails=True), _Log()
    with pytest.raises(RuntimeError, match="stopped"):
        model.fit(1, data, data, callbacks=[log, later])
    assert log.events == later.events == ["enter", "begin", "exit RuntimeError"]


class _Printer(LossMonitor):
    def on_eval_end(self, run_context):
        self.seen = True


def test_an_evaluation_within_fit_enters_own_callbacks_anew_and_skips_built_in_ones(model, data):
    """Recorded: MindSpore tells its own classes (by name; TimeMonitor excepted) nothing of evaluations within `fit`."""
    log, printer, told = _Log(), _Printer(), []
    built_in = LambdaCallback(on_eval_begin=told.append, on_train_begin=lambda run: told.append("train"))
    model.fit(1, data, data, callbacks=[log, printer, built_in])
    assert log.events == ["enter", "begin", "enter", "begin", "end", "exit None", "end", "exit None"]
    assert printer.seen
    assert told == ["train"]


def test_a_loss_with_other_outputs_is_printed_as_a_tensor_and_may_overflow(capsys):
    """Recorded: `epoch: 1 step: 1, loss is inf`, and training goes on: a step with a loss scale left the update out."""
    now = RunParameters(
        cur_epoch_num=1, cur_step_num=1, batch_num=1, net_outputs=(Tensor(np.inf, ms.float32), Tensor(True))
    )
    LossMonitor().step_end(RunContext(now))
    now.net_outputs = (Tensor(1.4855933, ms.float32), Tensor(False))
    LossMonitor().step_end(RunContext(now))
    assert capsys.readouterr().out == "epoch: 1 step: 1, loss is inf\nepoch: 1 step: 1, loss is 1.4855933\n"
    now.net_outputs = now.net_outputs[0] * np.inf
    with pytest.raises(ValueError, match="loss is NAN or INF"):
        LossMonitor().step_end(RunContext(now))


@pytest.mark.parametrize(
    "settings", [{"save_checkpoint_steps": 0, "save_checkpoint_seconds": 0}, {"async_save": True}]
)
def test_at_the_end_of_training_files_are_whole(tmp_path: Path, settings: dict[str, Any]) -> None:
    net = nn.Dense(2, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    rows = ds.NumpySlicesDataset((np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)), shuffle=False)
    saving = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(**settings))
    model.train(1, rows.batch(2), callbacks=[saving], dataset_sink_mode=False)
    wanted = ["net-1_1.ckpt", "net-1_2.ckpt"] if "async_save" in settings else []
    assert sorted(path.name for path in tmp_path.iterdir()) == wanted
