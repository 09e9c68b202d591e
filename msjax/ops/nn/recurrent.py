"""Recurrent layers (RNN, LSTM, GRU): one direction of one layer is one `lax.scan` over time.

Inputs are (time, batch, size). The inputs' share of the gates is one product for all steps; what is left in the loop is the
product with the state. Equations and order of the gates are PyTorch's and MindSpore's.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common.docstrings import documented_by

Step = Callable[[Any, Array, Array], tuple[Any, Array]]


def _gates(x: Array, weight: Array, bias: Array | None) -> Array:
    """x @ weight.T + bias, in the weights' dtype."""
    product = jnp.matmul(x.astype(weight.dtype), weight.T)
    return product if bias is None else product + bias


def lstm_step(state: tuple[Array, Array], gates: Array) -> tuple[Array, Array]:
    """One step of an LSTM: c' = f c + i g, h' = o tanh(c'); gates i, f, g, o (Hochreiter and Schmidhuber, 1997)."""
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    c = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def gru_step(h: Array, from_input: Array, from_state: Array) -> Array:
    """One step of a GRU: h' = (1 - z) n + z h, n = tanh(x_n + r h_n); gates r, z, n (Cho et al., 2014)."""
    (xr, xz, xn), (hr, hz, hn) = jnp.split(from_input, 3, axis=-1), jnp.split(from_state, 3, axis=-1)
    z = jax.nn.sigmoid(xz + hz)
    n = jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn)
    return (1 - z) * n + z * h


_ACTIVATIONS = {"tanh": jnp.tanh, "relu": jax.nn.relu}


def _reverse_sequences(x: Array, lengths: Array | None) -> Array:
    """Each sequence backwards; of one with a length, so many steps."""
    if lengths is None:
        return jnp.flip(x, 0)
    steps = jnp.arange(x.shape[0], dtype=lengths.dtype)[:, None]
    order = jnp.where(steps < lengths, lengths - 1 - steps, steps)
    return jnp.take_along_axis(x, order.reshape(*order.shape, *[1] * (x.ndim - 2)), axis=0)


def _scan_steps(
    step: Callable, state: Any, gates: Array, lengths: Array | None, reverse: bool
) -> tuple[Array, Any]:
    """Return the outputs of all steps, and the last state. Past its length a sequence gives zeros and keeps its state."""
    if reverse:
        gates = _reverse_sequences(gates, lengths)

    def turn(carry: Any, at: tuple[Array, Array]) -> tuple[Any, Array]:
        i, row = at
        new = step(carry, row)
        out = new[0] if isinstance(new, tuple) else new
        if lengths is None:
            return new, out
        there = (i < lengths)[:, None]
        kept = jax.tree.map(lambda n, o: jnp.where(there, n, o), new, carry)
        return kept, jnp.where(there, out, jnp.zeros((), out.dtype))

    steps = jnp.arange(gates.shape[0], dtype=jnp.int32 if lengths is None else lengths.dtype)
    last, outputs = lax.scan(turn, state, (steps, gates))
    return _reverse_sequences(outputs, lengths) if reverse else outputs, last


