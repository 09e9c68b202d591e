"""Margin and ranking losses (hinge, triplet, cosine embedding ...), Gaussian NLL, cosine similarity."""

import math

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import to_float
from msjax.ops.nn.loss import reduce_loss, together


def _hinge(x: Array) -> Array:
    return jnp.where(x > 0, x, 0)


def _norm(x: Array, p: float, axis: int) -> Array:
    """p-norm along an axis, with a gradient of 0 where all is 0."""
    if p == 1:
        return jnp.sum(x * jnp.sign(x), axis)
    total = jnp.sum(jnp.square(x) if p == 2 else jnp.abs(x) ** p, axis)
    nonzero = total > 0
    return jnp.where(nonzero, jnp.where(nonzero, total, 1) ** (1 / p), 0)


@op(static="margin reduction")
def cosine_embedding_loss(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - margin) where y = -1.

    Args:
        input1 (Tensor): of shape (N, D, ...) or (D,), floating.
        input2 (Tensor): of `input1`'s shape.
        target (Tensor): 1 or -1, of shape (N, ...) or (): `input1`'s without the dimension of size D.
        margin (float): in [-1, 1].
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor: a scalar, or one loss per sample for "none".

    Raises:
        ValueError: for a `margin` outside [-1, 1], another `reduction`, shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 0.0]])
        >>> print(ms.ops.cosine_embedding_loss(x, x, ms.Tensor([-1.0])))
        1.0
    """
    checks.check_between("cosine_embedding_loss", -1, 1, margin=margin)
    return of_cosines(input1, input2, target, margin, reduction)


def of_cosines(input1: Array, input2: Array, target: Array, margin: float, reduction: str) -> Array:
    """`cosine_embedding_loss` with any margin."""
    name = "cosine_embedding_loss"
    checks.check_same_shape(name, input1=input1, input2=input2)
    (a, b), dtype = together(name, input1=to_float(input1), input2=to_float(input2))
    over = min(1, a.ndim - 1)
    scale = (jnp.sum(a * a, over) + 1e-12) * (jnp.sum(b * b, over) + 1e-12)
    cos = jnp.sum(a * b, over) / jnp.sqrt(scale)
    checks.check_broadcastable(name, input1=cos, target=target)
    loss = jnp.where(target == 1, 1 - cos, jnp.where(target == -1, _hinge(cos - margin), 0))
    return reduce_loss(name, loss, reduction).astype(dtype)


@op(static="margin reduction")
def hinge_embedding_loss(
    inputs: Array, targets: Array, margin: float = 1.0, reduction: str = "mean"
) -> Array:
    """x where y is positive, max(0, margin - x) where y is negative.

    Args:
        inputs (Tensor): distances x, floating.
        targets (Tensor): 1 or -1, of `inputs`'s shape.
        margin (int, float): the distance that is enough.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor of `inputs`'s dtype: a scalar, or of `inputs`'s shape for "none".

    Raises:
        ValueError: for another `reduction` or shapes that do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hinge_embedding_loss(ms.Tensor([0.5, 0.25]), ms.Tensor([1.0, -1.0])))
        0.625
    """
    name = "hinge_embedding_loss"
    checks.check_floating(name, inputs=inputs)
    checks.check_numbers(name, margin=margin)
    checks.check_broadcastable(name, inputs=inputs, targets=targets)
    x = inputs.astype(checks.compute_dtype(inputs.dtype))
    loss = jnp.where(targets > 0, x, 0) + jnp.where(targets < 0, _hinge(margin - x), 0)
    return reduce_loss(name, loss, reduction).astype(inputs.dtype)


@op(static="margin reduction", promotes=True)
def margin_ranking_loss(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """max(0, -y (x1 - x2) + margin).

    Args:
        input1 (Tensor): of any shape, floating.
        input2 (Tensor): of `input1`'s shape.
        target (Tensor): 1 where `input1` should rank higher, -1 where `input2`, of `input1`'s shape.
        margin (float): by how much.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor: a scalar, or of `input1`'s shape for "none".

    Raises:
        ValueError: for another `reduction` or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.margin_ranking_loss(ms.Tensor([1.0]), ms.Tensor([3.0]), ms.Tensor([1.0])))
        2.0
    """
    name = "margin_ranking_loss"
    checks.check_numbers(name, margin=margin)
    (a, b, y), dtype = together(name, input1=to_float(input1), input2=to_float(input2), target=target)
    missing = margin - y * (a - b)
    # At 0 the derivative is that of what is above it, as in MindSpore and PyTorch.
    return reduce_loss(name, jnp.where(missing < 0, 0, missing), reduction).astype(dtype)


@op(static="reduction", promotes=True)
def soft_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """log(1 + exp(-y x)) for y in {1, -1}.

    Args:
        input (Tensor): scores x, floating.
        target (Tensor): 1 or -1, of `input`'s shape.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor: a scalar, or of `input`'s shape for "none".

    Raises:
        ValueError: for shapes that differ or another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.soft_margin_loss(ms.Tensor([0.0]), ms.Tensor([1.0])))
        0.6931472
    """
    checks.check_same_shape("soft_margin_loss", input=input, target=target)
    (x, y), dtype = together("soft_margin_loss", input=input, target=target)
    return reduce_loss("soft_margin_loss", jax.nn.softplus(-lax.stop_gradient(y) * x), reduction).astype(
        dtype
    )


@op(static="margin p eps swap reduction", promotes=True)
@documented_by(cosine_embedding_loss)
def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
) -> Array:
    """max(0, |a - p| - |a - n| + margin), with p-norms over the last dimension (Balntas et al. 2016).

    Args:
        anchor (Tensor): of shape (N, ..., D), floating.
        positive (Tensor): of a shape that broadcasts with `anchor`'s.
        negative (Tensor): of a shape that broadcasts with `anchor`'s.
        margin (float): by how much the negatives should be farther.
        p (int, float): order of the norm.
        eps (float): added to every difference.
        swap (bool): measure the negatives from the positives where that is nearer.

    Raises:
        ValueError: for another `reduction` or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> a, p, n = ms.Tensor([[0.0]]), ms.Tensor([[1.0]]), ms.Tensor([[1.0]])
        >>> print(ms.ops.triplet_margin_loss(a, p, n, eps=0.0))
        1.0
    """
    name = "triplet_margin_loss"
    checks.check_numbers(name, margin=margin, p=p, eps=eps)
    checks.check_bools(name, swap=swap)
    (a, pos, neg), dtype = together(name, anchor=anchor, positive=positive, negative=negative)
    far = _norm(a - neg + eps, p, -1)
    if swap:
        far = jnp.minimum(far, _norm(pos - neg + eps, p, -1))
    return reduce_loss(name, _hinge(_norm(a - pos + eps, p, -1) - far + margin), reduction).astype(dtype)


@op(static="p margin reduction")
def multi_margin_loss(
    input: Array,
    target: Array,
    p: int = 1,
    margin: float = 1,
    weight: Array | None = None,
    reduction: str = "mean",
) -> Array:
    """Return the mean over the other classes of max(0, weight[y] (margin - x[y] + x[i]))^p.

    Args:
        input (Tensor): scores of shape (N, C), floating.
        target (Tensor): classes of shape (N,), integer.
        p (int): 1 or 2.
        margin (int, float): by how much the target's score should exceed the others.
        weight (Tensor): weights of the classes, of shape (C,). Default: all 1.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor of `input`'s dtype: a scalar, or of shape (N,) for "none".

    Raises:
        ValueError: for another `p` or `reduction`, or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.multi_margin_loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])))
        0.5
    """
    name = "multi_margin_loss"
    checks.check_rank(name, 2, input=input)
    checks.check_floating(name, input=input)
    checks.check_integer(name, target=target)
    checks.check_choice(name, (1, 2), p=p)
    checks.check_numbers(name, margin=margin)
    x = input.astype(checks.compute_dtype(input.dtype))
    here = target[:, None] == jnp.arange(x.shape[1])
    right = jnp.sum(jnp.where(here, x, 0), 1, keepdims=True)
    each = _hinge(margin - right + x) ** p
    if weight is not None:
        each = each * lax.stop_gradient(weight.astype(x.dtype))[target][:, None]
    return reduce_loss(name, jnp.mean(jnp.where(here, 0, each), 1), reduction).astype(input.dtype)


@op(static="reduction")
@documented_by(soft_margin_loss)
def multilabel_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return the sum, over the target classes y and all other classes i, of max(0, 1 - (x[y] - x[i])) / C.

    Args:
        input (Tensor): scores of shape (C,) or (N, C), floating.
        target (Tensor): integer, of `input`'s shape: each row names its classes first and then -1.

    Returns:
        Tensor of `input`'s dtype: a scalar, or one loss per sample for "none".

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.multilabel_margin_loss(ms.Tensor([0.0, 0.0]), ms.Tensor([1, -1])))
        0.5
    """
    name = "multilabel_margin_loss"
    checks.check_floating(name, input=input)
    checks.check_integer(name, target=target)
    checks.check_same_shape(name, input=input, target=target)
    x = input.astype(checks.compute_dtype(input.dtype))
    named = jnp.cumprod((target >= 0).astype(x.dtype), -1)
    here = jax.nn.one_hot(target, x.shape[-1], dtype=x.dtype) * named[..., None]
    apart = 1 - jnp.sum(here * x[..., None, :], -1)[..., None] + x[..., None, :]
    other = 1 - jnp.max(here, -2)[..., None, :]
    loss = jnp.sum(_hinge(apart) * other * named[..., None], (-1, -2)) / x.shape[-1]
    return reduce_loss(name, loss, reduction).astype(input.dtype)


