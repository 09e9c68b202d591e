"""`parallel` for one process; what fails fails as MindSpore 2.10 does on one CPU."""

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, Tensor, nn, ops, parallel
from msjax.parallel import Layout
from msjax.parallel.auto_parallel import AutoParallel


def weight(*values, name="w"):
    return Parameter(Tensor(list(values), ms.float32), name=name)


def test_layout():
    layout = Layout((2, 2, 2), ("dp", "sp", "mp"))
    assert layout("dp", "mp").to_dict() == {
        "device_matrix": (2, 2, 2),
        "tensor_map": (2, 0),
        "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"),
        "rank_list": list(range(8)),
    }
    assert layout(("dp", "sp"), "None", ("mp", "None")).to_dict()["tensor_map"] == ((2, 1), -1, (0, -1))
    shared = Layout((2, 2), ("dp", "interleaved_parallel"), [3, 2, 1, 0])("dp").to_dict()
    assert (shared["interleaved_parallel"], shared["rank_list"]) == (True, [3, 2, 1, 0])


def test_what_one_process_runs(tmp_path):
    net = nn.Dense(2, 2)
    assert ms.shard(net, ((1, 1),)) is net
    assert ms.rank_list_for_transform(1) == parallel.rank_list_for_convert(0) == [0]
    assert ms.sync_pipeline_shared_parameters(net) is None
    assert ms.parameter_broadcast(net, {"weight": None}) is None
    (tmp_path / "rank_0").mkdir()
    for name, at in (("weight", "a"), ("bias", "b")):
        ms.save_checkpoint(
            [{"name": name, "data": net.parameters_dict()[name]}], str(tmp_path / f"rank_0/{at}.ckpt")
        )
    found = ms.load_segmented_checkpoints(str(tmp_path / "rank_0"))
    np.testing.assert_array_equal(found["weight"].asnumpy(), net.weight.asnumpy())
    ms.transform_checkpoints(str(tmp_path), str(tmp_path / "new"), "net")
    assert list(ms.load_checkpoint(str(tmp_path / "new/rank_0/net0.ckpt"))) == ["bias"]
    with pytest.raises(ValueError, match="must be 'ckpt'"):
        ms.transform_checkpoints(str(tmp_path), str(tmp_path / "new"), "net", output_format="safetensors")
    with pytest.raises(ValueError, match="cannot be read as a strategy file"):
        ms.rank_list_for_transform(0, str(tmp_path / "rank_0/a.ckpt"))


def test_slices_are_merged():
    merged = ms.merge_sliced_parameter([weight(1, 2), weight(3)])
    assert (merged.name, merged.asnumpy().tolist(), merged.requires_grad) == ("w", [1, 2, 3], True)
    with pytest.raises(KeyError, match="'w'"):
        ms.merge_sliced_parameter([weight(1)], {"v": ()})


def test_a_parallel_network():
    dense = nn.Dense(2, 2)
    net = AutoParallel(dense, parallel_mode="sharding_propagation")
    for call in (
        lambda: net.no_init_parameters_in_compile(),
        lambda: net.hsdp(shard_size=8, threshold=0, optimizer_level="level2"),
        lambda: net.pipeline(stages=1, scheduler="gpipe"),
        lambda: net.comm_fusion({"allreduce": {"mode": "auto", "config": None}}),
        lambda: net.dataset_strategy(((1, 2), Layout((1,), ("dp",))("dp"))),
        lambda: net.print_local_norm(),
        lambda: net.save_param_strategy_file("./strategy.ckpt"),
        lambda: net.save_operator_strategy_file("/tmp/strategy.json"),
        lambda: net.transformer_opt(None),
    ):
        assert call() is None
    x = ops.ones((1, 2))
    np.testing.assert_array_equal(net(x).asnumpy(), dense(x).asnumpy())
    np.testing.assert_allclose(ms.jit(net)(x).asnumpy(), dense(x).asnumpy(), rtol=1e-6)
    assert [p.name for p in net.trainable_params()] == ["weight", "bias"]
    net.pipeline(2)
    assert net.get_pipeline_stages() == 2
    np.testing.assert_array_equal(net(x).asnumpy(), dense(x).asnumpy())


NET = AutoParallel(nn.Flatten())
FAILS = {
    TypeError: (
        lambda: Layout([2], ("a",)),
        lambda: Layout((2,), ["a"]),
        lambda: Layout((2.0,), ("a",)),
        lambda: Layout((2,), (3,)),
        lambda: Layout((2,), ("a",), (0, 1)),
        lambda: Layout((2,), ("a",), [0, 1.0]),
        lambda: ms.merge_sliced_parameter(3),
        lambda: ms.merge_sliced_parameter([1, 2]),
        lambda: ms.merge_sliced_parameter([weight(1)], 3),
        lambda: ms.rank_list_for_transform("a"),
        lambda: ms.sync_pipeline_shared_parameters(3),
        lambda: ms.load_segmented_checkpoints(3),
        lambda: NET.comm_fusion(3),
        lambda: NET.pipeline("a"),
        lambda: NET.dataset_strategy([1]),
        lambda: NET.dump_local_norm(3),
        lambda: NET.transformer_opt(3),
    ),
    ValueError: (
        lambda: Layout((2, 2), ("a",)),
        lambda: Layout((2,), ("",)),
        lambda: Layout((2,), ("None",)),
        lambda: Layout((2, 2), ("a", "a")),
        lambda: Layout((2, 2), ("interleaved_parallel", "a")),
        lambda: Layout((2,), ("a",), [0, 1, 2]),
        lambda: Layout((2,), ("a",))("c"),
        lambda: Layout((2,), ("a",))("a", "a"),
        lambda: Layout((2,), ("a",))(1),
        lambda: Layout((2,), ("a",)).to_dict(),
        lambda: ms.merge_sliced_parameter([]),
        lambda: ms.merge_sliced_parameter([Parameter(Tensor(1.0), name="w")]),
        lambda: ms.merge_sliced_parameter([weight(1), weight(1, name="v")]),
        lambda: ms.rank_list_for_transform(0, "nope"),
        lambda: ms.load_segmented_checkpoints("/nope"),
        lambda: ms.transform_checkpoints("/nope", "/nope", "a"),
        lambda: ms.transform_checkpoint_by_rank(0, {0: "nope.ckpt"}, "x.ckpt"),
        lambda: ms.parameter_broadcast(nn.Dense(2, 2), {"other": None}),
        lambda: AutoParallel(nn.Flatten(), "x"),
        lambda: NET.dataset_strategy("x"),
        lambda: NET.dataset_strategy(None),
        lambda: NET.pipeline(0),
        lambda: NET.pipeline(scheduler="x"),
        lambda: NET.hsdp(0),
        lambda: NET.hsdp(True),
        lambda: NET.transformer_opt("nope.json"),
    ),
    KeyError: (
        lambda: NET.save_operator_strategy_file("x.json"),
        lambda: NET.load_operator_strategy_file("/x.txt"),
    ),
}


@pytest.mark.parametrize("error", FAILS)
def test_what_must_fail(error):
    for number, call in enumerate(FAILS[error]):
        with pytest.raises(error) as raised:
            call()
        assert raised.type is error, number
        assert "must" in str(raised.value) or "`" in str(raised.value)
