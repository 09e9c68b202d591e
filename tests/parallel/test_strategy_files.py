"""Strategy files and checkpoints in parts: what MindSpore wrote is read, and parts become those of other grids."""

import itertools
import json

import numpy as np
import pytest

import msjax as ms
from msjax import nn
from msjax.files import strategy_file
from msjax.files.strategy_file import Dims, ParallelLayouts, StrategyFile
from msjax.parallel import transform

# Of MindSpore 2.10: two stages, what its `merge_pipeline_strategys` made of them, and a file of process groups.
FIRST_STAGE = (
    "080112110a05612e776f701208080012040801080212120a06746965646f70120808001204080108021a260a03612e77121f0a04080208"
    "02120d080008ffffffffffffffffff011a0022002800300038001a1e0a047469656412160a04080208021204080108001a002200280030"
    "003800"
)
SECOND_STAGE = (
    "080112110a05622e776f701208080112040801080212120a06746965646f70120808011204080108021a240a03622e77121d0a02080412"
    "0d080008ffffffffffffffffff011a0022002800300038001a270a0474696564121f0a0408020802120d080008ffffffffffffffffff01"
    "1a002200280030023802"
)
MERGED = (
    "080112110a05612e776f701208080012040801080212120a06746965646f701208080012040801080212110a05622e776f70120808011204"
    "0801080212120a06746965646f70120808011204080108021a280a05302d612e77121f0a0408020802120d080008ffffffffffffffffff01"
    "1a0022002800300038001a200a06302d7469656412160a04080208021204080108001a0022002800300038001a260a05312d622e77121d0a"
    "020804120d080008ffffffffffffffffff011a0022002800300038001a290a06312d74696564121f0a0408020802120d080008ffffffffff"
    "ffffffff011a002200280030023802"
)
GROUPS = "0a090a01671204080008011206080008030805"


def layout(grid, *places, **optimizer):
    several = any(isinstance(place, tuple) for place in places)
    maps = (
        [Dims(place if isinstance(place, tuple) else (place,)) for place in places]
        if several
        else [Dims(places)]
    )
    return ParallelLayouts((Dims(grid),), tuple(maps), **optimizer)


@pytest.fixture
def pipeline(tmp_path):
    (tmp_path / "stages").mkdir()
    for i, text in enumerate((FIRST_STAGE, SECOND_STAGE)):
        (tmp_path / "stages" / f"{i}.ckpt").write_bytes(bytes.fromhex(text))
    merged = str(tmp_path / "merged.ckpt")
    ms.parallel.merge_pipeline_strategys(str(tmp_path / "stages"), merged)
    return merged


def test_stages_are_merged_as_in_mindspore(pipeline, tmp_path):
    (tmp_path / "mindspore.ckpt").write_bytes(bytes.fromhex(MERGED))
    found = ms.parallel.build_searched_strategy(pipeline)
    assert found == ms.parallel.build_searched_strategy(str(tmp_path / "mindspore.ckpt"))
    assert list(found) == ["0-a.w", "0-tied", "1-b.w", "1-tied"]
    assert found["0-a.w"].tensor_map[0].dim == (0, -1)
    assert (found["1-tied"].opt_weight_shard_step, found["1-tied"].opt_weight_shard_size) == (2, 2)


def test_a_file_of_groups_is_read(tmp_path):
    (tmp_path / "groups.pb").write_bytes(bytes.fromhex(GROUPS))
    assert ms.parallel.restore_group_info_list(str(tmp_path / "groups.pb")) == [0, 3, 5]


@pytest.mark.parametrize("name", ["s.ckpt", "s.json"])
def test_what_is_written_is_read(name, tmp_path):
    wanted = StrategyFile(
        1,
        {"a": (0, (Dims((2, 4)),))},
        {
            "a": layout((2, 4), 1, 0),
            "b": layout((2, 2, 2), (0, 2), -1),
            "c": layout((2, 4), 0, opt_weight_shard_step=4, opt_weight_shard_size=2),
            "d": layout((8,)),
        },
    )
    strategy_file.write(str(tmp_path / name), wanted)
    assert strategy_file.read(str(tmp_path / name)) == wanted


