"""Device, process and compiler queries of PyTorch (`torch.cuda.is_available()` and the like), answered for this engine.

Arrays live where JAX puts them, on its best device, in one process; programs are not to move their tensors.
"""

import ast
import collections
import contextlib
import enum
import functools
import math
import operator
import types
import typing
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, NoReturn

from msjax.core import dtype as dtypes
from msjax.core.autodiff.hooks import HookHandle
from msjax.public_api import torch_api
from msjax.torch import (
    amp,
    distributed,
    func,
    hub,
    library,
    nn,
    private_names,
    profiler,
    random,
    serialization,
)
from msjax.torch.autograd import anomaly_mode
from msjax.torch.data_parallel import DistributedDataParallel
from msjax.torch.distributed import autograd_collectives, device_mesh, dtensor, placements, tensor_parallel
from msjax.torch.distributions import Dirichlet
from msjax.torch.functions import finfo_and_modes, foreach, settings
from msjax.torch.fx import graph, tracing
from msjax.torch.nn import (
    activation,
    aten_functions,
    attention_bias,
    convolution_gradients,
    flex_attention,
    hooks_of_all,
)
from msjax.torch.storage import UntypedStorage
from msjax.torch.tensor_methods import overrides
from msjax.torch.tensors import creation, torch_function
from msjax.torch.tensors.tensor import Tensor
from msjax.torch.utils.data import collate, loader

# PyTorch's module, and of it `name=value`, a function that returns the value whatever it is called with, and `name:value`.
_TABLE = """
torch.accelerator: is_available=False current_accelerator=None device_count=0
torch.cuda: is_available=False device_count=0 is_initialized=False synchronize=None empty_cache=None init=None
    ipc_collect=None is_bf16_supported=False is_current_stream_capturing=False get_arch_list=[] memory_allocated=0
    max_memory_allocated=0 memory_reserved=0 max_memory_reserved=0 reset_peak_memory_stats=None
    reset_max_memory_allocated=None memory_cached=0 max_memory_cached=0 seed=None seed_all=None has_half:True
    get_rng_state_all=[] set_rng_state_all=None
torch.xpu: is_available=False device_count=0 is_initialized=False empty_cache=None is_bf16_supported=False
torch.__config__: show='msjax.torch' parallel_info=''
torch.backends.quantized: engine:'none' supported_engines:['none']
torch.backends.opt_einsum: enabled:True strategy:'auto' is_available=True
torch.mps: device_count=0 is_available=False empty_cache=None
torch.mtia: is_available=False device_count=0 is_initialized=False
torch.cpu: is_available=True device_count=1 synchronize=None current_device='cpu' is_initialized=True
torch.backends.cudnn: is_available=False version=None is_acceptable=False enabled:True benchmark:False
    deterministic:False allow_tf32:True benchmark_limit:10 rnn:None conv:None
torch.backends.cuda: is_built=False flash_sdp_enabled=False mem_efficient_sdp_enabled=False math_sdp_enabled=True
    cudnn_sdp_enabled=False enable_flash_sdp=None enable_mem_efficient_sdp=None enable_math_sdp=None
    enable_cudnn_sdp=None is_flash_attention_available=False
torch.backends.mps: is_available=False is_built=False is_macos_or_newer=False is_macos13_or_newer=False
torch.backends.mkl: is_available=False
torch.backends.mkldnn: is_available=False enabled:False deterministic:False
torch.backends.openmp: is_available=False
torch.backends.nnpack: is_available=False
torch.backends.cusparselt: is_available=False version=None
torch.backends.xeon: is_available=False
torch.backends.cpu: get_cpu_capability='DEFAULT'
torch: newaxis:None is_neg=False has_lapack:True has_mkl:False has_openmp:False has_spectral:True
    compiled_with_cxx11_abi=True
torch.jit: is_scripting=False is_tracing=False
torch.onnx: is_in_onnx_export=False register_custom_op_symbolic=None
torch.compiler: is_compiling=False is_dynamo_compiling=False is_exporting=False reset=None cudagraph_mark_step_begin=None
torch._dynamo: is_compiling=False reset=None mark_static_address=None mark_dynamic=None mark_static=None
    maybe_mark_dynamic=None mark_unbacked=None graph_break=None
torch.multiprocessing: get_all_sharing_strategies=set() get_sharing_strategy='file_system' set_sharing_strategy=None
torch.version: __version__:'2.13.0' cuda:None hip:None xpu:None rocm:None debug:False git_version:'' cann:None
torch._utils: is_compiling=False
torch.autograd: _profiler_enabled=False
torch._C: _get_default_device='cpu' _get_privateuse1_backend_name='privateuseone'
    _log_api_usage_once=None _get_tracing_state=None _is_tracing=False
torch._jit_internal: is_scripting=False
torch._dynamo.utils: is_compile_supported=False
torch._dynamo.eval_frame: is_dynamo_supported=False
torch._C._functorch: is_legacy_batchedtensor=False is_batchedtensor=False is_functorch_wrapped_tensor=False
torch.distributed.rpc: is_available=False
torch.distributed.autograd: is_available=False
torch._C._distributed_rpc: _is_current_rpc_agent_set=False
torch._subclasses.fake_tensor: is_fake=False
torch._prims_common: alert_not_deterministic=None is_contiguous_or_false=True
torch.fx.experimental.proxy_tensor: get_proxy_mode=None
torch.fx.experimental.symbolic_shapes: free_symbols=set() free_unbacked_symbols=set()
torch.utils._python_dispatch: is_traceable_wrapper_subclass=False
torch.profiler: kineto_available=False
torch.cuda.nvtx: range_push=None range_pop=None mark=None
"""


