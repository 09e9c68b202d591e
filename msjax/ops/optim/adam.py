"""Adam optimizer steps and variants: AdaMax, AMSGrad, AdamW, Adafactor; and LARS, which scales gradients by layer.

Each changes the Parameters that it is given, and computes what the formula in its docstring says of a gradient g.
The sources are Kingma and Ba 2015 (Adam, AdaMax), Reddi and others 2018 (AMSGrad), Loshchilov and Hutter 2019 (AdamW),
Shazeer and Stern 2018 (Adafactor), You and others 2017 (LARS).
"""

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.optim.step import step


def update_moments(
    m: Array, v: Array, beta1: Array, beta2: Array, grad: Array, nesterov: bool = False
) -> tuple[Array, Array, Array]:
    """Return the two moments after a gradient, and what the step goes along: the first of them, or Nesterov's form of it."""
    mean = beta1 * m + (1 - beta1) * grad
    squares = beta2 * v + (1 - beta2) * grad * grad
    return mean, squares, beta1 * mean + (1 - beta1) * grad if nesterov else mean


def correct_rate(lr: Array, beta1_power: Array, beta2_power: Array) -> Array:
    """Return the rate that makes up for moments which begin at 0: lr sqrt(1 - beta2^t) / (1 - beta1^t)."""
    return lr * jnp.sqrt(1 - beta2_power) / (1 - beta1_power)


@step("Adam", "var m v", "use_nesterov", gives=3, like="m v grad")
def adam(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    beta1_power: ArrayOrNumber,
    beta2_power: ArrayOrNumber,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    grad: Array,
    use_nesterov: bool = False,
) -> tuple[Array, ...]:
    """var -= l m / (sqrt(v) + epsilon), where m and v are the moving means of g and g^2.

    l = lr sqrt(1 - beta2_power) / (1 - beta1_power) makes up for means that begin at 0.

    Args:
        var (Parameter): weights, floating.
        m (Parameter): first moment, of their shape.
        v (Parameter): second moment, of their shape.
        beta1_power (Tensor, float): beta1 to the power of the step's number.
        beta2_power (Tensor, float): beta2 to the power of the step's number.
        lr (Tensor, float): learning rate.
        beta1 (Tensor, float): decay of the first moment.
        beta2 (Tensor, float): decay of the second moment.
        epsilon (Tensor, float): added for stability.
        grad (Tensor): gradient, of their shape.
        use_nesterov (bool): go along beta1 m + (1 - beta1) g.

    Returns:
        Three Tensors, the new weights and moments.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> print(ms.ops.Adam()(w, m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, ms.Tensor([2.0]))[0])
        [0.5]
    """
    mean, squares, along = update_moments(m, v, beta1, beta2, grad, use_nesterov)
    rate = correct_rate(lr, beta1_power, beta2_power)
    return var - rate * along / (jnp.sqrt(squares) + epsilon), mean, squares


@step("AdamNoUpdateParam", "m v", "use_nesterov", like="v gradient")
@documented_by(adam)
def adam_delta(
    m: ArrayLike,
    v: ArrayLike,
    beta1_power: ArrayOrNumber,
    beta2_power: ArrayOrNumber,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    gradient: Array,
    use_nesterov: bool = False,
) -> tuple[Array, ...]:
    """Compute the update that `Adam` would add to the weights; the moments change, the weights do not.

    Args:
        m (Parameter): first moment, floating.
        v (Parameter): second moment, of its shape.
        gradient (Tensor): gradient, of that shape.

    Returns:
        Tensor of that shape.

    Examples:
        >>> import msjax as ms
        >>> m, v = (ms.Parameter(ms.Tensor([x])) for x in (0.0, 0.0))
        >>> print(ms.ops.AdamNoUpdateParam()(m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, ms.Tensor([2.0])))
        [-0.5]
    """
    mean, squares, along = update_moments(m, v, beta1, beta2, gradient, use_nesterov)
    rate = correct_rate(lr, beta1_power, beta2_power)
    return mean, squares, -rate * along / (jnp.sqrt(squares) + epsilon)


@step("ApplyAdaMax", "var m v", gives=3, like="m v grad")
@documented_by(adam)
def adamax(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    beta1_power: ArrayOrNumber,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    grad: Array,
) -> tuple[Array, ...]:
    """v = max(beta2 v, |g|); var -= lr / (1 - beta1_power) m / (v + epsilon).

    Args:
        v (Parameter): moving maximum, of their shape.
        beta2 (Tensor, float): decay of the maximum.

    Returns:
        Three Tensors, the new weights, moment and maximum.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> print(ms.ops.ApplyAdaMax()(w, m, v, 0.5, 0.5, 0.5, 0.9, 0.0, ms.Tensor([2.0]))[0])
        [0.5]
    """
    mean = beta1 * m + (1 - beta1) * grad
    largest = jnp.maximum(beta2 * v, jnp.abs(grad))
    return var - lr / (1 - beta1_power) * mean / (largest + epsilon), mean, largest


