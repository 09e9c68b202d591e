"""Values that `set_context` refuses, as MindSpore 2.10 does (its exceptions, asked for each of these)."""

import pytest

import msjax as ms

REFUSED = {
    TypeError: [
        {"mode": "graph"}, {"device_target": 1}, {"device_id": "0"}, {"save_graphs": "a"}, {"save_graphs_path": 1},
        {"max_call_depth": "1"}, {"pynative_synchronize": 1}, {"enable_graph_kernel": "x"}, {"deterministic": True},
        {"jit_config": "O0"}, {"jit_config": None}, {"ascend_config": "a"}, {"op_timeout": None}, {"profiling_options": 1},
        {"support_binary": 1}, {"max_device_memory": 1.5}, {"reserve_class_name_in_scope": 0},
    ],
    ValueError: [
        {"mode": 2}, {"mode": None}, {"device_target": "x"}, {"device_id": -1}, {"device_id": 4096}, {"max_call_depth": 0},
        {"memory_optimize_level": "O2"}, {"deterministic": "on"}, {"jit_config": {"jit_level": "O9"}},
        {"jit_config": {"level": "O0"}}, {"jit_syntax_level": 3}, {"debug_level": 2}, {"exec_order": "x"},
        {"aoe_tune_mode": "x"}, {"aoe_config": {"job_type": "3"}}, {"inter_op_parallel_num": -1}, {"save_graphs_path": ""},
        {"runtime_num_threads": -1}, {"op_timeout": -1}, {"env_config_path": "not_there.json"}, {"unknown": 1},
    ],
}  # fmt: skip


@pytest.mark.parametrize("error", REFUSED)
def test_values_that_settings_cannot_have(error):
    for given in REFUSED[error]:
        (name,) = given
        with pytest.raises(error, match=name):
            ms.set_context(**given)


def test_values_that_they_can_have():
    before = ms.get_context("mode")
    ms.set_context(
        mode=True, jit_config={"jit_level": "O1", "infer_boost": "on"}, deterministic="ON", op_timeout=0
    )
    assert (ms.get_context("mode"), ms.get_context("deterministic")) == (1, "ON")
    ms.set_context(mode=before, jit_config={}, deterministic="OFF", save_graphs=True, save_graphs_path="a")
    ms.set_context(save_graphs=0, save_graphs_path=".", max_device_memory="1GB", ascend_config=None)


def test_reset_context_forgets_all_settings():
    ms.set_context(op_timeout=0, save_graphs_path="a", mode=0)
    ms.reset_context()
    assert [ms.get_context(name) for name in ("op_timeout", "mode")] == [900, 1]


REFUSED_OF_PARALLEL = {
    TypeError: [
        {"parameter_broadcast": 1}, {"gradient_fp32_sync": 1}, {"loss_repeated_mean": 1}, {"sharding_propagation": 3},
        {"pipeline_result_broadcast": 3}, {"enable_alltoall": 3}, {"group_ckpt_save_file": 3}, {"search_mode": 3},
        {"all_reduce_fusion_config": 3}, {"grad_accumulation_step": "a"}, {"parallel_mode": 3},
        {"all_reduce_fusion_config": ["a"]}, {"dataset_strategy": ((1, "2"),)}, {"dataset_strategy": ((1, (2, 4)),)},
        {"parallel_optimizer_config": {"gradient_accumulation_shard": 1}}, {"comm_fusion": 3},
        {"comm_fusion": {"openstate": 3}}, {"comm_fusion": {"allreduce": 3}},
        {"comm_fusion": {"allreduce": {"mode": "index", "config": 3}}},
        {"comm_fusion": {"allgather": {"mode": "size", "config": "a"}}},
    ],
    KeyError: [
        {"comm_fusion": {"zz": {"mode": "auto", "config": None}}}, {"comm_fusion": {"zz": 1}},
        {"comm_fusion": {"allreduce": {"mode": "auto"}}},
        {"comm_fusion": {"allgather": {"mode": "index", "config": [3]}}},
    ],
    ValueError: [
        {"grad_accumulation_step": 0}, {"communi_parallel_mode": "zz"}, {"search_mode": "zz"},
        {"auto_parallel_search_mode": "zz"}, {"pipeline_config": {"zz": 1}}, {"all_reduce_fusion_config": [3, 2]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("error", REFUSED_OF_PARALLEL)
def test_values_that_settings_of_parallel_programs_cannot_have(error):
    for given in REFUSED_OF_PARALLEL[error]:
        (name,) = given
        with pytest.raises(error, match=name):
            ms.set_auto_parallel_context(**given)


def test_dynamic_len_is_a_bool():
    with pytest.raises(TypeError, match="dynamic_len"):
        ms.mutable((1,), 3)
