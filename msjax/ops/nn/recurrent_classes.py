"""Recurrent operators in class form: weights of one layer packed in one array, all gates among the results.

The steps are those of `recurrent`.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.recurrent import lstm_layer


def _split_weights(w: Array, *shapes: tuple[int, ...]) -> list[Array]:
    """Arrays of these shapes, one after the other from the front of a flat array."""
    found, at = [], 0
    for shape in shapes:
        size = math.prod(shape)
        found.append(w[at : at + size].reshape(shape))
        at += size
    return found


@op(static="input_size hidden_size num_layers has_bias bidirectional dropout proj_size")
def lstm_packed(
    input: Array, h: Array, c: Array, w: Array, input_size: int, hidden_size: int, num_layers: int, has_bias: bool,
    bidirectional: bool, dropout: float, proj_size: int = 0,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """Apply one LSTM layer whose weights are packed in one array as in MindSpore's CPU kernel (`LSTM`).

    Args:
        input (Tensor): (time, batch, input_size).
        h (Tensor): first hidden state (directions, batch, proj_size or hidden_size).
        c (Tensor): first cell state (directions, batch, hidden_size).
        w (Tensor): flattened weights: for all directions those of the input, those of the hidden state, the
            projection if there is one, and one bias if there is one; gates i, f, g, o.
        input_size (int): features of the input.
        hidden_size (int): features of the cell.
        num_layers (int): 1.
        has_bias (bool): whether `w` has biases.
        bidirectional (bool): whether there is a second direction, from the last time to the first.
        dropout (float): between layers, so without effect.
        proj_size (int): features of the hidden state if it is projected, less than hidden_size; 0 for not.

    Returns:
        Outputs (time, batch, features of all directions), last hidden state, last cell state, and two arrays that on other
        devices hold what the backward pass needs: here zeros of size (1, 1).

    Raises:
        TypeError: for settings of another type.
        ValueError: for settings out of range, or if `w` is too short.
        NotImplementedError: for several layers.

    Examples:
        >>> import msjax as ms
        >>> ones = ms.ops.ones
        >>> y, h, c, _, _ = ms.ops.LSTM(3, 2, 1, False, False, 0.0)(ones((5, 4, 3)), *2 * [ones((1, 4, 2))], ones(40))
        >>> y.shape
        (5, 4, 2)
    """
    checks.check_ints("LSTM", input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
    checks.check_bools("LSTM", has_bias=has_bias, bidirectional=bidirectional)
    checks.check_between("LSTM", 0.0, 1.0, dropout=dropout)
    if not 0 <= proj_size < hidden_size:
        checks.fail(ValueError, "LSTM", "proj_size", f"be in [0, {hidden_size}), the hidden_size", proj_size)
    if num_layers != 1:
        checks.fail(NotImplementedError, "LSTM", "num_layers", "be 1; nn.LSTM has several", num_layers)
    ways, gates, state = 1 + bidirectional, 4 * hidden_size, proj_size or hidden_size
    shapes: list[tuple[int, ...]] = [
        (ways, gates, input_size),
        (ways, gates, state),
        (ways, proj_size, hidden_size),
    ]
    shapes.append((ways, gates * has_bias))
    need = sum(map(math.prod, shapes))
    if w.size < need:
        checks.fail(ValueError, "LSTM", "w", f"have at least {need} elements", w.shape)
    weight, recurrent, projection, bias = _split_weights(w.reshape(-1), *shapes)
    found = []
    for d in range(ways):
        b = bias[d] if has_bias else None
        own = (input, h[d], c[d], weight[d], recurrent[d])
        found.append(lstm_layer.pure(*own, b, None, None, bool(d), projection[d] if proj_size else None))
    outputs, hidden, cells = zip(*found, strict=True)
    nothing = jnp.zeros((1, 1), input.dtype)
    return jnp.concatenate(outputs, -1), jnp.stack(hidden), jnp.stack(cells), nothing, nothing


def _only(name: str, given: dict[str, Any], **allowed: Any) -> None:
    """Raise for a setting that MindSpore documents but does not support."""
    for setting, value in allowed.items():
        if type(given[setting]) is not type(value):
            checks.fail(TypeError, name, setting, f"be a {type(value).__name__}", repr(given[setting]))
        if given[setting] != value:
            checks.fail(ValueError, name, setting, f"be {value!r}", repr(given[setting]))


@op(static="forget_bias cell_clip")
def _all_gates(
    x: ArrayLike, w: ArrayLike, b: ArrayLike, h: ArrayLike, c: ArrayLike, forget_bias: float, cell_clip: float
) -> tuple:
    size = x.shape[-1]
    wide = checks.compute_dtype(x.dtype)
    w, rows = w.astype(wide), x.astype(wide) @ w[:size].astype(wide) + b.astype(wide)

    def turn(state: tuple, row: Array) -> tuple:
        i, j, f, o = jnp.split(row + state[0] @ w[size:], 4, -1)
        i, j, f, o = jax.nn.sigmoid(i), jnp.tanh(j), jax.nn.sigmoid(f + forget_bias), jax.nn.sigmoid(o)
        c = f * state[1] + i * j
        c = jnp.clip(c, -cell_clip, cell_clip) if cell_clip > 0 else c
        h = o * jnp.tanh(c)
        return (h, c), (h, h, c, i, j, f, o, jnp.tanh(c))

    _, found = lax.scan(turn, (h[0].astype(wide), c[0].astype(wide)), rows)
    kinds = (b.dtype, x.dtype, *[b.dtype] * 6)
    return tuple(part.astype(kind) for part, kind in zip(found, kinds, strict=True))


def dynamic_rnn(
    x: Any, w: Any, b: Any, seq_length: Any, init_h: Any, init_c: Any, cell_type: str = "LSTM",
    direction: str = "UNIDIRECTIONAL", cell_depth: int = 1, use_peephole: bool = False, keep_prob: float = 1.0,
    cell_clip: float = -1.0, num_proj: int = 0, time_major: bool = True, activation: str = "tanh",
    forget_bias: float = 0.0, is_training: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Apply an LSTM and return its states and gates at all time steps, gates in the order i, j, f, o (`DynamicRNN`).

    Hochreiter and Schmidhuber, 1997. MindSpore has it on Ascend; checked against :func:`lstm_layer`.

    Args:
        x (Tensor): (time, batch, input size), float16 or float32.
        w (Tensor): (input size + hidden size, 4 * hidden size).
        b (Tensor): (4 * hidden size,).
        seq_length (None): all sequences have all times.
        init_h (Tensor): first hidden state (1, batch, hidden size).
        init_c (Tensor): first cell state (1, batch, hidden size).
        cell_type (str): "LSTM".
        direction (str): "UNIDIRECTIONAL".
        cell_depth (int): 1.
        use_peephole (bool): False.
        keep_prob (float): 1.0.
        cell_clip (float): if positive, the largest size of a cell state's element.
        num_proj (int): 0.
        time_major (bool): True.
        activation (str): "tanh".
        forget_bias (float): added to the gate f.
        is_training (bool): without effect here.

    Returns:
        Eight Tensors (time, batch, hidden size): y, hidden states, cell states, i, j, f, o and tanh of the cell states.

    Raises:
        TypeError: for settings of another type.
        ValueError: for other settings than these.

    Examples:
        >>> import msjax as ms
        >>> one = ms.ops.ones
        >>> found = ms.ops.DynamicRNN()(one((2, 3, 4)), one((6, 8)), one(8), None, one((1, 3, 2)), one((1, 3, 2)))
        >>> len(found), found[0].shape
        (8, (2, 3, 2))
    """
    _only("DynamicRNN", locals(), cell_type="LSTM", direction="UNIDIRECTIONAL", cell_depth=1, use_peephole=False,
          keep_prob=1.0, num_proj=0, time_major=True, activation="tanh")  # fmt: skip
    checks.check_bools("DynamicRNN", is_training=is_training)
    if seq_length is not None:
        checks.fail(ValueError, "DynamicRNN", "seq_length", "be None", seq_length)
    return _all_gates(x, w, b, init_h, init_c, forget_bias, cell_clip)


