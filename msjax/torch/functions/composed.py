"""Functions of PyTorch's that no function of MindSpore's matches in signature, composed of operators.

Every public function is one of `torch`, and where its first parameter is a tensor, a method of Tensor too.
"""

import builtins
import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import resolve, wrap
from msjax.core.tensor.view_strides import Geometry
from msjax.ops.array.strided import as_strided as _as_strided
from msjax.ops.common import promotion
from msjax.torch import return_types
from msjax.torch.functions import basic as T
from msjax.torch.functions import derivatives
from msjax.torch.tensors.call_conventions import can_cast as _can_cast
from msjax.torch.tensors.call_conventions import promote_types as _promote_types
from msjax.torch.tensors.call_conventions import promoted_dtype
from msjax.torch.tensors.call_conventions import wrap_dim as _wrap_dim
from msjax.torch.tensors.creation import get_default_dtype
from msjax.torch.tensors.tensor import Size, Tensor, as_torch


@op(static="dim running")
def _trapezoids(y: Any, x: Any, dim: int, running: bool) -> Any:
    y = jnp.moveaxis(y, dim, -1)
    steps = x if x.ndim == 0 else jnp.diff(x if x.ndim == 1 else jnp.moveaxis(x, dim, -1))
    areas = (y[..., 1:] + y[..., :-1]) / 2 * steps
    return jnp.moveaxis(jnp.cumsum(areas, -1), -1, dim) if running else areas.sum(-1)


def _integral(y: Any, x: Any, dx: Any, dim: int, running: bool) -> Any:
    y = y if y.is_floating_point() or y.is_complex() else y.to(get_default_dtype())
    if x is None:
        x = T.tensor(
            dx, dtype=dtypes.of(np.dtype(y.dtype.np).type(0).real.dtype) if y.is_complex() else y.dtype
        )
    elif not (x.is_floating_point() or x.is_complex()):
        x = x.to(y.dtype)
    return as_torch(_trapezoids(y, x, _wrap_dim(dim, y.ndim), running))


@op
def _unit(x: Any) -> Any:
    size = jnp.abs(x)
    return jnp.where(size == 0, 0, x / jnp.where(size == 0, 1, size))


def sgn(input: Any) -> Any:
    """Return the sign; of complex numbers, x / |x|."""
    return as_torch(_unit(input)) if input.is_complex() else T.sign(input)  # type: ignore[attr-defined]


def rot90(input: Any, k: int = 1, dims: Sequence[int] = (0, 1)) -> Any:
    """Rotate in the plane of two dimensions, k times by 90 degrees."""
    return as_torch(ops.rot90(input, k, list(dims)))


def tile(input: Any, *dims: Any) -> Any:
    """Repeat the tensor along each dimension."""
    return as_torch(ops.tile(input, T.shape_of(dims)))


def fill(input: Any, value: Any) -> Any:
    """Return a tensor of one value, like `input`."""
    return T.where(T.zeros_like(input, dtype=dtypes.bool_), input, T.as_tensor(value, dtype=input.dtype))


def constant_pad_nd(input: Any, pad: Sequence[int], value: Any = 0) -> Any:
    """Elements of one value around the tensor: (before, after) of the last dimension first."""
    return as_torch(ops.pad(input, tuple(pad), "constant", value))


_logaddexp = derivatives.adjust(ops.logaddexp)


def logaddexp(input: Any, other: Any) -> Any:
    """log(exp(x) + exp(y)), without overflow on the way."""
    if not input.is_complex():
        return as_torch(_logaddexp(input, other))
    first = T.real(input) >= T.real(other)  # type: ignore[attr-defined]
    large, small = T.where(first, input, other), T.where(first, other, input)
    both = as_torch(ops.isinf(T.real(large)))  # type: ignore[attr-defined]
    step = T.where(both, T.zeros_like(large), small - large)
    found = large + T.log1p(T.exp(step))  # type: ignore[attr-defined]
    return T.where(both, T.log(T.exp(input) + T.exp(other)), found)  # type: ignore[attr-defined]


