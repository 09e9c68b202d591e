"""MindSpore's tools for clusters and devices, in one process on a CPU: they check their arguments, and little else."""

from pathlib import Path
from typing import Any, NoReturn, Self

from msjax.config.context import get_context


def _need(name: str, argument: str, given: Any, kind: type) -> None:
    if not isinstance(given, kind) or (isinstance(given, bool) and kind is int):
        raise TypeError(
            f"`{name}`: argument `{argument}` must be of type {kind.__name__}. Received: {given!r} ({type(given).__name__})."
        )


class DeviceCtx:
    """Computations inside of it are meant for a device; here they stay where they are.

    Args:
        name (str): "CPU", "GPU" or "Ascend".
        device_id (int): which one. Default: the first.

    Examples:
        >>> import msjax as ms
        >>> with ms.DeviceCtx("CPU"):
        ...     print(ms.Tensor(1) + 1)
        2
    """

    def __init__(self, name: str, device_id: int | None = None) -> None:
        self.name, self.device_id = name, device_id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class EnvProfiler:
    """The profiler that MindSpore starts if its environment says so; here nothing does."""

    def analyse(self) -> None:
        """Do nothing: nothing was recorded."""


class ExitByRequest:
    """Flag of a request to end the process; see `train.OnRequestExit`, which ends training at a signal."""

    exit_by_request = False


def comm_exec_order_check(action: str) -> None:
    """Begin or end a check of the order of communication; a single process has none.

    Args:
        action (str): "start" or "end".

    Raises:
        TypeError: if it is not a str.
        ValueError: if it is another one.
    """
    _need("comm_exec_order_check", "action", action, str)
    if action not in ("start", "end"):
        raise ValueError(
            f"`comm_exec_order_check`: argument `action` must be 'start' or 'end'. Received: {action!r}."
        )


def runtime_execution_order_check(folders_: Any, all_rank: Any = None) -> None:
    """Compare the orders of execution that several processes wrote down; here none does.

    Args:
        folders_ (Union[str, list[str]]): where they are.
        all_rank (list[int]): the numbers of the processes. Default: all.

    Raises:
        TypeError: if the folders are none.
        ValueError: if one of several is not there.
    """
    if not isinstance(folders_, str | list | tuple):
        raise TypeError(
            f"`runtime_execution_order_check`: argument `folders_` must be a str or a list of str. Received: {folders_!r}."
        )
    for folder in [] if isinstance(folders_, str) else folders_:
        if not Path(folder).exists():
            raise ValueError(f"`runtime_execution_order_check`: there is no folder {folder}.")


def set_mindio_server_info(data_block_pool_capacity_in_gb: int = 100) -> None:
    """Set the memory that MindIO may take; MindIO is not here.

    Args:
        data_block_pool_capacity_in_gb (int): so much. Default: 100.

    Raises:
        TypeError: if it is not an int.
        ValueError: if it is not positive.
    """
    name = "data_block_pool_capacity_in_gb"
    _need("set_mindio_server_info", name, data_block_pool_capacity_in_gb, int)
    if data_block_pool_capacity_in_gb <= 0:
        raise ValueError(
            f"`set_mindio_server_info`: argument `{name}` must be positive. Received: {data_block_pool_capacity_in_gb}."
        )


def mindio_preload(ckpt_file_name: str) -> bool:
    """Return False: MindIO, which would load checkpoints ahead, is not here.

    Args:
        ckpt_file_name (str): the file.

    Raises:
        TypeError: if it is not a str.
    """
    _need("mindio_preload", "ckpt_file_name", ckpt_file_name, str)
    return False


def stress_detect(detect_type: str = "aic") -> NoReturn:
    """A test of Ascend devices under load.

    Args:
        detect_type (str): which test. Default: "aic".

    Raises:
        RuntimeError: always, as MindSpore does without such a device.
    """
    target = get_context("device_target")
    raise RuntimeError(f"`stress_detect`: this needs an Ascend device. Received: device_target={target!r}.")


def flops_collection(phase: str = "train") -> NoReturn:
    """The floating-point operations of a compiled graph of MindSpore's.

    Args:
        phase (str): "train" or "eval". Default: "train".

    Raises:
        RuntimeError: always, as there is no such graph; `jax.jit(...).lower(...).cost_analysis()` tells them.
    """
    raise RuntimeError(
        f"`flops_collection`: no graph of MindSpore's was compiled in the phase {phase!r}. XLA tells the operations "
        "of a function: jax.jit(f).lower(*args).cost_analysis()."
    )
