"""Gradient descent steps: plain, with momentum, sign-based (AddSign, PowerSign), and scaled layer by layer.

Each changes the Parameters that it is given, and computes what the formula in its docstring says of a gradient g.
"""

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.ops.common.docstrings import documented_by
from msjax.ops.optim.step import step


@step("ApplyGradientDescent", "var", like="delta")
def gradient_descent(var: ArrayLike, alpha: ArrayOrNumber, delta: Array) -> tuple[Array, ...]:
    """var -= alpha g.

    Args:
        var (Parameter): weights, floating.
        alpha (Tensor, float): learning rate.
        delta (Tensor): gradient, of `var`'s shape.

    Returns:
        Tensor, the new weights.

    Examples:
        >>> import msjax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> print(ms.ops.ApplyGradientDescent()(w, 0.5, ms.Tensor([1.0, 1.0])))
        [0.5 1.5]
    """
    return (var - alpha * delta,)


@step("ApplyMomentum", "variable accumulation", "use_nesterov gradient_scale", like="accumulation gradient")
def momentum_step(
    variable: ArrayLike,
    accumulation: ArrayLike,
    learning_rate: ArrayOrNumber,
    gradient: Array,
    momentum: ArrayOrNumber,
    use_nesterov: bool = False,
    gradient_scale: float = 1.0,
) -> tuple[Array, ...]:
    """accumulation = momentum accumulation + g; variable -= learning_rate accumulation.

    With Nesterov's momentum, variable -= learning_rate (g + momentum accumulation). MindSpore's kernel for the CPU
    leaves the settings out of account; these are the formulas of its documentation.

    Args:
        variable (Parameter): weights, floating.
        accumulation (Parameter): moment, of their shape.
        learning_rate (Tensor, float): learning rate.
        gradient (Tensor): gradient, of their shape.
        momentum (Tensor, float): share of the old moment that is kept.
        use_nesterov (bool): Nesterov's form.
        gradient_scale (float): factor of the gradient.

    Returns:
        Tensor, the new weights.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([2.0]))
        >>> print(ms.ops.ApplyMomentum()(w, a, 0.1, ms.Tensor([1.0]), 0.5), a.asnumpy())
        [0.8] [2.]
    """
    g = gradient * gradient_scale
    moment = accumulation * momentum + g
    moved = g + moment * momentum if use_nesterov else moment
    return variable - learning_rate * moved, moment


@step("ApplyKerasMomentum", "var accum", "use_nesterov", gives=2, like="accum grad")
def keras_momentum(
    var: ArrayLike,
    accum: ArrayLike,
    lr: ArrayOrNumber,
    grad: Array,
    momentum: ArrayOrNumber,
    use_nesterov: bool = False,
) -> tuple[Array, ...]:
    """accum = momentum accum - lr g; var += accum, or momentum accum - lr g in Nesterov's form.

    Args:
        var (Parameter): weights, floating.
        accum (Parameter): moment, of their shape.
        lr (Tensor, float): learning rate.
        grad (Tensor): gradient, of their shape.
        momentum (Tensor, float): share of the old moment that is kept.
        use_nesterov (bool): Nesterov's form.

    Returns:
        Two Tensors, the new weights and moment.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([2.0]))
        >>> print(*ms.ops.ApplyKerasMomentum()(w, a, 0.5, ms.Tensor([1.0]), 0.5))
        [1.5] [0.5]
    """
    moment = accum * momentum - lr * grad
    return var + (moment * momentum - lr * grad if use_nesterov else moment), moment


