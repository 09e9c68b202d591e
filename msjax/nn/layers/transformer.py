"""Transformer layers: encoder, decoder and the full model (Vaswani et al., 2017)."""

import copy
from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.attention import MultiheadAttention
from msjax.nn.layers.containers import CellList
from msjax.nn.layers.dropout import Dropout
from msjax.nn.layers.linear import Dense
from msjax.nn.layers.norm import LayerNorm
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.activation_piecewise import relu
from msjax.ops.nn.activation_smooth import gelu

_ACTIVATIONS = {"relu": relu, "gelu": gelu}


def _activation(layer: str, given: Any) -> Callable:
    if isinstance(given, str) and given in _ACTIVATIONS:
        return _ACTIVATIONS[given]
    if isinstance(given, Cell) or (callable(given) and not isinstance(given, str | type)):
        return given
    raise ValueError(
        f"`{layer}`: argument `activation` must be 'relu', 'gelu' or a function. Received: {given!r}."
    )


# {argument: the attribute that MindSpore keeps it in}
_SETTINGS = {name: name for name in "d_model nhead dim_feedforward batch_first norm_first dtype".split()} | {
    "dropout": "dropout_num",
    "activation": "activation1",
    "layer_norm_eps": "layernorm_eps",
}


def _keep(layer: Cell, given: dict[str, Any]) -> None:
    for argument, attribute in _SETTINGS.items():
        setattr(layer, attribute, given[argument])


class TransformerEncoderLayer(Cell):
    """Attention of a sequence to itself, then two dense layers, each with a residual connection and a normalization.

    Args:
        d_model (int): size of the elements.
        nhead (int): number of heads.
        dim_feedforward (int): size between the dense layers. Default: 2048.
        dropout (float): probability of dropping, in train mode. Default: 0.1.
        activation (str, Cell, function): "relu", "gelu" or a function. Default: "relu".
        layer_norm_eps (float): of the normalizations. Default: 1e-5.
        batch_first (bool): sequences are (batch, length, size), not (length, batch, size). Default: False.
        norm_first (bool): normalize before each part, not after it. Default: False.
        dtype (DType): of the Parameters. Default: float32.

    Inputs:
        - **src** (Tensor) - (length, batch, d_model).
        - **src_mask** (Tensor) - as `attn_mask` of :class:`MultiheadAttention`. Default: None.
        - **src_key_padding_mask** (Tensor) - as its `key_padding_mask`. Default: None.

    Outputs:
        Tensor of the shape of `src`.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `nhead` does not divide `d_model`, or `activation` is unknown.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.TransformerEncoderLayer(8, 2, 16)(ms.ops.ones((5, 3, 8))).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        parameter_init.check_bools("TransformerEncoderLayer", norm_first=norm_first)
        _keep(self, locals())
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)
        self.activation = _activation("TransformerEncoderLayer", activation)

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return the next representation."""
        if self.norm_first:
            src = src + self._attention(self.norm1(src), src_mask, src_key_padding_mask)
            return src + self._forward(self.norm2(src))
        src = self.norm1(src + self._attention(src, src_mask, src_key_padding_mask))
        return self.norm2(src + self._forward(src))

    def _attention(self, x: Tensor, mask: Any, padding: Any) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def _forward(self, x: Tensor) -> Tensor:
        return self.dropout2(self.dense2(self.dropout(self.activation(self.dense1(x)))))


@documented_by(TransformerEncoderLayer)
class TransformerDecoderLayer(Cell):
    """Attention of a sequence to itself and to another, then two dense layers; each with a residual and a normalization.

    Inputs:
        - **tgt** (Tensor) - (length, batch, d_model).
        - **memory** (Tensor) - what the encoder gave, (length of the source, batch, d_model).
        - **tgt_mask**, **memory_mask**, **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor) - for both
          attentions, as those of :class:`MultiheadAttention`. Default: None.

    Outputs:
        Tensor of the shape of `tgt`.

    Examples:
        >>> import msjax as ms
        >>> layer = ms.nn.TransformerDecoderLayer(8, 2, 16)
        >>> layer(ms.ops.ones((4, 3, 8)), ms.ops.ones((5, 3, 8))).shape
        (4, 3, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
        )
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        parameter_init.check_bools("TransformerDecoderLayer", norm_first=norm_first)
        _keep(self, locals())
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm3 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)
        self.dropout3 = Dropout(p=dropout)
        self.activation = _activation("TransformerDecoderLayer", activation)

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the next representation."""
        own, other = (tgt_mask, tgt_key_padding_mask), (memory_mask, memory_key_padding_mask)
        if self.norm_first:
            tgt = tgt + self._self_attention(self.norm1(tgt), *own)
            tgt = tgt + self._attention(self.norm2(tgt), memory, *other)
            return tgt + self._forward(self.norm3(tgt))
        tgt = self.norm1(tgt + self._self_attention(tgt, *own))
        tgt = self.norm2(tgt + self._attention(tgt, memory, *other))
        return self.norm3(tgt + self._forward(tgt))

    def _self_attention(self, x: Tensor, mask: Any, padding: Any) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def _attention(self, x: Tensor, memory: Tensor, mask: Any, padding: Any) -> Tensor:
        return self.dropout2(self.multihead_attn(x, memory, memory, padding, False, mask)[0])

    def _forward(self, x: Tensor) -> Tensor:
        return self.dropout3(self.dense2(self.dropout(self.activation(self.dense1(x)))))


