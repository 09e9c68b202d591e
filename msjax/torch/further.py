"""Functions of PyTorch's that no function of MindSpore's matches in signature, composed of operators.

Every public function is one of `torch`, and where its first parameter is a tensor, a method of Tensor too.
"""

import builtins
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.op import op
from msjax.core.tensor import resolve, wrap
from msjax.ops.scattering import masked_scatter as _masked_scatter
from msjax.ops.strided import as_strided as _as_strided
from msjax.torch import functions as T
from msjax.torch.creating import get_default_dtype
from msjax.torch.tensor import Size, Tensor, dialect


@op(static="dim")
def _mode(x: Any, dim: int) -> tuple[Any, Any]:
    x = jnp.moveaxis(x, dim, -1)
    counts = (x[..., :, None] == x[..., None, :]).sum(-1)
    most = counts == counts.max(-1, keepdims=True)
    values = jnp.where(most, x, x.max(-1, keepdims=True)).min(-1)
    here = x == values[..., None]
    return values, x.shape[-1] - 1 - jnp.argmax(here[..., ::-1], -1).astype(jnp.int64)


@op(static="dim")
def _cumulative_trapezoid(y: Any, x: Any, dim: int) -> Any:
    y = jnp.moveaxis(y, dim, -1)
    steps = x if x.ndim == 0 else jnp.diff(x if x.ndim == 1 else jnp.moveaxis(x, dim, -1))
    return jnp.moveaxis(jnp.cumsum((y[..., 1:] + y[..., :-1]) / 2 * steps, -1), -1, dim)


@op(static="dims")
def _gradient(x: Any, spacing: Any, dims: tuple[int, ...]) -> Any:
    return [jnp.gradient(x, step, axis=dim) for step, dim in zip(spacing, dims, strict=True)]


@op
def _frexp(x: Any) -> tuple[Any, Any]:
    mantissa, exponent = jnp.frexp(x)
    return mantissa, exponent.astype(jnp.int32)


@op
def _paired(x: Any) -> Any:
    return x[..., 0] + 1j * x[..., 1]


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """other - alpha * input."""
    return T.sub(other if isinstance(other, Tensor) else T.full_like(input, other), input, alpha=alpha)


def clamp_min(input: Any, min: Any) -> Any:
    """Values not below `min`."""
    return T.clamp(input, min)


def clamp_max(input: Any, max: Any) -> Any:
    """Values not above `max`."""
    return T.clamp(input, None, max)


def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """Elements along a dimension by number, broadcast against the numbers; of all elements without `dim`."""
    if dim is None:
        return dialect(ops.gather_elements(T.flatten(input), 0, T.flatten(indices)))
    at = dim % input.ndim
    one = [1 if i == at else n for i, n in enumerate(input.shape)]
    both = np.broadcast_shapes(one, [1 if i == at else n for i, n in enumerate(indices.shape)])
    shaped = lambda t: T.expand(t, *[t.shape[at] if i == at else n for i, n in enumerate(both)])  # noqa: E731
    return dialect(ops.gather_elements(shaped(input), at, shaped(indices)))


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Which elements are among others."""
    found = jnp.isin(resolve(T.as_tensor(elements))._value, resolve(T.as_tensor(test_elements))._value)
    return dialect(wrap(~found if invert else found))


def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Sums of products over several dimensions: so many last and first ones, or two lists."""
    if isinstance(dims, int):
        dims = (list(builtins.range(a.ndim - dims, a.ndim)), list(builtins.range(dims)))
    left, right = ([n % t.ndim for n in listed] for t, listed in zip((a, b), dims, strict=True))
    names = "abcdefghijklmnopqrstuvwxyz"
    first = list(names[: a.ndim])
    second = list(names[a.ndim : a.ndim + b.ndim])
    for i, j in zip(left, right, strict=True):
        second[j] = first[i]
    kept = [c for i, c in enumerate(first) if i not in left] + [
        c for j, c in enumerate(second) if j not in right
    ]
    return dialect(ops.einsum(f"{''.join(first)},{''.join(second)}->{''.join(kept)}", a, b))


def chain_matmul(*matrices: Any) -> Any:
    """The product of matrices."""
    result = matrices[0]
    for each in matrices[1:]:
        result = T.mm(result, each)  # type: ignore[attr-defined]
    return result


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The p-norm of the difference."""
    return T.norm(T.sub(input, other), p)


def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """The pseudo-inverse of matrices."""
    return dialect(ops.pinv(input, rtol=rcond))


def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent values along a dimension, the smallest of them if several are, and a place of each."""
    values, indices = dialect(_mode(input, dim))
    if keepdim:
        values, indices = T.unsqueeze(values, dim), T.unsqueeze(indices, dim)
    return T.Extremes(values, indices)


