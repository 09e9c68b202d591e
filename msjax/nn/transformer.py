"""Transformers of MindSpore 1.5 to 1.10 (`nn.transformer`; `parallel._transformer` of 2.0 to 2.7), whose sizes are fixed.

They are other classes than today's `nn.TransformerEncoder`: layers take batch and sequence length when they are made,
compute attention and the feed-forward part in float16, and return the keys and values of each layer beside the result.
Incremental inference (`use_past`) and mixtures of experts are refused; configurations of parallel training are kept,
without effect.
"""

import math
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from msjax.common.initializer import initializer
from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.activation_piecewise import get_activation
from msjax.nn.layers.containers import CellList
from msjax.nn.layers.dropout import Dropout
from msjax.nn.layers.norm import LayerNorm
from msjax.nn.layers.norm import LayerNorm as _LayerNorm  # noqa: F401  its name in `layers`
from msjax.nn.transformer_checks import _args_type_validator_check as _args_type_validator_check
from msjax.nn.transformer_checks import _check_config as _check_config
from msjax.nn.transformer_checks import _check_input_dtype as _check_input_dtype
from msjax.nn.transformer_checks import _check_moe_config as _check_moe_config
from msjax.nn.transformer_checks import _check_past_none_input_none as _check_past_none_input_none
from msjax.nn.transformer_checks import _get_lambda_func as _get_lambda_func
from msjax.nn.transformer_checks import _LayerInputCheck as _LayerInputCheck
from msjax.nn.transformer_checks import _valid_type_checks as _valid_type_checks
from msjax.nn.transformer_checks import _valid_value_checks as _valid_value_checks

HALF, SINGLE = dtypes.float16, dtypes.float32


@dataclass
class OpParallelConfig:
    """Distribution of operators.

    Args:
        data_parallel: kept, without effect.
        model_parallel: kept.
    """

    data_parallel: int = 1
    model_parallel: int = 1


@dataclass
class EmbeddingOpParallelConfig(OpParallelConfig):
    """Distribution of embeddings.

    Args:
        vocab_emb_dp: kept, without effect.
    """

    vocab_emb_dp: bool = True


@dataclass
class TransformerRecomputeConfig:
    """Settings of recomputation in the backward pass.

    Args:
        recompute: kept, without effect, as the others.
        parallel_optimizer_comm_recompute: kept.
        mp_comm_recompute: kept.
        recompute_slice_activation: kept.
    """

    recompute: bool = False
    parallel_optimizer_comm_recompute: bool = False
    mp_comm_recompute: bool = True
    recompute_slice_activation: bool = False


