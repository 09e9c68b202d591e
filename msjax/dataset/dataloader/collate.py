"""Collate functions: samples into batches of Tensors, or single samples into Tensors."""

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor

_NO_NUMBERS = "SUO"


def default_convert(data: Any) -> Any:
    """Convert arrays and NumPy numbers in any nesting to Tensors: the default for loaders without batches.

    Args:
        data: a sample. Text, other objects and arrays of those remain as they are; tuples become lists.

    Returns:
        The nesting, with Tensors in it.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset.dataloader import default_convert
        >>> default_convert({"x": np.array([0, 1]), "name": "a"})
        {'x': Tensor(shape=[2], dtype=Int64, value= [0, 1]), 'name': 'a'}
    """
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.number | np.bool_):
        return Tensor(data)
    if isinstance(data, np.ndarray):
        return data if data.dtype.kind in _NO_NUMBERS else Tensor.from_numpy(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, Sequence):
        return _like_sequence(data, [default_convert(part) for part in data])
    return data


def default_collate(batch: list) -> Any:
    """Collate samples into a batch: elements at the same place are stacked along a new first dimension.

    Args:
        batch (list): samples of one structure: Tensors, arrays, numbers (float gives float64) and text in mappings and
            sequences. Text stays a list; tuples become lists.

    Returns:
        The structure, with Tensors in it.

    Raises:
        TypeError: if there is anything else in it.
        RuntimeError: if sequences differ in length.
        ValueError: if arrays differ in shape.

    Examples:
        >>> from msjax.dataset.dataloader import default_collate
        >>> default_collate([(0, "a"), (1, "b")])
        [Tensor(shape=[2], dtype=Int64, value= [0, 1]), ['a', 'b']]
    """
    first = batch[0]
    for kind, join in _JOINS:
        if isinstance(first, kind):
            return join(batch)
    if isinstance(first, Mapping):
        return _like_mapping(first, {key: default_collate([part[key] for part in batch]) for key in first})
    if isinstance(first, Sequence):
        if len({len(part) for part in batch}) > 1:
            raise RuntimeError(
                "`default_collate`: sequences in a batch must be of equal length. "
                f"Received lengths: {[len(part) for part in batch]}."
            )
        return _like_sequence(first, [default_collate(list(parts)) for parts in zip(*batch, strict=True)])
    raise TypeError(
        "`default_collate`: samples must be Tensors, arrays, numbers or text in mappings and sequences. "
        f"Received: {first!r} ({type(first).__name__}). Give the DataLoader a `collate_fn`."
    )


def _stack(batch: list) -> Tensor:
    kind = getattr(batch[0], "dtype", None)
    if isinstance(kind, np.dtype) and kind.kind in _NO_NUMBERS:
        raise TypeError(f"`default_collate`: arrays of dtype {kind} cannot become Tensors.")
    return Tensor(np.stack([np.asarray(part) for part in batch]))


_JOINS: tuple[tuple[Any, Callable[[list], Any]], ...] = (
    (Tensor | np.ndarray, _stack),
    (np.bool_ | np.number, Tensor),
    (float, lambda batch: Tensor(batch, dtype=dtypes.float64)),
    (int, Tensor),
    (str | bytes, list),
)


def _like_mapping(old: Mapping, items: dict) -> Any:
    """Return a mapping of the kind of another, with these values; a dict if none can be made."""
    try:
        if isinstance(old, MutableMapping):
            made = copy.copy(old)
            made.update(items)
            return made
        return type(old)(items)  # type: ignore[call-arg]
    except TypeError:
        return items


def _like_sequence(old: Sequence, parts: list) -> Any:
    """Return a sequence of the kind of another, with these elements; a list for a tuple, or if none can be made."""
    if isinstance(old, tuple):
        return type(old)(*parts) if hasattr(old, "_fields") else parts
    try:
        if not isinstance(old, MutableSequence):
            return type(old)(parts)  # type: ignore[call-arg]
        made = copy.copy(old)
        for place, part in enumerate(parts):
            made[place] = part
    except TypeError:
        return parts
    return made
