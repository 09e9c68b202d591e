"""Worker processes for Python functions and sources (`python_multiprocessing=True`).

They are new programs, never copies of this one, whose threads (JAX has some) no copy survives. Functions and sources
are sent to them by cloudpickle, so that those of a program's main file need no `if __name__ == "__main__"`.
"""

import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from collections import ChainMap, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from types import CodeType
from typing import Any

import cloudpickle

from msjax import log
from msjax.dataset import config
from msjax.dataset.pipeline import worker_process
from msjax.dataset.pipeline.worker_process import Mailbox
from msjax.dataset.random.generators import Run

_PROGRAM = worker_process.__file__
_OWN = os.path.dirname(os.path.dirname(os.path.dirname(_PROGRAM))) + os.sep
_EXECUTORS = -3  # where a place keeps its processes
_START = 120  # seconds that the start of a process may take at least: functions may import much
_BUFFERED = 2**16  # bytes that a pipe takes before they are received
_TICK = 0.5  # seconds between looks whether a process is alive
_ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",  # the device is the program's
    "OPENCV_FOR_THREADS_NUM": "1",
}


class WorkerError(RuntimeError):
    """Error of a user's function in a worker process; its text ends with the traceback there."""


class ProcessExecutor:
    """A process that works on lists of items.

    Args:
        where: what it works for, in errors.
        kind: "functions" of columns, a function of "batches", a "source" that has rows, or a "callable" of an item.
        work: these, pickled.
        seeds: of the worker's random numbers; those of Python and NumPy begin with the first. None: any.
        name: from an item to what errors call it.
        prepare: from an item to what is sent.
        finish: from an item and what came back to the result.
        fail: makes the error for an item of what was raised: its type's name, text and line, and the function's name.
        limit: seconds that an item may take; what `dataset.config` says if it is None.
        made: the user's line that made the step, for errors.
        row_sizes: how many MB of shared memory an item, and its result, may take; larger ones go through a pipe. -1: any.
    """

    ahead = 2  # there is memory for two lists, and for the results of two

    def __init__(
        self,
        where: str,
        kind: str,
        work: bytes,
        seeds: tuple[int, int] | None,
        name: Callable[[Any], str],
        prepare: Callable[[Any], Any],
        finish: Callable[[Any, Any], Any],
        fail: Callable[[Any, str, str, str, str], Exception],
        limit: float | None = None,
        made: str = "",
        row_sizes: Sequence[int] = (-1, -1),
    ) -> None:
        sizes = row_sizes if config.get_enable_shared_mem() else (0, 0)
        self._most, most = (max(size * 2**20, -1) for size in sizes)
        self._waiting: deque[bytes] = deque()  # for the process to be ready to receive them
        self._told = not any(size > 0 for size in sizes)
        self.where, self._name, self._prepare, self._finish, self._fail = where, name, prepare, finish, fail
        self._limit, self._made = limit, made
        self._pending: deque[list[Any]] = deque()
        self._sent = self._received = 0
        self._started = False
        mine, theirs = socket.socketpair()
        files = [tempfile.TemporaryFile() if not hasattr(os, "memfd_create") else _memory() for _ in range(4)]  # noqa: SIM115
        self._boxes = [Mailbox(one.fileno()) for one in files]
        passed = [theirs.fileno(), *(one.fileno() for one in files)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", _PROGRAM, _OWN, *map(str, passed)],
            pass_fds=passed,
            env=os.environ | _ENVIRONMENT,
        )
        theirs.close()
        self._pipe = Connection(mine.detach())
        self.close = weakref.finalize(self, _stop, self._process, self._pipe, files)
        setup = {
            "path": sys.path,
            "names": _names(),
            "kind": kind,
            "work": work,
            "seeds": seeds,
            "most": most,
        }
        self._setup: bytes | None = pickle.dumps(setup)

    def _begin(self) -> None:
        self._receive("its start", _START)
        assert self._setup is not None
        self._send(self._setup)
        said = self._receive("its start", _START)
        self._setup, self._started = None, True
        if said:
            kind, text, line, trace = pickle.loads(said)
            raise RuntimeError(
                f"{self.where}: a worker process could not begin: {kind}: {text}{line or self._made}\n{trace}"
            )

    def submit(self, items: list[Any]) -> None:
        """Begin with some items, as soon as those before are done."""
        if not self._started:
            self._begin()
        busy = len(self._pending)
        self._pending.append(items)
        content = [self._prepare(one) for one in items]
        header = self._boxes[self._sent % 2].write(content, max(self._most * len(items), -1))
        self._sent += 1
        if busy and (
            self._waiting or len(header) > _BUFFERED
        ):  # else both might wait for the other one to receive
            self._waiting.append(header)
        else:
            self._send(header)
        self._tell(header)

    def collect(self) -> list[Any]:
        """Return the results of the first list.

        Raises:
            RuntimeError: if the process died, or takes too long.
        """
        items = self._pending[0]
        header = self._receive(" and ".join(filter(None, dict.fromkeys(map(self._name, items)))) or "a row")
        found = self._boxes[2 + self._received % 2].read(header)
        self._tell(header)
        self._received += 1
        self._pending.popleft()
        if self._waiting:
            self._send(self._waiting.popleft())
        return [
            self._finish_or_error(item, value) if good else self._make_failure(item, *value)
            for item, (good, value) in zip(items, found, strict=True)
        ]

    def _finish_or_error(self, item: Any, value: Any) -> Any:
        try:
            return self._finish(item, value)
        except RuntimeError as error:
            return error

    def _make_failure(self, item: Any, kind: str, text: str, line: str, trace: str, name: str) -> Exception:
        error = self._fail(item, kind, text, line, name)
        error.__cause__ = WorkerError(f"{kind}: {text}\n\nIn the worker process:\n{trace}")
        return error

    def _tell(self, header: bytes) -> None:
        """Warn once of rows for which there is not enough shared memory."""
        if not self._told and len(header) > _BUFFERED:
            self._told = True
            log.warning(
                f"{self.where}: rows take {len(header) / 2**20:.1f} MB at once, more shared memory than `max_rowsize` "
                "allows; they go through a pipe, which takes longer."
            )

    def _send(self, content: bytes) -> None:
        with suppress(OSError):  # if the process has died, what it worked on is found where that is received
            self._pipe.send_bytes(content)

    def _receive(self, what: str, least: int = 0) -> bytes:
        limit = max(
            config.get_multiprocessing_timeout_interval() if self._limit is None else self._limit, least
        )
        end = time.monotonic() + limit
        try:
            while not self._pipe.poll(_TICK):
                if time.monotonic() > end:
                    raise self._late(what, limit)
            return self._pipe.recv_bytes()
        except (OSError, EOFError):
            raise self._make_death_error(what) from None

    def _late(self, what: str, limit: float) -> RuntimeError:
        self.close()
        setting = "mindspore.dataset.config.set_multiprocessing_timeout_interval"
        setting = setting if self._limit is None else "timeout"
        return RuntimeError(
            f"{self.where}: a worker process has worked on {what} for {limit} s, and was ended. `{setting}` sets how long "
            f"it may take.{self._made}"
        )

    def _make_death_error(self, what: str) -> RuntimeError:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        how = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
        self.close()
        return RuntimeError(
            f"{self.where}: a worker process ended ({how}) while it worked on {what}.{self._made}"
        )


