"""`torch.multiprocessing`: Python's, with tensors pickled on the way, and `spawn`.

Processes share no memory: arrays of JAX do not change, and a write in one process is not seen in another.
"""

import multiprocessing as _python
import signal
import traceback
from collections.abc import Callable
from multiprocessing import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from multiprocessing import Process as Process
from multiprocessing import connection
from typing import Any

from msjax.public_api import torch_api

__all__ = [*_python.__all__, "spawn", "start_processes"]  # pyright: ignore[reportUnsupportedDunderAll]


class ProcessException(Exception):  # noqa: N818 - PyTorch's name
    """A process that failed: its number, its id and the text."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid


class ProcessRaisedException(ProcessException):
    """A process raised an error."""


class ProcessExitedException(ProcessException):
    """A process ended by a signal or with a code."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def _call(fn: Callable, number: int, args: tuple, error_queue: Any) -> None:
    try:
        fn(number, *args)
    except KeyboardInterrupt:
        pass
    except Exception:  # noqa: BLE001 - raised again in the program
        error_queue.put(traceback.format_exc())
        raise SystemExit(1) from None


class ProcessContext:
    """Processes that were started together.

    Args:
        processes: them.
        error_queues: for each a queue of the traceback.
    """

    def __init__(self, processes: list[Any], error_queues: list[Any]) -> None:
        self.processes, self.error_queues = processes, error_queues
        self._left = {process.sentinel: number for number, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Their ids."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until one has ended, or all; return whether none is left.

        Raises:
            ProcessRaisedException, ProcessExitedException: if one failed; the others are ended.
        """
        if not self._left:
            return True
        failed = None
        for sentinel in connection.wait(self._left.keys(), timeout):
            number = self._left.pop(sentinel)  # type: ignore[call-overload]
            self.processes[number].join()
            failed = number if failed is None and self.processes[number].exitcode else failed
        if failed is None:
            return not self._left
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join()
        process, error_queue = self.processes[failed], self.error_queues[failed]
        if not error_queue.empty():
            text = f"\n\n-- Process {failed} terminated with the following error:\n{error_queue.get()}"
            raise ProcessRaisedException(text, failed, process.pid)
        code = process.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            raise ProcessExitedException(
                f"process {failed} terminated with signal {name}", failed, process.pid, code, name
            )
        raise ProcessExitedException(
            f"process {failed} terminated with exit code {code}", failed, process.pid, code
        )


SpawnContext = ProcessContext


def start_processes(
    fn: Callable, args: tuple = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn"
) -> ProcessContext | None:  # fmt: skip
    """Call `fn(number, *args)` in processes.

    Args:
        fn: a function of a module, that can be pickled.
        args: its further arguments.
        nprocs: how many.
        join: whether to wait for them.
        daemon: whether they end with this process.
        start_method: how they are started; one that is forked must not compute.

    Returns:
        None, or without `join` the processes.

    Raises:
        ProcessRaisedException, ProcessExitedException: if one failed; the others are ended.
    """
    context = _python.get_context(start_method)
    processes, error_queues = [], []
    for number in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_call, args=(fn, number, args, queue), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
        error_queues.append(queue)
    started = ProcessContext(processes, error_queues)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable, args: tuple = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn"
) -> ProcessContext | None:  # fmt: skip
    """Return the same as :func:`start_processes`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def __getattr__(name: str) -> Any:
    if hasattr(_python, name):
        return getattr(_python, name)
    return torch_api.lookup("torch.multiprocessing", name)
