"""Prefetching: a thread computes the next items ahead of time."""

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

_END = object()
_PATIENCE = 2.0  # seconds to wait, when closed, for a thread that is in the middle of a user's function


class _Channel:
    """State shared by the prefetching thread and its consumer."""

    __slots__ = ("items", "stopped", "wanted")

    def __init__(self, ahead: int) -> None:
        self.items: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self.wanted = threading.Semaphore(ahead)  # how many items the thread may still compute
        self.stopped = False


class Pause:
    """Item that stands between others and is no work: what comes after it is computed at once."""


class Prefetched:
    """Prefetching iterator: a thread computes the next items while the caller is busy with one.

    What is raised there is raised here, the same object with its traceback. The thread ends with the last
    item, and when this object is closed, forgotten, or the interpreter exits.

    Args:
        make: gives the iterator; called in the thread.
        cancel: called when nobody wants items any more, so that a long one ends early.
        ahead: how many items may wait for the caller.
    """

    def __init__(self, make: Callable[[], Iterator[Any]], cancel: Callable[[], None], ahead: int = 1) -> None:
        self._channel, self._process = _Channel(ahead), os.getpid()
        thread = threading.Thread(target=_work, args=(make, self._channel), name="msjax-dataset", daemon=True)
        # The thread does not know this object, so that forgetting it is enough to end the thread.
        self.close = weakref.finalize(self, _stop, thread, self._channel, cancel)
        thread.start()

    def enlarge(self, more: int) -> None:
        """Let so many items more wait for the caller."""
        self._channel.wanted.release(more)

    def __iter__(self) -> "Prefetched":
        return self

    def __next__(self) -> Any:
        if not self.close.alive:
            raise StopIteration
        if os.getpid() != self._process:
            raise RuntimeError(
                "This iterator over a dataset belongs to the process that this one was forked from, and so does the thread "
                "that makes its rows. Make another iterator here."
            )
        item, error = self._channel.items.get()
        if error is not None or item is _END:
            self.close()
            raise StopIteration if error is None else error
        if not isinstance(item, Pause):
            self._channel.wanted.release()
        return item


def _work(make: Callable[[], Iterator[Any]], channel: _Channel) -> None:
    try:
        items, pause = make(), False
        while True:
            if not pause:
                channel.wanted.acquire()
            if channel.stopped:
                return
            item = next(items, _END)
            channel.items.put((item, None))
            if item is _END:
                return
            pause = isinstance(item, Pause)
            del item  # which is the receiver's now
    except BaseException as error:  # noqa: BLE001 - raised again by who waits
        channel.items.put((_END, error))


def _stop(thread: threading.Thread, channel: _Channel, cancel: Callable[[], None]) -> None:
    channel.stopped = True
    cancel()
    channel.wanted.release()
    if thread is not threading.current_thread():
        thread.join(_PATIENCE)
