"""Indexing: `x[index]` and `x[index] = value` with NumPy's meaning, for every kind of index.

Ints, slices, None and `...` alone are *basic*: the result is a view. Anything with lists, Tensors or masks in it is
*advanced*: the result is a copy. What decides shapes is static (how many, which step, where None stands); where a slice
starts and which elements a Tensor picks are values, so that a loop over `x[i]` compiles one program.

A list that holds more than numbers counts as a tuple: `x[[0, None]]` is `x[0, None]`, as in MindSpore.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op, viewer
from msjax.core.op.scalar_promotion import constant
from msjax.core.state import state
from msjax.core.tensor.box import peek
from msjax.core.tensor.scalar_inputs import Number
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.core.xla import compiler_options
from msjax.ops.common.index_parsing import (
    FULL,
    Plan,
    check_index_bounds,
    dtype_of,
    expand_ellipsis,
    is_array,
    is_mask,
    normalize_index,
    plan_basic_index,
)

_FEW = 64
_NEW = "new"  # in the structure of an advanced index: a bool, which picks from an axis of length one put before it


# ---------------------------------------------------------------------- basic indices


def _pick(block: Array, plan: Plan) -> Array:
    """Pick the result from the block between the lowest and the highest picked elements."""
    if any(abs(s) > 1 for s in plan.steps):
        block = lax.slice(block, [0] * block.ndim, block.shape, [abs(s) for s in plan.steps])
    back = [i for i, s in enumerate(plan.steps) if s < 0]
    block = lax.rev(block, back) if back else block
    return block.reshape(plan.shape) if 0 not in plan.shape else jnp.zeros(plan.shape, block.dtype)


def _put_back(block: Array, value: Array, plan: Plan) -> Array:
    """Return the block with the picked elements replaced."""
    counts = [-(-span // abs(step)) for span, step in zip(plan.spans, plan.steps, strict=True)]
    if 0 in plan.shape:
        return block
    value = value.reshape(counts)
    back = [i for i, s in enumerate(plan.steps) if s < 0]
    value = lax.rev(value, back) if back else value
    if all(abs(s) == 1 for s in plan.steps):
        return value
    return block.at[tuple(slice(None, None, abs(s)) for s in plan.steps)].set(value)


def _write_static(base: Array, changed: Array, *, plan: Plan) -> Array:
    low, high = plan.low or (), [a + n for a, n in zip(plan.low or (), plan.spans, strict=True)]
    block = _put_back(lax.slice(base, low, high), changed, plan)
    return block if block.shape == base.shape else lax.dynamic_update_slice(base, block, low)


@op(static="plan", view=_write_static)
def sliced(input: ArrayLike, plan: Plan) -> Array:
    """Return the elements that a basic index picks, at places that are known when the program is made."""
    low, high = plan.low or (), [a + n for a, n in zip(plan.low or (), plan.spans, strict=True)]
    return _pick(lax.slice(input, low, high), plan)


def _write_dynamic(base: Array, changed: Array, low: Array, *, plan: Plan) -> Array:
    starts = list(low)
    block = _put_back(lax.dynamic_slice(base, starts, plan.spans), changed, plan)
    return lax.dynamic_update_slice(base, block, starts)


@op(static="plan", view=_write_dynamic)
def sliced_at(input: ArrayLike, low: ArrayLike, plan: Plan) -> Array:
    """Return the elements that a basic index picks, from a lowest position that is a value."""
    block = lax.dynamic_slice(input, list(low), plan.spans, allow_negative_indices=False)
    return _pick(block, plan)


@op(static="plan")
def with_slice(input: ArrayLike, value: ArrayLike, plan: Plan) -> Array:
    """Return the array with what a basic index picks replaced, at places that are known when the program is made."""
    return _write_static(input, _fit_value(value, plan.shape, input.dtype), plan=plan)


@op(static="plan")
def with_slice_at(input: ArrayLike, value: ArrayLike, low: ArrayLike, plan: Plan) -> Array:
    """Return the array with what a basic index picks replaced, from a lowest position that is a value."""
    return _write_dynamic(input, _fit_value(value, plan.shape, input.dtype), low, plan=plan)


def _fit_value(value: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return a value to be written, in the shape and dtype of what it replaces."""
    value = jnp.asarray(value)
    if 0 in shape:
        return jnp.zeros(shape, dtype)
    given = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    try:
        return jnp.broadcast_to(_real_part(value, dtype).astype(dtype), shape)
    except ValueError:
        raise ValueError(
            f"`setitem`: the value must have a shape that broadcasts to {tuple(shape)}, that of what it replaces. "
            f"Received: array of shape {given}."
        ) from None


