"""Multi-head attention."""

import math
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.linear import Dense
from msjax.ops.array.creation import zeros
from msjax.ops.array.joining import concat, split
from msjax.ops.array.shapes import broadcast_to, expand_dims, reshape, transpose
from msjax.ops.linalg import products
from msjax.ops.math import arithmetic
from msjax.ops.math.comparison import where
from msjax.ops.nn.activation_smooth import softmax
from msjax.ops.nn.dropout import drop_in_training as drop
from msjax.ops.nn.linear import dense
from msjax.ops.reduction.reduction import mean


class MultiheadAttention(Cell):
    """Attention with several heads (Vaswani et al., 2017): softmax(Q K^T / sqrt(size of a head) + mask) V.

    Args:
        embed_dim (int): size of the queries and of the result; all heads together.
        num_heads (int): number of heads, which divides `embed_dim`.
        dropout (float): probability with which a weight is dropped in train mode. Default: 0.0.
        has_bias (bool): whether the projections have biases. Default: True.
        add_bias_kv (bool): one more key and value, learnt. Default: False.
        add_zero_attn (bool): one more key and value, zero. Default: False.
        kdim (int): size of the keys. Default: `embed_dim`.
        vdim (int): size of the values. Default: `embed_dim`.
        batch_first (bool): inputs and outputs are (batch, length, size), not (length, batch, size). Default: False.
        dtype (DType): of the Parameters. Default: float32.

    Parameters:
        - **in_proj_weight** - (3 * embed_dim, embed_dim); **q_proj_weight**, **k_proj_weight**, **v_proj_weight** instead,
          where keys or values have another size.
        - **in_proj_bias** - (3 * embed_dim,).
        - **bias_k**, **bias_v** - (1, 1, embed_dim), with `add_bias_kv`.
        - **out_proj** - a :class:`Dense`.

    Inputs:
        - **query** (Tensor) - (L, N, embed_dim), or (L, embed_dim) without batches.
        - **key** (Tensor) - (S, N, kdim).
        - **value** (Tensor) - (S, N, vdim).
        - **key_padding_mask** (Tensor) - (N, S), True for keys that do not count, or added to the scores. Default: None.
        - **need_weights** (bool) - give the weights too. Default: True.
        - **attn_mask** (Tensor) - (L, S) or (N * num_heads, L, S), True where not to look, or added. Default: None.
        - **average_attn_weights** (bool) - give the mean of the heads' weights. Default: True.

    Outputs:
        - **attn_output** (Tensor) - of the shape of the query.
        - **attn_output_weights** (Tensor) - (N, L, S), or (N, num_heads, L, S). Without `need_weights` there is the
          output alone, in a tuple.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `num_heads` does not divide `embed_dim`, or a shape does not fit.

    Examples:
        >>> import msjax as ms
        >>> attention = ms.nn.MultiheadAttention(8, 2)
        >>> x = ms.ops.ones((5, 3, 8))
        >>> output, weights = attention(x, x, x)
        >>> output.shape, weights.shape
        ((5, 3, 8), (3, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        name = "MultiheadAttention"
        if not isinstance(embed_dim, str) and embed_dim % num_heads:
            raise ValueError(
                f"`{name}`: argument `num_heads` must divide `embed_dim`. Received: {num_heads}, {embed_dim}."
            )
        parameter_init.check_positive_ints(name, embed_dim=embed_dim, num_heads=num_heads)
        parameter_init.check_bools(
            name, has_bias=has_bias, add_bias_kv=add_bias_kv, add_zero_attn=add_zero_attn
        )
        parameter_init.check_bools(name, batch_first=batch_first)
        parameter_init.check_dtypes(name, dtype=dtype)
        if not 0 <= dropout < 1:
            raise ValueError(f"`{name}`: argument `dropout` must be in [0, 1). Received: {dropout}.")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self._same = self.kdim == embed_dim and self.vdim == embed_dim
        if self._same:
            self.in_proj_weight = self._weight("in_proj_weight", (3 * embed_dim, embed_dim), dtype)
        else:
            self.q_proj_weight = self._weight("q_proj_weight", (embed_dim, embed_dim), dtype)
            self.k_proj_weight = self._weight("k_proj_weight", (embed_dim, self.kdim), dtype)
            self.v_proj_weight = self._weight("v_proj_weight", (embed_dim, self.vdim), dtype)
        self.in_proj_bias = self.bias_k = self.bias_v = None
        if has_bias:
            self.in_proj_bias = parameter_init.make_parameter(
                name, "zeros", (3 * embed_dim,), dtype, "in_proj_bias"
            )
        if add_bias_kv:
            self.bias_k = parameter_init.make_parameter(
                name, "xavier_normal", (1, 1, embed_dim), dtype, "bias_k"
            )
            self.bias_v = parameter_init.make_parameter(
                name, "xavier_normal", (1, 1, embed_dim), dtype, "bias_v"
            )
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)

    def _weight(self, name: str, shape: tuple[int, int], dtype: DType) -> Any:
        return parameter_init.make_parameter("MultiheadAttention", "xavier_uniform", shape, dtype, name)

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        """Return the result, and the weights."""
        self._check(query, key, value)
        batched = query.ndim == 3
        if not batched:
            query, key, value = (expand_dims(x, 1) for x in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = expand_dims(key_padding_mask, 0)
        elif self.batch_first:
            query, key, value = (transpose(x, (1, 0, 2)) for x in (query, key, value))
        output, weights = self._attend(query, key, value, key_padding_mask, attn_mask)
        if batched and self.batch_first:
            output = transpose(output, (1, 0, 2))
        if average_attn_weights:
            weights = mean(weights, 1)
        if not batched:
            output, weights = output[:, 0], weights[0]
        return (output, weights) if need_weights else (output,)

    def _check(self, query: Any, key: Any, value: Any) -> None:
        name = "MultiheadAttention"
        for what, x, size in (
            ("query", query, self.embed_dim),
            ("key", key, self.kdim),
            ("value", value, self.vdim),
        ):
            if not isinstance(x, Tensor):
                raise TypeError(f"`{name}`: `{what}` must be a Tensor. Received: {type(x).__name__}.")
            if x.ndim != query.ndim or x.ndim not in (2, 3) or x.shape[-1] != size:
                raise ValueError(
                    f"`{name}`: `{what}` must have 2 or 3 axes, as many as the query, the last of size {size}. "
                    f"Received: {x.shape}, query: {query.shape}."
                )

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """Queries, keys and values, (length, N, embed_dim) each."""
        biases = [None] * 3 if self.in_proj_bias is None else split(self.in_proj_bias, self.embed_dim)
        if self._same:
            weights = split(self.in_proj_weight, self.embed_dim)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        return [dense(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, padding: Any, mask: Any
    ) -> tuple[Tensor, Tensor]:
        """Return the result (L, N, embed_dim) and the weights (N, heads, L, S)."""
        q, k, v = self._project(query, key, value)
        length, batch, _ = q.shape
        extra = 0
        if self.bias_k is not None and self.bias_v is not None:
            k, v = (
                concat((x, broadcast_to(bias, (1, batch, self.embed_dim))))
                for x, bias in ((k, self.bias_k), (v, self.bias_v))
            )
            extra += 1
        if self.add_zero_attn:
            k, v = (concat((x, zeros((1, batch, self.embed_dim), x.dtype))) for x in (k, v))
            extra += 1
        q, k, v = (
            transpose(reshape(x, (-1, batch, self.num_heads, self.head_dim)), (1, 2, 0, 3)) for x in (q, k, v)
        )
        scores = products.matmul(arithmetic.mul(q, 1 / math.sqrt(self.head_dim)), transpose(k, (0, 1, 3, 2)))
        scores = self._mask_scores(scores, padding, mask, extra)
        weights = softmax(scores, -1)
        if self.dropout and self.training:
            weights = drop(weights, self.dropout, True)
        output = transpose(products.matmul(weights, v), (2, 0, 1, 3))
        return self.out_proj(reshape(output, (length, batch, self.embed_dim))), weights

    def _mask_scores(self, scores: Tensor, padding: Any, mask: Any, extra: int) -> Tensor:
        """Return the scores (N, heads, L, S) with what the masks forbid at minus infinity; extra keys are always allowed."""
        batch, heads, length, size = scores.shape
        if mask is not None:
            mask = mask if mask.ndim == 2 else reshape(mask, (batch, heads, length, size - extra))
            scores = _with(scores, mask, extra)
        if padding is not None:
            scores = _with(scores, reshape(padding, (batch, 1, 1, size - extra)), extra)
        return scores


def _with(scores: Tensor, mask: Tensor, extra: int) -> Tensor:
    """Scores with a mask: True where not to look, or something that is added."""
    if extra:
        mask = concat((mask, zeros((*mask.shape[:-1], extra), mask.dtype)), -1)
    if mask.dtype == dtypes.bool_:
        return where(mask, -math.inf, scores)
    return arithmetic.add(scores, mask)
