"""Times that callbacks measure are those of steps: outputs are there when a step ends, and nobody waits in vain."""

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import nn
from msjax.train import Callback, LambdaCallback, ModelCheckpoint, TimeMonitor

X, Y = np.ones((6, 3), np.float32), np.ones((6, 1), np.float32)


class OnTrain(Callback):
    def on_train_step_end(self, run_context):
        pass


class OnBoth(Callback):
    def step_end(self, run_context):
        pass


class OnEpochs(Callback):
    def epoch_end(self, run_context):
        pass


@pytest.fixture
def waited(monkeypatch):
    """Shapes of what was waited for."""
    found, wait = [], jax.block_until_ready

    def record(arrays):
        found.append([a.shape for a in arrays])
        return wait(arrays)

    monkeypatch.setattr(jax, "block_until_ready", record)
    return found


def model():
    net = nn.Dense(3, 1)
    return ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), metrics={"loss"})


def data():
    return ms.dataset.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(2)


@pytest.mark.parametrize(
    ("callbacks", "times"),
    [
        (lambda: None, 0),
        (OnTrain, 3 + 1),
        (OnBoth, 3 + 1),
        (OnEpochs, 1),
        (TimeMonitor, 1),
        (lambda: TimeMonitor(data_time=True), 3 + 1),
        (lambda: LambdaCallback(on_train_step_end=print), 3 + 1),
        (lambda: LambdaCallback(on_train_end=print), 1),
        (lambda: [OnEpochs(), OnTrain()], 3 + 1),
    ],
)
def test_steps_are_waited_for_where_someone_may_look_at_the_clock(waited, callbacks, times):
    model().train(1, data(), callbacks())
    assert waited == [[()]] * times


def test_saving_waits_for_no_step(waited, tmp_path):
    model().train(1, data(), ModelCheckpoint(directory=str(tmp_path)))
    assert waited == [[()]]


def test_evaluations_too(waited):
    model().eval(data(), OnBoth())
    assert len(waited) == 3 + 1
    waited.clear()
    model().eval(data(), OnTrain())
    assert len(waited) == 1


def test_the_loss_is_there():
    ready = []

    class Look(Callback):
        def on_train_step_end(self, run_context):
            ready.append(run_context.original_args().net_outputs.array.is_ready())

    model().train(2, data(), Look())
    assert ready == [True] * 6
