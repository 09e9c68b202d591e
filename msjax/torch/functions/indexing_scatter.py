"""Scatter, indexing and nonzero functions under PyTorch's signatures (index_copy, scatter_reduce, put ...)."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.core.tensor.tensor import resolve, wrap
from msjax.ops.array.scattering import masked_scatter as _masked_scatter
from msjax.torch.functions import basic as T
from msjax.torch.functions.index_rules import read_index
from msjax.torch.tensors.call_conventions import wrap_dim
from msjax.torch.tensors.dtypes import scalar_type
from msjax.torch.tensors.tensor import Tensor, as_torch


def _of_scalars(function: Callable) -> Callable:
    """Return a function along a dimension, which takes a tensor without dimensions for one of a single element."""

    @functools.wraps(function)
    def call(input: Any, dim: int, index: Any, *args: Any, **named: Any) -> Any:
        if input.ndim:
            return function(input, dim, index, *args, **named)
        args = tuple(T.reshape(a, -1) if isinstance(a, Tensor) else a for a in args)
        named = {n: T.reshape(a, -1) if isinstance(a, Tensor) else a for n, a in named.items()}
        return T.reshape(function(T.reshape(input, 1), dim, T.reshape(index, -1), *args, **named), ())

    return call


def _refuse_negative(input: Any, dim: int, index: Any) -> None:
    axis = wrap_dim(dim, input.ndim)
    size = input.shape[axis] if input.ndim else 1
    T.refuse_negative(
        index, RuntimeError, f"index {{}} is out of bounds for dimension {axis} with size {size}"
    )


@_of_scalars
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Elements by their places along a dimension; `sparse_grad` is of no effect."""
    _refuse_negative(input, dim, index)
    return as_torch(mint.gather(input, dim, index))


@_of_scalars
def index_select(input: Any, dim: int, index: Any) -> Any:
    """Slices by number."""
    _refuse_negative(input, dim, index)
    return as_torch(mint.index_select(input, dim, index))


@_of_scalars
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Slices added to by number; of bools, "or"."""
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"index_add_(): self ({scalar_type(input.dtype)}) and source ({scalar_type(source.dtype)}) must have the same "
            "scalar type"
        )
    _refuse_negative(input, dim, index)
    if input.dtype == dtypes.bool_:
        whole = index_add(input.to(dtypes.int32), dim, index, source.to(dtypes.int32), alpha=int(alpha))
        return whole.to(dtypes.bool_)
    return as_torch(mint.index_add(input, dim, index, source, alpha=alpha))


@_of_scalars
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Slices of one value, by number."""
    value = T.reshape(value, ()) if isinstance(value, Tensor) else value
    return as_torch(ops.index_fill(input, dim, index, value))


@_of_scalars
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """Slices replaced by number."""
    T.refuse_negative(index, IndexError, "index_copy_(): index {} is out of bounds")
    place = (slice(None),) * (wrap_dim(dim, input.ndim)) + (index,)
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {scalar_type(input.dtype)} and "
            f"(source) {scalar_type(source.dtype)}"
        )
    return _put(input, place, source)


def check_put_dtype(input: Any, values: Any) -> None:
    """Raise PyTorch's error if elements of another dtype are put among those of a tensor."""
    if input.dtype != values.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {scalar_type(input.dtype)} for the "
            f"destination and {scalar_type(values.dtype)} for the source."
        )


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Elements replaced by numbers, or added to."""
    check_put_dtype(input, values)
    return _put(input, indices, values, accumulate)


def _put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    indices = read_index(tuple(indices))
    if accumulate:
        return as_torch(_added_at(input, _places(indices), T.as_tensor(values)))
    result = T.clone(input)
    result[indices] = values.to(result.dtype) if isinstance(values, Tensor) else values
    return result


def _places(indices: Sequence[Any]) -> list[Any]:
    """The numbers of an index; a mask is the numbers of what it lets through."""
    found: list[Any] = []
    for each in indices:
        masked = isinstance(each, Tensor) and each.dtype == dtypes.bool_
        found.extend(nonzero(each, as_tuple=True) if masked else [each])
    return found


@op
def _added_at(x: Any, indices: Any, values: Any) -> Any:
    if x.dtype == bool:
        return x.at[tuple(indices)].max(values)
    return x.at[tuple(indices)].add(values.astype(x.dtype))


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Replace the elements where the mask is true by those of `source`, in order."""
    shape = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    return as_torch(_masked_scatter(T.expand(input, *shape), T.expand(mask, *shape), source))


