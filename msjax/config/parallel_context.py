"""MindSpore's settings of distributed training, of parameter servers and of its search for strategies.

They are kept here; `followers` act on them.
"""

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import jax


class ParallelMode:
    """The names of the modes of distributed training.

    Examples:
        >>> import msjax as ms
        >>> ms.ParallelMode.DATA_PARALLEL
        'data_parallel'
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = (STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL)


_COLLECTIVES = {
    name: {"mode": "auto", "config": None} for name in ("allreduce", "allgather", "reducescatter")
}
_PARALLEL: dict[str, Any] = {
    "device_num": 1,
    "global_rank": 0,
    "gradients_mean": False,
    "gradient_fp32_sync": True,
    "loss_repeated_mean": True,
    "parallel_mode": "stand_alone",
    "search_mode": "recursive_programming",
    "auto_parallel_search_mode": "recursive_programming",
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "full_batch": False,
    "dataset_strategy": "data_parallel",
    "enable_parallel_optimizer": False,
    "enable_alltoall": False,
    "all_reduce_fusion_config": [],
    "pipeline_stages": 1,
    "grad_accumulation_step": 1,
    "comm_fusion": {"openstate": True, **_COLLECTIVES},
    "strategy_ckpt_config": {"load_file": "", "save_file": "", "only_trainable_params": True},
    "sharding_propagation": False,
    "optimizer_weight_shard_size": -1,
    "force_fp32_communication": False,
    "pipeline_result_broadcast": False,
    "auto_pipeline": False,
    "dump_local_norm": False,
    "parallel_optimizer_config": {},
    "pipeline_config": {},
    "group_ckpt_save_file": "",
    "communi_parallel_mode": "all_group_parallel",
    "dump_local_norm_path": "",
    "dump_device_local_norm": False,
    "pipeline_interleave": False,
    "pipeline_scheduler": "1f1b",
    "full_batch_is_set": False,
    "optimizer_weight_shard_aggregated_save": False,
    "pipeline_segments": 1,
    "auto_parallel_new_interface": False,
    "init_param_in_compile": True,
}
SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
_SAME = {"search_mode": "auto_parallel_search_mode", "auto_parallel_search_mode": "search_mode"}
_SPELLED_BEFORE_1_2 = {"mirror_mean": "gradients_mean", "cast_before_mirror": "gradient_fp32_sync"}
_SERVER: dict[str, Any] = {
    "server_mode": "", "ms_role": "MS_NOT_PS", "enable_ps": False, "worker_num": 0, "server_num": 0,
    "scheduler_ip": "127.0.0.1", "scheduler_port": 6667, "config_file_path": "", "enable_ssl": False, "client_password": "",
    "server_password": "",
}  # fmt: skip
_SEARCH: dict[str, Any] = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}
_kept: dict[str, dict[str, Any]] = {"parallel": {}, "server": {}, "search": {}}


def _check_known(fn: str, known: dict[str, Any], name: str) -> None:
    if name not in known:
        raise ValueError(
            f"`{fn}`: the setting must be one of {', '.join(sorted(known))}. Received: {name!r}."
        )


def _update_settings(fn: str, which: str, known: dict[str, Any], given: dict[str, Any]) -> None:
    for name in given:
        _check_known(fn, known, name)
    _kept[which].update(given)
    _tell(which)


# Called with all settings of distributed training when one of them changes: `core/jit/placement.py` places programs by them.
followers: list[Callable[[dict[str, Any]], None]] = []


def _tell(which: str) -> None:
    if which == "parallel":
        for follow in followers:
            follow({**_PARALLEL, **_kept[which]})


def _getter(owner: str, which: str, known: dict[str, Any], example: str) -> Callable[[str], Any]:
    def get(attr_key: str) -> Any:
        _check_known(name, known, attr_key)
        return _kept[which].get(attr_key, known[attr_key])

    name = get.__name__ = get.__qualname__ = owner.replace("set", "get", 1)
    get.__doc__ = f"""Return a setting of :func:`{owner}`.

    Args:
        attr_key: its name.

    Raises:
        ValueError: if there is none of that name.

    Examples:
        >>> import msjax as ms
        >>> ms.{name}("{example}")
        {known[example]!r}
    """
    return get


def _resetter(owner: str, which: str) -> Callable[[], None]:
    def reset() -> None:
        _kept[which].clear()
        _tell(which)

    name = reset.__name__ = reset.__qualname__ = owner.replace("set", "reset", 1)
    reset.__doc__ = f"""Restore the settings of a new process.

    Examples:
        >>> import msjax as ms
        >>> ms.{name}()
    """
    return reset


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Set the mode and options of distributed training.

    In "semi_auto_parallel" and "auto_parallel" mode compiled programs are spread over all devices: batches as
    `dataset_strategy` says, operators as their `shard` says, everything else as XLA decides. `enable_parallel_optimizer`
    cuts Parameters, and what optimizers keep for them. With one device programs run as they always do.

    Args:
        kwargs: MindSpore's settings. Those that only concern how MindSpore's runtime communicates are kept.

    Raises:
        ValueError: for an unknown setting, or one with another value than it may have.
        TypeError: if a setting is of another type.
        NotImplementedError: for the mode "hybrid_parallel" where there are several devices.

    Examples:
        >>> import msjax as ms
        >>> ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        >>> ms.get_auto_parallel_context("parallel_mode")
        'data_parallel'
        >>> ms.reset_auto_parallel_context()
    """
    kwargs = {_SPELLED_BEFORE_1_2.get(name, name): value for name, value in kwargs.items()}
    mode = kwargs.get("parallel_mode", "stand_alone")
    if mode not in ParallelMode.MODE_LIST:
        raise (ValueError if isinstance(mode, str) else TypeError)(
            "`set_auto_parallel_context`: argument `parallel_mode` must be one of "
            f"{ParallelMode.MODE_LIST}. Received: {mode!r}."
        )
    for name, value in kwargs.items():
        _check_parallel(name, value)
    if mode == ParallelMode.HYBRID_PARALLEL and jax.device_count() > 1:
        raise NotImplementedError(
            "`set_auto_parallel_context`: in the mode 'hybrid_parallel' programs communicate by themselves. Use "
            "'semi_auto_parallel', or 'data_parallel' with one process for each device."
        )
    _update_settings("set_auto_parallel_context", "parallel", _PARALLEL, {**kwargs, **_find_implied(kwargs)})


