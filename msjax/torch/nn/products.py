"""Products of `torch.nn.functional`: attention, and matrix products of groups of rows (mixtures of experts)."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.torch.functions import basic
from msjax.torch.tensors.call_conventions import adapt_call
from msjax.torch.tensors.tensor import as_torch

_attend = adapt_call(ops.scaled_dot_product_attention)


def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Dropout(softmax(scale * query key^T + mask)) value; a single head of keys and values is that of all queries.

    Args:
        query: of shape (..., N, S, D).
        key: of shape (..., M, T, D).
        value: of shape (..., M, T, E).
        attn_mask: of a shape that broadcasts with (..., N, S, T): bool (true takes part) or floating (added).
        dropout_p: probability with which a weight is dropped.
        is_causal: whether position s sees positions up to s only.
        scale: factor of the scores; 1 / sqrt(D) by default.
        enable_gqa: whether several heads of the query share one of key and value.
    """
    if not enable_gqa and query.ndim > 3 and key.ndim == value.ndim == query.ndim:
        heads = query.shape[-3]
        key, value = (
            basic.expand(x, *x.shape[:-3], heads, *x.shape[-2:]) if x.shape[-3] == 1 != heads else x
            for x in (key, value)
        )
    if attn_mask is None:
        return _attend(query, key, value, None, dropout_p, is_causal, scale, enable_gqa)
    # A query that the mask lets see no key gets zeros, as in PyTorch: it sees all keys at first, since a softmax of
    # nothing has no slope.
    open_mask, is_seeing = _open_unseeing(attn_mask)
    found = _attend(query, key, value, as_torch(open_mask), dropout_p, is_causal, scale, enable_gqa)
    return basic.where(as_torch(is_seeing), found, 0)


@op
def _open_unseeing(mask: Array) -> tuple[Array, Array]:
    """Return the mask with all keys for queries that see none, and the queries that see at least one."""
    is_bool = mask.dtype == bool
    is_seeing = (mask if is_bool else mask > -jnp.inf).any(-1, keepdims=True)
    return (mask | ~is_seeing if is_bool else jnp.where(is_seeing, mask, 0)), is_seeing


@op
def _multiply_groups(a: Array, b: Array, ends: Array) -> Array:
    if a.ndim == 2 and b.ndim == 3:
        sizes = jnp.diff(ends, prepend=0).astype(jnp.int32)
        return lax.ragged_dot(a, b, sizes)
    # 1 where a place along the dimension that both share, or along the columns of `b`, is one of a group's
    at = jnp.arange(b.shape[-1] if a.ndim == 3 else b.shape[0])
    begins = jnp.concatenate([jnp.zeros(1, ends.dtype), ends[:-1]])
    ours = ((at >= begins[:, None]) & (at < ends[:, None])).astype(a.dtype)
    if a.ndim == 3:
        return jnp.einsum("gmk,kn,gn->mn", a, b, ours)
    return jnp.einsum("mk,gk,kn->gmn", a, ours, b)


def grouped_mm(mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None) -> Any:
    """Multiply matrices group by group: the experts' rows by each one's weight.

    Args:
        mat_a: of shape (G, M, K), or (M, K) with groups of rows, or of columns if `mat_b` is a matrix, too.
        mat_b: of shape (G, K, N), or (K, N) with groups of columns, or of rows if `mat_a` is a matrix, too.
        offs: where the groups of matrices end, of shape (G,); what comes after the last gives zeros.
        bias: added to the result.
        out_dtype: of the result; that of `mat_a` by default.

    Returns:
        A tensor of shape (M, N), or (G, M, N) where both have G matrices or both have none.

    Raises:
        RuntimeError: if `offs` is given to groups that lie apart, or is missing, or shapes do not fit.

    Examples:
        >>> from msjax import torch
        >>> rows, weights = torch.ones(3, 2), torch.tensor([[[1.0], [1.0]], [[2.0], [2.0]]])
        >>> torch.nn.functional.grouped_mm(rows, weights, offs=torch.tensor([1, 3])).tolist()
        [[2.0], [4.0], [4.0]]
    """
    if not (2 <= mat_a.ndim <= 3 and 2 <= mat_b.ndim <= 3) or mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError(
            "`grouped_mm`: the matrices must have 2 or 3 dimensions, and as many columns as the others have rows. "
            f"Received: shapes {tuple(mat_a.shape)} and {tuple(mat_b.shape)}."
        )
    apart = mat_a.ndim == mat_b.ndim == 3
    if apart is (offs is not None):
        raise RuntimeError(
            "`grouped_mm`: argument `offs` says where groups end in a matrix, and must be given if and only if one of "
            f"the two is a matrix. Received: offs={offs}, shapes {tuple(mat_a.shape)} and {tuple(mat_b.shape)}."
        )
    found = basic.bmm(mat_a, mat_b) if apart else as_torch(_multiply_groups(mat_a, mat_b, offs))  # type: ignore[attr-defined]
    found = found if bias is None else found + bias
    return found if out_dtype is None else found.to(dtypes.of(dtypes.as_np(out_dtype)))
