"""Connectionist temporal classification (CTC): loss over all alignments of a label sequence, and greedy decoding.

Graves, Fernandez, Gomez and Schmidhuber, "Connectionist Temporal Classification" (ICML 2006). The forward recursion over
the labels with blanks between them is one `lax.scan` over time on log probabilities; gradients are JAX's, through the
scan. MindSpore's gradient by `log_probs` is the one by the logits behind them, softmax less posterior; so is this one.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.core import Tracer

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.core.trace import deferred_errors
from msjax.ops.common import checks


def _make_log_add(*terms: Array) -> Array:
    """Return the logarithm of a sum of exponentials; of nothing but -inf it is -inf with gradient 0."""
    top = lax.stop_gradient(jnp.stack(jnp.broadcast_arrays(*terms)).max(0))
    top = jnp.where(jnp.isneginf(top), jnp.zeros_like(top), top)
    total = sum(jnp.exp(term - top) for term in terms)
    there = total > 0
    return jnp.where(there, top + jnp.log(jnp.where(there, total, jnp.ones_like(total))), -jnp.inf)


def _later(x: Array, by: int) -> Array:
    """Return the states of the last axis moved `by` places back, with -inf before them."""
    return jnp.pad(x, ((0, 0), (by, 0)), constant_values=-jnp.inf)[:, : x.shape[1]]


def _between_blanks(targets: Array, lengths: Array, blank: int) -> tuple[Array, Array]:
    """Labels with blanks between and around them (N, 2 S + 1), and which of these states a sequence has."""
    n, most = targets.shape
    states = jnp.full((n, 2 * most + 1), blank, targets.dtype).at[:, 1::2].set(targets)
    return states, jnp.arange(2 * most + 1) <= 2 * lengths.astype(jnp.int32)[:, None]


def _forward(
    log_probs: Array, states: Array, there: Array, times: Array, blank: int, merge: bool = True
) -> Array:
    """Log probability of all beginnings of alignments that end in a state, at each time: (T, N, 2 S + 1)."""
    place = jnp.broadcast_to(states, (log_probs.shape[0], *states.shape))
    seen = jnp.take_along_axis(log_probs, place, axis=2, mode="clip")
    label = jnp.arange(states.shape[1]) % 2 == 1
    same = jnp.pad(states, ((0, 0), (2, 0)), constant_values=blank)[:, :-2] == states
    jumps = label & (~same if merge else True) & (jnp.arange(states.shape[1]) > 1)
    stays = ~label | merge
    nothing = jnp.full(states.shape, -jnp.inf, log_probs.dtype)
    first = jnp.where((jnp.arange(states.shape[1]) < 2) & there, seen[0], nothing)

    def turn(alpha: Array, at: tuple[Array, Array]) -> tuple[Array, Array]:
        t, row = at
        reached = _make_log_add(
            jnp.where(stays, alpha, nothing), _later(alpha, 1), jnp.where(jumps, _later(alpha, 2), nothing)
        )
        new = jnp.where(there, row + reached, nothing)
        going = (t < times)[:, None]
        return jnp.where(going, new, alpha), jnp.where(going, new, nothing)

    _, rest = lax.scan(turn, first, (jnp.arange(1, log_probs.shape[0]), seen[1:]))
    return jnp.concatenate([first[None], rest])


def _negative_log(alpha: Array, times: Array, lengths: Array, log_probs: Array, zero_infinity: bool) -> Array:
    """Return the loss of each sequence (N,), from the table of `_forward`."""
    last = alpha[times.astype(jnp.int32) - 1, jnp.arange(alpha.shape[1])]
    ends = jnp.stack([2 * lengths, jnp.maximum(2 * lengths - 1, 0)], 1).astype(jnp.int32)
    ends = jnp.take_along_axis(last, ends, axis=1)
    ends = ends.at[:, 1].set(jnp.where(lengths > 0, ends[:, 1], -jnp.inf))
    never = jnp.isneginf(ends).all(1)
    loss = -jax.nn.logsumexp(jnp.where(never[:, None], jnp.zeros_like(ends), ends), axis=1)
    during = jnp.arange(log_probs.shape[0])[:, None] < times
    mass = jnp.where(during, jnp.exp(log_probs).sum(2), 0).sum(0)
    loss += mass - lax.stop_gradient(mass)  # its value is 0; its gradient makes that by log_probs MindSpore's
    infinite = -jnp.log(jnp.where(never, 0 * mass, jnp.ones_like(mass)))  # whose gradient is nan
    return jnp.where(never, jnp.zeros_like(loss) if zero_infinity else infinite, loss)


@op(static="blank zero_infinity")
def _losses(
    log_probs: ArrayLike,
    targets: ArrayLike,
    times: ArrayLike,
    lengths: ArrayLike,
    blank: int,
    zero_infinity: BoolLike,
) -> tuple[Array, Array]:
    states, there = _between_blanks(targets, lengths, blank)
    alpha = _forward(log_probs, states, there, times, blank)
    loss = _negative_log(alpha, times, lengths, log_probs, zero_infinity)
    return loss, lax.stop_gradient(alpha.transpose(1, 0, 2))


@op(static="reduction")
def _reduce_loss(loss: ArrayLike, lengths: ArrayLike, reduction: str) -> Array:
    if reduction == "mean":
        return jnp.mean(loss / jnp.maximum(lengths, 1).astype(loss.dtype))
    return jnp.sum(loss) if reduction == "sum" else loss


# ---------------------------------------------------------------------------------------------- what may be given


def _kinds(name: str, allowed: str, **tensors: Any) -> None:
    for argument, x in tensors.items():
        if not hasattr(x, "dtype") or x.dtype.name not in allowed.split():
            rule = f"be a Tensor of dtype {allowed.replace(' ', ' or ')}"
            checks.fail(TypeError, name, argument, rule, getattr(x, "dtype", type(x).__name__))


def _values(x: Any) -> np.ndarray | None:
    """Return the values of a Tensor where they are known."""
    value = peek(x) if isinstance(x, Tensor) else x
    return None if isinstance(value, Tracer) else np.asarray(value)


def _lengths(name: str, batch: int, **given: Any) -> Tensor:
    ((argument, x),) = given.items()
    x = Tensor(np.asarray(x)) if isinstance(x, Sequence) else x
    _kinds(name, "int32 int64", **{argument: x})
    if tuple(x.shape) != (batch,):
        checks.fail(ValueError, name, argument, f"have shape ({batch},), the size of the batch", x.shape)
    return x


def _at_most(name: str, x: Tensor, most: Any, rule: str, argument: str) -> None:
    """Raise where lengths are too large; a compiled function, in which they are not known, raises when it runs."""
    values, limits = _values(x), _values(most)
    if values is not None and limits is not None:
        if ((values > limits) | (values < 0)).any():
            checks.fail(RuntimeError, name, argument, rule, values.tolist())
    elif state.frame is not None and state.effects:
        error = RuntimeError(f"`{name}`: argument `{argument}` must {rule}, and not be negative.")
        deferred_errors.fail_if(((x > most) | (x < 0)).any(), error)


def _labels_there(name: str, targets: Tensor, lengths: Tensor, classes: int) -> None:
    """Raise where labels that are known are no classes; what stands behind the labels of a sequence is not read."""
    labels, many = _values(targets), _values(lengths)
    if labels is not None and many is not None:
        read = labels[np.arange(labels.shape[1]) < many[:, None]]
        if ((read < 0) | (read >= classes)).any():
            checks.fail(ValueError, name, "targets", f"hold classes in [0, {classes})", read)


def _losses_of(
    name: str, log_probs: Any, targets: Any, times: Any, lengths: Any, blank: int, zero_infinity: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Loss of each sequence, table of the recursion, and lengths of the targets."""
    checks.check_bools(name, zero_infinity=zero_infinity)
    _kinds(name, "float32 float64", log_probs=log_probs)
    _kinds(name, "int32 int64", targets=targets)
    checks.check_rank(name, 3, log_probs=log_probs)
    checks.check_rank(name, 2, targets=targets)
    most, n, classes = log_probs.shape
    times = _lengths(name, n, input_lengths=times)
    lengths = _lengths(name, n, target_lengths=lengths)
    checks.check_ints(name, blank=blank)
    if not 0 <= blank < classes:
        checks.fail(ValueError, name, "blank", f"be in [0, {classes}), the classes of log_probs", blank)
    _at_most(name, times, most, f"be at most {most}, the times of log_probs", "input_lengths")
    wide = targets.shape[1]
    _at_most(name, lengths, wide, f"be at most {wide}, the width of targets", "target_lengths")
    _at_most(name, lengths, times, "be at most input_lengths", "target_lengths")
    _labels_there(name, targets, lengths, classes)
    return *_losses(log_probs, targets, times, lengths, blank, zero_infinity), lengths


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the negative log probability of label sequences, summed over all their alignments with the inputs.

    Args:
        log_probs (Tensor): logarithms of the classes' probabilities (T, N, C), float32 or float64.
        targets (Tensor): labels (N, S), int32 or int64.
        input_lengths (tuple, Tensor): how many of the T times each sequence has (N,).
        target_lengths (tuple, Tensor): how many of the S labels each sequence has (N,).
        blank (int): the class that stands for no label.
        reduction (str): "none", "sum", or "mean", which first divides each loss by the number of labels.
        zero_infinity (bool): make infinite losses, where no alignment exists, and their gradients 0. (MindSpore on CPU
            leaves the losses infinite.)

    Returns:
        Tuple of the loss, (N,) or without dimensions, and the table (N, T, 2 S + 1) of log probabilities that the
        beginnings of alignments have. The gradient by `log_probs` is MindSpore's and PyTorch's, exp(log_probs) less the
        posterior: that by the logits.

    Raises:
        TypeError: if a dtype does not fit.
        ValueError: if a shape, `blank` or `reduction` does not fit.
        RuntimeError: if a known length is larger than its array, or there are more labels than times.

    Examples:
        >>> import msjax as ms
        >>> log_probs = ms.ops.log_softmax(ms.ops.zeros((4, 1, 3)))
        >>> loss, _ = ms.ops.ctc_loss(log_probs, ms.Tensor([[1, 2]]), (4,), (2,), reduction="none")
        >>> print(loss)
        [1.686399]
    """
    checks.check_choice("ctc_loss", ("none", "sum", "mean"), reduction=reduction)
    loss, alpha, lengths = _losses_of(
        "ctc_loss", log_probs, targets, input_lengths, target_lengths, blank, zero_infinity
    )
    return _reduce_loss(loss, lengths, reduction), alpha


def ctc_losses(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "none", zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Compute the CTC loss of each sequence with the table of forward variables (`CTCLossV2`); see :func:`ctc_loss`.

    Examples:
        >>> import msjax as ms
        >>> log_probs = ms.ops.log_softmax(ms.ops.zeros((4, 1, 3)))
        >>> print(ms.ops.CTCLossV2()(log_probs, ms.Tensor([[1, 2]]), ms.Tensor([4]), ms.Tensor([2]))[0])
        [1.686399]
    """
    checks.check_choice("CTCLossV2", ("none",), reduction=reduction)
    return _losses_of("CTCLossV2", log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)[
        :2
    ]