def _real_part(value: Array, dtype: np.dtype) -> Array:
    both = jnp.issubdtype(value.dtype, jnp.complexfloating), jnp.issubdtype(dtype, jnp.complexfloating)
    return value.real if both == (True, False) else value


@functools.lru_cache(4096)
def _device_positions(positions: Any) -> Any:
    """Positions on the device, kept for the next time."""
    with jax.ensure_compile_time_eval():
        return jax.device_put(np.asarray(positions, np.int32))


def _place_positions(positions: np.ndarray) -> Any:
    """Positions from a list: on the device if they are few, because copying them takes longer than indexing."""
    if state.frame is not None or positions.size > _FEW or positions.ndim > 1 or not positions.size:
        return positions
    return _device_positions(tuple(positions.tolist()) if positions.ndim else positions.item())


def _plans(items: Sequence[Any], shape: tuple[int, ...]) -> tuple[Plan, Plan | None]:
    """The plan of a basic index, and one for a start that is a value, where it is worth to have that: if it can vary."""
    plan = plan_basic_index(items, shape)
    return plan, None if plan.spans == shape or not shape else replace(plan, low=None)


@functools.lru_cache(4096)
def _plans_of(key: Any, shape: tuple[int, ...]) -> tuple[Plan, Plan | None]:
    """Return the same for what `_basic_key` gave, kept for the next time."""
    items = [slice(*item[1:]) if type(item) is tuple else item for item in key]
    return _plans(expand_ellipsis(tuple(items), shape), shape)


def _parse_basic(index: Any, shape: tuple[int, ...]) -> tuple[tuple[Plan, Plan | None] | None, list[Any]]:
    """Return the plans of a basic index; or None, and the items of an advanced one."""
    if not shape and type(index) is int:
        raise TypeError(f"`getitem`: a Tensor without axes has no elements to count. Received: {index}.")
    key = _basic_key(index)
    if key is not None:
        return _plans_of(key, shape), []
    items = expand_ellipsis(index, shape)
    return (None, items) if any(map(is_array, items)) else (_plans(items, shape), items)


# What eager `x[1]` and `x[1:4]` of Tensors that are no views are: (index, shape) -> that view of one.
_short: dict[tuple, Callable[[Tensor], Tensor]] = {}
_MOST_SHORT = 4096
_BOUNDS = frozenset({int, type(None)})


def _short_key(input: Any, index: Any) -> tuple | None:
    """Return the key of an int or a slice of ints, where nothing but the index and the shape matters."""
    if not state.plain or input._node is not None or input._view is not None or input._home is not None:
        return None
    kind = type(index)
    if kind is int:
        return index, input._value.shape
    if kind is slice:
        start, stop, step = index.start, index.stop, index.step
        if type(start) in _BOUNDS and type(stop) in _BOUNDS and type(step) in _BOUNDS:
            return start, stop, step, input._value.shape
    return None


def _repeat_view(result: Tensor) -> Callable[[Tensor], Tensor]:
    """Return a function that makes the same view of another Tensor, without parsing the index again."""
    lens: Any = result._view.lens  # type: ignore[union-attr]
    call, low = lens.program.run_eagerly, lens.others[0]
    viewed: Any = viewer(result)
    return lambda input: viewed(call(input._value, low), input)