def is_known(name: str) -> bool:
    """Tell whether `set_auto_parallel_context` has a setting of this name."""
    return name in _PARALLEL


def is_set(name: str) -> bool:
    """Tell whether `set_auto_parallel_context` was given a setting since the last reset."""
    return name in _kept["parallel"]


def _find_implied(given: dict[str, Any]) -> dict[str, Any]:
    """Give the settings that others set, too: two names of one setting, dicts that hold several."""
    more: dict[str, Any] = {_SAME[name]: value for name, value in given.items() if name in _SAME}
    if "full_batch" in given:
        more["dataset_strategy"] = "full_batch" if given["full_batch"] else "data_parallel"
        more["full_batch_is_set"] = True
    if "dataset_strategy" in given:
        more["dataset_strategy"] = given["dataset_strategy"]
        more["full_batch"] = (
            isinstance(given["dataset_strategy"], str) and given["dataset_strategy"] == "full_batch"
        )
    files = dict(get_auto_parallel_context("strategy_ckpt_config"))
    for key in ("load_file", "save_file"):
        if (name := f"strategy_ckpt_{key}") in given:
            files[key] = given[name]
    files.update(given.get("strategy_ckpt_config", {}))
    if files != get_auto_parallel_context("strategy_ckpt_config"):
        more["strategy_ckpt_config"] = files
        more.update({f"strategy_ckpt_{key}": files[key] for key in ("load_file", "save_file")})
    for name, keys in (
        ("parallel_optimizer_config", ("optimizer_weight_shard_size",)),
        ("pipeline_config", ("pipeline_interleave", "pipeline_scheduler")),
    ):
        more.update({key: value for key, value in given.get(name, {}).items() if key in keys})
    if "comm_fusion" in given:
        more["comm_fusion"] = {**get_auto_parallel_context("comm_fusion"), **given["comm_fusion"]}
    return more


def _check_parallel(name: str, value: Any) -> None:
    """Check a setting of distributed training."""
    kind, wanted, fits = _CHECKED.get(name, (object, "", lambda value: True))
    if not isinstance(value, kind):
        raise TypeError(
            f"`set_auto_parallel_context`: argument `{name}` must be {wanted}. Received: {type(value).__name__}."
        )
    if not fits(value):
        raise ValueError(
            f"`set_auto_parallel_context`: argument `{name}` must be {wanted}. Received: {value!r}."
        )
    if (
        name == "dataset_strategy"
        and not isinstance(value, str)
        and not all(_is_layout(part) for part in value)
    ):
        raise TypeError(
            f"`set_auto_parallel_context`: argument `{name}` must hold tuples, or Layouts. Received: {value!r}."
        )


