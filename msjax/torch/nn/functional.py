"""`torch.nn.functional`. Names that are not here are `mint.nn.functional`'s, or placeholders."""

import functools
import importlib
import math
import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import resolve
from msjax.mint.nn import functional as mint_functional
from msjax.ops.common.name_table import Row, read_table
from msjax.ops.image.resample import resample
from msjax.ops.nn import normalization
from msjax.torch.functions import basic, composed, derivatives, native, served_from_mint
from msjax.torch.nn import products
from msjax.torch.nn.bernoulli_loss import bernoulli_loss
from msjax.torch.nn.products import grouped_mm as grouped_mm
from msjax.torch.nn.resampling import resample_antialiased
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors.call_conventions import (
    casting,
    raising_as_torch,
    reduction_of,
    replace_value,
    write_out,
)
from msjax.torch.tensors.creation import get_default_dtype
from msjax.torch.tensors.refused_dtypes import alike, refusing
from msjax.torch.tensors.tensor import as_torch, call_operator

FUNCTIONS = read_table("""
mint.nn.functional: binary_cross_entropy_with_logits dropout elu elu_ gelu glu hardtanh logsigmoid max_pool2d
    max_unpool2d mish
    relu6 relu_ selu silu smooth_l1_loss threshold kl_div hardshrink hardsigmoid relu softshrink
    sigmoid softplus tanh adaptive_avg_pool2d adaptive_avg_pool3d
    adaptive_max_pool2d linear pixel_shuffle fold unfold cosine_embedding_loss soft_margin_loss
    group_norm layer_norm hardtanh_ threshold_
ops.functional: tanhshrink margin_ranking_loss instance_norm pixel_unshuffle
    max_pool3d affine_grid channel_shuffle
    max_unpool1d max_unpool3d pdist fractional_max_pool2d fractional_max_pool3d
""")


# PyTorch's order of parameters, where ours is another one.
_OLD = "size_average reduce reduction"
_ORDERS = {
    "binary_cross_entropy_with_logits": f"input target weight {_OLD} pos_weight",
    "cosine_embedding_loss": f"input1 input2 target margin {_OLD}",
    "kl_div": f"input target {_OLD} log_target",
    "margin_ranking_loss": f"input1 input2 target margin {_OLD}",
    "smooth_l1_loss": f"input target {_OLD} beta",
    "soft_margin_loss": f"input target {_OLD}",
}


def _check_probability(input: Any, p: float = 0.5, *others: Any, **named: Any) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _check_group_size(input: Any, num_groups: int, *others: Any, **named: Any) -> None:
    if input.ndim > 1 and input.numel() == num_groups:  # of a batch of one
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {list(input.shape)}"
        )


# What PyTorch looks at before it computes.
_CHECKS: dict[str, Callable] = {"dropout": _check_probability, "group_norm": _check_group_size}


