"""MindSpore's inner modules, from which programs and test suites import."""

import warnings

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops
from msjax.common import _decorator, _register_for_tensor, _stub_tensor, _utils, api, np_dtype
from msjax.common import initializer as initial
from msjax.common._seed import _get_graph_seed
from msjax.communication import _comm_helper
from msjax.core.autodiff.imperative import no_grad
from msjax.ops import signature
from msjax.parallel._auto_parallel_context import auto_parallel_context
from msjax.public_api import placeholders
from msjax.train import serialization
from msjax.train.callback import _callback

PROGRAM = """
from mindspore.common._register_for_tensor import tensor_operator_registry
from mindspore.common._utils import is_dim_unknown, is_shape_unknown
from mindspore.common.dtype import _dtype_to_nptype
from mindspore.ops.auto_generate.gen_ops_def import as_strided
from mindspore.ops_generate.common.gen_utils import safe_load_yaml
from mindspore.ops_generate.gen_utils import safe_load_yaml
from mindspore.nn.cell import register_cell_buffer_registration_hook
from mindspore.common.api import _cell_graph_executor, _pynative_executor, jit, jit_class
from mindspore.common.dynamic_shape.enable_dynamic import enable_dynamic
from mindspore.common.hook_handle import HookHandle
from mindspore.common.initializer import HeUniform, _calculate_fan_in_and_fan_out, initializer
from mindspore.common.np_dtype import bfloat16
from mindspore.common.seed import _get_graph_seed, set_seed
from mindspore.communication._comm_helper import Backend, GlobalComm
from mindspore.ops import signature as sig
from mindspore.ops._utils.utils import get_broadcast_shape
from mindspore.ops.composite.multitype_ops.zeros_like_impl import zeros_like
from mindspore.ops.function.clip_func import apply_global_norm, clip_by_global_norm, get_square_sum
from mindspore.ops.function.comm_func import all_reduce
from mindspore.ops.operations.manually_defined import ScalarToTensor
from mindspore.ops.primitive import Primitive, PrimitiveWithInfer, _primexpr, prim_attr_register
from mindspore.parallel._ps_context import _is_role_pserver, _is_role_worker
from mindspore.parallel.algo_parameter_config import get_algo_parameters
from mindspore.train._utils import _make_directory
from mindspore.train.callback import RunContext, _CallbackManager, _InternalCallbackParam
from mindspore.train.callback._callback import CallbackManager, InternalCallbackParam
from mindspore.train.dataset_helper import DatasetHelper, connect_network_with_dataset
"""


def test_program():
    names = {}
    with ms.install_as("mindspore"):
        exec(PROGRAM, names)
    assert names["jit"] is ms.jit
    assert names["zeros_like"] is ops.zeros_like
    assert names["all_reduce"] is ms.mint.distributed.all_reduce
    assert names["set_seed"] is ms.set_seed
    assert names["clip_by_global_norm"] is ops.clip_by_global_norm
    assert names["DatasetHelper"] is ms.DatasetHelper
    assert names["_InternalCallbackParam"] is names["InternalCallbackParam"]
    assert not [name for name, value in names.items() if isinstance(value, placeholders.Missing)]


def test_executors():
    api._pynative_executor.sync()
    with no_grad():
        assert not api._pynative_executor.enable_grad()
    net = nn.Dense(2, 3)
    before = net.weight.asnumpy()
    assert api._cell_graph_executor.compile(net, ops.ones((1, 2)), phase="train")[1]
    np.testing.assert_array_equal(net.weight.asnumpy(), before)
    with pytest.raises(NotImplementedError, match=r"`_pynative_executor\.new_graph`"):
        api._pynative_executor.new_graph(net)


def test_registry():
    registry = _register_for_tensor.tensor_operator_registry
    assert registry.get("add") is registry.add is ops.add
    registry.register("nothing_yet", len)
    assert registry.nothing_yet is len
    with pytest.raises(ValueError, match="Received: 'no_such_operator'"):
        registry.get("no_such_operator")


def test_shapes():
    assert _utils.is_dim_unknown((-2,))
    assert not _utils.is_dim_unknown((-1,))
    assert ops._utils.get_broadcast_shape([-1, 1], [3], "Add") == [-1, 3]
    with pytest.raises(ValueError, match=r"`Add`: shapes of x and y must broadcast\. Received: x: \[2, 2\]"):
        ops._utils.get_broadcast_shape([2, 2], [3], "Add")
    with pytest.raises(ValueError, match="must agree besides axis 0"):
        ops._utils.get_concat_offset([[2, 3], [4, 2]], [1, 1], 0, "Concat")


