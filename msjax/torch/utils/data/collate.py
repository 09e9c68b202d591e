"""Batches of samples: tuples and dicts element by element."""

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from msjax.torch.functions import basic
from msjax.torch.tensors.tensor import Tensor


def _rebuilt(like: Any, parts: Any) -> Any:
    """Return the parts in a container of the same class; in a plain one if it cannot be made."""
    plain = dict(parts) if isinstance(like, Mapping) else list(parts)
    try:
        if isinstance(like, MutableMapping):
            twin = copy.copy(like)
            twin.update(plain)
            return twin
        if isinstance(like, MutableSequence):
            twin = copy.copy(like)
            twin[:] = plain
            return twin
        return type(like)(plain)  # type: ignore[call-arg]
    except TypeError:
        return plain


def default_convert(data: Any) -> Any:
    """Arrays as tensors, inside of lists, tuples and dicts too, and other things as they are."""
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else basic.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuilt(data, {name: default_convert(value) for name, value in data.items()})
    if isinstance(data, tuple):
        parts = [default_convert(each) for each in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    if isinstance(data, Sequence):
        return _rebuilt(data, [default_convert(each) for each in data])
    return data


def collate(batch: Any, *, collate_fn_map: Mapping[type | tuple[type, ...], Callable] | None = None) -> Any:
    """Join samples, those of some classes by functions of one's own.

    Args:
        batch: the samples.
        collate_fn_map: from classes to functions of the samples and `collate_fn_map`.

    Raises:
        TypeError: for samples of other classes.
        RuntimeError: if they differ in length or shape.
    """
    first, known = batch[0], collate_fn_map or {}
    for kind, function in known.items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=known)
    join = lambda samples: collate(samples, collate_fn_map=known)  # noqa: E731
    if isinstance(first, Mapping):
        return _rebuilt(first, {name: join([sample[name] for sample in batch]) for name in first})
    if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = list(zip(*batch, strict=True))
        if isinstance(first, tuple):
            parts = [join(samples) for samples in columns]
            return type(first)(*parts) if hasattr(first, "_fields") else parts
        return _rebuilt(first, [join(samples) for samples in columns])
    raise _refusal(type(first))


def _refusal(kind: Any) -> TypeError:
    return TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}"
    )


def stack_tensors(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Return tensors along a new first dimension."""
    return basic.stack(list(batch))


def _arrays(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    if batch[0].dtype.kind in "SUO":
        raise _refusal(batch[0].dtype)
    try:
        return basic.as_tensor(np.stack(batch))
    except ValueError:
        return basic.stack([basic.as_tensor(each) for each in batch])  # raises in PyTorch's words


def _floats(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    return basic.tensor(np.asarray(batch, np.float64))


def _integers(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    return basic.tensor(list(batch))


def _texts(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return batch


default_collate_fn_map: dict[type | tuple[type, ...], Callable] = {
    Tensor: stack_tensors,
    (np.ndarray, np.generic): _arrays,
    float: _floats,
    int: _integers,
    str: _texts,
    bytes: _texts,
}


def default_collate(batch: Any) -> Any:
    """Samples joined along a new first dimension, tuples and dicts element by element.

    Args:
        batch: the samples: tensors, arrays, numbers, texts, and sequences and mappings of those.

    Raises:
        TypeError: for samples of other classes.
        RuntimeError: if they differ in length or shape.

    Examples:
        >>> from msjax.torch.utils.data import default_collate
        >>> default_collate([{"x": 1, "y": (0.5, "a")}, {"x": 2, "y": (1.5, "b")}])
        {'x': tensor([1, 2]), 'y': [tensor([0.5000, 1.5000], dtype=torch.float64), ('a', 'b')]}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
