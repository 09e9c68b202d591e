"""Dataset helpers for users' training loops. Batches come from the host; a "sink" only sets the batches per epoch."""

from collections.abc import Callable, Iterator
from typing import Any

from msjax.core.jit.jit import jit


class DatasetHelper:
    """One epoch of a dataset at a time: iterating gives its batches as tuples of Tensors.

    Args:
        dataset: the dataset.
        dataset_sink_mode: count epochs by `sink_size`. Batches are given in any case; MindSpore's devices fetch them.
        sink_size: how many batches make an epoch, across the ends of the dataset; -1 for all of it.
        epoch_num: how many times the dataset will be gone through.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `sink_size` is neither -1 nor positive, or `epoch_num` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax import dataset
        >>> data = dataset.NumpySlicesDataset({"x": [1.0, 2.0, 3.0]}, shuffle=False).batch(2)
        >>> [x.shape for x, in ms.DatasetHelper(data, dataset_sink_mode=False)]
        [(2,), (1,)]
    """

    def __init__(
        self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ) -> None:
        if not hasattr(dataset, "create_tuple_iterator"):
            raise TypeError(
                f"`DatasetHelper`: argument `dataset` must be a dataset. Received: {type(dataset).__name__}."
            )
        if not isinstance(dataset_sink_mode, bool):
            raise TypeError(
                f"`DatasetHelper`: argument `dataset_sink_mode` must be a bool. Received: {dataset_sink_mode!r}."
            )
        for name, value in (("sink_size", sink_size), ("epoch_num", epoch_num)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"`DatasetHelper`: argument `{name}` must be an int. Received: {value!r}.")
        if sink_size < -1 or sink_size == 0 or epoch_num < 1:
            raise ValueError(
                "`DatasetHelper`: sink_size must be -1 or positive, epoch_num positive. "
                f"Received: {sink_size}, {epoch_num}."
            )
        self._dataset = dataset
        self._sinks = dataset_sink_mode
        self._size = sink_size
        self._going: Iterator[tuple] | None = None

    def __iter__(self) -> Iterator[tuple]:
        if not self._sinks or self._size == -1:
            yield from map(tuple, self._dataset.create_tuple_iterator(num_epochs=1))
            return
        if self._going is None:
            self._going = _forever(self._dataset)
        for _ in range(self._size):
            yield next(self._going)

    def sink_size(self) -> int:
        """Return the number of batches of an epoch."""
        if self._sinks and self._size > 0:
            return self._size
        return self._dataset.get_dataset_size()

    def types_shapes(self) -> tuple[list, list]:
        """Return the dtypes and the shapes of the parts of a batch."""
        return self._dataset.output_types(), self._dataset.output_shapes()

    def get_data_info(self) -> tuple[list, list]:
        """Return the dtypes and the shapes of the parts of a batch."""
        return self.types_shapes()

    def continue_send(self) -> None:
        """Go on; batches are made when they are asked for."""

    def stop_send(self) -> None:
        """Reset: the next epoch begins with the first batch."""
        self._going = None

    release = stop_send


def _forever(dataset: Any) -> Iterator[tuple]:
    while True:
        count = 0
        for batch in dataset.create_tuple_iterator(num_epochs=1):
            count += 1
            yield tuple(batch)
        if not count:
            raise ValueError("`data_sink`: the dataset must have a batch. Received: an empty one.")


def connect_network_with_dataset(network: Any, dataset_helper: DatasetHelper) -> Any:
    """Return the network for batches of a dataset: itself, to be called with them.

    Args:
        network (Cell): the network.
        dataset_helper (DatasetHelper): in sink mode.

    Raises:
        RuntimeError: if that is not in sink mode.

    Examples:
        >>> import msjax as ms
        >>> from msjax import dataset
        >>> helper = ms.DatasetHelper(dataset.NumpySlicesDataset({"x": [1.0, 2.0]}).batch(2))
        >>> net = ms.connect_network_with_dataset(ms.nn.ReLU(), helper)
        >>> [net(*batch).shape for batch in helper]
        [(2,)]
    """
    if not isinstance(dataset_helper, DatasetHelper):
        raise TypeError(
            "`connect_network_with_dataset`: argument `dataset_helper` must be a DatasetHelper. "
            f"Received: {type(dataset_helper).__name__}."
        )
    if not dataset_helper._sinks:
        raise RuntimeError(
            "`connect_network_with_dataset`: the DatasetHelper must be in sink mode. Received: dataset_sink_mode=False."
        )
    return network


def data_sink(
    fn: Callable, dataset: Any, sink_size: int = 1, jit_config: Any = None, input_signature: Any = None
) -> Callable[[], Any]:
    """Return a function without arguments that calls `fn` with the next batches of a dataset, endlessly.

    Args:
        fn: takes the parts of a batch.
        dataset: the dataset.
        sink_size: with how many batches one call goes on.
        jit_config (JitConfig): compile `fn`. Default: as it is.
        input_signature (Tensor, tuple): with `jit_config`, the shapes and dtypes of the batches.

    Returns:
        A function that gives what `fn` gave for the last of these batches.

    Raises:
        ValueError: if `sink_size` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax import dataset
        >>> data = dataset.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
        >>> step = ms.data_sink(lambda x, y: x + y, data)
        >>> [int(step()) for _ in range(3)]
        [4, 6, 4]
    """
    if isinstance(sink_size, bool) or not isinstance(sink_size, int) or sink_size < 1:
        raise ValueError(
            f"`data_sink`: argument `sink_size` must be a positive int. Received: {sink_size!r}."
        )
    if jit_config is not None:
        fn = jit(fn, jit_config=jit_config, input_signature=input_signature)
    batches = _forever(dataset)

    def step() -> Any:
        found = None
        for _ in range(sink_size):
            found = fn(*next(batches))
        return found

    return step
