"""Traces: which steps they hold, where they lie, what is marked in them."""

import gzip
import json
import logging
import time

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from msjax import dataset as ds
from msjax.profiler import (
    DynamicProfilerMonitor,
    Profiler,
    ProfilerLevel,
    _ExperimentalConfig,
    mstx,
    profile,
    schedule,
    tensorboard_trace_handler,
)
from msjax.train import Model


def traces(folder):
    """The names of the events of each trace in a folder."""
    found = []
    for path in sorted(folder.glob("plugins/profile/*/*.trace.json.gz")):
        with gzip.open(path, "rt") as file:
            found.append({event.get("name", "") for event in json.load(file)["traceEvents"]})
    return found


def test_a_schedule_as_in_mindspore():
    plan = schedule(wait=1, active=2, warmup=1, repeat=2, skip_first=1)
    assert "".join(str(plan(step).value) for step in range(12)) == "001230123000"
    assert "".join(str(schedule(wait=0, active=1)(step).value) for step in range(3)) == "333"
    assert repr(schedule(wait=-1, active=0)) == "Schedule(wait=0, active=1, warmup=0, repeat=0, skip_first=0)"
    assert plan.to_dict() == {"wait": 1, "active": 2, "warmup": 1, "repeat": 2, "skip_first": 1}
    with pytest.raises(ValueError, match="step"):
        plan(-1)


def test_steps_and_marks(tmp_path):
    ready = []
    handler = tensorboard_trace_handler(str(tmp_path), "worker")

    def on_ready(profiler):
        ready.append(profiler.step_num)
        handler(profiler)

    on_ready.folder = handler.folder
    plan = schedule(wait=1, active=2, repeat=1)
    with profile(
        schedule=plan, on_trace_ready=on_ready, experimental_config=_ExperimentalConfig()
    ) as profiler:
        profiler.add_metadata("who", "me")
        profiler.add_metadata_json("what", '{"a": 1}')
        for step in range(5):
            number = mstx.range_start(f"range {step}", domain="mine")
            (Tensor([1.0]) * step).asnumpy()
            mstx.mark(f"mark {step}")
            mstx.range_end(number, domain="mine")
            profiler.step()
    assert ready == [3]
    (names,) = traces(tmp_path / "worker")
    assert {"mine: range 1", "mark 2", "ProfilerStep"} <= {name.partition("#")[0] for name in names}
    assert not {"mine: range 0", "mark 3"} & names
    assert json.loads((tmp_path / "worker" / "profiler_metadata.json").read_text()) == {
        "who": "me",
        "what": {"a": 1},
    }


def test_the_older_profiler(tmp_path):
    profiler = Profiler(output_path=str(tmp_path), start_profile=False, profiler_level=ProfilerLevel.Level0)
    profiler.start()
    ms.ops.tanh(Tensor([1.0])).asnumpy()
    profiler.analyse()
    with pytest.warns(DeprecationWarning, match="op_analyse"):
        found = json.loads(profiler.op_analyse(["Tanh", "BiasAdd"]))
    assert found["Tanh"]["count"] > 0 < found["Tanh"]["time_us"]  # NumPy's or XLA's
    assert found["BiasAdd"] == {"count": 0, "time_us": 0}
    with pytest.warns(DeprecationWarning, match="op_analyse"), pytest.raises(TypeError, match="op_name"):
        profiler.op_analyse(3)
    with pytest.raises(TypeError, match="unknown argument 'other'"):
        Profiler(other=1)
    with pytest.raises(NotImplementedError):
        Profiler.offline_analyse(str(tmp_path))


def test_wrong_arguments_are_left_out_with_a_warning(caplog, tmp_path):
    with caplog.at_level(logging.WARNING):
        profiler = profile(with_stack=3, hbm_ddr=True, schedule=3, on_trace_ready=4, start_profile=False)
        profiler.stop()
        profiler.step()
        profiler.add_metadata("a", 3)
        profiler.add_metadata_json("a", "{")
        assert mstx.range_start("") == 0
        mstx.range_end(12345)
    for part in ("with_stack", "hbm_ddr", "schedule", "on_trace_ready", "has not begun", "JSON", "12345"):
        assert part in caplog.text
    assert not list(tmp_path.iterdir())


def test_one_trace_at_a_time(tmp_path):
    handler = tensorboard_trace_handler(str(tmp_path))
    with profile(on_trace_ready=handler) as first:
        first.start()
        with pytest.raises(RuntimeError):
            profile(on_trace_ready=handler)
    assert len(traces(tmp_path)) == 1


def test_a_file_says_when(tmp_path):
    settings = tmp_path / "profiler_config.json"
    monitor = DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out"), poll_interval=1)
    assert json.loads(settings.read_text())["start_step"] == -1
    settings.write_text(json.dumps({"start_step": 2, "stop_step": 3}))
    data = {"x": np.ones((8, 2), np.float32), "y": np.ones((8, 1), np.float32)}
    net = nn.Dense(2, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(1, ds.NumpySlicesDataset(data).batch(2), callbacks=[monitor])
    assert len(traces(tmp_path / "out" / "rank0_start2_stop3")) == 1
    settings.write_text(json.dumps({"start_step": 1, "stop_step": 1}))
    monitor._looked = time.monotonic() - 2
    monitor.step()
    monitor.step()
    assert len(traces(tmp_path / "out" / "rank0_start1_stop1")) == 1
    with pytest.raises(ValueError, match="cfg_path"):
        DynamicProfilerMonitor()


def test_a_file_that_is_wrong(tmp_path, caplog):
    monitor = DynamicProfilerMonitor(str(tmp_path), poll_interval=0)
    for text in ("{", '{"start_step": "1"}', '{"start_step": 1, "stop_step": 0}'):
        (tmp_path / "profiler_config.json").write_text(text)
        monitor._looked, monitor._step = float("-inf"), 0
        caplog.clear()
        monitor.step()
        assert "DynamicProfilerMonitor" in caplog.text