def _whole(input: Any, *factors: Any) -> list[Any]:
    """The factors of a sum of products: beside whole numbers and bools, without what is behind the point."""
    exact = not (input.is_floating_point() or input.is_complex())
    return [int(each) if exact else each for each in factors]


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat1 @ mat2)."""
    return _add_product(ops.addmm, input, mat1, mat2, beta, alpha)


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat @ vec)."""
    return _add_product(ops.addmv, input, mat, vec, beta, alpha)


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * the sum of the products of matrices."""
    return _add_product(ops.addbmm, input, batch1, batch2, beta, alpha)


def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (batch1 @ batch2), for stacks of matrices."""
    return _add_product(ops.baddbmm, input, batch1, batch2, beta, alpha)


def _add_product(function: Any, input: Any, first: Any, second: Any, beta: Any, alpha: Any) -> Any:
    beta, alpha = _whole(input, beta, alpha)
    if beta == 0:  # what is in it does not count, be it NaN
        input = T.zeros_like(input)
    return as_torch(function(input, first, second, beta=beta, alpha=alpha))


def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input plus alpha times the outer product of two vectors; of bools, "or" and "and"."""
    product = outer(vec1, vec2)
    if input.dtype == dtypes.bool_:
        return (input & bool(beta)) | (product & bool(alpha))
    if not input.dtype == vec1.dtype == vec2.dtype:
        return T.add(T.mul(input, beta), product, alpha=alpha)  # type: ignore[attr-defined]
    return as_torch(ops.addr(input, vec1, vec2, beta=beta, alpha=alpha))


def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """Parts along the second dimension; of one dimension, along that."""
    return as_torch(ops.tensor_split(input, indices_or_sections, 1 if input.ndim > 1 else 0))


def polygamma(n: int, input: Any) -> Any:
    """Compute the derivative of order n of `digamma`."""
    return as_torch(ops.polygamma(n, input))


@op(static="dims order")
def _gradient(x: Any, spacing: Any, dims: tuple[int, ...], order: int) -> Any:
    """Central differences, for uneven steps too; at the ends differences of two, or with order 2 of three places."""
    found = []
    for step, dim in zip(spacing, dims, strict=True):
        y = jnp.moveaxis(x, dim, -1)
        h = jnp.diff(step) if step.ndim else jnp.broadcast_to(step, y.shape[-1] - 1)
        a, b = h[:-1], h[1:]
        slopes = jnp.diff(y, axis=-1) / h
        inner = (slopes[..., :-1] * b + slopes[..., 1:] * a) / (a + b)
        first, last = slopes[..., :1], slopes[..., -1:]
        if order == 2:
            first = first + (first - slopes[..., 1:2]) * h[:1] / (h[:1] + h[1:2])
            last = last + (last - slopes[..., -2:-1]) * h[-1:] / (h[-1:] + h[-2:-1])
        found.append(jnp.moveaxis(jnp.concatenate([first, inner, last], -1), -1, dim))
    return found


@op
def _frexp(x: Any) -> tuple[Any, Any]:
    mantissa, exponent = jnp.frexp(x)
    return mantissa, exponent.astype(jnp.int32)


@op
def _as_complex(x: Any) -> Any:
    return x[..., 0] + 1j * x[..., 1]


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """other - alpha * input."""
    T.check_sub(input, other)
    if isinstance(other, Tensor):
        return T.sub(other, input, alpha=alpha)
    return other - (input if alpha == 1 else T.mul(input, alpha))  # type: ignore[attr-defined]


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2, of numbers with a point."""
    if not any(each.is_floating_point() or each.is_complex() for each in (tensor1, tensor2)):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future release addcdiv will perform a true "
            "division of tensor1 and tensor2."
        )
    return as_torch(mint.addcdiv(input, tensor1, tensor2, value=value))


def clamp_min(input: Any, min: Any) -> Any:
    """Values not below `min`."""
    if input.dtype == dtypes.bool_ == promoted_dtype(input, min):
        return T.logical_or(input, T.as_tensor(min))  # type: ignore[attr-defined]
    return T.clamp(input.to(promoted_dtype(input, min)), min)


def clamp_max(input: Any, max: Any) -> Any:
    """Values not above `max`."""
    if input.dtype == dtypes.bool_ == promoted_dtype(input, max):
        return T.logical_and(input, T.as_tensor(max))  # type: ignore[attr-defined]
    return T.clamp(input.to(promoted_dtype(input, max)), None, max)


