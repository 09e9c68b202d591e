"""Adaptive optimizer steps: Adagrad, Adadelta, RMSProp, Ftrl and proximal forms.

Each changes the Parameters that it is given, and computes what the formula in its docstring says of a gradient g.
The sources are Duchi and others 2011 (Adagrad), Zeiler 2012 (Adadelta), Graves 2013 (RMSProp), McMahan and others
2013 (Ftrl).
"""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.ops.common.docstrings import documented_by
from msjax.ops.optim.step import shrunk, step


@step("ApplyAdadelta", "var accum accum_update", gives=3, like="accum accum_update grad")
def adadelta(
    var: ArrayLike,
    accum: ArrayLike,
    accum_update: ArrayLike,
    lr: ArrayOrNumber,
    rho: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    grad: Array,
) -> tuple[Array, ...]:
    """u = g sqrt(accum_update + epsilon) / sqrt(accum + epsilon); var -= lr u; both means decay by rho.

    Args:
        var (Parameter): weights, floating.
        accum (Parameter): moving mean of the squared gradients, of their shape.
        accum_update (Parameter): moving mean of the squared steps, of their shape.
        lr (Tensor, float): learning rate.
        rho (Tensor, float): decay.
        epsilon (Tensor, float): added for stability.
        grad (Tensor): gradient, of their shape.

    Returns:
        Three Tensors, the new weights and means.

    Examples:
        >>> import msjax as ms
        >>> w, a, u = (ms.Parameter(ms.Tensor([v])) for v in (1.0, 0.0, 1.0))
        >>> print(ms.ops.ApplyAdadelta()(w, a, u, 0.5, 0.0, 0.0, ms.Tensor([2.0]))[0])
        [0.5]
    """
    squares = rho * accum + (1 - rho) * grad * grad
    update = jnp.sqrt(accum_update + epsilon) * lax.rsqrt(squares + epsilon) * grad
    return var - lr * update, squares, rho * accum_update + (1 - rho) * update * update


@step("ApplyAdagrad", "var accum", "update_slots", gives=2, like="accum grad")
def adagrad(
    var: ArrayLike, accum: ArrayLike, lr: ArrayOrNumber, grad: Array, update_slots: bool = True
) -> tuple[Array, ...]:
    """accum += g^2; var -= lr g / sqrt(accum).

    Args:
        var (Parameter): weights, floating.
        accum (Parameter): sum of the squared gradients, of their shape.
        lr (Tensor, float): learning rate.
        grad (Tensor): gradient, of their shape.
        update_slots (bool): add to the sum.

    Returns:
        Two Tensors, the new weights and sum.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> print(*ms.ops.ApplyAdagrad()(w, a, 0.5, ms.Tensor([2.0])))
        [0.5] [4.]
    """
    squares = accum + grad * grad if update_slots else accum
    return var - lr * grad * lax.rsqrt(squares), squares


@step("ApplyAdagradV2", "var accum", "epsilon update_slots", gives=2, like="accum grad")
@documented_by(adagrad)
def adagrad_eps(
    var: ArrayLike,
    accum: ArrayLike,
    lr: ArrayOrNumber,
    grad: Array,
    epsilon: float,
    update_slots: bool = True,
) -> tuple[Array, ...]:
    """accum += g^2; var -= lr g / (sqrt(accum) + epsilon).

    Args:
        epsilon (float): added for stability.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> print(*ms.ops.ApplyAdagradV2(epsilon=2.0)(w, a, 0.5, ms.Tensor([2.0])))
        [0.75] [4.]
    """
    squares = accum + grad * grad if update_slots else accum
    return var - lr * grad / (jnp.sqrt(squares) + epsilon), squares


