"""Sorted segment reductions in class form: `SegmentSum`, `SegmentMean`, `SegmentProd`, `SegmentMin`, `SegmentMax`.

How many groups there are depends on the numbers, so these run eagerly only; the slices are differentiable all the same.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array import segments
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, as_index_array

_WHOLE = (dtypes.int32, dtypes.int64)


def _groups(op_name: str, segment_ids: Any, length: int) -> int:
    """Return the number of segments; raise if the segment ids are not ascending or are negative."""
    if not isinstance(segment_ids, Tensor) or segment_ids.dtype not in _WHOLE:
        checks.fail(TypeError, op_name, "segment_ids", "be a Tensor of an integer dtype", segment_ids)
    numbers = np.asarray(concrete(segment_ids, op_name))
    if numbers.shape != (length,):
        checks.fail(ValueError, op_name, "segment_ids", f"have shape {(length,)}", numbers.shape)
    if numbers.size and (numbers[0] < 0 or (np.diff(numbers) < 0).any()):
        checks.fail(ValueError, op_name, "segment_ids", "rise, from 0 or more", numbers)
    return int(numbers[-1]) + 1 if numbers.size else 0


@op(static="op_name num_segments")
def _reduce_sorted(input_x: ArrayLike, segment_ids: ArrayLike, op_name: str, num_segments: int) -> Array:
    """Reduce sorted segments like the unsorted operator, with 0 for empty segments (1 for products)."""
    x, groups = as_array(op_name, "input_x", input_x), as_index_array(op_name, segment_ids=segment_ids)
    way = op_name.removeprefix("Segment").lower()
    if way == "mean":
        total = segments.unsorted_segment_sum.pure(x, groups, num_segments)
        times = jnp.zeros(num_segments, x.dtype).at[groups].add(jnp.ones((), x.dtype))
        times = jnp.maximum(times.real, 1).reshape(-1, *[1] * (x.ndim - 1)).astype(x.dtype)
        return (total / times).astype(x.dtype)
    found = getattr(segments, f"unsorted_segment_{way}").pure(x, groups, num_segments)
    if way in ("sum", "prod"):
        return found
    held = jnp.zeros(num_segments, bool).at[groups].set(True).reshape(-1, *[1] * (x.ndim - 1))
    return jnp.where(held, found, jnp.zeros_like(found))


def _segment(name: str, what: str, empty: int) -> Callable:
    def segment(input_x: Tensor, segment_ids: Tensor) -> Tensor:
        if not isinstance(input_x, Tensor) or not input_x.ndim:
            checks.fail(ValueError, name, "input_x", "be a Tensor of one dimension or more", input_x)
        return _reduce_sorted(input_x, segment_ids, name, _groups(name, segment_ids, input_x.shape[0]))

    segment.__name__ = segment.__qualname__ = name
    segment.__doc__ = f"""{what} of the slices that have one number (`{name}`); {empty} where there is none.

    Args:
        input_x (Tensor): slices along the first axis, of any number dtype.
        segment_ids (Tensor): a number for each slice, rising from 0 or more; int32 or int64.

    Returns:
        Tensor with a slice for each number.

    Raises:
        TypeError: if the numbers are no integers.
        ValueError: if they do not rise, or there are not as many as slices.
        RuntimeError: inside a compiled function, where numbers are not known.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.{name}()(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 0, 2])).shape
        (3,)
    """
    return segment


segment_sum = _segment("SegmentSum", "Sums", 0)
segment_prod = _segment("SegmentProd", "Products", 1)
segment_mean = _segment("SegmentMean", "Means", 0)
segment_max = _segment("SegmentMax", "Largest elements", 0)
segment_min = _segment("SegmentMin", "Smallest elements", 0)


def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """Means of picked slices that have one number; 0 where there is none.

    Args:
        x (Tensor): slices along the first axis, floating.
        indices (Tensor): which slices to take, int32 or int64.
        segment_ids (Tensor): a number for each of them, rising from 0 or more, of that dtype.

    Returns:
        Tensor with a slice for each number.

    Raises:
        TypeError: if dtypes do not fit.
        ValueError: if numbers do not rise, or there are not as many as slices.
        RuntimeError: inside a compiled function, where numbers are not known.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0], [3.0], [5.0]])
        >>> print(ms.ops.sparse_segment_mean(x, ms.Tensor([0, 2]), ms.Tensor([0, 0])))
        [[3.]]
    """
    for name, places in (("indices", indices), ("segment_ids", segment_ids)):
        if not isinstance(places, Tensor) or places.dtype not in _WHOLE:
            checks.fail(TypeError, "sparse_segment_mean", name, "be a Tensor of an integer dtype", places)
    groups = _groups("sparse_segment_mean", segment_ids, indices.size)
    return _picked_mean(x, indices, segment_ids, groups)


@op(static="num_segments")
def _picked_mean(x: ArrayLike, indices: ArrayLike, segment_ids: ArrayLike, num_segments: int) -> Array:
    checks.check_floating("sparse_segment_mean", x=x)
    return _reduce_sorted.pure(x[indices], segment_ids, "SegmentMean", num_segments)
