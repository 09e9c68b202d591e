"""Loss functions for regression and classification.

Every one computes a loss per element (or per sample) and ends in `reduce_loss`. 16-bit floats are computed in float32.
Where MindSpore gives labels or weights no gradient, neither do these.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import known_values, refuse_outside
from msjax.ops.common.promotion import is_integer, to_float
from msjax.ops.common.safe_math import magnitude, with_slopes

REDUCTIONS = ("mean", "sum", "none")


def reduce_loss(name: str, loss: Array, reduction: str) -> Array:
    """Return the mean or sum of a loss, or the loss as it is."""
    checks.check_choice(name, REDUCTIONS, reduction=reduction)
    if reduction == "none":
        return loss
    return jnp.mean(loss) if reduction == "mean" else jnp.sum(loss)


def together(name: str, **arrays: Array) -> tuple[list[Array], Any]:
    """Arrays that broadcast, in the dtype to compute in, and the dtype that the result is to have."""
    checks.check_broadcastable(name, **arrays)
    dtype = dtypes.promote(*(x.dtype for x in arrays.values()))
    return [x.astype(checks.compute_dtype(dtype)) for x in arrays.values()], dtype


@op(static="reduction", promotes=True)
def mse_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Squared difference (x - y)^2.

    Args:
        input (Tensor): predictions, of any shape.
        target (Tensor): of a shape that broadcasts with `input`'s.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor of the promoted dtype: a scalar, or of the broadcast shape for "none".

    Raises:
        ValueError: for another `reduction` or shapes that do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.mse_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        2.0
    """
    (x, y), dtype = together("mse_loss", input=input, target=target)
    if not jnp.issubdtype(dtype, jnp.floating):
        x, y, dtype = x.astype(jnp.float32), y.astype(jnp.float32), jnp.float32
    return reduce_loss("mse_loss", jnp.square(x - y), reduction).astype(dtype)