@dataclass
class TransformerOpParallelConfig(EmbeddingOpParallelConfig):
    """Distribution of Transformers; all fields are kept, without effect."""

    expert_parallel: int = 1
    pipeline_stage: int = 1
    micro_batch_num: int = 1
    recompute: Any = field(default_factory=TransformerRecomputeConfig)
    optimizer_shard: bool = False
    gradient_aggregation_group: int = 4

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The part for operators."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    @property
    def embedding_dp_mp_config(self) -> EmbeddingOpParallelConfig:
        """The part for embeddings."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)


@dataclass
class MoEConfig:
    """Mixture of experts; one expert only.

    Args:
        expert_num: 1.
        capacity_factor: kept, without effect, as the others.
        aux_loss_factor: kept.
        num_experts_chosen: kept.
    """

    expert_num: int = 1
    capacity_factor: float = 1.1
    aux_loss_factor: float = 0.05
    num_experts_chosen: int = 1


@dataclass
class MoEParallelConfig(OpParallelConfig):
    """Distribution of experts.

    Args:
        expert_parallel: kept, without effect.
    """

    expert_parallel: int = 1


default_moe_config = MoEConfig()
default_dpmp_config = OpParallelConfig()
default_transformer_config = TransformerOpParallelConfig()


def _refuse(name: str, what: str) -> NoReturn:
    raise NotImplementedError(f"`nn.transformer.{name}`: {what} is not implemented in msjax.")


class _Linear(Cell):
    """activation(x W + b) in one dtype, returned in that of x; W is (out, in), or (in, out) without `transpose_b`."""

    def __init__(
        self, in_channels: int, out_channels: int, weight_init: Any = "normal", bias_init: Any = "zeros",
        has_bias: bool = True, activation: Any = None, transpose_b: bool = True, expert_num: int = 1,
        outer_batch: int = 1, expert_group_size: Any = None, param_init_type: Any = SINGLE, compute_dtype: Any = HALF,
    ) -> None:  # fmt: skip
        super().__init__()
        if expert_num != 1:
            _refuse("_Linear", f"expert_num={expert_num}")
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        shape = (out_channels, in_channels) if transpose_b else (in_channels, out_channels)
        self.weight = Parameter(initializer(weight_init, shape, param_init_type), name="weight")
        self.bias = (
            Parameter(initializer(bias_init, (out_channels,), param_init_type), name="bias")
            if has_bias
            else None
        )
        self.activation = (
            get_activation(activation) if isinstance(activation, str) else activation and activation()
        )
        self.transpose_b, self.dtype = transpose_b, compute_dtype

    def construct(self, x: Tensor) -> Tensor:
        """Return activation(x W + b)."""
        weight = self.weight.astype(self.dtype)
        y = x.astype(self.dtype) @ (weight.T if self.transpose_b else weight)
        if self.bias is not None:
            y = y + self.bias.astype(self.dtype)
        return (y if self.activation is None else self.activation(y)).astype(x.dtype)


class FeedForward(Cell):
    """Two dense layers, computed in float16, with an activation between them and dropout behind them.

    Args:
        hidden_size: of inputs and outputs.
        ffn_hidden_size: between the layers.
        dropout_rate: probability to drop an output.
        hidden_act: name or class of the activation.
        expert_num: 1.
        expert_group_size: kept, without effect.
        param_init_type: dtype of the weights.
        parallel_config: kept, without effect.

    Raises:
        NotImplementedError: if there is more than one expert.
    """

    def __init__(
        self, hidden_size: int, ffn_hidden_size: int, dropout_rate: float, hidden_act: Any = "gelu", expert_num: int = 1,
        expert_group_size: Any = None, param_init_type: Any = SINGLE, parallel_config: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if expert_num != 1:
            _refuse("FeedForward", f"expert_num={expert_num}")
        given: dict[str, Any] = {"transpose_b": False, "param_init_type": param_init_type}
        self.mapping = _Linear(hidden_size, ffn_hidden_size, activation=hidden_act, **given)
        self.projection = _Linear(ffn_hidden_size, hidden_size, **given)
        self.dropout = Dropout(p=dropout_rate)

    def construct(self, x: Tensor) -> Tensor:
        """Return a Tensor like `x`, in float16."""
        return self.dropout(self.projection(self.mapping(x.astype(HALF))))


class MoE(Cell):
    """A mixture of several experts: not implemented."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        _refuse("MoE", "a mixture of several experts")


class AttentionMask(Cell):
    """The mask (N, L, L) of a decoder: what is not padding and not later.

    Args:
        seq_length: L.
        parallel_config: kept, without effect.
    """

    def __init__(self, seq_length: int, parallel_config: Any = None) -> None:
        super().__init__()
        self.seq_length = seq_length
        self.lower_triangle_mask = Tensor(np.tril(np.ones((1, seq_length, seq_length), np.float32)))

    def construct(self, input_mask: Tensor) -> Tensor:
        """Return the mask of `input_mask` (N, L), which is 0 where there is padding."""
        there = input_mask.not_equal(0).astype(HALF)
        return there.expand_dims(2) * there.expand_dims(1) * self.lower_triangle_mask


