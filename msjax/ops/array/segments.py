"""Unsorted segment reductions: sum, product, minimum and maximum of slices grouped by segment id."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.array.scattered_products import multiply_at
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import ANY, within
from msjax.ops.common.promotion import as_array, as_index_array


def _reduce_segments(
    op_name: str, x: Any, segment_ids: Any, num_segments: int, way: str, start: Any
) -> Array:
    """Slices with one number put together; negative numbers are left out."""
    x, groups = as_array(op_name, "input_x", x), as_index_array(op_name, segment_ids=segment_ids)
    checks.check_ints(op_name, num_segments=num_segments)
    if groups.shape != x.shape[: groups.ndim]:
        rule = f"have the first axes of `input_x` of shape {x.shape}"
        checks.fail(ValueError, op_name, "segment_ids", rule, f"array of shape {groups.shape}")
    made = jnp.full((num_segments, *x.shape[groups.ndim :]), start, x.dtype)
    safe = jnp.where(groups < 0, jnp.full_like(groups, num_segments), groups)
    return multiply_at(made, safe, x) if way == "multiply" else getattr(made.at[safe], way)(x, mode="drop")


def _end(x: Array, largest: bool) -> Any:
    info = jnp.finfo(x.dtype) if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype)
    return info.max if largest else info.min


@op(static="num_segments", bounds=within("segment_ids", "num_segments", ANY))
def unsorted_segment_sum(input_x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Sums of the slices that have one number.

    Args:
        input_x (Tensor): slices along the first axes.
        segment_ids (Tensor): a number for each slice, of an integer dtype; negative ones are left out.
        num_segments (int): how many numbers there are.

    Returns:
        Tensor of shape (num_segments, ...).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.unsorted_segment_sum(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 0]), 2))
        [4. 2.]
    """
    return _reduce_segments("unsorted_segment_sum", input_x, segment_ids, num_segments, "add", 0)


@op(static="num_segments", bounds=within("segment_ids", "num_segments", ANY))
@documented_by(unsorted_segment_sum)
def unsorted_segment_max(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Largest elements of the slices that have one number; the least number of the dtype where there is none.

    Args:
        x (Tensor): slices along the first axes.
        segment_ids (Tensor): a number for each slice, of an integer dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.unsorted_segment_max(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 0]), 2))
        [3. 2.]
    """
    return _reduce_segments(
        "unsorted_segment_max", x, segment_ids, num_segments, "max", _end(x, largest=False)
    )


@op(static="num_segments", bounds=within("segment_ids", "num_segments", ANY))
@documented_by(unsorted_segment_max)
def unsorted_segment_min(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Smallest elements of the slices that have one number; the greatest number of the dtype where there is none.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.unsorted_segment_min(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 0]), 2))
        [1. 2.]
    """
    return _reduce_segments(
        "unsorted_segment_min", x, segment_ids, num_segments, "min", _end(x, largest=True)
    )


@op(static="num_segments", bounds=within("segment_ids", "num_segments", ANY))
@documented_by(unsorted_segment_max)
def unsorted_segment_prod(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Products of the slices that have one number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.unsorted_segment_prod(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, 1, 0]), 2))
        [3. 2.]
    """
    return _reduce_segments("unsorted_segment_prod", x, segment_ids, num_segments, "multiply", 1)
