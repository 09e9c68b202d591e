"""JAX's primitives in NumPy, for real numbers, integers and bools: what `numpy_evaluator` runs without a compiler.

Each function takes arrays and the parameters of the primitive, and gives an array, or a list of them if the primitive has
several results. What XLA defines and NumPy leaves open (integers divided by zero, floats that no integer holds, indices
outside) is here as in XLA. 16-bit floats and complex numbers are left to XLA, which rounds them in places of its own; and so
are the gamma functions, whose poles differ.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.lax import GatherScatterMode

Array = np.ndarray
PRIMITIVES: dict[str, Callable[..., Any]] = {}
# Those that are NumPy's own functions, called without the parameters of the primitive.
PLAIN: set[Callable[..., Any]] = set()
# Those that write their result where the keyword `out` says, which may be an operand that has its shape and dtype.
WRITING: set[Callable[..., Any]] = set()


_ALIGNMENT = 64


def allocate(shape: Sequence[int], dtype: np.dtype) -> Array:
    """Return memory for an array, so aligned that JAX's programs read it where it is; they copy what is not."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)


def is_aligned(array: Array) -> bool:
    """Return True if JAX's programs read an array where it is."""
    return array.flags.c_contiguous and not array.ctypes.data % _ALIGNMENT


@functools.cache
def is_supported(dtype: object) -> bool:
    """Return True for the dtypes that the functions here take."""
    return isinstance(dtype, np.dtype) and (dtype.kind in "biu" or dtype in (np.float32, np.float64))


def _primitive(fn: Callable) -> Callable:
    PRIMITIVES[fn.__name__.strip("_")] = fn
    return fn


def _elementwise(**functions: Callable) -> None:
    for name, fn in functions.items():
        PRIMITIVES[name.strip("_")] = fn
        PLAIN.add(fn)
        if isinstance(fn, np.ufunc):
            WRITING.add(fn)


def _special(name: str) -> Callable:
    def call(*arrays: Array, **settings: Any) -> Array:
        import scipy.special  # not for everybody: it takes a tenth of a second

        return getattr(scipy.special, name)(*arrays, **settings)

    return call


def identity(x: Array) -> Array:
    """Return the array: `numpy_evaluator` leaves such steps out."""
    return x


def _one_over(x: Array) -> Array:
    return x.dtype.type(1) / x


def _sigmoid(x: Array) -> Array:
    return _one_over(x.dtype.type(1) + np.exp(-x))


def _compute_in_float64(fn: Callable) -> Callable:
    """Compute in float64 and round: NumPy's own float32 functions miss the last places, which shows in what is printed."""

    def call(*arrays: Array) -> Array:
        if arrays[0].dtype != np.float32:
            return fn(*arrays)
        return fn(*[a.astype(np.float64) if a.dtype == np.float32 else a for a in arrays]).astype(np.float32)

    return call


def _compute_parts_in_float64(fn: Callable) -> Callable:
    """Do the same with a ufunc of one array; a large one in parts, so that there is no whole array of float64."""
    whole = _compute_in_float64(fn)

    def call(x: Array, out: Array | None = None) -> Array:
        if out is None:
            if x.size <= _PART or x.dtype != np.float32 or not x.flags.c_contiguous:
                return whole(x)
            out = np.empty(x.shape, x.dtype)
        return fn(x, out=out, dtype=np.float64, casting="same_kind")

    WRITING.add(call)
    return call


_PART = np.getbufsize()  # elements that a ufunc converts at a time