def _is_layout(part: Any) -> bool:
    numbers = isinstance(part, tuple) and all(isinstance(n, int) for n in part)
    return numbers or hasattr(part, "to_dict")


def _is_optimizer_config(given: dict[str, Any]) -> bool:
    known = {"gradient_accumulation_shard", "parallel_optimizer_threshold", "optimizer_weight_shard_size"}
    threshold = given.get("parallel_optimizer_threshold", 0)
    if not isinstance(given.get("gradient_accumulation_shard", False), bool):
        raise TypeError(
            "`set_auto_parallel_context`: `parallel_optimizer_config` must have a bool for 'gradient_accumulation_shard'. "
            f"Received: {given}."
        )
    size = given.get("optimizer_weight_shard_size", -1)
    return (
        given.keys() <= known
        and isinstance(threshold, int)
        and threshold >= 0
        and isinstance(size, int)
        and (size > 0 or size == -1)
    )


def _is_pipeline_config(given: dict[str, Any]) -> bool:
    fn = "`set_auto_parallel_context`: argument `pipeline_config` must"
    if not given.keys() <= {"pipeline_interleave", "pipeline_scheduler"}:
        return False
    interleaved, scheduler = map(given.get, ("pipeline_interleave", "pipeline_scheduler"))
    if "pipeline_interleave" in given and not isinstance(interleaved, bool):
        raise TypeError(f"{fn} have a bool for 'pipeline_interleave'. Received: {given}.")
    if len(given) < 2:
        raise KeyError(f"{fn} have both pipeline_interleave and pipeline_scheduler. Received: {given}.")
    if scheduler not in SCHEDULERS:
        raise ValueError(f"{fn} have one of {SCHEDULERS} for 'pipeline_scheduler'. Received: {given}.")
    if not interleaved and scheduler != "1f1b":
        raise TypeError(f"{fn} have '1f1b' without 'pipeline_interleave'. Received: {given}.")
    return True


def _is_fusion(given: dict[str, Any]) -> bool:
    """Check how collectives would be fused: XLA decides that, but mistakes are told."""
    fn = "`set_auto_parallel_context`: argument `comm_fusion` must"
    for name, how in given.items():
        if name == "openstate":
            if not isinstance(how, bool):
                raise TypeError(f"{fn} have a bool for 'openstate'. Received: {how!r}.")
            continue
        if name in _COLLECTIVES and not isinstance(how, dict):
            raise TypeError(f"{fn} have a dict for {name!r}. Received: {how!r}.")
        kinds = {"auto": object, "size": int} | ({"index": list} if name == "allreduce" else {})
        if name not in _COLLECTIVES or how.keys() != {"mode", "config"} or how["mode"] not in kinds:
            raise KeyError(
                f"{fn} name {[*_COLLECTIVES]}, each with a mode of {[*kinds]} and a config. Received: {given}."
            )
        kind, config = kinds[how["mode"]], how["config"]
        if not isinstance(config, kind) or (kind is list and not all(isinstance(n, int) for n in config)):
            of = " of ints" if kind is list else ""
            raise TypeError(f"{fn} have a config of type {kind.__name__}{of} for {name!r}. Received: {how}.")
    return True


def _is_ascending(value: list[Any]) -> bool:
    if not all(isinstance(n, int) for n in value):
        raise TypeError(
            f"`set_auto_parallel_context`: `all_reduce_fusion_config` must hold ints. Received: {value!r}."
        )
    return bool(value) and all(low < high for low, high in itertools.pairwise(value))


def _is_file_config(given: dict[str, Any]) -> bool:
    kinds = {"load_file": str, "save_file": str, "only_trainable_params": bool}
    for name, value in given.items():
        if name in kinds and not isinstance(value, kinds[name]):
            raise TypeError(
                f"`set_auto_parallel_context`: `strategy_ckpt_config` must have a {kinds[name].__name__} for {name!r}. "
                f"Received: {value!r}."
            )
    return given.keys() <= kinds.keys()


def _one_of(*texts: str) -> tuple[Any, str, Callable[[Any], bool]]:
    return str, f"one of {', '.join(texts)}", lambda value: value in texts


