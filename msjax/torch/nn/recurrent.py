"""Recurrent modules: RNN, GRU, LSTM, and single steps of them."""

from typing import Any

from msjax.ops.nn import recurrent
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.nn import functional as F
from msjax.torch.nn.making import draw_uniform, empty_parameter
from msjax.torch.nn.module import Module
from msjax.torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
from msjax.torch.tensors.call_conventions import AUTOCAST
from msjax.torch.tensors.tensor import Tensor, as_torch


class RNNBase(Module):
    """Layers of a recurrent net, each in one direction or two. Outputs are those of the last layer in all steps.

    Args:
        input_size: features of a step.
        hidden_size: features of the state.
        num_layers: layers above one another.
        bias: whether there are biases.
        batch_first: whether inputs are (batch, time, features), not (time, batch, features).
        dropout: the probability of zeros between layers, in train mode.
        bidirectional: whether each layer goes backwards as well.
        proj_size: features of the hidden state if it is projected, less than `hidden_size`; 0 for not. Of LSTMs only.
    """

    _gates = 1
    _states = ("h",)

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
        dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
        for what, size in sizes.items():
            if not isinstance(size, int):
                raise TypeError(f"{what} should be of type int, got: {type(size).__name__}")
            if size <= 0:
                raise ValueError(f"{what} must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if proj_size and self._gates != 4:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        self.input_size, self.hidden_size, self.num_layers, self.bias = (
            input_size,
            hidden_size,
            num_layers,
            bias,
        )
        self.batch_first, self.dropout, self.bidirectional = batch_first, float(dropout), bidirectional
        self.proj_size = proj_size
        rows, state = self._gates * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            below = input_size if layer == 0 else state * (1 + bidirectional)
            for end in self._ends(layer):
                self.register_parameter(f"weight_ih_{end}", empty_parameter(rows, below))
                self.register_parameter(f"weight_hh_{end}", empty_parameter(rows, state))
                for side in ("ih", "hh") if bias else ():
                    self.register_parameter(f"bias_{side}_{end}", empty_parameter(rows))
                if proj_size:
                    self.register_parameter(f"weight_hr_{end}", empty_parameter(proj_size, hidden_size))
        self.reset_parameters()
        if dtype is not None:
            self.to(dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw all Parameters anew."""
        draw_uniform(self.parameters(), self.hidden_size)

    def _ends(self, layer: int) -> list[str]:
        return [f"l{layer}", f"l{layer}_reverse"][: 1 + self.bidirectional]

    def flatten_parameters(self) -> None:
        """Do nothing, of no effect: XLA manages memory."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The Parameters of each direction of each layer."""
        return [
            [getattr(self, f"{what}_{end}") for what in self._kinds]
            for layer in range(self.num_layers)
            for end in self._ends(layer)
        ]

    @property
    def _kinds(self) -> list[str]:
        biases = ["bias_ih", "bias_hh"] if self.bias else []
        return ["weight_ih", "weight_hh", *biases, *["weight_hr"] * bool(self.proj_size)]

    def _step(self, x: Any, state: tuple, weights: list, lengths: Any, reverse: bool) -> tuple:
        raise NotImplementedError

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the outputs of all steps, and the last state.

        Args:
            input: (time, batch, features), as `batch_first` says; (time, features); or a PackedSequence.
            hx: the first state (layers * directions, batch, hidden size), of an LSTM two; zeros if it is None.

        Returns:
            Outputs (time, batch, directions * hidden size), and the last state in `hx`'s form.

        Raises:
            ValueError: if `input` has neither two nor three dimensions.
            RuntimeError: if sizes do not fit.
        """
        if isinstance(input, PackedSequence):
            return self._run_packed(input, hx)
        single = input.ndim == 2
        if input.ndim not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead"
            )
        kind = self.weight_ih_l0.dtype
        if input.dtype != kind and AUTOCAST.dtype is None:
            raise ValueError(
                f"{type(self).__name__} input dtype ({input.dtype}) does not match weight dtype ({kind}). "
                f"Convert input: input.to({kind}), or convert model: model.to({input.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        x = input.unsqueeze(1) if single else input.transpose(0, 1) if self.batch_first else input
        given = () if hx is None else hx if isinstance(hx, tuple | list) else (hx,)
        self._check_dimensions(input, given)
        out, last = self._layers(x, [h.unsqueeze(1) for h in given] if single else given, None)
        if single:
            return out.squeeze(1), self._state([h.squeeze(1) for h in last])
        return out.transpose(0, 1) if self.batch_first else out, self._state(last)

    def _check_dimensions(self, input: Any, states: Any) -> None:
        if all(state.ndim == input.ndim for state in states):
            return
        kind = "unbatched 2-D" if input.ndim == 2 else "batched 3-D"
        names, got = (
            " and ".join(["hx", "cx"][: len(states)]),
            ", ".join(f"{state.ndim}-D" for state in states),
        )
        found = f"{got} tensor" if len(states) == 1 else f"({got}) tensors"
        raise RuntimeError(f"For {kind} input, {names} should also be {input.ndim}-D but got {found}")

    def _state(self, parts: Any) -> Any:
        return tuple(parts) if len(self._states) > 1 else parts[0]

    def _layers(self, x: Any, given: Any, lengths: Any) -> tuple[Any, list[Any]]:
        rows = (self.num_layers * (1 + self.bidirectional), x.shape[1])
        sizes = [(*rows, self.proj_size or self.hidden_size), (*rows, self.hidden_size)][: len(self._states)]
        given = given or [basic.zeros(size, dtype=self.weight_ih_l0.dtype) for size in sizes]
        for at, (state, size) in enumerate(zip(given, sizes, strict=True)):
            if tuple(state.shape) != size:
                what = "hidden" if len(sizes) == 1 else f"hidden[{at}]"
                raise RuntimeError(f"Expected {what} size {size}, got {list(state.shape)}")
        last: list[tuple] = []
        for layer in range(self.num_layers):
            outs = []
            for reverse, end in enumerate(self._ends(layer)):
                state = tuple(part[len(last)] for part in given)
                weights = [getattr(self, f"{what}_{end}") for what in self._kinds]
                out, *new = as_torch(self._step(x, state, weights, lengths, bool(reverse)))
                outs.append(out)
                last.append(tuple(new))
            x = basic.cat(outs, -1) if len(outs) > 1 else outs[0]
            if self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, [basic.stack(part) for part in zip(*last, strict=True)]

    def _run_packed(self, input: PackedSequence, hx: Any) -> Any:
        padded, lengths = pad_packed_sequence(input._replace(unsorted_indices=None))
        given = () if hx is None else hx if isinstance(hx, tuple | list) else (hx,)
        turned = lambda parts, order: (  # noqa: E731
            parts
            if order is None
            else [served_from_mint.find_function("index_select")(part, 1, order) for part in parts]
        )
        out, last = self._layers(padded, turned(given, input.sorted_indices), lengths)
        data = pack_padded_sequence(out, lengths).data
        return input._replace(data=data), self._state(turned(last, input.unsorted_indices))

    def extra_repr(self) -> str:
        """Return the sizes, and what is not as usual."""
        shown = [f"{self.input_size}, {self.hidden_size}"]
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        usual["bidirectional"] = False
        shown += [
            f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value
        ]
        return ", ".join(shown)


class RNN(RNNBase):
    """h' = tanh(W x + b + U h + d), or with relu.

    Examples:
        >>> from msjax import torch
        >>> outputs, last = torch.nn.RNN(3, 4)(torch.zeros(5, 2, 3))
        >>> outputs.shape, last.shape
        (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.nonlinearity = nonlinearity
        options = (num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        super().__init__(input_size, hidden_size, *options)

    def _step(self, x: Any, state: tuple, weights: list, lengths: Any, reverse: bool) -> tuple:
        biases = weights[2:] or (None, None)
        return recurrent.rnn_layer(x, *state, *weights[:2], *biases, lengths, self.nonlinearity, reverse)


class GRU(RNNBase):
    """Gated recurrent units (Cho and others, 2014), with the reset gate after the product.

    Examples:
        >>> from msjax import torch
        >>> outputs, last = torch.nn.GRU(3, 4, bidirectional=True)(torch.zeros(5, 2, 3))
        >>> outputs.shape, last.shape
        (torch.Size([5, 2, 8]), torch.Size([2, 2, 4]))
    """

    _gates = 3

    def _step(self, x: Any, state: tuple, weights: list, lengths: Any, reverse: bool) -> tuple:
        return recurrent.gru_layer(x, *state, *weights[:2], *(weights[2:] or (None, None)), lengths, reverse)


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); its state is (h, c).

    Examples:
        >>> from msjax import torch
        >>> outputs, (h, c) = torch.nn.LSTM(3, 4, num_layers=2, batch_first=True)(torch.zeros(2, 5, 3))
        >>> outputs.shape, h.shape, c.shape
        (torch.Size([2, 5, 4]), torch.Size([2, 2, 4]), torch.Size([2, 2, 4]))
    """

    _gates = 4
    _states = ("h", "c")

    def _step(self, x: Any, state: tuple, weights: list, lengths: Any, reverse: bool) -> tuple:
        projection = weights.pop() if self.proj_size else None
        biases = weights[2:] or (None, None)
        return recurrent.lstm_layer(x, *state, *weights[:2], *biases, lengths, reverse, projection)


class RNNCellBase(Module):
    """One step of a recurrent net, of (batch, input size) or (input size,)."""

    _gates = 1

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self._gates * hidden_size
        self.weight_ih = empty_parameter(rows, input_size)
        self.weight_hh = empty_parameter(rows, hidden_size)
        self.register_parameter("bias_ih", empty_parameter(rows) if bias else None)
        self.register_parameter("bias_hh", empty_parameter(rows) if bias else None)
        self.reset_parameters()
        if dtype is not None:
            self.to(dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw all Parameters anew."""
        draw_uniform(self.parameters(), self.hidden_size)

    def _start(self, input: Any) -> Tensor:
        return basic.zeros((*input.shape[:-1], self.hidden_size), dtype=input.dtype)

    def _weights(self) -> tuple:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check(self, input: Any, state: Any) -> None:
        for what, tensor, size in (("input", input, self.input_size), ("hidden", state, self.hidden_size)):
            if tensor is not None and tensor.ndim not in (1, 2):
                raise ValueError(
                    f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {tensor.ndim}D instead"
                )
            if tensor is not None and tensor.shape[-1] != size:
                raise RuntimeError(
                    f"{what} has inconsistent {what}_size: got {tensor.shape[-1]}, expected {size}"
                )
        if state is not None and input.ndim == state.ndim == 2 and input.shape[0] != state.shape[0]:
            raise RuntimeError(
                f"Input batch size {input.shape[0]} doesn't match hidden0 batch size {state.shape[0]}"
            )

    def extra_repr(self) -> str:
        """Return the sizes."""
        more = "" if self.bias else ", bias=False"
        plain = getattr(self, "nonlinearity", "tanh")
        return f"{self.input_size}, {self.hidden_size}{more}" + (
            f", nonlinearity={plain}" * (plain != "tanh")
        )


class RNNCell(RNNCellBase):
    """One step of :class:`RNN`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the next state."""
        self._check(input, hx)
        hx = self._start(input) if hx is None else hx
        return recurrent.rnn_cell(input, hx, *self._weights(), self.nonlinearity)


class GRUCell(RNNCellBase):
    """One step of :class:`GRU`."""

    _gates = 3

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the next state."""
        self._check(input, hx)
        return recurrent.gru_cell(input, self._start(input) if hx is None else hx, *self._weights())


class LSTMCell(RNNCellBase):
    """One step of :class:`LSTM`; the state is (h, c).

    Examples:
        >>> from msjax import torch
        >>> h, c = torch.nn.LSTMCell(3, 4)(torch.zeros(2, 3))
        >>> h.shape, c.shape
        (torch.Size([2, 4]), torch.Size([2, 4]))
    """

    _gates = 4

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the next state."""
        h, c = (self._start(input),) * 2 if hx is None else hx
        self._check(input, h)
        return recurrent.lstm_cell(input, h, c, *self._weights())
