"""Indices by PyTorch's rules, where they are not MindSpore's: bytes are masks, and some indices are refused."""

import warnings
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor import tensor as core
from msjax.torch.tensors.tensor import as_torch

_NUMBERS = (dtypes.int64, dtypes.int32, dtypes.bool_)
_NEITHER = "tensors used as indices must be long, int, byte or bool tensors"


def read_index(index: Any) -> Any:
    """Return an index with PyTorch's meaning.

    Args:
        index: what stands in brackets.

    Returns:
        The same, with masks of bools in place of tensors and arrays of uint8.

    Raises:
        ValueError: for a slice that goes backwards.
        IndexError: for numbers with a point, and for tensors of int8, int16, uint16 and other dtypes that count nothing.

    Examples:
        >>> from msjax import torch
        >>> torch.arange(3)[torch.tensor([True, False, True])]
        tensor([0, 2])
    """
    if type(index) is tuple:
        return tuple([_read_item(item) for item in index])
    return _read_item(index)


def numbers_first(index: tuple) -> tuple[tuple, tuple] | None:
    """Return an index in two steps, where numbers stand apart from tensors: PyTorch takes the numbers first.

    In NumPy they count as tensors, and the dimension of tensors that stand apart comes first in the result.

    Args:
        index: from :func:`read_index`.

    Returns:
        The index of numbers, and that of the others in what it gives; None if one step does the same.

    Examples:
        >>> from msjax.torch.functions import index_rules
        >>> index_rules.numbers_first((0, slice(1), [1, 2]))
        ((0, slice(None, None, None), slice(None, None, None)), (slice(None, 1, None), [1, 2]))
    """
    roles = "".join(map(_role, index))
    if "n" not in roles or "t" not in roles or " " not in roles.strip():
        return None
    first: list[Any] = []
    for item, role in zip(index, roles, strict=True):
        kept = role == "n" or item is Ellipsis
        first.extend([item] if kept else [slice(None)] * _count_dimensions(item))
    return tuple(first), tuple([item for item, role in zip(index, roles, strict=True) if role != "n"])


def _role(item: Any) -> str:
    """Return "n" for a number, "t" for what picks elements one by one, and a blank for others."""
    if item is None or item is Ellipsis or type(item) is slice:
        return " "
    if isinstance(item, core.Tensor):
        return "t" if item.ndim or item.dtype == dtypes.bool_ else "n"
    return "n" if isinstance(item, int | np.integer) and type(item) is not bool else "t"


def _count_dimensions(item: Any) -> int:
    """Return of how many dimensions an item of an index says something."""
    if item is None or type(item) is bool:
        return 0
    if type(item) is list:
        item = np.asarray(
            [each.item() if isinstance(each, core.Tensor) and not each.ndim else each for each in item]
        )
    if isinstance(item, slice) or item.dtype not in (dtypes.bool_, np.bool_):
        return 1
    return item.ndim


def picks_by_bool(index: Any) -> bool:
    """Return True if a bool is an item of an index: the result is then a copy, and no view."""
    return type(index) is bool or (type(index) is tuple and any(type(item) is bool for item in index))


def picks_by_tensor(index: Any, value: Any) -> bool:
    """Return True if an index has tensors or lists of numbers or masks in it, and elements are put there one by one.

    Args:
        index: from :func:`read_index`.
        value: what is put; one element is put by a mask alone as a number is.
    """
    if isinstance(index, core.Tensor) and index.dtype == dtypes.bool_ and index.ndim and not value.ndim:
        return False
    items = index if type(index) is tuple else (index,)
    return any(
        type(item) is list
        or (isinstance(item, core.Tensor | np.ndarray) and bool(item.ndim or item.dtype == dtypes.bool_))
        for item in items
    )


def _read_item(item: Any) -> Any:
    kind = type(item)
    if kind is int or item is None or item is Ellipsis:
        return item
    if kind is slice:
        if type(item.step) is int and item.step < 1:
            raise ValueError("step must be greater than zero" if item.step else "slice step cannot be zero")
        return item
    if isinstance(item, float):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {kind.__name__})"
        )
    if isinstance(item, core.Tensor):
        if item.dtype in _NUMBERS or (item.dtype != dtypes.uint8 and item.ndim == 0):
            return item
        if item.dtype != dtypes.uint8:
            raise IndexError(_NEITHER)
        _warn_of_bytes()
        return as_torch(item.astype(dtypes.bool_))
    if isinstance(item, np.ndarray) and item.dtype == np.uint8:
        _warn_of_bytes()
        return item.astype(bool)
    return [_read_item(each) for each in item] if kind is list else item


def _warn_of_bytes() -> None:
    warnings.warn(
        "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
        stacklevel=5,
    )
