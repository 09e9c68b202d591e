"""Scatter of slices and diagonals: index_add, index_fill, slice_scatter ...; always a new array."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.ops.array.scattering import scatter_at
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_index_array


@op(static="offset")
def diagflat(input: Array, offset: int = 0) -> Array:
    """Return a square matrix with the elements of an array on a diagonal.

    Args:
        input (Tensor): of any shape and dtype.
        offset (int): which diagonal: above the main one if positive.

    Returns:
        Tensor of two dimensions.

    Raises:
        TypeError: if `offset` is not an int.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.diagflat(ms.Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """
    checks.check_ints("diagflat", offset=offset)
    return jnp.diag(as_array("diagflat", "input", input).reshape(-1), offset)


@op(static="offset dim1 dim2")
def diagonal_scatter(input: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """Return the array with a diagonal of two of its axes replaced.

    Args:
        input (Tensor): of at least two dimensions.
        src (Tensor): of the shape that `diagonal` gives; it is converted to `input`'s dtype.
        offset (int): which diagonal.
        dim1 (int): first axis.
        dim2 (int): second axis.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `offset` or an axis is not an int.
        ValueError: if `src` has another shape, or an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.diagonal_scatter(ms.ops.zeros((2, 2)), ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]
    """
    name = "diagonal_scatter"
    x, new = as_array(name, "input", input), as_array(name, "src", src)
    checks.check_ints(name, offset=offset)
    one, other = (
        checks.normalize_axis(name, x.ndim, dim1=dim1),
        checks.normalize_axis(name, x.ndim, dim2=dim2),
    )
    moved = jnp.moveaxis(x, (one, other), (-2, -1))
    wanted = jnp.diagonal(moved, offset, -2, -1).shape
    if new.shape != wanted:
        checks.fail(ValueError, name, "src", f"have shape {wanted}", f"array of shape {new.shape}")
    row = jnp.arange(wanted[-1]) + max(-offset, 0)
    changed = moved.at[..., row, row + offset].set(new.astype(x.dtype))
    return jnp.moveaxis(changed, (-2, -1), (one, other))


@op(static="axis start end step")
def slice_scatter(
    input: Array,
    src: Array,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Array:
    """Return the array with the slice start:end:step of an axis replaced.

    Args:
        input (Tensor): of any dtype.
        src (Tensor): of the slice's shape.
        axis (int): the axis.
        start (int, None): first position. Default: 0.
        end (int, None): where to stop. Default: the axis's size.
        step (int): step, positive.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if a position is not an int, or dtypes differ.
        ValueError: if `src` has another shape, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.slice_scatter(ms.ops.zeros((2, 2)), ms.ops.ones((2, 1)), 1, 1))
        [[0. 1.]
         [0. 1.]]
    """
    name = "slice_scatter"
    x, new = as_array(name, "input", input), as_array(name, "src", src)
    one = checks.normalize_axis(name, x.ndim, axis=axis)
    checks.check_ints(name, step=step, **{k: v for k, v in (("start", start), ("end", end)) if v is not None})
    checks.check_same_dtype(name, input=x, src=new)
    if step < 1:
        checks.fail(ValueError, name, "step", "be positive", step)
    where = (slice(None),) * one + (slice(start, end, step),)
    wanted = x[where].shape
    if new.shape != wanted:
        checks.fail(ValueError, name, "src", f"have shape {wanted}", f"array of shape {new.shape}")
    return x.at[where].set(new)


def _rows(name: str, x: Any, v: Any, indices: Any, reduction: str) -> Array:
    """Rows replaced or added to, at positions that are known."""
    x, new = as_array(name, "x", x), as_array(name, "v", v)
    where = (indices,) if isinstance(indices, int) else tuple(indices)
    if not all(type(i) is int for i in where):
        checks.fail(TypeError, name, "indices", "be an int or a tuple of ints", indices)
    checks.check_same_dtype(name, x=x, v=new)
    if new.shape != (len(where), *x.shape[1:]):
        rule = f"have shape {(len(where), *x.shape[1:])}"
        checks.fail(ValueError, name, "v", rule, f"array of shape {new.shape}")
    if any(not 0 <= i < x.shape[0] for i in where):
        checks.fail(ValueError, name, "indices", f"be in [0, {x.shape[0]})", indices)
    return scatter_at(x, jnp.asarray(where), new, reduction)


@op(static="indices")
def inplace_add(x: Array, v: Array, indices: Any) -> Array:
    """Return the array with something added to rows.

    Args:
        x (Tensor): of any dtype.
        v (Tensor): summands, a row for each position; of `x`'s dtype.
        indices (int, tuple[int]): positions along the first axis.

    Returns:
        Tensor like `x`; despite the name `x` does not change, as in MindSpore.

    Raises:
        TypeError: if dtypes differ or positions are not ints.
        ValueError: if shapes do not fit, or a position is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.inplace_add(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[5, 5]]), 1))
        [[1 2]
         [8 9]]
    """
    return _rows("inplace_add", x, v, indices, "add")


@op(static="indices")
def inplace_sub(x: Array, v: Array, indices: Any) -> Array:
    """Return the array with something taken off rows (see `inplace_add`).

    Args:
        x (Tensor): of any dtype.
        v (Tensor): subtrahends, a row for each position; of `x`'s dtype.
        indices (int, tuple[int]): positions along the first axis.

    Returns:
        Tensor like `x`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.inplace_sub(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[1, 1]]), 1))
        [[1 2]
         [2 3]]
    """
    return _rows("inplace_sub", x, v, indices, "sub")


@op(static="indices")
@documented_by(inplace_sub)
def inplace_update(x: Array, v: Array, indices: Any) -> Array:
    """Return the array with rows replaced (see `inplace_add`).

    Args:
        v (Tensor): rows, one for each position; of `x`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.inplace_update(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[5, 5]]), 1))
        [[1 2]
         [5 5]]
    """
    return _rows("inplace_update", x, v, indices, "none")


@op(static="accumulate")
def index_put(x1: Array, x2: Array, indices: Any, accumulate: int = 0) -> Array:
    """Return the array with elements replaced at positions along the first axes (`IndexPut`).

    Args:
        x1 (Tensor): of any dtype.
        x2 (Tensor): new elements, of `x1`'s dtype and a shape that broadcasts to that of what is picked.
        indices (list[Tensor], tuple[Tensor]): positions for each of the first axes, of an integer dtype.
        accumulate (int): 1 to add.

    Returns:
        Tensor like `x1`.

    Raises:
        TypeError: if dtypes do not fit.
        ValueError: if there are more positions than axes, or `accumulate` is not 0 or 1.

    Examples:
        >>> import msjax as ms
        >>> at = [ms.Tensor([0, 1]), ms.Tensor([1, 1])]
        >>> print(ms.ops.IndexPut()(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([5]), at))
        [[1 5]
         [3 5]]
    """
    x, new = as_array("IndexPut", "x1", x1), as_array("IndexPut", "x2", x2)
    checks.check_choice("IndexPut", (0, 1), accumulate=accumulate)
    checks.check_same_dtype("IndexPut", x1=x, x2=new)
    if len(indices) > x.ndim:
        checks.fail(ValueError, "IndexPut", "indices", f"hold at most {x.ndim} Tensors", len(indices))
    where = tuple(as_index_array("IndexPut", indices=i) for i in indices)
    return scatter_at(x, where, new, "add" if accumulate else "none")


@op(static="axis")
def scatter_add_along(input_x: ArrayLike, indices: ArrayLike, updates: ArrayLike, axis: int = 0) -> Array:
    """Return the array with something added: each update goes to its own place, but to a given one along an axis."""
    name = "ScatterAddWithAxis"
    x, where, new = (
        as_array(name, "input_x", input_x),
        as_index_array(name, indices=indices),
        as_array(name, "updates", updates),
    )
    one = checks.normalize_axis(name, x.ndim, axis=axis)
    checks.check_same_dtype(name, input_x=x, updates=new)
    if where.shape != new.shape or where.ndim != x.ndim:
        rule = f"have the shape {where.shape} of `indices`, which must have {x.ndim} dimensions"
        checks.fail(ValueError, name, "updates", rule, f"array of shape {new.shape}")
    places = [
        where if k == one else jnp.arange(n).reshape([-1 if i == k else 1 for i in range(x.ndim)])
        for k, n in enumerate(where.shape)
    ]
    return scatter_at(x, tuple(places), new, "add")


@op
def diag_part(input_x: Array) -> Array:
    """Return the diagonal of an array whose shape is one shape twice (`DiagPart`).

    Args:
        input_x (Tensor): of shape (n_1, ..., n_k, n_1, ..., n_k).

    Returns:
        Tensor of shape (n_1, ..., n_k).

    Raises:
        ValueError: if the shape is not such.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.DiagPart()(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    x = as_array("DiagPart", "input_x", input_x)
    half = x.shape[: x.ndim // 2]
    if not half or half + half != x.shape:
        checks.fail(ValueError, "DiagPart", "input_x", "have one shape twice", f"array of shape {x.shape}")
    size = x.size if not half else int(x.size**0.5)
    return jnp.diagonal(x.reshape(size, size)).reshape(half)


@op
def unravel(indices: ArrayLike, dims: ArrayLike) -> Array:
    """Coordinates of elements that are counted in the flattened array."""
    places, sizes = as_index_array("UnravelIndex", indices=indices), as_index_array("UnravelIndex", dims=dims)
    steps = jnp.concatenate([jnp.cumprod(sizes[::-1])[::-1][1:], jnp.ones(1, sizes.dtype)])
    return jnp.moveaxis((places[..., None].astype(sizes.dtype) // steps) % sizes, -1, 0)
