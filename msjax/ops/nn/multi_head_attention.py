"""Multi-head attention helpers of MindSpore's `ops.function.nn_func`, for networks that import them.

Queries, keys and values are (length, batch, embedding) there. The formula is that of Vaswani et al., Attention is all
you need, 2017; `msjax.nn.MultiheadAttention` is the layer.
"""

import math
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.creation import full, ones, zeros
from msjax.ops.array.joining import concat, tensor_split
from msjax.ops.array.padding import pad
from msjax.ops.array.shapes import expand_dims, reshape, swapaxes, tile, transpose
from msjax.ops.array.triangles_diagonals import tril
from msjax.ops.linalg.products import matmul
from msjax.ops.math.comparison import where
from msjax.ops.nn.activation_smooth import softmax
from msjax.ops.nn.dropout import drop_in_training
from msjax.ops.reduction.reduction import mean


def linear(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """x times the transpose of w, plus b.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.multi_head_attention import linear
        >>> linear(ms.ops.ones((2, 3)), ms.ops.ones((4, 3)), None).shape
        (2, 4)
    """
    product = matmul(x, swapaxes(w, -1, -2))
    return product if b is None else product + b


def inner_dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Dropout in training, and nothing at p = 0."""
    return drop_in_training(x, p, training=True) if training and 0 < p <= 1 else x


def inner_pad(x: Tensor, padding: tuple, value: Any = None) -> Tensor:
    """Pad, booleans too."""
    if x.dtype != dtypes.bool_:
        return pad(x, padding, value=value)
    return pad(x.astype(dtypes.int32), padding, value=value).astype(dtypes.bool_)


def in_projection(
    q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor,
    b_q: Any = None, b_k: Any = None, b_v: Any = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Queries, keys and values from three weights.

    Raises:
        ValueError: if a weight or bias does not fit.
    """
    size = q.shape[-1]
    for name, x, w, b in (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v)):
        if w.shape != (size, x.shape[-1]) or (b is not None and b.shape != (size,)):
            received = f"{w.shape}, {None if b is None else b.shape}"
            raise ValueError(
                f"`in_projection`: weight and bias of {name} must have the shapes {(size, x.shape[-1])} and {(size,)}. "
                f"Received: {received}."
            )
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None, k_is_v: bool, q_is_k: bool
) -> tuple[Tensor, ...]:
    """Return the same from one weight of 3 * size rows. Whether inputs are the same Tensor changes nothing of the result."""
    weights = tensor_split(w, 3)
    biases = (None, None, None) if b is None else tensor_split(b, 3)
    return tuple(linear(x, a, c) for x, a, c in zip((q, k, v), weights, biases, strict=True))