def _same(function: Any = None, *args: Any, **named: Any) -> Any:
    """Return the function or module as it is; of settings alone, a decorator that leaves it as it is."""
    return function if callable(function) else _same


def _decorator(*args: Any, **named: Any) -> Any:
    return _same


def _no_context(*args: Any, **named: Any) -> Any:
    return contextlib.nullcontext()


class DataParallel(nn.Module):
    """The module on the one device that there is.

    Args:
        module: the module.
        device_ids, output_device, dim: of no effect.
    """

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.dim, self.device_ids = dim, []
        self.module = module

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self.module(*inputs, **kwargs)


def _is_storage(obj: Any) -> bool:
    """Return True for the storage of a tensor."""
    return isinstance(obj, UntypedStorage)


def _cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """Call one of two functions."""
    return (true_fn if bool(pred) else false_fn)(*operands)


def _while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple) -> tuple:
    """Call a function on its own results while a condition of them holds."""
    carried = tuple(carried_inputs)
    while bool(cond_fn(*carried)):
        carried = tuple(body_fn(*carried))
    return carried


def data_parallel(
    module: Any, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0,
    module_kwargs: Any = None,
) -> Any:  # fmt: skip
    """Call the module on the one device that there is."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


def _numbers(n: int) -> Callable:
    """Return the function that makes n numbers of one."""

    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    return parse


class _Keys(frozenset):
    """`torch._C.DispatchKeySet`; and `DispatchKey`, whose attributes are keys."""

    def __new__(cls, *names: str) -> typing.Self:
        return super().__new__(cls, names)


class _EveryName:
    def __getattr__(self, name: str) -> str:
        return name


class _Annotation:
    """`torch.jit.annotations`' and the like: a name that annotations subscript."""

    def __class_getitem__(cls, item: Any) -> Any:
        return Any


def _indent(text: str, spaces: int) -> str:
    """Return the lines behind the first, moved to the right."""
    return text.replace("\n", "\n" + " " * spaces)


def _activation(name: str) -> Callable:
    if name not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {name}")
    return getattr(nn.functional, name)


def _no_kernels(*args: Any, **named: Any) -> tuple[bool, bool]:
    """Neither fused nor foreach kernels."""
    return False, False


def _sample_dirichlet(alpha: Any, generator: Any = None) -> Any:
    return Dirichlet(alpha).sample()


def _assert(condition: Any, message: str) -> None:
    assert condition, message


def _assert_async(condition: Any, message: str = "Expected Tensor to be true.") -> None:
    if not condition:
        raise RuntimeError(message)


def _check(condition: Any, message: Callable | None = None, kind: type[Exception] = RuntimeError) -> None:
    """`torch._check` and the like: raise if a condition does not hold.

    Args:
        condition: a truth value.
        message: returns the text of the error.
        kind: of the error.
    """
    if not condition:
        default = (
            "Expected cond to be True, but got False. (Could this error message be improved? If so, please "
        )
        raise kind(
            str(message()) if message is not None else default + "report an enhancement request to PyTorch.)"
        )