_elementwise(
    abs=np.abs, add=np.add, add_any=np.add, and_=np.bitwise_and, ceil=np.ceil, copy=identity, copy_p=identity,
    eq=np.equal, floor=np.floor, ge=np.greater_equal, gt=np.greater, is_finite=np.isfinite, le=np.less_equal, lt=np.less,
    max=np.maximum, min=np.minimum, mul=np.multiply, ne=np.not_equal, neg=np.negative, nextafter=np.nextafter,
    not_=np.invert, or_=np.bitwise_or, sqrt=np.sqrt, square=np.square, stop_gradient=identity, sub=np.subtract,
    xor=np.bitwise_xor,
)  # fmt: skip
_elementwise(
    **{
        name: _compute_parts_in_float64(fn)
        for name, fn in {
            "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
            "atanh": np.arctanh, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh, "erf": _special("erf"),
            "erf_inv": _special("erfinv"), "erfc": _special("erfc"), "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
            "log": np.log, "log1p": np.log1p, "sin": np.sin, "sinh": np.sinh, "tan": np.tan, "tanh": np.tanh,
        }.items()
    },
    atan2=_compute_in_float64(np.arctan2),
    logistic=_compute_in_float64(_sigmoid),
    one_minus_square=_compute_in_float64(lambda x: (1 - x) * (1 + x)),
    pow=_compute_in_float64(np.power),
    rsqrt=_compute_in_float64(lambda x: _one_over(np.sqrt(x))),
)  # fmt: skip


# What is a function of NumPy's own if the first operand is of floats.
OF_FLOATS = {"div": np.divide, "rem": np.fmod}
PLAIN.update(OF_FLOATS.values())
WRITING.update(OF_FLOATS.values())


@_primitive
def _div(x: Array, y: Array) -> Array:
    zero = y == 0
    y = np.where(zero, x.dtype.type(1), y)
    q = x // y
    q = q + ((x - q * y != 0) & ((x < 0) != (y < 0))).astype(x.dtype)  # towards zero
    return np.where(zero, ~x.dtype.type(0), q)


@_primitive
def _rem(x: Array, y: Array) -> Array:
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, x.dtype.type(1), y)))


@_primitive
def _sign(x: Array) -> Array:
    return np.copysign(np.sign(x), x) if x.dtype.kind == "f" else np.sign(x)


@_primitive
def _round(x: Array, *, rounding_method: Any) -> Array:
    if int(rounding_method) == 1:
        return np.rint(x)
    whole = np.trunc(x)
    return whole + np.copysign((np.abs(x - whole) >= 0.5).astype(x.dtype), x)


@_primitive
def _integer_pow(x: Array, *, y: int) -> Array:
    result, power, n = None, x, abs(y)
    while n:
        if n & 1:
            result = power if result is None else result * power
        n >>= 1
        power = power * power if n else power
    result = np.ones_like(x) if result is None else result
    return _one_over(result) if y < 0 else result


@_primitive
def _clamp(low: Array, x: Array, high: Array) -> Array:
    return np.minimum(np.maximum(x, low), high)


@_primitive
def _select_n(which: Array, *cases: Array, out: Array | None = None) -> Array:
    if which.dtype.kind == "b" and len(cases) == 2:
        if out is None:
            return np.where(which, cases[1], cases[0])
        if out is cases[1]:
            np.copyto(out, cases[0], where=~which)
        else:
            # A choice of bools may be written where the condition is, which is read until the end.
            second = which.copy() if out is which else which
            np.copyto(out, cases[0])
            np.copyto(out, cases[1], where=second)
        return out
    shape = np.broadcast_shapes(which.shape, *[case.shape for case in cases])
    return np.choose(np.broadcast_to(which, shape).astype(np.intp), cases, mode="clip")


@_primitive
def _convert_element_type(x: Array, *, new_dtype: np.dtype, **_: object) -> Array:
    if x.dtype.kind != "f" or new_dtype.kind not in "iu":
        return x.astype(new_dtype)
    # The nearest integer that there is, and 0 for nan.
    limits = np.iinfo(new_dtype)
    low, above = x.dtype.type(limits.min), x.dtype.type(2.0 ** (limits.bits - (new_dtype.kind == "i")))
    inside = (x >= low) & (x < above)
    whole = np.where(inside, x, 0).astype(new_dtype)
    return np.where(
        inside, whole, np.where(x >= above, limits.max, np.where(x < low, limits.min, 0)).astype(new_dtype)
    )