def check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Check the ranks of query, key and value, and return True if there is a batch axis.

    Raises:
        ValueError: if query, key and value do not have 2 or 3 axes each.
    """
    if query_ndim not in (2, 3) or {key_ndim, value_ndim} != {query_ndim}:
        raise ValueError(
            "`multi_head_attention_forward`: query, key and value must have 2 or 3 axes, all as many. "
            f"Received: {query_ndim}, {key_ndim}, {value_ndim}."
        )
    return query_ndim == 3


def check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    """Raises ValueError if the mask of padding does not have one axis less than the query."""
    if kmp_ndim != query_ndim - 1:
        raise ValueError(
            f"`multi_head_attention_forward`: argument `key_padding_mask` must have {query_ndim - 1} axes. "
            f"Received: {kmp_ndim}."
        )


def check_attn_mask_shape(
    query_ndim: int, query_shape: tuple, key_shape: tuple, attn_mask_ndim: int, attn_mask_shape: tuple, num_heads: int
) -> None:  # fmt: skip
    """Raises ValueError if the mask does not have 2 or 3 axes, or without batches not the shape (heads, L, S)."""
    wanted = (num_heads, query_shape[0], key_shape[0])
    wrong = query_ndim == 2 and attn_mask_ndim == 3 and tuple(attn_mask_shape) != wanted
    if attn_mask_ndim not in (2, 3) or wrong:
        raise ValueError(
            "`multi_head_attention_forward`: argument `attn_mask` must have 2 axes or 3, without an axis of batches "
            f"{wanted}. Received: {attn_mask_shape}."
        )


def attention_and_weights(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Any, dropout_p: float, is_causal: bool, is_training: bool,
    dtype: DType,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """softmax(q k / sqrt(d) + mask) v, and the weights. A causal mask is added as ones and zeros, as MindSpore does."""
    scale = math.sqrt(math.sqrt(query.shape[-1]))
    if is_causal:
        attn_mask = tril(ones((query.shape[-2], key.shape[-2]), dtypes.bool_))
    scores = matmul(query / scale, swapaxes(key, -2, -1) / scale)
    scores = scores if attn_mask is None else scores + attn_mask
    weights = inner_dropout(softmax(scores, -1), dropout_p, is_training)
    return matmul(weights, value), weights


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
    out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None, attn_mask: Any = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
    v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False, k_is_v: bool = False, q_is_k: bool = False, dtype: DType = dtypes.float32,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Multi-head attention with all its weights given.

    Args:
        query (Tensor): (L, N, E) or (L, E).
        key (Tensor): (S, N, E_k) or (S, E_k).
        value (Tensor): (S, N, E_v) or (S, E_v).
        embed_dim_to_check (int): what E must be.
        num_heads (int): a divisor of E.
        in_proj_weight (Tensor): (3 E, E), without `use_separate_proj_weight`.
        in_proj_bias (Tensor): (3 E,), or None.
        bias_k (Tensor): (1, 1, E), appended to the keys, or None.
        bias_v (Tensor): (1, 1, E), appended to the values, or None.
        add_zero_attn (bool): whether to append a key and value of zeros.
        dropout_p (float): part of the weights that `training` drops.
        out_proj_weight (Tensor): (E, E).
        out_proj_bias (Tensor): (E,), or None.
        training (bool): whether there is dropout. Default: True.
        key_padding_mask (Tensor): (N, S), True where not to look, or what is added.
        attn_mask (Tensor): (L, S) or (N heads, L, S), the same.
        use_separate_proj_weight (bool): whether there are three weights. Default: False.
        q_proj_weight (Tensor): (E, E).
        k_proj_weight (Tensor): (E, E_k).
        v_proj_weight (Tensor): (E, E_v).
        static_k (Tensor): (N heads, S, E / heads), in place of the keys.
        static_v (Tensor): the same for the values.
        average_attn_weights (bool): whether the weights are averaged over heads. Default: True.
        is_causal (bool): see `attention_and_weights`; the masks are not used then. Default: False.
        k_is_v (bool): changes nothing.
        q_is_k (bool): changes nothing.
        dtype (dtype): changes nothing.

    Returns:
        The result (L, N, E) and the weights (N, L, S) or (N, heads, L, S); without N if the query has none.

    Raises:
        ValueError: for shapes that do not fit, and if weights that are needed are None.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.multi_head_attention import multi_head_attention_forward
        >>> x, w = ms.ops.ones((3, 2, 4)), ms.ops.ones
        >>> out, _ = multi_head_attention_forward(x, x, x, 4, 2, w((12, 4)), None, None, None, False, 0.0, w((4, 4)), None)
        >>> out.shape
        (3, 2, 4)
    """
    batched = check_qkv_shape(query.ndim, key.ndim, value.ndim)
    if key_padding_mask is not None:
        check_kpm_shape(query.ndim, key_padding_mask.ndim)
    if attn_mask is not None:
        check_attn_mask_shape(query.ndim, query.shape, key.shape, attn_mask.ndim, attn_mask.shape, num_heads)
    if not batched:
        query, key, value = (expand_dims(x, 1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else expand_dims(key_padding_mask, 0)
    length, batch, size = query.shape
    if size != embed_dim_to_check or size % num_heads:
        raise ValueError(
            f"`multi_head_attention_forward`: the embedding must have {embed_dim_to_check} elements, a multiple of "
            f"{num_heads} heads. Received: {size}."
        )
    if use_separate_proj_weight:
        biases = (None,) * 3 if in_proj_bias is None else tensor_split(in_proj_bias, 3)
        given = in_projection(query, key, value, q_proj_weight, k_proj_weight, v_proj_weight, *biases)
    else:
        given = in_projection_packed(query, key, value, in_proj_weight, in_proj_bias, k_is_v, q_is_k)
    mask = attn_mask
    q, k, v, extra = _append_bias(given, bias_k, bias_v)
    heads = batch * num_heads
    q, k, v = (swapaxes(reshape(x, (x.shape[0], heads, size // num_heads)), 0, 1) for x in (q, k, v))
    k, v = (k if static_k is None else static_k), (v if static_v is None else static_v)
    if add_zero_attn:
        k, v = (concat([x, zeros((heads, 1, x.shape[2]), x.dtype)], 1) for x in (k, v))
        extra += 1
    mask = _mask(mask, key_padding_mask, extra, batch, num_heads, q.dtype)
    q, k, v = (reshape(x, (batch, num_heads, *x.shape[1:])) for x in (q, k, v))
    output, weights = attention_and_weights(q, k, v, mask, dropout_p, is_causal, training, dtype)
    output = reshape(transpose(output, (2, 0, 1, 3)), (length, batch, size))
    output = linear(output, out_proj_weight, out_proj_bias)
    weights = mean(weights, 1) if average_attn_weights else weights
    return (output, weights) if batched else (output[:, 0], weights[0])


def _append_bias(given: tuple, bias_k: Any, bias_v: Any) -> tuple:
    q, k, v = given
    if (bias_k is None) != (bias_v is None):
        raise ValueError(
            "`multi_head_attention_forward`: `bias_k` and `bias_v` must both be None, or neither. "
            f"Received: {bias_k}, {bias_v}."
        )
    if bias_k is None:
        return q, k, v, 0
    batch = k.shape[1]
    return (
        q,
        concat([k, tile(bias_k, (1, batch, 1))]),
        concat([v, tile(bias_v, (1, batch, 1))]),
        1,
    )


def _mask(mask: Any, padding: Any, extra: int, batch: int, heads: int, dtype: DType) -> Any:
    """Combine both masks into one that is added to scores (batch, heads, L, S + extra)."""
    added = []
    if mask is not None:
        mask = inner_pad(mask, (0, extra)) if extra else mask
        added.append(mask if mask.ndim == 2 else reshape(mask, (batch, heads, *mask.shape[1:])))
    if padding is not None:
        padding = inner_pad(padding, (0, extra)) if extra else padding
        added.append(reshape(padding, (batch, 1, 1, padding.shape[1])))
    added = [
        where(one, full((), -math.inf, dtype=dtype), zeros((), dtype))
        if one.dtype in (dtypes.bool_, dtypes.uint8)
        else one
        for one in added
    ]
    return None if not added else added[0] if len(added) == 1 else added[0] + added[1]
