"""Scaled dot-product attention: softmax(scale * q k^T + bias) v.

The plain case is `jax.nn.dot_product_attention`, which knows the accelerators' fused kernels. It is written out for
float64, which that computes in float32, for float16, whose product it asks for in a way that neither CPU nor TPU has, and
for dropout of the weights, which that does not have.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.dropout import drop


def _fused_attention(
    query: Array, key: Array, value: Array, bias: Array | None, mask: Array | None, scale: float
) -> Array:
    """Attention over arrays of layout (B, S, N, D), with a bias and a mask (true takes part) of shape (B, N, S, T)."""
    if query.dtype in (jnp.float64, jnp.float16):
        return _plain_attention(None, query, key, value, bias, mask, scale)
    wide = max(query.shape[-1], value.shape[-1])
    q, k, v = (jnp.pad(x, [(0, 0)] * 3 + [(0, wide - x.shape[-1])]) for x in (query, key, value))
    y = jax.nn.dot_product_attention(q, k, v, bias, mask, scale=scale)
    return y[..., : value.shape[-1]]


def _plain_attention(
    rng: Array | None, query: Array, key: Array, value: Array, bias: Array | None, mask: Array | None, scale: float,
    p: float = 0.0,
) -> Array:  # fmt: skip
    """Return the same, with each weight dropped with probability p if there is a key to draw with."""
    wide = checks.compute_dtype(query.dtype)
    groups = query.shape[2] // key.shape[2]
    k, v = (jnp.repeat(x, groups, 2).astype(wide) for x in (key, value))
    scores = jnp.einsum("bsnd,btnd->bnst", query.astype(wide), k) * scale
    scores = scores if bias is None else scores + bias.astype(wide)
    scores = scores if mask is None else jnp.where(mask, scores, jnp.finfo(wide).min)
    weights = jax.nn.softmax(scores, -1)
    if rng is not None:
        weights = drop(rng, weights, p)
    return jnp.einsum("bnst,btnd->bsnd", weights, v).astype(query.dtype)


def _check_inputs(name: str, query: Array, key: Array, value: Array) -> None:
    checks.check_floating(name, query=query, key=key, value=value)
    checks.check_same_dtype(name, query=query, key=key, value=value)


def _fourfold(name: str, x: Array, **named: Array) -> Array:
    """(..., S, D) as (B, S, N, D)."""
    if x.ndim < 2:
        checks.fail(
            ValueError, name, next(iter(named)), "have at least 2 dimensions", f"array of shape {x.shape}"
        )
    x = x[None, None] if x.ndim == 2 else x[:, None] if x.ndim == 3 else x.reshape(-1, *x.shape[-3:])
    return x.swapaxes(1, 2)


def _scores(mask: Array | None, causal: bool, query: Array, key: Array) -> tuple[Array | None, Array | None]:
    """(bias, mask) of shape (B, N, S, T), each with sizes of 1 where it does not vary."""
    allowed = None
    if causal:
        allowed = jnp.tri(query.shape[-2], key.shape[-2], dtype=bool)[None, None]
    if mask is None:
        return None, allowed
    if mask.ndim > 4:
        mask = jnp.broadcast_to(mask, query.shape[: mask.ndim - 2] + mask.shape[-2:])
        mask = mask.reshape(-1, *mask.shape[-3:])
    elif mask.ndim == 3 and query.ndim == 3:
        mask = mask[:, None]
    mask = mask.reshape(*[1] * (4 - mask.ndim), *mask.shape)
    if mask.dtype != bool:
        return mask, allowed
    return None, mask if allowed is None else mask & allowed


@op(static="is_causal scale")
def attended(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    is_causal: bool = False,
    scale: Any = None,
) -> Array:
    """`scaled_dot_product_attention` without dropout.

    Args:
        query (Tensor): of shape (..., N, S, D).
        key (Tensor): of shape (..., M, T, D), M a divisor of N.
        value (Tensor): of shape (..., M, T, E).
        attn_mask (Tensor): bool (true takes part) or a floating bias.
        is_causal (bool): position s sees positions up to s only.
        scale (float): factor of the scores. Default: 1 / sqrt(D).

    Returns:
        Tensor of shape (..., N, S, E).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.attention import attended
        >>> print(attended(ms.Tensor([[1.0]]), ms.Tensor([[1.0]]), ms.Tensor([[2.0]])))
        [[2.]]
    """
    return _attend("scaled_dot_product_attention", None, query, key, value, attn_mask, 0.0, is_causal, scale)


@op(random=True, static="dropout_p is_causal scale")
@documented_by(attended)
def attention_dropout(
    _rng: Array,
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
) -> Array:
    """`scaled_dot_product_attention` with dropout.

    Args:
        dropout_p (float): probability of dropping a weight.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.attention import attention_dropout
        >>> print(attention_dropout(ms.Tensor([[1.0]]), ms.Tensor([[1.0]]), ms.Tensor([[2.0]]), dropout_p=0.0))
        [[2.]]
    """
    return _attend(
        "scaled_dot_product_attention", _rng, query, key, value, attn_mask, dropout_p, is_causal, scale
    )


def _attend(
    name: str, rng: Array | None, query: Array, key: Array, value: Array, attn_mask: Array | None, p: float,
    causal: bool, scale: Any,
) -> Array:  # fmt: skip
    _check_inputs(name, query, key, value)
    checks.check_bools(name, is_causal=causal)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    q, k, v = (_fourfold(name, x, **{n: x}) for n, x in (("query", query), ("key", key), ("value", value)))
    if k.shape != v.shape[:-1] + k.shape[-1:] or k.shape[-1] != q.shape[-1] or q.shape[2] % k.shape[2]:
        raise ValueError(
            f"`{name}`: arguments must be (..., N, S, D), (..., M, T, D) and (..., M, T, E) with M a divisor of N. "
            f"Received: query: {query.shape}, key: {key.shape}, value: {value.shape}."
        )
    bias, mask = _scores(attn_mask, causal, query, key)
    bias = None if bias is None else bias.astype(q.dtype)
    y = (
        _fused_attention(q, k, v, bias, mask, factor)
        if rng is None
        else _plain_attention(rng, q, k, v, bias, mask, factor, p)
    )
    return y.swapaxes(1, 2).reshape(*query.shape[:-1], value.shape[-1])


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Dropout(softmax(scale * query key^T + mask)) value.

    Args:
        query (Tensor): of shape (..., N, S, D): N heads, S positions, vectors of size D.
        key (Tensor): of shape (..., M, T, D).
        value (Tensor): of shape (..., M, T, E).
        attn_mask (Tensor): of a shape that broadcasts with (..., N, S, T): bool (true takes part) or floating (added).
        dropout_p (float): probability with which a weight is dropped, in [0, 1).
        is_causal (bool): position s sees positions up to s only.
        scale (float): factor of the scores. Default: 1 / sqrt(D).
        enable_gqa (bool): let M be a proper divisor of N: heads of the query share those of key and value.

    Returns:
        Tensor of shape (..., N, S, E) and `query`'s dtype.

    Raises:
        TypeError: for dtypes that differ or are not floating.
        ValueError: for shapes that do not fit, or `dropout_p` outside [0, 1).

    References:
        Vaswani et al.: Attention Is All You Need, 2017.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.attention import scaled_dot_product_attention
        >>> q = k = ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> print(scaled_dot_product_attention(q, k, ms.Tensor([[1.0], [2.0]]), is_causal=True))
        [[1.       ]
         [1.6697615]]
    """
    name = "scaled_dot_product_attention"
    checks.check_between(name, 0, 1, dropout_p=dropout_p)
    checks.check_bools(name, enable_gqa=enable_gqa)
    if not enable_gqa and min(len(query.shape), len(key.shape)) > 3 and query.shape[-3] != key.shape[-3]:
        checks.fail(
            ValueError, name, "key", "have the query's heads unless enable_gqa", f"array of shape {key.shape}"
        )
    if dropout_p > 0:
        return attention_dropout(query, key, value, attn_mask, dropout_p, is_causal, scale)
    return attended(query, key, value, attn_mask, is_causal, scale)