@step(
    "ApplyAdagradDA",
    "var gradient_accumulator gradient_squared_accumulator",
    like="gradient_accumulator gradient_squared_accumulator grad",
)
def adagrad_dual(
    var: ArrayLike,
    gradient_accumulator: ArrayLike,
    gradient_squared_accumulator: ArrayLike,
    grad: Array,
    lr: ArrayOrNumber,
    l1: ArrayOrNumber,
    l2: ArrayOrNumber,
    global_step: ArrayOrNumber,
) -> tuple[Array, ...]:
    """Adagrad's dual averaging: var = -lr shrink(sum of g, l1 t) / (l2 t lr + sqrt(sum of g^2)) at step t.

    Args:
        var (Parameter): weights, floating.
        gradient_accumulator (Parameter): sum of the gradients, of their shape.
        gradient_squared_accumulator (Parameter): sum of their squares, of their shape.
        grad (Tensor): gradient, of their shape.
        lr (Tensor, float): learning rate.
        l1 (Tensor, float): strength of the L1 regularization.
        l2 (Tensor, float): strength of the L2 regularization.
        global_step (Tensor, int): number of the step.

    Returns:
        Tensor, the new weights.

    Examples:
        >>> import msjax as ms
        >>> w, a, q = (ms.Parameter(ms.Tensor([v])) for v in (1.0, 0.0, 0.0))
        >>> print(ms.ops.ApplyAdagradDA()(w, a, q, ms.Tensor([2.0]), 0.5, 0.0, 0.0, 1))
        [-0.5]
    """
    total = gradient_accumulator + grad
    squares = gradient_squared_accumulator + grad * grad
    time = global_step.astype(var.dtype)
    moved = jnp.where(l1 > 0, shrunk(total, l1 * time), total)
    return -lr * moved / (l2 * time * lr + jnp.sqrt(squares)), total, squares


def _proximal(var: Array, rate: Array, l1: Array, l2: Array, grad: Array) -> Array:
    return shrunk(var - rate * grad, rate * jnp.maximum(l1, 0)) / (1 + l2 * rate)


@step("ApplyProximalGradientDescent", "var", like="delta")
@documented_by(adagrad_dual)
def proximal_descent(
    var: ArrayLike, alpha: ArrayOrNumber, l1: ArrayOrNumber, l2: ArrayOrNumber, delta: Array
) -> tuple[Array, ...]:
    """v = var - alpha g; var = sign(v) max(|v| - alpha l1, 0) / (1 + alpha l2).

    Args:
        alpha (Tensor, float): learning rate.
        delta (Tensor): gradient, of their shape.

    Examples:
        >>> import msjax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]))
        >>> print(ms.ops.ApplyProximalGradientDescent()(w, 0.5, 1.0, 0.0, ms.Tensor([0.5])))
        [0.25]
    """
    return (_proximal(var, alpha, l1, l2, delta),)


@step("ApplyProximalAdagrad", "var accum", gives=2, like="accum grad")
@documented_by(adagrad)
def proximal_adagrad(
    var: ArrayLike, accum: ArrayLike, lr: ArrayOrNumber, l1: ArrayOrNumber, l2: ArrayOrNumber, grad: Array
) -> tuple[Array, ...]:
    """accum += g^2, then proximal descent with the rate lr / sqrt(accum).

    Args:
        l1 (Tensor, float): strength of the L1 regularization.
        l2 (Tensor, float): strength of the L2 regularization.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> print(*ms.ops.ApplyProximalAdagrad()(w, a, 0.5, 0.0, 0.0, ms.Tensor([2.0])))
        [0.5] [4.]
    """
    squares = accum + grad * grad
    return _proximal(var, lr * lax.rsqrt(squares), l1, l2, grad), squares


