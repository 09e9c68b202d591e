"""Implementations of mathematical operators that MindSpore has in class form only."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_index_array, as_int64_tensor


@op
def compare_and_bitpack(x: Array, threshold: Array) -> Array:
    """Compare elements with a threshold and pack eight results (x > threshold) into a byte, the first in its highest bit.

    Args:
        x (Tensor): real or bool, the last axis of a size that 8 divides.
        threshold (Tensor): of one element and `x`'s dtype.

    Returns:
        Tensor of dtype uint8, the last axis an eighth as long.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if 8 does not divide the last axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.CompareAndBitpack()(ms.Tensor([1, 2, 3, 4, 5, 6, 7, 8]), ms.Tensor(6)))
        [3]
    """
    x, limit = as_array("CompareAndBitpack", "x", x), as_array("CompareAndBitpack", "threshold", threshold)
    checks.check_same_dtype("CompareAndBitpack", x=x, threshold=limit)
    if x.ndim == 0 or x.shape[-1] % 8:
        rule = "have a last axis of a size that 8 divides"
        checks.fail(ValueError, "CompareAndBitpack", "x", rule, f"array of shape {x.shape}")
    above = x if x.dtype == bool else x > limit.reshape(())
    return jnp.packbits(above, axis=-1)


@op
def equal_count(x: Array, y: Array) -> Array:
    """Count the equal elements of two arrays.

    Args:
        x (Tensor): first array.
        y (Tensor): second array, of the same shape and dtype.

    Returns:
        Tensor of shape (1,) and the same dtype.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the shapes do.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.EqualCount()(ms.Tensor([1, 2, 3]), ms.Tensor([1, 2, 4])))
        [2]
    """
    a, b = as_array("EqualCount", "x", x), as_array("EqualCount", "y", y)
    checks.check_same_dtype("EqualCount", x=a, y=b)
    checks.check_same_shape("EqualCount", x=a, y=b)
    return jnp.sum(a == b).astype(a.dtype).reshape(1)


@op(static="reverse")
def _nth_element(input: ArrayLike, n: ArrayLike, reverse: BoolLike) -> Array:
    x, rank = as_array("NthElement", "input", input), as_array("NthElement", "n", n)
    checks.check_integer("NthElement", n=rank)
    if x.ndim == 0:
        checks.fail(ValueError, "NthElement", "input", "have at least one dimension", "array of shape ()")
    return jnp.take(jnp.sort(x, -1, descending=reverse), rank.reshape(()), -1)


def nth_element(input: Any, n: Any, reverse: bool = False) -> Any:
    """Return the element of rank n along the last axis, if it were sorted.

    Args:
        input (Tensor): of at least one dimension, real.
        n (int, Tensor): rank, counted from 0.
        reverse (bool): the greatest has rank 0.

    Returns:
        Tensor without the last axis.

    Raises:
        TypeError: if `n` is not an integer.
        ValueError: if `input` has no dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.NthElement()(ms.Tensor([[3, 1, 2]]), 1))
        [2]
    """
    return _nth_element(input, as_int64_tensor(n), reverse)


@op(static="size")
def weighted_bincount(array: Array, size: Any, weights: Array) -> Array:
    """Count how often each number below `size` occurs, or sum the weights that belong to it.

    Args:
        array (Tensor): of integers; those below 0 or from `size` up do not count.
        size (int, Tensor): number of counts.
        weights (Tensor): of `as_array`'s shape; empty for ones.

    Returns:
        Tensor of shape (size,) and `weights`' dtype.

    Raises:
        TypeError: if `as_array` is not of integers.
        ValueError: if the shapes differ, or `size` is negative.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1, 2, 1])
        >>> print(ms.ops.Bincount()(x, ms.Tensor(3), ms.Tensor([1.0, 2.0, 3.0])))
        [0. 4. 2.]
    """
    x, count = as_index_array("Bincount", array=array), int(np.asarray(size).reshape(()))
    if count < 0:
        checks.fail(ValueError, "Bincount", "size", "be at least 0", count)
    w = jnp.asarray(weights)
    if w.size == 0 and x.size:
        w = jnp.ones(x.shape, w.dtype)
    checks.check_same_shape("Bincount", array=x, weights=w)
    inside = jnp.where((x >= 0) & (x < count), x, jnp.full_like(x, count))
    return jnp.zeros(count, w.dtype).at[inside].add(w, mode="drop")


def _find_bound(op_name: str, sorted_x: Any, values: Any, out_type: Any, side: str) -> Array:
    x, v = as_array(op_name, "sorted_x", sorted_x), as_array(op_name, "values", values)
    checks.check_rank(op_name, 2, sorted_x=x, values=v)
    checks.check_same_dtype(op_name, sorted_x=x, values=v)
    if x.shape[0] != v.shape[0]:
        checks.fail(ValueError, op_name, "values", f"have {x.shape[0]} rows", f"array of shape {v.shape}")
    places = jnp.sum(x[:, None, :] < v[..., None] if side == "left" else x[:, None, :] <= v[..., None], -1)
    return places.astype(dtypes.as_np(out_type))


@op(static="out_type")
def lower_bound(sorted_x: Array, values: Array, out_type: Any = dtypes.int32) -> Array:
    """Find the first insertion point in sorted rows by binary search, left of equal elements (`ops.LowerBound`).

    Args:
        sorted_x (Tensor): ascending rows, of shape (b, n).
        values (Tensor): of shape (b, m) and the same dtype.
        out_type (mindspore.dtype): int32 or int64.

    Returns:
        Tensor of shape (b, m).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.LowerBound()(ms.Tensor([[1, 3, 5]]), ms.Tensor([[3, 4]])))
        [[1 2]]
    """
    return _find_bound("LowerBound", sorted_x, values, out_type, "left")


@op(static="out_type")
@documented_by(lower_bound)
def upper_bound(sorted_x: Array, values: Array, out_type: Any = dtypes.int32) -> Array:
    """Find the last insertion point in sorted rows by binary search, right of equal elements (`ops.UpperBound`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.UpperBound()(ms.Tensor([[1, 3, 5]]), ms.Tensor([[3, 4]])))
        [[2 2]]
    """
    return _find_bound("UpperBound", sorted_x, values, out_type, "right")