_LAYOUTS = {"BSH": (0, 1, 2, 3), "BSND": (0, 1, 2, 3), "SBH": (1, 0, 2, 3), "BNSD": (0, 2, 1, 3)}


def _flash(
    name: str, rng: Array | None, query: Array, key: Array, value: Array, head_num: int, shift: Array | None,
    hidden: Array | None, keep_prob: float, scale: float, before: int, after: int, layout: str, sparse_mode: int,
) -> Array:  # fmt: skip
    _check_inputs(name, query, key, value)
    checks.check_ints(name, head_num=head_num, pre_tokens=before, next_tokens=after)
    checks.check_choice(name, tuple(_LAYOUTS), input_layout=layout)
    order = _LAYOUTS[layout]

    def arranged(x: Array) -> Array:
        if layout in ("BSH", "SBH"):
            size = query.shape[-1] // head_num
            x = x.reshape(*x.shape[:2], -1, size)
        return x.transpose(order)

    q, k, v = arranged(query), arranged(key), arranged(value)
    if q.shape[2] != head_num:
        checks.fail(ValueError, name, "head_num", f"be the query's number of heads {q.shape[2]}", head_num)
    allowed = None if hidden is None or sparse_mode in (2, 3) else ~hidden.astype(bool)
    rows, columns = jnp.arange(q.shape[1])[:, None], jnp.arange(k.shape[1])[None]
    if sparse_mode in (2, 3):
        allowed = columns <= rows + (k.shape[1] - q.shape[1] if sparse_mode == 3 else 0)
    elif sparse_mode == 0 and (before < q.shape[1] or after < k.shape[1]):
        band = (columns >= rows - before) & (columns <= rows + after)
        allowed = band if allowed is None else band & allowed
    if allowed is not None:
        allowed = allowed.reshape(*[1] * (4 - allowed.ndim), *allowed.shape)
    bias = None if shift is None else shift.astype(q.dtype)
    given = q, k, v, bias, allowed, scale
    y = _fused_attention(*given) if rng is None else _plain_attention(rng, *given, 1 - keep_prob)
    y = y.transpose([order.index(i) for i in range(4)])
    return y.reshape(*query.shape[:2], -1) if layout in ("BSH", "SBH") else y


