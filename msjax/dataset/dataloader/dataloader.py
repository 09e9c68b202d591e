"""`DataLoader`: iterates over a dataset in batches of Tensors."""

import concurrent.futures
import multiprocessing.context
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

import numpy as np

from msjax.dataset.dataloader import checks
from msjax.dataset.dataloader.dataset import Dataset, IterableDataset
from msjax.dataset.dataloader.sampler import (
    BatchSampler,
    InfiniteSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)
from msjax.dataset.dataloader.worker import ENDED, Fetcher, Worker, WorkerError, WorkerInfo

_Batch = TypeVar("_Batch", covariant=True)


class DataLoader(Generic[_Batch]):
    """Iterates over a dataset in batches of Tensors.

    Args:
        dataset (Dataset): anything with `__getitem__`, or an IterableDataset.
        batch_size (int): samples in a batch; None for samples alone. Default: 1.
        shuffle (bool): draw samples in random order. Default: None, which is no.
        sampler (Union[Sampler, Iterable]): gives indices. Default: SequentialSampler or RandomSampler.
        batch_sampler (Union[Sampler, Iterable]): gives lists of indices. Default: a BatchSampler.
        num_workers (int): processes that fetch batches ahead; 0 for none. They are new programs on the CPU, which get the
            dataset and the functions by cloudpickle; for what cannot be sent there are threads, with a warning. Default: 0.
        collate_fn (Callable): makes a batch of a list of samples. Default: :func:`default_collate`; without batches,
            :func:`default_convert`.
        pin_memory (bool): without effect: JAX copies to the device. Default: False.
        drop_last (bool): leave out a last batch that is smaller. Default: False.
        timeout (float): seconds to wait for a worker's batch; 0 for as long as it takes. Default: 0.0.
        worker_init_fn (Callable): called with its number in each worker, before anything else. Default: None.
        multiprocessing_context (Union[str, BaseContext]): checked, without effect: workers are new programs in any case,
            as a copy of a program with JAX does not work. Default: None.
        generator (numpy.random.Generator): draws orders and seeds. Default: a new one.

    Keyword Args:
        prefetch_factor (int): batches that each worker is ahead. Default: None, which is 2.
        persistent_workers (bool): keep workers, and their datasets, for the next epoch. Default: False.
        in_order (bool): give batches in the order of their indices, even if another is ready before. Default: True.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of range, or arguments exclude each other.
        NotImplementedError: if the dataset has neither `__getitem__` nor `__iter__`.
        RuntimeError: in iterations: if a worker fails, or is not ready in time.

    Examples:
        >>> from msjax.dataset.dataloader import DataLoader
        >>> data = [(0.5, "a"), (1.5, "b"), (2.5, "c")]
        >>> for numbers, names in DataLoader(data, batch_size=2):
        ...     print(numbers, names)
        [0.5 1.5] ['a', 'b']
        [2.5] ['c']
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler | Iterable | None = None,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0.0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: multiprocessing.context.BaseContext | str | None = None,
        generator: np.random.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        in_order: bool = True,
    ) -> None:
        _check_sampling(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        _check_workers(num_workers, timeout, multiprocessing_context, prefetch_factor, persistent_workers)
        checks.check_type("DataLoader", bool, pin_memory=pin_memory)
        checks.check_type("DataLoader", bool, in_order=in_order)
        checks.check_type("DataLoader", np.random.Generator | None, generator=generator)
        self.dataset, self.num_workers, self.collate_fn = dataset, num_workers, collate_fn
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self.persistent_workers = persistent_workers
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.generator = np.random.default_rng() if generator is None else generator
        self.sampler: Any = self._default_sampler(shuffle) if sampler is None else sampler
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.batch_sampler = batch_size, drop_last, batch_sampler
        self.auto_collation = batch_sampler is not None
        self.index_sampler: Any = batch_sampler if self.auto_collation else self.sampler
        self._kept: list[Worker] = []

    def _default_sampler(self, shuffle: bool | None) -> Sampler:
        if isinstance(self.dataset, IterableDataset):
            return InfiniteSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    def __iter__(self) -> Iterator[_Batch]:
        settings = (self.auto_collation, self.collate_fn, self.drop_last)
        if self.num_workers == 0:
            return _Alone(Fetcher(self.dataset, *settings), iter(self.index_sampler))
        kept = all(worker.alive for worker in self._kept)
        workers = (self._kept if kept else []) or self._workers(settings)
        if self.persistent_workers:
            self._kept = workers
        for worker in workers:
            worker.begin(*settings)
        return _Ahead(self, workers, iter(self.index_sampler))

    def _workers(self, settings: Sequence[Any]) -> list[Worker]:
        seed = int(self.generator.integers(0, np.iinfo(np.int64).max + 1, dtype=np.int64))
        count = self.num_workers
        return [
            Worker(WorkerInfo(n, count, seed + n, self.dataset), seed, self.worker_init_fn, settings)
            for n in range(count)
        ]

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.index_sampler)
        count: int = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return count
        whole, rest = divmod(count, self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class _Alone:
    """An epoch without workers."""

    def __init__(self, fetch: Fetcher, indices: Iterator[Any]) -> None:
        self._fetch, self._indices = fetch, indices

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self._fetch(next(self._indices))


class _Ahead:
    """An epoch whose batches workers fetch ahead, each in its turn."""

    def __init__(self, loader: DataLoader, workers: list[Worker], indices: Iterator[Any]) -> None:
        self._indices, self._keeps = indices, loader.persistent_workers
        self._timeout = loader.timeout or None
        self._in_order = loader.in_order
        self._workers = workers
        self._going = deque(workers)  # those that have more; the next in turn first
        self._tasks: deque[tuple[Worker, Future]] = deque()
        for _ in range(loader.num_workers * (loader.prefetch_factor or 2)):
            self._assign()

    def __iter__(self) -> Iterator[Any]:
        return self

    def _assign(self) -> None:
        if not self._going:
            return
        indices = next(self._indices, ENDED)
        if indices is ENDED:
            return
        if not self._in_order:
            self._going = deque(sorted(self._going, key=lambda worker: worker.waiting))
        worker = self._going.popleft()
        self._going.append(worker)
        self._tasks.append((worker, worker.submit(indices)))

    def __next__(self) -> Any:
        if self._timeout is not None:
            concurrent.futures.wait([one.begun for one in self._workers])  # `timeout` is for batches
        while self._tasks:
            worker, task = self._ready()
            worker.waiting -= 1
            try:
                batch = task.result(self._timeout)
            except TimeoutError as error:
                if task.done():
                    raise self._make_error(worker, error) from error
                self._keeps = False
                self.close()
                raise RuntimeError(
                    f"`DataLoader`: worker {worker.info.id} had no batch after {self._timeout} seconds (`timeout`)."
                ) from error
            except WorkerError as error:
                self._assign()
                raise RuntimeError(str(error)) from error.__cause__
            except Exception as error:
                self._assign()
                raise self._make_error(worker, error) from error
            if batch is not ENDED:
                self._assign()
                return batch
            if worker in self._going:
                self._going.remove(worker)
            self._assign()
        self.close()
        raise StopIteration

    def _ready(self) -> tuple[Worker, Future]:
        """Return the next task, or the first that is done if order does not matter."""
        if not self._in_order:
            tasks = [task for _, task in self._tasks]
            done, _ = concurrent.futures.wait(
                tasks, self._timeout, return_when=concurrent.futures.FIRST_COMPLETED
            )
            found = next((pair for pair in self._tasks if pair[1] in done), self._tasks[0])
            self._tasks.remove(found)
            return found
        return self._tasks.popleft()

    def _make_error(self, worker: Worker, error: BaseException) -> RuntimeError:
        return RuntimeError(
            f"`DataLoader`: worker {worker.info.id} failed with {type(error).__name__}: {error}"
        )

    def close(self) -> None:
        """Let the workers end, unless they are kept."""
        for _, task in self._tasks:
            task.cancel()
        if not self._keeps:
            for worker in self._workers:
                worker.stop()

    def __del__(self) -> None:
        self.close()


def _check_sampling(
    dataset: Any, batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: Any
) -> None:
    owner = "DataLoader"
    if isinstance(dataset, IterableDataset):
        given = {"sampler": sampler is not None, "batch_sampler": batch_sampler is not None}
        checks.check_exclusive(owner, "if the dataset is an IterableDataset", shuffle=bool(shuffle), **given)
    elif not hasattr(dataset, "__getitem__"):
        raise NotImplementedError(
            f"`{owner}`: argument `dataset` must have `__getitem__`, or be an IterableDataset. Received: {dataset!r}."
        )
    checks.check_type(owner, int | None, batch_size=batch_size)
    checks.check_at_least(owner, 1, batch_size=batch_size)
    if shuffle is not None:
        checks.check_type(owner, bool, shuffle=shuffle)
    checks.check_exclusive(owner, "together with `shuffle`", sampler=sampler is not None and bool(shuffle))
    if batch_sampler is not None:
        checks.check_exclusive(
            owner,
            "together with `batch_sampler`",
            batch_size=batch_size != 1,
            shuffle=bool(shuffle),
            sampler=sampler is not None,
            drop_last=bool(drop_last),
        )
    checks.check_type(owner, bool, drop_last=drop_last)


def _check_workers(count: Any, timeout: Any, context: Any, prefetch: Any, persistent: Any) -> None:
    owner = "DataLoader"
    checks.check_type(owner, int, num_workers=count)
    checks.check_at_least(owner, 0, num_workers=count)
    checks.check_type(owner, int | float, timeout=timeout)
    checks.check_at_least(owner, 0, timeout=timeout)
    if context is not None:
        checks.check_exclusive(
            owner, "unless `num_workers` is greater than 0", multiprocessing_context=count <= 0
        )
        checks.check_type(owner, str | multiprocessing.context.BaseContext, multiprocessing_context=context)
    if prefetch is not None:
        checks.check_exclusive(owner, "unless `num_workers` is greater than 0", prefetch_factor=count <= 0)
        checks.check_type(owner, int, prefetch_factor=prefetch)
        checks.check_at_least(owner, 1, prefetch_factor=prefetch)
    checks.check_type(owner, bool, persistent_workers=persistent)
    checks.check_exclusive(
        owner, "unless `num_workers` is greater than 0", persistent_workers=persistent and count <= 0
    )
