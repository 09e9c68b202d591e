"""RNN transducer loss (RNN-T; Graves, 2012)."""

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks


def _first_row(emitted: Array) -> Array:
    return jnp.pad(jnp.cumsum(emitted, -1), ((0, 0), (1, 0)))


def _ends(blank: Array, emitted: Array) -> Array:
    """Log probability of having emitted u labels by time t: (T, B, U), of (T, B, U) blanks and (T, B, U - 1) labels."""

    def turn(before: Array, at: tuple[Array, Array]) -> tuple[Array, Array]:
        silent, row = before + at[0], at[1]

        def along(left: Array, here: tuple[Array, Array]) -> tuple[Array, Array]:
            new = jnp.logaddexp(here[0], left + here[1])
            return new, new

        _, rest = lax.scan(along, silent[:, 0], (silent[:, 1:].T, row.T))
        alpha = jnp.concatenate([silent[:, :1], rest.T], 1)
        return alpha, alpha

    first = _first_row(emitted[0])
    _, rest = lax.scan(turn, first, (blank[:-1], emitted[1:]))
    return jnp.concatenate([first[None], rest])


@op(static="blank_label")
def rnnt_loss(
    acts: Array, labels: Array, input_lengths: Array, label_lengths: Array, blank_label: int = 0
) -> tuple[Array, Array]:
    """Compute the RNN transducer loss, the negative log probability of the labels, and its gradient (`RNNTLoss`).

    MindSpore has it on Ascend; checked against the sum over all alignments.

    Args:
        acts (Tensor): logits (B, T, U, V), float16 or float32: after u labels at time t.
        labels (Tensor): (B, U - 1), int32.
        input_lengths (Tensor): how many of the T times each sequence has (B,), int32.
        label_lengths (Tensor): how many labels it has (B,), int32.
        blank_label (int): the class that moves on to the next time.

    Returns:
        Tuple of the losses (B,), and their gradients by the logits, of the shape of `acts`.

    Raises:
        TypeError: if a dtype does not fit.
        ValueError: if a shape does not fit.

    Examples:
        >>> import msjax as ms
        >>> one = ms.Tensor([1], ms.int32)
        >>> loss, gradient = ms.ops.RNNTLoss()(ms.ops.zeros((1, 1, 2, 2)), ms.Tensor([[1]], ms.int32), one, one)
        >>> print(loss, gradient.shape)
        [1.3862944] (1, 1, 2, 2)
    """
    name = "RNNTLoss"
    checks.check_floating(name, acts=acts)
    checks.check_integer(name, labels=labels, input_lengths=input_lengths, label_lengths=label_lengths)
    checks.check_rank(name, 4, acts=acts)
    b, _, u, classes = acts.shape
    for argument, x, shape in (
        ("labels", labels, (b, u - 1)),
        ("input_lengths", input_lengths, (b,)),
        ("label_lengths", label_lengths, (b,)),
    ):
        if x.shape != shape:
            checks.fail(ValueError, name, argument, f"have shape {shape}", x.shape)
    if not 0 <= blank_label < classes:
        checks.fail(ValueError, name, "blank_label", f"be in [0, {classes})", blank_label)

    def losses(acts: Array) -> Array:
        log_probs = jax.nn.log_softmax(acts.astype(checks.compute_dtype(acts.dtype))).transpose(1, 0, 2, 3)
        at = jnp.broadcast_to(labels[None, :, :, None], (*log_probs.shape[:2], u - 1, 1))
        emitted = jnp.take_along_axis(log_probs[:, :, :-1], at, -1)[..., 0]
        blank = log_probs[..., blank_label]
        last = (input_lengths - 1, jnp.arange(b), label_lengths)
        return -(_ends(blank, emitted) + blank)[last].astype(acts.dtype)

    loss, back = jax.vjp(losses, acts)
    return loss, lax.stop_gradient(back(jnp.ones_like(loss))[0])