def _dense_labels(
    indices: Array, values: Array, batch: int, most: int, collapse: bool
) -> tuple[Array, Array]:
    """Labels (batch, most) and how many each sequence has, of (batch, time) pairs in their order."""
    row = indices[:, 0]
    order = jnp.arange(row.shape[0])
    kept = jnp.ones(row.shape, bool)
    if collapse:
        kept = (order == 0) | (jnp.roll(row, 1) != row) | (jnp.roll(values, 1) != values)
    counts = jnp.zeros(batch, jnp.int32).at[row].add(kept.astype(jnp.int32))
    before = jnp.cumsum(kept) - 1
    first = jnp.full(batch, row.shape[0]).at[row].min(jnp.where(kept, before, row.shape[0]))
    column = jnp.where(kept, before - first[row], most)
    return jnp.zeros((batch, most), values.dtype).at[row, column].set(values, mode="drop"), counts


def _loss_of_nothing(logits: Array, blank: Array, times: Array) -> Array:
    """Loss of sequences without labels, as MindSpore has it: at the last time the blank may also be left out."""
    t = jnp.arange(blank.shape[0])[:, None]
    last = jnp.where(t == times - 1, blank, -jnp.inf).max(0)
    scale = jnp.where((t == times - 1)[..., None], logits, -jnp.inf).max(0)
    scale = jax.nn.logsumexp(scale, axis=-1)
    rest = lax.stop_gradient(1 / (1 + jnp.exp(last))) * (scale - lax.stop_gradient(scale))
    return rest - jnp.where(t < times - 1, blank, 0).sum(0) - jnp.log1p(jnp.exp(last))