def _shape_as_tensor(tensor: Any) -> Any:
    return creation.tensor(list(tensor.shape))


def _parse_to(*args: Any, **named: Any) -> tuple[Any, Any, bool, Any]:
    """`torch._C._nn._parse_to`: the device, dtype, and the rest of what `Module.to` is given.

    Raises:
        TypeError: for something else.
    """
    where, kind, rest = named.pop("device", None), named.pop("dtype", None), []
    for arg in args:
        if isinstance(arg, Tensor):
            where, kind = arg.device, arg.dtype
        elif isinstance(arg, dtypes.DType):
            kind = arg
        elif isinstance(arg, bool):
            rest.append(arg)
        elif isinstance(arg, str | int):
            where = arg
        elif arg is not None:
            raise TypeError(f"to() received an invalid combination of arguments: {type(arg).__name__}")
    quick = named.pop("non_blocking", rest[0] if rest else False)
    return None if where is None else creation.device(where), kind, quick, named.pop("memory_format", None)


class OptimizedModule(nn.Module):
    """Class of the modules that `torch.compile` makes in PyTorch; here a module stays itself, so nothing is one."""


class _DatasetKind:
    """`torch.utils.data.dataloader._DatasetKind`."""

    Map, Iterable = 0, 1


class SDPBackend(enum.IntEnum):
    """Kernels of attention. XLA has one, of the formula, for all of them."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


def _one_kernel(backends: Any, set_priority: bool = False) -> Any:
    """Return a context in which attention is computed by one of some kernels, which all give the same.

    Raises:
        AssertionError: for what is no kernel.
    """
    for one in backends if isinstance(backends, list) else [backends]:
        assert isinstance(one, SDPBackend), (
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
        )
    return contextlib.nullcontext()


def _save_module(m: Any, f: Any, _extra_files: Any = None) -> None:
    """`torch.jit.save`: write the module itself, which msjax reads where its class can be imported."""
    if _extra_files:
        raise NotImplementedError("`torch.jit.save`: argument `_extra_files` must be None in msjax.torch.")
    serialization.save(m, f)


def _load_module(f: Any, map_location: Any = None, *others: Any, **named: Any) -> Any:
    """`torch.jit.load`: read what `torch.jit.save` of msjax wrote; as unpickling, it runs code of the file."""
    return serialization.load(f, map_location, weights_only=False)


def _module_of_device(device: Any = None) -> Any:
    """`torch.get_device_module`: there is the CPU's."""
    return torch_api.module_named("torch.cpu")


def _second(kind: Any, value: Any) -> Any:
    """`torch.jit.annotate`: the value."""
    return value


