"""Features for several processes or other devices, in one process; what is expected was seen in MindSpore 2.10."""

import multiprocessing

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, ParameterTuple, Tensor, nn, ops
from msjax.parallel import nn as parallel_nn
from msjax.parallel.function import reshard


class Sum(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        return self.d(x).sum()


X = np.arange(8.0, dtype=np.float32).reshape(4, 2)


@pytest.mark.parametrize("name", ["Pipeline", "PipelineCell", "MicroBatchInterleaved", "GradAccumulation"])
def test_parts_of_a_batch(name):
    cell = getattr(parallel_nn, name)
    assert float(cell(Sum(), 2)(Tensor(X))) == 2 * X.sum()
    with pytest.raises(ValueError, match="must be positive"):
        cell(Sum(), 0)


def test_gradients_of_a_pipeline():
    weights = ParameterTuple([Parameter(Tensor([1.0]), name="w")])
    assert parallel_nn.PipelineGradReducer is nn.PipelineGradReducer
    assert nn.PipelineGradReducer(weights, 2.0)((Tensor([4.0]),))[0].asnumpy().tolist() == [2.0]
    with pytest.raises(TypeError, match="must be a Cell"):
        parallel_nn.GradAccumulation(3, 2)
    with pytest.raises(KeyError):
        parallel_nn.Pipeline(Sum(), 2, stage_config={"zz": 1})


def test_layouts():
    layout = ms.Layout((1,), ("a",))("a", "None")
    x = Tensor(X)
    assert ms.reshard(x, layout) is ops.reshard(x, layout) is reshard(x, layout) is x


def test_tools():
    with ms.DeviceCtx("CPU") as context:
        assert (context.name, context.device_id) == ("CPU", None)
    assert ms.EnvProfiler().analyse() is None
    assert ms.comm_exec_order_check("start") is None
    assert ms.runtime_execution_order_check("somewhere") is None
    assert ms.set_mindio_server_info() is None
    assert ms.mindio_preload("x.ckpt") is False
    assert ms.graph.__name__ == "msjax.graph"
    assert ms.dryrun.mock(3, lambda: 4) == 4
    assert ms.multiprocessing.Process is multiprocessing.Process
    assert ms.multiprocessing.get_start_method() == multiprocessing.get_start_method()


def test_there_is_no_queue():
    step = nn.GetNextSingleOp([ms.float32], [(2,)], "q")
    with pytest.raises(RuntimeError, match="`GetNextSingleOp`: there is no queue 'q'"):
        step()


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: ms.comm_exec_order_check("xx"), ValueError),
        (lambda: ms.comm_exec_order_check(3), TypeError),
        (lambda: ms.runtime_execution_order_check(3), TypeError),
        (lambda: ms.runtime_execution_order_check(["/nowhere", "/else"], [0, 1]), ValueError),
        (lambda: ms.set_mindio_server_info(-1), ValueError),
        (lambda: ms.set_mindio_server_info("a"), TypeError),
        (lambda: ms.mindio_preload(3), TypeError),
        (lambda: ms.utils.stress_detect(), RuntimeError),
        (lambda: ms.flops_collection(), RuntimeError),
        (lambda: ms.restore_group_info_list("/nowhere.pb"), ValueError),
        (lambda: ms.restore_group_info_list(3), TypeError),
        (lambda: ms.build_searched_strategy("/nowhere"), ValueError),
        (lambda: ms.build_searched_strategy(3), TypeError),
        (lambda: ms.build_searched_strategy(__file__), ValueError),
        (lambda: ms.merge_pipeline_strategys("/nowhere", "/x"), NotADirectoryError),
        (lambda: ms.get_ckpt_path_with_strategy("/a.ckpt", "/nowhere"), FileNotFoundError),
        (lambda: ms.load_distributed_checkpoint(3, ["a"]), ValueError),
        (lambda: ms.load_distributed_checkpoint(Sum(), ["/nowhere"]), ValueError),
        (lambda: ms.load_distributed_checkpoint(Sum(), []), ValueError),
        (lambda: ms.unified_safetensors("/a", "/nowhere", "/b"), ValueError),
    ],
)
def test_what_must_fail(call, kind):
    with pytest.raises(kind, match="`"):
        call()


def test_before_communication_begins():
    from msjax.mint import distributed

    distributed.destroy_process_group()
    assert (distributed.get_rank(), distributed.get_world_size()) == (0, 1)
    for call in (
        distributed.get_rank,
        distributed.get_world_size,
        distributed.get_backend,
        distributed.barrier,
    ):
        with pytest.raises(TypeError, match="argument `group` must be a str"):
            call(0)


def test_kinds_of_devices():
    for call in (ms.hal.device_count, ms.hal.memory_stats, ms.hal.get_arch_list):
        with pytest.raises(TypeError, match="argument `device_target` must be a str"):
            call(0)
    with pytest.raises(TypeError, match="argument `device_id` must be an int"):
        ms.hal.get_device_name("a")
    with pytest.raises(ValueError, match="device_target"):
        ms.hal.device_count("abacus")
