"""`torch.masked`: reductions and normalizations of the elements that a mask lets through."""

import math
from typing import Any

import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.torch import linalg
from msjax.torch.functions import basic as T
from msjax.torch.functions import served_from_mint
from msjax.torch.tensors.call_conventions import wrap_dim
from msjax.torch.tensors.tensor import as_torch


def _dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that are reduced: all, if none is said."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    found: list[int] = []
    for each in (dim,) if isinstance(dim, int) else dim:
        if wrap_dim(each, ndim) in found:
            raise RuntimeError(f"dim={each} appears multiple times in the list of dims")
        found.append(wrap_dim(each, ndim))
    return tuple(sorted(found))


def _whole_mask(input: Any, mask: Any) -> Any:
    if mask.ndim > input.ndim:
        raise IndexError("the mask must not have more dimensions than the input")
    return T.expand(mask, *input.shape).to(dtypes.bool_)


def _let_through(input: Any, mask: Any, otherwise: Any) -> Any:
    """The elements where the mask is true, and one value elsewhere."""
    if mask is None:
        return input
    return T.where(_whole_mask(input, mask), input, T.tensor(otherwise, dtype=input.dtype))


def _least(input: Any) -> Any:
    if input.is_floating_point():
        return -math.inf
    return False if input.dtype == dtypes.bool_ else int(np.iinfo(input.dtype.np).min)


def _most(input: Any) -> Any:
    if input.is_floating_point():
        return math.inf
    return True if input.dtype == dtypes.bool_ else int(np.iinfo(input.dtype.np).max)


def _is_inexact(dtype: Any) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def _summed_dtype(input: Any, dtype: Any) -> Any:
    return dtype or (input.dtype if _is_inexact(input.dtype) else dtypes.int64)


def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The sum of the elements where the mask is true.

    Args:
        input: the tensor.
        dim: one dimension or several; all, if none is given.
        keepdim: whether these stay, of size one.
        dtype: that of the result.
        mask: which elements count, of a shape that broadcasts to the input's. None: all.

    Examples:
        >>> from msjax import torch
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.masked.sum(x, 1, mask=torch.tensor([[True, False], [True, True]]))
        tensor([1., 7.])
    """
    kind = _summed_dtype(input, dtype)
    return T.sum(_let_through(input, mask, 0), _dims(dim, input.ndim) or None, keepdim, dtype=kind)


def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The product of the elements where the mask is true."""
    result = _let_through(input, mask, 1).to(_summed_dtype(input, dtype))
    for each in reversed(_dims(dim, input.ndim)):
        result = T.prod(result, each, keepdim)
    return result


def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The sums up to each place of the elements where the mask is true."""
    return _run_cumulative("cumsum", input, dim, dtype, mask, 0)


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The products up to each place of the elements where the mask is true."""
    return _run_cumulative("cumprod", input, dim, dtype, mask, 1)


def _run_cumulative(name: str, input: Any, dim: int, dtype: Any, mask: Any, start: int) -> Any:
    run = served_from_mint.find_function(name)
    kind = dtype or input.dtype
    return run(_let_through(input, mask, start), _dims(dim, input.ndim)[0], dtype=kind).to(kind)


def amax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The largest of the elements where the mask is true."""
    found = T.amax(_let_through(input, mask, _least(input)), _dims(dim, input.ndim) or None, keepdim)
    return found.to(dtype or input.dtype)


def amin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The smallest of the elements where the mask is true."""
    found = T.amin(_let_through(input, mask, _most(input)), _dims(dim, input.ndim) or None, keepdim)
    return found.to(dtype or input.dtype)


