"""Settings of the process: execution mode, device, seeds of MindSpore's context functions."""

import difflib
import os
import warnings
from typing import Any

import jax

from msjax.config import context_values
from msjax.config.compiler_hints import COMPATIBLE as COMPATIBLE
from msjax.config.compiler_hints import LAX as LAX
from msjax.config.compiler_hints import STRICT as STRICT
from msjax.config.parallel_context import ParallelMode as ParallelMode
from msjax.config.parallel_context import get_auto_parallel_context as get_auto_parallel_context
from msjax.config.parallel_context import get_ps_context as get_ps_context
from msjax.config.parallel_context import reset_auto_parallel_context as reset_auto_parallel_context
from msjax.config.parallel_context import reset_ps_context as reset_ps_context
from msjax.config.parallel_context import set_auto_parallel_context as set_auto_parallel_context
from msjax.config.parallel_context import set_ps_context as set_ps_context

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "get_ps_context",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
    "set_context",
    "set_ps_context",
]

GRAPH_MODE = 0
PYNATIVE_MODE = 1

_DEVICES = ("CPU", "GPU", "Ascend", "TPU", "Davinci")
_settings: dict[str, Any] = {
    "mode": PYNATIVE_MODE,
    "device_target": None,
    "device_id": 0,
    "save_graphs": 0,
    "save_graphs_path": ".",
    "max_call_depth": 1000,
    "pynative_synchronize": False,
    "deterministic": "OFF",
    "jit_config": {},
    "ascend_config": {},
    "gpu_config": {},
    "jit_level": "",
    "log_compiles": os.environ.get("MSJAX_LOG_COMPILES", "0") not in ("", "0"),
    "compile_progress": os.environ.get("MSJAX_COMPILE_PROGRESS", "1") not in ("", "0"),
}
_OF_A_NEW_PROCESS = dict(_settings)
_WITHOUT_EFFECT = frozenset(
    """ascend_config gpu_config save_graphs save_graphs_path max_call_depth pynative_synchronize enable_graph_kernel
    graph_kernel_flags enable_reduce_precision variable_memory_max_size max_device_memory memory_optimize_level
    mempool_block_size print_file_path env_config_path auto_tune_mode check_bprop enable_compile_cache
    compile_cache_path inter_op_parallel_num runtime_num_threads jit_config jit_syntax_level jit_enable_inplace_ops
    disable_format_transform support_binary precompile_only enable_recovery recovery_path op_timeout grad_for_scalar
    enable_mem_reuse save_dump_path reserve_class_name_in_scope enable_profiling profiling_options debug_level
    infer_boost aoe_config aoe_tune_mode memory_offload conv_allow_tf32 matmul_allow_tf32 exec_order
    host_scheduling_max_threshold enable_dump enable_sparse enable_task_sink enable_loop_sink
    enable_auto_mixed_precision enable_hccl enable_dynamic_memory enable_debugger enable_graph_partition backend_policy
    pynative_synchronize
    deterministic jit_level""".split()
)
# MindSpore's values of settings that were never set. Programs ask for `enable_ge`, which cannot be set.
_UNSET: dict[str, Any] = {
    "enable_ge": False, "enable_profiling": False, "enable_graph_kernel": False, "enable_reduce_precision": True,
    "check_bprop": False, "disable_format_transform": False, "support_binary": False,
    "reserve_class_name_in_scope": True, "memory_optimize_level": 0, "debug_level": 0, "jit_syntax_level": 2,
    "inter_op_parallel_num": 0, "op_timeout": 900, "mempool_block_size": 1.0, "variable_memory_max_size": "0",
    "env_config_path": "", "graph_kernel_flags": "", "aoe_tune_mode": "", "print_file_path": "",
}  # fmt: skip
_warned: set[str] = set()


def set_context(**kwargs: Any) -> None:
    """Set MindSpore's context.

    Args:
        mode: GRAPH_MODE (0) or PYNATIVE_MODE (1).
        device_target: "CPU", "GPU" or "Ascend"; the best available one is used, with one warning if it is of another kind.
        device_id: index among the devices of that kind.
        log_compiles: msjax's own setting: True to log why `jit` compiles, to the logger `msjax.jit`. Default: by the
            environment variable MSJAX_LOG_COMPILES.
        compile_progress: msjax's own setting: True to say on stderr what is being compiled when that takes more than two
            seconds. Default: True, unless the environment variable MSJAX_COMPILE_PROGRESS is 0.
        kwargs: settings that only steer MindSpore's own backends are kept, and have no effect.

    Raises:
        TypeError: for a value of another type than the setting's.
        ValueError: for an unknown setting, mode or device, and for a value that the setting cannot have.

    Examples:
        >>> import msjax as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)
        >>> ms.get_context("mode")
        1
    """
    for name, value in kwargs.items():
        context_values.check(name, value)
        if name == "device_target":
            set_device(value, kwargs.get("device_id"))
        elif name == "device_id":
            if not 0 <= value <= 4095:
                raise ValueError(
                    f"`set_context`: argument `device_id` must be in [0, 4095]. Received: {value!r}."
                )
        elif name not in _WITHOUT_EFFECT and name not in ("mode", "log_compiles", "compile_progress"):
            known = ["device_id", "device_target", "mode", *sorted(_WITHOUT_EFFECT)]
            near = difflib.get_close_matches(name, known)
            raise ValueError(
                f"set_context: the keyword argument {name!r} is not recognized. "
                f"{f'Did you mean {near[0]!r}? ' if near else ''}Known ones: {', '.join(known)}."
            )
        _settings[name] = int(value) if name in ("mode", "device_id") else value


