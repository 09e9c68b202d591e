"""Executors: threads and processes that compute rows ahead of time; results come in the order of the rows."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from queue import SimpleQueue
from typing import Any, Protocol

_PATIENCE = 2.0  # seconds to wait for the item that a closed thread works on


class Executor(Protocol):
    """Executor of lists of items, one list after the other.

    Attributes:
        ahead: how many lists it takes before the results of the first are collected, 2 or more.
    """

    ahead: int

    def submit(self, items: list[Any]) -> None:
        """Begin with some items, as soon as those before are done."""

    def collect(self) -> list[Any]:
        """Return the results of the first list that was submitted and not yet collected; errors stand in their places."""
        ...

    def close(self) -> None:
        """Stop."""


class ThreadExecutor:
    """A thread.

    Args:
        work: from an item to its result; what it raises is the item's result.
    """

    ahead = 4  # so that a thread that the machine holds up keeps no other one waiting

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._todo: SimpleQueue[list[Any] | None] = SimpleQueue()
        self._done: SimpleQueue[list[Any]] = SimpleQueue()
        self._work, self._stopped = work, False
        self.busy = 0.0  # seconds
        self._thread = threading.Thread(target=self._run, name="msjax-dataset", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (items := self._todo.get()) is not None:
            results: list[Any] = []
            begin = time.perf_counter()
            for item in items:
                if self._stopped:
                    return
                try:
                    results.append(self._work(item))
                except Exception as error:  # noqa: BLE001 - raised again where the row is given out
                    results.append(error)
            self.busy += time.perf_counter() - begin
            self._done.put(results)
            del items, results

    def submit(self, items: list[Any]) -> None:
        """Begin with some items, as soon as those before are done."""
        self._todo.put(items)

    def collect(self) -> list[Any]:
        """Return the results of the first list."""
        return self._done.get()

    def close(self) -> None:
        """Stop after the item that is being worked on."""
        self.end()
        self._thread.join(_PATIENCE)

    def end(self) -> None:
        """The same, without waiting for it."""
        self._stopped = True
        self._todo.put(None)


@contextmanager
def threads(works: Iterable[Callable[[Any], Any]]) -> Iterator[list[ThreadExecutor]]:
    """Start threads that end with the block: one in the middle of OpenCV's code must not outlive the interpreter.

    Args:
        works: for each thread, from an item to its result.
    """
    started = [ThreadExecutor(work) for work in works]
    try:
        yield started
    finally:
        for executor in started:
            executor.end()
        for executor in started:
            executor.close()


def run_in_order(
    items: Iterator[Any], executors: Sequence[Executor], first: int = 0, length: int = 1
) -> Iterator[tuple[Any, Any]]:
    """Yield each item with its result, in order; item i is worked on by executor (first + i) % len(executors).

    What the iterator raises is raised in its place, after the results before it. What a executor raises for an item is its
    result.

    Args:
        items: the items. Only so many are taken as are worked on at once.
        executors: the executors. More may be appended meanwhile; they take part from the next items on.
        first: the executor of the first item.
        length: how many items a executor gets at once.
    """
    pending: deque[tuple[list[Any], int, int]] = deque()
    failed: list[BaseException] = []
    turn, safe = first, _until_error(items, failed)

    def take() -> bool:
        nonlocal turn
        total = len(executors)
        block = list(islice(safe, total * length))
        if block:
            for executor in range(min(total, len(block))):
                executors[(turn + executor) % total].submit(block[executor::total])
            pending.append((block, turn, total))
            turn += len(block)
        return len(block) == total * length

    more = True
    while more or pending:
        while more and len(pending) < executors[0].ahead:
            more = take()
        if pending:
            block, begin, total = pending.popleft()
            results: dict[int, list[Any]] = {}
            for place, item in enumerate(block):
                executor = place % total
                if executor not in results:
                    results[executor] = executors[(begin + executor) % total].collect()
                yield item, results[executor][place // total]
    if failed:
        raise failed[0]


def _until_error(items: Iterator[Any], failed: list[BaseException]) -> Iterator[Any]:
    try:
        yield from items
    except Exception as error:  # noqa: BLE001 - raised again by `run_in_order`
        failed.append(error)