@op(static="order reset_after")
def _gru_gates(
    x: ArrayLike, w: ArrayLike, u: ArrayLike, b: Any, d: Any, h: ArrayLike, order: str, reset_after: BoolLike
) -> tuple:
    kind = next((v.dtype for v in (b, d) if v is not None), h.dtype)
    wide = checks.compute_dtype(x.dtype)
    w, u, size = w.astype(wide), u.astype(wide), h.shape[-1]
    b, d = (jnp.zeros(3 * size, wide) if v is None else v.astype(wide) for v in (b, d))
    swap = (lambda a: jnp.concatenate([a[..., size : 2 * size], a[..., :size], a[..., 2 * size :]], -1)) if order == "zrh" \
        else (lambda a: a)  # fmt: skip
    w, u, b, d = map(swap, (w, u, b, d))

    def turn(h: Array, row: Array) -> tuple:
        (xr, xz, xn), (hr, hz, hn) = jnp.split(row, 3, -1), jnp.split(h @ u + d, 3, -1)
        r, z = jax.nn.sigmoid(xr + hr), jax.nn.sigmoid(xz + hz)
        hn = hn if reset_after else (r * h) @ u[:, 2 * size :] + d[2 * size :]
        n = jnp.tanh(xn + (r * hn if reset_after else hn))
        h = (1 - z) * n + z * h
        return h, (h, h, z, r, n, hn)

    _, found = lax.scan(turn, h.astype(wide), x.astype(wide) @ w + b)
    return tuple(part.astype(kind) for part in found)


