"""Multi-head attention and transformer layers (Vaswani and others, 2017)."""

import copy
import functools
import math
from collections.abc import Callable
from typing import Any

import jax.core

from msjax.core.autodiff.imperative import is_grad_enabled
from msjax.core.tensor.tensor import resolve
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.nn import functional as F
from msjax.torch.nn import init
from msjax.torch.nn.activation import Dropout
from msjax.torch.nn.containers import ModuleList
from msjax.torch.nn.layers import LayerNorm, Linear
from msjax.torch.nn.making import empty_parameter, fill
from msjax.torch.nn.module import Module
from msjax.torch.tensors.call_conventions import AUTOCAST


def _as_additive_mask(mask: Any, dtype: Any) -> Any:
    """Return a mask as numbers to add: minus infinity where a bool mask holds."""
    if mask is None or mask.is_floating_point():
        return mask
    return basic.zeros(*mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any, in_proj_bias: Any,
    bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any,
    training: bool = True, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
    v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Attention in several heads, of a module's Parameters: the attended values, and the weights, or None.

    Args:
        query: (length, batch, features) or (length, features).
        key: the same of the source.
        value: the same of the source.
        embed_dim_to_check: the features of the query.
        num_heads: heads, which share the features.
        in_proj_weight: the maps of query, key and value, one below the other.
        in_proj_bias: their biases, or None.
        bias_k: a key that is added to each sequence, (1, 1, features), or None.
        bias_v: the value of it.
        add_zero_attn: whether a key and a value of zeros are added.
        dropout_p: the share of the weights that is dropped, in training.
        out_proj_weight: the map of the result.
        out_proj_bias: its bias, or None.
        training: whether weights are dropped.
        key_padding_mask: (batch, source length), True for positions to ignore, or numbers to add.
        need_weights: whether the weights are wanted.
        attn_mask: (length, source length) or (batch * heads, length, source length), in the same sense.
        use_separate_proj_weight: whether the maps of query, key and value are given apart.
        q_proj_weight: that of the query.
        k_proj_weight: that of the key.
        v_proj_weight: that of the value.
        static_k: keys of the heads in place of those that are computed, (batch * heads, source length, features).
        static_v: values of the same kind.
        average_attn_weights: whether the weights are the mean over heads.
        is_causal: says that `attn_mask` is causal; it must be given nevertheless.

    Raises:
        RuntimeError: if `is_causal` and there is no `attn_mask`, or for a mask of another shape.
        AssertionError: if features or heads do not fit.
    """
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    single = query.ndim == 2
    q, k, v = (x.unsqueeze(1) if single else x for x in (query, key, value))
    if single and key_padding_mask is not None:
        key_padding_mask = key_padding_mask.unsqueeze(0)
    (length, batch, features), source = q.shape, k.shape[0]
    if features != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {features}")
    if features % num_heads:
        raise AssertionError(f"embed_dim {features} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        weights: Any = (q_proj_weight, k_proj_weight, v_proj_weight)
    else:
        weights = basic.chunk(in_proj_weight, 3)
    biases = (None,) * 3 if in_proj_bias is None else basic.chunk(in_proj_bias, 3)
    q, k, v = (F.linear(x, w, b) for x, w, b in zip((q, k, v), weights, biases, strict=True))
    mask = _joined_mask(attn_mask, key_padding_mask, (batch, num_heads, length, source), q.dtype)
    added = 0
    if bias_k is not None and bias_v is not None:
        k, v = (basic.cat([x, basic.expand(b, 1, batch, b.shape[-1])]) for x, b in ((k, bias_k), (v, bias_v)))
        added += 1
    heads = lambda x: basic.transpose(  # noqa: E731
        basic.transpose(basic.reshape(x, x.shape[0], batch, num_heads, -1), 0, 1), 1, 2
    )
    q, k, v = heads(q), heads(k), heads(v)
    k, v = (
        x if fixed is None else basic.reshape(fixed, batch, num_heads, *fixed.shape[1:])
        for x, fixed in ((k, static_k), (v, static_v))
    )
    if add_zero_attn:
        k, v = (basic.cat([x, basic.zeros(*x.shape[:2], 1, x.shape[3], dtype=x.dtype)], 2) for x in (k, v))
        added += 1
    if mask is not None and added:
        mask = F.pad(mask, (0, added))
    scores = (q / math.sqrt(q.shape[-1])) @ basic.transpose(k, -2, -1)
    shares = basic.softmax(scores if mask is None else scores + mask, -1)
    if dropout_p and training:
        shares = F.dropout(shares, dropout_p, True)
    joined = basic.transpose(basic.transpose(shares @ v, 1, 2), 0, 1)
    out = F.linear(basic.reshape(joined, length, batch, -1), out_proj_weight, out_proj_bias)
    out = out.squeeze(1) if single else out
    if not need_weights:
        return out, None
    shares = shares.mean(1) if average_attn_weights else shares
    return out, shares.squeeze(0) if single else shares


def _joined_mask(attn_mask: Any, key_padding_mask: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Both masks as one of numbers to add, which broadcasts to (batch, heads, length, source length)."""
    batch, heads, length, source = shape
    mask = _as_additive_mask(attn_mask, dtype)
    if mask is not None:
        right = (length, source) if mask.ndim == 2 else (batch * heads, length, source)
        if tuple(mask.shape) != right:
            raise RuntimeError(
                f"The shape of the {mask.ndim}D attn_mask is {tuple(mask.shape)}, but should be {right}."
            )
        mask = mask if mask.ndim == 2 else basic.reshape(mask, shape)
    hidden = _as_additive_mask(key_padding_mask, dtype)
    if hidden is None:
        return mask
    if tuple(hidden.shape) != (batch, source):
        raise AssertionError(
            f"expecting key_padding_mask shape of {(batch, source)}, but got {tuple(hidden.shape)}"
        )
    hidden = basic.reshape(hidden, batch, 1, 1, source)
    return hidden if mask is None else mask + hidden


class NonDynamicallyQuantizableLinear(Linear):
    """A linear map under the name by which PyTorch prints this one."""


class MultiheadAttention(Module):
    """Attention in several heads, with learnt maps of query, key, value and result.

    Args:
        embed_dim: features of the query.
        num_heads: heads, which share the features.
        dropout: of the weights, in train mode.
        bias: whether the maps have biases.
        add_bias_kv: whether a learnt key and value are added to each sequence.
        add_zero_attn: whether a key and a value of zeros are added to each sequence.
        kdim: features of the key, if they are others.
        vdim: features of the value.
        batch_first: whether inputs are (batch, length, features), not (length, batch, features).

    Examples:
        >>> from msjax import torch
        >>> x = torch.zeros(2, 3, 4)
        >>> out, weights = torch.nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x)
        >>> out.shape, weights.shape
        (torch.Size([2, 3, 4]), torch.Size([2, 3, 3]))
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = (
            embed_dim,
            num_heads,
            dropout,
            batch_first,
        )
        self.kdim, self.vdim, self.head_dim = kdim or embed_dim, vdim or embed_dim, embed_dim // num_heads
        self._same = self.kdim == self.vdim == embed_dim
        new = empty_parameter
        if self._same:
            self.in_proj_weight = new(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = new(embed_dim, embed_dim)
            self.k_proj_weight, self.v_proj_weight = new(embed_dim, self.kdim), new(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", empty_parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias)
        self.bias_k, self.bias_v = (
            empty_parameter(1, 1, embed_dim) if add_bias_kv else None for _ in range(2)
        )
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()
        if dtype is not None:
            self.to(dtype=dtype)

    def _reset_parameters(self) -> None:
        """Draw the projections of the inputs, and what is added to keys and values, anew; other biases are zero."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        fill(0, self.in_proj_bias, self.out_proj.bias)
        for weight in (self.bias_k, self.bias_v):
            if weight is not None:
                init.xavier_normal_(weight)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True,
        attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Return the attended values, and the weights, or None.

        Args:
            query: (length, batch, features), as `batch_first` says, or (length, features).
            key: the same of the source.
            value: the same of the source.
            key_padding_mask: (batch, source length), True for positions to ignore, or numbers to add.
            need_weights: whether the weights are wanted.
            attn_mask: (length, source length) or (batch * heads, length, source length), in the same sense.
            average_attn_weights: whether the weights are the mean over heads.
            is_causal: says that `attn_mask` is causal; it must be given nevertheless.

        Returns:
            Values in `query`'s form, weights (batch, length, source length).

        Raises:
            RuntimeError: if `is_causal` and there is no `attn_mask`.
        """
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        turned = self.batch_first and query.ndim == 3
        q, k, v = (basic.transpose(x, 0, 1) if turned else x for x in (query, key, value))
        separate: dict[str, Any] = {} if self._same else {
            "use_separate_proj_weight": True, "q_proj_weight": self.q_proj_weight, "k_proj_weight": self.k_proj_weight,
            "v_proj_weight": self.v_proj_weight,
        }  # fmt: skip
        out, weights = multi_head_attention_forward(
            q, k, v, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v,
            self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, self.training, key_padding_mask,
            need_weights, attn_mask, average_attn_weights=average_attn_weights, is_causal=is_causal, **separate,
        )  # fmt: skip
        return basic.transpose(out, 0, 1) if turned else out, weights


def _find_activation(activation: Any) -> Callable:
    if activation not in ("relu", "gelu") and not callable(activation):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation) if isinstance(activation, str) else activation


class _Layer(Module):
    """Base class of encoder and decoder layers: self-attention and the feed-forward network."""

    _norms = 2

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = F.relu,
        layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        attention = lambda: MultiheadAttention(  # noqa: E731
            d_model, nhead, dropout, bias=bias, batch_first=batch_first
        )
        self.self_attn = attention()
        if self._norms == 3:
            self.multihead_attn = attention()
        self.linear1, self.dropout = Linear(d_model, dim_feedforward, bias=bias), Dropout(dropout)
        self.linear2, self.norm_first = Linear(dim_feedforward, d_model, bias=bias), norm_first
        for i in range(1, self._norms + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias))
        for i in range(1, self._norms + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _find_activation(activation)
        if dtype is not None:
            self.to(dtype=dtype)

    def _apply_blocks(self, x: Any, blocks: list[Callable]) -> Any:
        for i, block in enumerate(blocks, 1):
            norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
            x = x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))
        return x

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _self_attention(self, mask: Any, hidden: Any) -> Callable:
        return lambda x: self.self_attn(x, x, x, hidden, False, mask)[0]


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself and two linear maps, each with a shortcut and layer normalization.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 3, 4])
    """

    def forward(
        self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False
    ) -> Any:
        """Encode a sequence, in the layout that attention takes."""
        return self._apply_blocks(
            src, [self._self_attention(src_mask, src_key_padding_mask), self._feed_forward]
        )


class TransformerDecoderLayer(_Layer):
    """An encoder layer with attention to a memory in its middle.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.TransformerDecoderLayer(4, 2, 8)(torch.zeros(3, 2, 4), torch.zeros(5, 2, 4)).shape
        torch.Size([3, 2, 4])
    """

    _norms = 3

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Decode a sequence with a memory."""
        looking = lambda x: self.multihead_attn(  # noqa: E731
            x, memory, memory, memory_key_padding_mask, False, memory_mask
        )[0]
        return self._apply_blocks(
            tgt, [self._self_attention(tgt_mask, tgt_key_padding_mask), looking, self._feed_forward]
        )


def _is_left_aligned(there: Any) -> bool:
    """Whether each row of a mask is True up to a place; False in compiled functions, where its values are not known."""
    if isinstance(resolve(there)._value, jax.core.Tracer):
        return False
    return not bool((there[:, 1:] & there[:, :-1].logical_not()).any())


class TransformerEncoder(Module):
    """Transformer encoder: copies of a layer one after another, and an optional normalization."""

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """Encode a sequence. Where PyTorch leaves out padding (`_leaves_out_padding`), there are zeros."""
        there = None
        if mask is None and src_key_padding_mask is not None and self._leaves_out_padding(src):
            there = src_key_padding_mask.logical_not()
            if self.mask_check and not _is_left_aligned(there):
                there = None
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        src = src if there is None else src.masked_fill(there.logical_not().unsqueeze(-1), 0.0)
        return src if self.norm is None else self.norm(src)

    def _leaves_out_padding(self, src: Any) -> bool:
        """Whether PyTorch computes with nested tensors: in eval mode, without gradients, of the layers that allow it."""
        layer = self.layers[0] if self.enable_nested_tensor and self.layers else None
        if (
            type(layer) is not TransformerEncoderLayer
            or layer.training
            or src.ndim != 3
            or AUTOCAST.dtype is not None
        ):
            return False
        attention = layer.self_attn
        usual = (
            not layer.norm_first
            and attention.batch_first
            and attention._same
            and attention.in_proj_bias is not None
        )
        usual = usual and layer.activation in (F.relu, F.gelu) and layer.norm1.eps == layer.norm2.eps
        recorded = is_grad_enabled() and (
            src.requires_grad or any(p.requires_grad for p in layer.parameters())
        )
        return usual and attention.num_heads % 2 == 0 and not recorded


class TransformerDecoder(Module):
    """Transformer decoder: copies of a layer one after another, all with one memory."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Decode a sequence with a memory."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Transformer: an encoder, and a decoder that attends to its output.

    Examples:
        >>> from msjax import torch
        >>> net = torch.nn.Transformer(4, 2, 1, 1, 8)
        >>> net(torch.zeros(5, 2, 4), torch.zeros(3, 2, 4)).shape
        torch.Size([3, 2, 4])
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = F.relu, custom_encoder: Any = None,
        custom_decoder: Any = None, layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        last = lambda: LayerNorm(d_model, layer_norm_eps, bias=bias)  # noqa: E731
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(d_model, nhead, *options), num_encoder_layers, last()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(d_model, nhead, *options), num_decoder_layers, last()
        )
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        if dtype is not None:
            self.to(dtype=dtype)

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Encode the source and decode the target sequence.

        Raises:
            RuntimeError: if sizes do not fit.
        """
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return a causal mask: each step sees itself and those before it."""
        return served_from_mint.find_function("triu")(basic.full((sz, sz), -math.inf, dtype=dtype), 1)


__getattr__ = functools.partial(served_from_mint.make_placeholder, "torch.nn.attention")
