"""Worker processes of a DataLoader: what they compute, and what they send.

A worker is a new program that gets the dataset by cloudpickle (see `msjax.dataset.pipeline.processes`), on the CPU.
"""

import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from msjax.dataset.dataloader.sending import encode
from msjax.torch.random import manual_seed

_info: list[Any] = [None]  # of the worker that this process is


class WorkerInfo(NamedTuple):
    """Number, seed and data set of a loader's worker process."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info() -> WorkerInfo | None:
    """Return what a worker process knows of itself; None in the program's own process."""
    return _info[0]


class Failure(NamedTuple):
    """Error that a worker raised: its class, its traceback, and the number of the sample."""

    kind: Any
    trace: str
    sample: Any


END = "end of an iterable dataset"


class SampleError(Exception):
    """An error while a sample was made, whose number it keeps."""

    def __init__(self, sample: Any) -> None:
        super().__init__(sample)
        self.sample = sample


def fetch(dataset: Any, numbers: Any, collate_fn: Callable) -> Any:
    """Make a batch of the samples of some numbers, or of one number the sample."""
    if not isinstance(numbers, list):
        return collate_fn(_sample(dataset, numbers))
    if getattr(dataset, "__getitems__", None):
        return collate_fn(dataset.__getitems__(numbers))
    return collate_fn([_sample(dataset, number) for number in numbers])


def _sample(dataset: Any, number: Any) -> Any:
    if _info[0] is None:
        return dataset[number]
    try:
        return dataset[number]
    except Exception as error:
        raise SampleError(number) from error


def batches(dataset: Any, size: int | None, drop_last: bool, collate_fn: Callable) -> Iterator[Any]:
    """Make batches of an iterable dataset."""
    if size is None:
        yield from map(collate_fn, dataset)
        return
    batch = []
    for sample in dataset:
        batch.append(sample)
        if len(batch) == size:
            yield collate_fn(batch)
            batch = []
    if batch and not drop_last:
        yield collate_fn(batch)


class Work:
    """Task of one worker process: reads samples and makes batches of them.

    Args:
        info: which worker it is, with the seed of the first epoch and the dataset.
        collate_fn: makes a batch of samples.
        iterable: the batch size and `drop_last` of an iterable dataset; None for one with numbers.
        worker_init_fn: called with the worker's number before all else.
    """

    def __init__(
        self, info: WorkerInfo, collate_fn: Callable, iterable: tuple[int | None, bool] | None, worker_init_fn: Any
    ) -> None:  # fmt: skip
        self.info, self.collate_fn, self.iterable, self.worker_init_fn = (
            info,
            collate_fn,
            iterable,
            worker_init_fn,
        )
        self.stream: Iterator[Any] = iter(())

    def begin(self, seeds: Any) -> None:
        """Seed the random numbers of this process, and prepare it."""
        _info[0] = self.info
        manual_seed(self.info.seed)
        if self.worker_init_fn is not None:
            self.worker_init_fn(self.info.id)

    def __call__(self, item: Any) -> Any:
        """Begin an epoch, for (), or make a batch, for (numbers,); of an iterable dataset the next one."""
        try:
            if not item:
                if self.iterable is not None:
                    self.stream = batches(self.info.dataset, *self.iterable, self.collate_fn)
                return None
            if self.iterable is None:
                return encode(fetch(self.info.dataset, item[0], self.collate_fn))
            return encode(next(self.stream, END))
        except SampleError as error:
            cause = error.__cause__
            assert cause is not None
            return _failure(cause, error.sample)
        except Exception as error:  # noqa: BLE001 - raised again in the program
            return _failure(error, None)


def _failure(error: BaseException, sample: Any) -> Any:
    trace = "".join(traceback.format_exception(error))
    try:
        return encode(Failure(type(error), trace, sample))
    except Exception:  # noqa: BLE001 - a class that has no pickle
        return encode(Failure(RuntimeError, trace, sample))


def error_of(failure: Failure, worker: int) -> Exception:
    """Make the error that the program raises for one of a worker, as PyTorch does."""
    which = "" if failure.sample is None else f", for sample {failure.sample!r}"
    name = failure.kind.__name__
    text = f"Caught {name} in DataLoader worker process {worker}{which}.\nOriginal {failure.trace}"
    if issubclass(failure.kind, KeyError):
        return failure.kind(_Text(text))
    try:
        return failure.kind(text)
    except Exception:  # noqa: BLE001 - a class whose constructor takes something else
        return RuntimeError(text)


class _Text(str):
    """A message that KeyError prints with its lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