def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of what is not NaN."""
    return dialect(ops.nanmean(input, dim, keepdim, dtype=dtype))


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Values in order along a dimension, and where they were."""
    return T.Extremes(*dialect(mint.sort(input, dim=dim, descending=descending, stable=stable)))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Where the values in order are."""
    return sort(input, dim, descending, stable).indices


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest or smallest values along a dimension, and where they are."""
    return T.Extremes(*dialect(mint.topk(input, k, dim, largest, sorted)))


def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest value along a dimension, and where it is."""
    return T.Extremes(*dialect(mint.kthvalue(input, k, dim, keepdim)))


def cummax(input: Any, dim: int) -> Any:
    """The largest values so far, and where they are."""
    return T.Extremes(*dialect(mint.cummax(input, dim)))


def cummin(input: Any, dim: int) -> Any:
    """The smallest values so far, and where they are."""
    return T.Extremes(*dialect(mint.cummin(input, dim)))


def _window(name: str) -> Any:
    def window(window_length: int, periodic: bool = True, *args: Any, dtype: Any = None, **named: Any) -> Any:
        kept = {key: value for key, value in named.items() if key in ("alpha", "beta")}
        made = getattr(ops, name)(window_length, periodic, *args, dtype=dtype or dtypes.float32, **kept)
        return T.tensor(made, requires_grad=named.get("requires_grad", False))

    window.__name__ = name
    window.__doc__ = f"The {name.replace('_', ' ')}."
    return window


bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window = map(
    _window, ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window")
)


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median; with `dim`, (values, indices)."""
    if dim is None:
        return _middle(T.flatten(input), 0)
    found = ops.median(input, dim, keepdim)
    return T.Extremes(*dialect(found))


def _middle(flat: Any, missing: int) -> Any:
    k = (flat.shape[0] - missing - 1) // 2
    return dialect(ops.sort(flat)[0])[builtins.max(k, 0)]


def nanmedian(input: Any) -> Any:
    """The lower median of what is not NaN."""
    flat = T.flatten(input)
    return _middle(flat, int(T.sum(T.isnan(flat)).item()))  # type: ignore[attr-defined]


def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest and the largest elements."""
    return Ends(T.amin(input, dim, keepdim), T.amax(input, dim, keepdim))


class Ends(NamedTuple):
    """The smallest and the largest elements."""

    min: Any
    max: Any


def corrcoef(input: Any) -> Any:
    """Correlations of the rows."""
    c = dialect(ops.cov(input))
    if c.ndim == 0:
        return c / c
    d = T.sqrt(dialect(ops.diagonal(c)))  # type: ignore[attr-defined]
    return T.clamp(c / T.unsqueeze(d, 1) / T.unsqueeze(d, 0), -1, 1)


def trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral by the trapezoidal rule."""
    return dialect(ops.trapz(y, x, dx=dx, dim=dim))


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral by the trapezoidal rule."""
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integrals up to each place."""
    return dialect(_cumulative_trapezoid(y, T.tensor(dx) if x is None else x, dim))


