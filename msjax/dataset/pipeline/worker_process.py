"""The program of a worker process. It imports nothing of this package, so that it starts in a tenth of a second.

What the user's functions need comes by pickle; `mindspore`, or whatever name a program has msjax under, is imported when
one of them asks for it. The process ends when its pipe does: if its iterator is closed, and if the program dies.
"""

import importlib
import mmap
import os
import pickle
import random
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

_LINE = 64  # bytes; arrays begin at multiples of it


class Mailbox:
    """Memory that two processes share, for one object at a time; it is gone with the last of them.

    Args:
        descriptor: of a file without a name.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._memory: mmap.mmap | None = None

    def _reserve(self, size: int) -> mmap.mmap:
        if self._memory is None or len(self._memory) < size:
            if os.fstat(self.descriptor).st_size < size:
                os.ftruncate(self.descriptor, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
            self._memory = mmap.mmap(self.descriptor, 0)
        return self._memory

    def write(self, value: Any, most: int = -1) -> bytes:
        """Put an object in, and return what `read` needs: all of it, if it takes more than so many bytes (-1: never)."""
        buffers: list[pickle.PickleBuffer] = []
        parts = [memoryview(pickle.dumps(value, 5, buffer_callback=buffers.append))]
        parts += [buffer.raw() for buffer in buffers]
        places, end = [], 0
        for part in parts:
            places.append((end, part.nbytes))
            end += -(-part.nbytes // _LINE) * _LINE
        if 0 <= most < end:
            return pickle.dumps((None, value), 5)
        memory = self._reserve(end or 1)
        for (start, size), part in zip(places, parts, strict=True):
            memory[start : start + size] = part
        return pickle.dumps((places, None))

    def read(self, header: bytes) -> Any:
        """Take an object out; what it holds is its own."""
        places, value = pickle.loads(header)
        if places is None:
            return value
        memory = self._reserve(sum(places[-1]))
        body, *buffers = (bytearray(memory[start : start + size]) for start, size in places)
        return pickle.loads(body, buffers=buffers)


class _Names:
    """Finder that brings msjax under the names that the program has it under, once one of them is imported."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = set(names)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] not in self.names:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        install = importlib.import_module("msjax.public_api.import_hook").install_as
        for one in self.names:
            install(one)
        return find_spec(name)


class BatchInfo:
    """Batch and epoch numbers, as passed to `batch_size` and `per_batch_map` functions.

    Args:
        batch: the number of the batch in its pass, from 0.
        epoch: the number of the iterator's epoch, from 0.
    """

    def __init__(self, batch: int, epoch: int) -> None:
        self._batch, self._epoch = batch, epoch

    def get_batch_num(self) -> int:
        """The number of the batch in its pass, from 0."""
        return self._batch

    def get_epoch_num(self) -> int:
        """Return the number of the iterator's epoch, from 0."""
        return self._epoch


_at: list[Any] = [None]  # the function that is being called


def _apply(functions: Sequence[Callable[..., Any]], columns: tuple[Any, ...]) -> tuple[Any, ...]:
    for function in functions:
        _at[0] = function
        given = function(*columns)
        columns = given if isinstance(given, tuple) else (given,)
    return tuple(map(_array, columns))


def _apply_to_batch(function: Callable[..., Any], item: tuple[list[Any], int, int]) -> tuple[Any, ...]:
    columns, batch, epoch = item
    _at[0] = function
    given = function(*columns, BatchInfo(batch, epoch))
    listed = given if isinstance(given, tuple) else (given,)
    return tuple([_array(one) for one in part] if isinstance(part, list) else _array(part) for part in listed)


def _array(value: Any) -> Any:
    return value.asnumpy() if hasattr(value, "asnumpy") else value


def _read(source: Any, index: int) -> Any:
    row = source[index]
    whole = isinstance(row, dict | str | bytes) or hasattr(row, "dtype") or not hasattr(row, "__iter__")
    return row if whole or isinstance(row, tuple) else tuple(row)


def describe(error: BaseException, own: str) -> tuple[str, str, str, str]:
    """Return an error's type, text, the user's line and the traceback, for another process.

    Args:
        error: the error.
        own: the folder of files whose lines are not the user's.
    """
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(own)]
    users = [one for one in frames if "site-packages" not in one.filename] or frames
    line = f" ({users[-1].filename}, line {users[-1].lineno})" if users else ""
    return type(error).__name__, str(error), line, "".join(traceback.format_exception(error))


def _prepare(setup: dict[str, Any]) -> Callable[[Any], Any]:
    sys.path[:] = setup["path"]
    sys.meta_path.insert(0, _Names(setup["names"]))  # type: ignore[arg-type]
    import numpy as np  # which the rows need in any case

    if setup["seeds"] is not None:
        random.seed(setup["seeds"][0])
        np.random.seed(setup["seeds"][0] % 2**32)  # noqa: NPY002 - it is what users' functions draw from
    work = pickle.loads(setup["work"])
    if setup["kind"] == "functions":
        return lambda columns: _apply(work, columns)
    if setup["kind"] == "batches":
        return lambda item: _apply_to_batch(work, item)
    if setup["kind"] == "source":
        return lambda index: _read(work, index)
    work.begin(setup["seeds"])
    return work


def _write_results(box: Mailbox, results: list[Any], most: int, own: str) -> bytes:
    """Put results in; errors stand for those that cannot be sent, such as generators."""
    try:
        return box.write(results, most)
    except Exception:  # noqa: BLE001 - any object may refuse in its own way
        for place, (_, value) in enumerate(results):
            try:
                pickle.dumps(value)
            except Exception as error:  # noqa: BLE001 - the same
                name = getattr(_at[0], "__name__", type(_at[0]).__name__)
                results[place] = (False, (*describe(error, own), name))
        return box.write(results, most)


def main(own: str, pipe: int, *memories: int) -> None:
    """Work until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides what an interrupt means
    ends, boxes = Connection(pipe), [Mailbox(one) for one in memories]
    try:
        ends.send_bytes(b"")
        try:
            setup = pickle.loads(ends.recv_bytes())
            work, most = _prepare(setup), setup["most"]
        except Exception as error:  # noqa: BLE001 - raised again in the program
            ends.send_bytes(pickle.dumps(describe(error, own)))
            return
        ends.send_bytes(b"")
        for turn in count():
            results: list[Any] = []
            for item in boxes[turn % 2].read(ends.recv_bytes()):
                try:
                    results.append((True, work(item)))
                except Exception as error:  # noqa: BLE001 - the same
                    name = getattr(_at[0], "__name__", type(_at[0]).__name__)
                    results.append((False, (*describe(error, own), name)))
            ends.send_bytes(_write_results(boxes[2 + turn % 2], results, max(most * len(results), -1), own))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
