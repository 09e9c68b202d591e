"""Checkpoints with changed weights."""

import numpy as np
import pytest

import msjax as ms
from msjax import nn


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Dense(2, 3), nn.Dense(3, 2)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Block()
        self.blocks = nn.CellList([Block(), Block()])
        self.fc1 = nn.Dense(2, 2)


@pytest.fixture
def saved(tmp_path):
    net = Net()
    (tmp_path / "rank_0").mkdir()
    for path in ("net.ckpt", "rank_0/other.ckpt"):
        ms.save_checkpoint(net, str(tmp_path / path))
    return net, tmp_path


def factor(net, path, name):
    given = (
        ms.load_checkpoint(str(path))[name].asnumpy()
        / {p.name: p for p in net.get_parameters()}[name].asnumpy()
    )
    return given.ravel()


def test_weights_of_modules_are_multiplied(saved):
    net, folder = saved
    kept = ms.obfuscate_ckpt(net, str(folder), ["body", "fc1|fc2"], saved_path=str(folder))
    inverse = float(kept["obf_metadata"][0])
    for path in ("net_obf.ckpt", "rank_0/other_obf.ckpt"):
        for name in ("body.fc1.weight", "body.fc2.weight"):
            np.testing.assert_allclose(factor(net, folder / path, name), 1 / inverse, rtol=1e-3)
        np.testing.assert_allclose(factor(net, folder / path, "fc1.weight"), 1)


@pytest.mark.parametrize(("scale", "possible"), [(2, {1}), (3, {2}), (3.5, {2, 3})])
def test_no_file_is_saved_as_it_was(saved, scale, possible):
    net, folder = saved
    inverses = [
        ms.obfuscate_ckpt(
            net, str(folder), ["body", "fc1"], saved_path=str(folder / "rank_0"), obfuscate_scale=scale
        )["obf_metadata"][0]
        for _ in range(20)
    ]
    assert {round(float(1 / inverse)) for inverse in inverses} <= possible


def test_layers_that_repeat(saved):
    net, folder = saved
    with pytest.raises(ValueError, match="do not exist"):
        ms.obfuscate_ckpt(net, str(folder), ["blocks", "nope"], saved_path=str(folder))
    config = {
        "obf_metadata_config": [
            {
                "name": "obf_metadata_${layer}",
                "shape": [1],
                "type": "random",
                "layers": [0, 1],
                "save_metadata": True,
            }
        ],
        "weight_obf_config": [
            {
                "target": "blocks/${layer}/fc1/weight",
                "layers": [0, 1],
                "weight_obf_ops": [{"name": "mul", "input_x": "weight", "input_y": "obf_metadata_${layer}"}],
            }
        ],
        "network_obf_config": [],
    }
    kept = ms.obfuscate_ckpt(net, str(folder), obf_config=config, saved_path=str(folder))
    for layer in (0, 1):
        found = factor(net, folder / "net_obf.ckpt", f"blocks.{layer}.fc1.weight")
        np.testing.assert_allclose(found, float(kept[f"obf_metadata_{layer}"][0]), rtol=1e-3)


def test_rows_are_permuted_and_columns_mixed(saved):
    net, folder = saved
    config = {
        "obf_metadata_config": [
            {"name": "obf_metadata_p", "shape": [3], "type": "rearrange", "save_metadata": True},
            {"name": "obf_metadata_m", "shape": [2, 2], "type": "rearrange", "save_metadata": True},
        ],
        "weight_obf_config": [
            {
                "target": "body/fc1/weight",
                "weight_obf_ops": [
                    {"name": "permuate", "input_x": "obf_metadata_p", "input_y": ""},
                    {"name": "matmul", "input_x": "weight", "input_y": "obf_metadata_m", "transpose_b": True},
                ],
            }
        ],
    }
    kept = ms.obfuscate_ckpt(net, str(folder), obf_config=config, saved_path=str(folder))
    expected = net.body.fc1.weight.asnumpy()[kept["obf_metadata_p"]] @ kept["obf_metadata_m"].T
    found = ms.load_checkpoint(str(folder / "net_obf.ckpt"))["body.fc1.weight"].asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_an_empty_path_changes_nothing_and_says_so(saved):
    net, folder = saved
    with pytest.warns(UserWarning, match="nothing in"):
        ms.obfuscate_ckpt(net, str(folder), ["", "fc1"], saved_path=str(folder))
    np.testing.assert_allclose(factor(net, folder / "net_obf.ckpt", "fc1.weight"), 1)
    assert ms.load_obf_params_into_net(net, ["", "fc1"]) is net


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (TypeError, {"network": 3}),
        (ValueError, {"ckpt_files": "nope"}),
        (TypeError, {"saved_path": 3}),
        (TypeError, {"target_modules": "body"}),
        (ValueError, {"target_modules": ["body"]}),
        (TypeError, {"target_modules": ["body", 3]}),
        (ValueError, {"target_modules": ["nope", "fc1"]}),
        (ValueError, {"target_modules": ["bo dy", "fc1"]}),
        (ValueError, {"target_modules": ["body", "fc1", "layers"]}),
        (TypeError, {"obf_config": 3}),
        (ValueError, {"obf_config": {}}),
        (TypeError, {"obf_config": {"other": []}}),
        (ValueError, {"obfuscate_scale": 1}),
    ],
)
def test_what_must_fail(saved, error, change):
    net, folder = saved
    given = {
        "network": net,
        "ckpt_files": str(folder),
        "target_modules": ["body", "fc1"],
        "saved_path": str(folder),
    }
    with pytest.raises(error):
        ms.obfuscate_ckpt(**given | change)
