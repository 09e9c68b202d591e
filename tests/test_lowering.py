"""Compiled programs are fit for other devices, and hold no float64 where the user asked for none."""

import re

import jax
import numpy as np
import pytest
from jax import export

import msjax as ms
from msjax import amp, nn, ops
from msjax.core.xla import channels_last
from tests.lowered import float64_in


class Net(nn.Cell):
    """The layers of the demo and those that draw or keep state."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="same")
        self.bn = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.flat = nn.Flatten()
        self.drop = nn.Dropout(p=0.5)
        self.norm = nn.LayerNorm((64,))
        self.fc = nn.Dense(64, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.bn(self.conv(x))))
        return self.fc(self.norm(self.drop(self.flat(x))))


OPTIMIZERS = {
    "Momentum": lambda params: nn.Momentum(params, 0.01, 0.9, weight_decay=1e-4),
    "SGD": lambda params: nn.SGD(params, 0.01),
    "Adam": lambda params: nn.Adam(params, 0.01),
    "AdamWeightDecay": lambda params: nn.AdamWeightDecay(params, 0.01),
}


def _entry(optimizer):
    ms.set_seed(0)
    net, loss_fn, scaler = Net(), nn.CrossEntropyLoss(), amp.StaticLossScaler(1024.0)
    net.set_train()
    rule = OPTIMIZERS[optimizer](net.trainable_params())
    forward = ms.value_and_grad(lambda x, y: scaler.scale(loss_fn(net(x), y)), None, rule.parameters)

    @ms.jit
    def step(x, y):
        loss, grads = forward(x, y)
        grads = scaler.unscale(grads)
        rule(ops.clip_by_global_norm(grads, 1.0))
        return scaler.unscale(loss), amp.all_finite(grads)

    x, y = ms.Tensor(np.ones((4, 1, 8, 8), np.float32)), ms.Tensor(np.zeros(4, np.int32))
    for _ in range(3):
        loss, finite = step(x, y)
    assert np.isfinite(float(loss))
    assert bool(finite)
    assert step.programs == 1
    (entries,) = step._entries.values()
    return entries[0], [x, y]


def _arrays(entry, arguments):
    owners = entry.traced.read(arguments)
    slots = entry.traced.captured
    values = {
        slot.key: jax.ShapeDtypeStruct(o._value.shape, o._value.dtype)
        for slot, o in zip(slots, owners, strict=True)
    }
    args = [jax.ShapeDtypeStruct(a.array.shape, a.array.dtype) for a in arguments]
    return [values[slot.key] for slot in entry.given], [values[slot.key] for slot in entry.rest], args


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_training_step_lowers_for_every_device_without_float64(optimizer, monkeypatch):
    entry, arguments = _entry(optimizer)
    for platform in ("cpu", "cuda", "tpu"):
        if platform != jax.default_backend():  # as it would be made there
            monkeypatch.setattr(channels_last, "pays_off", lambda closed: False)
            entry._split()
        text = export.export(entry.run, platforms=[platform])(*_arrays(entry, arguments)).mlir_module()
        assert not float64_in(text)
        assert "callback" not in text
        transposed = re.findall(r"stablehlo\.transpose .*-> tensor<((?:\d+x)+)", text)
        images = [shape for shape in transposed if shape.count("x") == 4]
        if channels_last.pays_off(
            entry.traced.closed
        ):  # into and out of the flat layers, forward and backward; a scale and a shift
            assert 0 < len(images) <= 4
        else:  # the compiler of the platform chooses the layout
            assert not images


def test_a_training_step_gives_its_state_to_be_overwritten():
    entry, _ = _entry("Momentum")
    trained = 7 + 2 + 7 + 1  # Parameters, moving averages, momenta; the random state
    assert len(entry.given) >= trained
