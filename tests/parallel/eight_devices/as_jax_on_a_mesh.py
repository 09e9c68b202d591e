"""A network as a pure function, with its Parameters on a mesh of 2 x 4 devices, trained with optax."""

import re

import jax
import numpy as np
import optax
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import msjax as ms
from msjax import nn, ops
from msjax.interop import as_jax, partition_parameters

RULES = {"*.fc1.weight": P("model", None), "*.fc1.bias": P("model"), "*.fc2.weight": P(None, "model")}


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm((16,))
        self.fc1, self.fc2 = nn.Dense(16, 64), nn.Dense(64, 16)

    def construct(self, x):
        return x + self.fc2(ops.gelu(self.fc1(self.norm(x))))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.SequentialCell(Block(), Block())
        self.head = nn.Dense(16, 10)

    def construct(self, x, label):
        return ops.cross_entropy(self.head(self.blocks(x)), label)


@pytest.fixture
def net():
    ms.set_seed(1)
    return Net()


def _mesh():
    return jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def _batches():
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(32, 16)).astype("f"), rng.integers(0, 10, 32).astype("i")) for _ in range(5)]


def _train(apply, params, place=lambda batch: batch):
    rule = optax.adamw(0.01)
    slots = jax.jit(rule.init)(params)

    @jax.jit
    def step(params, slots, batch):
        loss, grads = jax.value_and_grad(apply)(params, *batch)
        updates, slots = rule.update(grads, slots, params)
        return optax.apply_updates(params, updates), slots, loss

    losses = []
    for batch in map(place, _batches()):
        params, slots, loss = step(params, slots, batch)
        losses.append(float(loss))
    return losses, params, step.lower(params, slots, batch).compile().as_text()


def test_losses_are_those_of_one_device(net):
    apply, params = as_jax(net)
    expected, alone, _ = _train(apply, params)
    mesh = _mesh()
    rows = NamedSharding(mesh, P("data"))
    placed = jax.device_put(params, partition_parameters(net, RULES, mesh))
    losses, trained, text = _train(apply, placed, lambda batch: jax.device_put(batch, rows))
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for name, value in trained.items():
        np.testing.assert_allclose(value, alone[name], rtol=1e-4, atol=2e-5, err_msg=name)
    weight = trained["blocks.0.fc1.weight"]
    assert weight.addressable_shards[0].data.shape == (16, 16)
    # Tensor parallelism needs sums only: no weight or activation is gathered.
    assert "all-reduce" in text
    assert not re.search("all-gather|all-to-all|collective-permute|reduce-scatter", text)


def test_rules_that_cannot_be_kept_are_refused(net):
    mesh = _mesh()
    for rules, message in (
        ({"nothing.*": P("model")}, "nothing"),
        ({"head.weight": P("model", None)}, r"axis of 10.*4 equal parts"),
        ({"head.bias": P(None, "model")}, "has 1 axes"),
        ({"head.*": P("pipe")}, "'pipe'"),
    ):
        with pytest.raises(ValueError, match=message):
            partition_parameters(net, rules, mesh)
    with pytest.raises(ValueError, match=r"AxisType\.Auto"):
        partition_parameters(net, RULES, jax.make_mesh((2, 4), ("data", "model"), (AxisType.Explicit,) * 2))


def test_the_first_pattern_counts_and_names_are_enough(net):
    mesh = _mesh()
    shapes = {"a.weight": jax.ShapeDtypeStruct((8, 4), "f"), "b.weight": jax.ShapeDtypeStruct((8,), "f")}
    found = partition_parameters(shapes, {"a.*": P(("data", "model")), "*.weight": P("model")}, mesh)
    assert {name: s.spec for name, s in found.items()} == {
        "a.weight": P(("data", "model")),
        "b.weight": P("model"),
    }
