"""Networks whose layers keep what the second-order optimizer THOR needs."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.context import get_context
from msjax.core.tensor import Tensor
from msjax.nn import basic, conv, conv_transpose, embedding, norm, pooling, thor_layers
from msjax.nn.cell import Cell
from msjax.nn.containers import SequentialCell

_KEPT = (
    thor_layers.DenseThor, thor_layers.Conv2dThor, thor_layers.EmbeddingThor, thor_layers.EmbeddingLookupThor,
    conv_transpose.Conv2dTranspose, conv.Conv1d, conv_transpose.Conv1dTranspose, norm.BatchNorm1d, norm.GroupNorm,
    norm.LayerNorm, norm.BatchNorm2d, pooling.MaxPool2d,
)  # fmt: skip
_AS_THEY_ARE = ("rpn_with_loss.rpn_convs_list.", "wide")


class ConvertNetUtils:
    """Puts layers that keep second-order statistics in the place of Dense, Conv2d, Embedding and EmbeddingLookup.

    The optimizer `nn.thor`, which uses them, is not there.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train import ConvertNetUtils
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.ReLU())
        >>> ConvertNetUtils().convert_to_thor_net(net)
        >>> type(net[0]).__name__
        'DenseThor'
    """

    def convert_to_thor_net(self, net: Cell) -> None:
        """Convert a network, in place. Its Parameters keep their values and names; those that are not trained stay.

        Dense layers then compute in float16, except on GPUs, and if they have 1001 outputs.

        Args:
            net (Cell): the network.
        """
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
    basic.Dense: _dense,
    conv.Conv2d: _conv,
    embedding.Embedding: _embedding,
    embedding.EmbeddingLookup: _lookup,
}


class ConvertModelUtils:
    """Makes a Model train with the optimizer THOR, which is not there; Models with others are right as they are.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train import ConvertModelUtils, Model
        >>> net = ms.nn.Dense(3, 2)
        >>> model = Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params()))
        >>> ConvertModelUtils.convert_to_thor_model(model, net) is model
        True
    """

    @staticmethod
    def convert_to_thor_model(
        model: Any,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        amp_level: str = "O0",
        loss_scale_manager: Any = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Any:
        """The model itself: only THOR, `nn.thor`, would need another one.

        Args:
            model (Model): the model.
            network (Cell): its network; without effect, as are the others.
            loss_fn (Cell): its loss.
            optimizer (Cell): its optimizer.
            metrics (dict): its metrics.
            amp_level (str): its mixed precision.
            loss_scale_manager (LossScaleManager): its loss scale.
            keep_batchnorm_fp32 (bool): keep BatchNorm in float32.

        Returns:
            Model.
        """
        return model
