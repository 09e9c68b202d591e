"""`x[index]` and `x[index] = value`, for every kind of index, with NumPy's meaning.

Ints, slices, None and `...` alone are *basic*: the result is a view. Anything with lists, Tensors or masks in it is
*advanced*: the result is a copy. What decides shapes is static (how many, which step, where None stands); where a slice
starts and which elements a Tensor picks are values, so that a loop over `x[i]` compiles one program.

A list that holds more than numbers counts as a tuple: `x[[0, None]]` is `x[0, None]`, as in MindSpore.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.core import Tracer

from msjax.core import compiling
from msjax.core.op import op, viewer
from msjax.core.scalars import constant
from msjax.core.state import state
from msjax.core.statics import static_class
from msjax.core.tensor import Tensor, concrete

_FULL = slice(None)
_FEW = 64
_NEW = "new"  # in the structure of an advanced index: a bool, which picks from an axis of length one put before it


@static_class
@dataclass(frozen=True)
class Plan:
    """A basic index, for a given shape.

    Attributes:
        spans: for each axis, how many elements lie from the lowest to the highest picked one.
        steps: for each axis, the distance between picked elements; negative to go backwards.
        shape: that of the result.
        low: for each axis, the lowest picked position; None where that is a value.
    """

    spans: tuple[int, ...]
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    low: tuple[int, ...] | None

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        return hash((self.spans, self.steps, self.shape, self.low))


# ---------------------------------------------------------------------- what an index says


def _items(index: Any) -> list[Any]:
    """The items of an index, lists of more than numbers counted as tuples."""
    if isinstance(index, list) and any(
        i is None
        or i is Ellipsis
        or isinstance(i, slice | list | tuple | range | Tensor | jax.Array | np.ndarray)
        for i in index
    ):
        index = tuple(index)
    return list(index) if isinstance(index, tuple) else [index]


def _item(item: Any, alone: bool) -> Any:
    """One item: a slice, None, Ellipsis, a bool, an int, or an array of ints or bools."""
    if item is None or item is Ellipsis or isinstance(item, slice | bool | int):
        return item
    if isinstance(item, np.bool_ | np.integer):
        return item.item()
    if isinstance(item, list | tuple | range):
        item = _listed(item)
    if isinstance(item, Tensor | jax.Array | np.ndarray):
        kind = _dtype(item)
        if kind == np.bool_ or jnp.issubdtype(kind, jnp.integer):
            return item
        raise IndexError(
            f"`getitem`: a Tensor used as an index must be of an integer dtype or bool. Received: dtype={kind}."
        )
    error = IndexError if alone or isinstance(item, str) else TypeError
    raise error(
        "`getitem`: an index must be an int, a slice, None, ..., a bool, a list of ints or bools, a Tensor, or a tuple of "
        f"these. Received: {item!r} ({type(item).__name__})."
    )


def _listed(items: Any) -> np.ndarray:
    """A list of ints or bools as an array."""

    def number(i: Any) -> Any:
        if isinstance(i, list | tuple | range):
            return [number(j) for j in i]
        return i if isinstance(i, bool | np.bool_) else operator.index(i)

    try:
        found = np.asarray([number(i) for i in items])
    except (TypeError, ValueError) as error:
        raise (IndexError if isinstance(error, ValueError) else TypeError)(
            f"`getitem`: a list used as an index must hold ints or bools. Received: {items!r}."
        ) from None
    return found if found.size else found.astype(np.int64)


def _aligned(index: Any, shape: tuple[int, ...]) -> list[Any]:
    """The items of an index with `...` spelled out and full slices added, so that every axis has its item."""
    given = _items(index)
    items = [_item(item, len(given) == 1) for item in given]
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError(f"`getitem`: an index can hold one ellipsis ('...'). Received: {index!r}.")
    used = sum(map(_consumed, items))
    if used > len(shape):
        raise IndexError(
            f"`getitem`: too many indices: the array has {len(shape)} axes. Received: {index!r}."
        )
    fill: list[Any] = [_FULL] * (len(shape) - used)
    at = dots[0] if dots else len(items)
    return items[:at] + fill + items[at + len(dots) :]


def _consumed(item: Any) -> int:
    """How many axes of the array an item stands for."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if not isinstance(item, int | slice) and _is_mask(item) else 1


def _dtype(item: Any) -> Any:
    return item.dtype.np if isinstance(item, Tensor) else item.dtype


def _is_mask(item: Any) -> bool:
    return _dtype(item) == np.bool_


