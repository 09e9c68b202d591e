"""Implementations of two deprecated operator classes: a depthwise convolution and a confusion matrix."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.nn import convolution


@op(static="channel_multiplier kernel_size mode pad_mode pad stride dilation group")
def depthwise_conv2d(
    x: Array,
    weight: Array,
    channel_multiplier: int,
    kernel_size: Any,
    mode: int = 3,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
) -> Array:
    """Depthwise convolution: each channel has its own kernel.

    Args:
        x (Tensor): of shape (N, C, H, W).
        weight (Tensor): of shape (1, C, kh, kw).
        channel_multiplier (int): 1, as the weight has one kernel for each channel.
        kernel_size (int, tuple[int]): size of the kernels.
        mode (int): 3.
        pad_mode (str): "valid", "same" or "pad".
        pad (int, tuple[int]): with pad_mode "pad", zeros around the images: (top, bottom, left, right).
        stride (int, tuple[int]): step of the window, the same for both dimensions.
        dilation (int, tuple[int]): distance of the window's elements, the same for both dimensions.
        group (int): accepted; each channel is a group.

    Returns:
        Tensor of shape (N, C, H', W').

    Raises:
        TypeError: for arguments of another type.
        ValueError: for settings and shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> layer = ms.ops.DepthwiseConv2dNative(1, 3, pad_mode="same")
        >>> layer(ms.ops.ones((2, 3, 5, 5)), ms.ops.ones((1, 3, 3, 3))).shape
        (2, 3, 5, 5)
    """
    name = "DepthwiseConv2dNative"
    checks.check_choice(name, (3,), mode=mode)
    checks.check_ints(name, group=group)
    kernel = checks.as_int_tuple(name, 2, kernel_size=kernel_size)
    for argument, value in (("stride", stride), ("dilation", dilation)):
        if len(set(checks.as_int_tuple(name, 2, 1, **{argument: value}))) > 1:
            checks.fail(ValueError, name, argument, "be the same for height and width", value)
    if pad_mode.lower() != "pad" and any(pad if isinstance(pad, tuple) else (pad,)):
        checks.fail(ValueError, name, "pad", f"be 0 with pad_mode={pad_mode!r}", pad)
    checks.check_rank(name, 4, x=x)
    wanted = (1, x.shape[1], *kernel)
    if weight.shape != wanted:
        checks.fail(ValueError, name, "weight", f"have shape {wanted}", f"array of shape {weight.shape}")
    if channel_multiplier != 1:
        rule = f"be 1 with one kernel for each of {x.shape[1]} channels"
        checks.fail(ValueError, name, "channel_multiplier", rule, channel_multiplier)
    kernels = jnp.swapaxes(weight, 0, 1)
    return convolution.conv2d.pure(x, kernels, None, stride, pad_mode.lower(), pad, dilation, x.shape[1])


@op(static="num_classes dtype")
def confusion_matrix(
    labels: Array,
    predictions: Array,
    weights: Array | None = None,
    num_classes: int = 2,
    dtype: str = "int32",
) -> Array:
    """Compute the confusion matrix: counts, or sums of weights, of (true class, predicted class) pairs.

    Args:
        labels (Tensor): of shape (N,), of an integer dtype: the true classes.
        predictions (Tensor): of shape (N,), of the same dtype: what they were taken for.
        weights (Tensor, None): of shape (N,): what each counts.
        num_classes (int): number of classes. What is none of them does not count.
        dtype (str): of the result.

    Returns:
        Tensor of shape (num_classes, num_classes), a row for each true class.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ConfusionMatrix(2)(ms.Tensor([0, 1, 1]), ms.Tensor([1, 1, 1])))
        [[0 1]
         [0 2]]
    """
    name = "ConfusionMatrix"
    checks.check_ints(name, num_classes=num_classes)
    if not isinstance(dtype, str):
        checks.fail(TypeError, name, "dtype", "be the name of a dtype", repr(dtype))
    checks.check_integer(name, labels=labels, predictions=predictions)
    checks.check_rank(name, 1, labels=labels)
    checks.check_same_dtype(name, labels=labels, predictions=predictions)
    given = {"labels": labels, "predictions": predictions}
    checks.check_same_shape(name, **(given if weights is None else given | {"weights": weights}))
    made = dtypes.as_np(getattr(dtypes, dtype))
    counted = jnp.ones(labels.shape, made) if weights is None else weights.astype(made)
    inside = (labels >= 0) & (labels < num_classes) & (predictions >= 0) & (predictions < num_classes)
    zero = jnp.zeros((num_classes, num_classes), made)
    return zero.at[labels, predictions].add(jnp.where(inside, counted, 0), mode="drop")
