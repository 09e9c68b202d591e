"""Workers: processes that fetch batches, each from its own copy of the dataset."""

import contextvars
import copy
import math
import pickle
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np

from msjax.core.tensor.generator import manual_seed
from msjax.core.tensor.random_state import set_seed
from msjax.dataset.dataloader.collate import default_collate, default_convert
from msjax.dataset.dataloader.dataset import IterableDataset
from msjax.dataset.dataloader.sending import Sent, decode, encode
from msjax.dataset.pipeline.processes import ProcessExecutor, pickle_by_value, pickled


@dataclass(frozen=True)
class WorkerInfo:
    """Worker information: id, number of workers, seed, dataset copy.

    Attributes:
        id: its number.
        num_workers: how many there are.
        seed: its own, with which its random numbers begin.
        dataset: its copy.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_here: contextvars.ContextVar[WorkerInfo | None] = contextvars.ContextVar("worker", default=None)


def get_worker_info() -> WorkerInfo | None:
    """Return `id`, `num_workers`, `seed` and `dataset` inside a worker of a DataLoader; None anywhere else.

    Examples:
        >>> from msjax.dataset.dataloader import get_worker_info
        >>> get_worker_info() is None
        True
    """
    return _here.get()


class Fetcher:
    """Fetches the samples of one index, or of a list of indices, and collates them to Tensors.

    Args:
        dataset: of either kind.
        batches: whether indices come in lists.
        collate: makes a batch of samples, or converts a sample; None for the default.
        drop_last: leave out what is shorter than its list of indices.
    """

    def __init__(self, dataset: Any, batches: bool, collate: Callable | None, drop_last: bool) -> None:
        self.dataset, self.batches, self.drop_last = dataset, batches, drop_last
        self.collate = collate or (default_collate if batches else default_convert)
        self._samples = iter(dataset) if isinstance(dataset, IterableDataset) else None

    def __call__(self, indices: Any) -> Any:
        """Return the batch.

        Raises:
            StopIteration: if an iterable dataset has no more.
        """
        if self._samples is None:
            samples = [self.dataset[i] for i in indices] if self.batches else self.dataset[indices]
        elif self.batches:
            samples = [sample for _, sample in zip(indices, self._samples, strict=False)]
            if not samples or (self.drop_last and len(samples) < len(indices)):
                raise StopIteration
        else:
            samples = next(self._samples)
        return self.collate(samples)


ENDED = object()  # what a worker gives when its dataset has no more


class _Work:
    """Task of a worker process.

    Args:
        info: which worker it is, with its dataset.
        base_seed: of all workers.
        start: called with its number before anything else, or None.
    """

    def __init__(self, info: WorkerInfo, base_seed: int, start: Callable[[int], None] | None) -> None:
        self.info, self.base_seed, self.start = info, base_seed, start
        self.lane = _Lane(info, start)

    def begin(self, seeds: Any) -> None:
        """Seed the random numbers of this process, as MindSpore does."""
        seed, base = self.info.seed, self.base_seed
        set_seed(seed & 0xFFFFFFFF)
        manual_seed(seed)
        entropy = [self.info.id, base & 0xFFFFFFFF, base >> 32, 0]
        np.random.seed(np.random.SeedSequence(entropy).generate_state(4))  # noqa: NPY002 - users' functions draw from it

    def __call__(self, item: tuple[str, Any]) -> Sent | None:
        """Begin an epoch, or return a batch; None if there are no more."""
        kind, value = item
        if kind == "begin":
            self.lane.begin(*pickle.loads(value))
            return None
        batch = self.lane.fetch(value)
        return None if batch is ENDED else encode(batch)


class _Lane:
    """A worker's way through the epochs, wherever it runs."""

    def __init__(self, info: WorkerInfo, start: Callable[[int], None] | None) -> None:
        self.info, self._start, self._started = info, start, False
        self._fetch: Fetcher | None = None

    def begin(self, *settings: Any) -> None:
        """Begin an epoch."""
        self._fetch, self._settings = None, settings

    def fetch(self, indices: Any) -> Any:
        """Return a batch, or ENDED."""
        _here.set(self.info)
        if not self._started and self._start is not None:
            self._start(self.info.id)
        self._started = True
        if self._fetch is None:
            self._fetch = Fetcher(self.info.dataset, *self._settings)
        try:
            return self._fetch(indices)
        except StopIteration:
            return ENDED


