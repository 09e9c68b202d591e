"""Linear (dense) layers as functions, and bias addition per channel."""

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks


@op
def dense(input: Array, weight: Array, bias: Array | None = None) -> Array:
    """x @ weight.T + bias.

    Args:
        input (Tensor): of shape (..., in).
        weight (Tensor): of shape (out, in), or (in,), and `input`'s dtype.
        bias (Tensor): of shape (out,), or () beside a weight of shape (in,).

    Returns:
        Tensor of shape (..., out), or (...) for a weight of shape (in,).

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the last sizes of `input` and `weight` differ, or `bias` does not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dense(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0, 1.0], [0.0, 1.0]])))
        [[3. 2.]]
    """
    checks.check_same_dtype("dense", input=input, weight=weight)
    checks.check_rank("dense", 1, 2, weight=weight)
    if input.ndim < 1 or input.shape[-1] != weight.shape[-1]:
        rule = f"have {weight.shape[-1]} as its last size, as the weight of shape {weight.shape} takes"
        checks.fail(ValueError, "dense", "input", rule, f"array of shape {input.shape}")
    y = jnp.matmul(input, weight.T)
    if bias is None:
        return y
    if bias.shape != weight.shape[:-1]:
        checks.fail(
            ValueError, "dense", "bias", f"have shape {weight.shape[:-1]}", f"array of shape {bias.shape}"
        )
    return y + bias.astype(y.dtype)


@op
def bias_add(input_x: Array, bias: Array) -> Array:
    """x with a number per channel added.

    Args:
        input_x (Tensor): of shape (N, C, ...).
        bias (Tensor): of shape (C,).

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if `bias` does not have one number per channel.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bias_add(ms.Tensor([[1.0, 2.0]]), ms.Tensor([10.0, 20.0])))
        [[11. 22.]]
    """
    checks.check_same_dtype("bias_add", input_x=input_x, bias=bias)
    if input_x.ndim < 2 or bias.shape != input_x.shape[1:2]:
        received = f"array of shape {bias.shape} for an input of shape {input_x.shape}"
        checks.fail(ValueError, "bias_add", "bias", "have the size of the input's dimension 1", received)
    return input_x + bias.reshape(-1, *[1] * (input_x.ndim - 2))
