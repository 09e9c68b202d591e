"""Implementations of network operator classes for which no function has the same arguments and results.

Most class forms are rows of `primitives.nn` over a function of the family; these few differ in what they return.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks, window_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import refuse_outside
from msjax.ops.nn import loss, loss_margin, normalization, pooling
from msjax.ops.nn.dropout import drop_channels


def need_nchw(name: str, data_format: str) -> None:
    """Raise unless channels come second, which is the one layout here."""
    if data_format not in ("NCHW", "NCDHW"):
        checks.fail(ValueError, name, "data_format", "be 'NCHW' or 'NCDHW'", repr(data_format))


def check_kernel(
    name: str, weight: Any, out_channel: int, kernel_size: Any, mode: int = 1, axis: int = 0
) -> None:
    """Raise unless a kernel has the sizes that the operator was made with."""
    if getattr(weight, "dtype", None) in (None, dtypes.bool_, np.bool_):
        checks.fail(
            TypeError, name, "weight", "be a Tensor of numbers", f"{weight!r} ({type(weight).__name__})"
        )
    sizes = tuple(weight.shape[2:])
    kernel = (kernel_size,) * len(sizes) if isinstance(kernel_size, int) else tuple(kernel_size)
    if mode != 1:
        checks.fail(ValueError, name, "mode", "be 1", mode)
    if sizes != kernel:
        checks.fail(
            ValueError, name, "weight", f"have a kernel of size {kernel}", f"array of shape {weight.shape}"
        )
    if weight.shape[axis] != out_channel:
        rule = f"have {out_channel} (out_channel) elements along axis {axis}"
        checks.fail(ValueError, name, "weight", rule, f"array of shape {weight.shape}")


def _sizes(name: str, n: int, x: Array, kernel: Any, stride: Any, pad_mode: str, padding: Any) -> Any:
    """Stride and padding of a pooling with MindSpore's pad modes; over two dimensions there is no "pad"."""
    checks.check_rank(name, n + 2, x=x)
    mode = pad_mode.lower()
    checks.check_choice(name, ("valid", "same") if n == 2 else ("valid", "same", "pad"), pad_mode=mode)
    kernel, stride = (v[2:] if isinstance(v, tuple) and len(v) == n + 2 else v for v in (kernel, stride))
    kernel, stride = (
        checks.as_int_tuple(name, n, kernel_size=kernel),
        checks.as_int_tuple(name, n, strides=stride),
    )
    if mode == "same":
        pairs = window_args.same_padding(x.shape[-n:], kernel, stride, (1,) * n)
        return kernel, stride, tuple(p for pair in pairs for p in pair)
    return kernel, stride, 0 if mode == "valid" else padding


@op(static="n kernel_size strides pad_mode padding ceil_mode")
def max_pool(
    x: Array,
    n: int,
    kernel_size: Any,
    strides: Any,
    pad_mode: str = "valid",
    padding: Any = 0,
    ceil_mode: bool = False,
) -> Array:
    """Return the largest element of each window, with MindSpore's pad modes.

    Args:
        x (Tensor): of shape (N, C, d1, ... dn).
        n (int): number of dimensions that the windows slide over.
        kernel_size (int, tuple): size of the window.
        strides (int, tuple): step of the window.
        pad_mode (str): "valid", "same" or "pad".
        padding (int, tuple): with pad_mode "pad".
        ceil_mode (bool): let a last, incomplete window count.

    Returns:
        Tensor of shape (N, C, d1', ... dn').

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import max_pool
        >>> max_pool(ms.ops.ones((1, 1, 5, 5)), 2, 3, 2, "same").shape
        (1, 1, 3, 3)
    """
    kernel, stride, pads = _sizes("MaxPool", n, x, kernel_size, strides, pad_mode, padding)
    return pooling.max_windows("MaxPool", n, x, kernel, stride, pads, 1, ceil_mode)[0]


@op(static="kernel_size strides pad_mode")
def max_pool_argmax(x: Array, kernel_size: Any, strides: Any, pad_mode: str = "valid") -> tuple[Array, Array]:
    """Return the largest element of each window, and its place in the flattened C x H x W (int32).

    Args:
        x (Tensor): of shape (N, C, H, W).
        kernel_size (int, tuple): size of the window.
        strides (int, tuple): step of the window.
        pad_mode (str): "valid" or "same".

    Returns:
        Tuple of two Tensors of shape (N, C, H', W').

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import max_pool_argmax
        >>> print(max_pool_argmax(ms.Tensor([[[[1.0, 3.0]]]]), (1, 2), 1)[1])
        [[[[1]]]]
    """
    kernel, stride, pads = _sizes("MaxPoolWithArgmax", 2, x, kernel_size, strides, pad_mode, 0)
    best, place = pooling.max_windows("MaxPoolWithArgmax", 2, x, kernel, stride, pads, 1, False)
    channel = jnp.arange(x.shape[1], dtype=place.dtype)[:, None, None]
    return best, place + channel * (x.shape[2] * x.shape[3])


