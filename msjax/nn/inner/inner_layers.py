"""Internal base classes and helpers of MindSpore's layers, for networks that derive from them or call them."""

from collections.abc import Mapping
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.loss_base import LossBase
from msjax.nn.convolution.conv import ConvBase
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


class Convolution(ConvBase):
    """Base class of MindSpore's convolutions of any dimension; derived classes define `construct`.

    The settings are kept as they are given; `construct` decides which lengths are valid.

    Args:
        kernel_size: a tuple; the weight has these sizes.
        stride: a tuple.
        dilation: a tuple.
        padding: an int, or a tuple of them.
        transposed: whether the weight is (in, out / group, ...), that of a transposed convolution.

    The others are those of `nn.Conv2d`.

    Examples:
        >>> from msjax.nn.inner.inner_layers import Convolution
        >>> Convolution(4, 6, (3, 3), (1, 1), "same", 0, (1, 1), 2, False, "normal", "zeros").weight.shape
        (6, 2, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple,
        stride: tuple,
        pad_mode: str,
        padding: Any,
        dilation: tuple,
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str = "NCHW",
        transposed: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        Cell.__init__(self)
        name = type(self).__name__
        parameter_init.check_positive_ints(
            name, in_channels=in_channels, out_channels=out_channels, group=group
        )
        for sizes in (kernel_size, stride, dilation):
            parameter_init.check_positive_ints(
                name, **{f"element {i} of {sizes}": size for i, size in enumerate(sizes)}
            )
        parameter_init.check_choice(name, ("NCHW", "NCDHW"), data_format=data_format)
        parameter_init.check_bools(name, has_bias=has_bias)
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"`{name}`: argument `group` must divide `in_channels`={in_channels} and "
                f"`out_channels`={out_channels}. Received: {group}."
            )
        self.dims, self.transposed, self.layout = len(kernel_size), transposed, data_format
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode, self.padding = pad_mode, _not_negative(name, padding)
        self.has_bias, self.data_format = has_bias, data_format
        outer, inner = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        shape = (outer, inner // group, *kernel_size)
        self.weight_init = parameter_init.he_uniform() if weight_init is None else weight_init
        self.bias_init = parameter_init.bias_uniform(shape) if has_bias and bias_init is None else bias_init
        self.weight, self.bias = parameter_init.weight_and_bias(
            name, shape, out_channels, self.weight_init, self.bias_init, has_bias, dtype
        )

    def construct(self, *inputs: Any) -> Any:
        """Raises NotImplementedError: it is for the class derived from it."""
        raise NotImplementedError(f"`{type(self).__name__}`: `construct` must be defined.")


def _not_negative(name: str, padding: Any) -> Any:
    if not isinstance(padding, int | tuple) or isinstance(padding, bool):
        raise TypeError(
            f"`{name}`: argument `padding` must be an int or a tuple of ints. Received: {padding!r}."
        )
    for side in padding if isinstance(padding, tuple) else (padding,):
        if isinstance(side, bool) or not isinstance(side, int) or side < 0:
            raise ValueError(
                f"`{name}`: argument `padding` must hold no negative numbers. Received: {padding!r}."
            )
    return padding


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
