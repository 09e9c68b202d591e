"""Queries of distributed settings, under the path that published programs import them from."""

from typing import Any

from msjax.communication import management
from msjax.config.parallel_context import ParallelMode, get_auto_parallel_context


def _get_parallel_mode() -> str:
    """Return the mode that `set_auto_parallel_context` set.

    Examples:
        >>> from msjax.parallel import _utils
        >>> _utils._get_parallel_mode(), _utils._get_device_num()
        ('stand_alone', 1)
    """
    return get_auto_parallel_context("parallel_mode")


def _get_device_num() -> int:
    """Return the number of processes."""
    return 1 if _get_parallel_mode() == ParallelMode.STAND_ALONE else management.get_group_size()


def _get_stage_device_num() -> int:
    """Return the number of processes of a pipeline's only stage."""
    return _get_device_num()


def _get_global_rank() -> int:
    """Return the number of this process."""
    return 0 if _get_parallel_mode() == ParallelMode.STAND_ALONE else management.get_rank()


def _get_gradients_mean() -> bool:
    """Return True if gradients of several processes are averaged."""
    return get_auto_parallel_context("gradients_mean")


def _get_parameter_broadcast() -> bool:
    """Return True if the first process's parameters are broadcast to all."""
    return get_auto_parallel_context("parameter_broadcast")


def _get_full_batch() -> bool:
    """Return True if each process reads the whole batch."""
    return get_auto_parallel_context("full_batch")


def _get_pipeline_stages() -> int:
    """Return the number of stages of a pipeline."""
    return get_auto_parallel_context("pipeline_stages")


def _get_enable_parallel_optimizer() -> bool:
    """Return True if the optimizer's states are divided among the processes."""
    return get_auto_parallel_context("enable_parallel_optimizer")


def _is_in_data_parallel_mode() -> bool:
    """Return True in data parallel mode: processes differ by their data alone."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _is_in_auto_parallel_mode() -> bool:
    """Return True in auto parallel mode, in which operators are divided."""
    return _get_parallel_mode() in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _is_sharding_propagation() -> bool:
    """Return True if shardings are propagated from some operators to the others: never here."""
    return False


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """A run of one process has one device: ValueError for another number."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(
            f"`device_number`: parallel_mode {parallel_mode!r} has one device. Received: {device_number}."
        )


def _parameter_broadcast_check(parallel_mode: str, parameter_broadcast: Any) -> None:
    """Raise ValueError if parameters are to be broadcast: a single process has no others to send them to."""
    if parallel_mode == ParallelMode.STAND_ALONE and parameter_broadcast is True:
        raise ValueError(
            f"`parameter_broadcast`: parallel_mode {parallel_mode!r} has no other process to send them to."
        )