def test_fans():
    assert initial._calculate_correct_fan((8, 4, 3, 3), "fan_out") == 72
    assert initial._calculate_gain("tanh") == pytest.approx(5 / 3)
    assert initial._calculate_gain("leaky_relu", 0.1) == pytest.approx(1.4071950894605838)
    for call in (
        lambda: initial._calculate_fan_in_and_fan_out((8,)),
        lambda: initial._calculate_correct_fan((8, 4), "fan"),
        lambda: initial._calculate_gain("none"),
    ):
        with pytest.raises(ValueError, match="Received"):
            call()


def test_small_things():
    assert np_dtype.bfloat16 == Tensor([1.0], ms.bfloat16).asnumpy().dtype or np_dtype.bfloat16.itemsize == 2
    assert not isinstance(Tensor(1), _stub_tensor.StubTensor)
    ms.set_seed(5)
    assert _get_graph_seed(2, "x") == (5, 2)
    assert _comm_helper.Backend.NCCL == "nccl"
    assert (_comm_helper._get_rank_helper(), _comm_helper._get_size_helper()) == (0, 1)
    sig = signature.make_sig("x", signature.sig_rw.RW_WRITE, dtype=signature.sig_dtype.T)
    assert (sig.name, sig.rw.name, sig.dtype.name) == ("x", "RW_WRITE", "T")
    auto_parallel_context().set_gradients_mean(True)
    assert auto_parallel_context().get_gradients_mean() is True
    auto_parallel_context().reset()
    assert auto_parallel_context().get_gradients_mean() is False

    @_decorator.deprecated("1.0", "other", True, "ops.")
    def old():
        return 1

    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        assert old() == 1
    assert "'ops.other' is deprecated" in str(met[0].message)


def test_settings_of_parallel_programs_as_an_object():
    settings = auto_parallel_context()
    kept = ("device_num", "global_rank", "parameter_broadcast", "full_batch")
    assert [getattr(settings, f"get_{name}_is_set")() for name in kept] == [False] * 4
    ms.set_auto_parallel_context(device_num=4, global_rank=1, parameter_broadcast=True, full_batch=False)
    assert [getattr(settings, f"get_{name}_is_set")() for name in kept] == [True] * 4
    settings.set_all_reduce_fusion_split_indices([85, 160])
    settings.set_enable_all_gather_fusion(True)
    assert ms.get_auto_parallel_context("all_reduce_fusion_config") == [85, 160]
    assert (settings.get_enable_all_reduce_fusion(), settings.get_enable_all_gather_fusion()) == (True, True)
    settings.reset()
    assert [getattr(settings, f"get_{name}_is_set")() for name in kept] == [False] * 4
    assert settings.get_all_reduce_fusion_split_indices() == []
    assert (settings.get_enable_all_reduce_fusion(), settings.get_enable_all_gather_fusion()) == (
        False,
        False,
    )
    assert (settings.get_grad_accumulation_shard(), settings.get_parallel_optimizer_threshold()) == (
        False,
        -1,
    )
    assert not hasattr(settings, "get_nothing")
    sizes = {"allgather": {"mode": "size", "config": 8}, "allreduce": {"mode": "index", "config": [1, 2]}}
    ms.set_auto_parallel_context(comm_fusion=sizes)
    assert settings.get_all_reduce_fusion_split_indices("group") == [1, 2]
    assert settings.allgather_fusion_threshold_mb() == 8
    assert (settings.fusion_threshold_mb(), settings.reducescatter_fusion_threshold_mb()) == (64, 64)
    settings.reset()


@pytest.mark.parametrize(
    ("call", "given", "error"),
    [
        ("algo_parameters", {"tensor_slice_align_size": 0}, ValueError),
        ("algo_parameters", {"tensor_slice_align_size": 1025}, ValueError),
        ("algo_parameters", {"fully_use_devices": 1}, TypeError),
        ("algo_parameters", {"algo_approxi_epsilon": 1}, TypeError),
        ("auto_parallel_context", {"pipeline_config": {"pipeline_interleave": 1}}, TypeError),
        ("auto_parallel_context", {"pipeline_config": {"pipeline_scheduler": "gpipe"}}, KeyError),
        ("auto_parallel_context", {"force_fp32_communication": 1}, TypeError),
        ("auto_parallel_context", {"optimizer_weight_shard_aggregated_save": 1}, TypeError),
        (
            "auto_parallel_context",
            {"pipeline_config": {"pipeline_interleave": False, "pipeline_scheduler": "gpipe"}},
            TypeError,
        ),
        (
            "auto_parallel_context",
            {"parallel_optimizer_config": {"optimizer_weight_shard_size": 0}},
            ValueError,
        ),
    ],
)
def test_settings_of_parallel_programs_that_are_refused(call, given, error):
    with pytest.raises(error, match=f"set_{call}.*{next(iter(given))}"):
        getattr(ms, f"set_{call}")(**given)


