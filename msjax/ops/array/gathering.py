"""Gather operators: elements picked by index Tensors. Negative indices count from the end; others are clipped."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.index_parsing import along, coordinates
from msjax.ops.common.promotion import as_array, as_index_array


@op(static="axis batch_dims", bounds=along("input_indices", 1))
def gather(input_params: Array, input_indices: Array, axis: int, batch_dims: int = 0) -> Array:
    """Slices at given positions along an axis.

    Args:
        input_params (Tensor): what to pick from.
        input_indices (Tensor): positions, of an integer dtype and any shape.
        axis (int): axis that they count along.
        batch_dims (int): number of leading axes that both have: each row picks from its own row.

    Returns:
        Tensor of the shape of `input_params` with that of `input_indices` (less `batch_dims` axes) in place of `axis`.

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if the axis is out of range, or `batch_dims` is larger than it or than the positions' rank.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gather(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 0]), 1))
        [[3 1]
         [6 4]]
    """
    x = as_array("gather", "input_params", input_params)
    where = as_index_array("gather", input_indices=input_indices)
    one = checks.normalize_axis("gather", x.ndim, axis=axis)
    checks.check_ints("gather", batch_dims=batch_dims)
    if batch_dims < 0:
        batch_dims += where.ndim
    if not 0 <= batch_dims <= min(one, where.ndim):
        rule = f"be at most the axis ({one}) and the rank of the positions ({where.ndim})"
        checks.fail(ValueError, "gather", "batch_dims", rule, batch_dims)
    if x.shape[:batch_dims] != where.shape[:batch_dims]:
        rule = f"agree with `input_params` of shape {x.shape} in the first {batch_dims} axes"
        checks.fail(ValueError, "gather", "input_indices", rule, f"array of shape {where.shape}")

    def pick(row: Array, place: Array) -> Array:
        return row[(slice(None),) * (one - batch_dims) + (place,)]

    for _ in range(batch_dims):
        pick = jax.vmap(pick)
    return pick(x, where)


@op(static="dim", bounds=along("index", 1, axis="dim"))
def gather_elements(input: Array, dim: int, index: Array) -> Array:
    """Gather elements at positions along one axis, at their own place along all others.

    Args:
        input (Tensor): what to pick from.
        dim (int): axis that positions count along.
        index (Tensor): positions, of an integer dtype and `input`'s rank; no longer than it along the other axes.

    Returns:
        Tensor of `index`'s shape and `input`'s dtype.

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if ranks differ, `index` is longer, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gather_elements(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]
    """
    x, where, one = _index_arrays("gather_elements", input, dim, index)
    x = x[tuple(slice(None) if i == one else slice(n) for i, n in enumerate(where.shape))]
    return jnp.take_along_axis(x, where, one) if x.ndim else x


def _index_arrays(op_name: str, input: Any, dim: int, places: Any) -> tuple[Array, Array, int]:
    """Return an array, positions beside it and their axis."""
    x = as_array(op_name, "input", input)
    where = as_index_array(op_name, index=places)
    one = checks.normalize_axis(op_name, max(x.ndim, 1), dim=dim)
    if where.ndim != x.ndim:
        checks.fail(
            ValueError,
            op_name,
            "index",
            f"have {x.ndim} dimensions, like `input`",
            f"array of shape {where.shape}",
        )
    if any(a > b for i, (a, b) in enumerate(zip(where.shape, x.shape, strict=True)) if i != one):
        rule = f"be no longer than `input` of shape {x.shape} along axes other than {one}"
        checks.fail(ValueError, op_name, "index", rule, f"array of shape {where.shape}")
    return x, where, one


@op(bounds=coordinates("indices", 1))
def gather_nd(input_x: Array, indices: Array) -> Array:
    """Slices at positions along the first axes, one position for each of them in the last axis of `indices`.

    Args:
        input_x (Tensor): what to pick from.
        indices (Tensor): positions, of an integer dtype; its last axis is at most as long as `input_x` has axes.

    Returns:
        Tensor of shape indices.shape[:-1] + input_x.shape[indices.shape[-1]:].

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if the last axis of `indices` is too long.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gather_nd(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[0, 1], [1, 0]])))
        [2 3]
    """
    x = as_array("gather_nd", "input_x", input_x)
    places = places_nd("gather_nd", x, indices)
    if not places:  # each empty position picks all
        return jnp.broadcast_to(x, (*indices.shape[:-1], *x.shape))
    return x[places]


def places_nd(op_name: str, x: Array, indices: Any) -> tuple[Array, ...]:
    """Positions that stand together in the last axis, apart."""
    where = as_index_array(op_name, indices=indices)
    if where.ndim == 0 or where.shape[-1] > x.ndim:
        rule = f"have a last axis of at most {x.ndim}, the number of axes of the array"
        checks.fail(ValueError, op_name, "indices", rule, f"array of shape {where.shape}")
    return tuple(where[..., i] for i in range(where.shape[-1]))


@op(static="axis", bounds=along("index", 1))
def index_select(input: Array, axis: int, index: Array) -> Array:
    """Slices at given positions along an axis, in the order given.

    Args:
        input (Tensor): what to pick from.
        axis (int): axis that positions count along.
        index (Tensor): positions, of an integer dtype and one dimension.

    Returns:
        Tensor like `input`, with as many slices as positions along the axis.

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if `index` has more than one dimension, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.index_select(ms.Tensor([[1, 2], [3, 4]]), 0, ms.Tensor([1, 1])))
        [[3 4]
         [3 4]]
    """
    x = as_array("index_select", "input", input)
    where = _positions("index_select", index)
    one = checks.normalize_axis("index_select", x.ndim, axis=axis)
    return x[(slice(None),) * one + (where,)]


def _positions(op_name: str, places: Any) -> Array:
    where = as_index_array(op_name, index=places)
    if where.ndim > 1:
        checks.fail(ValueError, op_name, "index", "have one dimension", f"array of shape {where.shape}")
    return jnp.atleast_1d(where)


@op
def take(input: Array, index: Array) -> Array:
    """Elements at given positions of the flattened array.

    Args:
        input (Tensor): what to pick from.
        index (Tensor): positions, of an integer dtype and any shape.

    Returns:
        Tensor of `index`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.take(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([3, 0])))
        [4 1]
    """
    x = as_array("take", "input", input)
    return x.reshape(-1)[as_index_array("take", index=index)]


@op(static="axis mode")
def take_along(input: Array, indices: Array, axis: int | None = None, mode: str = "clip") -> Array:
    """Slices at given positions along an axis, or elements of the flattened array (`Tensor.take`).

    Args:
        input (Tensor): what to pick from.
        indices (Tensor): positions, of an integer dtype and any shape.
        axis (int, None): axis that they count along. Default: the flattened array.
        mode (str): what becomes of positions outside: "clip" moves them to the end, "wrap" around; "raise" is "clip"
            here, because values are not checked. Negative ones count from the back.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.Tensor([[1, 2], [3, 4]]).take(ms.Tensor([1]), 1))
        [[2]
         [4]]
    """
    x = as_array("take", "input", input)
    where = as_index_array("take", indices=indices)
    checks.check_choice("take", ("clip", "wrap", "raise"), mode=mode)
    if axis is None:
        x, axis = x.reshape(-1), 0
    one = checks.normalize_axis("take", x.ndim, axis=axis)
    if mode != "wrap" and jnp.issubdtype(where.dtype, jnp.signedinteger):
        where = jnp.where((where < 0) & (where >= -x.shape[one]), where + x.shape[one], where)
    return jnp.take(x, where, one, mode="wrap" if mode == "wrap" else "clip")
