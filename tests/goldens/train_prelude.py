"""The beginning of the programs in train_cases.py; the framework is imported as `mindspore` before."""

import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    ReduceLROnPlateau,
    RunContext,
)

X = np.random.RandomState(0).randn(12, 3).astype(np.float32)
Y = X @ np.ones((3, 2), np.float32)
folder = tempfile.mkdtemp()


def data():
    return ds.NumpySlicesDataset({"x": X, "y": Y}, shuffle=False).batch(4)


def Net():
    return nn.Dense(3, 2, weight_init="zeros", bias_init="zeros")


def model(metrics=None):
    net = Net()
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics=metrics)


class Seen(Callback):
    """Writes all events down."""

    def __init__(self):
        self.log = []


def _event(name):
    def seen(self, run_context):
        now = run_context.original_args()
        self.log.append((name, now.get("cur_epoch_num"), now.get("cur_step_num"), now.get("mode")))

    return seen


for mode in ("train", "eval"):
    for event in ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end"):
        setattr(Seen, f"on_{mode}_{event}", _event(f"on_{mode}_{event}"))

NAMES = {name: value for name, value in list(globals().items()) if not name.startswith("_")}
__all__ = [
    "NAMES",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "ReduceLROnPlateau",
    "RunContext",
    "Tensor",
    "ms",
    "os",
]  # fmt: skip