def _basic_key(index: Any) -> tuple | None:
    """Return an index of ints, slices of ints, None and `...` alone as a key; None if it is anything else."""
    items = []
    for item in index if type(index) is tuple else (index,):
        kind = type(item)
        if kind is slice:
            parts = (item.start, item.stop, item.step)
            for part in parts:
                if part is not None and type(part) is not int:
                    return None
            items.append((slice, *parts))
        elif kind is int or item is None or item is Ellipsis:
            items.append(item)
        else:
            return None
    return tuple(items)


# ---------------------------------------------------------------------- advanced indices


def _positions(mask: Any, what: str) -> list[np.ndarray]:
    """Return the indices of a mask's true elements, one array per axis. Its values must be known."""
    values = np.asarray(concrete(mask, what)) if isinstance(mask, Tensor) else np.asarray(mask)
    return list(np.nonzero(values))


def _check_mask(mask: Any, shape: Sequence[int], axis: int) -> None:
    if tuple(mask.shape) != tuple(shape[axis : axis + mask.ndim]):
        raise (ValueError if isinstance(mask, Tensor) else IndexError)(
            f"`getitem`: a mask must have the shape of what it picks from. Received: mask of shape {tuple(mask.shape)} for "
            f"axes {axis} to {axis + mask.ndim - 1} of an array of shape {tuple(shape)}."
        )


def _structure(items: Sequence[Any], shape: tuple[int, ...], what: str) -> tuple[tuple, list[Any]]:
    """Return an advanced index as a static structure and the arrays in it."""
    structure: list[Any] = []
    arrays: list[Any] = []
    axis = 0
    for item in items:
        if item is None:
            structure.append(None)
        elif isinstance(item, bool) or (is_array(item) and is_mask(item) and not item.ndim):
            known = concrete(item, what) if isinstance(item, Tensor) else item
            structure.append(_NEW)
            arrays.append(_place_positions(np.zeros(int(bool(known)), np.int32)))
        elif isinstance(item, slice):
            structure.append(slice(*item.indices(shape[axis])) if item != FULL else FULL)
            axis += 1
        elif isinstance(item, int):
            structure.append(0)
            arrays.append(_place_positions(np.asarray(normalize_index(item, shape[axis], axis), np.int32)))
            axis += 1
        elif is_mask(item):
            _check_mask(item, shape, axis)
            found = _positions(item, what)
            structure += [0] * len(found)
            arrays += found
            axis += item.ndim
        else:
            if isinstance(item, np.ndarray) and item.size:
                normalize_index(int(item.max()), shape[axis], axis)
                normalize_index(int(item.min()), shape[axis], axis)
                item = _place_positions(item)
            elif not isinstance(item, np.ndarray):
                check_index_bounds(item, shape[axis], axis, what)
            structure.append(0)
            arrays.append(item)
            axis += 1
    return tuple(_reversible(s) if isinstance(s, slice) else s for s in structure), arrays


def _reversible(s: slice) -> tuple:
    """A slice as a hashable tuple; a stop of -1, which `indices` gives for steps backwards, means before the first."""
    stop = None if s.step is not None and s.step < 0 and s.stop == -1 else s.stop
    return (s.start, stop, s.step)


def _rebuilt(structure: tuple, indices: Sequence[Array]) -> tuple:
    each = iter(indices)
    return tuple(slice(*s) if isinstance(s, tuple) else s if s is None else next(each) for s in structure)


def _broadcast_indices(indices: Sequence[Array]) -> Sequence[Array]:
    """Return the arrays of an index, if they broadcast together; beside False nothing but one element does."""
    try:
        jnp.broadcast_shapes(*(each.shape for each in indices))
    except ValueError:
        shapes = ", ".join(str(each.shape) for each in indices)
        error = IndexError if any(each.shape == (0,) for each in indices) else ValueError
        raise error(f"The arrays of an index must broadcast together. Received: shapes {shapes}.") from None
    return indices


def _with_new_axes(input: Array, structure: tuple) -> Array:
    """Return the array with an axis for each bool of the index."""
    axes = [s for s in structure if s is not None]
    return jnp.expand_dims(input, [i for i, s in enumerate(axes) if s == _NEW])