@op(static="n kernel_size strides pad_mode padding ceil_mode count_include_pad divisor_override")
@documented_by(max_pool)
def avg_pool(
    x: Array,
    n: int,
    kernel_size: Any,
    strides: Any,
    pad_mode: str = "valid",
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    divisor_override: int = 0,
) -> Array:
    """Return the mean of each window, with MindSpore's pad modes.

    Args:
        x (Tensor): of shape (N, C, d1, ... dn), floating.
        count_include_pad (bool): count padding among the elements.
        divisor_override (int): divide sums by this instead; 0 does not.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import avg_pool
        >>> avg_pool(ms.ops.ones((1, 1, 5, 5)), 2, 3, 2, "same").shape
        (1, 1, 3, 3)
    """
    kernel, stride, pads = _sizes("AvgPool", n, x, kernel_size, strides, pad_mode, padding)
    return pooling.mean_windows(
        "AvgPool", n, x, kernel, stride, pads, ceil_mode, count_include_pad, divisor_override
    )


@op(static="epsilon")
def _batch_statistics(input_x: ArrayLike, epsilon: float) -> tuple[Array, Array]:
    axes = (0, *range(2, input_x.ndim))
    x = lax.stop_gradient(input_x.astype(checks.compute_dtype(input_x.dtype)))
    mean = jnp.mean(x, axes)
    shape = (-1, *[1] * (x.ndim - 2))
    return mean, jnp.mean(jnp.square(x - mean.reshape(shape)), axes)


def batch_norm_outputs(
    input_x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    training: bool,
    eps: float,
    momentum: float,
) -> tuple[Tensor, ...]:
    """`batch_norm` with the five results of MindSpore's class: the last four are statistics without gradient."""
    if training:
        statistics = _batch_statistics(input_x, eps)
        y = normalization.batch_norm(input_x, mean, variance, scale, bias, True, momentum, eps)
        return (y, *statistics, *statistics)
    y = normalization.batch_norm(input_x, mean, variance, scale, bias, False, momentum, eps)
    return y, mean, variance, mean, variance


def dropped_channels(x: Any, keep_prob: float) -> tuple[Any, Any]:
    """Dropout of channels, and where it left them."""
    checks.check_between("Dropout2D", 0, 1, keep_prob=keep_prob)
    kept = drop_channels(_ones(x), 1 - keep_prob, 2)
    return _multiply(x, kept), _positive(kept)


@op
def _ones(x: ArrayLike) -> Array:
    return jnp.ones_like(x)


@op
def _multiply(x: ArrayLike, factor: ArrayLike) -> Array:
    return x * factor


@op
def _positive(x: ArrayLike) -> Array:
    return x > 0


@op
def softmax_cross_entropy_and_gradient(logits: Array, labels: Array) -> tuple[Array, Array]:
    """-sum(labels * log_softmax(logits)) of each sample, and its derivative softmax(logits) - labels.

    Args:
        logits (Tensor): scores of shape (N, C), floating.
        labels (Tensor): probabilities of shape (N, C) and `logits`'s dtype.

    Returns:
        Tuple of Tensors of shapes (N,) and (N, C).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import softmax_cross_entropy_and_gradient
        >>> print(softmax_cross_entropy_and_gradient(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]]))[1])
        [[-0.5  0.5]]
    """
    value = loss.softmax_cross_entropy_with_logits.pure(logits, labels)
    x, y = lax.stop_gradient((logits, labels))
    return value, checks.apply_in_compute_dtype(lambda v: jax.nn.softmax(v, -1), x) - y


def _refuse_classes(op_name: str, logits: Array, labels: Array) -> None:
    if logits.ndim == 2:
        refuse_outside(op_name, "labels", labels, 0, logits.shape[1:])