def _with_check(check: Callable, function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        check(*args, **named)
        return function(*args, **named)

    return call


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        found: Any = served_from_mint.serve(FUNCTIONS[name], _ORDERS.get(name, ""), name)
        found = _with_check(_CHECKS[name], found) if name in _CHECKS else found
    elif name.endswith("_") and name[:-1] in ("celu", "selu", "leaky_relu", "rrelu"):
        found = functools.partial(getattr(importlib.import_module(__name__), name[:-1]), inplace=True)
    else:
        found = _find_elsewhere(name)
    globals()[name] = found
    return found


def _make_convolution(name: str, home: Any) -> Any:
    """Return a convolution of real numbers, of whole ones too; and of complex ones, by their parts."""
    real = served_from_mint.adapt_call(getattr(home, name))

    def convolve(input: Any, weight: Any, bias: Any = None, *args: Any, **named: Any) -> Any:
        if input.is_floating_point():
            return real(input, weight, bias, *args, **named)
        if not input.is_complex():
            wide = [None if each is None else each.to(dtypes.float64) for each in (input, weight, bias)]
            return real(*wide, *args, **named).to(input.dtype)
        a, b, c, d = input.real, input.imag, weight.real, weight.imag
        parts = [real(x, y, None, *args, **named) for x, y in ((a, c), (b, d), (a, d), (b, c))]
        found = basic.complex(parts[0] - parts[1], parts[2] + parts[3])
        ones = (1,) * (found.ndim - (2 if name.endswith(f"{found.ndim - 2}d") else 1))
        return found if bias is None else found + basic.reshape(bias, -1, *ones)

    convolve.__name__ = convolve.__qualname__ = name
    convolve.__doc__ = getattr(home, name).__doc__
    return convolve


conv1d, conv2d, conv3d, conv_transpose2d = (
    _make_convolution(name, mint_functional) for name in ("conv1d", "conv2d", "conv3d", "conv_transpose2d")
)
conv_transpose1d, conv_transpose3d = (
    _make_convolution(name, ops) for name in ("conv_transpose1d", "conv_transpose3d")
)


def _make_average_pool(name: str) -> Any:
    """A mean over windows; of whole numbers without what is behind the point."""
    real = served_from_mint.adapt_call(getattr(mint_functional, name))

    def average(input: Any, *args: Any, **named: Any) -> Any:
        if input.is_floating_point():
            return real(input, *args, **named)
        out = named.pop("out", None)
        means = real(input.to(dtypes.float64), *args, **named)
        near = means + basic.sign(means) * 1e-9  # type: ignore[attr-defined]  # 3 may have come out as 2.9999999999999996
        found = near.to(input.dtype)
        return found if out is None else write_out(name, found, out)

    average.__name__ = average.__qualname__ = name
    average.__doc__ = getattr(mint_functional, name).__doc__
    return average


avg_pool1d, avg_pool2d, avg_pool3d = map(_make_average_pool, ("avg_pool1d", "avg_pool2d", "avg_pool3d"))


def softsign(input: Any) -> Any:
    """x / (1 + |x|)."""
    if input.is_complex():
        return input / (1 + basic.abs(input))
    return as_torch(ops.softsign(input if input.is_floating_point() else input.to(get_default_dtype())))


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """The means of so many cells along the last dimension."""
    return as_torch(mint_functional.adaptive_avg_pool1d(input, _single(output_size)))


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest of so many cells along the last dimension."""
    return as_torch(mint_functional.adaptive_max_pool1d(input, _single(output_size), return_indices))


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest of so many cells along the last three dimensions."""
    values, indices = as_torch(ops.adaptive_max_pool3d(input, output_size, True))
    return (values, indices.to(dtypes.int64)) if return_indices else values


def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """Elements around the tensor, (before, after) of the last dimension first; negative numbers take some off."""
    ends = [int(n) for n in pad]
    if mode == "replicate" and min(ends, default=0) < 0:
        for i in range(0, len(ends), 2):
            dim, (before, after) = -1 - i // 2, ends[i : i + 2]
            size = input.shape[dim]
            places = np.clip(np.arange(before + size + after) - before, 0, size - 1)
            input = served_from_mint.find_function("index_select")(input, dim, basic.tensor(places))
        return input
    if mode != "constant":
        for i, n in enumerate(ends):
            if n < 0:
                dim = -1 - i // 2
                input = ops.narrow(input, dim, -n if i % 2 == 0 else 0, input.shape[dim] + n)
        ends = [max(n, 0) for n in ends]
    return as_torch(mint_functional.pad(input, ends, mode, value))


def _make_channel_dropout(name: str, usual: tuple[int, ...], is_batched: Callable) -> Callable:
    """Return a dropout of whole channels: the first two dimensions of a batch, else the first, decide together."""

    def drop(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        if name == "dropout1d" and input.ndim not in usual:
            raise RuntimeError(f"{name}: Expected 2D or 3D input, but received a {input.ndim}D input.")
        if input.ndim not in usual:
            warnings.warn(f"{name}: Received a {input.ndim}-D input.", stacklevel=2)
        if not training or p == 0:
            return input
        lead = 2 if is_batched(input.ndim) else 1
        kept = basic.rand(*input.shape[:lead], *(1,) * (input.ndim - lead)) >= p
        found = input * (kept.to(input.dtype) / (1 - p) if p < 1 else 0)
        return replace_value(input, found) if inplace else found

    drop.__name__ = drop.__qualname__ = name
    return drop


dropout1d = _make_channel_dropout("dropout1d", (2, 3), lambda n: n == 3)
dropout2d = _make_channel_dropout("dropout2d", (3, 4), lambda n: True)
dropout3d = _make_channel_dropout("dropout3d", (4, 5), lambda n: n == 5)


def _single(size: Any) -> Any:
    return size if isinstance(size, int) else size[0]


def prelu(input: Any, weight: Any) -> Any:
    """Return the input where it is positive, and `weight` times it elsewhere: one weight, or one for each channel."""
    return as_torch(mint_functional.prelu(input, basic.reshape(weight, -1)))


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """Return the input over its p-norm along a dimension."""
    found = input / basic.clamp(basic.norm(input, p, dim, True), eps)
    return found if out is None else write_out("normalize", found, out)


def _with_indices(name: str) -> Callable:
    """A max pooling that gives the places too."""
    pool = getattr(importlib.import_module(__name__), name)

    def call(*args: Any, **named: Any) -> Any:
        return pool(*args, **{**named, "return_indices": True})

    call.__name__ = call.__qualname__ = f"{name}_with_indices"
    return call


def _find_elsewhere(name: str) -> Any:
    if name.endswith("_with_indices") and "max_pool" in name:
        return _with_indices(name.removesuffix("_with_indices"))
    if name == "bilinear":
        return served_from_mint.find_function(name)
    return served_from_mint.make_placeholder("torch.nn.functional", name)


def _lp_pooling(rank: int) -> Callable:
    average = (avg_pool1d, avg_pool2d, avg_pool3d)[rank - 1]

    def pool(
        input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Any:
        size = (kernel_size,) * rank if isinstance(kernel_size, int) else tuple(kernel_size)
        mean = average(as_torch(ops.pow(input, norm_type)), size, stride or size, 0, ceil_mode)
        total = basic.sign(mean) * basic.relu(basic.abs(mean)) * math.prod(size)  # type: ignore[attr-defined]
        return as_torch(ops.pow(total, 1.0 / norm_type))

    pool.__name__ = pool.__qualname__ = f"lp_pool{rank}d"
    pool.__doc__ = f"The p-norm of each window along the last {rank} dimensions; NaN where a power is."
    return pool


lp_pool1d, lp_pool2d, lp_pool3d = map(_lp_pooling, (1, 2, 3))


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Return the negative logarithm of the probability of the right class.

    Args:
        input: scores, of shape (n, classes, ...) or (classes,).
        target: classes (integers), or probabilities in `input`'s shape.
        weight: of each class.
        size_average: the old name of a part of `reduction`.
        reduce: the old name of another.
        ignore_index: the class that does not count.
        reduction: "mean", "sum" or "none".
        label_smoothing: the share of the target spread over all classes.

    Returns:
        The loss.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
        tensor(0.6931)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    _check_class_weights(input, weight)
    if target.is_floating_point() and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if (
        not target.is_floating_point()
        and input.ndim > 1
        and target.ndim
        and input.shape[0] != target.shape[0]
    ):
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    if not target.is_floating_point():
        _check_classes(target)
    basic.refuse_negative(target, IndexError, "Target {} is out of bounds.", ignore_index)
    return call_operator(ops.cross_entropy, input, target, weight, ignore_index, reduction, label_smoothing)


def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """Images at the places that a grid names.

    Args:
        input: of shape (n, channels, height, width) or (n, channels, depth, height, width).
        grid: of shape (n, ..., 2) or (n, ..., 3): places in [-1, 1] from one end of the image to the other.
        mode: "bilinear", "nearest", or for images "bicubic".
        padding_mode: what lies outside: "zeros", "border" the nearest element, "reflection" the mirror image.
        align_corners: whether -1 and 1 are the centres of the outer elements, or their edges; edges if it is None.
    """
    return call_operator(native.grid_sample, input, grid, mode, padding_mode, align_corners)


def _check_class_weights(input: Any, weight: Any) -> None:
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype} but found {weight.dtype}: the weights of the classes"
        )


def _check_classes(target: Any) -> None:
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {kinds.scalar_type(target.dtype)}"
        )


