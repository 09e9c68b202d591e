"""Sorting, quantiles, medians, histograms, cumulative extrema, correlations."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.core.tensor.tensor import resolve, wrap
from msjax.torch import return_types
from msjax.torch.functions import basic as T
from msjax.torch.tensors.call_conventions import wrap_dim
from msjax.torch.tensors.dtypes import scalar_type
from msjax.torch.tensors.tensor import Tensor, as_torch


@op(static="dim")
def _mode(x: Any, dim: int) -> tuple[Any, Any]:
    x = jnp.moveaxis(x, dim, -1)
    counts = (x[..., :, None] == x[..., None, :]).sum(-1)
    most = counts == counts.max(-1, keepdims=True)
    values = jnp.where(most, x, x.max(-1, keepdims=True)).min(-1, keepdims=True)
    last = x.shape[-1] - 1 - jnp.argmax((x == values)[..., ::-1], -1).astype(jnp.int64)
    return jnp.take_along_axis(x, last[..., None], -1)[..., 0], last


def histogram(input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Return the histogram: counts in each bin, and the bin edges."""
    raw = resolve(input)._value.reshape(-1)
    edges = resolve(bins)._value if isinstance(bins, Tensor) else bins
    weights = None if weight is None else resolve(weight)._value.reshape(-1)
    found, ends = jnp.histogram(raw, edges, range, weights, density)
    return return_types.histogram(*(as_torch(wrap(part.astype(raw.dtype))) for part in (found, ends)))


def cartesian_prod(*tensors: Any) -> Any:
    """All tuples of one element of each vector, as rows; of a single vector, its elements."""
    return T.reshape(tensors[0], -1) if len(tensors) == 1 else as_torch(ops.cartesian_prod(*tensors))


def quantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Values below which given shares of the elements are."""
    return _quantile(jnp.quantile, input, q, dim, keepdim, interpolation)


def nanquantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Return the same of what is not NaN."""
    return _quantile(jnp.nanquantile, input, q, dim, keepdim, interpolation)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number from 0 on is there, or the sum of its weights."""
    if dtypes.as_np(input.dtype).kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{scalar_type(input.dtype)}'")
    return as_torch(mint.bincount(input, weights, minlength))


def multinomial(input: Any, num_samples: int, replacement: bool = False) -> Any:
    """Places drawn with probabilities in proportion to the weights of each row.

    Raises:
        RuntimeError: for weights that are negative or not finite, or all zero; not in compiled functions.
    """
    known = T.known_values(resolve(input)._value)
    if known is not None:
        weights = np.asarray(known, np.float64)
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if weights.size and not weights.sum(-1).all():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    return as_torch(mint.multinomial(input, num_samples, replacement))


def _quantile(find: Any, input: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> Any:
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    shares = T.as_tensor(q, dtype=input.dtype)
    known = T.known_values(resolve(shares)._value)
    if known is not None and not ((known >= 0) & (known <= 1)).all():
        told = (
            f"be in the range [0, 1] but got {q}"
            if shares.ndim == 0
            else "values must be in the range [0, 1]"
        )
        raise RuntimeError(f"quantile() q {'must ' if shares.ndim == 0 else ''}{told}")
    dim = None if dim is None else wrap_dim(dim, input.ndim)
    whole = T.flatten(input) if dim is None else input
    found = as_torch(_quantiles(whole, shares, find, 0 if dim is None else dim, interpolation))
    if keepdim:
        at = [1] * input.ndim if dim is None else [n if i != dim else 1 for i, n in enumerate(input.shape)]
        found = T.reshape(found, *shares.shape, *at)
    return found


@op(static="find dim way")
def _quantiles(x: Any, q: Any, find: Any, dim: int, way: str) -> Any:
    return find(x, q, axis=dim, method=way)


def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the most frequent values along a dimension, the smallest of them if several are, and a place of each."""
    if not input.ndim:
        return return_types.mode(input, T.zeros((), dtype=dtypes.int64))
    dim = wrap_dim(dim, input.ndim)
    values, indices = as_torch(_mode(input, dim))
    if keepdim:
        values, indices = T.unsqueeze(values, dim), T.unsqueeze(indices, dim)
    return return_types.mode(values, indices)


