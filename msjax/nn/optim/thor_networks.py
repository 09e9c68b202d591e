"""Conversion of a network's layers to their THOR variants, which keep second-order statistics."""

from typing import Any

from msjax.config.context import get_context
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.convolution import conv, conv_transpose, pooling
from msjax.nn.inner import thor_layers
from msjax.nn.layers import embedding, linear, norm
from msjax.nn.layers.containers import SequentialCell

_KEPT = (
    thor_layers.DenseThor, thor_layers.Conv2dThor, thor_layers.EmbeddingThor, thor_layers.EmbeddingLookupThor,
    conv_transpose.Conv2dTranspose, conv.Conv1d, conv_transpose.Conv1dTranspose, norm.BatchNorm1d, norm.GroupNorm,
    norm.LayerNorm, norm.BatchNorm2d, pooling.MaxPool2d,
)  # fmt: skip
_AS_THEY_ARE = ("rpn_with_loss.rpn_convs_list.", "wide")


def convert_network(net: Cell) -> None:
    """Put them into a network, in place. Its Parameters keep their values and names; those that are not trained stay."""
    net.update_cell_prefix()
    _convert(net)
    net.update_cell_type("second-order")


def _convert(net: Cell) -> None:
    changed = False
    for name, child in net.name_cells().items():
        if child is net or isinstance(child, _KEPT):
            continue
        make = _MAKERS.get(type(child))
        if make is None:
            _convert(child)
        elif _may_change(child):
            made = make(child)
            made.update_parameters_name(child.param_prefix + ".")
            net.insert_child_to_cell(name, made)
            changed = True
    if changed and isinstance(net, SequentialCell):
        net.cell_list = list(net.cells())


def _may_change(child: Any) -> bool:
    if hasattr(child, "embedding_table"):
        return child.embedding_table.requires_grad
    prefix = child.param_prefix.lower()
    return child.weight.requires_grad and not any(part in prefix for part in _AS_THEY_ARE)


def _dense(old: Any) -> Cell:
    name = None if old.activation is None else type(old.activation).__name__.lower()
    made = thor_layers.DenseThor(
        old.in_channels,
        old.out_channels,
        weight_init=Tensor(old.weight),
        has_bias=old.has_bias,
        activation={"fastgelu": "fast_gelu"}.get(name, name) if name else None,
    )
    if old.has_bias:
        made.bias = old.bias
    if old.out_channels == 1001:
        return made
    return made.to_float(dtypes.float32 if get_context("device_target") == "GPU" else dtypes.float16)


def _conv(old: Any) -> Cell:
    made = thor_layers.Conv2dThor(
        old.in_channels,
        old.out_channels,
        old.kernel_size,
        old.stride,
        old.pad_mode,
        old.padding,
        old.dilation,
        old.group,
        old.has_bias,
        weight_init=Tensor(old.weight),
    )
    if old.has_bias:
        made.bias = old.bias
    return made


def _embedding(old: Any) -> Cell:
    made = thor_layers.EmbeddingThor(old.vocab_size, old.embedding_size, use_one_hot=False)
    made.embedding_table = old.embedding_table
    return made


def _lookup(old: Any) -> Cell:
    made = thor_layers.EmbeddingLookupThor(
        old.vocab_size, old.embedding_size, target=old.target, sparse=old.sparse
    )
    made.embedding_table = old.embedding_table
    return made


_MAKERS: dict[type, Any] = {
    linear.Dense: _dense,
    conv.Conv2d: _conv,
    embedding.Embedding: _embedding,
    embedding.EmbeddingLookup: _lookup,
}