def parts_of(whole, layouts, rank):
    """Return the part of a process by the definition: its place on the grid, row by row."""
    grid = layouts.dev_matrix[0].dim
    at = np.unravel_index(rank, grid)
    maps = [dims.dim for dims in layouts.tensor_map]
    maps = [(place,) for place in maps[0]] if len(maps) == 1 else maps
    out = whole
    for axis, places in enumerate(maps):
        for place in places:
            if place >= 0:
                out = np.split(out, grid[len(grid) - 1 - place], axis)[at[len(grid) - 1 - place]]
    size, step = layouts.opt_weight_shard_size, layouts.opt_weight_shard_step
    return np.split(out, size)[rank // step % size] if size else out


WHOLE = {
    "a": np.arange(16 * 8, dtype=np.float32).reshape(16, 8),
    "b": np.arange(32, dtype=np.float16) * 0.5,
    "c": np.arange(8 * 4 * 8, dtype=np.int32).reshape(8, 4, 8),
    "scalar": np.array(3.0, np.float32),
}
CUTS = {
    "2": {"a": layout((2,), 0, -1), "b": layout((2,), -1), "c": layout((2,), -1, 0, -1)},
    "4": {"a": layout((2, 2), 0, 1), "b": layout((2, 2), 1), "c": layout((4,), -1, -1, 0)},
    "4 of an optimizer": {
        "a": layout((2, 2), 0, -1, opt_weight_shard_step=2, opt_weight_shard_size=2),
        "b": layout((4,), -1, opt_weight_shard_step=1, opt_weight_shard_size=4),
        "c": layout((2, 2), -1, 1, -1, opt_weight_shard_step=1, opt_weight_shard_size=2),
    },
    "8 of several axes": {
        "a": layout((2, 2, 2), (0, 2), 1),
        "b": layout((2, 4), 0),
        "c": layout((2, 2, 2), -1, (1, 0), 2),
    },
    "1": {},
}


def write_run(folder, layouts, kind="ckpt"):
    """Write the strategy file and the checkpoints of a run; return the name of the first, or None."""
    processes = next((each.devices for each in layouts.values()), 1)
    for rank in range(processes):
        (folder / f"rank_{rank}").mkdir(parents=True)
        own = {k: parts_of(v, layouts[k], rank) if k in layouts else v for k, v in WHOLE.items()}
        ms.save_checkpoint(own, str(folder / f"rank_{rank}" / f"net.{kind}"), format=kind)
    if not layouts:
        return None
    file = str(folder / "strategy.ckpt")
    strategy_file.write(file, StrategyFile(1, dict.fromkeys(layouts, (0, ())), layouts))
    return file


def same(path, layouts, rank, format="ckpt"):
    found = ms.load_checkpoint(str(path), format=format)
    assert set(found) == set(WHOLE)
    for name, whole in WHOLE.items():
        wanted = parts_of(whole, layouts[name], rank) if name in layouts else whole
        value = found[name].asnumpy()
        assert value.dtype == wanted.dtype
        np.testing.assert_array_equal(value, wanted)


@pytest.mark.parametrize(("before", "after"), [*itertools.permutations(CUTS, 2)])
def test_parts_become_those_of_another_run(before, after, tmp_path):
    source = write_run(tmp_path / "before", CUTS[before])
    target = write_run(tmp_path / "after", CUTS[after])
    ms.transform_checkpoints(str(tmp_path / "before"), str(tmp_path / "out"), "new", source, target)
    processes = next((each.devices for each in CUTS[after].values()), 1)
    assert len(list((tmp_path / "out").iterdir())) == processes
    for rank in range(processes):
        same(tmp_path / "out" / f"rank_{rank}" / f"new{rank}.ckpt", CUTS[after], rank)
    # One process, with no more files than it needs.
    rank = processes - 1
    needed = ms.rank_list_for_transform(rank, source, target)
    files = {r: str(tmp_path / "before" / f"rank_{r}" / "net.ckpt") for r in needed}
    ms.transform_checkpoint_by_rank(rank, files, str(tmp_path / "own.ckpt"), source, target)
    same(tmp_path / "own.ckpt", CUTS[after], rank)


def test_as_many_checkpoints_as_are_needed(tmp_path):
    source = write_run(tmp_path / "four", CUTS["4"])
    target = write_run(tmp_path / "two", CUTS["2"])
    assert ms.rank_list_for_transform(0, source) == [3, 2, 1, 0]
    assert ms.rank_list_for_transform(1, None, target) == [0]
    strategy_file.write(source, StrategyFile(1, {}, {"b": layout((2, 2), 1)}))
    strategy_file.write(target, StrategyFile(1, {}, {"b": layout((2,), 0)}))
    # The second half of "b": process 2 has it, and process 3; process 1 of two stands in the second column.
    assert ms.rank_list_for_transform(1, source, target) == [3]
    assert ms.rank_list_for_transform(0, source, target) == [0]


def test_stages_of_a_pipeline(pipeline, tmp_path):
    """MindSpore gives these checkpoints, there and back."""
    values = {
        name: np.arange(32, dtype=np.float32).reshape(8, 4) + i
        for i, name in enumerate(("a.w", "b.w", "tied"))
    }
    found = ms.parallel.build_searched_strategy(pipeline)
    for rank in range(8):
        stage, local = divmod(rank, 4)
        own = {
            key.partition("-")[2]: parts_of(values[key.partition("-")[2]], each, local)
            for key, each in found.items()
            if key.startswith(str(stage))
        }
        (tmp_path / "in" / f"rank_{rank}").mkdir(parents=True)
        ms.save_checkpoint(own, str(tmp_path / "in" / f"rank_{rank}" / "net.ckpt"))
    ms.transform_checkpoints(str(tmp_path / "in"), str(tmp_path / "one"), "net", pipeline)
    whole = ms.load_checkpoint(str(tmp_path / "one" / "rank_0" / "net0.ckpt"))
    for name, value in values.items():
        np.testing.assert_array_equal(whole[name].asnumpy(), value)
    ms.transform_checkpoints(str(tmp_path / "one"), str(tmp_path / "back"), "net", None, pipeline)
    for rank in range(8):
        pair = [
            ms.load_checkpoint(str(tmp_path / folder / f"rank_{rank}" / file))
            for folder, file in (("in", "net.ckpt"), ("back", f"net{rank}.ckpt"))
        ]
        assert pair[0].keys() == pair[1].keys()
        for name in pair[0]:
            np.testing.assert_array_equal(pair[0][name].asnumpy(), pair[1][name].asnumpy())


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        for name, value in WHOLE.items():
            setattr(self, name, ms.Parameter(ms.Tensor(np.zeros_like(value)), name=name))


def has_all(net, without=()):
    for name, value in WHOLE.items():
        wanted = np.zeros_like(value) if name in without else value
        np.testing.assert_array_equal(getattr(net, name).asnumpy(), wanted)


def test_a_network_gets_the_checkpoints_of_all_processes(tmp_path):
    source = write_run(tmp_path, CUTS["4"])
    files = [str(tmp_path / f"rank_{rank}" / "net.ckpt") for rank in range(4)]
    net = Net()
    assert ms.load_distributed_checkpoint(net, files, None, source)
    has_all(net, without=["scalar"])  # which the strategy file does not name, as in MindSpore
    ms.set_auto_parallel_context(strategy_ckpt_load_file=source)
    try:
        net = Net()
        ms.load_distributed_checkpoint(net, files)
    finally:
        ms.reset_auto_parallel_context()
    has_all(net, without=["scalar"])
    slices = [ms.Parameter(ms.Tensor(parts_of(WHOLE["c"], CUTS["4"]["c"], r)), name="c") for r in range(4)]
    merged = ms.merge_sliced_parameter(slices, ms.parallel.build_searched_strategy(source))
    np.testing.assert_array_equal(merged.asnumpy(), WHOLE["c"])


def test_whole_parameters_in_safetensors_files(tmp_path, monkeypatch):
    monkeypatch.setattr(transform, "_PART_BYTES", 1000)
    source = write_run(tmp_path / "in", CUTS["8 of several axes"], "safetensors")
    out = tmp_path / "out"
    names = lambda name: {"a": "renamed", "b": False}.get(name, True)  # noqa: E731
    ms.unified_safetensors(str(tmp_path / "in"), source, str(out), choice_func=names)
    told = json.loads((out / "param_name_map.json").read_text("utf8"))
    assert told == {
        "metadata": {"total_size": 512 + 1024},
        "weight_map": {"c": "part0.safetensors", "renamed": "part1.safetensors"},
    }
    assert sorted(path.name for path in out.iterdir()) == [
        "hyper_param.safetensors", "param_name_map.json", "part0.safetensors", "part1.safetensors",
    ]  # fmt: skip
    net, dst = Net(), tmp_path / "dst"
    how = {"format": "safetensors", "unified_safetensors_dir": str(out), "name_map": {"a": "renamed"}}
    assert ms.load_distributed_checkpoint(net, **how)[0] == ["b"]
    np.testing.assert_array_equal(net.a.asnumpy(), WHOLE["a"])
    target = write_run(tmp_path / "two", {k: CUTS["2"][k] for k in "ac"})
    assert ms.load_distributed_checkpoint(
        None, predict_strategy=target, dst_safetensors_dir=str(dst), output_format="ckpt", **how
    )
    part = ms.load_checkpoint(str(dst / "rank_1" / "net.ckpt"))
    np.testing.assert_array_equal(part["a"].asnumpy(), WHOLE["a"][8:])


def refusals(folder):
    source = write_run(folder / "run", CUTS["4"])
    net, one = Net(), str(folder / "run" / "rank_0" / "net.ckpt")
    odd = str(folder / "odd.ckpt")
    uneven = ParallelLayouts((Dims((2,)),), (Dims((0,)),), (Dims((3, 5)),))
    strategy_file.write(odd, StrategyFile(1, {}, {"b": uneven}))
    broken = folder / "broken.ckpt"
    broken.write_bytes(b"\x0a\xff")
    sizes = str(folder / "sizes.ckpt")
    strategy_file.write(sizes, StrategyFile(1, {}, {"a": layout((2,), 0, -1), "b": layout((4,), 0)}))
    run, out = str(folder / "run"), str(folder / "out")
    return {
        "no strategy file": (ValueError, lambda: ms.parallel.build_searched_strategy("absent.ckpt")),
        "must be a str": (TypeError, lambda: ms.parallel.build_searched_strategy(3)),
        "cannot be read as a strategy file": (
            ValueError, lambda: ms.parallel.build_searched_strategy(str(broken)),
        ),
        "unequal parts": (NotImplementedError, lambda: ms.rank_list_for_transform(0, odd)),
        "all of one number of devices": (ValueError, lambda: ms.rank_list_for_transform(0, sizes)),
        r"part \(0, 1\) of \(2, 2\) is missing": (
            ValueError, lambda: ms.transform_checkpoint_by_rank(0, {0: one}, f"{out}.ckpt", source),
        ),
        "needs the checkpoint of process 1": (ValueError, lambda: _without(folder, source, out)),
        "'output_format'|must be 'ckpt' for": (
            ValueError, lambda: ms.transform_checkpoints(run, out, "x", source, output_format="safetensors"),
        ),
        "there is no checkpoint": (ValueError, lambda: ms.transform_checkpoints(out, out, "x")),
        "must have 4 files": (ValueError, lambda: ms.load_distributed_checkpoint(net, [one], None, source)),
        "`train_strategy_filename` must be given": (
            ValueError, lambda: ms.load_distributed_checkpoint(net, [one]),
        ),
        "must be a dict of lists": (
            ValueError, lambda: ms.load_distributed_checkpoint(net, [one], {"a": [1]}, source),
        ),
        "`unified_safetensors_dir` must be a folder": (
            ValueError, lambda: ms.load_distributed_checkpoint(net, format="safetensors"),
        ),
        "`strict_load` must be left out": (
            ValueError, lambda: ms.load_distributed_checkpoint(net, format="safetensors", strict_load=True),
        ),
        "must be a folder": (
            NotADirectoryError, lambda: ms.parallel.merge_pipeline_strategys("absent", f"{out}.ckpt"),
        ),
        "there must be 4 slices": (
            ValueError,
            lambda: ms.merge_sliced_parameter(
                [ms.Parameter(ms.Tensor([1.0]), name="b")], ms.parallel.build_searched_strategy(source)
            ),
        ),
    }  # fmt: skip


def _without(folder, source, out):
    (folder / "run" / "rank_1" / "net.ckpt").rename(folder / "gone.ckpt")
    ms.transform_checkpoints(str(folder / "run"), out, "x", source)


def test_what_does_not_fit_says_so(tmp_path):
    for text, (kind, call) in refusals(tmp_path).items():
        with pytest.raises(kind, match=text):
            call()


@pytest.mark.parametrize(
    "given",
    [{"strategy_ckpt_save_file": 3}, {"strategy_ckpt_config": {"save_file": 3}}, {"strategy_ckpt_config": 3}],
)
def test_settings_of_another_type(given):
    with pytest.raises(TypeError, match="strategy_ckpt"):
        ms.set_auto_parallel_context(**given)


def test_an_unknown_setting():
    with pytest.raises(ValueError, match="load_file"):
        ms.set_auto_parallel_context(strategy_ckpt_config={"x": "y"})


def test_one_device_writes_none(tmp_path, caplog):
    net = ms.parallel.auto_parallel.AutoParallel(nn.Dense(2, 2))
    net.save_param_strategy_file(str(tmp_path / "none.ckpt"))
    net(ms.ops.ones((1, 2)))
    assert "none.ckpt' is neither written nor read" in caplog.text
    assert not (tmp_path / "none.ckpt").exists()
