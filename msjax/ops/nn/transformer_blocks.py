"""Fused transformer operators of Ascend: add + layer norm, SwiGLU, rotary embeddings, mixture-of-experts routing.

All of them run here. MindSpore's documented examples and their formulas in NumPy are what they are checked against.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks


def _of_one_kind(name: str, x1: Array, x2: Array) -> Array:
    """Return the sum, to be computed with in a wide dtype."""
    checks.check_floating(name, x1=x1, x2=x2)
    checks.check_same_dtype(name, x1=x1, x2=x2)
    if x1.shape != x2.shape:
        checks.fail(RuntimeError, name, "x2", f"have the shape of x1, {x1.shape}", x2.shape)
    return x1 + x2


@op(static="epsilon additional_output")
def add_layer_norm(
    x1: Array, x2: Array, gamma: Array, beta: Array, epsilon: float = 1e-5, additional_output: bool = False
) -> tuple[Array, Array, Array, Array]:
    """x1 + x2, normalized over the last axis: (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ba et al., 2016).

    Args:
        x1 (Tensor): floating.
        x2 (Tensor): of the shape and dtype of `x1`.
        gamma (Tensor): factors of the elements of the last axis.
        beta (Tensor): what is added to them.
        epsilon (float): added to the variance.
        additional_output (bool): whether the sum is asked for; it is given in any case.

    Returns:
        Four Tensors of `x1`'s dtype: the result, the means and 1 / sqrt(variance + epsilon) with a last axis of size 1,
        and the sum.

    Raises:
        TypeError: for dtypes or settings of another type.
        RuntimeError: if shapes differ.

    Examples:
        >>> import msjax as ms
        >>> x, one = ms.Tensor([[1.0, 3.0]]), ms.ops.ones(2)
        >>> print(ms.ops.add_layer_norm(x, x, one, one)[1])
        [[4.]]
    """
    name = "add_layer_norm"
    checks.check_bools(name, additional_output=additional_output)
    if not isinstance(epsilon, float):
        checks.fail(TypeError, name, "epsilon", "be a float", repr(epsilon))
    total = _of_one_kind(name, x1, x2)
    x = total.astype(checks.compute_dtype(x1.dtype))
    mean = jnp.mean(x, -1, keepdims=True)
    scale = jax.lax.rsqrt(jnp.mean(jnp.square(x - mean), -1, keepdims=True) + epsilon)
    y = (x - mean) * scale * gamma.astype(x.dtype) + beta.astype(x.dtype)
    return y.astype(x1.dtype), mean.astype(x1.dtype), scale.astype(x1.dtype), total


@op(static="epsilon")
def add_rms_norm(x1: Array, x2: Array, gamma: Array, epsilon: float = 1e-6) -> tuple[Array, Array, Array]:
    """x1 + x2, divided by the root of its mean square over the axes of gamma, times gamma (Zhang and Sennrich, 2019).

    Args:
        x1 (Tensor): floating.
        x2 (Tensor): of the shape and dtype of `x1`.
        gamma (Tensor): factors, of the shape of `x1`'s last axes.
        epsilon (float): added to the mean square, in (0, 1].

    Returns:
        Three Tensors: the result, 1 / sqrt(mean square + epsilon) as float32 with axes of size 1, and the sum.

    Raises:
        TypeError: for other dtypes.
        ValueError: if `epsilon` is out of range, or `gamma` has more dimensions.
        RuntimeError: if shapes differ.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[0.5, 1.0, 1.5]])
        >>> print(ms.ops.add_rms_norm(x, x, ms.ops.ones(3))[2])
        [[1. 2. 3.]]
    """
    name = "add_rms_norm"
    if not isinstance(epsilon, float) or not 0 < epsilon <= 1:
        checks.fail(ValueError, name, "epsilon", "be a float in (0, 1]", repr(epsilon))
    total = _of_one_kind(name, x1, x2)
    if gamma.ndim > x1.ndim:
        checks.fail(ValueError, name, "gamma", f"have at most {x1.ndim} dimensions", gamma.shape)
    x = total.astype(checks.compute_dtype(x1.dtype))
    axes = tuple(range(-gamma.ndim, 0))
    scale = jax.lax.rsqrt(jnp.mean(jnp.square(x), axes, keepdims=True) + epsilon)
    return (x * scale * gamma.astype(x.dtype)).astype(x1.dtype), scale.astype(jnp.float32), total


@op(static="dim")
def swiglu(input: Array, dim: int = -1) -> Array:
    """Return the half a of an axis through a sigmoid(a), times its other half (Shazeer, 2020).

    Args:
        input (Tensor): floating, with an axis of even size.
        dim (int): that axis.

    Returns:
        Tensor with half as many elements along the axis.

    Raises:
        TypeError: if `input` is not floating.
        RuntimeError: if the size is odd.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.swiglu(ms.Tensor([0.0, 1.0, 2.0, 2.0])))
        [0.        1.4621172]
    """
    checks.check_floating("swiglu", input=input)
    axis = checks.normalize_axis("swiglu", input.ndim, dim=dim)
    if input.shape[axis] % 2:
        checks.fail(RuntimeError, "swiglu", "dim", "be an axis of even size", f"{dim} of shape {input.shape}")
    a, b = jnp.split(input.astype(checks.compute_dtype(input.dtype)), 2, axis)
    return (jax.nn.silu(a) * b).astype(input.dtype)


@op(static="mode")
def rotary_position_embedding(x: Array, cos: Array, sin: Array, mode: int = 0) -> Array:
    """Pairs of features turned by angles: x cos + r sin, r the pairs turned by 90 degrees (Su et al., 2021).

    Args:
        x (Tensor): of four dimensions, the last of even size, floating.
        cos (Tensor): cosines of the angles, of a shape that broadcasts with `x`.
        sin (Tensor): sines of the angles.
        mode (int): 0 pairs the first half of the features with the second, 1 neighbours.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: if `mode` is not an int.
        ValueError: for shapes that do not fit or another `mode`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[1.0, 2.0, 3.0, 4.0]]]])
        >>> print(ms.ops.rotary_position_embedding(x, ms.ops.zeros_like(x), ms.ops.ones_like(x)))
        [[[[-3. -4.  1.  2.]]]]
    """
    name = "rotary_position_embedding"
    checks.check_floating(name, x=x, cos=cos, sin=sin)
    checks.check_rank(name, 4, x=x, cos=cos, sin=sin)
    checks.check_ints(name, mode=mode)
    checks.check_broadcastable(name, x=x, cos=cos, sin=sin)
    if mode not in (0, 1):
        checks.fail(ValueError, name, "mode", "be 0 or 1", mode)
    if x.shape[-1] % 2:
        checks.fail(ValueError, name, "x", "have an even number of features", x.shape)
    if mode == 0:
        a, b = jnp.split(x, 2, -1)
        turned = jnp.concatenate([-b, a], -1)
    else:
        turned = jnp.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    wide = checks.compute_dtype(x.dtype)
    found = x.astype(wide) * cos.astype(wide) + turned.astype(wide) * sin.astype(wide)
    return found.astype(x.dtype)


@op(static="num_out_tokens padded_mode")
def moe_token_permute(
    tokens: Array, indices: Array, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Array, Array]:
    """Tokens in the order of the experts that they go to: those of one expert stand together.

    Args:
        tokens (Tensor): (number of tokens, features), floating.
        indices (Tensor): for each token, the number of its expert, or of several; int32 or int64.
        num_out_tokens (int): how many of them to keep, from the front. Default: all.
        padded_mode (bool): False.

    Returns:
        Tuple of the tokens, each once for each of its experts, and where each of them stands (int32).

    Raises:
        TypeError: for dtypes or settings of another type.
        ValueError: for shapes that do not fit, or `padded_mode`.
        RuntimeError: if there are not as many rows of `indices` as tokens.

    Examples:
        >>> import msjax as ms
        >>> y, places = ms.ops.moe_token_permute(ms.Tensor([[1.0], [7.0], [2.0]]), ms.Tensor([2, 0, 1]))
        >>> print(y.reshape(-1), places)
        [7. 2. 1.] [2 0 1]
    """
    name = "moe_token_permute"
    checks.check_integer(name, indices=indices)
    checks.check_bools(name, padded_mode=padded_mode)
    if padded_mode:
        checks.fail(ValueError, name, "padded_mode", "be False", padded_mode)
    checks.check_rank(name, 2, tokens=tokens)
    checks.check_rank(name, 1, 2, indices=indices)
    many = indices.shape[1] if indices.ndim == 2 else 1
    if many > 512:
        checks.fail(ValueError, name, "indices", "have at most 512 columns", indices.shape)
    if indices.shape[0] != tokens.shape[0]:
        checks.fail(RuntimeError, name, "indices", f"have {tokens.shape[0]} rows, the tokens", indices.shape)
    if num_out_tokens is not None:
        checks.check_ints(name, num_out_tokens=num_out_tokens)
        if num_out_tokens < 0:
            checks.fail(ValueError, name, "num_out_tokens", "not be negative", num_out_tokens)
    order = jnp.argsort(indices.reshape(-1), stable=True)
    return tokens[order[:num_out_tokens] // many], jnp.argsort(order).astype(jnp.int32)


@op(static="padded_mode restore_shape")
def moe_token_unpermute(
    permuted_tokens: Array, sorted_indices: Array, probs: Array | None = None, padded_mode: bool = False,
    restore_shape: Any = None,
) -> Array:  # fmt: skip
    """Tokens back in their order, and those that several experts had summed, weighted with `probs`.

    Args:
        permuted_tokens (Tensor): what :func:`moe_token_permute` gave, (tokens times experts of each, features).
        sorted_indices (Tensor): where each of them stands, int32; one that was dropped counts as zeros.
        probs (Tensor): weights (tokens, experts of each). Default: one expert each, with weight 1.
        padded_mode (bool): False.
        restore_shape (tuple): of padded mode.

    Returns:
        Tensor (tokens, features).

    Raises:
        TypeError: for other dtypes.
        ValueError: for shapes that do not fit, or `padded_mode`.

    Examples:
        >>> import msjax as ms
        >>> places = ms.Tensor([2, 0, 1], ms.int32)
        >>> print(ms.ops.moe_token_unpermute(ms.Tensor([[7.0], [2.0], [1.0]]), places).reshape(-1))
        [1. 7. 2.]
    """
    name = "moe_token_unpermute"
    checks.check_integer(name, sorted_indices=sorted_indices)
    checks.check_bools(name, padded_mode=padded_mode)
    if padded_mode or restore_shape is not None:
        checks.fail(ValueError, name, "padded_mode", "be False, without restore_shape", padded_mode)
    checks.check_rank(name, 2, permuted_tokens=permuted_tokens)
    checks.check_rank(name, 1, sorted_indices=sorted_indices)
    found = permuted_tokens.at[sorted_indices].get(mode="fill", fill_value=0)
    if probs is None:
        return found
    checks.check_rank(name, 2, probs=probs)
    if probs.size != sorted_indices.size:
        checks.fail(ValueError, name, "probs", f"have {sorted_indices.size} elements", probs.shape)
    wide = checks.compute_dtype(found.dtype)
    parts = found.astype(wide).reshape(*probs.shape, -1) * probs.astype(wide)[..., None]
    return parts.sum(1).astype(found.dtype)
