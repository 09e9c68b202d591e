"""Samplers: the order in which a loader asks for samples."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from msjax.torch.functions import basic, served_from_mint
from msjax.torch.utils.data.datasets import shuffled

T = TypeVar("T", covariant=True)
_PIECE = 4096  # draws at once


class Sampler(Generic[T]):
    """Numbers of samples in an order: subclass, define `__iter__` and `__len__`."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """Sampler of all indices in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
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
        while (
            self.replacement and count > 0
        ):  # in pieces: programs ask for 10 ** 10 samples and stop long before
            draw = served_from_mint.find_function("randint")
            yield from draw(n, (min(count, _PIECE),), generator=self.generator).tolist()
            count -= _PIECE
        while count > 0:
            yield from shuffled(n, self.generator)[:count]
            count -= n

    @property
    def num_samples(self) -> int:
        """Return the number of samples of an epoch."""
        return len(self.data_source) if self._count is None else self._count

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Some numbers, in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        return (self.indices[i] for i in shuffled(len(self.indices), self.generator))

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
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


class BatchSampler(Sampler[list[int]]):
    """Lists of numbers that another sampler gives."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
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
