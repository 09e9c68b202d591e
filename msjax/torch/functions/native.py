"""PyTorch's native (ATen) operators, which its functions and derivatives call: `native_batch_norm`, `_safe_softmax` ..."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.core.tensor.tensor import resolve, wrap
from msjax.ops.image.grid_sampling import grid_sample_cubic
from msjax.torch import return_types
from msjax.torch.functions import basic as T
from msjax.torch.functions import indexing_scatter
from msjax.torch.tensors.call_conventions import wrap_dim
from msjax.torch.tensors.tensor import as_torch

# ---------------------------------------------------------------------- normalization


def _scale_and_shift(x: Any, mean: Any, scale: Any, weight: Any, bias: Any) -> Any:
    y = (x - mean) * scale
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> tuple:
    """Layer normalization, the mean and the reciprocal of the standard deviation."""
    dims = [*range(-len(normalized_shape), 0)]
    variance, mean = T.var_mean(input, dims, False, True)
    scale = T.rsqrt(variance + eps)  # type: ignore[attr-defined]
    return _scale_and_shift(input, mean, scale, weight, bias), mean, scale


def native_group_norm(
    input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple:
    """Group normalization, and of each group the mean and the reciprocal of the standard deviation."""
    grouped = T.reshape(input, N, group, -1)
    variance, mean = T.var_mean(grouped, -1, False, True)
    scale = T.rsqrt(variance + eps)  # type: ignore[attr-defined]
    y = T.reshape((grouped - mean) * scale, *input.shape)
    channels = [
        None if each is None else T.reshape(each, 1, C, *[1] * (input.ndim - 2)) for each in (weight, bias)
    ]
    return _scale_and_shift(y, 0, 1, *channels), T.reshape(mean, N, group), T.reshape(scale, N, group)


def native_batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float
) -> tuple:  # fmt: skip
    """Batch normalization; of the batch, in training, the mean and the reciprocal of the standard deviation.

    Args:
        input: of shape (n, channels, ...).
        weight: of shape (channels,), or None.
        bias: the same.
        running_mean: changed in training; None: the batch's is used.
        running_var: the same of the variance.
        training: whether the statistics are the batch's.
        momentum: the share of the batch in the running statistics.
        eps: added to the variance.
    """
    spread = lambda each: None if each is None else T.reshape(each, -1, *[1] * (input.ndim - 2))  # noqa: E731
    if not training:
        scale = T.rsqrt(running_var + eps)  # type: ignore[attr-defined]
        y = _scale_and_shift(input, *map(spread, (running_mean, scale, weight, bias)))
        return y, T.empty(0, dtype=input.dtype), T.empty(0, dtype=input.dtype)
    dims = [0, *range(2, input.ndim)]
    variance, mean = T.var_mean(input, dims, False)
    scale = T.rsqrt(variance + eps)  # type: ignore[attr-defined]
    count = input.numel() // input.shape[1]
    unbiased = variance.detach() * (count / max(count - 1, 1))
    for running, new in ((running_mean, mean.detach()), (running_var, unbiased)):
        if running is not None:
            resolve(running)._assign(resolve(running * (1 - momentum) + new * momentum)._value)
    return _scale_and_shift(input, *map(spread, (mean, scale, weight, bias))), mean, scale


def _native_batch_norm_legit(input: Any, weight: Any, bias: Any, *others: Any) -> tuple:
    if len(others) == 3:  # training, momentum, eps: without running statistics
        others = (None, None, *others)
    return native_batch_norm(input, weight, bias, *others)


def _batch_norm_with_update(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: float, eps: float
) -> tuple:
    found = native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found, T.empty(0, dtype=dtypes.uint8)


# ---------------------------------------------------------------------- softmax, dropout, pooling, sampling


def _safe_softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    """The softmax; zeros where all is minus infinity."""
    x = input if dtype is None else input.to(dtype)
    hidden = T.all(x == -math.inf, dim, True)
    return T.where(hidden, T.zeros_like(x), T.softmax(T.where(hidden, T.zeros_like(x), x), dim))


def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """The gradient of a softmax, of its result."""
    product = grad_output * output
    return (product - output * T.sum(product, dim, True)).to(input_dtype)


def native_dropout_backward(grad_output: Any, mask: Any, scale: float) -> Any:
    """The gradient of dropout, of what it kept."""
    return grad_output * (mask.to(grad_output.dtype) * scale)


def max_pool2d_with_indices_backward(
    grad_output: Any, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices: Any
) -> Any:  # fmt: skip
    """The gradient of max pooling, of the places of the largest elements."""
    flat = T.zeros(*input.shape[:-2], math.prod(input.shape[-2:]), dtype=grad_output.dtype)
    lead = (*input.shape[:-2], -1)
    parts = T.reshape(indices, *lead), T.reshape(grad_output, *lead)
    return T.reshape(indexing_scatter.scatter_add(flat, -1, *parts), *input.shape)


_MODES, _BORDERS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def grid_sampler_2d(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """`grid_sample` of images, its modes by number."""
    way = _MODES[interpolation_mode], _BORDERS[padding_mode]
    return grid_sample(input, grid, *way, align_corners)


def grid_sample(input: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool | None) -> Any:
    """Images at the places that a grid names: see `torch.nn.functional.grid_sample`."""
    if mode == "bicubic" and input.ndim == 4:
        return as_torch(grid_sample_cubic(input, grid, padding_mode, bool(align_corners)))
    return as_torch(ops.grid_sample(input, grid, mode, padding_mode, align_corners))


def grid_sampler_3d(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """`grid_sample` of volumes, its modes by number."""
    return grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)


# ---------------------------------------------------------------------- places and parts


def _clamp_indices(input: Any, indices: Sequence[Any]) -> list[Any]:
    return [
        slice(None) if each is None else T.clamp(each, -size, size - 1)
        for each, size in zip(indices, input.shape, strict=False)
    ]


def _unsafe_masked_index(input: Any, mask: Any, indices: Sequence[Any], fill: Any) -> Any:
    """The elements at places, and one value where the mask is false; places beyond the ends are taken for the last."""
    found = input[tuple(_clamp_indices(input, indices))]
    return T.where(mask, found, T.tensor(fill, dtype=found.dtype))


def _unsafe_masked_index_put_accumulate(input: Any, mask: Any, indices: Sequence[Any], values: Any) -> Any:
    """Elements added to at places where the mask is true; places beyond the ends are taken for the last."""
    kept = T.where(mask, values, T.zeros_like(values))
    return indexing_scatter.index_put(input, tuple(_clamp_indices(input, indices)), kept, accumulate=True)


def _chunk_cat(tensors: Sequence[Any], dim: int, num_chunks: int) -> Any:
    """The tensors in equal parts along a dimension, with zeros at the ends, joined part by part."""
    parts = []
    for each in tensors:
        at = wrap_dim(dim, each.ndim)
        missing = -each.shape[at] % num_chunks
        whole = as_torch(ops.pad(each, (0, 0) * (each.ndim - at - 1) + (0, missing))) if missing else each
        parts.append(T.reshape(whole, *each.shape[:at], num_chunks, -1))
    return T.cat(parts, wrap_dim(dim, tensors[0].ndim) + 1)


# ---------------------------------------------------------------------- histograms, segments, hashes


def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """The histogram of points, which are the rows of the last dimension: counts, and for each coordinate the edges.

    Args:
        input: of shape (..., coordinates).
        bins: how many, for all coordinates or for each; or the edges for each.
        range: the first and the last edge of each coordinate, in one list. None: the smallest and largest numbers.
        weight: what each point counts.
        density: whether the result is divided by the sum and the volume of the bins.
    """
    points = np.asarray(resolve(input)._value).reshape(-1, input.shape[-1])
    counts = [bins] * points.shape[1] if isinstance(bins, int) else list(bins)
    edges: Any = [each if isinstance(each, int) else np.asarray(resolve(each)._value) for each in counts]
    ends = None if range is None else list(zip(range[::2], range[1::2], strict=True))
    weights = None if weight is None else np.asarray(resolve(weight)._value).reshape(-1)
    if ends is None:
        ends = [_ends(column) for column in points.T]
    found, places = np.histogramdd(points, edges, ends, density, weights)
    kind = points.dtype
    return return_types.histogramdd(
        T.tensor(found.astype(kind)), tuple(T.tensor(each.astype(kind)) for each in places)
    )


def _ends(column: np.ndarray) -> tuple[float, float]:
    first, last = (float(column.min()), float(column.max())) if column.size else (0.0, 1.0)
    return (first - 0.5, last + 0.5) if first == last else (first, last)


_WIDEST = {"b": jnp.int64, "i": jnp.int64, "u": jnp.uint64, "f": jnp.float64}


def hash_tensor(input: Any, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Any:
    """The exclusive or of the elements' bits, widened to 64."""
    if mode != 0:
        raise RuntimeError(f"hash_tensor: Unknown mode {mode}")
    raw = resolve(input)._value
    kind = "f" if raw.dtype == jnp.bfloat16 else np.dtype(raw.dtype).kind
    bits = jax.lax.bitcast_convert_type(raw.astype(_WIDEST[kind]), jnp.uint64)
    dims = [dim] if isinstance(dim, int) else list(dim or range(raw.ndim))
    axes = tuple(wrap_dim(each, raw.ndim) for each in dims)
    found = jax.lax.reduce(bits, np.uint64(0), jax.lax.bitwise_xor, axes)
    return as_torch(wrap(jnp.expand_dims(found, axes) if keepdim else found))