def nll_loss(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """The negative of the right class's logarithm of probability.

    Args:
        input: logarithms of probabilities, of shape (n, classes, ...) or (classes,).
        target: classes.
        weight: of each class.
        size_average: the old name of a part of `reduction`.
        ignore_index: the class that does not count.
        reduce: the old name of another.
        reduction: "mean", "sum" or "none".
    """
    _check_class_weights(input, weight)
    _check_classes(target)
    basic.refuse_negative(target, IndexError, "Target {} is out of bounds.", ignore_index)
    reduction = reduction_of(size_average, reduce, reduction)
    return call_operator(mint_functional.nll_loss, input, target, weight, ignore_index, reduction)


def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None, reduction: str = "mean",
    ignore_index: int | None = None, label_smoothing: float = 0.0, options: Any = None,
) -> Any:  # fmt: skip
    """:func:`cross_entropy` of a linear map of the input.

    Args:
        input: of shape (n, features) or (features,).
        linear_weight: of shape (classes, ..., features).
        target: classes, or probabilities.
        linear_bias: of shape (classes, ...), or None.
        weight: of each class.
        reduction: "mean", "sum" or "none".
        ignore_index: the class that does not count.
        label_smoothing: the share of the target spread over all classes.
        options: of no effect: how PyTorch cuts the computation into parts.
    """
    places = tuple(linear_weight.shape[:-1])
    scores = input @ basic.reshape(linear_weight, -1, linear_weight.shape[-1]).mT
    scores = scores if linear_bias is None else scores + basic.reshape(linear_bias, -1)
    scores = basic.reshape(scores, *input.shape[:-1], *places)
    return cross_entropy(
        scores, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
        label_smoothing=label_smoothing,
    )  # fmt: skip


