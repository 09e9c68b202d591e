"""Internal base classes and helpers of MindSpore's layers, for networks that derive from them or call them."""

from collections.abc import Mapping
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.loss_base import LossBase
from msjax.nn.layers.recurrent import RecurrentStep
from msjax.ops.nn import recurrent


class Loss(LossBase):
    """The base of losses in MindSpore 1: it is called and not used.

    Examples:
        >>> from msjax.nn.inner.inner_layers import Loss
        >>> from msjax import nn
        >>> issubclass(Loss, nn.LossBase)
        True
    """


class RNNCellBase(RecurrentStep):
    """One step of a recurrent net: its Parameters `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`.

    Args:
        input_size: size of the input.
        hidden_size: size of the state.
        has_bias: whether there are biases.
        num_chunks: how many times `hidden_size` rows the weights have.
        dtype: of the Parameters.

    Examples:
        >>> from msjax.nn.inner.inner_layers import RNNCellBase
        >>> RNNCellBase(2, 3, True, 4).weight_hh.shape
        (12, 3)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool,
        num_chunks: int,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(num_chunks, input_size, hidden_size, has_bias, dtype)


def rnn_tanh_cell(inputs: Tensor, hidden: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """One plain step."""
    return recurrent.rnn_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh)


def rnn_relu_cell(inputs: Tensor, hidden: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """One plain step with ReLU."""
    return recurrent.rnn_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh, "relu")


def gru_cell(inputs: Tensor, hidden: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """One step of a GRU."""
    return recurrent.gru_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh)


def lstm_cell(inputs: Tensor, hidden: tuple, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple:
    """One step of an LSTM, whose hidden state is (h, c)."""
    return recurrent.lstm_cell(inputs, *hidden, w_ih, w_hh, b_ih, b_hh)


def deconv_output_length(
    is_valid: bool, is_same: bool, is_pad: bool, input_length: int, filter_size: int, stride_size: int,
    dilation_size: int, padding: int,
) -> int:  # fmt: skip
    """Return the output length of a transposed convolution along an axis."""
    span = filter_size + (filter_size - 1) * (dilation_size - 1)
    whole = input_length * stride_size
    if is_valid:
        return whole + max(span - stride_size, 0)
    return whole - stride_size + span - padding if is_pad else whole if is_same else 0


def valid_index(cell_num: int, index: int, op_name: str | None = None) -> int:
    """Return a position in a container of `cell_num` Cells, from 0.

    Raises:
        TypeError: if it is not an int.
        IndexError: if there is no such Cell.
    """
    if not isinstance(index, int):
        raise TypeError(
            f"`{op_name or 'container'}`: the index must be an int. Received: {type(index).__name__}."
        )
    if not -cell_num <= index < cell_num:
        raise IndexError(
            f"`{op_name or 'container'}`: the index must be in [{-cell_num}, {cell_num}). Received: {index}."
        )
    return index % cell_num


def valid_cell(cell: Any, op_name: str | None = None) -> bool:
    """True for a Cell.

    Raises:
        TypeError: for anything else.
    """
    if not isinstance(cell, Cell):
        raise TypeError(
            f"`{op_name or 'container'}`: each element must be a Cell. Received: {type(cell).__name__}."
        )
    return True


def prefix_and_index(cells: Mapping[str, Cell]) -> tuple[str, int]:
    """Return the prefix in front of the keys in the Parameter names, and the number of dots in it."""
    for key, cell in cells.items():
        for path, parameter in cell.parameters_and_names():
            if parameter.name.endswith(f"{key}.{path}"):
                prefix = parameter.name[: -len(f"{key}.{path}")]
                return prefix, prefix.count(".")
    return "", 0
