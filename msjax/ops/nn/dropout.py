"""Dropout of elements and of whole channels; what is kept is scaled by the inverse of the keep probability."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.random.seeding import fold_in_seed


def keep_mask(key: Array, shape: tuple[int, ...], p: float) -> Array:
    """Return an array that is true with probability 1 - p."""
    if p >= 1:
        return jnp.zeros(shape, bool)
    return jax.random.bits(key, shape, np.uint32) >= np.uint32(min(round(p * 2**32), 2**32 - 1))


def drop(key: Array, x: Array, p: float, shape: tuple[int, ...] | None = None) -> Array:
    """Set elements of x to 0 with probability p, and scale the others; with `shape`, whole blocks of elements."""
    stays = keep_mask(key, x.shape if shape is None else shape, p)
    return jnp.where(stays, x / np.asarray(1 - p if p < 1 else 1, x.dtype), 0) if p > 0 else x


@op(random=True, static="p seed")
def drop_elements(_key: Array, input: Array, p: float = 0.5, seed: int | None = None) -> Array:
    """Apply `dropout` as in training.

    Args:
        input (Tensor): floating.
        p (float): probability with which an element is dropped.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.dropout import drop_elements
        >>> print(drop_elements(ms.Tensor([1.0]), 0.0))
        [1.]
    """
    checks.check_floating("dropout", input=input)
    return drop(fold_in_seed("dropout", _key, seed), input, p)


@op(random=True, static="p mask_dtype seed")
def dropout_and_mask(
    _key: Array, x: Array, p: float = 0.5, mask_dtype: Any = None, seed: int | None = None
) -> tuple[Array, Array]:
    """Apply `dropout` as in training; return the mask of what was kept, too.

    Args:
        x (Tensor): floating.
        p (float): probability with which an element is dropped.
        mask_dtype (str): dtype of the mask. Default: that of `x`.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tuple of two Tensors of `x`'s shape.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.dropout import dropout_and_mask
        >>> print(dropout_and_mask(ms.Tensor([2.0]), 0.0)[1])
        [1.]
    """
    checks.check_floating("dropout", x=x)
    stays = keep_mask(fold_in_seed("dropout", _key, seed), x.shape, p)
    y = jnp.where(stays, x / np.asarray(1 - p if p < 1 else 1, x.dtype), 0)
    return y, stays.astype(x.dtype if mask_dtype is None else mask_dtype)


@op(random=True, static="p lead")
def drop_channels(_key: Array, input: Array, p: float = 0.5, lead: int = 2) -> Array:
    """Dropout of all that lies under an index of the first `lead` dimensions together.

    Args:
        input (Tensor): of at least `lead` dimensions.
        p (float): probability with which a channel is dropped.
        lead (int): 2 for (N, C, ...), 1 for (C, ...).

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.dropout import drop_channels
        >>> print(drop_channels(ms.Tensor([[1.0, 2.0]]), 0.0))
        [[1. 2.]]
    """
    return drop(_key, input, p, input.shape[:lead] + (1,) * (input.ndim - lead))


@op(random=True, static="p")
@documented_by(drop_elements)
def drop_to_negative(_key: Array, input: Array, p: float = 0.5) -> Array:
    """`alpha_dropout` in training.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.dropout import drop_to_negative
        >>> print(drop_to_negative(ms.Tensor([1.0]), 0.0))
        [1.]
    """
    low = -1.7580993408473766  # SELU's limit at minus infinity
    scale = ((1 - p) * (1 + p * low**2)) ** -0.5 if p < 1 else 0.0
    return checks.apply_in_compute_dtype(
        lambda x: scale * jnp.where(keep_mask(_key, x.shape, p), x, low) - scale * p * low, input
    )


@documented_by(drop_elements)
def dropout(input: Any, p: float = 0.5, training: bool = True, seed: int | None = None) -> Any:
    """Each element is 0 with probability p, and x / (1 - p) otherwise.

    Args:
        p (float): probability with which an element is dropped, in [0, 1).
        training (bool): otherwise `input` comes back as it is.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Raises:
        TypeError: if `input` is not floating, `training` not a bool or `p` not a float.
        RuntimeError: if `p` is not in [0, 1).

    Examples:
        >>> import msjax as ms
        >>> ms.set_seed(1)
        >>> print(ms.ops.dropout(ms.ops.ones(1000), 0.25).mean() > 0.9)
        True
    """
    checks.check_bools("dropout", training=training)
    if not training:
        return input
    if not isinstance(p, float | np.floating):
        checks.fail(TypeError, "dropout", "p", "be a float", f"{p!r} ({type(p).__name__})")
    if not 0 <= p < 1:
        checks.fail(RuntimeError, "dropout", "p", "be in [0, 1)", p)
    return drop_elements(input, float(p), seed)


def drop_in_training(input: Any, p: float = 0.5, training: bool = True, seed: int | None = None) -> Any:
    """Apply `dropout`, also with p = 1 or a p that is an int, as `mint` and the layers do."""
    checks.check_bools("dropout", training=training)
    checks.check_between("dropout", 0, 1, p=p)
    return drop_elements(input, p, seed) if training else input


def _channels(name: str, ranks: tuple[int, ...], input: Any, p: float, training: bool) -> Any:
    checks.check_bools(name, training=training)
    checks.check_between(name, 0, 1, p=p)
    checks.check_rank(name, *ranks, input=input)
    if not training:
        return input
    return drop_channels(input, p, 1 if len(ranks) > 1 and len(input.shape) == ranks[0] else 2)


def dropout1d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Each channel of (N, C, L) or (C, L) is 0 with probability p, and x / (1 - p) otherwise.

    Args:
        input (Tensor): of shape (N, C, L) or (C, L).
        p (float): probability with which a channel is dropped, in [0, 1].
        training (bool): otherwise `input` comes back as it is.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `p` is not in [0, 1], or the number of dimensions does not fit.

    References:
        Tompson et al.: Efficient Object Localization Using Convolutional Networks, 2015.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dropout1d(ms.ops.ones((1, 2)), 0.0))
        [[1. 1.]]
    """
    return _channels("dropout1d", (2, 3), input, p, training)