@pytest.mark.parametrize(
    ("given", "also"),
    [
        ({"search_mode": "dynamic_programming"}, {"auto_parallel_search_mode": "dynamic_programming"}),
        ({"auto_parallel_search_mode": "dynamic_programming"}, {"search_mode": "dynamic_programming"}),
        ({"full_batch": True}, {"dataset_strategy": "full_batch", "full_batch_is_set": True}),
        ({"dataset_strategy": "full_batch"}, {"full_batch": True, "full_batch_is_set": False}),
        (
            {"strategy_ckpt_config": {"save_file": "a"}},
            {"strategy_ckpt_save_file": "a", "strategy_ckpt_load_file": ""},
        ),
        (
            {"strategy_ckpt_save_file": "b"},
            {"strategy_ckpt_config": {"load_file": "", "save_file": "b", "only_trainable_params": True}},
        ),
        (
            {"pipeline_config": {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"}},
            {"pipeline_scheduler": "gpipe"},
        ),
        (
            {"parallel_optimizer_config": {"optimizer_weight_shard_size": 2}},
            {"optimizer_weight_shard_size": 2},
        ),
        ({"init_param_in_compile": False}, {"auto_parallel_new_interface": False}),
    ],
)
def test_settings_of_parallel_programs_that_others_set(given, also):
    ms.set_auto_parallel_context(**given)
    assert {name: ms.get_auto_parallel_context(name) for name in also} == also
    ms.reset_auto_parallel_context()


def test_an_optimizer_in_parts_needs_a_parallel_mode():
    ms.set_auto_parallel_context(enable_parallel_optimizer=True)
    weights = [ms.Parameter(Tensor([1.0]), name="w")]
    with pytest.raises(RuntimeError, match="`Adam`: `enable_parallel_optimizer` needs a parallel_mode"):
        ms.nn.Adam(weights)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    ms.nn.Adam(weights)
    ms.reset_auto_parallel_context()
    with pytest.raises(TypeError, match=r"`MatMul\.recompute`: argument `mode` must be a bool"):
        ms.ops.MatMul().recompute("a")


def test_losses_of_callbacks():
    handle = _callback._handle_loss
    assert handle(Tensor([1.0, 2.0])) == 1.5
    assert handle((Tensor([1.0, 3.0]), 2)).asnumpy().tolist() == [1.0, 3.0]
    assert [handle(loss) for loss in ((1, Tensor(2.0)), 2.5, None)][1:] == [2.5, None]
    assert handle([1, 2]) == [1, 2]


def test_dtypes_of_checkpoints():
    for name, dtype in serialization.tensor_to_ms_type.items():
        if name not in ("str", "Int4", "BFloat16"):
            assert serialization.tensor_to_np_type(name) is ms.dtype_to_nptype(dtype)
    assert (serialization.tensor_to_np_type("str"), serialization.tensor_to_np_type("x")) == ("U", None)
    assert serialization.np_type_convert["float16"] is np.float16


def test_callback_manager():
    told = []

    class Own(ms.Callback):
        def step_end(self, run_context):
            told.append(run_context.original_args().cur_step_num)

    state = _callback.InternalCallbackParam(cur_step_num=3)
    with _callback.CallbackManager([Own(), Own()]) as manager:
        manager.step_end(_callback.RunContext(state))
        manager.on_train_step_end(_callback.RunContext(state))
    assert told == [3] * 4
    with pytest.raises(TypeError, match="must be a Callback"):
        _callback.CallbackManager([1])


def test_directory(tmp_path):
    from msjax.train._utils import _make_directory

    assert _make_directory(str(tmp_path / "a" / "b")) == str((tmp_path / "a" / "b").resolve())
    with pytest.raises(TypeError, match="Received: 1"):
        _make_directory(1)
    with pytest.raises(ValueError, match="must not be empty"):
        _make_directory(" ")


def test_yaml(tmp_path):
    from msjax.utils.yaml_files import safe_load_yaml

    with pytest.raises(ValueError, match="yaml_file_path"):
        safe_load_yaml(str(tmp_path / "a.txt"))
    pytest.importorskip("yaml")
    (tmp_path / "a.yaml").write_text("add:\n  args: [1, 2]\n")
    assert safe_load_yaml(str(tmp_path / "a.yaml")) == {"add": {"args": [1, 2]}}