def _is_array(item: Any) -> bool:
    return isinstance(item, Tensor | jax.Array | np.ndarray)


def _position(i: int, length: int, axis: int) -> int:
    if not -length <= i < length:
        raise IndexError(f"`getitem`: index {i} is out of bounds for axis {axis} of size {length}.")
    return i + length if i < 0 else i


class OutOfRangeError(IndexError, RuntimeError, ValueError):
    """A Tensor in an index names an element that is not there.

    MindSpore raises a RuntimeError for reading and a ValueError for writing, PyTorch an IndexError.
    """


def _check_range(item: Any, length: int, axis: int, what: str) -> None:
    """Refuse positions outside of an axis, where looking at them costs no transfer: eagerly, on CPU."""
    value = item.array if isinstance(item, Tensor) else item
    if state.frame is not None or isinstance(value, Tracer) or not value.size or not _on_cpu(value):
        return
    known = np.asarray(value)
    low, high = int(known.min()), int(known.max())
    if low < -length or high >= length:
        raise OutOfRangeError(
            f"`{what}`: index {high if high >= length else low} is out of bounds for axis {axis} of size {length}."
        )


def _on_cpu(value: Array) -> bool:
    return all(device.platform == "cpu" for device in value.devices())


def _plan(items: Sequence[Any], shape: tuple[int, ...]) -> Plan:
    """The plan of a basic index."""
    low, spans, steps, out = [], [], [], []
    flags = [item for item in items if isinstance(item, bool)]
    for item in items:
        if isinstance(item, bool):  # all together are one axis
            out += [int(all(flags))] if flags else []
            flags = []
            continue
        if item is None:
            out.append(1)
            continue
        axis = len(low)
        length = shape[axis]
        if isinstance(item, slice):
            if item == slice(None):  # also of a size that is a symbol
                start, step, count = 0, 1, length
            else:
                start, stop, step = item.indices(length)
                count = len(range(start, stop, step))
            span = (count - 1) * abs(step) + 1 if count else 0
            low.append((start if step > 0 else start + (count - 1) * step) if count else 0)
            spans.append(span)
            steps.append(step if step != 1 and count > 1 else 1)
            out.append(count)
        else:
            low.append(_position(item, length, axis))
            spans.append(1)
            steps.append(1)
    return Plan(tuple(spans), tuple(steps), tuple(out), tuple(low))


# ---------------------------------------------------------------------- basic indices


def _picked(block: Array, plan: Plan) -> Array:
    """From the block between the lowest and the highest picked elements to the result."""
    if any(abs(s) > 1 for s in plan.steps):
        block = lax.slice(block, [0] * block.ndim, block.shape, [abs(s) for s in plan.steps])
    back = [i for i, s in enumerate(plan.steps) if s < 0]
    block = lax.rev(block, back) if back else block
    return block.reshape(plan.shape) if 0 not in plan.shape else jnp.zeros(plan.shape, block.dtype)


def _put_back(block: Array, value: Array, plan: Plan) -> Array:
    """The block with the picked elements replaced."""
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
def sliced(input: Array, plan: Plan) -> Array:
    """The elements that a basic index picks, at places that are known when the program is made."""
    low, high = plan.low or (), [a + n for a, n in zip(plan.low or (), plan.spans, strict=True)]
    return _picked(lax.slice(input, low, high), plan)


def _write_dynamic(base: Array, changed: Array, low: Array, *, plan: Plan) -> Array:
    starts = list(low)
    block = _put_back(lax.dynamic_slice(base, starts, plan.spans), changed, plan)
    return lax.dynamic_update_slice(base, block, starts)


@op(static="plan", view=_write_dynamic)
def sliced_at(input: Array, low: Array, plan: Plan) -> Array:
    """The elements that a basic index picks, from a lowest position that is a value."""
    return _picked(lax.dynamic_slice(input, list(low), plan.spans), plan)


@op(static="plan")
def with_slice(input: Array, value: Array, plan: Plan) -> Array:
    """The array with what a basic index picks replaced, at places that are known when the program is made."""
    return _write_static(input, _fitted(value, plan.shape, input.dtype), plan=plan)


@op(static="plan")
def with_slice_at(input: Array, value: Array, low: Array, plan: Plan) -> Array:
    """The array with what a basic index picks replaced, from a lowest position that is a value."""
    return _write_dynamic(input, _fitted(value, plan.shape, input.dtype), low, plan=plan)


