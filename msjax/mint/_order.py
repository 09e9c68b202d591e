"""Sorting and counting functions with int64 indices, as PyTorch returns them."""

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array import creation, nonzero_unique, sorting
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.casts import astype
from msjax.ops.reduction import cumulative, min_max
from msjax.ops.tensor_methods.overloads import copy as clone


def _as_int64(places: Any) -> Tensor:
    return astype(places, dtypes.int64)


def _single(name: str, dim: int) -> None:
    """A tensor without dimensions takes 0 and -1 for one."""
    checks.normalize_axis(name, 1, dim=dim)


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the smallest element, of all or along a dimension.

    Args:
        input (Tensor): of any shape and real dtype.
        dim (int, None): dimension to look along. Default: all elements.
        keepdim (bool): keep it with size 1.

    Returns:
        Tensor of dtype int64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.argmin(ms.Tensor([[3, 1], [0, 2]]), 1))
        [1 0]
    """
    return _as_int64(min_max.argmin(input, dim, keepdim))


def cummin(input: Any, dim: int) -> tuple[Tensor, Tensor]:
    """Return the smallest element so far along a dimension, and where it is.

    Args:
        input (Tensor): of any shape and real dtype.
        dim (int): the dimension.

    Returns:
        tuple of Tensors of `input`'s shape: values and places (int64).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.cummin(ms.Tensor([2, 3, 1]), 0))
        [2 2 1] [0 0 2]
    """
    values, places = cumulative.cummin(input, dim)
    return values, _as_int64(places)


@documented_by(cummin)
def sort(
    input: Any, *, dim: int = -1, descending: bool = False, stable: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the elements in order along a dimension, and where they come from.

    Args:
        descending (bool): the largest first.
        stable (bool): keep equal elements in their order; that is always done.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.sort(ms.Tensor([2, 3, 1])))
        [1 2 3] [2 0 1]
    """
    if not getattr(input, "ndim", 1):
        _single("sort", dim)
        return clone(input), creation.zeros((), dtype=dtypes.int64)
    values, places = sorting.sort(input, dim, descending)
    return values, _as_int64(places)


@documented_by(sort)
def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort the elements along a dimension.

    Returns:
        Tensor of `input`'s shape, int64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.argsort(ms.Tensor([2, 3, 1])))
        [2 0 1]
    """
    if not getattr(input, "ndim", 1):
        _single("argsort", dim)
        return creation.zeros((), dtype=dtypes.int64)
    return _as_int64(sorting.argsort(input, dim, descending))


def topk(
    input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the k largest or smallest elements along a dimension, and where they are.

    Args:
        input (Tensor): of any shape and real dtype.
        k (int): how many, of none to all.
        dim (int): the dimension.
        largest (bool): the largest, otherwise the smallest.
        sorted (bool): in order.

    Returns:
        tuple of Tensors: values and places (int64).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.topk(ms.Tensor([2, 3, 1]), 2))
        [3 2] [1 0]
    """
    if type(k) is int and k == 0:
        none = input.narrow(dim, 0, 0).copy()
        return none, creation.zeros(none.shape, dtypes.int64)
    values, places = sorting.topk(input, k, dim, largest, sorted)
    return values, _as_int64(places)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """Count how often each number occurs, or sum the weights that belong to it.

    Args:
        input (Tensor): of one dimension, integers of at least 0.
        weights (Tensor, None): of the same shape.
        minlength (int): least length of the result.

    Returns:
        Tensor of one dimension: int64; with float32 weights float32, with others float64.

    Raises:
        ValueError: if `input` holds a negative number, or shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.bincount(ms.Tensor([0, 2, 2])))
        [1 0 2]
    """
    narrow = isinstance(weights, Tensor) and weights.dtype == dtypes.float32
    kind = dtypes.int64 if weights is None else dtypes.float32 if narrow else dtypes.float64
    if isinstance(input, Tensor) and np.any(np.real(np.asarray(concrete(input, "bincount"))) < 0):
        checks.fail(ValueError, "bincount", "input", "hold numbers from 0 up", "a negative number")
    return nonzero_unique.count_numbers("bincount", input, weights, minlength, kind)