@op(static="reduce count axis")
def _segments(x: Any, numbers: Any, start: Any, nothing: Any, reduce: str, count: int, axis: int) -> Any:
    """Elements reduced by the number of their segment along a dimension: there is one more segment, which is left out."""
    rows = jnp.moveaxis(x, axis, -1)
    lead = rows.shape[:-1]
    flat, places = rows.reshape(-1, rows.shape[-1]), numbers.reshape(-1, numbers.shape[-1])

    def reduced(row: Any, number: Any) -> Any:
        there = jax.ops.segment_sum(jnp.ones_like(row), number, count + 1)[:-1]
        if reduce == "prod":  # JAX's segment_prod has no derivative
            found = jnp.where(number == jnp.arange(count)[:, None], row, 1).prod(-1)
        else:
            by = {"mean": "sum"}.get(reduce, reduce)
            found = getattr(jax.ops, f"segment_{by}")(row, number, count + 1)[:-1]
        join = {
            "sum": jnp.add,
            "prod": jnp.multiply,
            "max": jnp.maximum,
            "min": jnp.minimum,
            "mean": jnp.add,
        }[reduce]
        full = join(jnp.where(there > 0, found, start), start)
        return full / jnp.maximum(there, 1) if reduce == "mean" else full, there

    found, there = jax.vmap(reduced)(flat, places)
    found = jnp.where(there == 0, nothing, found)
    return jnp.moveaxis(found.reshape(*lead, count), -1, axis)