def _isinstance(value: Any, kind: Any) -> bool:
    """`torch.jit.isinstance`: `List[int]` and the like are looked at inside."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(_fits(value, one) for one in kinds)


def _fits(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return kind is Any or isinstance(value, kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if not isinstance(value, origin):
        return False
    if origin is dict:
        return all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if origin is tuple and inner[-1] is not Ellipsis:
        return len(value) == len(inner) and all(map(_fits, value, inner))
    return all(_fits(each, inner[0]) for each in value)


def _ignore_backend(*args: Any, **named: Any) -> None:
    """Nothing is compiled, so there is nothing to say."""


_OF_GROUPS = {
    "_get_default_group": distributed.get_default_group,
    "_rank_not_in_group": distributed.rank_not_in_group,
}
_PLACEMENTS = {name: getattr(placements, name) for name in ("Placement", "Shard", "Replicate", "Partial")}
_WITH_GRADIENTS = {name: getattr(autograd_collectives, name) for name in autograd_collectives.NAMES}
_MESHES = {"DeviceMesh": device_mesh.DeviceMesh, "init_device_mesh": device_mesh.init_device_mesh}
_TENSORS = _PLACEMENTS | _MESHES | {name: getattr(dtensor, name) for name in ("DTensor", "distribute_tensor")}
_PARALLEL = {
    name: getattr(tensor_parallel, name)
    for name in (
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel "
        "SequenceParallel loss_parallel parallelize_module"
    ).split()
}
# What raises in PyTorch without CUDA; functions that only wait or free memory do nothing here.
_NEED_CUDA = """current_device set_device get_device_name get_device_properties get_device_capability current_stream
    default_stream set_stream mem_get_info cudart get_rng_state set_rng_state initial_seed current_blas_handle
    can_device_access_peer""".split()
_KINDS_OF_TENSORS = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()


def _refuse_without_cuda(name: str) -> Callable:
    def refuse(*args: Any, **named: Any) -> NoReturn:
        raise AssertionError("Torch not compiled with CUDA enabled")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _class_without_cuda(name: str) -> type:
    """Return a class for annotations and `isinstance`, of which nothing can be made."""

    def refuse(*args: Any, **named: Any) -> NoReturn:
        if name.endswith("Tensor"):
            raise TypeError(f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled.")
        raise RuntimeError(f"torch.cuda.{name} requires CUDA support")

    return type(name, (), {"__new__": refuse, "__module__": "torch.cuda"})


# Decorators of torch.compiler and torch._dynamo, which have nothing to change.
_LEFT_ALONE = (
    "disable allow_in_graph assume_constant_result disallow_in_graph forbid_in_graph nonstrict_trace".split()
)
# Functions of torch.jit that leave what they are given as it is.
_UNCHANGED = """script ignore unused export script_if_tracing _script_if_tracing interface _overload _overload_method freeze
    optimize_for_inference trace_module strict_fusion"""

_CODE: dict[str, dict[str, Any]] = {
    "torch._C": {
        "DisableTorchFunctionSubclass": torch_function.DisableTorchFunctionSubclass,
        "DisableTorchFunction": torch_function.DisableTorchFunction,
        "_ExcludeDispatchKeyGuard": _no_context,
        "_disabled_torch_function_impl": torch_function.handle_nothing,
        "_TensorMeta": type(Tensor),
        "_nn": SimpleNamespace(_parse_to=_parse_to),
        "DispatchKeySet": _Keys,
        "DispatchKey": _EveryName(),
    },
    "torch._tensor": {"Tensor": Tensor},
    "torch.overrides": {name: getattr(overrides, name) for name in overrides.NAMES},
    "torch._dynamo.eval_frame": {"OptimizedModule": OptimizedModule},
    "torch.distributed.distributed_c10d": _OF_GROUPS,
    "torch.distributed": _OF_GROUPS,
    "torch.distributed.nn.functional": _WITH_GRADIENTS,
    "torch.distributed.nn": _WITH_GRADIENTS,
    "torch.distributed.tensor": _TENSORS,
    "torch.distributed.tensor.placement_types": _PLACEMENTS,
    "torch.distributed.tensor.device_mesh": _MESHES,
    "torch.distributed._tensor": _TENSORS,
    "torch.distributed._tensor.device_mesh": _MESHES,
    "torch.distributed.tensor.parallel": _PARALLEL,
    "torch.distributed.tensor.parallel.api": _PARALLEL,
    "torch.distributed.tensor.parallel.style": _PARALLEL,
    "torch.distributed.tensor.parallel.loss": _PARALLEL,
    "torch.distributed.rpc.api": {"_require_initialized": _same},
    "torch.nn.modules.loss": {name: getattr(activation, name) for name in ("_Loss", "_WeightedLoss")},
    "torch.nn.modules.dropout": {"_DropoutNd": activation.Dropout},
    "torch.utils.dlpack": {"to_dlpack": finfo_and_modes.to_dlpack, "from_dlpack": creation.from_dlpack},
    "torch.utils.flop_counter": {"FlopCounterMode": profiler.FlopCounterMode},
    "torch.utils.hooks": {"RemovableHandle": HookHandle},
    "torch.utils.data.dataloader": {
        "_DatasetKind": _DatasetKind,
        "_BaseDataLoaderIter": loader.Batches,
        "_SingleProcessDataLoaderIter": loader.Batches,
        "_MultiProcessingDataLoaderIter": loader.Batches,
    },
    "torch.jit.annotations": {f"BroadcastingList{n}": _Annotation for n in range(1, 7)}
    | {name: getattr(typing, name) for name in ("List", "Dict", "Tuple", "Optional", "Union", "Any")},
    "torch.types": {
        "Number": int | float | bool,
        "Device": Any,
        "_device": Any,
        "_dtype": Any,
        "_size": Any,
        "_int": int,
        "_float": float,
        "_bool": bool,
    },
    "torch.onnx.symbolic_helper": {"parse_args": _decorator},
    "torch.fx.node": {"Target": graph.Target, "Argument": Any, "map_aggregate": graph.map_aggregate},
    "torch.fx.proxy": {
        name: getattr(tracing, name)
        for name in ("Attribute", "TraceError", "TracerBase", "Proxy", "GraphAppendingTracer")
    },
    "torch.fx.experimental.symbolic_shapes": dict.fromkeys(
        ("guard_or_false", "guard_or_true", "statically_known_true"), bool
    ),
    "torch.fx._symbolic_trace": {
        name: getattr(tracing, name) for name in ("Tracer", "symbolic_trace", "wrap")
    },
    "torch.fx.graph_module": {
        "_CodeOnlyModule": _Annotation,
        "_copy_attr": _same,
        "_USER_PRESERVED_ATTRIBUTES_KEY": "",
    },
    "torch.utils.model_zoo": {"load_url": hub.load_state_dict_from_url, "tqdm": hub.tqdm},
    "torch.cuda": {"manual_seed": random.manual_seed, "manual_seed_all": random.manual_seed}
    | {"memory_stats": collections.OrderedDict, "memory_stats_as_nested_dict": dict}
    | {name: _refuse_without_cuda(name) for name in _NEED_CUDA}
    | {f"{kind}Tensor": _class_without_cuda(f"{kind}Tensor") for kind in _KINDS_OF_TENSORS}
    | {name: _class_without_cuda(name) for name in ("Stream", "Event")},
    "torch.xpu": {"manual_seed": random.manual_seed, "manual_seed_all": random.manual_seed},
    "torch.mps": {"manual_seed": random.manual_seed},
    "torch.cuda.amp": {
        "GradScaler": amp.GradScaler,
        "autocast": amp.OfCuda,
        "custom_fwd": functools.partial(amp.custom_fwd, device_type="cuda"),
        "custom_bwd": functools.partial(amp.custom_bwd, device_type="cuda"),
    },
    "torch.cpu.amp": {"GradScaler": amp.GradScaler, "autocast": amp.OfCpu},
    "torch.utils.data._utils.collate": {
        "collate": collate.collate,
        "default_collate_fn_map": collate.default_collate_fn_map,
    },
    "torch.nn.grad": {name: getattr(convolution_gradients, name) for name in convolution_gradients.NAMES},
    "torch.nn.utils.stateless": {"functional_call": func.functional_call},
    "torch.torch_version": {"TorchVersion": settings.TorchVersion},
    "torch": {
        "get_device_module": _module_of_device,
        "is_anomaly_enabled": anomaly_mode.is_anomaly_enabled,
        "is_anomaly_check_nan_enabled": anomaly_mode.is_anomaly_check_nan_enabled,
        "set_anomaly_enabled": anomaly_mode.set_anomaly_enabled,
        "GradScaler": amp.GradScaler,
        "autocast": amp.autocast,
        "ops": library.ops,
        "_sample_dirichlet": _sample_dirichlet,
        "_assert": _assert,
        "_assert_async": _assert_async,
        "_shape_as_tensor": _shape_as_tensor,
        "_check": _check,
        **{
            f"_check_{kind.__name__.removesuffix('Error').lower()}": functools.partial(_check, kind=kind)
            for kind in (IndexError, ValueError, TypeError)
        },
        "is_signed": Tensor.is_signed,
        "is_storage": _is_storage,
        "cond": _cond,
        "while_loop": _while_loop,
        "sym_int": int,
        "sym_float": float,
        "sym_not": operator.not_,
        "sym_max": max,
        "sym_min": min,
        **{name: getattr(amp, name) for name in amp.QUERIES},
        **{name: foreach.find(name) for name in foreach.NAMES},
        **{name: getattr(aten_functions, name) for name in aten_functions.NAMES},
    },
    "torch.backends.cudnn": {"flags": _no_context},
    "torch.backends.mkldnn": {"flags": _no_context},
    "torch.backends.cuda": {
        "matmul": SimpleNamespace(
            allow_tf32=False, allow_fp16_reduced_precision_reduction=True, fp32_precision="none"
        ),
        "sdp_kernel": _no_context,
    },
    "torch.nn.attention.flex_attention": {"_DEFAULT_SPARSE_BLOCK_SIZE": 128}
    | {name: getattr(flex_attention, name) for name in flex_attention.NAMES},
    "torch.nn.attention.bias": {name: getattr(attention_bias, name) for name in attention_bias.NAMES},
    "torch.nn.attention": {"sdpa_kernel": _one_kernel, "SDPBackend": SDPBackend},
    "torch.jit": dict.fromkeys(_UNCHANGED.split(), _same)
    | {"save": _save_module, "load": _load_module}
    | {"trace": _same, "annotate": _second, "Final": _Annotation, "isinstance": _isinstance},
    "torch.compiler": dict.fromkeys(_LEFT_ALONE, _same) | {"set_stance": _no_context},
    "torch._dynamo": dict.fromkeys(_LEFT_ALONE, _same)
    | {"config": SimpleNamespace(), "mark_dynamic": _ignore_backend, "OptimizedModule": OptimizedModule},
    "torch.distributed.elastic.multiprocessing.errors": {"record": _same},
    "torch.nn": {"DataParallel": DataParallel},
    "torch.nn.parallel": {
        "DataParallel": DataParallel,
        "data_parallel": data_parallel,
        "DistributedDataParallel": DistributedDataParallel,
    },
    "torch.nn.parallel.distributed": {"DistributedDataParallel": DistributedDataParallel},
    "torch.nn.init": {"_calculate_fan_in_and_fan_out": nn.init.fan_in_and_out},
    "torch.nn.modules.module": {"_IncompatibleKeys": nn.state_dicts.Keys, "_addindent": _indent}
    | {"_EXTRA_STATE_KEY_SUFFIX": "_extra_state"}
    | {name: hook for name, hook in vars(hooks_of_all).items() if name.startswith("register_module_")},
    "torch.nn.modules.transformer": {"_get_activation_fn": _activation},
    "torch.optim.optimizer": {
        "required": object(),
        "_params_t": Any,
        "ParamsT": Any,
        "_get_value": _same,
        "_use_grad_for_differentiable": _same,
        "_default_to_fused_or_foreach": _no_kernels,
        "_get_capturable_supported_devices": list,
        "_dispatch_sqrt": math.sqrt,
        "_stack_if_compiling": _same,
        "_view_as_real": _same,
    },
    "torch.nn.modules.utils": {
        "_single": _numbers(1),
        "_pair": _numbers(2),
        "_triple": _numbers(3),
        "_quadruple": _numbers(4),
    },
    "torch.nn.modules.batchnorm": {
        "_BatchNorm": nn.BatchNorm2d.__base__,
        "_NormBase": nn.BatchNorm2d.__base__,
    },
    "torch.nn.modules.instancenorm": {"_InstanceNorm": nn.InstanceNorm2d.__base__},
    "torch.nn.modules.conv": {"_ConvNd": nn.Conv2d.__base__},
    "torch.autograd.profiler": {"record_function": profiler.record_function, "profile": profiler.profile},
}


def _make_constant_function(name: str, value: Any) -> Callable:
    def answer(*args: Any, **named: Any) -> Any:
        return value

    answer.__name__ = answer.__qualname__ = name
    answer.__doc__ = f"{value!r}."
    return answer


@functools.cache
def answers(place: str) -> dict[str, Any]:
    """Return the names of a module of PyTorch's that are answered here.

    Args:
        place: the module.

    Examples:
        >>> from msjax import torch
        >>> torch.accelerator.is_available(), torch.version.cuda
        (False, None)
    """
    found: dict[str, Any] = {}
    current = ""
    for word in _TABLE.split():
        if word.endswith(":"):
            current = word[:-1]
        elif current == place:
            constant = ":" in word.partition("=")[0]
            name, _, value = word.partition(":" if constant else "=")
            literal = set() if value == "set()" else ast.literal_eval(value)
            found[name] = literal if constant else _make_constant_function(name, literal)
    return found | _CODE.get(place, {}) | private_names.NAMES.get(place, {})