@op(static="collapse merge ignore")
def _losses_of_logits(
    x: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    times: ArrayLike,
    collapse: BoolLike,
    merge: BoolLike,
    ignore: BoolLike,
) -> tuple[Array, Array]:
    """Losses and their gradients by the logits; the blank is the last class."""
    most, n, classes = x.shape
    labels, lengths = _dense_labels(indices, values, n, most, collapse)
    blanks = jnp.cumsum(labels == classes - 1, axis=1)
    lengths = jnp.minimum(lengths, (blanks == 0).sum(1))
    states, there = _between_blanks(labels, lengths, classes - 1)

    def losses(x: Array) -> Array:
        logits = x.astype(checks.compute_dtype(x.dtype))
        log_probs = jax.nn.log_softmax(logits)
        alpha = _forward(log_probs, states, there, times, classes - 1, merge)
        loss = _negative_log(alpha, times, lengths, log_probs, ignore)
        return jnp.where(lengths > 0, loss, _loss_of_nothing(logits, log_probs[..., -1], times)).astype(
            x.dtype
        )

    loss, back = jax.vjp(losses, x)
    return loss, lax.stop_gradient(back(jnp.ones_like(loss))[0])


def ctc_loss_of_logits(
    x: Any,
    labels_indices: Any,
    labels_values: Tensor,
    sequence_length: Tensor,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> tuple[Tensor, Tensor]:
    """Compute the CTC loss of logits, with labels as the elements of a sparse matrix (`CTCLoss`).

    Args:
        x (Tensor): logits (T, N, C), float16, float32 or float64; the last class is the blank.
        labels_indices (Tensor): for each label, which sequence it belongs to and its place there; int64 (L, 2), in order.
        labels_values (Tensor): the labels (L,), int32; a blank among them ends the labels of its sequence.
        sequence_length (Tensor): how many of the T times each sequence has (N,), int32.
        preprocess_collapse_repeated (bool): first make one of labels that repeat.
        ctc_merge_repeated (bool): let an alignment stay on a label; otherwise every label takes one time.
        ignore_longer_outputs_than_inputs (bool): make the loss of sequences that have no alignment 0.

    Returns:
        Tuple of the losses (N,), and their gradients by the logits, of the shape of `x`.

    Raises:
        TypeError: if a dtype does not fit.
        ValueError: if a shape does not fit.
        RuntimeError: if a sequence is known to have more labels than times, unless such are ignored, or a label after
            a blank.

    Examples:
        >>> import msjax as ms
        >>> labels = ms.Tensor([[0, 0], [0, 1]], ms.int64), ms.Tensor([0, 1], ms.int32)
        >>> loss, gradient = ms.ops.CTCLoss()(ms.ops.zeros((4, 1, 3)), *labels, ms.Tensor([4], ms.int32))
        >>> print(loss, gradient.shape)
        [1.686399] (4, 1, 3)
    """
    name = "CTCLoss"
    checks.check_bools(
        name,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    _kinds(name, "float16 float32 float64", x=x)
    _kinds(name, "int64", labels_indices=labels_indices)
    _kinds(name, "int32", labels_values=labels_values, sequence_length=sequence_length)
    checks.check_rank(name, 3, x=x)
    checks.check_rank(name, 2, labels_indices=labels_indices)
    times = _lengths(name, x.shape[1], sequence_length=sequence_length)
    _at_most(name, times, x.shape[0], f"be at most {x.shape[0]}, the times of x", "sequence_length")
    rows = _values(labels_indices)
    if rows is not None and not (preprocess_collapse_repeated or ignore_longer_outputs_than_inputs):
        many = np.bincount(rows[:, 0], minlength=x.shape[1])
        known = _values(times)
        if known is not None and (many > known).any():
            checks.fail(RuntimeError, name, "sequence_length", f"be at least {many}, the labels", known)
    labels = _values(labels_values)
    if rows is not None and labels is not None:
        after = (labels[:-1] == x.shape[2] - 1) & (labels[1:] != labels[:-1]) & (rows[:-1, 0] == rows[1:, 0])
        if after.any():
            checks.fail(
                RuntimeError, name, "labels_values", "have no labels after a blank of their sequence", labels
            )
    return _losses_of_logits(
        x,
        labels_indices,
        labels_values,
        times,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )


@op
def _best(inputs: ArrayLike, times: ArrayLike) -> tuple[Array, Array]:
    """Return the class of the largest element at each time (N, T), -1 past the end, and the negative sum of these (N, 1)."""
    during = (jnp.arange(inputs.shape[0])[:, None] < times).T
    total = jnp.where(during, inputs.max(2).T, 0).sum(1, keepdims=True)
    return jnp.where(during, jnp.argmax(inputs, 2).T, -1), -total


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Tensor, merge_repeated: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the labels of the most likely class at each time, without blanks; the last class is the blank.

    Args:
        inputs (Tensor): logits (T, N, C), float32 or float64.
        sequence_length (Tensor): how many of the T times each sequence has (N,), int32.
        merge_repeated (bool): make one of labels that repeat without a blank between them.

    Returns:
        Four Tensors: for each label which sequence it belongs to and its place there (L, 2), the labels (L,), size of
        the batch and length of the longest, all int64; and the negative sum of the largest logits (N, 1). How many labels
        there are depends on values, so not in a compiled function.

    Raises:
        TypeError: if a dtype does not fit, or `merge_repeated` is not a bool.
        ValueError: if a shape does not fit.
        RuntimeError: if a length is larger than T.

    Examples:
        >>> import msjax as ms
        >>> inputs = ms.Tensor([[[0.1, 0.9, 0.0]], [[0.2, 0.6, 0.2]], [[0.8, 0.1, 0.1]]])
        >>> places, labels, shape, _ = ms.ops.ctc_greedy_decoder(inputs, ms.Tensor([3], ms.int32))
        >>> print(labels, shape)
        [1 0] [1 2]
    """
    name = "CTCGreedyDecoder"
    checks.check_bools(name, merge_repeated=merge_repeated)
    _kinds(name, "float32 float64", inputs=inputs)
    _kinds(name, "int32", sequence_length=sequence_length)
    checks.check_rank(name, 3, inputs=inputs)
    times = _lengths(name, inputs.shape[1], sequence_length=sequence_length)
    _at_most(name, times, inputs.shape[0], f"be at most {inputs.shape[0]}, the times", "sequence_length")
    best, total = _best(inputs, times)
    found = np.asarray(concrete(best, name))
    kept = (found >= 0) & (found != inputs.shape[2] - 1)
    if merge_repeated:
        kept[:, 1:] &= found[:, 1:] != found[:, :-1]
    rows, at = np.nonzero(kept)
    places = np.stack([rows, kept.cumsum(1)[rows, at] - 1], 1)
    longest = int(kept.sum(1).max(initial=0))
    shape = np.array([len(found), longest], np.int64)
    return Tensor(places.astype(np.int64)), Tensor(found[rows, at].astype(np.int64)), Tensor(shape), total