class VocabEmbedding(Cell):
    """Rows of a table for ids, and the table.

    Args:
        vocab_size: rows.
        embedding_size: columns.
        parallel_config: kept, without effect.
        param_init: initializer of the table.
    """

    def __init__(
        self, vocab_size: int, embedding_size: int, parallel_config: Any = None, param_init: Any = "normal"
    ) -> None:
        super().__init__()
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        table = initializer(param_init, (vocab_size, embedding_size), SINGLE)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, input_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows of `input_ids`, and the table."""
        return self.embedding_table[input_ids], self.embedding_table.value()


class MultiHeadAttention(Cell):
    """Attention with several heads. Returns the result, and keys (N, heads, D, L) and values (N, heads, L, D).

    Args:
        batch_size: kept; the batch follows from the inputs.
        src_seq_length: length of queries.
        tgt_seq_length: length of keys and values.
        hidden_size: of all.
        num_heads: which divides it.
        hidden_dropout_rate: of the result.
        attention_dropout_rate: of the attention weights.
        compute_dtype: of products.
        softmax_compute_type: of the softmax.
        param_init_type: of the weights.
        use_past: False.
        parallel_config: kept, without effect.

    Raises:
        NotImplementedError: with `use_past`.
        ValueError: if `num_heads` does not divide `hidden_size`.
    """

    def __init__(
        self, batch_size: int | None, src_seq_length: int, tgt_seq_length: int, hidden_size: int, num_heads: int,
        hidden_dropout_rate: float = 0.1, attention_dropout_rate: float = 0.1, compute_dtype: Any = HALF,
        softmax_compute_type: Any = SINGLE, param_init_type: Any = SINGLE, use_past: bool = False,
        parallel_config: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if use_past:
            _refuse("MultiHeadAttention", "use_past=True")
        if hidden_size % num_heads:
            rule = "argument `num_heads` must divide `hidden_size`"
            raise ValueError(f"`MultiHeadAttention`: {rule}. Received: {num_heads}, {hidden_size}.")
        self.src_seq_length, self.tgt_seq_length, self.n_head = src_seq_length, tgt_seq_length, num_heads
        self.size_per_head = hidden_size // num_heads
        self.dtype, self.softmax_dtype = compute_dtype, softmax_compute_type
        given: dict[str, Any] = {"param_init_type": param_init_type, "compute_dtype": compute_dtype}
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **given)
        self.dense1, self.dense2, self.dense3 = (_Linear(hidden_size, hidden_size, **given) for _ in range(3))
        self.dropout, self.prob_dropout = Dropout(p=hidden_dropout_rate), Dropout(p=attention_dropout_rate)

    def construct(
        self, query_tensor: Tensor, key_tensor: Tensor, value_tensor: Tensor, attention_mask: Tensor | None = None,
        key_past: Any = None, value_past: Any = None, batch_valid_length: Any = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:  # fmt: skip
        """Return the result, and the keys and values; the last three arguments are for `use_past`."""
        query = self._split(self.dense1(query_tensor.astype(self.dtype)), self.src_seq_length)
        key = self._split(self.dense2(key_tensor.astype(self.dtype)), self.tgt_seq_length).swapaxes(2, 3)
        value = self._split(self.dense3(value_tensor.astype(self.dtype)), self.tgt_seq_length)
        root = math.sqrt(math.sqrt(self.size_per_head))
        scores = ((query / root) @ (key / root)).astype(self.softmax_dtype)
        if attention_mask is not None:
            mask = attention_mask.expand_dims(1) if attention_mask.ndim == 3 else attention_mask
            scores = scores + (1 - mask.astype(scores.dtype)) * -10000.0
        weights = self.prob_dropout(scores.softmax(-1).astype(query.dtype))
        merged = (weights @ value).swapaxes(1, 2).reshape(-1, self.n_head * self.size_per_head)
        result = self.dropout(self.projection(merged)).reshape(query_tensor.shape)
        return result.astype(query_tensor.dtype), (key, value)

    def _split(self, x: Tensor, length: int) -> Tensor:
        return x.reshape(-1, length, self.n_head, self.size_per_head).swapaxes(1, 2)


class _Layer(Cell):
    """Base class of encoder and decoder layers: attention, more attention, feed-forward, each with residuals."""

    def __init__(self, name: str, sizes: dict[str, Any], length: int, options: dict[str, Any]) -> None:
        super().__init__()
        if options["use_past"] or (options["moe_config"] or MoEConfig()).expert_num != 1:
            _refuse(name, f"use_past={options['use_past']}, moe_config={options['moe_config']}")
        compute = options["layernorm_compute_type"]
        width = sizes["hidden_size"]
        self.post_layernorm_residual = options["post_layernorm_residual"]
        self.layernorm1 = LayerNorm((width,), epsilon=1e-5).to_float(compute)
        self.layernorm2 = LayerNorm((width,), epsilon=1e-5).to_float(compute)
        self.attention = self._attention(sizes, options, length, length)
        self.output = FeedForward(
            width, sizes["ffn_hidden_size"], options["hidden_dropout_rate"], options["hidden_act"],
            param_init_type=options["param_init_type"],
        )  # fmt: skip

    def _attention(
        self, sizes: dict[str, Any], options: dict[str, Any], source: int, target: int
    ) -> MultiHeadAttention:
        names = "hidden_dropout_rate attention_dropout_rate softmax_compute_type param_init_type".split()
        given = {name: options[name] for name in names}
        return MultiHeadAttention(
            sizes["batch_size"], source, target, sizes["hidden_size"], sizes["num_heads"], **given
        )

    def _attend(
        self, x: Tensor, norm: Cell | None, attention: Cell, memory: Any, mask: Any
    ) -> tuple[Tensor, tuple]:
        normed = (x if norm is None else norm(x)).astype(HALF)
        memory = normed if memory is None else memory.astype(HALF)
        attended, present = attention(normed, memory, memory, mask)
        return (normed if self.post_layernorm_residual else x) + attended, present

    def _feed(self, x: Tensor, shape: tuple[int, ...]) -> Tensor:
        normed = self.layernorm2(x).astype(HALF)
        fed = self.output(normed)
        return ((normed if self.post_layernorm_residual else x) + fed).reshape(shape)


class TransformerEncoderLayer(_Layer):
    """One layer of an encoder. Returns the result, and keys and values.

    Args:
        batch_size: kept.
        hidden_size: of inputs and outputs.
        ffn_hidden_size: within the feed-forward part.
        num_heads: which divides `hidden_size`.
        seq_length: of inputs.
        attention_dropout_rate: of the attention weights.
        hidden_dropout_rate: of the results of attention and of the feed-forward part.
        post_layernorm_residual: normalize behind the residual connections instead of before them.
        layernorm_compute_type: dtype of the normalizations.
        softmax_compute_type: of the softmax.
        param_init_type: of the weights.
        hidden_act: name or class of the activation.
        use_past: False.
        moe_config: with one expert.
        parallel_config: kept, without effect.

    Raises:
        NotImplementedError: with `use_past` or several experts.
    """

    def __init__(
        self, batch_size: int | None, hidden_size: int, ffn_hidden_size: int, num_heads: int, seq_length: int,
        attention_dropout_rate: float = 0.1, hidden_dropout_rate: float = 0.1, post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = SINGLE, softmax_compute_type: Any = SINGLE, param_init_type: Any = SINGLE,
        hidden_act: Any = "gelu", use_past: bool = False, moe_config: Any = None, parallel_config: Any = None,
    ) -> None:  # fmt: skip
        options = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__("TransformerEncoderLayer", options, seq_length, options)

    def construct(
        self, x: Tensor, input_mask: Any = None, init_reset: Any = True, batch_valid_length: Any = None
    ) -> tuple[Tensor, tuple]:
        """Return the result, and the keys and values; the last two arguments are for `use_past`."""
        norm = None if self.post_layernorm_residual else self.layernorm1
        flat, present = self._attend(x.reshape(-1, x.shape[-1]), norm, self.attention, None, input_mask)
        y = self._feed(flat, x.shape)
        return (self.layernorm1(y) if self.post_layernorm_residual else y), present


class TransformerDecoderLayer(_Layer):
    """One layer of a decoder, with attention to an encoder's results if there are any.

    Args:
        hidden_size: of inputs and outputs.
        ffn_hidden_size: within the feed-forward part.
        num_heads: which divides `hidden_size`.
        batch_size: kept.
        src_seq_length: length of what the encoder gives.
        tgt_seq_length: length of inputs.

    The other arguments are those of :class:`TransformerEncoderLayer`.

    Raises:
        NotImplementedError: with `use_past` or several experts.
    """

    def __init__(
        self, hidden_size: int, ffn_hidden_size: int, num_heads: int, batch_size: int | None, src_seq_length: int,
        tgt_seq_length: int, attention_dropout_rate: float = 0.1, hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False, use_past: bool = False, layernorm_compute_type: Any = SINGLE,
        softmax_compute_type: Any = SINGLE, param_init_type: Any = SINGLE, hidden_act: Any = "gelu",
        moe_config: Any = None, parallel_config: Any = None,
    ) -> None:  # fmt: skip
        options = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__("TransformerDecoderLayer", options, tgt_seq_length, options)
        self.cross_attention = self._attention(options, options, tgt_seq_length, src_seq_length)
        norm = LayerNorm((hidden_size,), epsilon=1e-5)
        self.cross_attention_layernorm = norm.to_float(layernorm_compute_type)

    def construct(
        self, hidden_stats: Tensor, decoder_mask: Any, encoder_output: Any = None, memory_mask: Any = None,
        init_reset: Any = True, batch_valid_length: Any = None,
    ) -> tuple[Tensor, tuple]:  # fmt: skip
        """Return the result, and the keys and values; the last two arguments are for `use_past`."""
        shape = hidden_stats.shape
        x, present = self._attend(
            hidden_stats.reshape(-1, shape[-1]), self.layernorm1, self.attention, None, decoder_mask
        )
        if encoder_output is not None:
            norm, attention = self.cross_attention_layernorm, self.cross_attention
            x, more = self._attend(x, norm, attention, encoder_output, memory_mask)
            present += more
        return self._feed(x, shape), present


def _stack(blocks: CellList, layer: type, given: dict[str, Any]) -> None:
    """Append the layers of an encoder or decoder; `lambda_func` sees each, as it did.

    To a list that the Cell has already: so the names of Parameters begin with the number of the layer.
    """
    own = "num_layers", "lambda_func", "offset"
    options = {k: v for k, v in given.items() if k not in ("self", "__class__", *own)}
    for i in range(given["num_layers"]):
        block = layer(**options)
        if given["lambda_func"]:
            config = given["parallel_config"] or TransformerOpParallelConfig()
            named = {"layer_id": i, "layers": given["num_layers"], "offset": given["offset"]}
            given["lambda_func"](block, **named, parallel_config=config)
        blocks.append(block)


class TransformerEncoder(Cell):
    """Layers of an encoder. Returns the result, and keys and values of each layer.

    Args:
        batch_size: kept.
        num_layers: how many.
        hidden_size: of inputs and outputs.
        ffn_hidden_size: within the feed-forward parts.
        seq_length: of inputs.
        num_heads: which divides `hidden_size`.
        lambda_func: called with each layer, `layer_id`, `layers`, `offset` and `parallel_config`.
        offset: for that function.

    The other arguments are those of :class:`TransformerEncoderLayer`.

    Raises:
        NotImplementedError: with `use_past` or several experts.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.transformer import TransformerEncoder
        >>> net = TransformerEncoder(2, 1, hidden_size=8, ffn_hidden_size=16, seq_length=3, num_heads=2)
        >>> y, presents = net(ms.ops.ones((2, 3, 8)), ms.ops.ones((2, 3, 3)))
        >>> y.shape, presents[0][0].shape
        ((2, 3, 8), (2, 2, 4, 3))
    """

    def __init__(
        self, batch_size: int | None, num_layers: int, hidden_size: int, ffn_hidden_size: int, seq_length: int,
        num_heads: int, attention_dropout_rate: float = 0.1, hidden_dropout_rate: float = 0.1, hidden_act: Any = "gelu",
        post_layernorm_residual: bool = False, layernorm_compute_type: Any = SINGLE, softmax_compute_type: Any = SINGLE,
        param_init_type: Any = SINGLE, lambda_func: Any = None, offset: int = 0, use_past: bool = False,
        moe_config: Any = None, parallel_config: Any = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        super().__init__()
        self.num_layers = num_layers
        self.blocks = CellList()
        _stack(self.blocks, TransformerEncoderLayer, given)

    def construct(
        self,
        hidden_states: Tensor,
        attention_mask: Any,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> tuple[Tensor, tuple]:
        """Return the result, and the keys and values of each layer."""
        presents: tuple = ()
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask)
            presents += (present,)
        return hidden_states, presents


class TransformerDecoder(Cell):
    """Layers of a decoder. Returns the result, and keys and values of each layer.

    Args:
        num_layers: how many.
        batch_size: kept.
        hidden_size: of inputs and outputs.
        ffn_hidden_size: within the feed-forward parts.
        src_seq_length: length of what the encoder gives.
        tgt_seq_length: length of inputs.
        num_heads: which divides `hidden_size`.

    The other arguments are those of :class:`TransformerEncoder`.

    Raises:
        NotImplementedError: with `use_past` or several experts.
    """

    def __init__(
        self, num_layers: int, batch_size: int | None, hidden_size: int, ffn_hidden_size: int, src_seq_length: int,
        tgt_seq_length: int, num_heads: int, attention_dropout_rate: float = 0.1, hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False, layernorm_compute_type: Any = SINGLE, softmax_compute_type: Any = SINGLE,
        param_init_type: Any = SINGLE, hidden_act: Any = "gelu", lambda_func: Any = None, use_past: bool = False,
        offset: int = 0, moe_config: Any = None, parallel_config: Any = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        super().__init__()
        self.num_layers = num_layers
        self.blocks = CellList()
        _stack(self.blocks, TransformerDecoderLayer, given)

    def construct(
        self, hidden_states: Tensor, attention_mask: Any, encoder_output: Any = None, memory_mask: Any = None,
        init_reset: Any = True, batch_valid_length: Any = None,
    ) -> tuple[Tensor, tuple]:  # fmt: skip
        """Return the result, and the keys and values of each layer."""
        presents: tuple = ()
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask, encoder_output, memory_mask)
            presents += (present,)
        return hidden_states, presents


class Transformer(Cell):
    """An encoder, and a decoder if it has layers. Returns the result, and the keys and values of both.

    Args:
        hidden_size: of inputs and outputs.
        batch_size: kept.
        ffn_hidden_size: within the feed-forward parts.
        src_seq_length: of the encoder's inputs.
        tgt_seq_length: of the decoder's inputs.
        encoder_layers: at least one.
        decoder_layers: or 0.
        num_heads: which divides `hidden_size`.

    The other arguments are those of :class:`TransformerEncoder`.

    Raises:
        NotImplementedError: with `use_past` or several experts.
        ValueError: if there is a decoder only.
    """

    def __init__(
        self, hidden_size: int, batch_size: int | None, ffn_hidden_size: int, src_seq_length: int, tgt_seq_length: int,
        encoder_layers: int = 3, decoder_layers: int = 3, num_heads: int = 2, attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1, hidden_act: Any = "gelu", post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = SINGLE, softmax_compute_type: Any = SINGLE, param_init_type: Any = SINGLE,
        lambda_func: Any = None, use_past: bool = False, moe_config: Any = None, parallel_config: Any = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        for own in "self __class__ encoder_layers decoder_layers src_seq_length tgt_seq_length".split():
            del given[own]
        super().__init__()
        if encoder_layers <= 0:
            raise ValueError(
                f"`Transformer`: argument `encoder_layers` must be positive. Received: {encoder_layers}."
            )
        self.encoder = TransformerEncoder(num_layers=encoder_layers, seq_length=src_seq_length, **given)
        self.decoder = None
        if decoder_layers > 0:
            lengths = {"src_seq_length": src_seq_length, "tgt_seq_length": tgt_seq_length}
            self.decoder = TransformerDecoder(
                num_layers=decoder_layers, offset=encoder_layers, **lengths, **given
            )

    def construct(
        self, encoder_inputs: Tensor, encoder_masks: Any, decoder_inputs: Any = None, decoder_masks: Any = None,
        memory_mask: Any = None, init_reset: Any = True, batch_valid_length: Any = None,
    ) -> tuple[Tensor, tuple, Any]:  # fmt: skip
        """Return the result, and the keys and values of both; None for those of a decoder that is not there."""
        encoded, presents = self.encoder(encoder_inputs, encoder_masks)
        if self.decoder is None:
            return encoded, presents, None
        decoded, more = self.decoder(decoder_inputs, decoder_masks, encoded, memory_mask)
        return decoded, presents, more


class CrossEntropyLoss(Cell):
    """The mean of -log softmax(logits)[label] over the places where the mask is 1, of shape (1,).

    Args:
        parallel_config: kept, without effect.
    """

    def __init__(self, parallel_config: Any = None) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor, input_mask: Tensor) -> Tensor:
        """Return the loss of `logits` (N, C), `label` (N,) and `input_mask` (N,)."""
        picked = (
            logits.astype(SINGLE).softmax(-1).gather_elements(1, label.reshape(-1, 1).astype(dtypes.int32))
        )
        mask = input_mask.reshape(-1)
        return (-(picked.reshape(-1) + 1e-24).log() * mask).sum() / (mask.sum() + Tensor([1e-5], SINGLE))
