"""Settings of the data pipeline (`mindspore.dataset.config`).

The seed, the number of workers and how long they may take, how much is computed ahead, and what happens to samples that
raise have an effect. The other settings steer how fast MindSpore's C++ pipeline runs; they are kept and given back, and
change nothing here.
"""

import inspect
import json
import os
import random
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from msjax import log
from msjax.core.tensor import random_state as core_random
from msjax.dataset.common import checks
from msjax.dataset.debug import DebugHook, PrintMetaDataHook

UINT32_MAX = 2**32 - 1
DEFAULT_SEED = 5489  # MindSpore's word for "no seed"


class ErrorSamplesMode(IntEnum):
    """Policy of `map` for samples whose operation raises: return the error, replace the sample, or skip it."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


_values: dict[str, Any] = {
    "num_parallel_workers": os.cpu_count() or 1,
    "samples": ErrorSamplesMode.RETURN,
}
_seed: int | None = None
_seen = 0


def _setting(
    name: str,
    default: Any,
    check: Callable[[str, str, Any], Any],
    meaning: str,
    argument: str,
    again: Any = ...,
) -> tuple[Any, Any]:
    """Return a setter and a getter for a setting that is only recorded; `again` is the default of the setter's argument."""
    _values[name] = default
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    given = inspect.Parameter(argument, kind, default=inspect.Parameter.empty if again is ... else again)
    signature = inspect.Signature([given])

    def setter(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        _values[name] = check(f"set_{name}", argument, bound.arguments[argument])

    def getter() -> Any:
        return _values[name]

    setter.__name__, getter.__name__ = f"set_{name}", f"get_{name}"
    setter.__signature__ = signature  # type: ignore[attr-defined]
    setter.__doc__ = f"Set {meaning}. It is kept and changes nothing: msjax's pipeline has no such part."
    getter.__doc__ = f"Return the setting: {meaning}."
    return setter, getter


def _count(low: int) -> Callable[[str, str, Any], int]:
    return lambda op, name, value: checks.check_int(op, name, value, low)


def _one_of(*choices: str) -> Callable[[str, str, Any], str]:
    def check(op: str, name: str, value: Any) -> str:
        if not isinstance(value, str):
            checks.fail(TypeError, op, name, "be a str", value)
        if value not in choices:
            checks.fail(ValueError, op, name, f"be one of {choices}", value)
        return value

    return check


def set_seed(seed: int) -> None:
    """Set the seed of shuffling, samplers and random transforms, and that of `numpy.random` and `random`.

    Every iterator made afterwards starts from this seed: two iterators over one pipeline give the same rows
    in the same order, while the epochs of one iterator differ. The seed that was set last counts, here or by
    `mindspore.set_seed`.

    Args:
        seed: an int in [0, 2**32). 5489, MindSpore's default, stands for no seed.

    Raises:
        TypeError: if `seed` is not an int.
        ValueError: if it is negative or too large.

    Examples:
        >>> import msjax.dataset as ds
        >>> ds.config.set_seed(1)
        >>> data = ds.NumpySlicesDataset(list(range(5)), ["x"])
        >>> first, again = ([int(row["x"]) for row in data.create_dict_iterator(1, True)] for _ in range(2))
        >>> first == again
        True
        >>> ds.config.set_seed(5489)
    """
    global _seed, _seen
    checks.check_int("set_seed", "seed", seed, 0, UINT32_MAX)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - it is what users' functions draw from
    _seed, _seen = seed, core_random.times_seeded()


def get_seed() -> int:
    """Return the seed that was set last, here or by `mindspore.set_seed`; 5489 if none was."""
    seed = own_seed()
    return DEFAULT_SEED if seed is None else seed


def own_seed() -> int | None:
    """Return the seed that was set last, or None."""
    seed = core_random.get_seed() if _seed is None or core_random.times_seeded() > _seen else _seed
    return None if seed == DEFAULT_SEED else seed


def set_num_parallel_workers(num: int) -> None:
    """Set the default number of workers of a `map`: threads or processes, each with its own random numbers."""
    _values["num_parallel_workers"] = checks.check_int("set_num_parallel_workers", "num", num, 1)


def get_num_parallel_workers() -> int:
    """Return the default number of workers."""
    return _values["num_parallel_workers"]


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Set the policy of `map` for samples whose operation raises.

    Args:
        error_samples_mode: `ErrorSamplesMode.RETURN` (the default) stops with the error; `SKIP` leaves the
            sample out; `REPLACE` leaves it out and adds, at the end of the epoch, as many good samples from
            its beginning.

    Raises:
        TypeError: if it is not an ErrorSamplesMode.
    """
    if not isinstance(error_samples_mode, ErrorSamplesMode):
        rule = "be an ErrorSamplesMode"
        checks.fail(TypeError, "set_error_samples_mode", "error_samples_mode", rule, error_samples_mode)
    _values["samples"] = error_samples_mode


def get_error_samples_mode() -> ErrorSamplesMode:
    """Return the policy of `map` for samples whose operation raises."""
    return _values["samples"]


def set_prefetch_size(size: int) -> None:
    """Set how many rows or batches an iterator computes ahead, which wait on the device; 2 if none was set.

    (MindSpore has queues of this size after each step; between msjax's steps there are none.)

    Args:
        size: an int >= 1.
    """
    _values["prefetch_size"] = _values["ahead"] = checks.check_int("set_prefetch_size", "size", size, 1)


def get_prefetch_size() -> int:
    """Return the number of rows or batches that are computed ahead, as it was set; 16, MindSpore's default, if none was."""
    return _values["prefetch_size"]


def items_ahead() -> int:
    """Return how many rows or batches an iterator computes ahead."""
    return _values["ahead"]


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list[DebugHook] | None = None) -> None:
    """Run pipelines in the thread that iterates, without prefetching, so that a debugger sees them.

    Args:
        debug_mode_flag: whether to.
        debug_hook_list: hooks that see the columns before and after each operation of a `map`; none of them leaves those
            that are set. Default: one that prints their types and shapes.

    Raises:
        TypeError: if `debug_mode_flag` is not a bool, or `debug_hook_list` no list of hooks.
    """
    op, hooks = "set_debug_mode", [PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    checks.check_bool(op, "debug_mode_flag", debug_mode_flag)
    if not isinstance(hooks, list) or not all(isinstance(hook, DebugHook) for hook in hooks):
        checks.fail(TypeError, op, "debug_hook_list", "be a list of `debug.DebugHook`", debug_hook_list)
    _values["debug_mode"] = debug_mode_flag
    _values["debug_hooks"] = hooks or _values["debug_hooks"]


def debug_hooks() -> list[DebugHook]:
    """Return the hooks around the operations of a `map`; none if debug mode is off."""
    return _values["debug_hooks"] if _values["debug_mode"] else []


def get_debug_mode() -> bool:
    """Return True if pipelines run in the thread that iterates."""
    return _values["debug_mode"]


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Set how iterators convert. It is kept and changes nothing: every array given out is the receiver's own."""
    checks.check_bool("set_iterator_mode", "do_copy", do_copy)
    checks.check_bool("set_iterator_mode", "parallel_convert", parallel_convert)
    _values["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


def get_iterator_mode() -> dict[str, bool]:
    """Return the conversion settings of iterators, as they were set."""
    return dict(_values["iterator_mode"])


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Switch the tuning of pipelines on or off, for iterators that are made afterwards.

    If the program waits for rows, the steps that take most of the time get more workers, up to the number of cores, and
    more rows or batches are computed ahead. Order and values stay: what draws random numbers after a seed keeps its number
    of workers, and so do sources with one worker. The messages of the level "info" tell what is changed.

    Args:
        enable: whether to tune.
        filepath_prefix: the beginning of the name of a file for what was found, to which `_<process>.json` is added.
            `deserialize` makes the tuned pipeline of it. Default: no file is written.

    Raises:
        TypeError: if `enable` is not a bool, or `filepath_prefix` not a str.
        RuntimeError: if `filepath_prefix` is empty, a folder, or in a folder that there is not or that cannot be written
            to.
    """
    op, name = "set_enable_autotune", "filepath_prefix"
    checks.check_bool(op, "enable", enable)
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        checks.fail(TypeError, op, name, "be a str", filepath_prefix)
    if enable and filepath_prefix is not None:
        folder = Path(filepath_prefix).parent
        if not filepath_prefix or Path(filepath_prefix).is_dir():
            checks.fail(RuntimeError, op, name, "name a file", filepath_prefix)
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            checks.fail(RuntimeError, op, name, "be in a folder that can be written to", filepath_prefix)
    elif filepath_prefix is not None:
        log.warning("`set_enable_autotune`: nothing is tuned, and no file written: `enable` is False.")
    _values["enable_autotune"] = enable
    _values["autotune_file"] = filepath_prefix if enable else None


def get_enable_autotune() -> bool:
    """Return True if pipelines are tuned."""
    return _values["enable_autotune"]


def autotune_file() -> str | None:
    """Return the beginning of the name of the file for what tuning finds; None if there is none."""
    return _values["autotune_file"]


def set_autotune_interval(interval: int) -> None:
    """Set after how many steps a pipeline is looked at, if it is tuned.

    Args:
        interval: an int >= 0; 0, as at first: after each epoch.
    """
    _values["autotune_interval"] = checks.check_int("set_autotune_interval", "interval", interval, 0)


def get_autotune_interval() -> int:
    """Return after how many steps a pipeline is looked at; 0: after each epoch."""
    return _values["autotune_interval"]


def set_callback_timeout(timeout: int) -> None:
    """Set how long a `WaitedDSCallback` waits for the training.

    Args:
        timeout: seconds, an int >= 1. 60 at first.
    """
    _values["callback_timeout"] = checks.check_int("set_callback_timeout", "timeout", timeout, 1)


def get_callback_timeout() -> int:
    """Return how many seconds a `WaitedDSCallback` waits for the training."""
    return _values["callback_timeout"]


def set_enable_shared_mem(enable: bool) -> None:
    """Set whether rows go to and from worker processes through shared memory, or through pipes, which take longer.

    Args:
        enable: True, as at first, or False. It counts for processes that are started afterwards.
    """
    _values["enable_shared_mem"] = checks.check_bool("set_enable_shared_mem", "enable", enable)


def get_enable_shared_mem() -> bool:
    """Return True if rows go to and from worker processes through shared memory."""
    return _values["enable_shared_mem"]


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Set how long a worker process may take for a few rows. One that takes longer is ended, and an error names them.

    (MindSpore warns, and goes on waiting.)

    Args:
        interval: seconds, an int >= 1. 300 at first.
    """
    _values["multiprocessing_timeout_interval"] = checks.check_int(
        "set_multiprocessing_timeout_interval", "interval", interval, 1
    )


def get_multiprocessing_timeout_interval() -> int:
    """Return how many seconds a worker process may take for a few rows."""
    return _values["multiprocessing_timeout_interval"]


def load(file: str) -> None:
    """Read settings from a JSON file with any of `seed`, `numParallelWorkers` and `prefetchSize`.

    Raises:
        RuntimeError: if there is no such file, or it holds something else.
    """
    if not Path(file).is_file():
        raise RuntimeError(f"`load`: there is no settings file {file!r}.")
    setters = {
        "seed": set_seed,
        "numParallelWorkers": set_num_parallel_workers,
        "prefetchSize": set_prefetch_size,
    }
    kept = {"workerConnectorSize", "opConnectorSize", "monitorSamplingInterval"}
    for key, value in json.loads(Path(file).read_text()).items():
        if key in setters:
            setters[key](value)
        elif key not in kept:
            raise RuntimeError(f"`load`: {file!r} sets {key!r}. Known settings: {sorted(setters)}.")


_values |= {
    "prefetch_size": 16,
    "ahead": 2,
    "debug_mode": False,
    "debug_hooks": [],
    "iterator_mode": {"do_copy": False, "parallel_convert": False},
    "enable_autotune": False,
    "autotune_file": None,
    "callback_timeout": 60,
    "enable_shared_mem": True,
    "autotune_interval": 0,
    "multiprocessing_timeout_interval": 300,
}
_flag = checks.check_bool
set_auto_num_workers, get_auto_num_workers = _setting(
    "auto_num_workers", False, _flag, "whether workers are counted", "enable"
)
set_auto_offload, get_auto_offload = _setting(
    "auto_offload", False, _flag, "whether `map` may run on the device", "offload"
)
set_dynamic_shape, get_dynamic_shape = _setting(
    "dynamic_shape", False, _flag, "whether shapes may vary in a data sink", "is_dynamic"
)
set_enable_watchdog, get_enable_watchdog = _setting(
    "enable_watchdog", True, _flag, "the watch over worker processes", "enable"
)
set_fast_recovery, get_fast_recovery = _setting(
    "fast_recovery", True, _flag, "how a pipeline is recovered", "fast_recovery"
)
set_monitor_sampling_interval, get_monitor_sampling_interval = _setting(
    "monitor_sampling_interval",
    1000,
    _count(1),
    "the milliseconds between looks of the performance monitor",
    "interval",
)
set_multiprocessing_start_method, get_multiprocessing_start_method = _setting(
    "multiprocessing_start_method",
    "fork",
    _one_of("fork", "spawn"),
    "how worker processes start",
    "start_method",
    "fork",
)
set_numa_enable, get_numa_enable = _setting(
    "numa_enable", False, _flag, "the binding to memory nodes", "numa_enable"
)
set_video_backend, get_video_backend = _setting(
    "video_backend", "CPU", _one_of("CPU", "Ascend"), "what decodes video", "backend"
)
set_sending_batches, _ = _setting(
    "sending_batches", 0, _count(-checks.INT32_MAX), "the batches sent ahead", "batch_num"
)