def _copies(layer: Cell, count: int) -> CellList:
    """Return `count` copies of a Cell. As in MindSpore, those of this module begin with new values, which they all share."""
    for kind in (TransformerEncoderLayer, TransformerDecoderLayer):
        if isinstance(layer, kind):
            layer = kind(**{argument: getattr(layer, attribute) for argument, attribute in _SETTINGS.items()})
            break
    return CellList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Cell):
    """Several encoder layers, one after the other.

    Args:
        encoder_layer (Cell): TransformerEncoderLayer to copy.
        num_layers (int): how many.
        norm (Cell): applied in the end. Default: None.

    Inputs and Outputs:
        As those of :class:`TransformerEncoderLayer`.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.TransformerEncoder(ms.nn.TransformerEncoderLayer(8, 2, 16), 2)
        >>> net(ms.ops.ones((5, 3, 8))).shape
        (5, 3, 8)
    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        parameter_init.check_positive_ints("TransformerEncoder", num_layers=num_layers)
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return the representation after all layers."""
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """Several decoder layers, one after the other.

    Args:
        decoder_layer (Cell): TransformerDecoderLayer to copy.
        num_layers (int): how many.
        norm (Cell): applied in the end. Default: None.

    Inputs and Outputs:
        As those of :class:`TransformerDecoderLayer`.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.TransformerDecoder(ms.nn.TransformerDecoderLayer(8, 2, 16), 2)
        >>> net(ms.ops.ones((4, 3, 8)), ms.ops.ones((5, 3, 8))).shape
        (4, 3, 8)
    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        parameter_init.check_positive_ints("TransformerDecoder", num_layers=num_layers)
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the representation after all layers."""
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


@documented_by(TransformerEncoderLayer)
class Transformer(Cell):
    """An encoder and a decoder.

    Args:
        d_model (int): size of the elements. Default: 512.
        nhead (int): number of heads. Default: 8.
        num_encoder_layers (int): layers of the encoder. Default: 6.
        num_decoder_layers (int): layers of the decoder. Default: 6.
        custom_encoder (Cell): in place of the encoder. Default: None.
        custom_decoder (Cell): in place of the decoder. Default: None.

    Inputs:
        - **src** (Tensor) - (length of the source, batch, d_model).
        - **tgt** (Tensor) - (length, batch, d_model).
        - **src_mask**, **tgt_mask**, **memory_mask**, **src_key_padding_mask**, **tgt_key_padding_mask**,
          **memory_key_padding_mask** (Tensor) - as those of the layers. Default: None.

    Outputs:
        Tensor of the shape of `tgt`.

    Raises:
        ValueError: if `src` and `tgt` differ in batch or size.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Transformer(8, 2, 1, 1, 16)
        >>> net(ms.ops.ones((5, 3, 8)), ms.ops.ones((4, 3, 8))).shape
        (4, 3, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        settings = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

        def norm() -> Cell:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*settings), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*settings), num_decoder_layers, norm()
        )
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                _refill(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Encode the source and decode the target."""
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(
                f"`Transformer`: `src` and `tgt` must have the same batch. Received: {src.shape}, {tgt.shape}."
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(
                f"`Transformer`: the last size of `src` and `tgt` must be {self.d_model}. "
                f"Received: {src.shape}, {tgt.shape}."
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)


def _refill(parameter: Parameter) -> None:
    """New values, as Glorot and Bengio (2010) have them."""
    parameter.set_data(
        parameter_init.make_parameter("Transformer", "xavier_uniform", parameter.shape, parameter.dtype, "w")
    )
