"""Dataset base classes: map-style (indexed) and iterable-style."""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from msjax.core.tensor.tensor import Tensor

_Sample = TypeVar("_Sample", covariant=True)


class Dataset(Generic[_Sample]):
    """Base class of datasets whose samples are indexed: a subclass has `__getitem__`, and `__len__` if it knows its size.

    Examples:
        >>> from msjax.dataset.dataloader import DataLoader, Dataset
        >>> class Squares(Dataset):
        ...     def __getitem__(self, index):
        ...         return index**2
        ...
        ...     def __len__(self):
        ...         return 3
        >>> [batch.asnumpy().tolist() for batch in DataLoader(Squares(), batch_size=2)]
        [[0, 1], [4]]
    """

    def __init__(self) -> None:
        pass

    def __getitem__(self, index: Any) -> Any:
        """Return the sample at an index.

        Raises:
            NotImplementedError: if the subclass has none.
        """
        raise NotImplementedError(f"`{type(self).__name__}`: a Dataset must define `__getitem__`.")


class IterableDataset(Dataset[_Sample], Iterable[_Sample]):
    """Base class of datasets whose samples come one after the other: a subclass has `__iter__`.

    With several workers each of them iterates; `get_worker_info` tells which part is whose.

    Examples:
        >>> from msjax.dataset.dataloader import DataLoader, IterableDataset
        >>> class Three(IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(3))
        >>> [batch.asnumpy().tolist() for batch in DataLoader(Three(), batch_size=2)]
        [[0, 1], [2]]
    """

    def __iter__(self) -> Iterator[_Sample]:
        """Return an iterator over samples.

        Raises:
            NotImplementedError: if the subclass has none.
        """
        raise NotImplementedError(f"`{type(self).__name__}`: an IterableDataset must define `__iter__`.")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Dataset of Tensors of the same length: a sample is a tuple of one row of each.

    Args:
        tensors: of the same size in their first dimension.

    Raises:
        ValueError: if the sizes differ.

    Examples:
        >>> import msjax as ms
        >>> from msjax.dataset.dataloader import TensorDataset
        >>> data = TensorDataset(ms.Tensor([0, 1]), ms.Tensor([2, 3]))
        >>> len(data), data[1]
        (2, (Tensor(shape=[], dtype=Int64, value= 1), Tensor(shape=[], dtype=Int64, value= 3)))
    """

    def __init__(self, *tensors: Tensor) -> None:
        super().__init__()
        if len({tensor.shape[0] for tensor in tensors}) > 1:
            raise ValueError(
                "`TensorDataset`: all Tensors must have the same size in the first dimension. "
                f"Received shapes: {[tensor.shape for tensor in tensors]}."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]