def refuse_single_values(input: Any) -> None:
    """Raise ValueError for a batch of shape (n, channels, ...) with one value for each channel: it has no variance."""
    if input.ndim > 1 and input.numel() == input.shape[1]:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """(x - mean) / sqrt(variance + eps) * weight + bias, for each channel.

    Args:
        input: of shape (n, channels, ...).
        running_mean: of shape (channels,); with `training`, changed in place. None: the batch's is used.
        running_var: the same of the variance.
        weight: of shape (channels,).
        bias: of shape (channels,).
        training: whether the statistics are the batch's.
        momentum: the share of the batch in the running statistics.
        eps: added to the variance.

    Returns:
        A tensor of `input`'s shape.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.batch_norm(torch.tensor([[1.0], [3.0]]), None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    if eps <= 0:
        raise ValueError(f"batch_norm eps must be positive, but got {eps}")
    if training:
        refuse_single_values(input)
    if not training:
        if running_mean is None or running_var is None:
            raise ValueError("Expected running_mean and running_var to be defined when training=False")
        return as_torch(
            normalization.batch_norm_inference(input, running_mean, running_var, weight, bias, eps)
        )
    out, *moved = normalization.batch_norm_training(
        input, running_mean, running_var, weight, bias, momentum, eps
    )
    for running, new in zip((running_mean, running_var), moved, strict=True):
        if running is not None:
            resolve(running)._assign(resolve(new)._value)  # off the tape
    return as_torch(out)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """x where it is positive, negative_slope * x elsewhere."""
    out = as_torch(ops.where(ops.gt(input, 0), input, ops.mul(input, negative_slope)))
    return replace_value(input, out) if inplace else out


def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Any:
    """x where it is positive, elsewhere times a slope drawn between two; unless `training`, times their mean."""
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    out = as_torch(ops.rrelu(input, lower, upper))
    return replace_value(input, out) if inplace else out


def _reduce_weighted(each: Any, weight: Any, reduction: str) -> Any:
    if weight is None or reduction == "none":
        return _reduce_loss(each if weight is None else each * weight, reduction)
    total = (each * weight).sum()
    return total if reduction == "sum" else total / basic.expand(weight, *each.shape).sum()


def mse_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    weight: Any = None,
) -> Any:  # fmt: skip
    """Return the mean of squared differences, with weights if there are some."""
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is None:
        return as_torch(ops.mse_loss(input, target, reduction))
    return _reduce_weighted(as_torch(ops.square(ops.sub(input, target))), weight, reduction)


def l1_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    weight: Any = None,
) -> Any:  # fmt: skip
    """Return the mean of absolute differences, with weights if there are some."""
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is None:
        if input.is_complex() or target.is_complex():
            return _reduce_loss(basic.abs(basic.sub(input, target)), reduction)
        return as_torch(mint_functional.l1_loss(input, target, reduction))
    return _reduce_weighted(basic.abs(basic.sub(input, target)), weight, reduction)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Compute -weight * (y log(p) + (1 - y) log(1 - p)) of probabilities, with logarithms of at least -100."""
    reduction = reduction_of(size_average, reduce, reduction)
    each = bernoulli_loss(input, target)
    return _reduce_loss(each if weight is None else each * weight, reduction)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """Cosine of the angle between vectors along a dimension, each over its length or `eps`."""
    return composed.cosine_similarity(x1, x2, dim, eps)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Squared differences up to `delta`, and from there on linear, with weights if there are some."""
    each = as_torch(ops.huber_loss(input, target, "none", delta))
    return _reduce_weighted(each, weight, reduction)


def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Any:  # fmt: skip
    """Resize by interpolation; with `antialias` by filters that are as wide as what they shrink."""
    if antialias:
        return resample_antialiased(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
    return as_torch(resample(input, size, scale_factor, mode, align_corners, recompute_scale_factor))


def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    """Return the old name of :func:`interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Upsample by repetition (nearest neighbour)."""
    return interpolate(input, size, scale_factor)


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Upsample bilinearly, with aligned corners."""
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """x from 3 on, 0 up to -3, x (x + 3) / 6 between; the slopes at the ends are 1 and 0."""
    held = ops.where(ops.lt(ops.abs(input), 3), input, 0)  # an infinite slope times 0 would be nan
    upper = ops.where(ops.lt(ops.abs(input), 3), ops.div(ops.mul(held, ops.add(held, 3)), 6), input)
    out = as_torch(ops.where(ops.le(input, -3), ops.zeros_like(input), upper))
    return replace_value(input, out) if inplace else out


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """Return the p-norm of x1 - x2 + eps along the last dimension.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.pairwise_distance(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
        tensor([5.0000])
    """
    return basic.norm(basic.sub(x1, x2) + eps, p, -1, keepdim)


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    """Return the input over its root mean square along the last dimensions, times `weight`.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.rms_norm(torch.tensor([3.0, 3.0]), (2,))
        tensor([1., 1.])
    """
    kind = input.dtype
    if kind.itemsize < 4:  # computed in float32
        input = input.float()
    eps = float(jnp.finfo(dtypes.as_np(input.dtype)).eps) if eps is None else eps
    dims = tuple(range(-len(tuple(normalized_shape)), 0))
    scale = ops.rsqrt(ops.add(ops.mean(ops.square(input), dims, True), eps))
    out = ops.mul(input, scale)
    return as_torch(out if weight is None else ops.mul(out, weight)).to(kind)


def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """Return the input over (k + alpha * mean of squares of `size` neighbouring channels) ** beta."""
    around = [0, 0] * (input.ndim - 2) + [size // 2, (size - 1) // 2]
    squares = as_torch(ops.pad(ops.square(input), around))
    count = input.shape[1]
    total = basic.sum(basic.stack([squares[:, i : i + count] for i in range(size)]), 0)
    total = basic.div(total, size, rounding_mode=None if total.is_floating_point() else "trunc")
    return as_torch(ops.div(input, ops.pow(ops.add(ops.mul(total, alpha), k), beta)))


def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """The input where the target is 1, max(0, margin - input) where it is -1; of any other target, both."""
    reduction = reduction_of(size_average, reduce, reduction)
    nothing = basic.zeros_like(input)
    near = basic.where(target == -1, nothing, input)
    far = basic.where(target == 1, nothing, basic.clamp(margin - input, 0))
    return _reduce_loss(near + far, reduction)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """The negative log likelihood of a normal distribution: (log(v) + (x - y)² / v) / 2 with v = max(var, eps).

    Args:
        input: the means.
        target: what is measured.
        var: the variances: of each element, or of each row, without the last dimension.
        full: whether log(2 pi) / 2 is added.
        eps: the least variance; the gradient is that of `var` nevertheless.
        reduction: "mean", "sum" or "none".
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = basic.full_like(input, var)
    elif basic.any(var < 0).item():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape and tuple(var.shape) == tuple(input.shape[:-1]):
        var = basic.unsqueeze(var, -1)
    v = var + (basic.clamp(var, eps) - var).detach()
    each = (basic.log(v) + basic.square(input - target) / v) / 2  # type: ignore[attr-defined]
    return _reduce_loss(each + 0.5 * math.log(2 * math.pi) if full else each, reduction)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """The hinge loss over classes: how much too near other classes' scores are to that of the right one."""
    reduction = reduction_of(size_average, reduce, reduction)
    single = input.ndim < 2
    x, y = (basic.reshape(input, 1, -1), basic.reshape(target, 1)) if single else (input, target)
    if tuple(y.shape) != tuple(x.shape[:1]):
        raise RuntimeError(
            f"multi_margin_loss: Expected target size [{x.shape[0]}], but got {[*y.shape]}: one class for each row."
        )
    known = basic.known_values(resolve(y)._value)
    if known is not None and ((known < 0) | (known >= x.shape[1])).any():
        raise RuntimeError("target out of range")
    found = call_operator(ops.multi_margin_loss, x, y, p, margin, weight, reduction)
    return basic.reshape(found, ()) if single and reduction == "none" else found


def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The hinge loss over pairs of right and other classes; right ones stand before the first -1 of the target."""
    reduction = reduction_of(size_average, reduce, reduction)
    x, y = (basic.reshape(each, -1) if not input.ndim else each for each in (input, target))
    return as_torch(ops.multilabel_margin_loss(x, y, reduction))


def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """Return the mean over classes of the logistic loss of each, with several classes right."""
    reduction = reduction_of(size_average, reduce, reduction)
    each = ops.sub(ops.mul(ops.sub(1, target), input), ops.logsigmoid(input))
    return _reduce_loss(as_torch(ops.mul(each, weight) if weight is not None else each).mean(-1), reduction)


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: bool | None = None,
    eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """The negative log likelihood of counts, without the term of `target` alone unless `full`."""
    reduction = reduction_of(size_average, reduce, reduction)
    if log_input:
        each = ops.sub(ops.exp(input), ops.mul(target, input))
    else:
        each = ops.sub(input, ops.mul(target, ops.log(ops.add(input, eps))))
    if full:
        stirling = target * target.log() - target + 0.5 * (target * (2 * math.pi)).log()
        each = ops.add(each, basic.where(target > 1, stirling, basic.zeros_like(stirling)))
    return _reduce_loss(as_torch(each), reduction)


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Compute :func:`torch.softmax`; without `dim` along the dimension that PyTorch once chose."""
    return basic.softmax(input, dim, dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Compute :func:`torch.log_softmax`."""
    return basic.log_softmax(input, dim, dtype)


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """Draw from a relaxed categorical distribution (Jang and others, 2017); `eps` is of no effect, as in PyTorch."""
    return as_torch(ops.gumbel_softmax(logits, tau, hard, dim))


_celu = derivatives.adjust(ops.celu)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    out = as_torch(_celu(input, alpha))
    return replace_value(input, out) if inplace else out


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Return the softmax of -x."""
    return softmax(-input if dtype is None else -input.to(dtype), dim)


def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Return the negative log likelihood of label sequences, over all alignments (Graves and others, 2006).

    Args:
        log_probs: of shape (T, N, C), or (T, C) of one sequence.
        targets: labels, of shape (N, S), or those of all sequences one after the other.
        input_lengths: of each sequence.
        target_lengths: of each sequence's labels.
        blank: the class that is no label.
        reduction: "none", "mean" (of the losses over their numbers of labels) or "sum".
        zero_infinity: whether infinite losses, and their gradients, are 0.
    """
    steps, labels = (basic.as_tensor(each).reshape(-1) for each in (input_lengths, target_lengths))
    batched = log_probs.ndim == 3
    if targets.ndim == 1:
        counts = np.asarray(labels.tolist(), np.int64)
        if counts.sum() != targets.shape[0]:
            raise RuntimeError(
                "`ctc_loss`: argument `targets` must have the labels of all sequences. "
                f"Received: {targets.shape[0]} labels, target_lengths={counts.tolist()}."
            )
        places = (np.cumsum(counts) - counts)[:, None] + np.arange(max(counts.max(initial=0), 1))
        whole = targets if targets.shape[0] else basic.full((1,), 1 - min(blank, 1), dtype=targets.dtype)
        targets = whole[basic.tensor(np.minimum(places, whole.shape[0] - 1))]
    too_many = labels > steps  # than there are steps: no alignment
    found = ops.ctc_loss(
        log_probs if batched else log_probs.unsqueeze(1),
        targets,
        steps,
        basic.minimum(labels, steps.to(labels.dtype)),  # type: ignore[attr-defined]
        blank,
        "none",
        zero_infinity,
    )
    each = as_torch(found[0] if isinstance(found, tuple) else found)
    each = basic.where(too_many, 0.0 if zero_infinity else math.inf, each)
    if reduction == "mean":
        each = each / basic.clamp(labels.to(each.dtype), 1)
    return _reduce_loss(each if batched else each.reshape(()), reduction)


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """max(d(a, p) - d(a, n) + margin, 0) with a user-defined distance d."""
    distance = distance_function or pairwise_distance
    far = distance(anchor, negative)
    if swap:
        far = as_torch(ops.minimum(far, distance(positive, negative)))
    return _reduce_loss(basic.clamp(distance(anchor, positive) - far + margin, 0), reduction)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """max(d(a, p) - d(a, n) + margin, 0) with d the p-norm of the difference (Balntas and others, 2016)."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=functools.partial(pairwise_distance, p=p, eps=eps), margin=margin,
        swap=swap, reduction=reduction_of(size_average, reduce, reduction),
    )  # fmt: skip


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps mean and variance after SELU (Klambauer and others, 2017)."""
    return _drop_self_normalizing(input, p, training, inplace, tuple(input.shape))


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Return the same for whole channels."""
    shape = (*input.shape[:2], *[1] * (input.ndim - 2))
    return _drop_self_normalizing(input, p, training, inplace, shape)


def _drop_self_normalizing(input: Any, p: float, training: bool, inplace: bool, shape: tuple) -> Any:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    low = -1.7580993408473766  # where SELU goes on the left
    scale = ((1 - p) * (1 + p * low**2)) ** -0.5 if p < 1 else 0.0
    kept = basic.rand(*shape) >= p
    out = basic.where(kept, input, basic.full_like(input, low)) * scale - scale * p * low
    return replace_value(input, out) if inplace else out


def _reduce_loss(each: Any, reduction: str) -> Any:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return each if reduction == "none" else each.mean() if reduction == "mean" else each.sum()


def one_hot(input: Any, num_classes: int = -1) -> Any:
    """Return ones at the places that elements name, of so many, or one more than the largest element."""
    if input.dtype != dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if num_classes == -1 and not input.numel():
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    return call_operator(mint_functional.one_hot, input, num_classes)


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Rows of `weight` by number; the row `padding_idx` gets no gradient.

    The gradient is dense with `sparse=True`, too: rows that were not looked up have zeros.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.embedding(torch.tensor([1]), torch.eye(2))
        tensor([[0., 1.]])
    """
    if input.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{kinds.scalar_type(input.dtype)}Tensor instead (while checking arguments for embedding)"
        )
    basic.refuse_negative(input, IndexError, "index out of range in self: {}")
    looked_up = served_from_mint.serve(Row("embedding", "mint.nn.functional.embedding"))
    return looked_up(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest value in each window of a (..., length) tensor.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.max_pool1d(torch.tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2)
        tensor([[[3., 2.]]])
    """
    flat = lambda size: size if isinstance(size, int) else size[0]  # noqa: E731
    window = (1, flat(kernel_size))
    step = window if stride is None else (1, flat(stride))
    deep = ops.expand_dims(input, -2)
    pooled = ops.max_pool2d(
        deep, window, step, (0, flat(padding)), (1, flat(dilation)), return_indices, ceil_mode
    )
    if return_indices:
        return as_torch(tuple(ops.squeeze(part, -2) for part in pooled))
    return as_torch(ops.squeeze(pooled, -2))


scaled_dot_product_attention = casting(products.scaled_dot_product_attention)


for _name, _function in list(globals().items()):
    if callable(_function) and _name[0] != "_" and getattr(_function, "__module__", "") == __name__:
        globals()[_name] = raising_as_torch(refusing(_name, casting(alike(_name, _function))))
