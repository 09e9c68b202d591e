"""Segment reductions of gathered rows: `SparseSegmentSum`, `SparseSegmentMean`, `SparseSegmentSqrtN`."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.common import checks
from msjax.ops.common.name_table import make_class


@op(static="n power")
def reduced(x: Array, indices: Array, segment_ids: Array, n: int, power: float) -> Array:
    """Return the sums of picked rows by segment, divided by a power of how many there are.

    Args:
        x (Tensor): rows.
        indices (Tensor): which rows, an integer dtype.
        segment_ids (Tensor): the segment of each.
        n (int): number of segments.
        power (float): 0 for sums, 1 for means, 0.5 for sums over square roots.

    Returns:
        Tensor of `n` rows; 0 where a segment has none.
    """
    sums = jnp.zeros((n, *x.shape[1:]), x.dtype).at[segment_ids].add(x[indices])
    if not power:
        return sums
    counts = jnp.maximum(jnp.bincount(segment_ids, length=n), 1).astype(sums.dtype) ** power
    return sums / counts.reshape(-1, *[1] * (x.ndim - 1))


def _segments(
    name: str, power: float, contiguous: bool, x: Tensor, indices: Tensor, segment_ids: Tensor, n: Any
) -> Tensor:
    at, ids = np.asarray(concrete(indices, name)), np.asarray(concrete(segment_ids, name))
    if at.shape != ids.shape or at.ndim != 1:
        rule = "have the shape (n,) of `segment_ids`"
        checks.fail(ValueError, name, "indices", rule, f"{at.shape} with segment ids of {ids.shape}")
    if at.size and not (at.min() >= 0 and at.max() < x.shape[0]):
        checks.fail(ValueError, name, "indices", f"lie in [0, {x.shape[0]})", at.tolist())
    steps = np.diff(ids)
    if (steps < 0).any() or (contiguous and ids.size and (ids[0] != 0 or (steps > 1).any())):
        rule = "rise from 0 in steps of 1" if contiguous else "not fall"
        checks.fail(ValueError, name, "segment_ids", rule, ids.tolist())
    size = (
        (int(ids[-1]) + 1 if ids.size else 0)
        if n is None
        else int(np.asarray(concrete(n, name)).reshape(-1)[0])
    )
    if n is not None and ids.size and ids[-1] >= size:
        checks.fail(ValueError, name, "num_segments", f"be greater than the last segment, {ids[-1]}", size)
    return reduced(x, indices, segment_ids, size, power)


def _define_reduction(name: str, power: float, contiguous: bool = True) -> type:
    def segments(x: Any, indices: Any, segment_ids: Any) -> Tensor:
        return _segments(name, power, contiguous, x, indices, segment_ids, None)

    return make_class(name, segments, module=__name__)


def _define_sized_reduction(name: str, power: float) -> type:
    def segments(x: Any, indices: Any, segment_ids: Any, num_segments: Any) -> Tensor:
        return _segments(name, power, False, x, indices, segment_ids, num_segments)

    return make_class(name, segments, module=__name__)


SparseSegmentSum = _define_reduction("SparseSegmentSum", 0)
SparseSegmentMean = _define_reduction("SparseSegmentMean", 1, contiguous=False)
SparseSegmentSqrtN = _define_reduction("SparseSegmentSqrtN", 0.5)
SparseSegmentSumWithNumSegments = _define_sized_reduction("SparseSegmentSumWithNumSegments", 0)
SparseSegmentMeanWithNumSegments = _define_sized_reduction("SparseSegmentMeanWithNumSegments", 1)
SparseSegmentSqrtNWithNumSegments = _define_sized_reduction("SparseSegmentSqrtNWithNumSegments", 0.5)