class WorkerError(RuntimeError):
    """Error of a worker process, which says all that there is to say."""


class _RemoteLane:
    """A worker process, asked by a thread that waits for it."""

    def __init__(self, info: WorkerInfo, work: bytes) -> None:
        where = f"`DataLoader`: worker {info.id}"

        def fail(item: Any, kind: str, text: str, line: str, name: str) -> Exception:
            return WorkerError(f"{where} failed with {kind}: {text}{line}")

        self.process = ProcessExecutor(
            where, "loader", work, (info.seed, info.seed), _name_of, _as_it_is, _decoded, fail, math.inf
        )

    def begin(self, *settings: Any) -> None:
        """Begin an epoch."""
        self._ask(("begin", pickle_by_value(settings)))

    def fetch(self, indices: Any) -> Any:
        """Return a batch, or ENDED."""
        return self._ask(("fetch", indices))

    def _ask(self, item: tuple[str, Any]) -> Any:
        try:
            self.process.submit([item])
            (found,) = self.process.collect()
        except RuntimeError as error:
            raise WorkerError(str(error)) from error.__cause__
        if isinstance(found, WorkerError):
            raise found
        return found


def _as_it_is(item: Any) -> Any:
    return item


def _decoded(item: tuple[str, Any], sent: Sent | None) -> Any:
    return ENDED if sent is None else decode(item, sent)


def _name_of(item: tuple[str, Any]) -> str:
    kind, indices = item
    return "its start" if kind == "begin" else f"the batch of {indices!r}"


class _Thread:
    """A thread for tasks, one after the other, which the program does not wait for when it ends."""

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[tuple[Future, Callable[..., Any], tuple[Any, ...]] | None] = SimpleQueue()
        threading.Thread(target=_run_tasks, args=(self._tasks,), name=name, daemon=True).start()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Call a function after those before."""
        task: Future = Future()
        self._tasks.put((task, function, arguments))
        return task

    def shutdown(self) -> None:
        """End it after its tasks."""
        self._tasks.put(None)


def _run_tasks(tasks: SimpleQueue) -> None:
    while (item := tasks.get()) is not None:
        task, function, arguments = item
        if task.set_running_or_notify_cancel():
            try:
                task.set_result(function(*arguments))
            except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
                task.set_exception(error)
        del item, task, function, arguments  # not kept while it waits


class Worker:
    """A process with a copy of the dataset; a thread, where the dataset or a function cannot be sent to one.

    Args:
        info: what it knows; its dataset is the one to copy.
        base_seed: of all workers.
        start: called with its number before anything else, or None.
        settings: how batches are fetched.
    """

    def __init__(
        self, info: WorkerInfo, base_seed: int, start: Callable[[int], None] | None, settings: Sequence[Any]
    ) -> None:
        self.info, self.waiting = info, 0
        what = f"`DataLoader`: the dataset or a function of worker {info.id}"
        work = pickled(what, _Work(info, base_seed, start)) if pickled(what, settings) else None
        self._end: Any = None
        if work is None:
            copied = WorkerInfo(info.id, info.num_workers, info.seed, copy.copy(info.dataset))
            self._lane: Any = _Lane(copied, start)
        else:
            self._lane = _RemoteLane(info, work)
            self._end = self._lane.process.close
        self.begun: Future = Future()  # done when the epoch has begun
        self._thread = _Thread(f"DataLoader-{info.id}")
        weakref.finalize(self, self._thread.shutdown)

    def begin(self, *settings: Any) -> None:
        """Begin an epoch."""
        self.begun = self._thread.submit(self._lane.begin, *settings)
        self.waiting = 0

    def submit(self, indices: Any) -> Future:
        """Fetch a batch."""
        self.waiting += 1
        return self._thread.submit(self._fetch, self._lane, self.begun, indices)

    @staticmethod
    def _fetch(lane: Any, begun: Future, indices: Any) -> Any:
        begun.result()
        return lane.fetch(indices)

    @property
    def alive(self) -> bool:
        """False once its process was ended."""
        return self._end is None or self._end.alive

    def stop(self) -> None:
        """End the process, and the thread after its present task."""
        if self._end is not None:
            self._end()
        self._thread.shutdown()
