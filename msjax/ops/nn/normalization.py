"""Batch, instance, layer and group normalization.

Means and variances are those of MindSpore: computed in float32 at least, biased for normalizing, unbiased for the
moving variance. Nothing here changes an array; `batch_norm` and `instance_norm` write the moving statistics that the
pure operators return into the Tensors that they were given.
"""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def _per_channel(values: Array | None, x: Array) -> Array | None:
    return None if values is None else values.astype(x.dtype).reshape(-1, *[1] * (x.ndim - 2))


def _normalize(
    x: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, eps: float
) -> Array:
    scale = lax.rsqrt(var + eps)
    if weight is None:
        y = (x - mean) * scale
    elif math.prod(jnp.broadcast_shapes(scale.shape, weight.shape)) < x.size:
        y = (x - mean) * (scale * weight)  # one pass over x less, in the backward pass too
    else:
        y = (x - mean) * scale * weight
    return y if bias is None else y + bias


def _moments(x: Array, axes: tuple[int, ...], keepdims: bool = True) -> tuple[Array, Array]:
    mean = jnp.mean(x, axes, keepdims=True)
    var = jnp.mean(jnp.square(x - mean), axes, keepdims=keepdims)
    return (mean if keepdims else mean.squeeze(axes)), var


def _check_channels(name: str, x: Array, **values: Array | None) -> None:
    if x.ndim < 2:
        checks.fail(ValueError, name, "input_x", "have at least 2 dimensions", f"array of shape {x.shape}")
    checks.check_floating(name, input_x=x)
    for argument, value in values.items():
        if value is not None and value.shape != x.shape[1:2]:
            received = f"array of shape {value.shape} for an input of shape {x.shape}"
            rule = f"have shape ({x.shape[1]},), one element for each channel of the input"
            checks.fail(ValueError, name, argument, rule, received)


# ---------------------------------------------------------------------------------------------------- batch