def argmax(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """Index of the largest element, in `input`'s dtype unless another is given."""
    return T.argmax(_let_through(input, mask, _least(input)), dim, keepdim).to(dtype or input.dtype)


def argmin(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """Index of the smallest element, in `input`'s dtype unless another is given."""
    return T.argmin(_let_through(input, mask, _most(input)), dim, keepdim).to(dtype or input.dtype)


def _count(input: Any, dim: Any, keepdim: bool, mask: Any) -> Any:
    there = T.ones_like(input, dtype=dtypes.int64) if mask is None else _whole_mask(input, mask)
    return sum(there, dim, keepdim=keepdim)


def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of the elements where the mask is true; NaN where there are none."""
    if not _is_inexact(kind := dtype or input.dtype):
        raise ValueError(f"mean(): Could not infer output dtype: it must be floating or complex. Got: {kind}")
    return sum(input, dim, keepdim=keepdim, dtype=kind, mask=mask) / _count(input, dim, keepdim, mask)


def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The lower median of the elements where the mask is true; NaN where there are none."""
    real = input if input.is_floating_point() else input.to(dtypes.float32)
    nanmedian = served_from_mint.find_function("nanmedian")
    found = nanmedian(_let_through(real, mask, math.nan), _dims(dim, input.ndim)[0], keepdim).values
    if real is input:
        return found
    if T.any(T.isnan(found)).item():  # type: ignore[attr-defined]
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype or input.dtype)


def logsumexp(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """log(sum(exp(x))) over the elements where the mask is true."""
    logsumexp = served_from_mint.find_function("logsumexp")
    given = input if _is_inexact(input.dtype) else input.to(dtypes.float32)
    found = logsumexp(_let_through(given, mask, -math.inf), _dims(dim, input.ndim), keepdim)
    return found.to(dtype or input.dtype)


def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    """log(exp(x) + exp(y)), each where its mask is true."""
    logaddexp = served_from_mint.find_function("logaddexp")
    sides = _let_through(input, input_mask, -math.inf), _let_through(other, other_mask, -math.inf)
    return logaddexp(*sides).to(dtype or input.dtype)


def norm(
    input: Any, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """The norm of vectors of the elements where the mask is true."""
    nothing = math.inf if ord == -math.inf else 0.0
    given = _let_through(input, mask, nothing)
    return linalg.vector_norm(given, ord, _dims(dim, input.ndim) or None, keepdim, dtype=dtype or input.dtype)


def _variance(input: Any, dim: Any, keepdim: bool, dtype: Any, mask: Any, correction: float) -> Any:
    kind = dtype or (input.dtype if _is_inexact(input.dtype) else dtypes.float32)
    inner = kind if _is_inexact(kind) else dtypes.float32
    count = _count(input, dim, True, mask)
    x = input - sum(input, dim, keepdim=True, dtype=kind, mask=mask) / count
    total = sum(x * as_torch(ops.conj(x)), dim, keepdim=keepdim, dtype=inner, mask=mask)
    count = count.to(inner.to_real() if inner.is_complex else inner)
    if not keepdim:
        count = T.reshape(count, tuple(total.shape))
    return (total / T.clamp(count - correction, 0)).to(kind)


def _correction(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    return (1.0 if unbiased in (None, True) else 0.0) if correction is None else float(correction)


def var(
    input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None, keepdim: bool = False,
    dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """The variance of the elements where the mask is true; NaN where there are none."""
    return _variance(input, dim, keepdim, dtype, mask, _correction(unbiased, correction))


def std(
    input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None, keepdim: bool = False,
    dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation of the elements where the mask is true; NaN where there are none."""
    return T.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask))  # type: ignore[attr-defined]


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The softmax over the elements where the mask is true, 0 elsewhere."""
    return T.softmax(_let_through(input, mask, _least(input)), dim, dtype)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of :func:`softmax`."""
    return T.log_softmax(_let_through(input, mask, _least(input)), dim, dtype)


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The softmax of -x over the elements where the mask is true, 0 elsewhere."""
    given = _let_through(input, mask, _most(input))
    return T.softmax(-(given if dtype is None else given.to(dtype)), dim)


def normalize(
    input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Any:
    """The elements over the norm of those where the mask is true."""
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _let_through(input, mask, 0) / T.clamp(T.real(size) if size.is_complex() else size, eps)  # type: ignore[attr-defined]