def gradient(input: Any, *, spacing: Any = 1.0, dim: Any = None, edge_order: int = 1) -> Any:
    """Central differences along each dimension."""
    dims = (
        tuple(builtins.range(input.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    )
    steps = list(spacing) if isinstance(spacing, list | tuple) else [spacing] * len(dims)
    return tuple(dialect(_gradient(input, [T.as_tensor(step) for step in steps], dims)))


def frexp(input: Any) -> Any:
    """Mantissas in [0.5, 1) and exponents of two."""
    return Frexp(*dialect(_frexp(input)))


class Frexp(NamedTuple):
    """What :func:`frexp` gives."""

    mantissa: Any
    exponent: Any


def view_as_complex(input: Any) -> Any:
    """Complex numbers of pairs along the last dimension."""
    return dialect(_paired(input))


def as_strided(
    input: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Any:
    """A view of elements of its memory at multiples of strides."""
    offset = input.storage_offset() if storage_offset is None else storage_offset
    return dialect(_as_strided(input, tuple(size), tuple(stride), offset))


def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Any:
    """One dimension made several."""
    at = dim % input.ndim
    sizes = list(sizes)
    if -1 in sizes:
        sizes[sizes.index(-1)] = input.shape[at] // -math.prod(sizes)
    if math.prod(sizes) != input.shape[at]:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {at} ({input.shape[at]})"
        )
    return T.reshape(input, (*input.shape[:at], *sizes, *input.shape[at + 1 :]))


def unfold(input: Any, dimension: int, size: int, step: int = 1) -> Any:
    """Windows along a dimension, as a new last one."""
    at = dimension % input.ndim
    starts = builtins.range(0, input.shape[at] - size + 1, step)
    windows = [dialect(ops.narrow(input, at, start, size)) for start in starts]
    stacked = T.stack(windows, at)
    order = [i for i in builtins.range(stacked.ndim) if i != at + 1] + [at + 1]
    return T.permute(stacked, order)


def narrow_copy(input: Any, dim: int, start: int, length: int) -> Any:
    """A copy of a part along a dimension."""
    return T.clone(dialect(ops.narrow(input, dim, start, length)))


def broadcast_tensors(*tensors: Any) -> Any:
    """Tensors in the shape that they have together."""
    return [T.expand(each, *broadcast_shapes(*(t.shape for t in tensors))) for each in tensors]


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that shapes have together."""
    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError as error:
        raise RuntimeError(f"Shape mismatch: {error}") from error


def concatenate(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Tensors joined along a dimension."""
    return T.cat(tensors, dim)


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
    """Where the mask holds, the elements of `source` in their order."""
    return dialect(_masked_scatter(input, mask, source))


def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Elements reduced at places along a dimension."""
    if not include_self:
        start = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}[reduce]
        input = T.clone(input).scatter_(dim, index, start)
    if reduce == "mean":
        total = (
            dialect(ops.scatter_add_ext(input, dim, index, src)) if False else _added(input, dim, index, src)
        )
        count = _added(T.full_like(input, 1.0 if include_self else 0.0), dim, index, T.ones_like(src))
        return total / T.clamp(count, 1.0)
    if reduce == "sum":
        return _added(input, dim, index, src)
    known = {"prod": "mul", "amax": "max", "amin": "min"}
    return dialect(ops.tensor_scatter_elements(input, index, _at(src, index), dim, known[reduce]))


def _at(src: Any, index: Any) -> Any:
    return src[tuple(slice(n) for n in index.shape)]


def _added(input: Any, dim: int, index: Any, src: Any) -> Any:
    return dialect(ops.tensor_scatter_elements(input, index, _at(src, index), dim, "add"))


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """The number of the interval that holds each value."""
    return dialect(ops.searchsorted(boundaries, T.as_tensor(input), out_int32=out_int32, right=right))


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """x1 @ weight @ x2 + bias for each output."""
    out = dialect(ops.einsum("...i,oij,...j->...o", input1, weight, input2))
    return out if bias is None else out + bias


def range(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **where: Any) -> Any:  # noqa: A001
    """Numbers from `start` to `end`, which is among them."""
    count = math.floor((end - start) / step) + 1
    return T.tensor(start + np.arange(count) * step, dtype=dtype or get_default_dtype(), **where)


def scalar_tensor(s: Any, *, dtype: Any = None, **where: Any) -> Any:
    """A tensor without dimensions, of the default dtype if nothing else is said."""
    return T.tensor(s, dtype=dtype or get_default_dtype(), **where)


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: Any = None, requires_grad: bool = False
) -> Any:
    """The tensor itself, or a new one."""
    return T.tensor(obj, dtype=dtype, requires_grad=requires_grad) if copy else T.as_tensor(obj, dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **named: Any) -> Any:
    """Normal random numbers: of `size`, or one for each mean and standard deviation."""
    shape = size if size is not None else np.broadcast_shapes(np.shape(mean), np.shape(std))
    return T.randn(*shape, **named) * std + mean


def result_type(tensor1: Any, tensor2: Any) -> Any:
    """The dtype of the sum of two tensors or numbers."""
    return T.add(T.as_tensor(tensor1) if not isinstance(tensor1, Tensor) else tensor1, tensor2).dtype


def promote_types(type1: Any, type2: Any) -> Any:
    """The dtype that two have together."""
    return T.add(T.zeros(1, dtype=type1), T.zeros(1, dtype=type2)).dtype


def can_cast(from_: Any, to: Any) -> bool:
    """Whether a dtype may be written into another: not complex into real, real into whole, or number into bool."""
    ranks = [
        0 if d is dtypes.bool_ else 3 if d.is_complex else 2 if d.is_floating_point else 1
        for d in (from_, to)
    ]
    return ranks[0] <= ranks[1]


def is_same_size(input: Any, other: Any) -> bool:
    """Whether shapes agree."""
    return tuple(input.shape) == tuple(other.shape)


NAMES = [
    name
    for name, value in list(globals().items())
    if not name.startswith("_")
    and getattr(value, "__module__", "") == __name__
    and callable(value)
    and not isinstance(value, type)
]
_MODULE_ONLY = """range scalar_tensor asarray normal result_type promote_types can_cast broadcast_shapes
broadcast_tensors concatenate chain_matmul""".split()
METHODS = [name for name in NAMES if not name.endswith("_window") and name not in _MODULE_ONLY]