def get_context(attr_key: str) -> Any:
    """Return the value of a setting.

    Raises:
        TypeError: if `attr_key` is no str.
        ValueError: for an unknown setting.
    """
    if not isinstance(attr_key, str):
        raise TypeError(f"`get_context`: argument `attr_key` must be a str. Received: {attr_key!r}.")
    if attr_key == "device_target":
        return _settings["device_target"] or _best()
    if attr_key in _settings:
        return _settings[attr_key]
    if attr_key in _WITHOUT_EFFECT or attr_key in _UNSET:
        return _UNSET.get(attr_key)
    raise ValueError(f"get_context: the setting {attr_key!r} is not recognized.")


def mode() -> int:
    """Return the execution mode: PYNATIVE_MODE or GRAPH_MODE.

    Examples:
        >>> import msjax as ms
        >>> from msjax.config.context import mode
        >>> mode() == ms.PYNATIVE_MODE
        True
    """
    return get_context("mode")


_get_mode = mode  # programs reach it as an attribute of `mindspore.context`


def _best() -> str:
    return {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}.get(
        jax.default_backend(), "CPU"
    )


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the kind of device; one that is not available is replaced by the best that is, with one warning.

    Args:
        device_target: "CPU", "GPU", "Ascend" or "TPU".
        device_id: which one of them. Default: 0.

    Raises:
        TypeError: if the kind is no str.
        ValueError: for an unknown kind, or an id that no device has.
    """
    if not isinstance(device_target, str):
        raise TypeError(f"`set_device`: argument `device_target` must be a str. Received: {device_target!r}.")
    if device_target not in _DEVICES:
        raise ValueError(
            f"`set_device`: argument `device_target` must be one of {_DEVICES[:4]}. Received: {device_target!r}."
        )
    platform = {"CPU": "cpu", "GPU": "gpu", "TPU": "tpu"}.get(device_target)
    devices = _devices(platform)
    if not devices:
        best = _best()
        if device_target not in _warned:
            _warned.add(device_target)
            warnings.warn(
                f"device_target={device_target!r} is not available; running on {best}.", stacklevel=3
            )
        devices = jax.local_devices()
    if device_id is not None:
        if not 0 <= device_id < len(devices) and platform is not None:
            raise ValueError(
                f"`set_device`: argument `device_id` must be in [0, {len(devices)}) for {device_target}. "
                f"Received: {device_id}."
            )
        _settings["device_id"] = device_id
    if platform is not None and (device_id or devices[0].platform != jax.default_backend()):
        jax.config.update("jax_default_device", devices[device_id or 0])
    _settings["device_target"] = device_target


def _devices(platform: str | None) -> list[Any]:
    if platform is None:
        return []
    try:
        return jax.local_devices(backend=platform)
    except RuntimeError:
        return []


def get_device() -> str:
    """Return the kind of device that was chosen, or the best available."""
    return get_context("device_target")


def set_deterministic(deterministic: bool) -> None:
    """Ask XLA for deterministic operators, before the first one runs.

    Raises:
        TypeError: if the argument is no bool.
    """
    if not isinstance(deterministic, bool):
        raise TypeError(
            f"`set_deterministic`: argument `deterministic` must be a bool. Received: {deterministic!r}."
        )
    # XLA reads its flags when the backend starts; a later change has no effect.
    flag = "--xla_gpu_deterministic_ops=true"
    flags = os.environ.get("XLA_FLAGS", "").replace(flag, "").strip()
    os.environ["XLA_FLAGS"] = f"{flags} {flag}".strip() if deterministic else flags
    _settings["deterministic"] = "ON" if deterministic else "OFF"


def reset_context() -> None:
    """Restore the settings of a new process."""
    _settings.clear()
    _settings.update(_OF_A_NEW_PROCESS)
