"""What the class form of layers computes beyond the functions: further outputs, and MindSpore's pad modes."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op import op
from msjax.core.tensor import Tensor
from msjax.ops import _expect as expect
from msjax.ops import _windows as windows
from msjax.ops.dropping import dropout_and_mask
from msjax.ops.loss import nll_loss, softmax_cross_entropy_with_logits, sparse_softmax_cross_entropy_with_logits
from msjax.ops.normalization import batch_norm_inference, batch_norm_training
from msjax.ops.pooling import avg_pool2d, avg_pool3d, max_pool2d, max_pool3d
from msjax.ops.random import uniform


@op(static="is_training epsilon momentum")
def batch_norm_outputs(
    input_x: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    is_training: bool = False,
    epsilon: float = 1e-5,
    momentum: float = 0.1,
) -> tuple[Array, ...]:
    """Batch normalization with the statistics that it used (what `ops.BatchNorm` computes).

    Args:
        input_x (Tensor): of shape (N, C, ...).
        scale (Tensor): of shape (C,).
        bias (Tensor): of shape (C,).
        mean (Tensor): moving mean, of shape (C,).
        variance (Tensor): moving variance, of shape (C,).
        is_training (bool): normalize with the batch's own statistics.
        epsilon (float): added to the variance.
        momentum (float): the share of the batch in the moving statistics.

    Returns:
        The normalized Tensor, and four Tensors of shape (C,): the moving statistics before, and the batch's mean and
        the inverse of its standard deviation; out of training the moving ones.
    """
    if not is_training:
        y = batch_norm_inference.pure(input_x, mean, variance, scale, bias, epsilon)
        return y, mean, variance, mean, variance
    y, *_ = batch_norm_training.pure(input_x, mean, variance, scale, bias, momentum, epsilon)
    over = (0, *range(2, input_x.ndim))
    wide = input_x.astype(expect.wide(input_x.dtype))
    own = jnp.mean(wide, over)
    spread = lax.rsqrt(jnp.var(wide, over) + jnp.asarray(epsilon, wide.dtype))
    return y, mean, variance, own, spread


@op
def softmax_cross_entropy_and_gradient(logits: Array, labels: Array) -> tuple[Array, Array]:
    """Softmax cross entropy of each sample, and its derivative by the logits.

    Args:
        logits (Tensor): scores of shape (N, C).
        labels (Tensor): probabilities of shape (N, C).

    Returns:
        Tensors of shape (N,) and (N, C).

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.SoftmaxCrossEntropyWithLogits()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]])))
        [0.6931472] [[-0.5  0.5]]
    """
    loss = softmax_cross_entropy_with_logits.pure(logits, labels)
    return loss, lax.stop_gradient(jax.nn.softmax(logits, -1) - labels)


@op(static="is_grad")
def sparse_cross_entropy_or_gradient(logits: Array, labels: Array, is_grad: bool = False) -> Array:
    """Mean softmax cross entropy of classes, or its derivative by the logits.

    Args:
        logits (Tensor): scores of shape (N, C).
        labels (Tensor): classes of shape (N,).
        is_grad (bool): the derivative instead.

    Returns:
        Tensor without dimensions, or of shape (N, C).
    """
    if not is_grad:
        return sparse_softmax_cross_entropy_with_logits.pure(logits, labels)
    return jax.grad(lambda x: sparse_softmax_cross_entropy_with_logits.pure(x, labels))(logits)


@op
def sigmoid_cross_entropy(logits: Array, label: Array) -> Array:
    """Elementwise -label * log(sigmoid(logits)) - (1 - label) * log(1 - sigmoid(logits)).

    Args:
        logits (Tensor): of any shape, floating.
        label (Tensor): of that shape and dtype.

    Returns:
        Tensor of that shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.SigmoidCrossEntropyWithLogits()(ms.Tensor([0.0]), ms.Tensor([1.0])))
        [0.6931472]
    """
    expect.same_shape("SigmoidCrossEntropyWithLogits", logits=logits, label=label)
    return jnp.maximum(logits, 0) - logits * label + jnp.log1p(jnp.exp(-jnp.abs(logits)))


@op(static="reduction ignore_index")
def nll_and_weight(
    logits: Array, labels: Array, weight: Array, reduction: str = "mean", ignore_index: int = -100
) -> tuple[Array, Array]:
    """Negative log likelihood, and the sum of the weights that count.

    Args:
        logits (Tensor): log probabilities of shape (N, C).
        labels (Tensor): classes of shape (N,).
        weight (Tensor): of the classes, of shape (C,).
        reduction (str): "mean", "sum" or "none".
        ignore_index (int): a class that does not count.

    Returns:
        Tensor of the loss, and Tensor without dimensions.
    """
    loss = nll_loss.pure(logits, labels, weight, ignore_index, reduction)
    counted = jnp.where(labels == ignore_index, jnp.zeros_like(weight[0]), weight[labels])
    return loss, jnp.sum(counted, dtype=weight.dtype)


def dropped(x: Any, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> Any:
    """Dropout with the probability to keep an element, and where elements were kept.

    Args:
        x (Tensor): floating.
        keep_prob (float): probability with which an element stays, in (0, 1].
        Seed0 (int): accepted; draws come from the random state that `set_seed` sets.
        Seed1 (int): accepted.

    Returns:
        Two Tensors of `x`'s shape and dtype.
    """
    expect.between("Dropout", 0, 1, keep_prob=keep_prob)
    return dropout_and_mask(x, 1 - keep_prob)


# ---------------------------------------------------------------------- windows


def _window(name: str, x: Any, n: int, kernel: Any, strides: Any, pad_mode: str, data_format: str) -> tuple:
    """Kernel, stride and padding of MindSpore's settings, which may hold the batch and channel axes too."""
    if data_format not in ("NCHW", "NCDHW"):
        expect.fail(ValueError, name, "data_format", "be 'NCHW' or 'NCDHW'", repr(data_format))
    kernel, strides = (v[2:] if isinstance(v, tuple | list) and len(v) == n + 2 else v for v in (kernel, strides))
    kernel, strides = expect.ints(name, n, kernel_size=kernel), expect.ints(name, n, strides=strides)
    mode = pad_mode.lower()
    expect.choice(name, ("valid", "same"), pad_mode=mode)
    if mode == "valid":
        return kernel, strides, 0
    pairs = windows.same(x.shape[-n:], kernel, strides, (1,) * n)
    return kernel, strides, tuple(side for pair in pairs for side in pair)


