"""Recurrent layers (RNN, GRU, LSTM) and their cells for single steps."""

import math
from typing import Any

import numpy as np

from msjax.common.initializer import Uniform
from msjax.common.initializer_draws import of_numpy
from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.parameter import Parameter, ParameterTuple
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.dropout import Dropout
from msjax.ops.array.creation import zeros
from msjax.ops.array.joining import concat, stack
from msjax.ops.array.shapes import transpose
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import recurrent

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


class _Direction(Cell):
    """One direction of one layer: (x, state, lengths, weights ...) -> (outputs, last state), states as tuples."""

    gates = 1

    def construct(
        self, x: Tensor, state: tuple, lengths: Any, weights: tuple, reverse: bool
    ) -> tuple[Tensor, tuple]:
        """Call the layer's operator."""
        outputs, *last = self.layer(x, state, lengths, weights, reverse)
        return outputs, tuple(last)

    def layer(self, x: Tensor, state: tuple, lengths: Any, weights: tuple, reverse: bool) -> tuple:
        """The operator."""
        raise NotImplementedError


class _DynamicRNNTanh(_Direction):
    """A plain layer."""

    nonlinearity = "tanh"

    def layer(self, x: Tensor, state: tuple, lengths: Any, weights: tuple, reverse: bool) -> tuple:
        """The operator."""
        return recurrent.rnn_layer(x, *state, *weights, lengths, self.nonlinearity, reverse)


class _DynamicRNNRelu(_DynamicRNNTanh):
    """A plain layer with ReLU."""

    nonlinearity = "relu"


class _DynamicGRUCPUGPU(_Direction):
    """A GRU."""

    gates = 3

    def layer(self, x: Tensor, state: tuple, lengths: Any, weights: tuple, reverse: bool) -> tuple:
        """The operator."""
        return recurrent.gru_layer(x, *state, *weights, lengths, reverse)


class _DynamicLSTMCPUGPU(_Direction):
    """An LSTM."""

    gates = 4

    def layer(self, x: Tensor, state: tuple, lengths: Any, weights: tuple, reverse: bool) -> tuple:
        """The operator."""
        return recurrent.lstm_layer(x, *state, *weights, lengths, reverse)


