"""Checkpoints of PyTorch's under the names of the ported program."""

import numpy as np
import pytest
from click.testing import CliRunner

import msjax as ms
from msjax import torch
from msjax.cli import commands
from msjax.cli.port import weights


class Net(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = ms.nn.Conv1d(2, 3, 3, pad_mode="pad", has_bias=True)
        self.bn = ms.nn.BatchNorm1d(3)
        self.table = ms.nn.Embedding(5, 4)
        self.blocks = ms.nn.SequentialCell(ms.nn.Dense(4, 4), ms.nn.LayerNorm((4,)))


def state():
    r = np.random.RandomState(0)
    shapes = {
        "conv.weight": (3, 2, 3), "conv.bias": (3,), "bn.weight": (3,), "bn.bias": (3,), "bn.running_mean": (3,),
        "bn.running_var": (3,), "table.weight": (5, 4), "blocks.0.weight": (4, 4), "blocks.0.bias": (4,),
        "blocks.1.weight": (4,), "blocks.1.bias": (4,),
    }  # fmt: skip
    return {name: r.rand(*shape).astype("float32") for name, shape in shapes.items()} | {
        "bn.num_batches_tracked": np.array(7)
    }


def test_names_and_shapes_become_those_of_the_cell():
    given, like = state(), dict(Net().parameters_and_names())
    found = weights.convert(given, like)
    assert set(found) == set(like)
    np.testing.assert_array_equal(found["bn.gamma"], given["bn.weight"])
    np.testing.assert_array_equal(found["bn.moving_variance"], given["bn.running_var"])
    np.testing.assert_array_equal(found["table.embedding_table"], given["table.weight"])
    np.testing.assert_array_equal(found["blocks.1.beta"], given["blocks.1.bias"])
    assert found["conv.weight"].shape == (3, 2, 1, 3)


def test_what_is_not_of_the_net_is_said():
    given, like = state(), dict(Net().parameters_and_names())
    with pytest.raises(ValueError, match=r"no place for head\.weight"):
        weights.convert(given | {"head.weight": np.ones((2, 2))}, like)
    del given["bn.bias"]
    with pytest.raises(ValueError, match=r"nothing for bn\.beta"):
        weights.convert(given, like)
    with pytest.raises(ValueError, match=r"`blocks.0.weight` has shape \(2, 8\)"):
        weights.convert(state() | {"blocks.0.weight": np.ones((2, 8))}, like)


def test_tied_parameters_have_one_name():
    value = np.arange(20, dtype="float32").reshape(5, 4)
    given = {"wte.weight": value, "head.weight": value}
    assert set(weights.convert(given, {"wte.embedding_table": value})) == {"wte.embedding_table"}


def test_constants_are_not_tied_by_chance():
    given = {"fc.bias": np.zeros(3, "float32"), "head.bias": np.zeros(3, "float32")}
    with pytest.raises(ValueError, match=r"no place for head\.bias"):
        weights.convert(given, {"fc.bias": given["fc.bias"]})


def test_the_count_of_batches_goes_where_a_cell_keeps_it():
    given = {n: v for n, v in state().items() if n.startswith("bn.")}
    like = {f"bn.{n}": p for n, p in ms.mint.nn.BatchNorm1d(3).parameters_and_names()}
    assert weights.convert(given, like).keys() == given.keys() == like.keys()
    assert weights.convert(given, like)["bn.num_batches_tracked"] == 7


def test_prefixes_of_wrappers_go():
    found = weights.convert({"module.fc.weight": np.ones((2, 2))}, {"fc.weight": np.zeros((2, 2))})
    assert set(found) == {"fc.weight"}


def test_the_command_writes_a_checkpoint(tmp_path):
    net = Net()
    ms.save_checkpoint(net, str(tmp_path / "like.ckpt"))
    torch.save({"net": {k: torch.tensor(v) for k, v in state().items()}, "epoch": 3}, tmp_path / "net.pth")
    args = [
        "port",
        str(tmp_path / "net.pth"),
        "--like",
        str(tmp_path / "like.ckpt"),
        "-o",
        str(tmp_path / "new.ckpt"),
    ]
    result = CliRunner().invoke(commands, args, standalone_mode=False)
    assert result.exception is None, result.exception
    assert "11 parameters" in result.stderr
    assert ms.load_param_into_net(net, ms.load_checkpoint(str(tmp_path / "new.ckpt"))) == ([], [])
    np.testing.assert_array_equal(net.bn.gamma.asnumpy(), state()["bn.weight"])


def test_the_command_says_what_it_needs(tmp_path):
    path = tmp_path / "net.pth"
    torch.save({"a": torch.tensor([1.0])}, path)
    result = CliRunner().invoke(commands, ["port", str(path), "-o", "x.ckpt"], standalone_mode=False)
    assert "--like" in str(result.exception)
    with pytest.raises(ValueError, match="one state dict"):
        weights.state_in({"epoch": 3})
