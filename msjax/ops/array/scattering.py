"""Scatter operators: elements replaced or reduced at index Tensors; always a new array.

Positions outside of the array are left out. Where several updates share an index, sums and products take all, `max` and
`min` the extreme one; which one remains of several plain updates is not defined.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.core import Tracer

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.gathering import places_nd
from msjax.ops.array.scattered_products import multiply_at
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import along, coordinates, refuse_few, within
from msjax.ops.common.promotion import as_array, as_index_array, as_shape, promote_and_broadcast

_REDUCTIONS = {
    "none": "set",
    "add": "add",
    "sub": "add",
    "mul": "",  # see `put`
    "div": "",
    "max": "max",
    "min": "min",
}


def scatter_at(x: Array, where: Any, updates: Array, reduction: str) -> Array:
    """Return the array with updates applied at positions, in the way that `reduction` names."""
    updates = -updates if reduction == "sub" else updates
    if reduction == "div" and jnp.issubdtype(x.dtype, jnp.integer):
        whole = jnp.result_type(x.dtype, jnp.int64)
        divisors = jnp.ones(x.shape, whole).at[where].multiply(updates.astype(whole))
        return jax.lax.div(x.astype(whole), divisors).astype(x.dtype)
    if reduction == "div":
        return x / multiply_at(jnp.ones_like(x), where, updates)
    if reduction == "mul":
        return multiply_at(x, where, updates)
    return getattr(x.at[where], _REDUCTIONS[reduction])(updates)


def _scatter_slices(op_name: str, input_x: Any, indices: Any, updates: Any, reduction: str) -> Array:
    """Updates of slices, at positions that stand together in the last axis of `indices`."""
    x = as_array(op_name, "input_x", input_x)
    new = as_array(op_name, "updates", updates)
    checks.check_same_dtype(op_name, input_x=x, updates=new)
    where = places_nd(op_name, x, indices)
    wanted = jnp.shape(indices)[:-1] + x.shape[len(where) :]
    if new.shape != wanted:
        checks.fail(ValueError, op_name, "updates", f"have shape {wanted}", f"array of shape {new.shape}")
    return scatter_at(x, where, new, reduction)


@op(bounds=coordinates("indices", 1))
def tensor_scatter_update(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with slices replaced.

    Args:
        input_x (Tensor): of any dtype and at least one dimension.
        indices (Tensor): positions along the first axes, together in the last axis; of an integer dtype.
        updates (Tensor): of shape indices.shape[:-1] + input_x.shape[indices.shape[-1]:] and `input_x`'s dtype.

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Raises:
        TypeError: if dtypes do not fit.
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x, at = ms.ops.zeros((2, 2)), ms.Tensor([[0, 1], [1, 0]])
        >>> print(ms.ops.tensor_scatter_update(x, at, ms.Tensor([1.0, 2.0])))
        [[0. 1.]
         [2. 0.]]
    """
    return _scatter_slices("tensor_scatter_update", input_x, indices, updates, "none")


@op(bounds=coordinates("indices", 1))
def tensor_scatter_add(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with something added to slices (see `tensor_scatter_update`).

    Args:
        input_x (Tensor): of any dtype and at least one dimension.
        indices (Tensor): positions along the first axes, together in the last axis.
        updates (Tensor): summands.

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tensor_scatter_add(ms.ops.ones(3), ms.Tensor([[1], [1]]), ms.Tensor([2.0, 3.0])))
        [1. 6. 1.]
    """
    return _scatter_slices("tensor_scatter_add", input_x, indices, updates, "add")


@op(bounds=coordinates("indices", 1))
@documented_by(tensor_scatter_add)
def tensor_scatter_sub(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with something taken off slices (see `tensor_scatter_update`).

    Args:
        updates (Tensor): subtrahends.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tensor_scatter_sub(ms.ops.ones(3), ms.Tensor([[1], [1]]), ms.Tensor([2.0, 3.0])))
        [ 1. -4.  1.]
    """
    return _scatter_slices("tensor_scatter_sub", input_x, indices, updates, "sub")