@step("ApplyAdamWithAmsgradV2", "var m v vhat", gives=4, like="m v vhat grad")
@documented_by(adam)
def amsgrad(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    vhat: ArrayLike,
    beta1_power: ArrayOrNumber,
    beta2_power: ArrayOrNumber,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    grad: Array,
) -> tuple[Array, ...]:
    """`Adam` with vhat, the largest v so far, in place of v.

    Args:
        vhat (Parameter): the largest second moment, of their shape.

    Returns:
        Four Tensors, the new weights and moments.

    Examples:
        >>> import msjax as ms
        >>> w, m, v, most = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0, 4.0))
        >>> step = ms.ops.ApplyAdamWithAmsgradV2()
        >>> print(step(w, m, v, most, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, ms.Tensor([2.0]))[0])
        [0.75]
    """
    mean, squares, _ = update_moments(m, v, beta1, beta2, grad)
    largest = jnp.maximum(vhat, squares)
    rate = correct_rate(lr, beta1_power, beta2_power)
    return var - rate * mean / (jnp.sqrt(largest) + epsilon), mean, squares, largest


@step("AdamWeightDecay", "var m v", gives=3, like="m v gradient")
@documented_by(adam)
def adam_weight_decay(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    decay: ArrayOrNumber,
    gradient: Array,
) -> tuple[Array, ...]:
    """var -= lr (m / (sqrt(v) + epsilon) + decay var): AdamW without the correction of the moments.

    Args:
        decay (Tensor, float): weight decay.
        gradient (Tensor): gradient, of their shape.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> print(ms.ops.AdamWeightDecay()(w, m, v, 0.5, 0.5, 0.75, 0.0, 0.0, ms.Tensor([2.0]))[0])
        [0.5]
    """
    mean, squares, _ = update_moments(m, v, beta1, beta2, gradient)
    return var - lr * (mean / (jnp.sqrt(squares) + epsilon) + decay * var), mean, squares


@step("FusedCastAdamWeightDecay", "var m v", gives=3, like="m v gradient")
@documented_by(adam_weight_decay)
def cast_adam_weight_decay(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    decay: ArrayOrNumber,
    gradient: Array,
    global_norm: ArrayOrNumber,
) -> tuple[Array, ...]:
    """`AdamWeightDecay` of a gradient that may be of a narrower dtype, divided by `global_norm`.

    Args:
        global_norm (Tensor, float): what it is divided by.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0))
        >>> g = ms.Tensor([4.0], ms.float16)
        >>> print(ms.ops.FusedCastAdamWeightDecay()(w, m, v, 0.5, 0.5, 0.75, 0.0, 0.0, g, 2.0)[0])
        [0.5]
    """
    return adam_weight_decay.plain(var, m, v, lr, beta1, beta2, epsilon, decay, gradient / global_norm)


def _size(x: Array) -> Array:
    return jnp.sqrt(jnp.mean(x * x))


@step(
    "FusedAdaFactor",
    "param exp_avg exp_avg_sq_row exp_avg_sq_col exp_avg_sq",
    "enable_scale_parameter enable_first_moment enable_weight_decay",
)
def adafactor(
    epsilon: ArrayLike,
    clip_threshold: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2t: ArrayOrNumber,
    weight_decay: ArrayOrNumber,
    learning_rate: ArrayOrNumber,
    grad: Array,
    param: ArrayLike,
    exp_avg: ArrayLike,
    exp_avg_sq_row: ArrayLike,
    exp_avg_sq_col: ArrayLike,
    exp_avg_sq: ArrayLike,
    enable_scale_parameter: bool = False,
    enable_first_moment: bool = False,
    enable_weight_decay: bool = False,
) -> tuple[Array, ...]:
    """Adafactor: of matrices the second moment is kept as means of its rows and columns only.

    Args:
        epsilon (Tensor, tuple[float]): two numbers: added to g^2, and the least size of the weights.
        clip_threshold (Tensor, float): the root mean square that a step has at most.
        beta1 (Tensor, float): decay of the first moment.
        beta2t (Tensor, float): decay of the second moment.
        weight_decay (Tensor, float): weight decay.
        learning_rate (Tensor, float): learning rate.
        grad (Tensor): gradient, of `param`'s shape.
        param (Parameter): weights, floating.
        exp_avg (Parameter): first moment, of their shape; unused without `enable_first_moment`.
        exp_avg_sq_row (Parameter): means over the last axis, for weights of two axes or more.
        exp_avg_sq_col (Parameter): means over the last axis but one.
        exp_avg_sq (Parameter): second moment of weights of fewer axes.
        enable_scale_parameter (bool): take the learning rate relative to the size of the weights.
        enable_first_moment (bool): go along the first moment.
        enable_weight_decay (bool): apply the weight decay.

    Returns:
        Tensor, the new weights.

    Examples:
        >>> import msjax as ms
        >>> w, m, r, c, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0, 0.0))
        >>> eps, g = ms.Tensor([0.0, 0.0]), ms.Tensor([2.0])
        >>> print(ms.ops.FusedAdaFactor()(eps, 1.0, 0.9, 0.75, 0.0, 0.5, g, w, m, r, c, v))
        [0.5]
    """
    squares = grad * grad + epsilon[0]
    row, col, every = exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq
    rate = learning_rate
    if enable_scale_parameter:
        rate = rate * jnp.maximum(epsilon[1], _size(param))
    if grad.ndim > 1:
        row = beta2t * row + (1 - beta2t) * jnp.mean(squares, -1)
        col = beta2t * col + (1 - beta2t) * jnp.mean(squares, -2)
        share = row / jnp.mean(row, -1, keepdims=True)
        update = grad * lax.rsqrt(share)[..., None] * lax.rsqrt(col)[..., None, :]
    else:
        every = beta2t * every + (1 - beta2t) * squares
        update = grad * lax.rsqrt(every)
    update = rate * update / jnp.maximum(1, _size(update) / clip_threshold)
    mean = beta1 * exp_avg + (1 - beta1) * update if enable_first_moment else exp_avg
    kept = param * (1 - weight_decay * rate) if enable_weight_decay else param
    return kept - (mean if enable_first_moment else update), mean, row, col, every