def scatter(
    input: Any, dim: int, index: Any, src: Any = None, *, reduce: str | None = None, value: Any = None
) -> Any:
    """Elements replaced at places along a dimension; with `reduce`, "add" or "multiply", changed by what is given."""
    src = value if src is None else src
    _refuse_negative(input, dim, index)
    if reduce is None:
        return as_torch(mint.scatter(input, dim, index, src))
    if reduce not in ("add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply. Received: {reduce!r}.")
    given = src if isinstance(src, Tensor) else T.full(tuple(index.shape), src, dtype=input.dtype)
    if input.dtype == dtypes.bool_:  # sums are "or", products "and"
        whole = (each.to(dtypes.int32) for each in (input, given))
        return scatter(next(whole), dim, index, next(whole), reduce=reduce).to(dtypes.bool_)
    way = "add" if reduce == "add" else "mul"
    return as_torch(ops.tensor_scatter_elements(input, index, _clip_to_index(given, index), dim, way))


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Elements added to at places along a dimension."""
    return scatter_reduce(input, dim, index, src, "sum")


def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Elements reduced at places along a dimension."""
    _refuse_negative(input, dim, index)
    if not input.ndim:
        parts = (T.reshape(each, 1) for each in (input, index, src))
        one, places, given = parts
        return T.reshape(scatter_reduce(one, 0, places, given, reduce, include_self=include_self), ())
    if input.dtype == dtypes.bool_:  # sums are "or", products "and"
        whole = scatter_reduce(
            input.to(dtypes.int32), dim, index, src.to(dtypes.int32), reduce, include_self=include_self
        )
        return whole.to(dtypes.bool_)
    if not include_self:
        input = scatter(input, dim, index, _start(reduce, input.dtype))
    if reduce == "mean":
        total = _scatter_add_arrays(input, dim, index, src)
        count = _scatter_add_arrays(
            T.full_like(input, 1.0 if include_self else 0.0), dim, index, T.ones_like(src)
        )
        count = T.clamp(count, 1)
        return T.div(
            total, count, rounding_mode=None if input.is_floating_point() or input.is_complex() else "floor"
        )
    if reduce == "sum":
        return _scatter_add_arrays(input, dim, index, src)
    known = {"prod": "mul", "amax": "max", "amin": "min"}
    return as_torch(ops.tensor_scatter_elements(input, index, _clip_to_index(src, index), dim, known[reduce]))


def _start(reduce: str, dtype: Any) -> Any:
    """Return what a reduction begins with: what changes no element."""
    kind = dtypes.as_np(dtype)
    limits = jnp.iinfo(kind) if kind.kind in "iu" else None
    least, most = (-math.inf, math.inf) if limits is None else (int(limits.min), int(limits.max))
    return {"sum": 0, "mean": 0, "prod": 1, "amax": least, "amin": most}[reduce]


def _clip_to_index(src: Any, index: Any) -> Any:
    return src[tuple(slice(n) for n in index.shape)]


def _scatter_add_arrays(input: Any, dim: int, index: Any, src: Any) -> Any:
    return as_torch(ops.tensor_scatter_elements(input, index, _clip_to_index(src, index), dim, "add"))