def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """Elements along a dimension by number, broadcast against the numbers; of all elements without `dim`."""
    if indices.dtype != dtypes.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype}")
    if dim is not None and input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    if dim is None:
        return as_torch(ops.gather_elements(T.flatten(input), 0, T.flatten(indices)))
    at = _wrap_dim(dim, input.ndim)
    one = [1 if i == at else n for i, n in enumerate(input.shape)]
    both = np.broadcast_shapes(one, [1 if i == at else n for i, n in enumerate(indices.shape)])
    shaped = lambda t: T.expand(t, *[t.shape[at] if i == at else n for i, n in enumerate(both)])  # noqa: E731
    return as_torch(ops.gather_elements(shaped(input), at, shaped(indices)))


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return a mask of the elements that occur in `test_elements`."""
    found = jnp.isin(resolve(T.as_tensor(elements))._value, resolve(T.as_tensor(test_elements))._value)
    return as_torch(wrap(~found if invert else found))


def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Compute a tensor contraction over several dimensions: a number of last and first ones, or two lists."""
    if isinstance(dims, int):
        dims = (list(builtins.range(a.ndim - dims, a.ndim)), list(builtins.range(dims)))
    left, right = ([_wrap_dim(n, t.ndim) for n in listed] for t, listed in zip((a, b), dims, strict=True))
    names = "abcdefghijklmnopqrstuvwxyz"
    first = list(names[: a.ndim])
    second = list(names[a.ndim : a.ndim + b.ndim])
    for i, j in zip(left, right, strict=True):
        second[j] = first[i]
    kept = [c for i, c in enumerate(first) if i not in left] + [
        c for j, c in enumerate(second) if j not in right
    ]
    return as_torch(ops.einsum(f"{''.join(first)},{''.join(second)}->{''.join(kept)}", a, b))


def chain_matmul(*matrices: Any) -> Any:
    """Return the product of matrices."""
    result = matrices[0]
    for each in matrices[1:]:
        result = T.mm(result, each)  # type: ignore[attr-defined]
    return result


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """Cosine of the angle between vectors along a dimension, each over its length or `eps`."""
    a, b = (x / T.clamp(T.norm(x, 2, dim, True), eps) for x in (x1, x2))
    return T.sum(a * b, dim)


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """Return the p-norm of the difference."""
    return T.norm(T.abs(T.sub(input, other)), p)


def dot(input: Any, tensor: Any) -> Any:
    """Return the sum of products of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    T.check_same_dtype(input, tensor)
    return T.sum(T.mul(input, tensor)).to(input.dtype)  # type: ignore[attr-defined]


def outer(input: Any, vec2: Any) -> Any:
    """Return the outer product of two vectors."""
    for name, each in (("self", input), ("vec2", vec2)):
        if each.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each.ndim}-D")
    return T.mul(T.unsqueeze(input, 1), vec2)  # type: ignore[attr-defined]


ger = outer


def ldexp(input: Any, other: Any) -> Any:
    """input times 2 to the power of `other`."""
    if isinstance(input, Tensor) and input.is_floating_point() and isinstance(other, Tensor):  # type: ignore[attr-defined]
        other = other if other.is_floating_point() or other.is_complex() else other.to(input.dtype)  # type: ignore[attr-defined]
    return as_torch(ops.ldexp(input, other))


def repeat(input: Any, *sizes: Any) -> Any:
    """Tile the tensor along each dimension."""
    counts = T.shape_of(sizes)
    if len(counts) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    return as_torch(ops.tile(input, counts))


def expand_as(input: Any, other: Any) -> Any:
    """Return a view in the shape of another tensor."""
    return T.expand(input, *other.shape)


def reshape_as(input: Any, other: Any) -> Any:
    """Return a view in the shape of another tensor."""
    return T.reshape(input, *other.shape)


def type_as(input: Any, tensor: Any) -> Any:
    """Return the tensor in the dtype of another."""
    return input.to(tensor.dtype)


def sum_to_size(input: Any, *size: Any) -> Any:
    """Sum over the dimensions in which the shape is larger."""
    shape = T.shape_of(size)
    if not shape:
        return T.sum(input)
    lead = input.ndim - len(shape)
    ones = [i for i, n in enumerate(shape, lead) if n == 1 != input.shape[i]]
    dims = (*builtins.range(lead), *ones)
    return T.reshape(T.sum(input, dims), *shape) if dims else input


def poisson(input: Any) -> Any:
    """Counts with the rates given."""
    drawn = jax.random.poisson(random_state.next_key(), resolve(input)._value.astype(jnp.float32))
    return as_torch(wrap(drawn)).to(input.dtype)


def binomial(count: Any, prob: Any) -> Any:
    """Numbers of successes in so many trials, of a probability."""
    n, p = (resolve(each)._value for each in (count, prob))
    drawn = jax.random.binomial(random_state.next_key(), n.astype(jnp.float32), p.astype(jnp.float32))
    return as_torch(wrap(drawn)).to(count.dtype)


def einsum(equation: Any, *operands: Any) -> Any:
    """Sums of products by an equation; or by lists of numbers after each operand, and of the result."""
    if isinstance(equation, str):
        given = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
        return as_torch(mint.einsum(equation, *given))
    listed = [equation, *operands]
    shown = ["".join("..." if n is Ellipsis else chr(97 + n) for n in names) for names in listed[1::2]]
    text = ",".join(shown) + (f"->{_subscript_letters(listed[-1])}" if len(listed) % 2 else "")
    return as_torch(mint.einsum(text, *listed[: 2 * len(shown) : 2]))


def _subscript_letters(names: Any) -> str:
    return "".join("..." if n is Ellipsis else chr(97 + n) for n in names)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of the elements as columns, the highest first unless `increasing`."""
    return as_torch(wrap(jnp.vander(resolve(x)._value, N, increasing)))


