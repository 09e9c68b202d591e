"""`msjax run --devices 8`: a program that knows nothing of it trains on eight devices as on one."""

import re

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import dataset, interop, nn, ops
from msjax.core.jit.placement import Placement, place_everywhere

PLACEMENTS = {"replicated": Placement(), "sharded": Placement(shards_parameters=True)}


@pytest.fixture(autouse=True)
def alone():
    yield
    place_everywhere(None)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.drop = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Dropout(p=0.3)
        self.fc = nn.Dense(8 * 16, 10)

    def construct(self, x):
        return self.fc(self.drop(ops.relu(self.norm(self.conv(x)))).reshape(x.shape[0], -1))


def _data():
    rng = np.random.default_rng(0)
    rows = {"x": rng.normal(size=(77, 3, 4, 4)).astype("f"), "y": rng.integers(0, 10, 77).astype("i")}
    return dataset.NumpySlicesDataset(rows, shuffle=False).batch(16)  # 16, 16, 16, 16, 13


class _Losses(ms.train.Callback):
    def __init__(self):
        self.losses = []

    def on_train_step_end(self, run_context):
        self.losses.append(float(run_context.original_args().net_outputs.asnumpy()))


def _train(how):
    """Losses, Parameters as arrays, the network and the optimizer after two epochs."""
    ms.set_seed(1)
    net, loss = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    seen = _Losses()
    if how == "Model":
        ms.train.Model(net, loss, optimizer).train(2, _data(), callbacks=[seen])
        return seen.losses, net, optimizer, None
    gradients = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    def step(x, y):
        value, grads = gradients(x, y)
        optimizer(grads)
        return value

    step = ms.jit(step)
    net.set_train()
    for _ in range(2):
        seen.losses += [float(step(x, y).asnumpy()) for x, y in _data()]
    return seen.losses, net, optimizer, step


@pytest.fixture(scope="module")
def expected():
    losses, net, *_ = _train("jit")
    return losses, {name: p.asnumpy() for name, p in net.parameters_and_names()}


@pytest.mark.parametrize(("how", "where"), [("Model", "sharded"), *[("jit", where) for where in PLACEMENTS]])
def test_losses_and_weights_are_those_of_one_device(how, where, expected):
    place_everywhere(PLACEMENTS[where])
    losses, net, optimizer, step = _train(how)
    np.testing.assert_allclose(losses, expected[0], rtol=1e-5)
    for name, p in net.parameters_and_names():
        np.testing.assert_allclose(p.asnumpy(), expected[1][name], rtol=1e-4, atol=1e-5, err_msg=name)
    for p in (net.fc.weight, optimizer.moment1[3]):
        parts = p._value.addressable_shards
        assert len(parts) == 8
        assert parts[0].data.shape == ((10, 16) if where == "sharded" else (10, 128))
    if how == "jit":  # one program for each size of a batch, compiled once
        assert [entry.run._cache_size() for kept in step._entries.values() for entry in kept] == [1, 1]


def _collectives(text):
    return set(
        re.findall(
            r"\b(all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(", text
        )
    )


def test_what_a_step_compiles_to():
    x, y = ops.ones((16, 64)), ops.zeros((16,), ms.int32)
    found = {}
    for where, placement in (("alone", None), *PLACEMENTS.items()):
        place_everywhere(placement)
        net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 8))
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
        )
        found[where] = interop.lower(step, x, y).compile()
    assert {where: _collectives(program.as_text()) for where, program in found.items()} == {
        "alone": set(),
        "replicated": {"all-reduce"},
        "sharded": {
            "all-reduce",
            "all-gather",
        },  # XLA on CPU sums gradients whole where others scatter the sums
    }
    size = {where: program.memory_analysis().argument_size_in_bytes for where, program in found.items()}
    assert size["sharded"] < size["alone"] / 6 < size["replicated"] / 6 + 1000


def test_batches_are_cut_when_they_are_read():
    place_everywhere(Placement())
    shapes = [[s.data.shape[0] for s in x._value.addressable_shards] for x, _ in _data()]
    assert shapes == [[2] * 8] * 4 + [[13]]


def test_an_eager_program():
    def train():
        weight = ms.Parameter(ms.Tensor(np.full((48, 4), 0.01, "f")))
        optimizer = nn.SGD([weight], 0.1)
        gradients = ms.value_and_grad(lambda x: ((x.reshape(-1, 48) @ weight) ** 2).mean(), None, [weight])
        losses = []
        for x, _ in _data():
            loss, grads = gradients(x)
            optimizer(grads)
            losses.append(float(loss.asnumpy()))
        return losses, weight

    expected, _ = train()
    place_everywhere(Placement())
    losses, weight = train()
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert len(weight._value.sharding.device_set) == 8


def test_evaluation_and_state_outside_of_compiled_steps():
    place_everywhere(Placement())
    ms.set_seed(1)
    net = Net().set_train(False)
    x = ms.Tensor(np.random.default_rng(0).normal(size=(24, 3, 4, 4)).astype("f"))
    expected = net(x).asnumpy()
    forward = ms.jit(net)
    np.testing.assert_allclose(forward(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6
    )  # eagerly, with Parameters on 8
    net.fc.weight.set_data(ms.Tensor(np.zeros((10, 128), "f")))
    assert len(net.fc.weight._value.sharding.device_set) == 8
    np.testing.assert_allclose(forward(x).asnumpy(), net.fc.bias.asnumpy()[None].repeat(24, 0), rtol=1e-6)


def test_too_many_devices_are_refused():
    place_everywhere(Placement(count=16))
    with pytest.raises(ValueError, match="16 devices were asked for, and there are 8"):
        ms.jit(ops.sin)(ops.ones((16,)))


def test_a_part_of_the_devices():
    place_everywhere(Placement(count=6))
    out = ms.jit(ops.sin)(ops.ones((9, 2)))
    assert len(out._value.sharding.device_set) == 6
    np.testing.assert_allclose(out.asnumpy(), np.sin(np.ones((9, 2))), rtol=1e-6)
    assert len(jax.devices()) == 8


def test_a_program_for_other_devices():
    net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Dense(128, 8))
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    x, y = ops.ones((16, 3, 4, 4)), ops.zeros((16,), ms.int32)
    loss = step.compile_and_run(x, y)
    for count, wanted in ((1, set()), (4, {"all-reduce"})):
        program = interop.lower(step, x, y, devices=jax.devices()[-count:]).compile()
        assert _collectives(program.as_text()) == wanted
        assert f"num_partitions={count}" in program.as_text() or count == 1
    assert step.compile_and_run(x, y) < loss
    assert len(net[0].weight._value.sharding.device_set) == step._compiled.programs == 1
    with pytest.raises(ValueError, match="`lower`: argument `devices`"):
        interop.lower(step, x, y, devices=[])


def test_what_a_program_prints_and_raises(capfd):
    place_everywhere(Placement())
    weight = ms.Parameter(ms.Tensor(np.ones((8, 4), "f")))

    @ms.jit
    def step(x):
        print("sum", x.sum())
        if x.sum() > 1000:
            raise ValueError("too large")
        weight.add_(1.0)
        return x @ weight

    x = ops.ones((16, 8))
    assert step(x).asnumpy()[0].tolist() == [16.0] * 4
    with pytest.raises(ValueError, match="too large"):
        step(x * 10)
    assert weight.asnumpy()[0, 0] == 2.0
    assert capfd.readouterr().out == "sum\n128\nsum\n1280\n"
    np.testing.assert_array_equal(ms.grad(lambda x: step(x).sum())(x).asnumpy(), np.full((16, 8), 12.0))