def index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Slices reduced by number: "prod", "mean", "amax" or "amin"."""
    if not input.ndim:
        one = index_reduce(
            T.reshape(input, 1),
            0,
            T.reshape(index, -1),
            T.reshape(source, -1),
            reduce,
            include_self=include_self,
        )
        return T.reshape(one, ())
    at = wrap_dim(dim, input.ndim)
    shape = [1] * input.ndim
    shape[at] = -1
    spread = T.expand(T.reshape(index, *shape), *source.shape)
    return scatter_reduce(input, dim, spread, source, reduce, include_self=include_self)


def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return a part along a dimension replaced."""
    return _put(input, (slice(None),) * (wrap_dim(dim, input.ndim)) + (slice(start, end, step),), src)


def as_strided_scatter(
    input: Any, src: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0
) -> Any:
    """Return the elements at multiples of strides replaced."""
    places = storage_offset + sum(
        np.arange(n).reshape(-1, *[1] * (len(size) - 1 - i)) * step
        for i, (n, step) in enumerate(zip(size, stride, strict=True))
    )
    flat = _put(T.reshape(input, -1), (T.tensor(np.asarray(places)),), src)
    return T.reshape(flat, *input.shape)


def take(input: Any, index: Any) -> Any:
    """Elements by their numbers in one dimension; negative ones count from the end."""
    known, count = T.known_values(resolve(index)._value), math.prod(input.shape)
    if known is not None and ((known < -count) | (known >= count)).any():
        wrong = int(known[(known < -count) | (known >= count)][0])
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")
    return as_torch(mint.take(input, index))


def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Elements replaced by their numbers in one dimension, or added to."""
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {scalar_type(input.dtype)} and "
            f"source.dtype = {scalar_type(source.dtype)}"
        )
    places = (T.reshape(index, -1),)
    flat = index_put(T.reshape(input, -1), places, T.reshape(source, -1), accumulate)
    return T.reshape(flat, *input.shape)


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the indices of nonzero elements: one row per element, or one tensor per dimension."""
    if input.ndim == 0:
        found = T.reshape(nonzero(T.reshape(input, 1)), -1)
        return (found,) if as_tuple else T.zeros(found.shape[0], 0, dtype=dtypes.int64)
    return as_torch(mint.nonzero(input, as_tuple=as_tuple))


def argwhere(input: Any) -> Any:
    """Return the indices of nonzero elements, one row per element."""
    return nonzero(input)


def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """Return the same in so many rows: further ones are left out, and missing ones filled."""
    if input.ndim == 0:
        return T.zeros(size, 0, dtype=dtypes.int64)
    if not input.numel():  # JAX fills with zeros then
        return T.full((size, input.ndim), fill_value, dtype=dtypes.int64)
    found = jnp.nonzero(resolve(input)._value, size=size, fill_value=fill_value)
    return as_torch(wrap(jnp.stack(found, -1).astype(jnp.int64)))


def unravel_index(indices: Any, shape: Any) -> Any:
    """Numbers in one dimension as numbers in several."""
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == dtypes.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    found = jnp.unravel_index(resolve(indices)._value, sizes)
    return tuple(as_torch(wrap(part.astype(jnp.int64))) for part in found)


def repeat_interleave(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Each element so many times; of numbers alone, each place as often as its number says."""
    if repeats is None:
        return as_torch(mint.repeat_interleave(T.arange(input.shape[0]), input))
    return as_torch(mint.repeat_interleave(input, repeats, dim, output_size=output_size))


def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Any:  # fmt: skip
    """Return the indices at which values would be inserted into sorted ones."""
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites")
    values = T.as_tensor(input)
    return as_torch(
        mint.searchsorted(
            sorted_sequence,
            values,
            out_int32=out_int32,
            right=right or side == "right",
            side=None,
            sorter=sorter,
        )
    )


def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Slices along a dimension, scaled down to a norm of at most `maxnorm`."""
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    dim = wrap_dim(dim, input.ndim)
    others = [n for n in range(input.ndim) if n != dim]
    size = T.norm(input, p, others, True)
    return input * T.where(size > maxnorm, maxnorm / (size + 1e-7), T.ones_like(size))


NAMES = [
    name
    for name, value in list(globals().items())
    if not name.startswith("_") and getattr(value, "__module__", "") == __name__ and callable(value)
]
METHODS = [name for name in NAMES if name != "searchsorted"]