def conj_physical(input: Any) -> Any:
    """Return the conjugate."""
    return T.conj(input)  # type: ignore[attr-defined]


def split_with_sizes(input: Any, split_sizes: Sequence[int], dim: int = 0) -> Any:
    """Views of parts of given lengths along a dimension."""
    return T.split(input, list(split_sizes), dim)


def unsafe_split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Parts along a dimension."""
    return T.split(tensor, split_size_or_sections, dim)


def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """Equal parts along a dimension."""
    return T.chunk(input, chunks, dim)


unsafe_split_with_sizes = split_with_sizes


def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """Return the pseudo-inverse of matrices."""
    return as_torch(ops.pinv(input, rtol=rcond))


def trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """Return the integral by the trapezoidal rule."""
    return _integral(y, x, dx, dim, running=False)


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """Return the integral by the trapezoidal rule."""
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """Return the integrals up to each place."""
    return _integral(y, x, dx, dim, running=True)


def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """Central differences along each dimension."""
    spacing = 1.0 if spacing is None else spacing
    dims = (
        tuple(builtins.range(input.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    )
    dims = tuple(_wrap_dim(each, input.ndim) for each in dims)
    steps = list(spacing) if isinstance(spacing, list | tuple) else [spacing] * len(dims)
    input = input if input.is_floating_point() or input.is_complex() else input.to(get_default_dtype())
    return tuple(as_torch(_gradient(input, [T.as_tensor(step) for step in steps], dims, edge_order)))


def frexp(input: Any) -> Any:
    """Mantissas in [0.5, 1) and exponents of two."""
    return return_types.frexp(*as_torch(_frexp(input)))


def view_as_complex(input: Any) -> Any:
    """Complex numbers of pairs along the last dimension."""
    return as_torch(_as_complex(input))


def as_strided(
    input: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Any:
    """Return a view of elements of its memory at multiples of strides."""
    offset = input.storage_offset() if storage_offset is None else storage_offset
    return as_torch(_as_strided(input, tuple(size), tuple(stride), offset))


def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Any:
    """One dimension made several."""
    at = _wrap_dim(dim, input.ndim)
    sizes = list(sizes)
    if -1 in sizes:
        sizes[sizes.index(-1)] = input.shape[at] // -math.prod(sizes)
    if math.prod(sizes) != input.shape[at]:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {at} ({input.shape[at]})"
        )
    return T.reshape(input, (*input.shape[:at], *sizes, *input.shape[at + 1 :]))


def unfold(input: Any, dimension: int, size: int, step: int = 1) -> Any:
    """Return a view of windows along a dimension, as a new last one; where they overlap, one write counts."""
    at = _wrap_dim(dimension, max(input.ndim, 1))
    length = input.shape[at] if input.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {at} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not input.ndim:
        return T.reshape(as_torch(_sliding_windows(T.reshape(input, 1), 0, size, step)), -1)
    return as_torch(_sliding_windows(input, at, size, step))


def _window_places(length: int, size: int, step: int) -> Any:
    return jnp.arange(0, length - size + 1, step)[:, None] + jnp.arange(size)


def _windows_back(base: Any, changed: Any, *, dim: int, size: int, step: int) -> Any:
    places = _window_places(base.shape[dim], size, step)
    return base.at[(slice(None),) * dim + (places,)].set(jnp.moveaxis(changed, -1, dim + 1))


def _windows_geometry(base: Geometry, *, dim: int, size: int, step: int) -> Geometry:
    shape, strides = list(base.shape), list(base.strides)
    shape[dim] = (shape[dim] - size) // step + 1
    strides[dim] *= step
    return Geometry((*shape, size), (*strides, base.strides[dim]), base.offset)


@op(static="dim size step", view=_windows_back, geometry=_windows_geometry)
def _sliding_windows(x: Any, dim: int, size: int, step: int) -> Any:
    return jnp.moveaxis(jnp.take(x, _window_places(x.shape[dim], size, step), axis=dim), dim + 1, -1)


def signbit(input: Any) -> Any:
    """Elementwise whether the sign is minus, also that of zero."""
    return as_torch(_signbit(input))


@op
def _signbit(x: Any) -> Any:
    return jnp.signbit(x) if jnp.issubdtype(x.dtype, jnp.floating) else x < 0


def narrow_copy(input: Any, dim: int, start: int, length: int) -> Any:
    """Return a copy of a part along a dimension."""
    return T.clone(as_torch(ops.narrow(input, dim, start, length)))


def broadcast_tensors(*tensors: Any) -> Any:
    """Broadcast tensors to their common shape."""
    shape = broadcast_shapes(*(each.shape for each in tensors))
    return tuple([T.expand(each, *shape) for each in tensors])


def atleast_1d(*tensors: Any) -> Any:
    """Return a tensor, or each of several, with at least one dimension."""
    return _each(ops.atleast_1d, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Return a tensor, or each of several, with at least two dimensions."""
    return _each(ops.atleast_2d, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """Return a tensor, or each of several, with at least three dimensions."""
    return _each(ops.atleast_3d, tensors)


def _each(function: Any, tensors: Sequence[Any]) -> Any:
    several = len(tensors) != 1 or isinstance(tensors[0], list | tuple)
    given = tensors[0] if several and len(tensors) == 1 else tensors
    found = tuple([as_torch(function(each)) for each in given])
    return found if several else found[0]


def xlogy(input: Any, other: Any) -> Any:
    """Return x log(y), 0 where x is 0 and y a number."""
    return as_torch(_multiply_by_log(input, other, 0))


def xlog1py(input: Any, other: Any) -> Any:
    """Return x log(1 + y), 0 where x is 0 and y a number."""
    return as_torch(_multiply_by_log(input, other, 1))


@op(static="more", promotes=True)
def _multiply_by_log(x: ArrayOrNumber, y: ArrayOrNumber, more: int) -> Any:
    a, b = promotion.promote_and_broadcast("xlogy", input=x, other=y)
    return _x_log_y(promotion.to_float(a), promotion.to_float(b), more)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _x_log_y(x: Any, y: Any, more: int) -> Any:
    log = jnp.log1p(y) if more else jnp.log(y)
    return jnp.where((x == 0) & ~jnp.isnan(y), 0, x * log)


@_x_log_y.defjvp
def _x_log_y_jvp(more: int, primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    (x, y), (dx, dy) = primals, tangents
    # PyTorch's formulas: the derivative by x is 0 where x is 0 and the logarithm is not a number.
    slope = jnp.where((x == 0) & (y <= -more), 0, jnp.log1p(y) if more else jnp.log(y))
    return _x_log_y(x, y, more), dx * slope + dy * (x / (y + more if more else y))


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that shapes broadcast to."""
    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError as error:
        raise RuntimeError(f"Shape mismatch: {error}") from error


def concatenate(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Tensors joined along a dimension."""
    return T.cat(tensors, dim)


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return the index of the interval that holds each value."""
    return as_torch(ops.searchsorted(boundaries, T.as_tensor(input), out_int32=out_int32, right=right))


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """x1 @ weight @ x2 + bias for each output."""
    out = as_torch(ops.einsum("...i,oij,...j->...o", input1, weight, input2))
    return out if bias is None else out + bias


def range(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **where: Any) -> Any:  # noqa: A001
    """Return numbers from `start` to `end`, both included."""
    count = math.floor((end - start) / step) + 1
    return T.tensor(start + np.arange(count) * step, dtype=dtype or get_default_dtype(), **where)


def scalar_tensor(s: Any, *, dtype: Any = None, **where: Any) -> Any:
    """Return a tensor without dimensions, of the default dtype if nothing else is said."""
    return T.tensor(s, dtype=dtype or get_default_dtype(), **where)


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: Any = None, requires_grad: bool = False
) -> Any:
    """Return the tensor itself, or a new one."""
    return T.tensor(obj, dtype=dtype, requires_grad=requires_grad) if copy else T.as_tensor(obj, dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **named: Any) -> Any:
    """Draw normal random numbers: of `size`, or one for each mean and standard deviation."""
    shape = size if size is not None else np.broadcast_shapes(np.shape(mean), np.shape(std))
    return T.randn(*shape, **named) * std + mean


def result_type(tensor1: Any, tensor2: Any) -> Any:
    """Return the dtype of the sum of two tensors or numbers."""
    return promoted_dtype(tensor1, tensor2)


def promote_types(type1: Any, type2: Any) -> Any:
    """Return the dtype that two dtypes promote to."""
    return _promote_types(type1, type2)


def can_cast(from_: Any, to: Any) -> bool:
    """Return True if a dtype may be cast to another: not complex to real, real to integer, or number to bool."""
    return _can_cast(from_, to)


def is_same_size(input: Any, other: Any) -> bool:
    """Return True if shapes are equal."""
    return tuple(input.shape) == tuple(other.shape)


def _make_copying(name: str) -> Any:
    def copy(input: Any, *args: Any, **named: Any) -> Any:
        function = globals().get(name) or getattr(T, name, None) or getattr(Tensor, name)
        found = function(input, *args, **named)
        return tuple(map(T.clone, found)) if isinstance(found, tuple | list) else T.clone(found)

    copy.__name__ = copy.__qualname__ = f"{name}_copy"
    copy.__doc__ = f"A copy of what `{name}` gives a view of."
    return copy


_COPIED = """diagonal permute t transpose unsqueeze squeeze expand view unbind select detach split split_with_sizes
as_strided unfold""".split()
globals().update({f"{name}_copy": _make_copying(name) for name in _COPIED})


def slice_copy(
    input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return a copy of a part along a dimension."""
    return T.clone(
        input[(builtins.slice(None),) * (_wrap_dim(dim, input.ndim)) + (builtins.slice(start, end, step),)]
    )


def alias_copy(input: Any) -> Any:
    """Return a copy."""
    return T.clone(input)


NAMES = [
    name
    for name, value in list(globals().items())
    if not name.startswith("_")
    and getattr(value, "__module__", "") == __name__
    and callable(value)
    and not isinstance(value, type)
]
_MODULE_ONLY = """range scalar_tensor asarray normal result_type promote_types can_cast broadcast_shapes
broadcast_tensors atleast_1d atleast_2d atleast_3d concatenate chain_matmul einsum vander polygamma""".split()
_MODULE_ONLY += [name for name in NAMES if name.endswith("_copy") and name != "narrow_copy"]
_MODULE_ONLY += ["fill", "constant_pad_nd", "binomial"]
_METHODS_ONLY = "expand_as reshape_as type_as sum_to_size repeat".split()
METHODS = [name for name in NAMES if name not in (*_MODULE_ONLY, "xlog1py")]
NAMES = [name for name in NAMES if name not in (*_METHODS_ONLY, "xlog1py")]  # that one is of `torch.special`