@step("SGD", "parameters accum stat", "dampening weight_decay nesterov", like="gradient accum stat")
@documented_by(momentum_step)
def stochastic_descent(
    parameters: ArrayLike,
    gradient: Array,
    learning_rate: Array,
    accum: ArrayLike,
    momentum: Array,
    stat: ArrayLike,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> tuple[Array, ...]:
    """accum = momentum accum + (1 - dampening) g, or g the first time; parameters -= learning_rate accum.

    g includes weight_decay parameters. With Nesterov's momentum, parameters -= learning_rate (g + momentum accum).

    Args:
        parameters (Parameter): weights, floating.
        learning_rate (Tensor): learning rate.
        accum (Parameter): moment, of their shape.
        momentum (Tensor): share of the old moment that is kept.
        stat (Parameter): positive where the moment has no value yet; becomes 0.
        dampening (float): what is held back of the gradient.
        weight_decay (float): weight decay.
        nesterov (bool): Nesterov's form.

    Examples:
        >>> import msjax as ms
        >>> w, a, new = (ms.Parameter(ms.Tensor([v])) for v in (1.0, 0.0, 1.0))
        >>> print(ms.ops.SGD()(w, ms.Tensor([1.0]), ms.Tensor(0.5), a, ms.Tensor(0.9), new), a.asnumpy())
        [0.5] [1.]
    """
    g = gradient + weight_decay * parameters
    moment = jnp.where(stat > 0, g, accum * momentum + (1 - dampening) * g)
    moved = g + momentum * moment if nesterov else moment
    return parameters - learning_rate * moved, moment, jnp.zeros_like(stat)


@step("ApplyAddSign", "var m", gives=2, like="m grad")
def add_sign(
    var: ArrayLike,
    m: ArrayLike,
    lr: ArrayOrNumber,
    alpha: ArrayOrNumber,
    sign_decay: ArrayOrNumber,
    beta: ArrayOrNumber,
    grad: Array,
) -> tuple[Array, ...]:
    """m = beta m + (1 - beta) g; var -= lr (alpha + sign_decay sign(g) sign(m)) g (Bello and others, 2017).

    Args:
        var (Parameter): weights, floating.
        m (Parameter): moving mean of the gradients, of their shape.
        lr (Tensor, float): learning rate.
        alpha (Tensor, float): base factor.
        sign_decay (Tensor, float): how much the agreement of signs counts.
        beta (Tensor, float): decay of the mean.
        grad (Tensor): gradient, of their shape.

    Returns:
        Two Tensors, the new weights and mean.

    Examples:
        >>> import msjax as ms
        >>> w, m = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> print(*ms.ops.ApplyAddSign()(w, m, 0.5, 1.0, 0.5, 0.5, ms.Tensor([1.0])))
        [0.25] [0.5]
    """
    mean = beta * m + (1 - beta) * grad
    return var - lr * (alpha + sign_decay * jnp.sign(grad) * jnp.sign(mean)) * grad, mean


@step("ApplyPowerSign", "var m", gives=2, like="m grad")
@documented_by(add_sign)
def power_sign(
    var: ArrayLike,
    m: ArrayLike,
    lr: ArrayOrNumber,
    logbase: ArrayOrNumber,
    sign_decay: ArrayOrNumber,
    beta: ArrayOrNumber,
    grad: Array,
) -> tuple[Array, ...]:
    """m = beta m + (1 - beta) g; var -= lr exp(logbase sign_decay sign(g) sign(m)) g (Bello and others, 2017).

    Args:
        logbase (Tensor, float): logarithm of the base.

    Examples:
        >>> import msjax as ms
        >>> w, m = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> print(*ms.ops.ApplyPowerSign()(w, m, 0.5, 0.0, 0.5, 0.5, ms.Tensor([1.0])))
        [0.5] [0.5]
    """
    mean = beta * m + (1 - beta) * grad
    return var - lr * jnp.exp(logbase * sign_decay * jnp.sign(grad) * jnp.sign(mean)) * grad, mean


@step(
    "FusedWeightScaleApplyMomentum",
    "variable accumulation",
    like="accumulation gradient",
)
@documented_by(momentum_step)
def scaled_momentum(
    weight_decay: ArrayOrNumber,
    loss_scale: ArrayOrNumber,
    variable: ArrayLike,
    accumulation: ArrayLike,
    learning_rate: ArrayOrNumber,
    gradient: Array,
    momentum: ArrayOrNumber,
) -> tuple[Array, ...]:
    """`ApplyMomentum` with g = loss_scale gradient + weight_decay variable.

    Args:
        weight_decay (Tensor, float): weight decay.
        loss_scale (Tensor, float): factor of the gradient: one over the loss scale.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([2.0]))
        >>> print(ms.ops.FusedWeightScaleApplyMomentum()(0.0, 1.0, w, a, 0.5, ms.Tensor([1.0]), 0.5))
        [0.]
    """
    moment = accumulation * momentum + gradient * loss_scale + weight_decay * variable
    return variable - learning_rate * moment, moment