@op(static="reverse")
def lstm_layer(
    x: Array, h: Array, c: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None,
    lengths: Array | None = None, reverse: bool = False, w_hr: Array | None = None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """One direction of one layer of an LSTM.

    Args:
        x (Tensor): inputs (time, batch, input size).
        h (Tensor): first hidden state (batch, hidden size).
        c (Tensor): first cell state (batch, hidden size).
        w_ih (Tensor): weights of the inputs (4 * hidden size, input size).
        w_hh (Tensor): weights of the hidden state (4 * hidden size, hidden size).
        b_ih (Tensor): biases (4 * hidden size,), or None.
        b_hh (Tensor): biases (4 * hidden size,), or None.
        lengths (Tensor): how many steps each sequence has (batch,), or None for all.
        reverse (bool): begin with the last step.
        w_hr (Tensor): weights that project the hidden state (projected size, hidden size), or None. The hidden state,
            the outputs and the columns of `w_hh` have the projected size then.

    Returns:
        Outputs (time, batch, hidden size), last hidden state, last cell state.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.recurrent import lstm_layer
        >>> one, zero = ms.ops.ones, ms.ops.zeros
        >>> y, h, c = lstm_layer(one((5, 2, 3)), zero((2, 4)), zero((2, 4)), one((16, 3)), one((16, 4)))
        >>> y.shape, h.shape
        ((5, 2, 4), (2, 4))
    """

    def step(state: tuple[Array, Array], row: Array) -> tuple[Array, Array]:
        h, c = lstm_step(state, row + _gates(state[0], w_hh, b_hh))
        return h if w_hr is None else h @ w_hr.T, c

    state = (h.astype(w_hh.dtype), c.astype(w_hh.dtype))
    outputs, (h, c) = _scan_steps(step, state, _gates(x, w_ih, b_ih), lengths, reverse)
    return outputs, h, c


@op(static="reverse")
@documented_by(lstm_layer)
def gru_layer(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None,
    lengths: Array | None = None, reverse: bool = False,
) -> tuple[Array, Array]:  # fmt: skip
    """One direction of one layer of a GRU; shapes as for :func:`lstm_layer`, with 3 * hidden size rows of weights.

    Args:
        w_ih (Tensor): weights of the inputs.
        w_hh (Tensor): weights of the hidden state.
        b_ih (Tensor): biases, or None.
        b_hh (Tensor): biases, or None.

    Returns:
        Outputs (time, batch, hidden size), last hidden state.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.recurrent import gru_layer
        >>> one, zero = ms.ops.ones, ms.ops.zeros
        >>> gru_layer(one((5, 2, 3)), zero((2, 4)), one((12, 3)), one((12, 4)))[0].shape
        (5, 2, 4)
    """

    def step(h: Array, row: Array) -> Array:
        return gru_step(h, row, _gates(h, w_hh, b_hh))

    return _scan_steps(step, h.astype(w_hh.dtype), _gates(x, w_ih, b_ih), lengths, reverse)


@op(static="nonlinearity reverse")
@documented_by(gru_layer)
def rnn_layer(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None,
    lengths: Array | None = None, nonlinearity: str = "tanh", reverse: bool = False,
) -> tuple[Array, Array]:  # fmt: skip
    """One direction of one layer of a plain recurrent net, h' = f(W x + b + U h + d); shapes as for :func:`lstm_layer`.

    Args:
        nonlinearity (str): "tanh" or "relu".

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.recurrent import rnn_layer
        >>> one, zero = ms.ops.ones, ms.ops.zeros
        >>> rnn_layer(one((5, 2, 3)), zero((2, 4)), one((4, 3)), one((4, 4)))[0].shape
        (5, 2, 4)
    """
    activation = _ACTIVATIONS[nonlinearity]

    def step(h: Array, row: Array) -> Array:
        return activation(row + _gates(h, w_hh, b_hh))

    return _scan_steps(step, h.astype(w_hh.dtype), _gates(x, w_ih, b_ih), lengths, reverse)


@op
@documented_by(lstm_layer)
def lstm_cell(
    x: Array,
    h: Array,
    c: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> tuple[Array, Array]:
    """One step of an LSTM.

    Args:
        x (Tensor): inputs (batch, input size).
        h (Tensor): hidden state (batch, hidden size).
        c (Tensor): cell state (batch, hidden size).

    Returns:
        The new hidden state and cell state.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.recurrent import lstm_cell
        >>> one, zero = ms.ops.ones, ms.ops.zeros
        >>> lstm_cell(one((2, 3)), zero((2, 4)), zero((2, 4)), one((16, 3)), one((16, 4)))[0].shape
        (2, 4)
    """
    return lstm_step((h, c), _gates(x, w_ih, b_ih) + _gates(h, w_hh, b_hh))


@op
def gru_cell(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> Array:
    """One step of a GRU.

    Args:
        x (Tensor): inputs (batch, input size).
        h (Tensor): hidden state (batch, hidden size).
        w_ih (Tensor): weights of the inputs (3 * hidden size, input size).
        w_hh (Tensor): weights of the hidden state (3 * hidden size, hidden size).
        b_ih (Tensor): biases (3 * hidden size,), or None.
        b_hh (Tensor): biases (3 * hidden size,), or None.

    Returns:
        The new hidden state.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.recurrent import gru_cell
        >>> one, zero = ms.ops.ones, ms.ops.zeros
        >>> gru_cell(one((2, 3)), zero((2, 4)), one((12, 3)), one((12, 4))).shape
        (2, 4)
    """
    return gru_step(h, _gates(x, w_ih, b_ih), _gates(h, w_hh, b_hh))


@op(static="nonlinearity")
@documented_by(gru_cell)
def rnn_cell(
    x: Array,
    h: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
    nonlinearity: str = "tanh",
) -> Array:
    """One step of a plain recurrent net.

    Args:
        w_ih (Tensor): weights of the inputs (hidden size, input size).
        w_hh (Tensor): weights of the hidden state (hidden size, hidden size).
        b_ih (Tensor): biases (hidden size,), or None.
        b_hh (Tensor): biases (hidden size,), or None.
        nonlinearity (str): "tanh" or "relu".

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.recurrent import rnn_cell
        >>> one, zero = ms.ops.ones, ms.ops.zeros
        >>> rnn_cell(one((2, 3)), zero((2, 4)), one((4, 3)), one((4, 4))).shape
        (2, 4)
    """
    return _ACTIVATIONS[nonlinearity](_gates(x, w_ih, b_ih) + _gates(h, w_hh, b_hh))