@_primitive
def _shift_left(x: Array, y: Array) -> Array:
    return np.where(_beyond(x, y), x.dtype.type(0), np.left_shift(x, y))


@_primitive
def _shift_right_logical(x: Array, y: Array) -> Array:
    plain = np.dtype(f"u{x.dtype.itemsize}")
    shifted = np.right_shift(x.view(plain), y.view(plain)).view(x.dtype)
    return np.where(_beyond(x, y), x.dtype.type(0), shifted)


@_primitive
def _shift_right_arithmetic(x: Array, y: Array) -> Array:
    return np.right_shift(x, np.where(_beyond(x, y), x.dtype.type(8 * x.dtype.itemsize - 1), y))


def _beyond(x: Array, y: Array) -> Array:
    return (y < 0) | (y >= 8 * x.dtype.itemsize)


@_primitive
def _bitcast_convert_type(x: Array, *, new_dtype: np.dtype, **_: object) -> Array:
    if x.dtype.itemsize != new_dtype.itemsize or bool in (x.dtype, new_dtype):
        raise NotImplementedError
    return np.ascontiguousarray(x).reshape(x.shape).view(new_dtype)


# ------------------------------------------------------------------------------------------------ shapes


@_primitive
def _broadcast_in_dim(
    x: Array, *, shape: Sequence[int], broadcast_dimensions: Sequence[int], **_: object
) -> Array:
    x = expand_to_rank(x, shape=shape, broadcast_dimensions=broadcast_dimensions)
    return x if x.shape == tuple(shape) else np.broadcast_to(x, shape)


def expand_to_rank(
    x: Array, *, shape: Sequence[int], broadcast_dimensions: Sequence[int], **_: object
) -> Array:
    """Put axes in their places as `broadcast_in_dim` does, with length 1 where the result is longer."""
    lengths = [1] * len(shape)
    for at, length in zip(broadcast_dimensions, x.shape, strict=True):
        lengths[at] = length
    return x.reshape(lengths)


# What a result of `expand_to_rank` may be given to: NumPy broadcasts there by itself.
BROADCASTING = {
    PRIMITIVES[name]
    for name in "add add_any and div eq ge gt le lt max min mul ne or select_n sub xor".split()
} | {*OF_FLOATS.values()}
WRITING.add(PRIMITIVES["select_n"])


@_primitive
def _reshape(x: Array, *, new_sizes: Sequence[int], dimensions: Sequence[int] | None, **_: object) -> Array:
    return (x if dimensions is None else x.transpose(dimensions)).reshape(new_sizes)


@_primitive
def _squeeze(x: Array, *, dimensions: Sequence[int]) -> Array:
    return x.squeeze(tuple(dimensions))


@_primitive
def _transpose(x: Array, *, permutation: Sequence[int]) -> Array:
    return x.transpose(permutation)


@_primitive
def _rev(x: Array, *, dimensions: Sequence[int]) -> Array:
    return np.flip(x, tuple(dimensions))


@_primitive
def _slice(
    x: Array, *, start_indices: Sequence[int], limit_indices: Sequence[int], strides: Sequence[int] | None
) -> Array:
    return x[tuple(map(slice, start_indices, limit_indices, strides or [None] * x.ndim))]


@_primitive
def _split(x: Array, *, sizes: Sequence[int], axis: int) -> list[Array]:
    return np.split(x, np.cumsum(sizes)[:-1], axis)


@_primitive
def _concatenate(*arrays: Array, dimension: int) -> Array:
    return np.concatenate(arrays, dimension)


