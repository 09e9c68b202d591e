"""Checkpoints of spread Parameters: a run on 4 devices goes on with 2, 8 or 1, and on 4 as if it had not stopped."""

import numpy as np
import pytest

import msjax as ms
from msjax import nn
from msjax.core.jit.placement import Placement, place_everywhere


@pytest.fixture(autouse=True)
def alone():
    yield
    place_everywhere(None)


def _step():
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 8))
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 0.01)
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()


def _train(step, first, last):
    losses = []
    for i in range(first, last):
        rng = np.random.default_rng(i)
        x, y = (ms.Tensor(rng.normal(size=(16, width)).astype("f")) for width in (16, 8))
        losses.append(step.compile_and_run(x, y).asnumpy())
    return losses


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Losses of five steps on 4 devices that cut their Parameters, and a checkpoint after the third."""
    place_everywhere(Placement(count=4, shards_parameters=True))
    step = _step()
    losses = _train(step, 0, 3)
    assert step.network._backbone[0].weight._value.addressable_shards[0].data.shape == (8, 16)
    folder = tmp_path_factory.mktemp("checkpoints")
    for form in ("ckpt", "safetensors"):
        ms.save_checkpoint(step, str(folder / f"step.{form}"), format=form)
    return losses + _train(step, 3, 5), folder


@pytest.mark.parametrize(
    ("devices", "form"), [(4, "ckpt"), (2, "ckpt"), (8, "ckpt"), (1, "ckpt"), (4, "safetensors")]
)
def test_it_goes_on(devices, form, stopped):
    losses, folder = stopped
    place_everywhere(Placement(count=devices, shards_parameters=True, optional=True) if devices > 1 else None)
    step = _step()
    _train(step, 7, 8)  # programs and places are there before the checkpoint is read
    compiled = step._compiled._entries.values()
    missing = ms.load_param_into_net(step, ms.load_checkpoint(str(folder / f"step.{form}"), format=form))
    assert missing == ([], [])
    found = _train(step, 3, 5)
    assert [entry.run._cache_size() for kept in compiled for entry in kept] == [1]
    np.testing.assert_allclose(found, losses[3:], rtol=0 if devices == 4 else 1e-5)
    parts = step.network._backbone[0].weight._value.addressable_shards
    assert len(parts) == devices
    assert parts[0].data.shape == (32 // devices, 16)


@pytest.mark.parametrize("name", ["cuts.ckpt", "cuts.json"])
def test_a_strategy_file_says_how_parameters_lie(name, tmp_path):
    file = str(tmp_path / name)
    where = Placement(shards_parameters=True, save_file=file)
    place_everywhere(where)
    step = _step()
    losses = _train(step, 0, 2)
    layouts = ms.parallel.build_searched_strategy(file)
    weights = {p.name: p for p in step.get_parameters()}
    assert {"0.weight", "2.bias", "adam_m.0.weight", "adam_v.2.bias"} <= set(layouts)
    for key, layout in layouts.items():
        array = weights[key]._value
        for shard in array.addressable_shards:
            rank = shard.device.id
            cut = [slice(*part.indices(n)[:2]) for part, n in zip(shard.index, array.shape, strict=True)]
            assert list(layout.cuts.slices(rank, array.shape)) == cut
    # A program that was told nothing else follows the file.
    place_everywhere(Placement(load_file=file))
    again = _step()
    assert _train(again, 0, 2) == losses
    for p in again.get_parameters():
        if p.name in layouts:
            assert p._value.sharding.is_equivalent_to(weights[p.name]._value.sharding, p.ndim)
    place_everywhere(Placement(count=4, load_file=file))
    with pytest.raises(ValueError, match=r"lies on a grid \(8,\) of processes, and there are 4"):
        _train(_step(), 0, 1)