@op(static="reduction", promotes=True)
@documented_by(soft_margin_loss)
def multilabel_soft_margin_loss(
    input: Array, target: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    """Return the mean over classes of -weight * (y log(sigmoid(x)) + (1 - y) log(sigmoid(-x))).

    Args:
        input (Tensor): scores of shape (N, C), floating.
        target (Tensor): 0 or 1, of `input`'s shape.
        weight (Tensor): weights of the classes, of shape (C,). Default: all 1.

    Returns:
        Tensor: a scalar, or of shape (N,) for "none".

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.multilabel_soft_margin_loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[0.0, 1.0]])))
        0.6931472
    """
    name = "multilabel_soft_margin_loss"
    checks.check_same_shape(name, input=input, target=target)
    (x, y), dtype = together(name, input=input, target=target)
    loss = -(y * jax.nn.log_sigmoid(x) + (1 - y) * jax.nn.log_sigmoid(-x))
    if weight is not None:
        checks.check_broadcastable(name, input=input, weight=weight)
        loss = loss * weight.astype(x.dtype)
    return reduce_loss(name, jnp.mean(loss, -1), reduction).astype(dtype)


@op(static="full eps reduction", promotes=True)
@documented_by(hinge_embedding_loss)
def gaussian_nll_loss(
    x: Array, target: Array, var: Array, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Array:
    """Negative log likelihood (log(v) + (x - y)^2 / v) / 2 of a normal distribution, with v = max(var, eps).

    Args:
        x (Tensor): means, floating.
        target (Tensor): of a shape that broadcasts with `x`'s.
        var (Tensor): variances, of a shape that broadcasts with `x`'s.
        full (bool): add the constant log(2 pi) / 2.
        eps (float): least variance.

    Returns:
        Tensor: a scalar, or of the broadcast shape for "none".

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gaussian_nll_loss(ms.Tensor([0.0]), ms.Tensor([2.0]), ms.Tensor([1.0])))
        2.0
    """
    name = "gaussian_nll_loss"
    checks.check_bools(name, full=full)
    checks.check_numbers(name, eps=eps)
    (m, y, v), dtype = together(name, x=to_float(x), target=to_float(target), var=to_float(var))
    v = jnp.maximum(v, eps)
    loss = 0.5 * (jnp.log(v) + jnp.square(m - y) / v)
    return reduce_loss(name, loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction).astype(dtype)


@op(static="dim eps", promotes=True)
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    """Cosine of the angle between the vectors along a dimension: x1 . x2 / max(|x1| |x2|, eps).

    Args:
        x1 (Tensor): floating.
        x2 (Tensor): of a shape that broadcasts with `x1`'s. Where they differ along `dim`, each length is that of the
            vector as it is given, before broadcasting, as in MindSpore.
        dim (int): the dimension of the vectors.
        eps (float): least product of the lengths.

    Returns:
        Tensor of the broadcast shape without `dim`.

    Raises:
        ValueError: if there is no such dimension or the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[3.0, 4.0]])
        >>> print(ms.ops.cosine_similarity(x, -x))
        [-1.]
    """
    (a, b), dtype = together("cosine_similarity", x1=to_float(x1), x2=to_float(x2))
    product = a * b
    # Numbers without dimensions have a length too; for others, `dim` counts in each.
    lengths = [
        _norm(v, 2, checks.normalize_axis("cosine_similarity", v.ndim, dim=dim)) if v.ndim else jnp.abs(v)
        for v in (a, b)
    ]
    axis = checks.normalize_axis("cosine_similarity", product.ndim, dim=dim)
    return (jnp.sum(product, axis) / jnp.maximum(lengths[0] * lengths[1], eps)).astype(dtype)