_FLASH = "head_num scalar_value pre_tokens next_tokens input_layout sparse_mode"


@op(static=_FLASH)
def _flash_kept(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, head_num: int, real_shift: ArrayLike | None,
    attn_mask: ArrayLike | None, scalar_value: float, pre_tokens: int, next_tokens: int, input_layout: str, sparse_mode: int,
) -> Array:  # fmt: skip
    return _flash(
        "flash_attention_score", None, query, key, value, head_num, real_shift, attn_mask, 1.0, scalar_value,
        pre_tokens, next_tokens, input_layout, sparse_mode,
    )  # fmt: skip


@op(random=True, static=_FLASH + " keep_prob")
def _flash_dropped(
    _rng: Array, query: ArrayLike, key: ArrayLike, value: ArrayLike, head_num: int, real_shift: ArrayLike | None,
    attn_mask: ArrayLike | None, keep_prob: float, scalar_value: float, pre_tokens: int, next_tokens: int,
    input_layout: str, sparse_mode: int,
) -> Array:  # fmt: skip
    return _flash(
        "flash_attention_score", _rng, query, key, value, head_num, real_shift, attn_mask, keep_prob, scalar_value,
        pre_tokens, next_tokens, input_layout, sparse_mode,
    )  # fmt: skip


def flash_attention_score(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Any:
    """Dropout(softmax(scalar_value * query key^T + real_shift, hidden by attn_mask)) value, in MindSpore's layouts.

    Args:
        query (Tensor): in `input_layout` with `head_num` heads.
        key (Tensor): in `input_layout`, with a divisor of `head_num` as number of heads.
        value (Tensor): of `key`'s shape.
        head_num (int): number of heads of the query.
        real_shift (Tensor): added to the scaled scores, of a shape that broadcasts with (B, N, S, T).
        drop_mask (None): not supported; the weights that `keep_prob` drops are drawn.
        padding_mask (None): not supported (nor in MindSpore).
        attn_mask (Tensor): bool or uint8, true hides; of shape (S, T), (B, 1, S, T) or (B, N, S, T).
        prefix (None): not supported.
        actual_seq_qlen (None): not supported.
        actual_seq_kvlen (None): not supported.
        keep_prob (float): probability with which a weight stays, in (0, 1].
        scalar_value (float): factor of the scores.
        pre_tokens (int): how many positions back are seen, with sparse_mode 0.
        next_tokens (int): how many positions ahead are seen, with sparse_mode 0.
        inner_precise (int): without effect.
        input_layout (str): "BSH", "SBH", "BNSD" or "BSND".
        sparse_mode (int): 0 band and mask, 1 mask alone, 2 causal from the first position, 3 causal to the last.

    Returns:
        Tensor of `query`'s shape and dtype.

    Raises:
        ValueError: for arguments that are not supported, or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.ones((1, 2, 4))
        >>> print(ms.ops.flash_attention_score(x, x, x, 2))
        [[[1. 1. 1. 1.]
          [1. 1. 1. 1.]]]
    """
    name = "flash_attention_score"
    missing = {
        "drop_mask": drop_mask, "padding_mask": padding_mask, "prefix": prefix,
        "actual_seq_qlen": actual_seq_qlen, "actual_seq_kvlen": actual_seq_kvlen,
    }  # fmt: skip
    for argument, given in missing.items():
        if given is not None:
            checks.fail(
                ValueError, name, argument, "be None: it is not supported", f"a {type(given).__name__}"
            )
    checks.check_choice(name, (0, 1, 2, 3), sparse_mode=sparse_mode)
    checks.check_between(name, 0, 1, keep_prob=keep_prob)
    rest = scalar_value, pre_tokens, next_tokens, input_layout, sparse_mode
    if keep_prob < 1:
        return _flash_dropped(query, key, value, head_num, real_shift, attn_mask, keep_prob, *rest)
    return _flash_kept(query, key, value, head_num, real_shift, attn_mask, *rest)


@documented_by(flash_attention_score)
def speed_fusion_attention(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    input_layout: str,
    *,
    pse: Any = None,
    padding_mask: Any = None,
    atten_mask: Any = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    inner_precise: int = 0,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    pse_type: int = 1,
    q_start_idx: Any = None,
    kv_start_idx: Any = None,
) -> tuple[Any, None, None, None, int, int, int]:
    """Dropout(softmax(scale * (query key^T + pse), hidden by atten_mask)) value: what :func:`flash_attention_score` is.

    Args:
        pse (Tensor): added to the scores before they are scaled with pse_type 1, and after that with 0.
        atten_mask (Tensor): bool or uint8, true hides; of shape (S, T), (B, 1, S, T) or (B, N, S, T).
        scale (float): factor of the scores.
        keep_prob (float): probability with which a weight is kept.
        gen_mask_parallel (bool): without effect.
        sync (bool): without effect.
        pse_type (int): 0 or 1.
        q_start_idx (None): not supported.
        kv_start_idx (None): not supported.

    Returns:
        A tuple of seven: a Tensor of `query`'s shape and dtype; None in the places of what serves MindSpore's own backward
        pass alone; and three zeros in those of its random generator's state.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.ones((1, 2, 4))
        >>> print(ms.ops.speed_fusion_attention(x, x, x, 2, "BSH")[0].shape)
        (1, 2, 4)
    """
    name = "speed_fusion_attention"
    checks.check_choice(name, (0, 1), pse_type=pse_type)
    for argument, given in (("q_start_idx", q_start_idx), ("kv_start_idx", kv_start_idx)):
        if given is not None:
            checks.fail(
                ValueError, name, argument, "be None: it is not supported", f"a {type(given).__name__}"
            )
    shift = pse if pse is None or pse_type == 0 else pse * scale
    result = flash_attention_score(
        query, key, value, head_num, shift, None, padding_mask, atten_mask, prefix, actual_seq_qlen, actual_seq_kvlen,
        keep_prob, scale, pre_tokens, next_tokens, inner_precise, input_layout, sparse_mode,
    )  # fmt: skip
    return result, None, None, None, 0, 0, 0
