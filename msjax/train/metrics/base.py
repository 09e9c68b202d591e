"""Base class of metrics."""

import functools
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from msjax.core.tensor.tensor import Tensor


def rearrange_inputs(func: Callable) -> Callable:
    """Decorate the `update` of a metric: it gets those of its inputs, in that order, that `set_indexes` chose.

    Args:
        func: the method.

    Examples:
        >>> from msjax.train import Metric, rearrange_inputs
        >>> class Difference(Metric):
        ...     def clear(self):
        ...         self.total = 0
        ...
        ...     @rearrange_inputs
        ...     def update(self, *inputs):
        ...         self.total += inputs[0] - inputs[1]
        ...
        ...     def eval(self):
        ...         return self.total
        >>> metric = Difference().set_indexes([2, 0])
        >>> metric.clear()
        >>> metric.update(1, 10, 100)
        >>> metric.eval()
        99
    """

    @functools.wraps(func)
    def update(self: Any, *inputs: Any) -> Any:
        chosen = self.indexes
        if not chosen:
            return func(self, *inputs)
        if max(chosen) >= len(inputs):
            raise IndexError(
                f"`{type(self).__name__}.update`: the indexes {chosen} need more inputs. Received: {len(inputs)} inputs."
            )
        return func(self, *[inputs[i] for i in chosen])

    return update


class Metric(metaclass=ABCMeta):
    """Base of metrics: `clear` begins, `update` takes the outputs of a batch, `eval` gives the result.

    Examples:
        >>> from msjax.train import MAE
        >>> metric = MAE()
        >>> metric.update([1.0, 2.0], [1.0, 4.0])
        >>> metric.eval()
        1.0
    """

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    @property
    def indexes(self) -> list[int] | None:
        """Indices of the inputs that `update` takes; None for all."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes: Sequence[int]) -> Self:
        """Choose the inputs that `update` uses, and their order.

        Args:
            indexes: list of their positions.

        Raises:
            ValueError: if it is not a list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError(
                f"`{type(self).__name__}`: For 'set_indexes', the argument 'indexes' must be a list and all its elements "
                f"must be int, please check whether it is correct. Received: {indexes!r}."
            )
        self._indexes = indexes
        return self

    def __call__(self, *inputs: Any) -> Any:
        """Return the result over one batch; what was seen before is forgotten."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self) -> None:
        """Reset the metric."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the result over all batches since the last reset."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Add the outputs of a batch."""

    def _convert_data(self, data: Any) -> np.ndarray:
        """Return an input as an array."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, list):
            return np.array(data)
        if isinstance(data, np.ndarray):
            return data
        raise TypeError(
            f"`{type(self).__name__}.update`: inputs must be Tensors, lists or arrays. Received: {type(data).__name__}."
        )

    def _inputs(self, inputs: Sequence[Any], count: int) -> list[np.ndarray]:
        """Check the number of inputs and return them as arrays."""
        if len(inputs) != count:
            raise ValueError(f"`{type(self).__name__}.update` needs {count} inputs. Received: {len(inputs)}.")
        return [self._convert_data(data) for data in inputs]

    def _require_updates(self, count: Any) -> None:
        """Raise RuntimeError if nothing was given to `update`."""
        if not np.any(count):
            raise RuntimeError(f"`{type(self).__name__}.eval`: call `update` first. Received: no samples.")