def dropout2d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Each channel of (N, C, H, W) is 0 with probability p, and x / (1 - p) otherwise.

    Args:
        input (Tensor): of shape (N, C, H, W).
        p (float): probability with which a channel is dropped, in [0, 1].
        training (bool): otherwise `input` comes back as it is.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `p` is not in [0, 1], or `input` does not have 4 dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dropout2d(ms.ops.ones((1, 1, 1, 2)), 0.0))
        [[[[1. 1.]]]]
    """
    return _channels("dropout2d", (4,), input, p, training)


@documented_by(dropout2d)
def dropout3d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Each channel of (N, C, D, H, W) is 0 with probability p, and x / (1 - p) otherwise.

    Args:
        input (Tensor): of shape (N, C, D, H, W).

    Raises:
        ValueError: if `p` is not in [0, 1], or `input` does not have 5 dimensions.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.dropout3d(ms.ops.ones((1, 1, 1, 1, 2)), 0.5).shape
        (1, 1, 1, 1, 2)
    """
    return _channels("dropout3d", (5,), input, p, training)


@documented_by(dropout)
def alpha_dropout(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Dropout that keeps mean 0 and variance 1, for networks of SELU: elements fall to its negative limit.

    Raises:
        ValueError: if `p` is not in [0, 1].

    References:
        Klambauer et al.: Self-Normalizing Neural Networks, 2017.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.dropout import alpha_dropout
        >>> print(alpha_dropout(ms.Tensor([1.0]), 0.0))
        [1.]
    """
    checks.check_bools("alpha_dropout", training=training)
    checks.check_between("alpha_dropout", 0, 1, p=p)
    return drop_to_negative(input, p) if training else input