@op(bounds=coordinates("indices", 1))
@documented_by(tensor_scatter_add)
def tensor_scatter_mul(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with slices multiplied (see `tensor_scatter_update`).

    Args:
        updates (Tensor): factors.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tensor_scatter_mul(ms.ops.ones(3), ms.Tensor([[1], [1]]), ms.Tensor([2.0, 3.0])))
        [1. 6. 1.]
    """
    return _scatter_slices("tensor_scatter_mul", input_x, indices, updates, "mul")


@op(bounds=coordinates("indices", 1))
@documented_by(tensor_scatter_add)
def tensor_scatter_div(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with slices divided (see `tensor_scatter_update`).

    Args:
        updates (Tensor): divisors.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tensor_scatter_div(ms.ops.ones(3), ms.Tensor([[1], [1]]), ms.Tensor([2.0, 4.0])))
        [1.    0.125 1.   ]
    """
    return _scatter_slices("tensor_scatter_div", input_x, indices, updates, "div")


@op(bounds=coordinates("indices", 1))
@documented_by(tensor_scatter_add)
def tensor_scatter_max(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with slices replaced where the update is larger (see `tensor_scatter_update`).

    Args:
        updates (Tensor): what to compare with.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tensor_scatter_max(ms.ops.ones(3), ms.Tensor([[1], [2]]), ms.Tensor([2.0, 0.0])))
        [1. 2. 1.]
    """
    return _scatter_slices("tensor_scatter_max", input_x, indices, updates, "max")


@op(bounds=coordinates("indices", 1))
@documented_by(tensor_scatter_max)
def tensor_scatter_min(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return the array with slices replaced where the update is smaller (see `tensor_scatter_update`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tensor_scatter_min(ms.ops.ones(3), ms.Tensor([[1], [2]]), ms.Tensor([2.0, 0.0])))
        [1. 1. 0.]
    """
    return _scatter_slices("tensor_scatter_min", input_x, indices, updates, "min")


@op(static="shape", bounds=within("indices", "shape", 0))
def scatter_nd(indices: Array, updates: Array, shape: Any) -> Array:
    """Return an array of zeros with something added at positions.

    Args:
        indices (Tensor): positions along the first axes, together in the last axis; of an integer dtype.
        updates (Tensor): of shape indices.shape[:-1] + shape[indices.shape[-1]:].
        shape (tuple[int]): of the result.

    Returns:
        Tensor of `updates`' dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.scatter_nd(ms.Tensor([[0], [2]]), ms.Tensor([1.0, 2.0]), (4,)))
        [1. 0. 2. 0.]
    """
    new = as_array("scatter_nd", "updates", updates)
    added = new.astype(jnp.int32) if new.dtype == bool else new
    zeros = jnp.zeros(as_shape("scatter_nd", shape=shape), added.dtype)
    return _scatter_slices("scatter_nd", zeros, indices, added, "add").astype(new.dtype)