@op(static="eps")
def batch_norm_inference(
    input_x: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-5,
) -> Array:
    """(x - mean) / sqrt(var + eps) * weight + bias with given statistics, which get no gradient.

    Args:
        input_x (Tensor): of shape (N, C, ...), floating.
        running_mean (Tensor): of shape (C,).
        running_var (Tensor): of shape (C,).
        weight (Tensor): of shape (C,).
        bias (Tensor): of shape (C,).
        eps (float): added to the variance.

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.normalization import batch_norm_inference
        >>> one = ms.Tensor([1.0])
        >>> print(batch_norm_inference(ms.Tensor([[3.0]]), one, one, eps=0.0))
        [[2.]]
    """
    _check_channels(
        "batch_norm", input_x, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    x = input_x.astype(checks.compute_dtype(input_x.dtype))
    mean, var = (_per_channel(lax.stop_gradient(v), x) for v in (running_mean, running_var))
    return _normalize(x, mean, var, _per_channel(weight, x), _per_channel(bias, x), eps).astype(input_x.dtype)  # type: ignore[arg-type]


@op(static="momentum eps")
@documented_by(batch_norm_inference)
def batch_norm_training(
    input_x: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Array, Array, Array]:
    """Batch normalization with the batch's own statistics, and the moving statistics that follow.

    Args:
        running_mean (Tensor): of shape (C,). Default: zeros.
        running_var (Tensor): of shape (C,). Default: ones.
        momentum (float): the share of the batch in the moving statistics.

    Returns:
        Tuple of the normalized Tensor, the new moving mean, and the new moving variance (of the unbiased variance).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.normalization import batch_norm_training
        >>> y, mean, var = batch_norm_training(ms.Tensor([[1.0], [3.0]]), eps=0.0, momentum=1.0)
        >>> print(mean, var)
        [2.] [2.]
    """
    _check_channels(
        "batch_norm", input_x, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    checks.check_numbers("batch_norm", momentum=momentum, eps=eps)
    x = input_x.astype(checks.compute_dtype(input_x.dtype))
    axes = (0, *range(2, x.ndim))
    mean, var = _moments(x, axes)
    y = _normalize(x, mean, var, _per_channel(weight, x), _per_channel(bias, x), eps).astype(input_x.dtype)
    count = x.size // x.shape[1]
    batch = (
        lax.stop_gradient(mean).reshape(-1),
        lax.stop_gradient(var).reshape(-1) * (count / max(count - 1, 1)),
    )
    moving = []
    for new, old, start in zip(batch, (running_mean, running_var), (0, 1), strict=True):
        before = jnp.full_like(new, start) if old is None else lax.stop_gradient(old)
        moving.append((before.astype(new.dtype) * (1 - momentum) + new * momentum).astype(before.dtype))
    return y, *moving


@documented_by(batch_norm_inference)
def batch_norm(
    input_x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with statistics per channel.

    Args:
        running_mean (Tensor): moving mean, of shape (C,).
        running_var (Tensor): moving variance, of shape (C,).
        training (bool): normalize with the batch's statistics and write `(1 - momentum) * moving + momentum * batch`
            into the moving ones; otherwise normalize with those.
        momentum (float): the share of the batch in the moving statistics.

    Raises:
        TypeError: if `training` is not a bool, `momentum` or `eps` not a number, or `input_x` not floating.
        ValueError: for shapes that do not fit, `momentum` outside of [0, 1], or `eps` outside of (0, 1].

    References:
        Ioffe, Szegedy: Batch Normalization, 2015.

    Examples:
        >>> import msjax as ms
        >>> mean, var, one = ms.Tensor([0.0]), ms.Tensor([1.0]), ms.Tensor([1.0])
        >>> print(ms.ops.batch_norm(ms.Tensor([[1.0], [3.0]]), mean, var, one, one, training=True).round(decimals=3))
        [[0.]
         [2.]]
        >>> print(mean)
        [0.2]
    """
    checks.check_bools("batch_norm", training=training)
    checks.check_numbers("batch_norm", momentum=momentum, eps=eps)
    checks.check_between("batch_norm", 0, 1, momentum=momentum)
    if not 0 < eps <= 1:
        checks.fail(ValueError, "batch_norm", "eps", "be in (0, 1]", eps)
    if not training:
        return batch_norm_inference(input_x, running_mean, running_var, weight, bias, eps)
    y, mean, var = batch_norm_training(input_x, running_mean, running_var, weight, bias, momentum, eps)
    for moving, new in ((running_mean, mean), (running_var, var)):
        if isinstance(moving, Tensor):
            moving.assign_value(new)
    return y


@op(static="use_batch momentum eps")
@documented_by(batch_norm_inference)
def instance_norm_pure(
    input: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    use_batch: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Array, Array | None, Array | None]:
    """`instance_norm`, with the moving statistics that follow instead of a change of the given ones.

    Args:
        input (Tensor): of shape (N, C, ...), floating.
        use_batch (bool): normalize with the instances' statistics.
        momentum (float): the share of the instances in the moving statistics.

    Returns:
        Tuple of the normalized Tensor, the new moving mean and the new moving variance (None without old ones).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.normalization import instance_norm_pure
        >>> print(instance_norm_pure(ms.Tensor([[[1.0, 3.0]]]), eps=0.0)[0])
        [[[-1.  1.]]]
    """
    name = "instance_norm"
    _check_channels(name, input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    x = input.astype(checks.compute_dtype(input.dtype))
    scale, shift = _per_channel(weight, x), _per_channel(bias, x)
    if not use_batch:
        mean, var = (_per_channel(lax.stop_gradient(v), x) for v in (running_mean, running_var))
        return _normalize(x, mean, var, scale, shift, eps).astype(input.dtype), None, None  # type: ignore[arg-type]
    axes = tuple(range(2, x.ndim))
    mean, var = _moments(x, axes)
    y = _normalize(x, mean, var, scale, shift, eps).astype(input.dtype)
    if running_mean is None or running_var is None:
        return y, None, None
    count = math.prod(x.shape[2:])
    seen = mean.reshape(x.shape[:2]).mean(0), var.reshape(x.shape[:2]).mean(0) * (count / max(count - 1, 1))
    old = lax.stop_gradient(running_mean), lax.stop_gradient(running_var)
    new = [
        o * (1 - momentum) + lax.stop_gradient(s).astype(o.dtype) * momentum
        for o, s in zip(old, seen, strict=True)
    ]
    return y, new[0], new[1]


@documented_by(instance_norm_pure)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with statistics per channel and sample.

    Args:
        running_mean (Tensor): moving mean, of shape (C,); updated in place if `use_input_stats`.
        running_var (Tensor): moving variance, of shape (C,); updated in place if `use_input_stats`.
        use_input_stats (bool): normalize with the instances' statistics, otherwise with the moving ones.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: for shapes that do not fit.

    References:
        Ulyanov, Vedaldi, Lempitsky: Instance Normalization, 2016.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.normalization import instance_norm
        >>> print(instance_norm(ms.Tensor([[[1.0, 3.0]]]), eps=0.0))
        [[[-1.  1.]]]
    """
    y, mean, var = instance_norm_pure(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )  # fmt: skip
    for moving, new in ((running_mean, mean), (running_var, var)):
        if isinstance(moving, Tensor) and new is not None:
            moving.assign_value(new)
    return y


# ----------------------------------------------------------------------------------------- layers and groups


@op(static="begin_norm_axis begin_params_axis epsilon")
def layer_norm_statistics(
    input_x: Array,
    gamma: Array | None,
    beta: Array | None,
    begin_norm_axis: int = 1,
    begin_params_axis: int = 1,
    epsilon: float = 1e-7,
) -> tuple[Array, Array, Array]:
    """Layer normalization from an axis on, with the mean and the variance that it used.

    Args:
        input_x (Tensor): floating.
        gamma (Tensor): of the shape of `input_x` from `begin_params_axis` on, or None.
        beta (Tensor): of `gamma`'s shape, or None.
        begin_norm_axis (int): the first axis that is normalized.
        begin_params_axis (int): the first axis of `gamma` and `beta`.
        epsilon (float): added to the variance.

    Returns:
        Tuple of the normalized Tensor, its mean and its variance (of size 1 along the normalized axes, and without
        gradient).

    Raises:
        ValueError: for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.normalization import layer_norm_statistics
        >>> print(layer_norm_statistics(ms.Tensor([[1.0, 3.0]]), None, None)[2])
        [[1.]]
    """
    name = "layer_norm"
    checks.check_floating(name, input_x=input_x)
    axis = checks.normalize_axis(name, input_x.ndim, begin_norm_axis=begin_norm_axis)
    first = checks.normalize_axis(name, input_x.ndim, begin_params_axis=begin_params_axis)
    for argument, value in (("gamma", gamma), ("beta", beta)):
        if value is not None and value.shape != input_x.shape[first:]:
            received = f"array of shape {value.shape}"
            checks.fail(ValueError, name, argument, f"have shape {input_x.shape[first:]}", received)
    x = input_x.astype(checks.compute_dtype(input_x.dtype))
    mean, var = _moments(x, tuple(range(axis, x.ndim)))
    scale, shift = (None if v is None else v.astype(x.dtype) for v in (gamma, beta))
    y = _normalize(x, mean, var, scale, shift, epsilon).astype(input_x.dtype)
    return y, lax.stop_gradient(mean), lax.stop_gradient(var)


@op(static="normalized_shape eps")
def layer_norm(
    input: Array,
    normalized_shape: Any,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-5,
) -> Array:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions of each sample.

    Args:
        input (Tensor): of shape (..., *normalized_shape), floating.
        normalized_shape (int, tuple, list): sizes of the dimensions that are normalized.
        weight (Tensor): of shape `normalized_shape`.
        bias (Tensor): of shape `normalized_shape`.
        eps (float): added to the variance.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `input` is not floating or `normalized_shape` holds other than ints.
        ValueError: if `input` does not end in `normalized_shape`.

    References:
        Ba, Kiros, Hinton: Layer Normalization, 2016.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.layer_norm(ms.Tensor([[1.0, 3.0]]), (2,), eps=0.0))
        [[-1.  1.]]
    """
    given = normalized_shape if isinstance(normalized_shape, tuple) else (normalized_shape,)
    shape = checks.as_int_tuple("layer_norm", len(given), normalized_shape=given)
    if not shape or input.shape[-len(shape) :] != shape:
        received = f"{normalized_shape} for an input of shape {input.shape}"
        checks.fail(ValueError, "layer_norm", "normalized_shape", "be the input's last sizes", received)
    axis = input.ndim - len(shape)
    return layer_norm_statistics.pure(input, weight, bias, axis, axis, eps)[0]


@op(static="num_groups eps")
@documented_by(instance_norm)
def group_norm(
    input: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """(x - mean) / sqrt(var + eps) * weight + bias, each group of channels of a sample with its own statistics.

    Args:
        num_groups (int): a divisor of C.

    Raises:
        TypeError: if `num_groups` is not an int.
        ValueError: if it does not divide C, or shapes do not fit.

    References:
        Wu, He: Group Normalization, 2018.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.group_norm(ms.Tensor([[1.0, 3.0, 0.0, 4.0]]), 2, eps=0.0))
        [[-1.  1. -1.  1.]]
    """
    checks.check_ints("group_norm", num_groups=num_groups)
    _check_channels("group_norm", input, weight=weight, bias=bias)
    if num_groups < 1 or input.shape[1] % num_groups:
        checks.fail(
            ValueError, "group_norm", "num_groups", f"divide the {input.shape[1]} channels", num_groups
        )
    x = input.astype(checks.compute_dtype(input.dtype))
    grouped = x.reshape(x.shape[0], num_groups, x.shape[1] // num_groups, *x.shape[2:])
    mean, var = _moments(grouped, tuple(range(2, grouped.ndim)))
    y = ((grouped - mean) * lax.rsqrt(var + eps)).reshape(x.shape)
    scale, shift = _per_channel(weight, x), _per_channel(bias, x)
    y = y if scale is None else y * scale
    return (y if shift is None else y + shift).astype(input.dtype)
