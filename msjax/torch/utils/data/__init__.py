"""`torch.utils.data`: datasets, samplers and loaders. Worker processes are not started; memory is not pinned."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors.tensor import Tensor


class Dataset:
    """Samples by number: subclass, define `__getitem__` and `__len__`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset") -> "ConcatDataset":
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples in order: subclass, define `__iter__`."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset):
    """Tensors that have the samples along their first dimension.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.utils.data import DataLoader, TensorDataset
        >>> [batch for (batch,) in DataLoader(TensorDataset(torch.arange(3)), batch_size=2)]
        [tensor([0, 1]), tensor([2])]
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(tensors[0]) != len(tensor) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset):
    """Some samples of a data set."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Parts of a data set, drawn without replacement; lengths that add up to 1 are shares."""
    sizes = list(lengths)
    if abs(sum(sizes) - 1) < 1e-6 and sum(sizes) <= 1 + 1e-6 and any(size < 1 for size in sizes):
        sizes = [int(len(dataset) * share) for share in sizes]
        for i in range(len(dataset) - sum(sizes)):
            sizes[i % len(sizes)] += 1
    if sum(sizes) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = shuffled(len(dataset), generator)
    ends = np.cumsum(sizes)
    return [Subset(dataset, order[end - size : end]) for end, size in zip(ends, sizes, strict=True)]  # type: ignore[misc]


def shuffled(n: int, generator: Any = None) -> list[int]:
    """The numbers below n in random order."""
    return served_from_mint.find_function("randperm")(n, generator=generator).tolist()


class ConcatDataset(Dataset):
    """Data sets one after another."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = np.cumsum([len(each) for each in self.datasets]).tolist()

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise ValueError("absolute value of index should not exceed dataset length")
        index %= len(self)
        which = int(np.searchsorted(self.cumulative_sizes, index, side="right"))
        return self.datasets[which][index - ([0, *self.cumulative_sizes][which])]


class StackDataset(Dataset):
    """Samples of several data sets of one length side by side."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.datasets: Any = kwargs or args
        listed = list(kwargs.values()) or list(args)
        if any(len(each) != len(listed[0]) for each in listed):
            raise ValueError("Size mismatch between datasets")

    def __len__(self) -> int:
        return len(
            next(iter(self.datasets.values())) if isinstance(self.datasets, dict) else self.datasets[0]
        )

    def __getitem__(self, index: int) -> Any:
        if isinstance(self.datasets, dict):
            return {name: each[index] for name, each in self.datasets.items()}
        return tuple(each[index] for each in self.datasets)


class ChainDataset(IterableDataset):
    """Data sets of samples in order, one after another."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for each in self.datasets:
            yield from each


class Sampler:
    """Numbers of samples in an order: subclass, define `__iter__` and `__len__`."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """Sampler of all indices in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Sampler of all indices in random order, or of random draws with replacement."""

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source, self.replacement, self._count = data_source, replacement, num_samples
        self.generator = generator
        if num_samples is not None and num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )

    def __iter__(self) -> Iterator[int]:
        n, count = len(self.data_source), len(self)
        if self.replacement:
            yield from (basic.rand(count, generator=self.generator) * n).numpy().astype(int).tolist()
            return
        while count > 0:
            yield from shuffled(n, self.generator)[:count]
            count -= n

    def __len__(self) -> int:
        return len(self.data_source) if self._count is None else self._count


class SubsetRandomSampler(Sampler):
    """Some numbers, in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        return (self.indices[i] for i in shuffled(len(self.indices), self.generator))

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers drawn with weights."""

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        self.weights = basic.as_tensor(weights, dtype=basic.dtypes.float32)
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = served_from_mint.find_function("multinomial")(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of numbers that another sampler gives."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch = []
        for number in self.sampler:
            batch.append(number)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        full = len(self.sampler) // self.batch_size
        return full if self.drop_last else -(-len(self.sampler) // self.batch_size)


def get_worker_info() -> None:
    """None: samples are made in the thread that asks."""
    return


def default_convert(data: Any) -> Any:
    """Arrays as tensors, and other things as they are."""
    return basic.tensor(data) if isinstance(data, np.ndarray) else data


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples joined along a new first dimension, tuples and dicts element by element."""
    first = batch[0]
    if isinstance(first, Tensor):
        return basic.stack(batch)
    if isinstance(first, np.ndarray | np.generic):
        return basic.tensor(np.stack(batch))
    if isinstance(first, bool | int):
        return basic.tensor(list(batch))
    if isinstance(first, float):
        return basic.tensor(np.asarray(batch, np.float64))
    if isinstance(first, dict):
        return {name: default_collate([sample[name] for sample in batch]) for name in first}
    if isinstance(first, tuple | list):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(parts) for parts in zip(*batch, strict=True)]
    if isinstance(first, str | bytes):
        return list(batch)
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


class DataLoader:
    """Batches of a data set.

    Args:
        dataset: with `__getitem__` and `__len__`, or with `__iter__` only.
        batch_size: samples in a batch; None for samples as they are.
        shuffle: whether to go through it in a new random order each time, which `torch.manual_seed` repeats.
        sampler: numbers of samples, in the order wanted.
        batch_sampler: lists of them.
        num_workers: taken and not used: samples are made in this thread.
        collate_fn: makes a batch of a list of samples.
        pin_memory: of no effect.
        drop_last: whether to leave out a last batch that is smaller.
        timeout: of no effect, as there are no workers; so the following two.
        worker_init_fn: see `timeout`.
        multiprocessing_context: see `timeout`.
        generator: of the random order.
        prefetch_factor: see `timeout`; so the following two.
        persistent_workers: see `timeout`.
        pin_memory_device: see `timeout`.
        in_order: batches come in their order.
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None,
        generator: Any = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_size is not None and batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.sampler, self.batch_sampler, self.num_workers = sampler, batch_sampler, num_workers
        self.generator, self.pin_memory = generator, pin_memory
        self.collate_fn = collate_fn or (default_collate if batch_size is not None else lambda sample: sample)

    def _samples(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return iter(self.dataset)
        return (self.dataset[i] for i in self._numbers())

    def _numbers(self) -> Any:
        if self.sampler is not None:
            return self.sampler
        count = len(self.dataset)
        return shuffled(count, self.generator) if self.shuffle else range(count)

    def __iter__(self) -> Iterator[Any]:
        if self.batch_sampler is not None:
            for numbers in self.batch_sampler:
                yield self.collate_fn([self.dataset[i] for i in numbers])
            return
        if self.batch_size is None:
            yield from map(self.collate_fn, self._samples())
            return
        batch = []
        for sample in self._samples():
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count = len(self.sampler) if self.sampler is not None else len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def __getattr__(name: str) -> Any:
    if name in ("distributed", "DistributedSampler"):
        module = importlib.import_module(f"{__name__}.distributed")
        return module if name == "distributed" else module.DistributedSampler
    return served_from_mint.make_placeholder("torch.utils.data", name)
