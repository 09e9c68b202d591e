"""Sorting along an axis: sort, argsort, topk, searchsorted. Equal elements keep their order; nan counts as largest."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, promote

_PLACE = np.dtype(np.int32)


def _sortable(op_name: str, x: Any, **named: Any) -> tuple[Array, int]:
    x = as_array(op_name, "input_x", x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        checks.fail(TypeError, op_name, "input_x", "be of a real dtype", f"array of dtype {x.dtype}")
    if x.ndim == 0:
        checks.fail(ValueError, op_name, "input_x", "have at least one dimension", "array of shape ()")
    return x, checks.normalize_axis(op_name, x.ndim, **named)


def _order(x: Array, axis: int, descending: bool) -> Array:
    return jnp.argsort(x, axis, stable=True, descending=descending).astype(_PLACE)


@op(static="axis descending")
def sort(input_x: Array, axis: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """Elements in ascending order along an axis, and where they were.

    Args:
        input_x (Tensor): of at least one dimension and a real dtype.
        axis (int): axis to sort along.
        descending (bool): largest first.

    Returns:
        Tensor of the sorted elements, and Tensor of their former positions (int32).

    Raises:
        TypeError: if `axis` is not an int or `descending` not a bool.
        ValueError: if the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.sort(ms.Tensor([3.0, 1.0, 2.0])))
        [1. 2. 3.] [1 2 0]
    """
    checks.check_bools("sort", descending=descending)
    x, one = _sortable("sort", input_x, axis=axis)
    order = _order(x, one, descending)
    return jnp.take_along_axis(x, order, one), order


@op(static="axis descending")
def argsort(input: Array, axis: int = -1, descending: bool = False) -> Array:
    """Positions that would put an axis in ascending order.

    Args:
        input (Tensor): of at least one dimension and a real dtype.
        axis (int): axis to sort along.
        descending (bool): largest first.

    Returns:
        Tensor of `input`'s shape, int32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.argsort(ms.Tensor([3.0, 1.0, 2.0])))
        [1 2 0]
    """
    checks.check_bools("argsort", descending=descending)
    return _order(*_sortable("argsort", input, axis=axis), descending)


@op
def msort(input: Array) -> Array:
    """Elements in ascending order along the first axis.

    Args:
        input (Tensor): of at least one dimension and a real dtype.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.msort(ms.Tensor([[3, 1], [2, 4]])))
        [[2 1]
         [3 4]]
    """
    return sort.pure(input, 0)[0]


@op(static="k dim largest sorted")
def topk(
    input: Array, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Array, Array]:
    """Return the k largest elements along an axis, largest first, and where they are.

    Args:
        input (Tensor): of at least one dimension and a real dtype.
        k (int): how many.
        dim (int, None): axis to look along. Default: the last.
        largest (bool): False for the smallest, smallest first.
        sorted (bool): accepted; the result is always sorted.

    Returns:
        Tensor of the values, and Tensor of their positions (int32).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `k` is not in (0, size of the axis].

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.topk(ms.Tensor([3.0, 1.0, 2.0]), 2))
        [3. 2.] [0 2]
    """
    checks.check_bools("topk", largest=largest, sorted=sorted)
    checks.check_ints("topk", k=k)
    x, one = _sortable("topk", input, dim=-1 if dim is None else dim)
    if not 0 < k <= x.shape[one]:
        checks.fail(ValueError, "topk", "k", f"be in (0, {x.shape[one]}]", k)
    if largest and one == x.ndim - 1 and x.dtype != bool:
        values, order = lax.top_k(x, k)
        return values, order.astype(_PLACE)
    order = lax.slice_in_dim(_order(x, one, largest), 0, k, axis=one)
    return jnp.take_along_axis(x, order, one), order


@op(static="out_int32 right side", promotes=True)
def searchsorted(
    sorted_sequence: Array,
    values: Array,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Array | None = None,
) -> Array:
    """Find the insertion points that keep sorted sequences sorted (binary search).

    Args:
        sorted_sequence (Tensor): ascending along the last axis.
        values (Tensor): of the same leading axes; any shape if the sequence has one dimension.
        out_int32 (bool): positions as int32. Default: int64.
        right (bool): behind equal elements instead of before.
        side (str, None): "left" or "right", the same as `right`.
        sorter (Tensor, None): positions that sort the sequence, if it is not sorted.

    Returns:
        Tensor of `values`' shape.

    Raises:
        ValueError: if `side` is unknown or contradicts `right`, or shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.searchsorted(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.5, 2.0])))
        [1 1]
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        rule = "be 'left' or 'right', and 'right' if `right` is set"
        checks.fail(ValueError, "searchsorted", "side", rule, repr(side))
    at = "right" if right or side == "right" else "left"
    kind = dtypes.as_np(dtypes.int32 if out_int32 else dtypes.int64)
    sequence, sought = promote("searchsorted", sorted_sequence=sorted_sequence, values=values)
    if sorter is not None:
        sequence = jnp.take_along_axis(sequence, jnp.asarray(sorter), -1)
    if sequence.ndim == 1:
        return jnp.searchsorted(sequence, sought, at).astype(kind)
    if sequence.shape[:-1] != sought.shape[:-1]:
        rule = f"agree with `sorted_sequence` of shape {sequence.shape} but for the last axis"
        checks.fail(ValueError, "searchsorted", "values", rule, f"array of shape {sought.shape}")
    rows, lines = sequence.reshape(-1, sequence.shape[-1]), sought.reshape(-1, sought.shape[-1])
    found = [jnp.searchsorted(a, v, at) for a, v in zip(rows, lines, strict=True)]
    return jnp.stack(found).reshape(sought.shape).astype(kind)
