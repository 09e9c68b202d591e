"""Strides and offset of views, without an array: what tells a view from a copy, and what `Tensor.stride` says.

The operators that give views cut, permute, repeat and reshape. What each does to strides is read off its jaxpr, so that it
works in traces too and costs no memory.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer
from jax.extend.core import Jaxpr

_SMALL = np.dtype(np.int8)
Params = Mapping[str, Any]  # of an equation of a jaxpr


class Geometry(NamedTuple):
    """Shape, strides and offset of a view in its base's array.

    Attributes:
        shape: of the view.
        strides: elements of the array from one of the view to the next, along each dimension.
        offset: elements of the array before the first one of the view.
        array: the array, where its values matter: positions at which an index starts.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    array: Any = None

    @property
    def ndim(self) -> int:
        """Number of dimensions, under the name that arrays have for it."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


def contiguous_geometry(shape: Sequence[int], array: object = None) -> Geometry:
    """Return the geometry of an array of its own."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return Geometry(tuple(shape), tuple(strides), 0, array)


def geometry(fn: Callable, base: Geometry, others: Sequence[jax.Array], output: int) -> Geometry | None:
    """Return the geometry of an output of a compiled function of a view and of other arrays.

    None: no strides lead along its dimensions, or the function does not only move its first argument about.
    """
    jaxpr = _trace_view(fn, base.shape, *[jax.ShapeDtypeStruct(v.shape, v.dtype) for v in others])
    return _follow(jaxpr, [base, *[contiguous_geometry(v.shape, v) for v in others]])[output]


@functools.lru_cache(1024)
def _trace_view(fn: Callable, shape: tuple[int, ...], *others: jax.ShapeDtypeStruct) -> Jaxpr:
    return fn.trace(jax.ShapeDtypeStruct(shape, _SMALL), *others).jaxpr.jaxpr


def _follow(jaxpr: Jaxpr, inputs: Sequence[Geometry | None]) -> list[Geometry | None]:
    known = dict(zip(jaxpr.invars, inputs, strict=True))

    def look_up(variables: Sequence[Any]) -> list[Geometry | None]:
        return [None if hasattr(v, "val") else known.get(v) for v in variables]

    for eqn in jaxpr.eqns:
        operands, name = look_up(eqn.invars), eqn.primitive.name
        if name in ("jit", "pjit"):
            known.update(zip(eqn.outvars, _follow(eqn.params["jaxpr"].jaxpr, operands), strict=True))
        elif name in _RULES and operands[0] is not None:
            known.update(zip(eqn.outvars, _RULES[name](operands, eqn.params), strict=True))
    return look_up(jaxpr.outvars)


def reshape(x: Geometry, shape: Sequence[int]) -> Geometry | None:
    """Return the geometry in another shape of as many elements; None if no strides lead along its dimensions."""
    if not math.prod(shape):
        return contiguous_geometry(shape)
    runs: list[
        tuple[int, int]
    ] = []  # (length, stride) of neighbouring dimensions that one stride leads through
    for length, stride in zip(x.shape, x.strides, strict=True):
        if runs and runs[-1][1] == length * stride:
            length *= runs.pop()[0]
        if length > 1:
            runs.append((length, stride))
    strides: list[int] = []
    for size in reversed(shape):  # each takes its part of the last run
        length, stride = runs.pop() if size > 1 else (1, 1)
        if length % size:
            return None
        if length > size:
            runs.append((length // size, stride * size))
        strides.insert(0, stride)
    return x._replace(shape=tuple(shape), strides=tuple(strides))


def _slice(x: Geometry, starts: Sequence[int], limits: Sequence[int], steps: Sequence[int]) -> Geometry:
    shape = tuple([len(range(*span)) for span in zip(starts, limits, steps, strict=True)])
    offset = x.offset + sum([start * stride for start, stride in zip(starts, x.strides, strict=True)])
    strides = tuple([step * stride for step, stride in zip(steps, x.strides, strict=True)])
    return x._replace(shape=shape, strides=strides, offset=offset)


def _dynamic_slice(operands: Sequence[Any], params: Params) -> Sequence[Geometry | None]:
    x, *positions = operands
    if any(p is None or p.array is None or isinstance(p.array, Tracer) for p in positions):
        return [None]
    starts = [int(np.asarray(p.array).flat[p.offset]) for p in positions]
    limits = [start + size for start, size in zip(starts, params["slice_sizes"], strict=True)]
    return [_slice(x, starts, limits, [1] * len(starts))]


def split(x: Geometry, sizes: Sequence[int], axis: int) -> list[Geometry]:
    """Return the geometries of parts of given sizes along an axis."""
    parts, start = [], 0
    for size in sizes:
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        parts.append(x._replace(shape=shape, offset=x.offset + start * x.strides[axis]))
        start += size
    return parts


def _unstack(operands: Sequence[Geometry], params: Params) -> list[Geometry]:
    (x,), axis = operands, params["axis"]
    shape, strides = x.shape[:axis] + x.shape[axis + 1 :], x.strides[:axis] + x.strides[axis + 1 :]
    offsets = [x.offset + i * x.strides[axis] for i in range(x.shape[axis])]
    return [x._replace(shape=shape, strides=strides, offset=offset) for offset in offsets]


def _broadcast(x: Geometry, shape: Sequence[int], kept: Sequence[int]) -> Geometry:
    strides = [0] * len(shape)
    for axis, length, stride in zip(kept, x.shape, x.strides, strict=True):
        strides[axis] = stride if length == shape[axis] else 0
    return x._replace(shape=tuple(shape), strides=tuple(strides))


def transpose(x: Geometry, order: Sequence[int]) -> Geometry:
    """Return the geometry with its dimensions in another order."""
    return x._replace(shape=tuple([x.shape[i] for i in order]), strides=tuple([x.strides[i] for i in order]))


def _flip(x: Geometry, axes: Sequence[int]) -> Geometry:
    last = x.offset + sum([(x.shape[i] - 1) * x.strides[i] for i in axes])
    return x._replace(strides=tuple([-s if i in axes else s for i, s in enumerate(x.strides)]), offset=last)


def _squeeze(x: Geometry, axes: Sequence[int]) -> Geometry | None:
    return reshape(x, [length for i, length in enumerate(x.shape) if i not in axes])


# What primitives do to the geometry of their first operand: (operands, params) -> that of each result.
_RULES: dict[str, Callable[[Sequence[Any], Any], Sequence[Geometry | None]]] = {
    "broadcast_in_dim": lambda x, p: [_broadcast(x[0], p["shape"], p["broadcast_dimensions"])],
    "copy": lambda x, p: x,
    "copy_p": lambda x, p: x,
    "dynamic_slice": _dynamic_slice,
    "reshape": lambda x, p: [reshape(x[0], p["new_sizes"])],
    "rev": lambda x, p: [_flip(x[0], p["dimensions"])],
    "slice": lambda x, p: [
        _slice(x[0], p["start_indices"], p["limit_indices"], p["strides"] or [1] * len(x[0].shape))
    ],
    "split": lambda x, p: split(x[0], p["sizes"], p["axis"]),
    "squeeze": lambda x, p: [_squeeze(x[0], p["dimensions"])],
    "transpose": lambda x, p: [transpose(x[0], p["permutation"])],
    "unstack": _unstack,  # of jax 0.12: the start indices of a dynamic slice come so
}
