"""Scatter, indexing and nonzero functions under PyTorch's signatures (index_copy, scatter_reduce, put ...)."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import resolve, wrap
from msjax.ops.array.scattering import masked_scatter as _masked_scatter
from msjax.torch.functions import basic as T
from msjax.torch.tensors.tensor import Tensor, dialect


def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """Slices replaced by number."""
    place = (slice(None),) * (dim % input.ndim) + (index,)
    return index_put(input, place, source)


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Elements replaced by numbers, or added to."""
    result = T.clone(input)
    result[tuple(indices)] = _summed(input, indices, values) if accumulate else values
    return result


def _summed(input: Any, indices: Any, values: Any) -> Any:
    zeros = jnp.zeros(input.shape, resolve(input)._value.dtype)
    raw = tuple(resolve(i)._value if isinstance(i, Tensor) else i for i in indices)
    total = dialect(wrap(zeros.at[raw].add(resolve(T.as_tensor(values))._value)))
    return (input + total)[tuple(indices)]


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Replace the elements where the mask is true by those of `source`, in order."""
    shape = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    return dialect(_masked_scatter(T.expand(input, *shape), T.expand(mask, *shape), source))


def scatter(
    input: Any, dim: int, index: Any, src: Any = None, *, reduce: str | None = None, value: Any = None
) -> Any:
    """Elements replaced at places along a dimension; with `reduce`, "add" or "multiply", changed by what is given."""
    src = value if src is None else src
    if reduce is None:
        return dialect(mint.scatter(input, dim, index, src))
    if reduce not in ("add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply. Received: {reduce!r}.")
    given = src if isinstance(src, Tensor) else T.full(tuple(index.shape), src, dtype=input.dtype)
    way = "add" if reduce == "add" else "mul"
    return dialect(ops.tensor_scatter_elements(input, index, _at(given, index), dim, way))


def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Elements reduced at places along a dimension."""
    if not include_self:
        input = scatter(input, dim, index, _START[reduce])
    if reduce == "mean":
        total = _added(input, dim, index, src)
        count = _added(T.full_like(input, 1.0 if include_self else 0.0), dim, index, T.ones_like(src))
        return total / T.clamp(count, 1.0)
    if reduce == "sum":
        return _added(input, dim, index, src)
    known = {"prod": "mul", "amax": "max", "amin": "min"}
    return dialect(ops.tensor_scatter_elements(input, index, _at(src, index), dim, known[reduce]))


_START = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}


def _at(src: Any, index: Any) -> Any:
    return src[tuple(slice(n) for n in index.shape)]


def _added(input: Any, dim: int, index: Any, src: Any) -> Any:
    return dialect(ops.tensor_scatter_elements(input, index, _at(src, index), dim, "add"))


def index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Slices reduced by number: "prod", "mean", "amax" or "amin"."""
    at = dim % input.ndim
    shape = [1] * input.ndim
    shape[at] = -1
    spread = T.expand(T.reshape(index, *shape), *source.shape)
    return scatter_reduce(input, dim, spread, source, reduce, include_self=include_self)


def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """A part along a dimension replaced."""
    return index_put(input, (slice(None),) * (dim % input.ndim) + (slice(start, end, step),), src)


def as_strided_scatter(
    input: Any, src: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0
) -> Any:
    """The elements at multiples of strides replaced."""
    places = storage_offset + sum(
        np.arange(n).reshape(-1, *[1] * (len(size) - 1 - i)) * step
        for i, (n, step) in enumerate(zip(size, stride, strict=True))
    )
    flat = index_put(T.reshape(input, -1), (T.tensor(np.asarray(places)),), src)
    return T.reshape(flat, *input.shape)


def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Elements replaced by their numbers in one dimension, or added to."""
    places = (T.reshape(index, -1),)
    flat = index_put(T.reshape(input, -1), places, T.reshape(source, -1), accumulate)
    return T.reshape(flat, *input.shape)


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the indices of nonzero elements: one row per element, or one tensor per dimension."""
    if input.ndim == 0:
        found = T.reshape(nonzero(T.reshape(input, 1)), -1)
        return (found,) if as_tuple else T.zeros(found.shape[0], 0, dtype=dtypes.int64)
    return dialect(mint.nonzero(input, as_tuple=as_tuple))


def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """The same in so many rows: further ones are left out, and missing ones filled."""
    found = jnp.nonzero(resolve(input)._value, size=size, fill_value=fill_value)
    return dialect(wrap(jnp.stack(found, -1).astype(jnp.int64)))


def unravel_index(indices: Any, shape: Any) -> Any:
    """Numbers in one dimension as numbers in several."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    found = jnp.unravel_index(resolve(indices)._value, sizes)
    return tuple(dialect(wrap(part.astype(jnp.int64))) for part in found)


def repeat_interleave(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Each element so many times; of numbers alone, each place as often as its number says."""
    if repeats is None:
        return dialect(mint.repeat_interleave(T.arange(input.shape[0]), input))
    return dialect(mint.repeat_interleave(input, repeats, dim, output_size=output_size))


def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Slices along a dimension, scaled down to a norm of at most `maxnorm`."""
    return dialect(ops.renorm(input, int(p), dim, float(maxnorm)))


NAMES = [
    name
    for name, value in list(globals().items())
    if not name.startswith("_") and getattr(value, "__module__", "") == __name__ and callable(value)
]
METHODS = NAMES