@op(static="structure")
def taken(input: ArrayLike, indices: Any, structure: tuple) -> Array:
    """Return the elements that an advanced index picks."""
    return _with_new_axes(input, structure)[_rebuilt(structure, _broadcast_indices(indices))]


@op(static="structure")
def with_taken(input: ArrayLike, value: ArrayLike, indices: Any, structure: tuple) -> Array:
    """Return the array with what an advanced index picks replaced."""
    where, spread = _rebuilt(structure, _broadcast_indices(indices)), _with_new_axes(input, structure)
    shape = jax.eval_shape(lambda x: x[where], spread).shape
    return spread.at[where].set(_fit_value(value, shape, input.dtype)).reshape(input.shape)


@op(static="axis")
def with_masked(input: ArrayLike, value: ArrayLike, mask: ArrayLike, axis: int) -> Array:
    """Return the array with what a mask over the axes from `axis` on picks replaced by something that broadcasts."""
    shape = input.shape[:axis] + (1,) * mask.ndim + input.shape[axis + mask.ndim :]
    value = jnp.asarray(value)
    spread = mask.reshape((1,) * axis + mask.shape + (1,) * (input.ndim - axis - mask.ndim))
    if value.ndim:  # of a masked result, the value's axes are those behind the mask's
        value = _fit_value(value, shape[axis + mask.ndim :], input.dtype)
    return jnp.where(spread, _real_part(value, input.dtype).astype(input.dtype), input)


# ---------------------------------------------------------------------- the two functions


def getitem(input: Any, index: Any) -> Any:
    """`input[index]`.

    Args:
        input (Tensor): of any dtype.
        index: an int, slice, None, ..., bool, list of ints or bools, Tensor of integers or bools, or a tuple of these,
            with NumPy's meaning.

    Returns:
        Tensor. A view of `input` if the index holds only ints, slices, None, ... and True.

    Raises:
        IndexError: if the index holds anything else, names too many axes, or lies outside. A Tensor's values are looked at
            where they are at hand, in eager code on CPU; elsewhere what lies outside counts as the nearest element.
        RuntimeError: if it holds a mask whose values are not known, because the function is being compiled.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(x[1], x[:, ::-1], x[x > 4], x[[0, 1], [2, 0]])
        [4 5 6] [[3 2 1]
         [6 5 4]] [5 6] [3 4]
        >>> y = x[0]
        >>> y[1] = 20
        >>> print(x)
        [[ 1 20  3]
         [ 4  5  6]]
    """
    key = _short_key(input, index)
    if key is not None and (again := _short.get(key)) is not None:
        try:
            return again(input)
        except ValueError as error:
            if not compiler_options.is_inside_trace_error(error):
                raise
    shape = input.shape
    if (counted := _dynamic_view(input, index)) is not None:
        return counted
    basic, items = _parse_basic(index, shape)
    if not input._counts and any(item is False for item in items):
        raise IndexError(f"`getitem`: a bool as an index must be True. Received: {index}.")
    if basic is None:
        structure, arrays = _structure(items, shape, "getitem")
        return taken(input, arrays, structure)
    plan, moving = basic
    if moving is None or state.frame is not None:
        return sliced(input, plan)
    result = sliced_at(input, _device_positions(plan.low), moving)
    if key is not None:
        if len(_short) >= _MOST_SHORT:
            _short.clear()
        _short[key] = _repeat_view(result)
    return result