@step("ApplyRMSProp", "var mean_square moment", like="mean_square moment grad")
@documented_by(adagrad_dual)
def rmsprop(
    var: ArrayLike,
    mean_square: ArrayLike,
    moment: ArrayLike,
    learning_rate: ArrayOrNumber,
    grad: Array,
    decay: ArrayLike,
    momentum: ArrayLike,
    epsilon: ArrayLike,
) -> tuple[Array, ...]:
    """moment = momentum moment + learning_rate g / sqrt(mean_square + epsilon); var -= moment.

    Args:
        mean_square (Parameter): moving mean of the squared gradients, of their shape.
        moment (Parameter): moment, of their shape.
        learning_rate (Tensor, float): learning rate.
        decay (float): decay of the mean.
        momentum (float): share of the old moment that is kept.
        epsilon (float): added for stability.

    Examples:
        >>> import msjax as ms
        >>> w, s, m = (ms.Parameter(ms.Tensor([v])) for v in (1.0, 4.0, 0.0))
        >>> print(ms.ops.ApplyRMSProp()(w, s, m, 0.5, ms.Tensor([2.0]), 0.5, 0.9, 0.0))
        [0.5]
    """
    squares = decay * mean_square + (1 - decay) * grad * grad
    moved = momentum * moment + learning_rate * grad * lax.rsqrt(squares + epsilon)
    return var - moved, squares, moved


@step(
    "ApplyCenteredRMSProp",
    "var mean_gradient mean_square moment",
    like="mean_gradient mean_square moment grad",
)
@documented_by(rmsprop)
def centered_rmsprop(
    var: ArrayLike,
    mean_gradient: ArrayLike,
    mean_square: ArrayLike,
    moment: ArrayLike,
    grad: Array,
    learning_rate: ArrayOrNumber,
    decay: ArrayLike,
    momentum: ArrayLike,
    epsilon: ArrayLike,
) -> tuple[Array, ...]:
    """`ApplyRMSProp` with the variance, mean_square - mean_gradient^2, in place of the mean square.

    Args:
        mean_gradient (Parameter): moving mean of the gradients, of their shape.
        decay (float): decay of the means.

    Examples:
        >>> import msjax as ms
        >>> w, g, s, m = (ms.Parameter(ms.Tensor([v])) for v in (1.0, 0.0, 5.0, 0.0))
        >>> print(ms.ops.ApplyCenteredRMSProp()(w, g, s, m, ms.Tensor([1.0]), 0.5, 1.0, 0.9, -1.0))
        [0.75]
    """
    mean = decay * mean_gradient + (1 - decay) * grad
    squares = decay * mean_square + (1 - decay) * grad * grad
    moved = momentum * moment + learning_rate * grad * lax.rsqrt(squares - mean * mean + epsilon)
    return var - moved, mean, squares, moved


def follow_leader(
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    shrunk_grad: Array,
    lr: Any,
    l1: Any,
    l2: Any,
    power: Any,
) -> tuple[Array, ...]:
    """One step of "follow the regularized leader"; the linear term may have another gradient than the squares."""
    squares = accum + grad * grad
    sigma = (jnp.power(squares, -power) - jnp.power(accum, -power)) / lr
    moved = linear + shrunk_grad - sigma * var
    curvature = jnp.power(squares, -power) / lr + 2 * l2
    weights = (jnp.sign(moved) * l1 - moved) / curvature
    return jnp.where(jnp.abs(moved) > l1, weights, jnp.zeros_like(var)), squares, moved


@step("ApplyFtrl", "var accum linear", like="accum linear grad")
@documented_by(adagrad_dual)
def ftrl(
    var: ArrayLike,
    accum: ArrayLike,
    linear: ArrayLike,
    grad: Array,
    lr: ArrayOrNumber,
    l1: ArrayOrNumber,
    l2: ArrayOrNumber,
    lr_power: ArrayOrNumber,
) -> tuple[Array, ...]:
    """accum += g^2; linear += g - sigma var, where sigma = (new accum^-lr_power - accum^-lr_power) / lr.

    var = (sign(linear) l1 - linear) / (accum^-lr_power / lr + 2 l2) where |linear| > l1, else 0.

    Args:
        accum (Parameter): sum of the squared gradients, of their shape.
        linear (Parameter): the linear term, of their shape.
        lr_power (Tensor, float): how the rate falls, at most 0.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([v])) for v in (0.0, 0.0, 0.0))
        >>> print(ms.ops.ApplyFtrl()(w, a, z, ms.Tensor([2.0]), 0.5, 0.0, 0.0, -0.5))
        [-0.5]
    """
    return follow_leader(var, accum, linear, grad, grad, lr, l1, l2, lr_power)