@_primitive
def _pad(x: Array, value: Array, *, padding_config: Sequence[tuple[int, int, int]]) -> Array:
    shape = [
        max(low, 0) + max(high, 0) + length + max(length - 1, 0) * inner
        for length, (low, high, inner) in zip(x.shape, padding_config, strict=True)
    ]
    out = np.full(shape, value, x.dtype)
    places, rest = [], []
    for length, (low, high, inner) in zip(x.shape, padding_config, strict=True):
        start = max(low, 0)
        places.append(slice(start, start + length + max(length - 1, 0) * inner, inner + 1))
        rest.append(slice(max(-low, 0), high if high < 0 else None))
    out[tuple(places)] = x
    return out[tuple(rest)]


@_primitive
def _iota(*_: Array, dtype: np.dtype, shape: Sequence[int], dimension: int, **__: object) -> Array:
    lengths = [1] * len(shape)
    lengths[dimension] = shape[dimension]
    return np.broadcast_to(np.arange(shape[dimension], dtype=dtype).reshape(lengths), shape)


@_primitive
def _dim_as_value(*, dim: int) -> Array:
    return np.asarray(dim, jax.dtypes.canonicalize_dtype(np.int64))


def _window(x: Array, starts: Sequence[Array], sizes: Sequence[int]) -> tuple[slice, ...]:
    found = []
    for length, start, size in zip(x.shape, starts, sizes, strict=True):
        at = min(max(int(start), 0), length - size)
        found.append(slice(at, at + size))
    return tuple(found)


@_primitive
def _dynamic_slice(x: Array, *starts: Array, slice_sizes: Sequence[int]) -> Array:
    return x[_window(x, starts, slice_sizes)]


@_primitive
def _dynamic_update_slice(x: Array, new: Array, *starts: Array) -> Array:
    out = x.copy()
    out[_window(x, starts, new.shape)] = new
    return out


def _windows(
    lengths: Sequence[int],
    indices: Array,
    sizes: Sequence[int],
    index_map: Sequence[int],
    collapsed: Sequence[int],
    batching: Sequence[tuple[int, int]],
) -> tuple[tuple[Array, ...], Any, tuple[int, ...]]:
    """Find the elements that a gather reads or a scatter writes.

    Args:
        lengths: shape of the operand.
        indices: where windows start: a batch of vectors.
        sizes: shape of a window, with all axes of the operand.
        index_map: the operand's axes that a vector is for.
        collapsed: axes that the result does not have.
        batching: pairs of axes of operand and indices that go together; the result does not have those either.

    Returns:
        For each axis of the operand, positions of the shape batch + window; where the windows of the batch lie outside,
        which have been moved inside; the window's shape.
    """
    batches = indices.shape[:-1]
    most = [length - size for length, size in zip(lengths, sizes, strict=True)]
    # For each axis of the operand, where its windows start: arrays of the shape of the batch.
    starts: list[Any] = [0] * len(lengths)
    outside: Any = np.zeros(batches, bool)
    for k, at in enumerate(index_map):
        given = indices[..., k].astype(np.int64)
        outside = outside | (given < 0) | (given > most[at])
        starts[at] = np.clip(given, 0, most[at])
    for at, batch in batching:
        shape = [1] * len(batches)
        shape[batch] = batches[batch]
        starts[at] = np.arange(batches[batch]).reshape(shape)
    kept = [at for at in range(len(lengths)) if at not in (*collapsed, *[at for at, _ in batching])]
    places = []
    for at in range(len(lengths)):
        where = np.asarray(starts[at]).reshape(np.shape(starts[at]) + (1,) * len(kept))
        if at in kept:
            along = [1] * len(kept)
            along[kept.index(at)] = sizes[at]
            where = where + np.arange(sizes[at]).reshape(along)
        places.append(where)
    return tuple(places), outside, tuple([sizes[at] for at in kept])


