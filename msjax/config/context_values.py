"""Types and values that the settings of `set_context` accept."""

import os
from typing import Any

_TYPES: dict[str, Any] = {
    **dict.fromkeys("mode device_id inter_op_parallel_num max_call_depth runtime_num_threads op_timeout".split(), int),
    **dict.fromkeys("jit_syntax_level debug_level".split(), int),
    **dict.fromkeys(
        """device_target save_graphs_path aoe_tune_mode variable_memory_max_size max_device_memory print_file_path
        env_config_path graph_kernel_flags mempool_block_size deterministic""".split(),
        str,
    ),
    **dict.fromkeys(
        """enable_reduce_precision enable_auto_mixed_precision enable_graph_kernel reserve_class_name_in_scope
        check_bprop pynative_synchronize log_compiles compile_progress disable_format_transform enable_compile_cache
        support_binary""".split(),
        bool,
    ),
    **dict.fromkeys("aoe_config ascend_config gpu_config jit_config".split(), dict),
    "save_graphs": (bool, int),
    "profiling_options": str,
}  # fmt: skip
_NOT_NONE = {
    "device_id",
    "save_graphs",
    "max_call_depth",
    "inter_op_parallel_num",
    "runtime_num_threads",
    "op_timeout",
}
_NOT_NONE |= {"env_config_path", "jit_config", "aoe_config", "enable_compile_cache", "support_binary"}
_LEAST = {"max_call_depth": 1, "inter_op_parallel_num": 0, "runtime_num_threads": 0, "op_timeout": 0}
_CHOICES: dict[str, tuple] = {
    "mode": (0, 1),
    "memory_optimize_level": ("O0", "O1"),
    "deterministic": ("ON", "OFF"),
    "aoe_tune_mode": ("online", "offline"),
    "exec_order": ("bfs", "dfs"),
    "jit_syntax_level": (0, 1, 2),
    "debug_level": (0, 1),
    "save_graphs": (0, 1, 2, 3),
    "reserve_class_name_in_scope": (True, False),
}
_KEYS: dict[str, dict[str, tuple]] = {
    "jit_config": {"jit_level": ("O0", "O1", "O2"), "infer_boost": ("on", "off")},
    "aoe_config": {"job_type": ("1", "2")},
}


def check(name: str, value: Any) -> None:
    """Raise for a value that a setting cannot have.

    Raises:
        TypeError: if it is of another type than the setting.
        ValueError: if the setting does not accept the value, or it names a file that does not exist.
    """
    kind = _TYPES.get(name)
    if kind is not None and not isinstance(value, kind if name in _NOT_NONE else (kind, type(None))):
        modes = " Modes are ms.GRAPH_MODE (0) and ms.PYNATIVE_MODE (1)." if name == "mode" else ""
        raise TypeError(
            f"The parameter {name!r} must be {kind}, but got {type(value)}. Received: {value!r}.{modes}"
        )
    if name in _LEAST and value < _LEAST[name]:
        raise ValueError(_must(name, f"be at least {_LEAST[name]}", value))
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ValueError(_must(name, f"be one of {list(_CHOICES[name])}", value))
    if name == "save_graphs_path" and not value:
        raise ValueError(_must(name, "be a path", value))
    if name == "env_config_path" and not os.path.isfile(value):
        raise ValueError(_must(name, "be a file that is there", value))
    for key, given in (value if name in _KEYS else {}).items():
        if given not in _KEYS[name].get(key, ()):
            raise ValueError(_must(name, f"have keys and values of {_KEYS[name]}", value))


def _must(name: str, what: str, value: Any) -> str:
    return f"For 'context.set_context', the argument '{name}' must {what}. Received: {value!r}."
