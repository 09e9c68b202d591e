"""Workers: threads that fetch batches, each from its own shallow copy of the dataset."""

import contextvars
import copy
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from msjax.dataset.dataloader.collate import default_collate, default_convert
from msjax.dataset.dataloader.dataset import IterableDataset


@dataclass(frozen=True)
class WorkerInfo:
    """Worker information: id, number of workers, seed, dataset copy.

    Attributes:
        id: its number.
        num_workers: how many there are.
        seed: its own; the threads' generators are not seeded with it.
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


class Worker:
    """A thread with a copy of the dataset.

    Args:
        info: what it knows; its dataset is the one to copy.
        start: called with its number before anything else, or None.
    """

    def __init__(self, info: WorkerInfo, start: Callable[[int], None] | None) -> None:
        self.info = WorkerInfo(info.id, info.num_workers, info.seed, copy.copy(info.dataset))
        self.waiting = 0
        self._start, self._started = start, False
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"DataLoader-{info.id}")
        self._fetch: Fetcher | None = None

    def begin(self, batches: bool, collate: Callable | None, drop_last: bool) -> None:
        """Begin an epoch."""
        self._pool.submit(self._begin, batches, collate, drop_last)
        self.waiting = 0

    def _begin(self, *settings: Any) -> None:
        self._fetch = self._settings = None
        _here.set(self.info)
        self._settings = settings

    def submit(self, indices: Any) -> Future:
        """Fetch a batch."""
        self.waiting += 1
        return self._pool.submit(self._run, indices)

    def _run(self, indices: Any) -> Any:
        if not self._started and self._start is not None:
            self._start(self.info.id)
        self._started = True
        if self._fetch is None:
            self._fetch = Fetcher(self.info.dataset, *self._settings)  # type: ignore[misc]
        try:
            return self._fetch(indices)
        except StopIteration:
            return ENDED

    def stop(self) -> None:
        """Stop the thread after its present task."""
        self._pool.shutdown(wait=False, cancel_futures=True)