def segment_reduce(
    data: Any, reduce: str, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: int = 0,
    unsafe: bool = False, initial: Any = None,
) -> Any:  # fmt: skip
    """Segments along a dimension, each reduced to one element.

    Args:
        data: the tensor.
        reduce: "sum", "mean", "max", "min" or "prod".
        lengths: of the segments, along the last dimension.
        indices: must be None.
        offsets: in place of lengths where the segments begin, and the end.
        axis: the dimension, of which lengths or offsets have the last.
        unsafe: of no effect: lengths are not looked at.
        initial: what a reduction begins with, and gives for an empty segment.

    Examples:
        >>> from msjax import torch
        >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0]), "sum", lengths=torch.tensor([2, 1]))
        tensor([3., 3.])
    """
    if reduce not in ("sum", "mean", "max", "min", "prod"):
        raise RuntimeError(f"segment_reduce(): Unsupported reduction {reduce!r}.")
    if indices is not None or (lengths is None and offsets is None):
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    given: Any = lengths if offsets is None else offsets
    numbers = np.asarray(given.numpy())
    if offsets is None:
        ends = np.cumsum(numbers, -1)
        first = np.zeros_like(ends[..., :1])
    else:
        ends, first = numbers[..., 1:], numbers[..., :1]
    at = wrap_dim(axis, data.ndim)
    places = np.arange(data.shape[at])
    numbers = (places[:, None] >= ends[..., None, :]).sum(-1)
    numbers = np.where(places < first, ends.shape[-1], numbers)
    inner = data.shape[at + 1 :]
    spread = np.broadcast_to(numbers.reshape(*numbers.shape, *[1] * len(inner)), data.shape)
    neutral = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}[reduce]
    start = T.tensor(neutral if initial is None else initial, dtype=data.dtype)
    nothing = T.tensor(math.nan, dtype=data.dtype) if reduce == "mean" and initial is None else start
    places_last = T.tensor(np.moveaxis(spread, at, -1).copy())
    return as_torch(_segments(data, places_last, start, nothing, reduce, ends.shape[-1], at))


_segment_reduce = segment_reduce

NAMES = """native_layer_norm native_group_norm native_batch_norm _native_batch_norm_legit _batch_norm_with_update
_safe_softmax _softmax_backward_data native_dropout_backward max_pool2d_with_indices_backward grid_sampler_2d grid_sampler_3d
_unsafe_masked_index _unsafe_masked_index_put_accumulate _chunk_cat histogramdd hash_tensor segment_reduce
_segment_reduce""".split()
METHODS: list[str] = ["hash_tensor"]
