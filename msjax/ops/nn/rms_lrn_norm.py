"""RMS normalization, local response normalization (LRN) and L2 normalization."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks, window_args
from msjax.ops.reduction.norms import vector_norm


@op(static="epsilon")
def rms_norm(x: Array, gamma: Array, epsilon: float = 1e-6) -> tuple[Array, Array]:
    """x / sqrt(mean(x^2) + epsilon) * gamma over the dimensions of gamma.

    Args:
        x (Tensor): floating, ending in `gamma`'s shape.
        gamma (Tensor): the scale.
        epsilon (float): added to the mean square.

    Returns:
        Tuple of the normalized Tensor and 1 / sqrt(mean(x^2) + epsilon) (float32, of size 1 along the normalized axes).

    Raises:
        ValueError: if `x` does not end in `gamma`'s shape.

    References:
        Zhang, Sennrich: Root Mean Square Layer Normalization, 2019.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.rms_norm(ms.Tensor([[3.0, 3.0]]), ms.Tensor([1.0, 2.0]), 0.0)[0])
        [[1. 2.]]
    """
    checks.check_floating("rms_norm", x=x, gamma=gamma)
    if not gamma.ndim or x.shape[-gamma.ndim :] != gamma.shape:
        received = f"array of shape {gamma.shape} for an input of shape {x.shape}"
        checks.fail(ValueError, "rms_norm", "gamma", "have the input's last sizes", received)
    wide = x.astype(checks.compute_dtype(x.dtype))
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    scale = lax.rsqrt(jnp.mean(jnp.square(wide), axes, keepdims=True) + epsilon)
    return (wide * scale * gamma.astype(wide.dtype)).astype(x.dtype), scale


@op(static="depth_radius bias alpha beta norm_region")
def lrn(
    x: Array,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Array:
    """x / (bias + alpha * sum of x^2 over the neighbouring channels)^beta.

    Args:
        x (Tensor): of shape (N, C, H, W), floating.
        depth_radius (int): how many channels on each side count.
        bias (float): added to the sum, usually positive.
        alpha (float): factor of the sum.
        beta (float): exponent.
        norm_region (str): "ACROSS_CHANNELS".

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        ValueError: if `x` is not of 4 dimensions.

    References:
        Krizhevsky, Sutskever, Hinton: ImageNet Classification with Deep Convolutional Neural Networks, 2012.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lrn(ms.Tensor([[[[2.0]]]]), alpha=0.75))
        [[[[1.]]]]
    """
    checks.check_floating("lrn", x=x)
    checks.check_rank("lrn", 4, x=x)
    checks.check_ints("lrn", depth_radius=depth_radius)
    checks.check_choice("lrn", ("ACROSS_CHANNELS",), norm_region=norm_region)
    wide = x.astype(checks.compute_dtype(x.dtype))
    squares = jnp.moveaxis(jnp.square(wide), 1, -1)
    near = window_args.pad_last_axes(squares, ((depth_radius, depth_radius),), 0)
    parts = window_args.window_elements(near, (2 * depth_radius + 1,), (1,), (1,), (x.shape[1],))
    total = jnp.moveaxis(sum(parts[1:], parts[0]), -1, 1)
    return (wide * (bias + alpha * total) ** -beta).astype(x.dtype)


@op(static="axis epsilon")
def l2_normalize(x: Array, axis: Any = 0, epsilon: float = 1e-4) -> Array:
    """x / sqrt(max(sum(x^2), epsilon)) along an axis.

    Args:
        x (Tensor): floating.
        axis (int, list): the axis or axes of the vectors.
        epsilon (float): least squared length.

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        ValueError: if there is no such axis.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.rms_lrn_norm import l2_normalize
        >>> print(l2_normalize(ms.Tensor([3.0, 4.0])))
        [0.6 0.8]
    """
    checks.check_floating("l2_normalize", x=x)
    axes = tuple(
        checks.normalize_axis("l2_normalize", x.ndim, axis=a)
        for a in (axis if isinstance(axis, tuple) else (axis,))
    )
    wide = x.astype(checks.compute_dtype(x.dtype))
    square = jnp.sum(jnp.square(wide), axes, keepdims=True)
    return (wide * lax.rsqrt(jnp.maximum(square, epsilon))).astype(x.dtype)


@op(static="p dim eps")
def normalize(input: Array, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Array:
    """x / max(|x|_p, eps) along a dimension.

    Args:
        input (Tensor): floating.
        p (float): order of the norm, also inf, -inf and 0.
        dim (int): the dimension of the vectors.
        eps (float): least length.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if there is no such dimension.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.rms_lrn_norm import normalize
        >>> print(normalize(ms.Tensor([[3.0, 4.0]])))
        [[0.6 0.8]]
    """
    checks.check_floating("normalize", input=input)
    checks.check_numbers("normalize", p=p)
    checks.normalize_axis("normalize", input.ndim or 1, dim=dim)
    x = input.astype(checks.compute_dtype(input.dtype))
    length = vector_norm.pure(x, p, dim if x.ndim else None, True)
    return (x / jnp.maximum(length, eps)).astype(input.dtype)