@_primitive
def _gather(
    x: Array,
    indices: Array,
    *,
    dimension_numbers: Any,
    slice_sizes: Sequence[int],
    mode: Any,
    fill_value: Any = None,
    **_: object,
) -> Array:
    n = dimension_numbers
    batching = [*zip(n.operand_batching_dims, n.start_indices_batching_dims, strict=True)]
    places, outside, window = _windows(
        x.shape, indices, slice_sizes, n.start_index_map, n.collapsed_slice_dims, batching
    )
    batches = indices.shape[:-1]
    full = (*batches, *window)
    out = x[places] if places else np.broadcast_to(x, full)
    out = np.broadcast_to(out, full)
    if mode is GatherScatterMode.FILL_OR_DROP and np.any(outside):
        fill = _fill(x.dtype) if fill_value is None else fill_value
        out = np.where(outside.reshape(batches + (1,) * len(window)), x.dtype.type(fill), out)
    # The result has the batch's dimensions first, then those of the slice; they are put in their places at the end.
    offsets = iter(range(len(batches), len(full)))
    plain = iter(range(len(batches)))
    return out.transpose([next(offsets if at in n.offset_dims else plain) for at in range(len(full))])


def _scatter(write: Callable[[Array, Any, Array], object]) -> Callable:
    def scatter(
        x: Array, indices: Array, updates: Array, *, dimension_numbers: Any, mode: Any, **_: object
    ) -> Array:
        n = dimension_numbers
        batching = [*zip(n.operand_batching_dims, n.scatter_indices_batching_dims, strict=True)]
        lengths = iter([updates.shape[at] for at in n.update_window_dims])
        single = (*n.inserted_window_dims, *n.operand_batching_dims)
        sizes = [1 if at in single else next(lengths) for at in range(x.ndim)]
        places, outside, window = _windows(
            x.shape, indices, sizes, n.scatter_dims_to_operand_dims, n.inserted_window_dims, batching
        )
        batches = [at for at in range(updates.ndim) if at not in n.update_window_dims]
        updates = updates.transpose([*batches, *n.update_window_dims])
        if mode is not GatherScatterMode.CLIP and np.any(outside):
            # A window that is not inside as a whole is not written at all.
            inside = ~outside
            full = inside.shape + window
            places, updates = tuple([np.broadcast_to(at, full)[inside] for at in places]), updates[inside]
        out = x.copy()
        write(out, places, updates)
        return out

    return scatter


def _replace(out: Array, places: Any, updates: Array) -> None:
    out[places] = updates


# Of several updates of one element the last one counts, here and in XLA on CPU; sums are taken in the same order.
PRIMITIVES |= {"scatter": _scatter(_replace), "scatter-add": _scatter(np.add.at)}


def _fill(dtype: np.dtype) -> float:
    if dtype.kind == "f":
        return np.nan
    return True if dtype.kind == "b" else np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max


# ------------------------------------------------------------------------------------------------ sums and the like


def _reduction(fn: Callable) -> Callable:
    def reduce(x: Array, *, axes: Sequence[int], **_: object) -> Array:
        return fn.reduce(x, tuple(axes), dtype=x.dtype)

    return reduce


def _lowest(dtype: np.dtype) -> float:
    return -np.inf if dtype.kind == "f" else False if dtype.kind == "b" else np.iinfo(dtype).min


def _highest(dtype: np.dtype) -> float:
    return np.inf if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max


@_primitive
def _reduce_max(x: Array, *, axes: Sequence[int], **_: object) -> Array:
    return np.max(x, tuple(axes), initial=_lowest(x.dtype))


@_primitive
def _reduce_min(x: Array, *, axes: Sequence[int], **_: object) -> Array:
    return np.min(x, tuple(axes), initial=_highest(x.dtype))


PRIMITIVES |= {
    "reduce_sum": _reduction(np.add),
    "reduce_prod": _reduction(np.multiply),
    "reduce_and": _reduction(np.bitwise_and),
    "reduce_or": _reduction(np.bitwise_or),
    "reduce_xor": _reduction(np.bitwise_xor),
}


