"""Batch normalization statistics over several processes (SyncBatchNorm)."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks


def _per_channel(x: Array, like: Array) -> Array:
    """One number for each channel, to stand beside (N, C, ...)."""
    return x.reshape(1, -1, *[1] * (like.ndim - 2))


@op(static="eps")
def batch_norm_stats(input: Array, eps: float) -> tuple[Array, Array]:
    """Return the mean of each channel, and 1 / sqrt(variance + eps).

    Args:
        input (Tensor): of shape (N, C, ...), floating.
        eps (float): added to the variance.

    Returns:
        tuple of Tensors of shape (C,), float32 or float64.

    Raises:
        ValueError: if there is no channel dimension.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.batch_norm_stats(ms.Tensor([[1.0], [3.0]]), 0.0))
        [2.] [1.]
    """
    checks.check_floating("batch_norm_stats", input=input)
    if input.ndim < 2:
        checks.fail(ValueError, "batch_norm_stats", "input", "have shape (N, C, ...)", f"shape {input.shape}")
    x = input.astype(checks.compute_dtype(input.dtype))
    over = (0, *range(2, x.ndim))
    return x.mean(over), 1 / jnp.sqrt(x.var(over) + jnp.asarray(eps, x.dtype))


@op(static="eps")
def batch_norm_elemt(
    input: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    mean: Array | None = None,
    invstd: Array | None = None,
    eps: float = 1e-5,
) -> Array:
    """(input - mean) * invstd * weight + bias, channel by channel.

    Args:
        input (Tensor): of shape (N, C, ...), floating.
        weight (Tensor, None): of shape (C,).
        bias (Tensor, None): of shape (C,).
        mean (Tensor): of shape (C,).
        invstd (Tensor): of shape (C,).
        eps (float): for MindSpore's signature; `invstd` has it already.

    Returns:
        Tensor of the input's shape and dtype.

    Raises:
        ValueError: without `mean` or `invstd`.

    Examples:
        >>> import msjax as ms
        >>> one = ms.Tensor([1.0])
        >>> print(ms.mint.batch_norm_elemt(ms.Tensor([[1.0], [3.0]]), one, one, 2 * one, one))
        [[0.]
         [2.]]
    """
    if mean is None or invstd is None:
        missing = "mean" if mean is None else "invstd"
        checks.fail(ValueError, "batch_norm_elemt", missing, "be given", None)
    x = input.astype(mean.dtype)
    y = (x - _per_channel(mean, x)) * _per_channel(invstd, x)
    y = y if weight is None else y * _per_channel(weight.astype(x.dtype), x)
    return (y if bias is None else y + _per_channel(bias.astype(x.dtype), x)).astype(input.dtype)


@op(static="eps")
def merge_statistics(
    mean: ArrayLike, invstd: ArrayLike, counts: ArrayLike, eps: float
) -> tuple[Array, Array, Array]:
    """Statistics of parts put together: mean, 1 / sqrt(variance + eps) and the variance without bias."""
    n = counts.reshape(-1, 1).astype(mean.dtype)
    total, small = n.sum(), jnp.asarray(eps, mean.dtype)
    center = (mean * n).sum(0) / total
    squares = ((1 / invstd**2 - small + (mean - center) ** 2) * n).sum(0)
    return center, 1 / jnp.sqrt(squares / total + small), squares / (total - 1)


def batch_norm_gather_stats_with_counts(
    input: Any,
    mean: Any,
    invstd: Any,
    running_mean: Any = None,
    running_var: Any = None,
    momentum: float = 0.1,
    eps: float = 1e-5,
    counts: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return the statistics of a batch from those of its parts; the running ones move towards them.

    Args:
        input (Tensor): the batch, of shape (N, C, ...), for MindSpore's signature.
        mean (Tensor): of each part and channel, of shape (parts, C).
        invstd (Tensor): of each part and channel, of shape (parts, C).
        running_mean (Tensor, None): of shape (C,), changed in place.
        running_var (Tensor, None): of shape (C,), changed in place.
        momentum (float): the share of the batch in them.
        eps (float): added to the variance.
        counts (Tensor): how many elements each part has.

    Returns:
        tuple of Tensors of shape (C,): mean, and 1 / sqrt(variance + eps).

    Raises:
        ValueError: without `counts`.

    Examples:
        >>> import msjax as ms
        >>> mean, invstd = ms.Tensor([[1.0], [3.0]]), ms.ops.ones((2, 1))
        >>> x, counts = ms.ops.ones((4, 1)), ms.Tensor([2.0, 2.0])
        >>> print(ms.mint.batch_norm_gather_stats_with_counts(x, mean, invstd, eps=0.0, counts=counts)[0])
        [2.]
    """
    if counts is None:
        checks.fail(ValueError, "batch_norm_gather_stats_with_counts", "counts", "be given", None)
    center, inverse, variance = merge_statistics(mean, invstd, counts, eps)
    for running, new in ((running_mean, center), (running_var, variance)):
        if running is not None:
            running.assign_value(running + momentum * (new.astype(running.dtype) - running))
    return center, inverse