_CHECKED: dict[str, tuple[Any, str, Callable[[Any], bool]]] = {
    "device_num": (int, "a positive int", lambda value: value > 0),
    "global_rank": (int, "an int from 0 to 4095", lambda value: 0 <= value <= 4095),
    "pipeline_stages": (int, "a positive int", lambda value: value > 0),
    "full_batch": (bool, "a bool", lambda value: True),
    **dict.fromkeys(
        """gradients_mean enable_parallel_optimizer parameter_broadcast gradient_fp32_sync loss_repeated_mean
        pipeline_result_broadcast sharding_propagation enable_alltoall force_fp32_communication
        optimizer_weight_shard_aggregated_save""".split(),
        (bool, "a bool", lambda value: True),
    ),
    "grad_accumulation_step": (int, "a positive int", lambda value: value > 0),
    **dict.fromkeys(_SAME, _one_of("dynamic_programming", "recursive_programming", "sharding_propagation")),
    "communi_parallel_mode": _one_of("all_group_parallel", "same_server_group_parallel", "no_group_parallel"),
    "all_reduce_fusion_config": (
        list, "a list of ascending ints", _is_ascending,
    ),
    "comm_fusion": (dict, "a dict", _is_fusion),
    "group_ckpt_save_file": (str, "a str", lambda value: True),
    "pipeline_config": (
        dict, "a dict with pipeline_interleave, pipeline_scheduler", _is_pipeline_config,
    ),
    "dataset_strategy": (
        (str, tuple), "'data_parallel', 'full_batch' or a tuple of strategies",
        lambda value: not isinstance(value, str) or value in ("data_parallel", "full_batch"),
    ),
    "strategy_ckpt_save_file": (str, "a str", lambda value: True),
    "strategy_ckpt_load_file": (str, "a str", lambda value: True),
    "strategy_ckpt_config": (
        dict, "a dict with load_file (str), save_file (str), only_trainable_params (bool)", _is_file_config,
    ),
    "parallel_optimizer_config": (
        dict, "a dict with gradient_accumulation_shard, parallel_optimizer_threshold (>= 0), optimizer_weight_shard_size",
        _is_optimizer_config,
    ),
}  # fmt: skip


def set_ps_context(**kwargs: Any) -> None:
    """Set options of a parameter server. There is none here: Parameters stay in this process, and a warning says so.

    Args:
        kwargs: MindSpore's settings.

    Raises:
        ValueError: for an unknown setting.

    Examples:
        >>> import msjax as ms
        >>> ms.set_ps_context(enable_ps=False)
    """
    _update_settings("set_ps_context", "server", _SERVER, kwargs)
    if kwargs.get("enable_ps"):
        text = "`set_ps_context`: there are no parameter servers, so `enable_ps=True` has no effect."
        warnings.warn(text, stacklevel=2)


def set_algo_parameters(**kwargs: Any) -> None:
    """Set options of MindSpore's search for a distribution strategy. Kept, and without effect.

    Args:
        kwargs: MindSpore's settings.

    Raises:
        ValueError: for an unknown setting, or a `tensor_slice_align_size` outside of 1 to 1024.
        TypeError: if a setting is of another type.

    Examples:
        >>> import msjax as ms
        >>> ms.set_algo_parameters(fully_use_devices=True)
        >>> ms.reset_algo_parameters()
    """
    for name, value in kwargs.items():
        _check_known("set_algo_parameters", _SEARCH, name)
        kind = type(_SEARCH[name])
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(
                f"`set_algo_parameters`: argument `{name}` must be of type {kind.__name__}. Received: {value!r}."
            )
    if not 1 <= kwargs.get("tensor_slice_align_size", 1) <= 1024:
        raise ValueError(
            "`set_algo_parameters`: argument `tensor_slice_align_size` must be an int from 1 to 1024. "
            f"Received: {kwargs['tensor_slice_align_size']}."
        )
    _update_settings("set_algo_parameters", "search", _SEARCH, kwargs)


get_auto_parallel_context = _getter("set_auto_parallel_context", "parallel", _PARALLEL, "device_num")
get_ps_context = _getter("set_ps_context", "server", _SERVER, "enable_ps")
get_algo_parameters = _getter("set_algo_parameters", "search", _SEARCH, "fully_use_devices")
reset_auto_parallel_context = _resetter("set_auto_parallel_context", "parallel")
reset_ps_context = _resetter("set_ps_context", "server")
reset_algo_parameters = _resetter("set_algo_parameters", "search")