@op(static="axis reduction", bounds=along("indices", 1))
def tensor_scatter_elements(
    input_x: Array, indices: Array, updates: Array, axis: int = 0, reduction: str = "none"
) -> Array:
    """Return the array with elements replaced: each update goes to its own place, but to `indices` along one axis.

    Args:
        input_x (Tensor): of any dtype.
        indices (Tensor): positions, of an integer dtype and `input_x`'s rank.
        updates (Tensor): of `indices`' shape and `input_x`'s dtype, or a number.
        axis (int): axis that positions count along.
        reduction (str): "none" replaces, "add", "mul", "max", "min" combine with what is there.

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Raises:
        ValueError: if shapes do not fit, the axis is out of range, or `reduction` is unknown.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.zeros((2, 3))
        >>> print(ms.ops.tensor_scatter_elements(x, ms.Tensor([[0, 2]]), ms.Tensor([[5.0, 6.0]]), 1))
        [[5. 0. 6.]
         [0. 0. 0.]]
    """
    op_name = "tensor_scatter_elements"
    checks.check_choice(op_name, tuple(_REDUCTIONS), reduction=reduction)
    x, new = as_array(op_name, "input_x", input_x), as_array(op_name, "updates", updates)
    if new.ndim:
        checks.check_same_dtype(op_name, input_x=x, updates=new)
    places = as_index_array(op_name, indices=indices)
    one = checks.normalize_axis(op_name, max(x.ndim, 1), axis=axis)
    if places.ndim != x.ndim:
        checks.fail(
            ValueError, op_name, "indices", f"have {x.ndim} dimensions", f"array of shape {places.shape}"
        )
    if new.ndim and new.shape != places.shape:
        if any(a < b for a, b in zip(new.shape, places.shape, strict=False)) or new.ndim != places.ndim:
            checks.fail(
                ValueError, op_name, "updates", f"have shape {places.shape}", f"array of shape {new.shape}"
            )
        new = new[tuple(slice(n) for n in places.shape)]
    if x.ndim == 0:
        return scatter_at(x, (), new.astype(x.dtype), reduction)
    where = [jax.lax.broadcasted_iota(places.dtype, places.shape, i) for i in range(x.ndim)]
    where[one] = places
    return scatter_at(x, tuple(where), jnp.broadcast_to(new.astype(x.dtype), places.shape), reduction)


@op(static="axis", bounds=along("index", 1))
def scatter(input: Array, axis: int, index: Array, src: ArrayOrNumber) -> Array:
    """Return the array with elements replaced (see `tensor_scatter_elements`).

    Args:
        input (Tensor): of any dtype.
        axis (int): axis that positions count along.
        index (Tensor): positions, of an integer dtype and `input`'s rank.
        src (Tensor, number): new elements, of `index`'s shape.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.scatter(ms.ops.zeros((1, 3)), 1, ms.Tensor([[2]]), ms.Tensor([[7.0]])))
        [[0. 0. 7.]]
    """
    return tensor_scatter_elements.pure(input, index, src, axis)


@op(static="axis", bounds=along("index", 1, low=0))
@documented_by(scatter)
def scatter_add_elements(input: Array, axis: int, index: Array, src: Array) -> Array:
    """Return the array with something added to elements: `Tensor.scatter_add(dim, index, src)`.

    Args:
        src (Tensor): summands, of `index`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ones((1, 3)).scatter_add(1, ms.Tensor([[2, 2]]), ms.Tensor([[7.0, 1.0]])))
        [[1. 1. 9.]]
    """
    return tensor_scatter_elements.pure(input, index, src, axis, "add")


# ---------------------------------------------------------------------- along one axis


def _along(op_name: str, x: Any, axis: int, index_: Any) -> tuple[Array, tuple[Any, ...], int]:
    x = as_array(op_name, "input", x)
    one = checks.normalize_axis(op_name, x.ndim, axis=axis)
    where = jnp.atleast_1d(as_index_array(op_name, index=index_))
    if where.ndim > 1:
        checks.fail(
            ValueError, op_name, "index", "have at most one dimension", f"array of shape {where.shape}"
        )
    return x, (slice(None),) * one + (where,), one


@op(static="axis reduction", bounds=along("indices", 1, asks="index_add"))
def indexed(
    x: Array, indices: Array, y: Array, axis: int, alpha: ArrayLike | None = None, reduction: str = "add"
) -> Array:
    """Slices along an axis with something added, or replaced: what `index_add` and `index_copy` compute.

    Args:
        x (Tensor): of any dtype.
        indices (Tensor): positions along the axis, one-dimensional.
        y (Tensor): of `x`'s shape, but with as many slices as positions along the axis.
        axis (int): axis that positions count along.
        alpha (number, None): factor of `y`.
        reduction (str): "add" or "none".

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        ValueError: if shapes do not fit.
    """
    x, where, one = _along("index_add", x, axis, indices)
    new = as_array("index_add", "y", y)
    wanted = x.shape[:one] + where[-1].shape + x.shape[one + 1 :]
    if new.shape != wanted:
        checks.fail(ValueError, "index_add", "y", f"have shape {wanted}", f"array of shape {new.shape}")
    new = new if alpha is None else new * jnp.asarray(alpha).astype(new.dtype)
    return scatter_at(x, where, new.astype(x.dtype), reduction)