def _dynamic_view(input: Any, index: Any) -> Any:
    """Return the view that an index gives with numbers whose values only the program knows, or None for another index.

    Such is the counter of a compiled loop, and in PyTorch any Tensor of one integer: as with an int, the result is a view.
    """
    given = index if type(index) is tuple else (index,)
    if not any(map(_is_count, given)):
        return None
    if state.frame is None:
        return getitem(input, tuple([int(item) if _is_count(item) else item for item in given]))
    shape = input.shape
    items = expand_ellipsis(tuple([0 if _is_count(item) else item for item in given]), shape)
    if any(map(is_array, items)) or any(isinstance(item, bool) for item in items) or 0 in shape:
        return None
    # Those before `...` are counted from the left, those behind it from the right.
    counts = iter([item for item in given if _is_count(item)])
    marked = expand_ellipsis(tuple([_COUNT if _is_count(item) else item for item in given]), shape)
    plan = plan_basic_index(items, shape)
    low: list[Any] = [jnp.int32(start) for start in plan.low or ()]
    axis = 0
    for item in marked:
        if item is _COUNT:
            place = jnp.asarray(peek(next(counts)), jnp.int32)
            low[axis] = jnp.where(place < 0, place + shape[axis], place)
        axis += item is not None
    return sliced_at(input, jnp.stack(low), replace(plan, low=None))


_COUNT = np.s_[0:1]  # stands for a number where items are counted


def _is_count(item: Any) -> bool:
    """Return True for a Tensor that counts as an int."""
    if not isinstance(item, Tensor):
        return False
    if type(item) is not Number and not item._counts:
        return False
    value = peek(item)
    return value.ndim == 0 and value.dtype.kind in "iu"


def setitem(input: Any, index: Any, value: Any) -> Any:
    """Return a new Tensor equal to `input` after `input[index] = value`.

    Args:
        input (Tensor): of any dtype.
        index: as for `getitem`.
        value (Tensor, number, list): of a shape that broadcasts to that of `input[index]`; it is converted to `input`'s
            dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        IndexError: as for `getitem`.
        ValueError: if the value does not broadcast.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 2, 3], [4, 5, 6]])
        >>> x[:, 1] = 0
        >>> x[x > 4] = 9
        >>> print(x)
        [[1 0 3]
         [4 0 9]]
    """
    shape = input.shape
    basic, items = _parse_basic(index, shape)
    value = _value(input, value)
    if basic is not None:
        plan, moving = basic
        if moving is not None and state.frame is None:
            return with_slice_at(input, value, _device_positions(plan.low), moving)
        return with_slice(input, value, plan)
    masked = _single_mask(items, shape, value)
    if masked is not None:
        return with_masked(input, value, *masked)
    structure, arrays = _structure(items, shape, "setitem")
    return with_taken(input, value, arrays, structure)


def _value(input: Any, value: Any) -> Any:
    """Return a value to be written, as an array: a number in the dtype of what it replaces."""
    if isinstance(value, Tensor | jax.Array):
        return value
    if isinstance(value, bool | int | float | complex | np.generic):
        dtype = dtype_of(input)
        if isinstance(value, complex) and not jnp.issubdtype(dtype, jnp.complexfloating):
            raise IndexError(
                f"`setitem`: no complex number fits into a Tensor of dtype {dtype}. Received: {value}."
            )
        return constant(value, dtype) if -128 <= value.real < 128 else np.asarray(value).astype(dtype)
    if isinstance(value, np.ndarray | list | tuple):
        return Tensor(list(value) if isinstance(value, tuple) else value)
    raise (IndexError if isinstance(value, str) else TypeError)(
        "`setitem`: the value must be a Tensor, a number or a list of numbers. "
        f"Received: {value!r} ({type(value).__name__})."
    )


def _single_mask(items: Sequence[Any], shape: tuple[int, ...], value: Any) -> tuple[Any, int] | None:
    """Return the only mask of an index of nothing else, and its axis, if a value that broadcasts is written through it."""
    arrays = [i for i, item in enumerate(items) if is_array(item)]
    rest = [item for i, item in enumerate(items) if i not in arrays]
    if len(arrays) != 1 or any(not isinstance(item, slice) or item != FULL for item in rest):
        return None
    (axis,) = arrays
    mask = items[axis]
    ndim = getattr(value, "ndim", 0)
    behind = len(shape) - axis - mask.ndim
    if not is_mask(mask) or ndim > behind or (ndim and (axis or not mask.ndim)):
        return None
    _check_mask(mask, shape, axis)
    return (mask if not isinstance(mask, np.ndarray) else jnp.asarray(mask)), axis