@op(bounds=_refuse_classes)
def sparse_softmax_cross_entropy_and_gradient(logits: Array, labels: Array) -> tuple[Array, Array]:
    """-log_softmax(logits) of the class of each sample, and its derivative (`SparseSoftmaxCrossEntropyWithLogitsV2`).

    Args:
        logits (Tensor): scores of shape (N, C), floating.
        labels (Tensor): classes (N,), int32 or int64.

    Returns:
        Tuple of Tensors of shapes (N,) and (N, C).

    Raises:
        TypeError: if a dtype does not fit.
        ValueError: if a shape does not fit, or there is no such class.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import sparse_softmax_cross_entropy_and_gradient
        >>> print(sparse_softmax_cross_entropy_and_gradient(ms.Tensor([[0.0, 0.0]]), ms.Tensor([0]))[1])
        [[-0.5  0.5]]
    """
    name = "SparseSoftmaxCrossEntropyWithLogitsV2"
    checks.check_floating(name, logits=logits)
    checks.check_integer(name, labels=labels)
    checks.check_rank(name, 2, logits=logits)
    if labels.shape != logits.shape[:1]:
        checks.fail(ValueError, name, "labels", f"have shape {logits.shape[:1]}", labels.shape)
    return softmax_cross_entropy_and_gradient.pure(
        logits, jax.nn.one_hot(labels, logits.shape[1], dtype=logits.dtype)
    )


def sparse_softmax_cross_entropy(logits: Any, labels: Any, is_grad: bool) -> Any:
    """Return the mean loss, or its derivative with respect to the logits."""
    return (_sparse_gradient if is_grad else loss.sparse_softmax_cross_entropy_with_logits)(logits, labels)


@op(bounds=_refuse_classes)
def _sparse_gradient(logits: ArrayLike, labels: ArrayLike) -> Array:
    return jax.grad(loss.sparse_softmax_cross_entropy_with_logits.pure)(logits, labels)


@op
def sigmoid_cross_entropy(logits: Array, label: Array) -> Array:
    """-y log(sigmoid(x)) - (1 - y) log(1 - sigmoid(x)), with no gradient for y.

    Args:
        logits (Tensor): scores x, floating.
        label (Tensor): y, of `logits`'s shape.

    Returns:
        Tensor of `logits`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import sigmoid_cross_entropy
        >>> print(sigmoid_cross_entropy(ms.Tensor([0.0]), ms.Tensor([1.0])))
        [0.6931472]
    """
    return loss.binary_cross_entropy_with_logits.pure(logits, lax.stop_gradient(label), reduction="none")


def _refuse_targets(
    op_name: str, logits: Array, labels: Array, weight: Array, *, ignore_index: int, **_: Any
) -> None:
    if logits.ndim == 2:
        refuse_outside(op_name, "labels", labels, 0, logits.shape[1:], ignore_index)


@op(static="reduction ignore_index", bounds=_refuse_targets)
def nll_loss_and_weight(
    logits: Array, labels: Array, weight: Array, reduction: str = "mean", ignore_index: int = -100
) -> tuple[Array, Array]:
    """`nll_loss` with weights, and the sum of the weights that took part.

    Args:
        logits (Tensor): log probabilities of shape (N, C), floating.
        labels (Tensor): classes of shape (N,), integer.
        weight (Tensor): weights of the classes, of shape (C,).
        reduction (str): "mean", "sum" or "none".
        ignore_index (int): the class that does not take part.

    Returns:
        Tuple of the loss and a scalar, of `logits`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.nn import nll_loss_and_weight
        >>> print(nll_loss_and_weight(ms.Tensor([[-1.0, -2.0]]), ms.Tensor([1]), ms.Tensor([1.0, 0.5]))[1])
        0.5
    """
    weight = lax.stop_gradient(weight).astype(logits.dtype)
    value = loss.nll_loss.pure(logits, labels, weight, ignore_index, reduction)
    kept = labels != ignore_index
    taken = jnp.where(kept, weight[jnp.where(kept, labels, 0)], 0)
    return value, jnp.sum(taken)


@op(static="reduction")
def multilabel_margin_loss_and_targets(
    input: ArrayLike, target: ArrayLike, reduction: str = "mean"
) -> tuple[Array, Array]:
    """Compute the multilabel margin loss and its target mask: 1 in int32 for every class that is a target of its sample.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.MultilabelMarginLoss()(ms.Tensor([0.0, 0.0, 0.0]), ms.Tensor([2, -1, 1]))[1])
        [0 0 1]
    """
    named = jnp.cumprod((target >= 0).astype(jnp.int32), -1)
    here = jax.nn.one_hot(target, target.shape[-1], dtype=jnp.int32) * named[..., None]
    return loss_margin.multilabel_margin_loss.pure(input, target, reduction), jnp.max(here, -2)
