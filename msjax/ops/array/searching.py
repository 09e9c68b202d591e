"""Searching: top_k, kthvalue, in-top-k, unique with padding, unravel_index; mostly operators in class form."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array import sorting
from msjax.ops.array.scattering_slices import unravel
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, as_index_array
from msjax.ops.math.casts import cast


def top_k(input_x: Any, k: int, sorted: bool = True) -> tuple[Any, Any]:  # noqa: A002
    """Return the k largest elements of the last axis, with int32 positions (`topk` gives int64 and takes an axis).

    Args:
        input_x (Tensor): of a real dtype.
        k (int): how many.
        sorted (bool): in falling order, which they are always.

    Returns:
        Two Tensors: elements and positions.

    Raises:
        TypeError: if `k` is not an int.
        ValueError: if it is larger than the axis.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.top_k(ms.Tensor([1.0, 3.0, 2.0]), 2))
        [3. 2.] [1 2]
    """
    values, places = sorting.topk(input_x, k, sorted=sorted)
    return values, cast(places, dtypes.int32)


@op
def _first_places(x: ArrayLike, pad_num: ArrayLike) -> tuple[Array, Array]:
    """Unique elements in the order of their first places, padded; and where each element went."""
    if x.ndim != 1:
        checks.fail(ValueError, "unique_with_pad", "x", "have one dimension", f"array of shape {x.shape}")
    places = jnp.arange(x.size)
    earliest = jnp.argmax(x[:, None] == x[None, :], 1) if x.size else places
    new = earliest == places
    rank = jnp.cumsum(new) - 1
    kind = x.dtype if jnp.issubdtype(x.dtype, jnp.integer) and x.dtype.itemsize == 8 else np.dtype(np.int32)
    made = jnp.full(x.shape, pad_num.astype(x.dtype)).at[jnp.where(new, rank, x.size)].set(x, mode="drop")
    return made, rank[earliest].astype(kind)


@op(static="k dim keepdim")
def kthvalue(input: Array, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    """Return the k-th smallest element along an axis, and where it is.

    Args:
        input (Tensor): of a real dtype.
        k (int): from 1.
        dim (int): the axis.
        keepdim (bool): keep it with size 1.

    Returns:
        Two Tensors: elements, and positions (int64).

    Raises:
        TypeError: if `k` is not an int.
        ValueError: if `k` or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.Tensor([3.0, 1.0, 2.0]).kthvalue(2))
        2.0 2
    """
    x = as_array("kthvalue", "input", input)
    checks.check_ints("kthvalue", k=k)
    one = checks.normalize_axis("kthvalue", max(x.ndim, 1), dim=dim)
    size = x.shape[one] if x.ndim else 1
    if not 1 <= k <= size:
        checks.fail(ValueError, "kthvalue", "k", f"be in [1, {size}]", k)
    if not x.ndim:
        return x, jnp.zeros((), np.int64)
    place = jnp.take(jnp.argsort(x, axis=one), jnp.asarray([k - 1]), axis=one)
    value = jnp.take_along_axis(x, place, one)
    if not keepdim:
        value, place = value.squeeze(one), place.squeeze(one)
    return value, place.astype(np.int64)


@op(static="k")
def intopk(x1: Array, x2: Array, k: int) -> Array:
    """Return True for each row whose target class is among its k largest elements; ties with the k-th count.

    Args:
        x1 (Tensor): a matrix of scores, floating.
        x2 (Tensor): the column for each row, int32 or int64.
        k (int): how many.

    Returns:
        Tensor of `x2`'s shape, bool. False where the column is out of range or the row is not finite.

    Raises:
        TypeError: if dtypes do not fit or `k` is not an int.
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.intopk(ms.Tensor([[0.1, 0.9], [0.8, 0.2]]), ms.Tensor([1, 1]), 1))
        [ True False]
    """
    x, column = as_array("intopk", "x1", x1), as_index_array("intopk", x2=x2)
    checks.check_floating("intopk", x1=x)
    checks.check_ints("intopk", k=k)
    if x.ndim != 2 or column.shape != x.shape[:1]:
        rule = f"have one column for each row of `x1`, an array of shape {x.shape}"
        checks.fail(ValueError, "intopk", "x2", rule, f"array of shape {column.shape}")
    inside = (column >= 0) & (column < x.shape[1])
    score = jnp.take_along_axis(x, jnp.where(inside, column, 0)[:, None], 1)
    return inside & jnp.all(jnp.isfinite(x), 1) & (jnp.sum(x > score, 1) < k)


def unique_with_pad(x: Any, pad_num: Any) -> tuple[Any, Any]:
    """Unique elements in the order in which they come, filled up to the length of the list.

    Args:
        x (Tensor): one-dimensional.
        pad_num (int, Tensor): what to fill up with.

    Returns:
        Two Tensors like `x`: unique elements, and which of them each element is (int64 if `x` is, else int32).

    Raises:
        ValueError: if `x` does not have one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.unique_with_pad(ms.Tensor([1, 2, 2, 3]), 0))
        [1 2 3 0] [0 1 1 2]
    """
    return _first_places(x, pad_num)


def unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    """Coordinates of elements that are counted in the flattened array (`UnravelIndex`).

    Args:
        indices (Tensor): positions, of an integer dtype.
        dims (Tensor): shape of the array.

    Returns:
        Tensor with a row for each axis: where the elements stand along it.

    Raises:
        ValueError: if a position is out of range, where values are known.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.UnravelIndex()(ms.Tensor([3, 5]), ms.Tensor([2, 3])))
        [[1 1]
         [0 2]]
    """
    if not any(isinstance(x.array, Tracer) for x in (indices, dims)):
        known = np.asarray(indices.array)
        if known.size and not (known.min() >= 0 and known.max() < np.prod(np.asarray(dims.array))):
            checks.fail(ValueError, "UnravelIndex", "indices", "count elements that there are", known)
    return unravel(indices, dims)


def sub_and_filter(input_x: Tensor, max_num: int, offset: int) -> tuple[Tensor, Tensor]:
    """Numbers less an offset, those in [0, max_num), and where they stand (`SubAndFilter`).

    Args:
        input_x (Tensor): one-dimensional, int32 or int64.
        max_num (int): end of the range.
        offset (int): what is subtracted.

    Returns:
        Two Tensors of `input_x`'s dtype: numbers and positions.

    Raises:
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.SubAndFilter()(ms.Tensor([1, 3, 5, 8, 2]), 9, 4))
        [1 4] [2 3]
    """
    moved = np.asarray(concrete(input_x, "SubAndFilter")) - offset
    places = np.flatnonzero((moved >= 0) & (moved < max_num))
    return Tensor(moved[places]), Tensor(places.astype(moved.dtype))


@op
def map_uniform(input: Array, per_group_size: ArrayOrNumber, group_num: ArrayOrNumber) -> Array:
    """x mod group_num times per_group_size, plus x div group_num: numbers dealt out to groups (`MapUniform`).

    Args:
        input (Tensor): int32 or int64.
        per_group_size (Tensor, int): size of a group.
        group_num (Tensor, int): number of groups.

    Returns:
        Tensor like `input`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.MapUniform()(ms.Tensor([0, 1, 2, 3, 4, 5, 6, 7]), 4, 2))
        [0 4 1 5 2 6 3 7]
    """
    x = as_index_array("MapUniform", input=input)
    groups = group_num.astype(x.dtype)
    return x % groups * per_group_size.astype(x.dtype) + x // groups


def accidental_hits(
    true_classes: Tensor, sampled_candidates: Tensor, num_true: int = 1
) -> tuple[Tensor, Tensor, Tensor]:
    """Find the sampled candidates that are true classes (`ComputeAccidentalHits`).

    Args:
        true_classes (Tensor): shape (batch, num_true), int32 or int64.
        sampled_candidates (Tensor): shape (samples,), of that dtype.
        num_true (int): number of true classes of each element.

    Returns:
        Three Tensors: the elements, the samples that hit them, and for each hit the lowest float32, to be added to a logit.

    Raises:
        TypeError: if dtypes do not fit.
        ValueError: if shapes do not fit.
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> hits = ms.ops.ComputeAccidentalHits()(ms.Tensor([[1], [2]]), ms.Tensor([2, 1, 5]))
        >>> print(*hits[:2])
        [0 1] [1 0]
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true or sampled_candidates.ndim != 1:
        rule = f"have shape (batch, {num_true}), with a list of candidates"
        checks.fail(ValueError, "ComputeAccidentalHits", "true_classes", rule, true_classes.shape)
    truth = np.asarray(concrete(true_classes, "ComputeAccidentalHits"))
    drawn = np.asarray(concrete(sampled_candidates, "ComputeAccidentalHits"))
    rows, _, samples = np.nonzero(truth[:, :, None] == drawn)
    weights = np.full(rows.size, np.finfo(np.float32).min, np.float32)
    return Tensor(rows.astype(np.int32)), Tensor(samples.astype(truth.dtype)), Tensor(weights)
