"""Index parsing: one item per axis, and the plan of a basic index (ints, slices, None, ellipsis)."""

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.core import Tracer

from msjax.core.op.static_args import static_class
from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks

FULL = slice(None)
ANY = -(2**63)


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


def _items(index: Any) -> list[Any]:
    """Return the items of an index, lists of more than numbers counted as tuples."""
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
        item = _as_index_list(item)
    if isinstance(item, Tensor | jax.Array | np.ndarray):
        kind = dtype_of(item)
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


def _as_index_list(items: Any) -> np.ndarray:
    """Return a list of ints or bools as an array."""

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


def expand_ellipsis(index: Any, shape: tuple[int, ...]) -> list[Any]:
    """Return the items of an index with `...` spelled out and full slices added, so that every axis has its item."""
    given = _items(index)
    items = [_item(item, len(given) == 1) for item in given]
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError(f"`getitem`: an index can hold one ellipsis ('...'). Received: {index!r}.")
    used = sum(map(_count_axes, items))
    if used > len(shape):
        cut = not shape and len(items) == 1 and not isinstance(items[0], int)
        raise (ValueError if cut else IndexError)(
            f"`getitem`: too many indices: the array has {len(shape)} axes. Received: {index!r}."
        )
    fill: list[Any] = [FULL] * (len(shape) - used)
    at = dots[0] if dots else len(items)
    return items[:at] + fill + items[at + len(dots) :]


def _count_axes(item: Any) -> int:
    """Return the number of the array's axes that an index item consumes."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if not isinstance(item, int | slice) and is_mask(item) else 1


def dtype_of(item: Any) -> Any:
    """Return the NumPy dtype of an array or Tensor."""
    return item.dtype.np if isinstance(item, Tensor) else item.dtype


def is_mask(item: Any) -> bool:
    """Return True if an array or Tensor holds bools."""
    return dtype_of(item) == np.bool_


def is_array(item: Any) -> bool:
    """Return True for Tensors and for arrays of JAX and NumPy."""
    return isinstance(item, Tensor | jax.Array | np.ndarray)


def normalize_index(i: int, length: int, axis: int) -> int:
    """Return a non-negative index along an axis; raise IndexError if it is out of bounds."""
    if not -length <= i < length:
        raise IndexError(f"`getitem`: index {i} is out of bounds for axis {axis} of size {length}.")
    return i + length if i < 0 else i


class OutOfRangeError(IndexError, RuntimeError, ValueError):
    """A Tensor in an index names an element that is not there.

    MindSpore raises a RuntimeError for reading and a ValueError for writing, PyTorch an IndexError.
    """


def check_index_bounds(item: Any, length: int, axis: int, what: str) -> None:
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


def _on_cpu(value: Array | np.ndarray) -> bool:
    return isinstance(value, np.ndarray) or all(device.platform == "cpu" for device in value.devices())


def refuse_outside(
    op_name: str, name: str, positions: Any, low: int | None, sizes: Sequence[int], but: int | None = None
) -> None:
    """Refuse positions outside of [low, size), where looking at them costs no transfer: on CPU.

    Args:
        op_name: who asks.
        name: of the argument.
        positions: of any shape, an integer dtype; for several sizes, the coordinates stand along the last axis.
        low: the least; None for -size, `ANY` for no least.
        sizes: of the axes that they are positions along.
        but: a number that is accepted too.
    """
    if isinstance(positions, Tracer) or not isinstance(positions, Array | np.ndarray):
        return
    if not positions.size or not _on_cpu(positions):
        return
    known = np.asarray(positions)
    if known.dtype.kind not in "iu" or (len(sizes) > 1 and known.shape[-1] != len(sizes)):
        return
    for axis, size in enumerate(sizes):
        column = known if len(sizes) == 1 else known[..., axis]
        least = -size if low is None else low
        for found in (int(column.max()), int(column.min())):  # Python's ints compare ten times as fast
            if not least <= found < size:
                if but is not None:
                    refuse_outside(op_name, name, known[known != but], low, sizes)
                    return
                axes = f" of axis {axis}" if len(sizes) > 1 else ""
                rule = f"hold positions in [{least}, {size}){axes}"
                checks.fail(OutOfRangeError, op_name, name, rule, found)


def known_values(array: Any) -> np.ndarray | None:
    """Return the values of an array where looking at them costs no transfer: outside of traces, on CPU."""
    if isinstance(array, Tracer) or (isinstance(array, Array) and not _on_cpu(array)):
        return None
    return np.asarray(array)


def refuse_few(op_name: str, name: str, count: int, mask: Any, repeated: int = 1) -> None:
    """Refuse fewer elements than a mask picks, where looking at it costs no transfer: on CPU.

    Args:
        op_name: who asks.
        name: of the argument with the elements.
        count: how many it has.
        mask: of bools.
        repeated: how often the mask stands beside itself.
    """
    known = known_values(mask)
    picked = 0 if known is None else repeated * int(known.sum())
    if picked > count:
        checks.fail(
            ValueError, op_name, name, f"have at least the {picked} elements that the mask picks", count
        )


def along(
    name: str, at: int, of: int = 0, low: int | None = None, axis: str | int = "axis", asks: str | None = None
) -> Callable:
    """Return the check for `@op(bounds=...)` of positions along one axis.

    Args:
        name: of the argument with the positions.
        at: its place among the arrays.
        of: the place of the array that they are positions in.
        low: as of `refuse_outside`.
        axis: the axis, or the name of the static argument that says it.
        asks: the operator's name in the message, where that is not the function's.
    """

    def check(op_name: str, *arrays: Any, **statics: Any) -> None:
        number = axis if isinstance(axis, int) else statics[axis]
        shape = arrays[of].shape
        if type(number) is int and -len(shape) <= number < len(
            shape
        ):  # otherwise the operator refuses the axis
            refuse_outside(asks or op_name, name, arrays[at], low, shape[number : number + 1 or None])

    return check


def coordinates(name: str, at: int, of: int = 0) -> Callable:
    """Return the check for `@op(bounds=...)` of coordinates along the first axes, which stand in the last axis."""

    def check(op_name: str, *arrays: Any, **statics: Any) -> None:
        depth = arrays[at].shape[-1] if arrays[at].ndim else 0
        if 0 < depth <= arrays[of].ndim:
            refuse_outside(op_name, name, arrays[at], 0, arrays[of].shape[:depth])

    return check


def within(name: str, size: str, low: int | None = None) -> Callable:
    """Return the check for `@op(bounds=...)` of numbers below a static argument, or of coordinates below several.

    Args:
        name: of the argument with the numbers.
        size: name of the static argument.
        low: as of `refuse_outside`.
    """

    def check(op_name: str, *arrays: Any, **statics: Any) -> None:
        number = statics[size]
        sizes = number if isinstance(number, tuple) else (number,)
        positions = arrays[-1] if isinstance(number, int) else arrays[0]
        depth = 1 if isinstance(number, int) else positions.shape[-1] if positions.ndim else 0
        if 0 < depth <= len(sizes) and all(type(n) is int for n in sizes):
            refuse_outside(op_name, name, positions, low, sizes[:depth])

    return check


def plan_basic_index(items: Sequence[Any], shape: tuple[int, ...]) -> Plan:
    """Return the plan of a basic index."""
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
            low.append(normalize_index(item, length, axis))
            spans.append(1)
            steps.append(1)
    return Plan(tuple(spans), tuple(steps), tuple(out), tuple(low))