def max_pool(x: Any, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> Any:
    """Largest elements of windows of the last two axes (what `ops.MaxPool` computes).

    Args:
        x (Tensor): of shape (N, C, H, W).
        kernel_size (int, tuple[int]): size of the window.
        strides (int, tuple[int]): step of the window.
        pad_mode (str): "valid" or "same".
        data_format (str): "NCHW" only.

    Returns:
        Tensor of shape (N, C, H', W').
    """
    return max_pool2d(x, *_window("MaxPool", x, 2, kernel_size, strides, pad_mode, data_format))


def avg_pool(x: Any, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> Any:
    """Means of windows of the last two axes (what `ops.AvgPool` computes); padding does not count.

    Args:
        x (Tensor): of shape (N, C, H, W).
        kernel_size (int, tuple[int]): size of the window.
        strides (int, tuple[int]): step of the window.
        pad_mode (str): "valid" or "same".
        data_format (str): "NCHW" only.

    Returns:
        Tensor of shape (N, C, H', W').
    """
    window = _window("AvgPool", x, 2, kernel_size, strides, pad_mode, data_format)
    return avg_pool2d(x, *window, count_include_pad=False)


def max_pool_3d(
    x: Any, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCDHW"
) -> Any:
    """Largest elements of windows of the last three axes (what `ops.MaxPool3D` computes).

    Args:
        x (Tensor): of shape (N, C, D, H, W).
        kernel_size (int, tuple[int]): size of the window.
        strides (int, tuple[int]): step of the window.
        pad_mode (str): "valid" or "same".
        data_format (str): "NCDHW" only.

    Returns:
        Tensor of shape (N, C, D', H', W').
    """
    return max_pool3d(x, *_window("MaxPool3D", x, 3, kernel_size, strides, pad_mode, data_format))


def avg_pool_3d(
    x: Any, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCDHW"
) -> Any:
    """Means of windows of the last three axes (what `ops.AvgPool3D` computes).

    Args:
        x (Tensor): of shape (N, C, D, H, W).
        kernel_size (int, tuple[int]): size of the window.
        strides (int, tuple[int]): step of the window.
        pad_mode (str): "valid" or "same".
        data_format (str): "NCDHW" only.

    Returns:
        Tensor of shape (N, C, D', H', W').
    """
    return avg_pool3d(x, *_window("AvgPool3D", x, 3, kernel_size, strides, pad_mode, data_format))


def uniform_real(shape: Any, seed: int = 0, seed2: int = 0) -> Any:
    """Draws from the uniform distribution over [0, 1).

    Args:
        shape (tuple[int]): of the result.
        seed (int): accepted; draws come from the random state that `set_seed` sets.
        seed2 (int): accepted.

    Returns:
        Tensor, float32.
    """
    return uniform(shape, Tensor(0.0, dtypes.float32), Tensor(1.0, dtypes.float32))


def uniform_int(shape: Any, minval: Any, maxval: Any, seed: int = 0, seed2: int = 0) -> Any:
    """Draws from the integers of [minval, maxval).

    Args:
        shape (tuple[int]): of the result.
        minval (Tensor): least number, int32.
        maxval (Tensor): what all numbers are below, int32.
        seed (int): accepted; draws come from the random state that `set_seed` sets.
        seed2 (int): accepted.

    Returns:
        Tensor, int32.
    """
    return uniform(shape, minval, maxval, dtype=dtypes.int32)
