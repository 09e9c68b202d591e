"""Datasets: samples by number or in order, and what is made of them."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from msjax.torch.functions import served_from_mint
from msjax.torch.tensors.tensor import Tensor

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by number: subclass, define `__getitem__` and `__len__`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset") -> "ConcatDataset":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Samples in order: subclass, define `__iter__`."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class IterDataPipe(IterableDataset[T]):
    """Samples in order, as a step of a pipeline: subclass, define `__iter__`; other pipes are its methods."""

    functions: dict[str, Callable] = {}

    def __getattr__(self, name: str) -> Any:
        if name in IterDataPipe.functions:
            return functools.partial(IterDataPipe.functions[name], self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def functional_datapipe(name: str, enable_df_api_tracing: bool = False) -> Callable[[type], type]:
    """Make a class of pipes a method of all pipes, as a decorator.

    Args:
        name: of the method.
        enable_df_api_tracing: of no effect.

    Examples:
        >>> from msjax.torch.utils.data import IterDataPipe, functional_datapipe
        >>> @functional_datapipe("doubled")
        ... class Doubled(IterDataPipe):
        ...     def __init__(self, source):
        ...         self.source = source
        ...     def __iter__(self):
        ...         return (2 * x for x in self.source)
        >>> class Count(IterDataPipe):
        ...     def __iter__(self):
        ...         return iter(range(3))
        >>> list(Count().doubled())
        [0, 2, 4]
    """

    def register(cls: type) -> type:
        if not issubclass(cls, IterDataPipe):
            return cls
        if name in IterDataPipe.functions:
            raise Exception(f"Unable to add DataPipe function name {name} as it is already taken")
        IterDataPipe.functions[name] = cls
        return cls

    return register


class TensorDataset(Dataset[tuple[Tensor, ...]]):
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


class Subset(Dataset[T]):
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
    """Return the numbers below n in random order."""
    return served_from_mint.find_function("randperm")(n, generator=generator).tolist()


class ConcatDataset(Dataset[T]):
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


class StackDataset(Dataset[T]):
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