@documented_by(dynamic_rnn)
def dynamic_gru(
    x: Any, weight_input: Any, weight_hidden: Any, bias_input: Any, bias_hidden: Any, seq_length: Any, init_h: Any,
    direction: str = "UNIDIRECTIONAL", cell_depth: int = 1, keep_prob: float = 1.0, cell_clip: float = -1.0,
    num_proj: int = 0, time_major: bool = True, activation: str = "tanh", gate_order: str = "rzh",
    reset_after: bool = True, is_training: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Apply a GRU and return its states and gates at all time steps (`DynamicGRUV2`).

    Cho et al., 2014. MindSpore has it on Ascend; checked against :func:`gru_layer`.

    Args:
        weight_input (Tensor): (input size, 3 * hidden size).
        weight_hidden (Tensor): (hidden size, 3 * hidden size).
        bias_input (Tensor): (3 * hidden size,), or None.
        bias_hidden (Tensor): (3 * hidden size,), or None.
        init_h (Tensor): first hidden state (batch, hidden size).
        cell_clip (float): -1.0.
        gate_order (str): "rzh" or "zrh", the order of the gates in weights and biases.
        reset_after (bool): multiply the reset gate with the state's share of the new state; otherwise with the state before
            that product.

    Returns:
        Six Tensors (time, batch, hidden size): y, hidden states, update gate, reset gate, new state, and the hidden
        state's share of it.

    Examples:
        >>> import msjax as ms
        >>> one = ms.ops.ones
        >>> found = ms.ops.DynamicGRUV2()(one((2, 3, 4)), one((4, 6)), one((2, 6)), None, None, None, one((3, 2)))
        >>> len(found), found[0].shape
        (6, (2, 3, 2))
    """
    _only("DynamicGRUV2", locals(), direction="UNIDIRECTIONAL", cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0,
          time_major=True, activation="tanh")  # fmt: skip
    checks.check_choice("DynamicGRUV2", ("rzh", "zrh"), gate_order=gate_order)
    checks.check_bools("DynamicGRUV2", reset_after=reset_after, is_training=is_training)
    if seq_length is not None:
        checks.fail(ValueError, "DynamicGRUV2", "seq_length", "be None", seq_length)
    return _gru_gates(
        x, weight_input, weight_hidden, bias_input, bias_hidden, init_h, gate_order, reset_after
    )