@step(
    "FusedAdaFactorWithGlobalNorm",
    "param exp_avg exp_avg_sq_row exp_avg_sq_col exp_avg_sq",
    "enable_scale_parameter enable_first_moment enable_weight_decay",
)
@documented_by(adafactor)
def adafactor_of_norm(
    epsilon: ArrayLike,
    clip_threshold: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2t: ArrayOrNumber,
    weight_decay: ArrayOrNumber,
    learning_rate: ArrayOrNumber,
    grad: Array,
    param: ArrayLike,
    exp_avg: ArrayLike,
    exp_avg_sq_row: ArrayLike,
    exp_avg_sq_col: ArrayLike,
    exp_avg_sq: ArrayLike,
    global_norm: ArrayOrNumber,
    enable_scale_parameter: bool = False,
    enable_first_moment: bool = False,
    enable_weight_decay: bool = False,
) -> tuple[Array, ...]:
    """`FusedAdaFactor` of a gradient that is divided by `global_norm`.

    Args:
        global_norm (Tensor, float): what the gradient is divided by.

    Examples:
        >>> import msjax as ms
        >>> w, m, r, c, v = (ms.Parameter(ms.Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0, 0.0))
        >>> eps, g = ms.Tensor([0.0, 0.0]), ms.Tensor([2.0])
        >>> print(ms.ops.FusedAdaFactorWithGlobalNorm()(eps, 1.0, 0.9, 0.75, 0.0, 0.5, g, w, m, r, c, v, 2.0))
        [0.5]
    """
    settings = enable_scale_parameter, enable_first_moment, enable_weight_decay
    before = epsilon, clip_threshold, beta1, beta2t, weight_decay, learning_rate
    state = param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq
    return adafactor.plain(*before, grad / global_norm, *state, *settings)


@op(static="epsilon hyperpara use_clip")
def lars_update(
    weight: Array,
    gradient: Array,
    norm_weight: Array,
    norm_gradient: Array,
    weight_decay: ArrayOrNumber,
    learning_rate: ArrayOrNumber,
    epsilon: float = 1e-5,
    hyperpara: float = 0.001,
    use_clip: bool = False,
) -> Array:
    """The gradient with weight decay, scaled by hyperpara |w| / (|g| + weight_decay |w| + epsilon); nothing is changed.

    With `use_clip` the factor is divided by the learning rate and at most 1. It is 1 where |w| or |g| is 0.

    Args:
        weight (Tensor): weights w, floating.
        gradient (Tensor): gradient g, of their shape.
        norm_weight (Tensor): sum of the squares of the weights.
        norm_gradient (Tensor): sum of the squares of the gradient.
        weight_decay (Tensor, float): weight decay.
        learning_rate (Tensor, float): learning rate.
        epsilon (float): added for stability.
        hyperpara (float): trust coefficient.
        use_clip (bool): limit the factor.

    Returns:
        Tensor of the weights' shape.

    Examples:
        >>> import msjax as ms
        >>> w, g = ms.Tensor([1.0]), ms.Tensor([2.0])
        >>> print(ms.ops.LARSUpdate(epsilon=0.0, hyperpara=1.0)(w, g, ms.Tensor(1.0), ms.Tensor(4.0), 0.0, 0.1))
        [1.]
    """
    checks.check_floating("LARSUpdate", weight=weight, gradient=gradient)
    checks.check_same_shape("LARSUpdate", weight=weight, gradient=gradient)
    size, slope = jnp.sqrt(norm_weight), jnp.sqrt(norm_gradient)
    factor = hyperpara * size / (slope + weight_decay * size + epsilon)
    factor = jnp.minimum(factor / learning_rate, 1) if use_clip else factor
    factor = jnp.where((size > 0) & (slope > 0), factor, jnp.ones_like(factor))
    return factor * (gradient + weight_decay * weight)