class _Recurrent(Cell):
    """Several layers, in one or both directions.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of the states.
        num_layers (int): layers, each of which reads the outputs of the one before. Default: 1.
        has_bias (bool): whether there are biases. Default: True.
        batch_first (bool): inputs and outputs are (batch, time, size), not (time, batch, size). Default: False.
        dropout (float): probability with which an output of a layer but the last is dropped, in [0, 1). Default: 0.0.
        bidirectional (bool): each layer also reads backwards. Default: False.
        dtype (DType): of the Parameters. Default: float32.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a size is not positive, `dropout` out of range, or a shape does not fit.
    """

    states = 1
    _direction: type[_Direction] = _Direction

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        layer = type(self).__name__
        parameter_init.check_positive_ints(
            layer, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers
        )
        parameter_init.check_bools(
            layer, has_bias=has_bias, batch_first=batch_first, bidirectional=bidirectional
        )
        parameter_init.check_dtypes(layer, dtype=dtype)
        if not isinstance(dropout, float):
            raise TypeError(f"`{layer}`: argument `dropout` must be a float. Received: {dropout!r}.")
        if not 0 <= dropout < 1:
            raise ValueError(f"`{layer}`: argument `dropout` must be in [0, 1). Received: {dropout}.")
        self.rnn = self._direction()
        self.dropout_op = Dropout(p=dropout)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.has_bias, self.batch_first, self.bidirectional = has_bias, batch_first, bidirectional
        self.dropout = dropout
        self._places = [
            f"l{i}{suffix}" for i in range(num_layers) for suffix in ("", "_reverse")[: 1 + bidirectional]
        ]
        rows, directions = self._direction.gates * hidden_size, 1 + bidirectional
        widths = [
            input_size if i < directions else hidden_size * directions for i in range(len(self._places))
        ]
        weights: tuple[list[Parameter], ...] = ([], [], [], [])
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[: 4 if has_bias else 2]
        for place, width in zip(self._places, widths, strict=True):
            shapes = ((rows, width), (rows, hidden_size), (rows,), (rows,))
            for parameters, kind, shape in zip(weights, kinds, shapes, strict=False):
                parameters.append(self._make_parameter(f"{kind}_{place}", shape, dtype))
        self.w_ih_list, self.w_hh_list, self.b_ih_list, self.b_hh_list = map(ParameterTuple, weights)

    def _make_parameter(self, name: str, shape: tuple[int, ...], dtype: DType) -> Parameter:
        """Return a Parameter uniform in +-1 / sqrt(hidden size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        drawn = of_numpy("uniform", -bound, bound, shape).astype(np.float32)
        return parameter_init.make_parameter(type(self).__name__, Tensor(drawn, dtype), shape, dtype, name)

    def _check_input(self, x: Any, hx: Any) -> None:
        layer = type(self).__name__
        if not isinstance(x, Tensor) or x.dtype not in _FLOATS:
            raise TypeError(
                f"`{layer}`: the input must be a floating Tensor. Received: {getattr(x, 'dtype', x)!r}."
            )
        if x.ndim != 3 or x.shape[-1] != self.input_size:
            raise ValueError(
                f"`{layer}`: the input must have three axes, the last of size {self.input_size}. Received: {x.shape}."
            )
        if hx is None:
            return
        states = hx if self.states > 1 else (hx,)
        if not isinstance(states, tuple | list) or len(states) != self.states:
            raise TypeError(
                f"`{layer}`: the first state must be {'a tuple of two Tensors' if self.states > 1 else 'a Tensor'}. "
                f"Received: {type(hx).__name__}."
            )
        wanted = (len(self._places), x.shape[0 if self.batch_first else 1], self.hidden_size)
        for state in states:
            if not isinstance(state, Tensor):
                raise TypeError(f"`{layer}`: states must be Tensors. Received: {type(state).__name__}.")
            if state.shape != wanted:
                raise ValueError(f"`{layer}`: states must have shape {wanted}. Received: {state.shape}.")

    def construct(self, x: Tensor, hx: Any = None, seq_length: Any = None) -> tuple:
        """Outputs of the last layer, and the last states of all."""
        self._check_input(x, hx)
        if self.batch_first:
            x = transpose(x, (1, 0, 2))
        states = (hx if self.states > 1 else (hx,)) if hx is not None else self._zeros(x)
        last: list[tuple] = []
        for i in range(self.num_layers):
            x, found = self._layer(i, x, states, seq_length)
            last += found
            if i < self.num_layers - 1 and self.dropout:
                x = self.dropout_op(x)
        if self.batch_first:
            x = transpose(x, (1, 0, 2))
        stacked = tuple(stack(list(rows)) for rows in zip(*last, strict=True))
        return x, stacked if self.states > 1 else stacked[0]

    def _zeros(self, x: Tensor) -> tuple:
        shape = (len(self._places), x.shape[1], self.hidden_size)
        return tuple(zeros(shape, x.dtype) for _ in range(self.states))

    def _layer(self, i: int, x: Tensor, states: tuple, lengths: Any) -> tuple[Tensor, list[tuple]]:
        """One layer in all its directions."""
        directions = 1 + self.bidirectional
        outputs, last = [], []
        for reverse in range(directions):
            at = i * directions + reverse
            biases = (self.b_ih_list, self.b_hh_list) if self.has_bias else ((), ())
            lists = (self.w_ih_list, self.w_hh_list, *biases)
            weights = tuple(listed[at].astype(x.dtype) if len(listed) else None for listed in lists)
            sizes = x.shape[-1], states[0].shape[-1]
            widths = self.w_ih_list[at].shape[1], self.w_hh_list[at].shape[1]
            if widths != sizes:
                raise ValueError(
                    f"`{type(self).__name__}`: the weights of layer {i} are for an input and a state of sizes {widths}. "
                    f"Received: {sizes}. Sizes cannot be changed after the layer is made."
                )
            out, found = self.rnn(x, tuple(state[at] for state in states), lengths, weights, bool(reverse))
            outputs.append(out)
            last.append(found)
        return (outputs[0] if directions == 1 else concat(outputs, -1)), last


@documented_by(_Recurrent)
class RNN(_Recurrent):
    """A plain recurrent net: h' = f(W x + b + U h + d).

    Args:
        nonlinearity (str): f, "tanh" or "relu". Default: "tanh".
        has_bias (bool): whether there are b and d. Default: True.

    Parameters:
        - **weight_ih_l0**, **weight_hh_l0**, **bias_ih_l0**, **bias_hh_l0** and so on - uniform in +-1 / sqrt(hidden_size).

    Inputs:
        - **x** (Tensor) - (time, batch, input_size).
        - **hx** (Tensor) - first states (layers * directions, batch, hidden_size). Default: zeros.
        - **seq_length** (Tensor) - the number of steps of each sequence (batch,). Default: all.

    Outputs:
        - **output** (Tensor) - (time, batch, directions * hidden_size). Zeros past the end of a sequence.
        - **hx_n** (Tensor) - last states (layers * directions, batch, hidden_size).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a size is not positive, `dropout` or `nonlinearity` not one of those, or a shape does not fit.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.RNN(3, 4, num_layers=2, bidirectional=True)
        >>> output, last = net(ms.ops.ones((5, 2, 3)))
        >>> output.shape, last.shape
        ((5, 2, 8), (4, 2, 4))
    """

    _direction = _DynamicRNNTanh

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"`RNN`: argument `nonlinearity` must be 'tanh' or 'relu'. Received: {nonlinearity!r}."
            )
        super().__init__(
            input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )
        if nonlinearity == "relu":
            self.rnn = _DynamicRNNRelu()
        self.nonlinearity = nonlinearity


@documented_by(_Recurrent)
class GRU(_Recurrent):
    """A net of gated recurrent units (Cho et al., 2014).

    Parameters:
        As those of :class:`RNN`, with three times as many rows: for the gates r, z, n.

    Inputs and Outputs:
        As those of :class:`RNN`.

    Examples:
        >>> import msjax as ms
        >>> output, last = ms.nn.GRU(3, 4)(ms.ops.ones((5, 2, 3)))
        >>> output.shape, last.shape
        ((5, 2, 4), (1, 2, 4))
    """

    _direction = _DynamicGRUCPUGPU


@documented_by(_Recurrent)
class LSTM(_Recurrent):
    """A net of long short-term memories (Hochreiter and Schmidhuber, 1997).

    Parameters:
        As those of :class:`RNN`, with four times as many rows: for the gates i, f, g, o.

    Inputs:
        - **x** (Tensor) - (time, batch, input_size).
        - **hx** (tuple) - first hidden and cell states, each (layers * directions, batch, hidden_size). Default: zeros.
        - **seq_length** (Tensor) - the number of steps of each sequence (batch,). Default: all.

    Outputs:
        - **output** (Tensor) - (time, batch, directions * hidden_size). Zeros past the end of a sequence.
        - **hx_n** (tuple) - last hidden and cell states.

    Examples:
        >>> import msjax as ms
        >>> output, (h, c) = ms.nn.LSTM(3, 4, batch_first=True)(ms.ops.ones((2, 5, 3)))
        >>> output.shape, c.shape
        ((2, 5, 4), (1, 2, 4))
    """

    states = 2
    _direction = _DynamicLSTMCPUGPU


class RecurrentStep(Cell):
    """One step of a recurrent net.

    Args:
        gates (int): how many times `hidden_size` rows the weights have.
        input_size (int): size of the input.
        hidden_size (int): size of the state.
        has_bias (bool): whether there are biases. Default: True.
        dtype (DType): of the Parameters. Default: float32.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a size is not positive or a shape does not fit.
    """

    def __init__(self, gates: int, input_size: int, hidden_size: int, has_bias: bool, dtype: DType) -> None:
        super().__init__()
        layer = type(self).__name__
        parameter_init.check_positive_ints(layer, input_size=input_size, hidden_size=hidden_size)
        parameter_init.check_bools(layer, has_bias=has_bias)
        parameter_init.check_dtypes(layer, dtype=dtype)
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        init, rows = Uniform(1 / math.sqrt(hidden_size)), gates * hidden_size  # type: ignore[call-arg]

        # MindSpore draws other numbers first, which matters for what NumPy draws next.
        of_numpy("standard_normal", rows * (input_size + hidden_size + 2 * has_bias))

        def made(name: str, *shape: int) -> Parameter:
            return parameter_init.make_parameter(layer, init, shape, dtype, name)

        self.weight_ih = made("weight_ih", rows, input_size)
        self.weight_hh = made("weight_hh", rows, hidden_size)
        self.bias_ih = made("bias_ih", rows) if has_bias else None
        self.bias_hh = made("bias_hh", rows) if has_bias else None

    def _weights(self, x: Any, *states: Any) -> tuple:
        layer = type(self).__name__
        for name, tensor, size in (("x", x, self.input_size), *(("hx", s, self.hidden_size) for s in states)):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"`{layer}`: `{name}` must be a Tensor. Received: {type(tensor).__name__}.")
            if tensor.ndim != 2 or tensor.shape[1] != size or tensor.shape[0] != x.shape[0]:
                raise ValueError(
                    f"`{layer}`: `{name}` must have shape (batch, {size}). Received: {tensor.shape}, x: {x.shape}."
                )
        parameter_init.check_same_dtypes(
            self, x=x, **{f"hx{i}": s for i, s in enumerate(states)}, weight_ih=self.weight_ih
        )
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


@documented_by(RecurrentStep)
class RNNCell(RecurrentStep):
    """One step of a plain recurrent net: h' = f(W x + b + U h + d).

    Args:
        has_bias (bool): whether there are b and d. Default: True.
        nonlinearity (str): f, "tanh" or "relu". Default: "tanh".

    Inputs:
        - **x** (Tensor) - (batch, input_size).
        - **hx** (Tensor) - (batch, hidden_size).

    Outputs:
        Tensor (batch, hidden_size).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a size is not positive, `nonlinearity` not one of those, or a shape does not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.RNNCell(3, 4)(ms.ops.ones((2, 3)), ms.ops.zeros((2, 4))).shape
        (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(1, input_size, hidden_size, has_bias, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise (ValueError if isinstance(nonlinearity, str) else TypeError)(
                f"`RNNCell`: argument `nonlinearity` must be 'tanh' or 'relu'. Received: {nonlinearity!r}."
            )
        self.nonlinearity = nonlinearity

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        """Return the next state."""
        return recurrent.rnn_cell(x, hx, *self._weights(x, hx), self.nonlinearity)


@documented_by(RecurrentStep)
class GRUCell(RecurrentStep):
    """One step of a gated recurrent unit.

    Inputs and Outputs:
        As those of :class:`RNNCell`.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.GRUCell(3, 4)(ms.ops.ones((2, 3)), ms.ops.zeros((2, 4))).shape
        (2, 4)
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = dtypes.float32
    ) -> None:
        super().__init__(3, input_size, hidden_size, has_bias, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        """Return the next state."""
        return recurrent.gru_cell(x, hx, *self._weights(x, hx))


@documented_by(RecurrentStep)
class LSTMCell(RecurrentStep):
    """One step of a long short-term memory.

    Inputs:
        - **x** (Tensor) - (batch, input_size).
        - **hx** (tuple) - hidden and cell state, each (batch, hidden_size).

    Outputs:
        The next hidden and cell state.

    Examples:
        >>> import msjax as ms
        >>> state = ms.ops.zeros((2, 4)), ms.ops.zeros((2, 4))
        >>> ms.nn.LSTMCell(3, 4)(ms.ops.ones((2, 3)), state)[0].shape
        (2, 4)
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = dtypes.float32
    ) -> None:
        super().__init__(4, input_size, hidden_size, has_bias, dtype)

    def construct(self, x: Tensor, hx: Any) -> tuple[Tensor, Tensor]:
        """Return the next states."""
        if not isinstance(hx, tuple | list) or len(hx) != 2:
            raise TypeError(
                f"`LSTMCell`: `hx` must be a tuple of two Tensors. Received: {type(hx).__name__}."
            )
        return recurrent.lstm_cell(x, *hx, *self._weights(x, *hx))