@op(static="reduction", promotes=True)
@documented_by(mse_loss)
def l1_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Absolute difference |x - y|.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """
    (x, y), dtype = together("l1_loss", input=input, target=target)
    if jnp.issubdtype(dtype, jnp.bool_):
        return reduce_loss("l1_loss", x ^ y, reduction).astype(bool)
    d = x - y
    size = jnp.abs(d) if jnp.iscomplexobj(d) else magnitude(d)
    return reduce_loss("l1_loss", size, reduction).astype(dtype)


@op(static="beta reduction", promotes=True)
def smooth_l1_loss(input: Array, target: Array, beta: float = 1.0, reduction: str = "none") -> Array:
    """Smooth L1 loss. With d = |x - y|: d^2 / (2 beta) where d < beta, d - beta / 2 elsewhere (Girshick 2015).

    Args:
        input (Tensor): predictions, of any shape.
        target (Tensor): of `input`'s shape and dtype.
        beta (float): where the parabola ends, at least 0.
        reduction (str): "none", "mean" or "sum".

    Returns:
        Tensor of `input`'s dtype: a scalar, or of `input`'s shape for "none".

    Raises:
        RuntimeError: for a negative `beta`.
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.smooth_l1_loss(ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, 4.0])))
        [0.5 3.5]
    """
    checks.check_numbers("smooth_l1_loss", beta=beta)
    if beta < 0:
        checks.fail(RuntimeError, "smooth_l1_loss", "beta", "be at least 0", beta)
    (x, y), dtype = together("smooth_l1_loss", input=input, target=target)
    d = (x - y) * jnp.sign(x - y)  # whose derivative at 0 is 0, and nan at nan
    near = jnp.where(d < beta, x - y, 0)  # the square of infinity would have a gradient that is nan
    loss = d if beta == 0 else jnp.where(d < beta, jnp.square(near) * (0.5 / beta), d - 0.5 * beta)
    return reduce_loss("smooth_l1_loss", loss, reduction).astype(dtype)


@op(static="reduction delta", promotes=True)
def huber_loss(input: Array, target: Array, reduction: str = "mean", delta: float = 1.0) -> Array:
    """Huber loss. With d = |x - y|: d^2 / 2 where d <= delta, delta (d - delta / 2) elsewhere.

    Args:
        input (Tensor): predictions, of any shape.
        target (Tensor): of a shape that broadcasts with `input`'s.
        reduction (str): "mean", "sum" or "none".
        delta (int, float): where the parabola ends, greater than 0.

    Returns:
        Tensor of the promoted dtype, float32 of integers: a scalar, or of the broadcast shape for "none".

    Raises:
        ValueError: if `delta` is not positive, or for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.huber_loss(ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, 4.0]), "none"))
        [0.5 3.5]
    """
    checks.check_numbers("huber_loss", delta=delta)
    if delta <= 0:
        checks.fail(ValueError, "huber_loss", "delta", "be greater than 0", delta)
    (x, y), dtype = together("huber_loss", input=input, target=target)
    dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.float32
    d = jnp.abs(x - y)
    far = d > delta
    near = jnp.where(far, 0, x - y)
    loss = jnp.where(far, delta * (d - 0.5 * delta), 0.5 * jnp.square(near))
    return reduce_loss("huber_loss", loss, reduction).astype(dtype)


# ------------------------------------------------------------------------------------------ classification


@jax.custom_jvp
def _of_class(log_p: Array, index: Array) -> Array:
    """Gather the log probabilities (N, C, ...) of the target classes (N, ...)."""
    return jnp.take_along_axis(log_p, jnp.expand_dims(index, 1), 1).squeeze(1)


@_of_class.defjvp
def _(primals: Sequence[Array], tangents: Sequence[Array]) -> tuple[Array, Array]:
    """By a choice instead: its transpose is one too, which joins what stands around it; that of `_of_class` scatters."""
    log_p, index = primals
    chosen = lax.broadcasted_iota(index.dtype, log_p.shape, 1) == jnp.expand_dims(index, 1)
    return _of_class(log_p, index), jnp.sum(jnp.where(chosen, tangents[0], 0), 1)


def _pick_targets(
    name: str, log_p: Array, target: Array, weight: Array | None, ignore_index: int
) -> tuple[Array, Array]:
    """Return the log probabilities of the target classes and the weights of those classes, 0 where ignored."""
    if target.shape != log_p.shape[:1] + log_p.shape[2:]:
        received = f"array of shape {target.shape} for an input of shape {log_p.shape}"
        checks.fail(ValueError, name, "target", "have the input's shape without its classes", received)
    kept = target != ignore_index
    index = jnp.where(kept, target, 0)
    of_target = kept.astype(log_p.dtype) if weight is None else jnp.where(kept, weight[index], 0)
    return jnp.where(kept, _of_class(log_p, index), 0), of_target


def _nll(
    name: str,
    log_p: Array,
    target: Array,
    weight: Array | None,
    ignore_index: int,
    reduction: str,
    smoothing: float,
) -> Array:
    """Negative log likelihood of classes, or of class probabilities, from log probabilities (N, C, ...)."""
    checks.check_ints(name, ignore_index=ignore_index)
    checks.check_between(name, 0, 1, label_smoothing=smoothing)
    checks.check_choice(name, REDUCTIONS, reduction=reduction)
    classes = log_p.shape[1]
    if weight is not None and weight.shape != (classes,):
        checks.fail(ValueError, name, "weight", f"have shape ({classes},)", f"array of shape {weight.shape}")
    weighted = log_p
    if weight is not None:
        weight = weight.astype(log_p.dtype)
        weighted = log_p * weight.reshape(-1, *[1] * (log_p.ndim - 2))
    if jnp.issubdtype(target.dtype, jnp.floating):
        checks.check_same_shape(name, input=log_p, target=target)
        soft = target.astype(log_p.dtype) * (1 - smoothing) + smoothing / classes
        loss, total = -jnp.sum(weighted * soft, 1), jnp.asarray(log_p.size // classes, log_p.dtype)
    else:
        picked, of_target = _pick_targets(name, log_p, target, weight, ignore_index)
        loss, total = -picked if weight is None else -picked * of_target, jnp.sum(of_target)
        if smoothing:
            spread = -jnp.where(target != ignore_index, jnp.sum(weighted, 1), 0)
            loss = (1 - smoothing) * loss + smoothing / classes * spread
    if reduction == "mean":
        return jnp.sum(loss) / total
    return loss if reduction == "none" else jnp.sum(loss)


def _refuse_classes(
    op_name: str, input: Array, target: Array, weight: Any = None, *, ignore_index: Any, **_: Any
) -> None:
    """Refuse class numbers that are not there, for `@op(bounds=...)`."""
    if input.ndim and jnp.issubdtype(target.dtype, jnp.integer) and target.shape != input.shape:
        classes = input.shape[min(input.ndim - 1, 1)]
        refuse_outside(op_name, "target", target, None, (classes,), ignore_index)


@op(static="ignore_index reduction label_smoothing", bounds=_refuse_classes)
def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """Cross entropy of unnormalised scores with classes or class probabilities.

    For classes: -weight[y] * log_softmax(x)[y], whose mean is divided by the sum of the weights that took part; for
    probabilities: -sum(weight * y * log_softmax(x)), whose mean is divided by the number of samples.

    Args:
        input (Tensor): scores of shape (C,), (N, C) or (N, C, d1, ...), floating.
        target (Tensor): integer classes of shape (), (N,) or (N, d1, ...), or probabilities of `input`'s shape.
        weight (Tensor): weights of the classes, of shape (C,). Default: all 1.
        ignore_index (int): the class that does not take part.
        reduction (str): "mean", "sum" or "none".
        label_smoothing (float): in [0, 1]: the share of each target that is spread evenly over all classes.

    Returns:
        Tensor of the widest dtype of `input`, `weight` and probabilities: a scalar, or one loss per sample for "none".

    Raises:
        TypeError: if `input` is not floating.
        ValueError: for shapes that do not fit, another `reduction`, a `label_smoothing` outside [0, 1].

    Examples:
        >>> import msjax as ms
        >>> scores = ms.Tensor([[0.0, 0.0], [0.0, 100.0]])
        >>> print(ms.ops.cross_entropy(scores, ms.Tensor([0, 1])))
        0.3465736
    """
    checks.check_floating("cross_entropy", input=input)
    log_p = jax.nn.log_softmax(input.astype(checks.compute_dtype(input.dtype)), 1 if input.ndim > 1 else 0)
    soft = jnp.issubdtype(target.dtype, jnp.floating)
    dtype = jnp.promote_types(input.dtype, target.dtype) if soft else input.dtype
    dtype = dtype if weight is None else jnp.promote_types(dtype, weight.dtype)
    return _of_batches(
        "cross_entropy", log_p, target, weight, ignore_index, reduction, label_smoothing, dtype
    )


@op(static="ignore_index reduction label_smoothing", bounds=_refuse_classes)
def nll_loss(
    inputs: Array,
    target: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """Negative log likelihood -weight[y] * x[y] of log probabilities x.

    Args:
        inputs (Tensor): log probabilities of shape (C,), (N, C) or (N, C, d1, ...).
        target (Tensor): integer classes of shape (), (N,) or (N, d1, ...).
        weight (Tensor): weights of the classes, of shape (C,). Default: all 1.
        ignore_index (int): the class that does not take part.
        reduction (str): "mean" (divided by the sum of the weights that took part), "sum" or "none".
        label_smoothing (float): in [0, 1]: the share of each target that is spread evenly over all classes.

    Returns:
        Tensor of the wider dtype of `inputs` (float32 for integers) and `weight`: a scalar, or one loss per sample for
        "none".

    Raises:
        TypeError: if `inputs` is complex or bool, or `target` is not of an integer dtype.
        ValueError: for shapes that do not fit, another `reduction`, a `label_smoothing` outside [0, 1].

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nll_loss(ms.Tensor([[-1.0, -2.0]]), ms.Tensor([1])))
        2.0
    """
    inputs = to_float(inputs) if is_integer(inputs) else inputs
    checks.check_floating("nll_loss", inputs=inputs)
    checks.check_integer("nll_loss", target=target)
    log_p = inputs.astype(checks.compute_dtype(inputs.dtype))
    dtype = inputs.dtype if weight is None else jnp.promote_types(inputs.dtype, weight.dtype)
    return _of_batches("nll_loss", log_p, target, weight, ignore_index, reduction, label_smoothing, dtype)


def _of_batches(name: str, log_p: Array, target: Array, weight: Any, *rest: Any) -> Array:
    """`_nll`, for a single sample too, in the dtype that comes last."""
    *settings, dtype = rest
    single = log_p.ndim == 1
    if single:
        log_p, target = log_p[None], target[None]
    loss = _nll(name, log_p, target, weight, *settings).astype(dtype)
    return loss.squeeze(0) if single and loss.ndim else loss


@op
def softmax_cross_entropy_with_logits(logits: Array, labels: Array) -> Array:
    """-sum(labels * log_softmax(logits)) of each sample.

    Its gradient is softmax(logits) - labels, as in MindSpore: for labels that do not sum to 1 as well, where the formula
    alone would give sum(labels) * softmax(logits) - labels.

    Args:
        logits (Tensor): scores of shape (N, C), floating.
        labels (Tensor): probabilities of shape (N, C) and `logits`'s dtype. They have no gradient.

    Returns:
        Tensor of shape (N,) and `logits`'s dtype.

    Raises:
        TypeError: if the dtypes differ or are not floating.
        ValueError: if the shapes differ.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.loss import softmax_cross_entropy_with_logits
        >>> print(softmax_cross_entropy_with_logits(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]])))
        [0.6931472]
    """
    name = "softmax_cross_entropy_with_logits"
    checks.check_floating(name, logits=logits, labels=labels)
    checks.check_same_dtype(name, logits=logits, labels=labels)
    checks.check_same_shape(name, logits=logits, labels=labels)
    wide = checks.compute_dtype(logits.dtype)
    labels, scores = lax.stop_gradient(labels.astype(wide)), logits.astype(wide)
    lacking = (1 - labels.sum(-1)) * jax.nn.logsumexp(
        scores, -1
    )  # for the gradient; its value does not count
    loss = -jnp.sum(labels * jax.nn.log_softmax(scores, -1), -1) + (lacking - lax.stop_gradient(lacking))
    return loss.astype(logits.dtype)


def _refuse_labels(op_name: str, logits: Array, labels: Array) -> None:
    if logits.ndim == 2:
        refuse_outside(op_name, "labels", labels, 0, logits.shape[1:])


@op(bounds=_refuse_labels)
def sparse_softmax_cross_entropy_with_logits(logits: Array, labels: Array) -> Array:
    """Return the mean over samples of -log_softmax(logits)[label].

    Args:
        logits (Tensor): scores of shape (N, C), floating.
        labels (Tensor): classes of shape (N,), integer.

    Returns:
        Tensor, a scalar of `logits`'s dtype.

    Raises:
        TypeError: if `logits` is not floating or `labels` not integer.
        ValueError: if the shapes do not fit, or there is no such class.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.loss import sparse_softmax_cross_entropy_with_logits
        >>> print(sparse_softmax_cross_entropy_with_logits(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])))
        0.6931472
    """
    name = "sparse_softmax_cross_entropy_with_logits"
    checks.check_floating(name, logits=logits)
    checks.check_integer(name, labels=labels)
    checks.check_rank(name, 2, logits=logits)
    log_p = jax.nn.log_softmax(logits.astype(checks.compute_dtype(logits.dtype)), -1)
    picked, _ = _pick_targets(name, log_p, labels, jnp.ones(logits.shape[1], log_p.dtype), -1)
    return -jnp.mean(picked).astype(logits.dtype)


# --------------------------------------------------------------------------------- probabilities of elements


# Logarithms are no less than log(1e-12). The slope (p - y) / (p (1 - p)) is 0 where the probability is right, also of 0, 1.
_unlikely = with_slopes(
    lambda p, y: -(y * jnp.log(p + 1e-12) + (1 - y) * jnp.log(_complement(p) + 1e-12)),
    lambda t, _, p, y: t * ((p - y) / jnp.maximum(p * (1 - p), 1e-12)),
    lambda t, _, p, y: t * (jnp.log(_complement(p)) - jnp.log(p)),
)


def _complement(p: Array) -> Array:
    return lax.optimization_barrier(1 - p)  # or XLA would add 1 and 1e-12 first


def _refuse_no_probabilities(op_name: str, logits: Array, *_: Any, **__: Any) -> None:
    known = known_values(logits)
    if known is not None and ((known < 0) | (known > 1)).any():
        found = f"{known.min()} to {known.max()}"
        checks.fail(RuntimeError, op_name, "logits", "hold probabilities, in [0, 1]", found)


@op(static="reduction", promotes=True, bounds=_refuse_no_probabilities)
def binary_cross_entropy(
    logits: Array, labels: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    """-weight * (y log(p) + (1 - y) log(1 - p)), with logarithms no less than log(1e-12).

    Args:
        logits (Tensor): probabilities p, floating (`sigmoid` has been applied; see
            `binary_cross_entropy_with_logits` for scores).
        labels (Tensor): y, of `logits`'s shape and dtype.
        weight (Tensor): of a shape that broadcasts with `logits`'s. Default: 1.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor of `logits`'s dtype: a scalar, or of `logits`'s shape for "none".

    Raises:
        ValueError: for shapes that differ or another `reduction`.
        RuntimeError: in eager calls on CPU, for `logits` outside of [0, 1].

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.binary_cross_entropy(ms.Tensor([0.5, 0.5]), ms.Tensor([0.0, 1.0])))
        0.6931472
    """
    name = "binary_cross_entropy"
    checks.check_floating(name, logits=logits, labels=labels)
    checks.check_same_shape(name, logits=logits, labels=labels)
    checks.check_same_dtype(name, logits=logits, labels=labels)
    (p, y), dtype = together(name, logits=logits, labels=labels)
    loss = _unlikely(p, y)
    if weight is not None:
        checks.check_broadcastable(name, logits=logits, weight=weight)
        loss = loss * lax.stop_gradient(weight.astype(p.dtype))
    return reduce_loss(name, loss, reduction).astype(dtype)


@op(static="reduction", promotes=True)
def binary_cross_entropy_with_logits(
    input: Array,
    target: Array,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: str = "mean",
) -> Array:
    """-weight * (pos_weight * y log(sigmoid(x)) + (1 - y) log(1 - sigmoid(x))), without overflow.

    Args:
        input (Tensor): scores x, floating.
        target (Tensor): y, of `input`'s shape.
        weight (Tensor): of a shape that broadcasts with `input`'s. Default: 1.
        pos_weight (Tensor): weight of the positive examples, of a shape that broadcasts with `input`'s. Default: 1.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor of `input`'s dtype: a scalar, or of `input`'s shape for "none".

    Raises:
        ValueError: for shapes that do not fit or another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.binary_cross_entropy_with_logits(ms.Tensor([0.0, 100.0]), ms.Tensor([0.0, 1.0])))
        0.3465736
    """
    name = "binary_cross_entropy_with_logits"
    checks.check_floating(name, input=input, target=target)
    checks.check_same_shape(name, input=input, target=target)
    (x, y), dtype = together(name, input=input, target=target)
    factors = {"weight": weight, "pos_weight": pos_weight}
    checks.check_broadcastable(name, input=input, **{k: v for k, v in factors.items() if v is not None})
    positive = y if pos_weight is None else y * lax.stop_gradient(pos_weight.astype(x.dtype))
    loss = (1 - y) * x - (1 - y + positive) * jax.nn.log_sigmoid(x)
    if weight is not None:
        loss = loss * lax.stop_gradient(weight.astype(x.dtype))
    return reduce_loss(name, loss, reduction).astype(dtype)


# Where y is negative the loss is 0, and its derivative, in MindSpore, is -y all the same.
_divergence = with_slopes(
    lambda x, y: jnp.where(y > 0, y * (jnp.log(jnp.where(y > 0, y, 1)) - x), 0),
    lambda t, _, x, y: t * -y,
    None,
)


@op(static="reduction", promotes=True)
def kl_div(logits: Array, labels: Array, reduction: str = "mean") -> Array:
    """Kullback-Leibler divergence y * (log(y) - x) of probabilities y and log probabilities x; 0 where y is 0.

    Args:
        logits (Tensor): log probabilities x, floating.
        labels (Tensor): probabilities y, of `logits`'s shape.
        reduction (str): "mean", "sum", "none", or "batchmean" (the sum divided by the size of dimension 0).

    Returns:
        Tensor of `logits`'s dtype: a scalar, or of `logits`'s shape for "none".

    Raises:
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.kl_div(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 1.0]]), "batchmean"))
        0.0
    """
    checks.check_floating("kl_div", logits=logits, labels=labels)
    checks.check_choice("kl_div", ("batchmean", *REDUCTIONS), reduction=reduction)
    (x, y), dtype = together("kl_div", logits=logits, labels=lax.stop_gradient(labels))
    loss = _divergence(x, y)
    if reduction == "batchmean":
        return (jnp.sum(loss) / logits.shape[0]).astype(dtype)
    return reduce_loss("kl_div", loss, reduction).astype(dtype)