@op(static="axis", bounds=along("index", 1))
def index_fill(x: Array, axis: int, index: Array, value: ArrayOrNumber) -> Array:
    """Slices along an axis filled with one number.

    Args:
        x (Tensor): of any dtype.
        axis (int): axis that positions count along. Under `vmap`, a Tensor with an axis for each element, too.
        index (Tensor): positions, of an integer dtype and at most one dimension.
        value (Tensor, number): one number.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.index_fill(ms.ops.zeros((2, 2)), 1, ms.Tensor([0]), 3.0))
        [[3. 0.]
         [3. 0.]]
    """
    x, where, _ = _along("index_fill", x, axis, index)
    new = as_array("index_fill", "value", value)
    if new.ndim:
        checks.fail(ValueError, "index_fill", "value", "be one number", f"array of shape {new.shape}")
    return scatter_at(x, where, new.astype(x.dtype), "none")


@op
def _fill_dynamic(x: Array, axis: Array, index: Array, value: ArrayOrNumber) -> Array:
    """`index_fill` along an axis that only the program knows."""
    found = x
    for one in range(x.ndim):
        here = (axis == one) | (axis == one - x.ndim)
        found = jnp.where(here, index_fill.pure(x, one, index, value), found)
    return found


def _along_any_axis(dispatch: Callable[[tuple, tuple], Any]) -> Callable[[tuple, tuple], Any]:
    """The calls of `index_fill` whose axis is a Tensor that `vmap` maps."""

    def fill(arrays: tuple, statics: tuple) -> Any:
        (axis,) = statics
        if isinstance(axis, Tensor) and isinstance(peek(axis), Tracer):
            x, index, value = arrays
            return _fill_dynamic(x, axis, index, value)
        return dispatch(arrays, statics)

    return fill


_names = index_fill.fast_path.namespace  # type: ignore[attr-defined]
_names["_dispatch"] = _along_any_axis(_names["_dispatch"])


@op(static="axis index")
@documented_by(scatter)
def select_scatter(input: Array, src: Array, axis: int, index: int) -> Array:
    """Return the array with one slice along an axis replaced.

    Args:
        src (Tensor): the slice.
        axis (int): axis that the position counts along.
        index (int): the position.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.select_scatter(ms.ops.zeros((2, 2)), ms.Tensor([1.0, 2.0]), 0, 1))
        [[0. 0.]
         [1. 2.]]
    """
    x, new = as_array("select_scatter", "input", input), as_array("select_scatter", "src", src)
    one = checks.normalize_axis("select_scatter", x.ndim, axis=axis)
    place = checks.normalize_axis("select_scatter", x.shape[one], index=index)
    wanted = x.shape[:one] + x.shape[one + 1 :]
    if new.shape != wanted:
        checks.fail(
            ValueError, "select_scatter", "src", f"have shape {wanted}", f"array of shape {new.shape}"
        )
    return x.at[(slice(None),) * one + (place,)].set(new.astype(x.dtype))


# ---------------------------------------------------------------------- by masks


