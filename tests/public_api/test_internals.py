"""Names without documentation that published networks import from inside of MindSpore, at MindSpore's own places."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import msjax as ms
from msjax import _checkparam, boost, nn, ops
from msjax._checkparam import Rel, Validator
from msjax._extends import cell_attr_register
from msjax.boost.grad_accumulation import gradient_accumulation_op, gradient_clear_op
from msjax.nn.optim.optimizer import opt_init_args_register
from msjax.parallel import _utils
from msjax.public_api import import_hook, recorded_api


@pytest.fixture(autouse=True)
def installed():
    with import_hook.install_as("mindspore"):
        yield


def test_they_are_where_mindspore_has_them():
    from mindspore import _checkparam as served
    from mindspore._checkparam import twice
    from mindspore._extends import cell_attr_register as register
    from mindspore.boost.grad_accumulation import GradientAccumulation
    from mindspore.ops._primitive_cache import _get_cache_prim
    from mindspore.parallel._utils import _get_device_num

    assert served is _checkparam
    assert (Validator.EQ, Validator.INC_BOTH) == (served.EQ, served.INC_BOTH)
    assert twice(3) == (3, 3)
    assert register is cell_attr_register
    assert GradientAccumulation is boost.GradientAccumulation
    assert _get_device_num() == 1
    assert _get_cache_prim(ops.ReLU)()(ms.Tensor([-1.0, 1.0])).asnumpy().tolist() == [0.0, 1.0]


class TestChecks:
    @pytest.mark.parametrize(
        ("check", "args"),
        [
            ("check_positive_int", (3, "size", "Net")),
            ("check_non_negative_int", (0,)),
            ("check_positive_float", (0.5,)),
            ("check_int", (3, 2, _checkparam.GT)),
            ("check_int_range", (3, 3, 5, Rel.INC_LEFT)),
            ("check_float_range", (1.0, 0.0, 1.0, _checkparam.INC_BOTH)),
            ("check_bool", (True,)),
            ("check_string", ("same", ["same", "valid"])),
            ("check_positive_int_sequence", ((1, 2),)),
        ],
    )
    def test_what_is_good_comes_back(self, check, args):
        assert getattr(_checkparam, check)(*args) is args[0]
        assert getattr(Validator, check)(*args) is args[0]

    @pytest.mark.parametrize(
        ("check", "args", "error", "message"),
        [
            (
                "check_positive_int",
                (0, "size", "Net"),
                ValueError,
                "For 'Net', the 'size' must be > 0. Received: 0",
            ),
            ("check_positive_int", (True, "size"), TypeError, "must be int"),
            ("check_positive_float", (1, "rate"), TypeError, "must be float"),
            ("check_non_negative_float", (float("nan"),), ValueError, "must be finite"),
            ("check_int_range", (5, 3, 5, Rel.INC_LEFT), ValueError, r"must be in \[3, 5\)"),
            ("check_float_range", (1, 0.0, 1.0, Rel.INC_BOTH), TypeError, "must be float"),
            ("check_bool", (1, "flag"), TypeError, "must be a bool"),
            ("check_string", ("other", ["same"], "mode"), ValueError, "must be one of"),
            ("check", ("x", 1, "y", 2), ValueError, "should be = y: 2"),
            ("check_value_type", ("x", True, [int, tuple], "Net"), TypeError, "one of int, tuple"),
            ("check_type_name", ("x", ms.int32, [ms.float32], "Net"), TypeError, "should be one of"),
            ("check_subclass", ("x", int, (float, str), "Net"), TypeError, "must be one of"),
            ("check_and_canonicalize_axes", ((0, 3), 3), ValueError, "Each axis"),
            ("twice", ((1, 2, 3),), TypeError, "An int or 2"),
        ],
    )
    def test_what_is_bad_raises(self, check, args, error, message):
        with pytest.raises(error, match=message):
            getattr(_checkparam, check)(*args)

    def test_arguments_of_a_function(self):
        @_checkparam.args_type_check(rate=float)
        def scaled(x, rate=None):
            return x if rate is None else x * rate

        assert scaled(2, 0.5) == 1.0
        with pytest.raises(TypeError, match="'rate' must be float"):
            scaled(2, rate=1)


def test_a_cell_remembers_its_arguments():
    class Scale(nn.Cell):
        @cell_attr_register
        def __init__(self, factor, name="s"):
            super().__init__()

    assert Scale(3, name="t").cell_init_args == "Scaleodict_values([3, 't'])".replace(
        "odict_values(", ""
    ).rstrip(")")


def test_an_optimizer_from_outside_remembers_its_arguments():
    class Own(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1, beta=0.9):
            super().__init__(learning_rate, params)

    weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    own = Own([weight], learning_rate=0.5)
    assert own.init_params == {"params": [weight]}
    assert own.init_learning_rate == 0.5
    assert own.init_args == {"beta": 0.9}


@pytest.mark.parametrize("compiled", [False, True])
def test_accumulation_of_gradients(compiled):
    weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    accumulate = boost.GradientAccumulation(2, nn.SGD([weight], learning_rate=1.0))
    step = ms.jit(accumulate) if compiled else accumulate
    seen = []
    for gradient in (0.25, 0.75, 1.0, 0.0):
        step(ms.Tensor(0.0), (ms.Tensor([gradient]),))
        seen.append(float(weight))
    assert seen == [1.0, 0.5, 0.5, 0.0]


def test_the_parts_of_accumulation():
    total = ms.ParameterTuple([ms.Parameter(ms.Tensor([1.0]), name="total")])
    ops.HyperMap()(ops.partial(gradient_accumulation_op, 4), total, (ms.Tensor([2.0]),))
    assert float(total[0]) == 1.5
    ops.HyperMap()(ops.partial(gradient_clear_op), total)
    assert float(total[0]) == 0.0


def test_the_distribution_of_a_run():
    assert _utils._get_parallel_mode() == "stand_alone"
    assert (_utils._get_gradients_mean(), _utils._get_pipeline_stages(), _utils._get_global_rank()) == (
        False,
        1,
        0,
    )
    with pytest.raises(ValueError, match="device_number"):
        _utils._device_number_check("stand_alone", 2)


def test_implementations_for_types_of_numbers():
    kind = ops.MultitypeFuncGraph("kind")
    for name in ("Bool", "Int64", "Float64", "Int8", "Tensor[Int32]", "Tensor"):
        kind.register(name)(lambda x, name=name: name)
    given = (True, 1, 1.5, np.int8(1), ms.Tensor([1], ms.int32), ms.Tensor([1], ms.int64))
    assert [kind(x) for x in given] == ["Bool", "Int64", "Float64", "Int8", "Tensor[Int32]", "Tensor"]
    with pytest.raises(TypeError, match="unknown type 'Int65'"):
        kind.register("Int65")


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", ["Number", "Bool", "Float", "Int"])
def test_one_implementation_alone_takes_any_type(kind, compiled):
    """Optimizers of model collections register "Number" for a weight decay that is a Tensor today."""
    update = ops.MultitypeFuncGraph("update")

    @update.register(kind, "Tensor")
    def _(factor, value):
        return factor * value

    def f(x, y):
        return ops.HyperMap()(ops.partial(update, x), (y,))[0]

    f, y = (ms.jit(f) if compiled else f), ms.Tensor([1.0, 2.0])
    for x in (ms.Tensor(3.0), ms.Tensor([3.0]), ms.Parameter(ms.Tensor(3.0), name="p"), 3.0, 3):
        assert f(x, y).asnumpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="argument"):
        update(y)
    update.register("Tensor", "Tensor", "Tensor")(lambda a, b, c: a)
    with pytest.raises(ValueError, match="no implementation for the types"):
        update(y, y)


def test_settings_that_nobody_made_have_values():
    asked = ("enable_ge", "enable_graph_kernel", "jit_syntax_level", "env_config_path", "op_timeout")
    assert [ms.get_context(name) for name in asked] == [False, False, 2, "", 900]
    with pytest.raises(ValueError, match="not recognized"):
        ms.set_context(enable_ge=True)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32])
def test_the_parts_of_mixed_precision(dtype):
    from mindspore.train.amp import _add_loss_network, _config_level, _do_keep_batchnorm_fp32

    assert [level for level, row in _config_level.items() if row["keep_batchnorm_fp32"]] == ["O2"]
    assert [row["cast_model_type"] for row in _config_level.values()] == [
        ms.float32, ms.float32, ms.float16, ms.float16, ms.float32
    ]  # fmt: skip
    first = nn.Dense(2, 3, weight_init=0.3, bias_init="zeros")
    net = nn.SequentialCell(first, nn.BatchNorm1d(3), nn.Dense(3, 1, weight_init=0.7, bias_init="zeros"))
    net.to_float(ms.float16)
    _do_keep_batchnorm_fp32(net)
    assert [type(cell).__name__ for cell in net] == ["Dense", "_OutputTo16", "Dense"]
    x, y = ms.Tensor([[1.1, 2.3], [0.7, -1.9]], ms.float32), ms.Tensor([[0.1], [1.3]], ms.float32)
    assert net(x).dtype == ms.float16
    loss = _add_loss_network(net, nn.MSELoss(), dtype)(x, y)
    assert loss.dtype == ms.float32
    np.testing.assert_allclose(float(loss), 4.204337, rtol=1e-3)  # MindSpore's
    with pytest.raises(TypeError, match="loss_fn"):
        _add_loss_network(net, abs, dtype)


def test_the_parts_of_parallel_networks():
    from mindspore.nn.wrap.cell_wrapper import _MicroBatch, _VirtualDatasetCell

    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert float(_VirtualDatasetCell(nn.MSELoss())(x, x * 2)) == 7.5
    assert _MicroBatch(2)(1, x)[0].asnumpy().tolist() == [[3.0, 4.0]]


def test_graph_api_is_common_api():
    from mindspore.common.api import _pynative_executor
    from mindspore.graph import api

    assert api._pynative_executor is _pynative_executor
    x = ms.Tensor([3.0])
    with api._no_grad():
        assert not _pynative_executor.enable_grad()
    assert ms.grad(api.jit(lambda x: x * x))(x).asnumpy() == [6.0]


def test_an_initializer_from_outside():
    from mindspore.common.initializer import _assignment, _calculate_fan_in_and_fan_out, _init_random_uniform

    class Scaled(ms.common.initializer.Initializer):
        def _initialize(self, arr):
            inputs, outputs = _calculate_fan_in_and_fan_out(arr.shape)
            bound = 1 / (inputs + outputs)
            _assignment(arr, _init_random_uniform(-bound, bound, arr.shape))

    values = ms.common.initializer.initializer(Scaled(), (4, 2, 3, 3)).asnumpy()
    assert 0 < np.abs(values).max() < 1 / 54
    with pytest.raises(ValueError, match="dimensions"):
        _calculate_fan_in_and_fan_out((3,))


def test_an_initializer_and_activations_by_name():
    from mindspore.common.initializer import Initializer, _assignment, _register, initializer
    from mindspore.nn.layer.activation import _activation
    from mindspore.train.model import _transfer_tensor_to_tuple

    @_register("sevens")
    class Seven(Initializer):
        def _initialize(self, arr):
            _assignment(arr, 7.0)

    assert initializer("sevens", (2,)).init_data().asnumpy().tolist() == [7.0, 7.0]
    assert initializer("seven", (2,)).init_data().asnumpy().tolist() == [7.0, 7.0]

    @_register()
    class Zeros(Seven):
        """Its name is taken."""

    assert initializer("zeros", (2,)).init_data().asnumpy().tolist() == [0.0, 0.0]
    assert _activation["relu6"] is nn.ReLU6
    x = ms.Tensor([1.0])
    assert _transfer_tensor_to_tuple(x)[0] is x
    assert _transfer_tensor_to_tuple([x])[0] is x


def test_what_is_said_once():
    from mindspore.log import _LogActionOnce

    class Book:
        def __init__(self):
            self.lines = []
            self.warning = self.lines.append

    book = Book()

    def say(line, times=1):
        for _ in range(times):
            book.warning(line)
        return line

    once = _LogActionOnce(logger=book, key="test_what_is_said_once")(say)
    never = _LogActionOnce(logger=book, key="never", no_warning=True)(say)
    assert (once("a", times=2), once("b"), never("d"), say("e")) == ("a", "b", "d", "e")
    assert book.lines == ["a", "a", "e"]


def test_the_compiled_part():
    from mindspore._c_expression import ParamInfo, _random_normal

    values = np.zeros((100,), np.float32)
    _random_normal(3, values, 1.0, 0.5)
    assert 0.8 < values.mean() < 1.2
    with pytest.raises(NotImplementedError, match=r"mindspore\._c_expression\.ParamInfo"):
        ParamInfo()
    with pytest.raises(ImportError):
        from mindspore._c_expression import nothing_of_the_kind  # noqa: F401


def test_names_of_datasets_that_are_not_here():
    from mindspore.dataset import vision
    from mindspore.dataset.vision import DecodeVideo

    for found in (DecodeVideo, vision.DecodeVideo):
        with pytest.raises(NotImplementedError, match="DecodeVideo"):
            found()
    with pytest.raises(ImportError):
        from mindspore.dataset import nothing_of_the_kind  # noqa: F401


@pytest.mark.parametrize(
    ("module", "gives"),
    [
        (
            "context",
            """COMPATIBLE GRAPH_MODE LAX PYNATIVE_MODE ParallelMode STRICT get_auto_parallel_context get_context
            get_ps_context reset_auto_parallel_context set_auto_parallel_context set_context set_ps_context""",
        ),
        (
            "common.initializer",
            """Constant Dirac HeNormal HeUniform Identity Initializer Normal One Orthogonal Sparse TruncatedNormal
            Uniform VarianceScaling XavierNormal XavierUniform Zero initializer""",
        ),
        (
            "communication.management",
            """HCCL_WORLD_COMM_GROUP MCCL_WORLD_COMM_GROUP NCCL_WORLD_COMM_GROUP create_group destroy_group
            get_comm_name get_group_rank_from_world_rank get_group_size get_local_rank get_local_rank_size
            get_process_group_ranks get_rank get_world_rank_from_group_rank init release""",
        ),
        (
            "nn.dynamic_lr",
            """cosine_decay_lr exponential_decay_lr inverse_decay_lr natural_exp_decay_lr piecewise_constant_lr
            polynomial_decay_lr warmup_lr""",
        ),
        (
            "nn.learning_rate_schedule",
            """CosineDecayLR ExponentialDecayLR InverseDecayLR NaturalExpDecayLR PolynomialDecayLR WarmUpLR""",
        ),
        (
            "amp",
            """DynamicLossScaleManager DynamicLossScaler FixedLossScaleManager LossScaleManager LossScaler
            StaticLossScaler all_finite auto_mixed_precision build_train_network custom_mixed_precision
            get_black_list get_white_list""",
        ),
        ("log", "get_level get_log_config"),
        ("common.seed", "get_seed set_seed"),
        ("common.mutable", "Tensor mutable"),
        ("common.jit_config", "JitConfig"),
        ("train.dataset_helper", "DatasetHelper connect_network_with_dataset"),
        ("train.loss_scale_manager", "DynamicLossScaleManager FixedLossScaleManager LossScaleManager"),
        ("ops.signature", "Signature make_sig sig_dtype sig_kind sig_rw"),
        (
            "train.serialization",
            """async_ckpt_thread_status build_searched_strategy ckpt_to_safetensors export get_ckpt_path_with_strategy
            load load_checkpoint load_checkpoint_async load_distributed_checkpoint load_param_into_net
            restore_group_info_list safetensors_to_ckpt save_checkpoint tensor_to_np_type""",
        ),
        ("train.model", "Model"),
    ],
)
def test_a_star_import_gives_mindspores_names_and_no_others(module, gives):
    names = {}
    exec(f"from mindspore.{module} import *", names)
    del names["__builtins__"]
    assert set(names) == set(gives.split())


@pytest.mark.parametrize("module", recorded_api.exported())
def test_a_star_import_gives_what_mindspore_exports(module):
    """But for names with an underscore, and those of modules that MindSpore keeps to itself."""
    names = {}
    if importlib.util.find_spec(module) is None:
        return
    exec(f"from {module} import *", names)
    recorded = set(recorded_api.exported()[module].split())
    assert set(names) - {"__builtins__"} <= recorded
    absent = {name for name in recorded - set(names) if name[0] != "_"}
    if module in recorded_api.unlisted():  # what such a module imports for itself need not be there
        names = vars(importlib.import_module(module))
        assert not absent & {
            name for name in names if str(getattr(names[name], "__module__", "")).startswith("msjax")
        }
    else:
        assert absent <= {"MapParameter"}


def test_star_imports_of_msjax_are_its_own():
    process = subprocess.run(
        [sys.executable, "-c", "import msjax.nn; print('Optax' in msjax.nn.__all__)"],
        capture_output=True,
        text=True,
    )
    assert process.stdout.strip() == "True"


DTYPES = """Int QuantDtype TensorType Type bfloat16 bool_ byte cdouble cfloat complex128 complex64 double dtype_to_nptype
    dtype_to_pytype float16 float32 float64 float8_e4m3fn float8_e5m2 float_ get_py_obj_dtype half hifloat8 int16 int32
    int64 int8 int_ intc intp list_ long number pytype_to_dtype qint4x2 short single string tensor_type tuple_ type_none
    ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort""".split()


@pytest.mark.parametrize(
    ("module", "gives", "only"),
    [
        ("common.dtype", [*DTYPES, "_null"], True),
        ("common", [*DTYPES, "Tensor", "Parameter", "jit"], False),
        ("common.parameter", ["Parameter", "ParameterTuple"], True),
        ("common.api", ["jit", "jit_class", "ms_memory_recycle"], True),
    ],
)
def test_star_imports_of_common(module, gives, only):
    names: dict = {}
    exec(f"from mindspore.{module} import *", names)
    del names["__builtins__"]
    assert set(gives) <= set(names)
    assert not only or set(gives) == set(names)
    assert importlib.import_module(f"mindspore.{module}").__all__


def test_the_tensor_of_the_compiled_extension():
    from mindspore._c_expression import Tensor

    assert isinstance(ms.Tensor([1.0]), Tensor)


def test_a_check_of_types():
    from mindspore.train._utils import check_value_type

    check_value_type("size", 3, int)
    check_value_type("flag", True, [bool, str])
    for value in ("3", True, None):
        with pytest.raises(TypeError, match="size"):
            check_value_type("size", value, [int, float])
