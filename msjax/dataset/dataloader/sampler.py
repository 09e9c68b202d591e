"""Samplers: in which order a dataset's samples are drawn."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from msjax.dataset.dataloader import checks

_Index = TypeVar("_Index", covariant=True)


class Sampler(Generic[_Index]):
    """Base class of samplers: a subclass has `__iter__`, which gives indices, and `__len__` if it is known.

    Args:
        data_source (Dataset): what is sampled; without effect here.

    Examples:
        >>> from msjax.dataset.dataloader import DataLoader, Sampler
        >>> class Backwards(Sampler):
        ...     def __iter__(self):
        ...         return iter([2, 1, 0])
        >>> [int(x) for x in DataLoader([5, 6, 7], sampler=Backwards())]
        [7, 6, 5]
    """

    def __init__(self, data_source: Any = None) -> None:
        pass


class SequentialSampler(Sampler):
    """All indices, in order.

    Args:
        data_source (Dataset): what is sampled.

    Examples:
        >>> from msjax.dataset.dataloader import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        super().__init__(data_source)
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order, with or without repetition.

    Args:
        data_source (Dataset): what is sampled.
        replacement (bool): an index may come again before all others have come. Default: False.
        num_samples (int): how many are drawn; None for as many as there are. Default: None.
        generator (numpy.random.Generator): draws. Default: one that `numpy.random` seeds.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `num_samples` is not positive.

    Examples:
        >>> from msjax.dataset.dataloader import RandomSampler
        >>> sorted(RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__(data_source)
        owner = "RandomSampler"
        checks.check_type(owner, bool, replacement=replacement)
        checks.check_type(owner, int | None, num_samples=num_samples)
        checks.check_at_least(owner, 1, num_samples=num_samples)
        checks.check_type(owner, np.random.Generator | None, generator=generator)
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """Number of indices drawn per pass."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, wanted = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            seed = np.random.randint(0, np.iinfo(np.int64).max + 1, dtype=np.int64)  # noqa: NPY002
            generator = np.random.default_rng(seed)
        if self.replacement:  # in pieces of 32, so that a seed gives the numbers that it gives in MindSpore
            for start in range(0, wanted + 1, 32):
                yield from generator.integers(0, count, size=(min(32, wanted - start),)).tolist()
            return
        for start in range(0, wanted + 1, count):
            yield from generator.permutation(count).tolist()[: wanted - start]

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Batch sampler: lists of the indices of another sampler.

    Args:
        sampler (Union[Sampler, Iterable]): gives indices.
        batch_size (int): how many are in a list.
        drop_last (bool): leave out a last list that is shorter.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `batch_size` is not positive.

    Examples:
        >>> from msjax.dataset.dataloader import BatchSampler
        >>> list(BatchSampler(range(5), 2, False)), list(BatchSampler(range(5), 2, True))
        ([[0, 1], [2, 3], [4]], [[0, 1], [2, 3]])
    """

    def __init__(self, sampler: Sampler | Iterable, batch_size: int, drop_last: bool) -> None:
        super().__init__()
        checks.check_type("BatchSampler", int, batch_size=batch_size)
        checks.check_at_least("BatchSampler", 1, batch_size=batch_size)
        checks.check_type("BatchSampler", bool, drop_last=drop_last)
        self.sampler: Any = sampler
        self.batch_size, self.drop_last = batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class InfiniteSampler(Sampler):
    """Sampler of endless None, for iterable datasets."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)