def _fitted(value: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """A value to be written, in the shape and dtype of what it replaces."""
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
def _kept(positions: Any) -> Any:
    """Positions on the device, kept for the next time."""
    with jax.ensure_compile_time_eval():
        return jax.device_put(np.asarray(positions, np.int32))


def _placed(positions: np.ndarray) -> Any:
    """Positions from a list: on the device if they are few, because copying them takes longer than indexing."""
    if state.frame is not None or positions.size > _FEW or positions.ndim > 1 or not positions.size:
        return positions
    return _kept(tuple(positions.tolist()) if positions.ndim else positions.item())


def _plans(items: Sequence[Any], shape: tuple[int, ...]) -> tuple[Plan, Plan | None]:
    """The plan of a basic index, and one for a start that is a value, where it is worth to have that: if it can vary."""
    plan = _plan(items, shape)
    return plan, None if plan.spans == shape or not shape else replace(plan, low=None)


@functools.lru_cache(4096)
def _plans_of(key: Any, shape: tuple[int, ...]) -> tuple[Plan, Plan | None]:
    """The same for what `_basic_key` gave, kept for the next time."""
    items = [slice(*item[1:]) if type(item) is tuple else item for item in key]
    return _plans(_aligned(tuple(items), shape), shape)


def _parsed(index: Any, shape: tuple[int, ...]) -> tuple[tuple[Plan, Plan | None] | None, list[Any]]:
    """The plans of a basic index; or None, and the items of an advanced one."""
    if not shape and type(index) is int:
        raise TypeError(f"`getitem`: a Tensor without axes has no elements to count. Received: {index}.")
    key = _basic_key(index)
    if key is not None:
        return _plans_of(key, shape), []
    items = _aligned(index, shape)
    return (None, items) if any(map(_is_array, items)) else (_plans(items, shape), items)


# What eager `x[1]` and `x[1:4]` of Tensors that are no views are: (index, shape) -> that view of one.
_short: dict[tuple, Callable[[Tensor], Tensor]] = {}
_MOST_SHORT = 4096
_BOUNDS = frozenset({int, type(None)})


def _short_key(input: Any, index: Any) -> tuple | None:
    """The key of an int or a slice of ints, where nothing but the index and the shape matters."""
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


def _shortened(result: Tensor) -> Callable[[Tensor], Tensor]:
    """What makes a view like this one of another Tensor."""
    lens: Any = result._view.lens  # type: ignore[union-attr]
    viewed = viewer(result)
    call, (low,) = lens.program.alone, lens.others
    return lambda input: viewed(call(input._value, low), input)


def _basic_key(index: Any) -> tuple | None:
    """An index of ints, slices of ints, None and `...` alone as a key; None if it is anything else."""
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
    """Where a mask is true, for each of its axes. Its values must be known."""
    values = np.asarray(concrete(mask, what)) if isinstance(mask, Tensor) else np.asarray(mask)
    return list(np.nonzero(values))


def _check_mask(mask: Any, shape: Sequence[int], axis: int) -> None:
    if tuple(mask.shape) != tuple(shape[axis : axis + mask.ndim]):
        raise IndexError(
            f"`getitem`: a mask must have the shape of what it picks from. Received: mask of shape {tuple(mask.shape)} for "
            f"axes {axis} to {axis + mask.ndim - 1} of an array of shape {tuple(shape)}."
        )


def _structure(items: Sequence[Any], shape: tuple[int, ...], what: str) -> tuple[tuple, list[Any]]:
    """An advanced index as a static structure and the arrays in it."""
    structure: list[Any] = []
    arrays: list[Any] = []
    axis = 0
    for item in items:
        if item is None:
            structure.append(None)
        elif isinstance(item, bool) or (_is_array(item) and _is_mask(item) and not item.ndim):
            known = concrete(item, what) if isinstance(item, Tensor) else item
            structure.append(_NEW)
            arrays.append(_placed(np.zeros(int(bool(known)), np.int32)))
        elif isinstance(item, slice):
            structure.append(slice(*item.indices(shape[axis])) if item != _FULL else _FULL)
            axis += 1
        elif isinstance(item, int):
            structure.append(0)
            arrays.append(_placed(np.asarray(_position(item, shape[axis], axis), np.int32)))
            axis += 1
        elif _is_mask(item):
            _check_mask(item, shape, axis)
            found = _positions(item, what)
            structure += [0] * len(found)
            arrays += found
            axis += item.ndim
        else:
            if isinstance(item, np.ndarray) and item.size:
                _position(int(item.max()), shape[axis], axis)
                _position(int(item.min()), shape[axis], axis)
                item = _placed(item)
            elif not isinstance(item, np.ndarray):
                _check_range(item, shape[axis], axis, what)
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


def _with_new_axes(input: Array, structure: tuple) -> Array:
    """The array with an axis for each bool of the index."""
    axes = [s for s in structure if s is not None]
    return jnp.expand_dims(input, [i for i, s in enumerate(axes) if s == _NEW])


@op(static="structure")
def taken(input: Array, indices: Sequence[Array], structure: tuple) -> Array:
    """The elements that an advanced index picks."""
    return _with_new_axes(input, structure)[_rebuilt(structure, indices)]


@op(static="structure")
def with_taken(input: Array, value: Array, indices: Sequence[Array], structure: tuple) -> Array:
    """The array with what an advanced index picks replaced."""
    where, spread = _rebuilt(structure, indices), _with_new_axes(input, structure)
    shape = jax.eval_shape(lambda x: x[where], spread).shape
    return spread.at[where].set(_fitted(value, shape, input.dtype)).reshape(input.shape)


@op(static="axis")
def with_masked(input: Array, value: Array, mask: Array, axis: int) -> Array:
    """The array with what a mask over the axes from `axis` on picks replaced by something that broadcasts."""
    shape = input.shape[:axis] + (1,) * mask.ndim + input.shape[axis + mask.ndim :]
    value = jnp.asarray(value)
    spread = mask.reshape((1,) * axis + mask.shape + (1,) * (input.ndim - axis - mask.ndim))
    if value.ndim:  # of a masked result, the value's axes are those behind the mask's
        value = _fitted(value, shape[axis + mask.ndim :], input.dtype)
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
            if not compiling.nested(error):
                raise
    shape = input.shape
    basic, items = _parsed(index, shape)
    if basic is None:
        structure, arrays = _structure(items, shape, "getitem")
        return taken(input, arrays, structure)
    plan, moving = basic
    if moving is None or state.frame is not None:
        return sliced(input, plan)
    result = sliced_at(input, _kept(plan.low), moving)
    if key is not None:
        if len(_short) >= _MOST_SHORT:
            _short.clear()
        _short[key] = _shortened(result)
    return result


def setitem(input: Any, index: Any, value: Any) -> Any:
    """What `input` is after `input[index] = value`, as a new Tensor.

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
    basic, items = _parsed(index, shape)
    value = _value(input, value)
    if basic is not None:
        plan, moving = basic
        if moving is not None and state.frame is None:
            return with_slice_at(input, value, _kept(plan.low), moving)
        return with_slice(input, value, plan)
    masked = _single_mask(items, shape, value)
    if masked is not None:
        return with_masked(input, value, *masked)
    structure, arrays = _structure(items, shape, "setitem")
    return with_taken(input, value, arrays, structure)


def _value(input: Any, value: Any) -> Any:
    """A value to be written, as an array: a number in the dtype of what it replaces."""
    if isinstance(value, Tensor | jax.Array):
        return value
    if isinstance(value, bool | int | float | complex | np.generic):
        dtype = _dtype(input)
        if isinstance(value, complex) and not jnp.issubdtype(dtype, jnp.complexfloating):
            value = value.real
        return constant(value, dtype) if -128 <= value.real < 128 else np.asarray(value).astype(dtype)
    if isinstance(value, np.ndarray | list | tuple):
        return Tensor(list(value) if isinstance(value, tuple) else value)
    raise (IndexError if isinstance(value, str) else TypeError)(
        "`setitem`: the value must be a Tensor, a number or a list of numbers. "
        f"Received: {value!r} ({type(value).__name__})."
    )


def _single_mask(items: Sequence[Any], shape: tuple[int, ...], value: Any) -> tuple[Any, int] | None:
    """The only mask of an index of nothing else, and its axis, if a value that broadcasts is written through it."""
    arrays = [i for i, item in enumerate(items) if _is_array(item)]
    rest = [item for i, item in enumerate(items) if i not in arrays]
    if len(arrays) != 1 or any(not isinstance(item, slice) or item != _FULL for item in rest):
        return None
    (axis,) = arrays
    mask = items[axis]
    ndim = getattr(value, "ndim", 0)
    behind = len(shape) - axis - mask.ndim
    if not _is_mask(mask) or ndim > behind or (ndim and (axis or not mask.ndim)):
        return None
    _check_mask(mask, shape, axis)
    return (mask if not isinstance(mask, np.ndarray) else jnp.asarray(mask)), axis