@op(promotes=True)
def masked_fill(input_x: Array, mask: Array, value: ArrayOrNumber) -> Array:
    """Elementwise value where the mask is true, the array elsewhere.

    Args:
        input_x (Tensor): of any shape and dtype.
        mask (Tensor): bool, of a shape that broadcasts with `input_x`.
        value (Tensor, number): one number; it is converted to `input_x`'s dtype.

    Returns:
        Tensor of the broadcast shape and `input_x`'s dtype.

    Raises:
        TypeError: if the mask is not bool.
        ValueError: if shapes do not broadcast, or `value` is more than one number.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, -2.0])
        >>> print(ms.ops.masked_fill(x, x < 0, 0.0))
        [1. 0.]
    """
    x, m = as_array("masked_fill", "input_x", input_x), as_array("masked_fill", "mask", mask)
    new = as_array("masked_fill", "value", value)
    if m.dtype != bool:
        checks.fail(TypeError, "masked_fill", "mask", "be of dtype bool", f"array of dtype {m.dtype}")
    if new.ndim:
        checks.fail(ValueError, "masked_fill", "value", "be one number", f"array of shape {new.shape}")
    promote_and_broadcast("masked_fill", input_x=x.astype(bool), mask=m)
    return jnp.where(m, new.astype(x.dtype), x)


@op(static="wrap")
def fill_diagonal(input: Array, fill_value: ArrayLike, wrap: bool = False) -> Array:
    """Return the main diagonal filled with one number (`Tensor.fill_diagonal`).

    Args:
        input (Tensor): of two dimensions, or of several of one size.
        fill_value (number): the number.
        wrap (bool): begin again below the square at the top of a high matrix, leaving out one row.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `input` has less than two dimensions, or more of different sizes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.zeros((2, 2)).fill_diagonal(3.0))
        [[3. 0.]
         [0. 3.]]
    """
    x = as_array("fill_diagonal", "input", input)
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        rule = "have two dimensions, or several of one size"
        checks.fail(ValueError, "fill_diagonal", "input", rule, f"array of shape {x.shape}")
    step = sum(math.prod(x.shape[i + 1 :]) for i in range(x.ndim))
    end = x.size if wrap or x.ndim > 2 else min(x.size, x.shape[1] ** 2)
    value = jnp.asarray(fill_value).astype(x.dtype)
    return x.reshape(-1).at[:end:step].set(value).reshape(x.shape)


def _refuse_few(op_name: str, input: Array, mask: Array, source: Array, **_: Any) -> None:
    """Refuse fewer new elements than the mask picks, for `@op(bounds=...)`."""
    if mask.dtype == bool and jnp.broadcast_shapes(mask.shape, input.shape) == input.shape:
        repeated = math.prod(input.shape) // max(math.prod(mask.shape), 1)
        refuse_few(op_name, "source", source.size, mask, repeated)


@op(promotes=True, bounds=_refuse_few)
@documented_by(scatter)
def masked_scatter(input: Array, mask: Array, source: Array) -> Array:
    """Replace the elements where the mask is true by the elements of `source`, in order.

    Args:
        mask (Tensor): bool, of a shape that broadcasts to `input`'s.
        source (Tensor): of `input`'s dtype, with at least as many elements as the mask picks.

    Raises:
        TypeError: if the mask is not bool or dtypes differ.
        ValueError: if `source` has too few elements.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, 2.0, 3.0])
        >>> print(x.masked_scatter(ms.Tensor([True, False, True]), ms.Tensor([8.0, 9.0])))
        [8. 2. 9.]
    """
    x, m, new = (
        as_array("masked_scatter", n, v) for n, v in (("input", input), ("mask", mask), ("source", source))
    )
    if m.dtype != bool:
        checks.fail(TypeError, "masked_scatter", "mask", "be of dtype bool", f"array of dtype {m.dtype}")
    checks.check_same_dtype("masked_scatter", input=x, source=new)
    promote_and_broadcast("masked_scatter", input=x.astype(bool), mask=m)
    m = jnp.broadcast_to(m, x.shape)
    place = jnp.cumsum(m.reshape(-1), dtype=jnp.int32).reshape(x.shape) - 1
    return jnp.where(m, new.reshape(-1)[jnp.maximum(place, 0)], x)