@_primitive
def _argmax(x: Array, *, axes: Sequence[int], index_dtype: object) -> Array:
    return np.argmax(x, axes[0]).astype(index_dtype)


@_primitive
def _argmin(x: Array, *, axes: Sequence[int], index_dtype: object) -> Array:
    return np.argmin(x, axes[0]).astype(index_dtype)


def _cumulative(fn: Callable) -> Callable:
    def accumulate(x: Array, *, axis: int, reverse: bool) -> Array:
        x = np.flip(x, axis) if reverse else x
        out = fn.accumulate(x, axis, dtype=x.dtype)
        return np.flip(out, axis) if reverse else out

    return accumulate


PRIMITIVES |= {
    "cumsum": _cumulative(np.add),
    "cumprod": _cumulative(np.multiply),
    "cummax": _cumulative(np.maximum),
    "cummin": _cumulative(np.minimum),
}


@_primitive
def _dot_general(
    x: Array, y: Array, *, dimension_numbers: Any, preferred_element_type: np.dtype | None = None, **_: object
) -> Array:
    order, order_y, leading, inner = _orders(dimension_numbers, x.ndim, y.ndim)
    x, y = x.transpose(order), y.transpose(order_y)
    lead, free, over = x.shape[:leading], x.shape[leading : x.ndim - inner], x.shape[x.ndim - inner :]
    free_y = y.shape[leading + inner :]
    a = x if len(free) == inner == 1 else x.reshape(*lead, math.prod(free), math.prod(over))
    b = y if len(free_y) == inner == 1 else y.reshape(*lead, math.prod(over), math.prod(free_y))
    if preferred_element_type is not None:
        a, b = a.astype(preferred_element_type, copy=False), b.astype(preferred_element_type, copy=False)
    return _product(a, b).reshape(lead + free + free_y)


@functools.lru_cache(4096)
def _orders(dimension_numbers: Any, rank: int, rank_y: int) -> tuple[list[int], list[int], int, int]:
    """Return the order of each array's axes in a product of matrices; the number of batch axes, of those summed over."""
    (over, over_y), (batch, batch_y) = dimension_numbers
    free = [i for i in range(rank) if i not in (*over, *batch)]
    free_y = [i for i in range(rank_y) if i not in (*over_y, *batch_y)]
    return [*batch, *free, *over], [*batch_y, *over_y, *free_y], len(batch), len(over)


# OpenBLAS computes smaller products in one thread. Its other threads wait for each other busily, for longer than such
# products take, where something else runs on their cores (8 times the CPU time for a GPT of width 128).
_ONE_THREAD = 2**18


def _product(a: Array, b: Array) -> Array:
    """Multiply matrices, in parts that are small enough for one thread."""
    (m, k), n = a.shape[-2:], b.shape[-1]
    if a.dtype.kind != "f" or m * k * n <= _ONE_THREAD or k > _ONE_THREAD // 64:
        return np.matmul(a, b)
    rows = max(1, min(m, _ONE_THREAD // (k * min(n, 64))))
    columns = max(1, min(n, _ONE_THREAD // (k * rows)))
    out = allocate((*a.shape[:-1], n), a.dtype)
    for i in range(0, m, rows):
        for j in range(0, n, columns):
            at = np.s_[..., i : i + rows, j : j + columns]
            np.matmul(a[..., i : i + rows, :], b[..., j : j + columns], out=out[at])
    return out


@_primitive
def _sort(*arrays: Array, dimension: int, num_keys: int, **_: object) -> list[Array]:
    if num_keys > 1:
        raise NotImplementedError
    order = np.argsort(arrays[0], axis=dimension, kind="stable")
    return [np.take_along_axis(x, order, dimension) for x in arrays]


@_primitive
def _optimization_barrier(*arrays: Array) -> list[Array]:
    return list(arrays)
