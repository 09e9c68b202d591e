"""Gradient clipping: `ops.function.clip_func`, with two helpers that users' training cells map over gradients."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax import ops
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op


@op
def get_square_sum(x: ArrayLike) -> Array:
    """Return the sum of squares of an array, in float32 and of shape (1,).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.gradient_clipping import get_square_sum
        >>> print(ms.ops.HyperMap()(get_square_sum, (ms.Tensor([3.0, 4.0]), ms.Tensor([1.0])))[0])
        [25.]
    """
    return jnp.sum(jnp.square(x)).astype(jnp.float32)[None]


@op
def apply_global_norm(clip_norm: ArrayLike, global_norm: ArrayLike, x: ArrayLike) -> Array:
    """x * clip_norm / global_norm, computed in float32, in the dtype of x.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.gradient_clipping import apply_global_norm
        >>> print(apply_global_norm(ms.Tensor(1.0), ms.Tensor(5.0), ms.Tensor([3.0, 4.0])))
        [0.6 0.8]
    """
    return (x.astype(jnp.float32) * clip_norm / global_norm).astype(x.dtype)


def __getattr__(name: str) -> Any:
    return getattr(ops, name)
