"""DataLoader: batches, made in the program's thread or by worker processes."""

import math
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.context import BaseContext
from typing import Any, Generic

from msjax.dataset.dataloader.sending import decode
from msjax.dataset.pipeline.processes import ProcessExecutor, pickled
from msjax.torch.functions import basic
from msjax.torch.utils.data import collate, workers
from msjax.torch.utils.data.datasets import IterableDataset, T
from msjax.torch.utils.data.samplers import BatchSampler, RandomSampler, SequentialSampler

# A worker has two boxes for what it sends, so that no more batches of one worker can be under way.
_AHEAD = 2


class _Endless:
    """Sampler of a dataset that has no numbers."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T]):
    """Batches of a dataset.

    Worker processes are new programs on the CPU, which get the dataset and the functions by cloudpickle; a dataset that
    cannot be pickled is read in the program's own process, with a warning.

    Args:
        dataset: with `__getitem__` and `__len__`, or an IterableDataset.
        batch_size: samples in a batch; None for samples as they are.
        shuffle: whether to go through it in a new random order each time, which `torch.manual_seed` repeats.
        sampler: numbers of samples, in the order wanted.
        batch_sampler: lists of them.
        num_workers: the number of worker processes; 0 for the program's own thread.
        collate_fn: makes a batch of a list of samples.
        pin_memory: of no effect.
        drop_last: whether to leave out a last batch that is smaller.
        timeout: seconds that a batch may take with workers; 0 for any time.
        worker_init_fn: called in each worker with its number.
        multiprocessing_context: a start method or a context; workers are started afresh in any case.
        generator: of the random order.
        prefetch_factor: batches that each worker is ahead; 2, and no more than that has an effect.
        persistent_workers: whether the workers stay for the next epoch.
        pin_memory_device: of no effect.
        in_order: whether batches come in their order, which they do in any case.

    Raises:
        ValueError: for arguments that do not go together.

    Examples:
        >>> from msjax import torch
        >>> list(torch.utils.data.DataLoader(range(3), batch_size=2))
        [tensor([0, 1]), tensor([2])]
    """

    _fixed = False

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None,
        generator: Any = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
            for name, value in given.items():
                if value is not None:
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                    )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if self._iterable:
                sampler = _Endless()
            else:
                sampler = (
                    RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
                )
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers, self.in_order = persistent_workers, in_order
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.collate_fn = collate_fn or (
            collate.default_convert if batch_sampler is None else collate.default_collate
        )
        self.multiprocessing_context = multiprocessing_context
        self._workers: _Workers | None = None
        self._fixed = True

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
        if self._fixed and name in fixed:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        if name == "multiprocessing_context":
            _check_context(value, self.num_workers)
        super().__setattr__(name, value)

    @property
    def _numbers(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> "Batches":
        if self.num_workers:
            if self._workers is None or not self._workers.alive:
                self._workers = _Workers.start(self)
            if self._workers is not None:
                return Batches(self, self._parallel(self._workers))
        if self._iterable:
            return Batches(
                self, workers.batches(self.dataset, self.batch_size, self.drop_last, self.collate_fn)
            )
        return Batches(
            self, (workers.fetch(self.dataset, numbers, self.collate_fn) for numbers in self._numbers)
        )

    def _parallel(self, team: "_Workers") -> Iterator[Any]:
        if not self.persistent_workers:
            self._workers = None
        try:
            yield from team.epoch(self._numbers, self._iterable)
        except BaseException:
            team.close()
            raise
        if not self.persistent_workers:
            team.close()

    def __len__(self) -> int:
        if not self._iterable:
            return len(self._numbers)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


class Batches(Iterator[Any]):
    """An epoch of a loader."""

    def __init__(self, loader: DataLoader, stream: Iterator[Any]) -> None:
        self._loader, self._stream = loader, stream

    def __next__(self) -> Any:
        return next(self._stream)

    def __len__(self) -> int:
        return len(self._loader)


class _Workers:
    """The worker processes of a loader."""

    def __init__(self, executors: list[ProcessExecutor], ahead: int) -> None:
        self.executors, self.ahead = executors, ahead

    @classmethod
    def start(cls, loader: DataLoader) -> "_Workers | None":
        """Start them; None where the dataset cannot be sent to another process."""
        seed = int(basic.rand((), generator=loader.generator).item() * 2**31)
        iterable = (loader.batch_size, loader.drop_last) if loader._iterable else None
        executors = []
        for number in range(loader.num_workers):
            info = workers.WorkerInfo(number, loader.num_workers, seed + number, loader.dataset)
            work = pickled(
                f"DataLoader(num_workers={loader.num_workers}): the dataset",
                workers.Work(info, loader.collate_fn, iterable, loader.worker_init_fn),
            )
            if work is None:
                return None
            executors.append(
                ProcessExecutor(
                    f"DataLoader worker {number}", "loader", work, (seed + number, seed), _name_of, _as_it_is,
                    decode, _make_error, loader.timeout or math.inf,
                )
            )  # fmt: skip
        return cls(executors, min(loader.prefetch_factor or 1, _AHEAD))

    @property
    def alive(self) -> bool:
        """True until they are closed."""
        return all(executor.close.alive for executor in self.executors)

    def close(self) -> None:
        """End them."""
        for executor in self.executors:
            executor.close()

    def epoch(self, numbers: Any, iterable: bool) -> Iterator[Any]:
        """Yield the batches of an epoch in the order of their numbers.

        Raises:
            Exception: what a worker raised, with its traceback.
        """
        waiting = iter(numbers)
        for executor in self.executors:
            executor.submit([()])
        for executor in self.executors:
            executor.collect()
        under_way: deque[int] = deque()
        ended: set[int] = set()

        def ask(worker: int) -> None:
            if worker in ended:
                return
            item = None if iterable else next(waiting, workers.END)
            if item is not workers.END:
                self.executors[worker].submit([(item,)])
                under_way.append(worker)

        for _ in range(self.ahead):
            for worker in range(len(self.executors)):
                ask(worker)
        while under_way:
            worker = under_way.popleft()
            (batch,) = self.executors[worker].collect()
            if isinstance(batch, workers.Failure):
                raise workers.error_of(batch, worker)
            if isinstance(batch, Exception):
                raise batch
            if isinstance(batch, str) and batch == workers.END:
                ended.add(worker)
                continue
            ask(worker)
            yield batch


def _as_it_is(item: Any) -> Any:
    return item


def _name_of(item: Any) -> str:
    if not item:
        return "the start of an epoch"
    return "a batch" if item[0] is None else f"the batch of {item[0]!r}"


def _make_error(item: Any, kind: str, text: str, line: str, name: str) -> Exception:
    return RuntimeError(f"DataLoader worker: {kind}: {text}{line}")


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_context(context: Any, num_workers: int) -> None:
    if context is None:
        return
    name = "multiprocessing_context"
    if num_workers <= 0:
        raise ValueError(
            f"{name} can only be used with multi-process loading (num_workers > 0), but got num_workers={num_workers}"
        )
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        if context not in methods:
            raise ValueError(
                f"{name} option should specify a valid start method in {methods!r}, but got {name}={context!r}"
            )
    elif not isinstance(context, BaseContext):
        raise TypeError(
            f"{name} option should be a valid context object or a string specifying the start method, but got "
            f"{name}={context}"
        )