class ProcessExecutors:
    """The processes of one step of one iterator, which are kept from epoch to epoch.

    Args:
        executors: them.
    """

    def __init__(self, executors: Sequence[ProcessExecutor]) -> None:
        self.executors = list(executors)

    def close(self) -> None:
        """End them."""
        for executor in self.executors:
            executor.close()

    @property
    def alive(self) -> bool:
        """True until they are closed."""
        return all(executor.close.alive for executor in self.executors)


def _names() -> tuple[str, ...]:
    """Return the names that the program has msjax under; the module that knows stands above this one."""
    hook = sys.modules.get("msjax.public_api.import_hook")
    return () if hook is None else hook.installed()


@contextmanager
def kept_executors(
    run: Run, make: Callable[[], Sequence[ProcessExecutor]]
) -> Iterator[list[ProcessExecutor]]:
    """Give the processes of a step of a run: those of the epoch before, or new ones; after an error they are ended.

    Those that are appended to the list are kept too.

    Args:
        run: at the step.
        make: makes new ones.
    """
    key = (*run.path, _EXECUTORS)
    known = run.memory.get(key)
    if not isinstance(known, ProcessExecutors) or not known.alive:
        known = run.memory[key] = ProcessExecutors(make())
    try:
        yield known.executors
    except BaseException:
        known.close()
        raise


def end_processes(run: Run) -> None:
    """End the processes of all steps of a run."""
    for kept in list(run.memory.values()):
        if isinstance(kept, ProcessExecutors):
            kept.close()


def available() -> bool:
    """Return True where processes can be given open files, which is everywhere but on Windows."""
    return os.name == "posix"


def _reduce_code(code: CodeType) -> tuple:
    # cloudpickle 3.1.3 puts "<dynamic-code>" in the place of the file, which errors of a worker have to name. It is
    # the eleventh argument of `CodeType`.
    make, arguments, *rest = cloudpickle.Pickler.dispatch_table[CodeType](code)
    return make, (*arguments[:10], code.co_filename, *arguments[11:]), *rest


class _Pickler(cloudpickle.Pickler):
    """cloudpickle's, but functions keep the name of their file."""

    dispatch_table = ChainMap({CodeType: _reduce_code}, cloudpickle.Pickler.dispatch_table)  # type: ignore[arg-type]


def pickle_by_value(work: Any) -> bytes:
    """Return functions and objects as bytes that another process understands, those of the main file too."""
    buffer = io.BytesIO()
    _Pickler(buffer).dump(work)
    return buffer.getvalue()


def pickled(what: str, work: Any) -> bytes | None:
    """Return functions or a source as bytes that another process understands; None, with a warning, if they have none.

    Args:
        what: they are, for the warning.
        work: the functions or the source.
    """
    if not available():
        warnings.warn(
            f"{what}: processes are not supported on {sys.platform}; threads are used.", stacklevel=2
        )
        return None
    try:
        return pickle_by_value(work)
    except Exception as error:  # noqa: BLE001 - any object may refuse in its own way
        reason = f"{type(error).__name__}: {error}"
        warnings.warn(
            f"{what} cannot be sent to another process ({reason}); it runs in this one.", stacklevel=2
        )
        return None


def _memory() -> Any:
    return os.fdopen(os.memfd_create("msjax-dataset"), "r+b")


def _stop(process: subprocess.Popen, pipe: Connection, files: list[Any]) -> None:
    pipe.close()
    for one in files:
        one.close()
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
