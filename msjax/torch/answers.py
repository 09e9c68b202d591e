"""Device, process and compiler queries of PyTorch (`torch.cuda.is_available()` and the like), answered for this engine.

Arrays live where JAX puts them, on its best device, in one process; programs are not to move their tensors.
"""

import ast
import contextlib
import functools
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from jax.profiler import TraceAnnotation

from msjax.torch import amp, nn, random

# PyTorch's module, and of it `name=value`, a function that returns the value whatever it is called with, and `name:value`.
_TABLE = """
torch.accelerator: is_available=False current_accelerator=None device_count=0
torch.cuda: is_available=False device_count=0 is_initialized=False synchronize=None empty_cache=None init=None
    ipc_collect=None is_bf16_supported=False is_current_stream_capturing=False get_arch_list=[] memory_allocated=0
    max_memory_allocated=0 memory_reserved=0 max_memory_reserved=0 reset_peak_memory_stats=None
    reset_max_memory_allocated=None memory_cached=0 max_memory_cached=0 seed=None seed_all=None has_half:True
torch.xpu: is_available=False device_count=0 is_initialized=False empty_cache=None is_bf16_supported=False
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
torch.distributed: is_available=False is_initialized=False is_mpi_available=False is_nccl_available=False
    is_gloo_available=False is_ucc_available=False is_xccl_available=False is_torchelastic_launched=False
torch.jit: is_scripting=False is_tracing=False
torch.onnx: is_in_onnx_export=False
torch.compiler: is_compiling=False is_dynamo_compiling=False is_exporting=False reset=None cudagraph_mark_step_begin=None
torch._dynamo: is_compiling=False reset=None
torch.overrides: has_torch_function=False has_torch_function_unary=False has_torch_function_variadic=False
torch.multiprocessing: get_all_sharing_strategies=set() get_sharing_strategy='file_system' set_sharing_strategy=None
torch.version: __version__:'2.13.0' cuda:None hip:None xpu:None rocm:None debug:False git_version:'' cann:None
torch._utils: is_compiling=False
"""


def _same(function: Any = None, *args: Any, **named: Any) -> Any:
    """The function or module as it is; of settings alone, a decorator that leaves it as it is."""
    return function if callable(function) else _same


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


def data_parallel(
    module: Any, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0,
    module_kwargs: Any = None,
) -> Any:  # fmt: skip
    """Call the module on the one device that there is."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


def _numbers(n: int) -> Callable:
    """The function that makes n numbers of one."""

    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    return parse


_CODE: dict[str, dict[str, Any]] = {
    "torch.cuda": {"manual_seed": random.manual_seed, "manual_seed_all": random.manual_seed},
    "torch.xpu": {"manual_seed": random.manual_seed, "manual_seed_all": random.manual_seed},
    "torch.mps": {"manual_seed": random.manual_seed},
    "torch.cuda.amp": {"GradScaler": amp.GradScaler, "autocast": functools.partial(amp.autocast, "cuda")},
    "torch.cpu.amp": {"GradScaler": amp.GradScaler, "autocast": functools.partial(amp.autocast, "cpu")},
    "torch": {
        "GradScaler": amp.GradScaler,
        "autocast": amp.autocast,
        **{name: getattr(amp, name) for name in amp.QUERIES},
    },
    "torch.backends.cudnn": {"flags": _no_context},
    "torch.backends.mkldnn": {"flags": _no_context},
    "torch.backends.cuda": {
        "matmul": SimpleNamespace(
            allow_tf32=False, allow_fp16_reduced_precision_reduction=True, fp32_precision="none"
        ),
        "sdp_kernel": _no_context,
    },
    "torch.nn.attention": {"sdpa_kernel": _no_context},
    "torch.jit": dict.fromkeys(
        ("script", "ignore", "unused", "export", "script_if_tracing", "interface"), _same
    )
    | {"trace": _same},
    "torch.compiler": {"disable": _same, "allow_in_graph": _same, "assume_constant_result": _same},
    "torch._dynamo": {"disable": _same, "allow_in_graph": _same, "config": SimpleNamespace()},
    "torch.nn": {"DataParallel": DataParallel},
    "torch.nn.parallel": {"DataParallel": DataParallel, "data_parallel": data_parallel},
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
    "torch.profiler": {"record_function": TraceAnnotation},
    "torch.autograd.profiler": {"record_function": TraceAnnotation},
}


def _returning(name: str, value: Any) -> Callable:
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
        >>> torch.accelerator.is_available(), torch.distributed.is_initialized(), torch.version.cuda
        (False, False, None)
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
            found[name] = literal if constant else _returning(name, literal)
    return found | _CODE.get(place, {})