def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean of what is not NaN."""
    return as_torch(ops.nanmean(input, dim, keepdim, dtype=dtype))


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Values in order along a dimension, and where they were."""
    return return_types.sort(*as_torch(mint.sort(input, dim=dim, descending=descending, stable=stable)))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the indices that sort the tensor."""
    return sort(input, dim, descending, stable).indices


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the k largest or smallest values along a dimension, and where they are."""
    found = return_types.topk(
        *as_torch(mint.topk(input if input.ndim else T.reshape(input, 1), k, dim, largest, sorted))
    )
    return found if input.ndim else return_types.topk(*(T.squeeze(each) for each in found))


def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the k-th smallest value along a dimension, and where it is."""
    return return_types.kthvalue(*as_torch(mint.kthvalue(input, k, dim, keepdim)))


def cummax(input: Any, dim: int) -> Any:
    """Return the largest values so far, and where they are."""
    return return_types.cummax(*as_torch(mint.cummax(input, dim)))


def cummin(input: Any, dim: int) -> Any:
    """Return the smallest values so far, and where they are."""
    return return_types.cummin(*as_torch(mint.cummin(input, dim)))


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the lower median; with `dim`, (values, indices)."""
    if dim is None:
        return _median_of_all(input, skip_nan=False)
    found = ops.median(input, dim, keepdim)
    return return_types.median(*as_torch(found))


def _median_of_all(input: Any, skip_nan: bool) -> Any:
    flat = T.flatten(input)
    if not flat.numel() and flat.is_floating_point():
        return T.full((), float("nan"), dtype=flat.dtype)
    return as_torch(_lower_median(flat, skip_nan))


@op(static="skip_nan")
def _lower_median(x: Any, skip_nan: bool) -> Any:
    nans = jnp.isnan(x).sum()
    last = x.size - 1  # NaN is sorted last
    k = jnp.maximum((last - nans) // 2, 0) if skip_nan else jnp.where(nans > 0, last, last // 2)
    return _pick_sorted(x, k)


@jax.custom_jvp
def _pick_sorted(x: Any, k: Any) -> Any:
    """Return the element at position `k` of the sorted vector; elements that are equal to it share its gradient."""
    return jnp.sort(x)[k]


@_pick_sorted.defjvp
def _pick_sorted_jvp(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
    x, k = primals
    found = _pick_sorted(x, k)
    equal = (x == found) | (jnp.isnan(x) & jnp.isnan(found))
    return found, jnp.where(equal, tangents[0], 0).sum() / equal.sum().astype(x.dtype)


@op(static="dim")
def _nanmedian(x: Any, dim: int) -> tuple[Any, Any]:
    places = jnp.argsort(x, dim, stable=True)  # NaN last
    there = (~jnp.isnan(x)).sum(dim, keepdims=True) if x.dtype.kind == "f" else x.shape[dim]
    k = jnp.maximum((there - 1) // 2, 0)
    k = jnp.broadcast_to(k, [1 if i == dim else n for i, n in enumerate(x.shape)])
    index = jnp.take_along_axis(places, k, dim)
    return jnp.take_along_axis(x, index, dim).squeeze(dim), index.squeeze(dim).astype(jnp.int64)


def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of what is not NaN; with `dim`, (values, indices)."""
    if dim is None:
        return _median_of_all(input, skip_nan=True)
    if not input.ndim:
        return return_types.nanmedian(input, T.zeros((), dtype=dtypes.int64))
    values, indices = as_torch(_nanmedian(input, wrap_dim(dim, input.ndim)))
    return return_types.nanmedian(
        *(T.unsqueeze(each, dim) if keepdim else each for each in (values, indices))
    )


def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest elements."""
    return return_types.aminmax(T.amin(input, dim, keepdim), T.amax(input, dim, keepdim))


def corrcoef(input: Any) -> Any:
    """Correlations of the rows."""
    c = as_torch(ops.cov(input))
    if c.ndim == 0:
        return c / c
    d = T.sqrt(as_torch(ops.diagonal(c)))  # type: ignore[attr-defined]
    return T.clamp(c / T.unsqueeze(d, 1) / T.unsqueeze(d, 0), -1, 1)


NAMES = [
    name
    for name, value in list(globals().items())
    if not name.startswith("_")
    and getattr(value, "__module__", "") == __name__
    and callable(value)
    and not isinstance(value, type)
]
METHODS = [name for name in NAMES if name != "cartesian_prod"]
