"""Optimizers with step sizes for each element, with PyTorch's arithmetic."""

from typing import Any

import jax.numpy as jnp

from msjax.experimental.optim.adam_family import moments
from msjax.experimental.optim.optimizer import Optimizer, at_least, decayed, fractions, scalars, zeros


def adadelta(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], square: Any, change: Any) -> tuple:
    """Steps in the units of the parameter."""
    rho, eps = scalars(p, group["rho"], group["eps"])
    g = decayed(g, p, group)
    square = rho * square + (1 - rho) * g * g
    delta = jnp.sqrt(change + eps) / jnp.sqrt(square + eps) * g
    return -rate * delta, square, rho * change + (1 - rho) * delta * delta


class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012).

    v = rho v + (1 - rho) g^2, d = sqrt(u + eps) / sqrt(v + eps) g, u = rho u + (1 - rho) d^2, p = p - lr d.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        rho (float): decay of the averages.
        eps (float): added below the roots.
        weight_decay (float): L2 penalty.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adadelta([p])((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.9968 2.0032]
    """

    _rule = staticmethod(adadelta)
    _slot_names = ("accum", "accum_update")
    _starts = (zeros, zeros)

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **settings})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        at_least("Adadelta", 0.0, eps=group["eps"], rho=group["rho"])
        if group["rho"] > 1:
            raise ValueError(f"`Adadelta`: `rho` must be in [0, 1]. Received: {group['rho']}.")


def adagrad(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], total: Any) -> tuple:
    """Steps that shrink with the sum of the squared gradients."""
    decay, eps = scalars(p, group["lr_decay"], group["eps"])
    g = decayed(g, p, group)
    total = total + g * g
    return -rate / (1 + (step - 1) * decay) * g / (jnp.sqrt(total) + eps), total


def _first_total(p: Any, group: dict[str, Any]) -> Any:
    return jnp.full_like(p, group["initial_accumulator_value"])


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011).

    s = s + g^2, p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps).

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        lr_decay (float): its decay.
        weight_decay (float): L2 penalty.
        initial_accumulator_value (float): where the sum starts.
        eps (float): added to the denominator.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adagrad([p], lr=0.5)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(adagrad)
    _slot_names = ("accum",)
    _starts = (_first_total,)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        first = {"initial_accumulator_value": initial_accumulator_value, "maximize": maximize}
        settings = {"lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, **first}
        super().__init__(params, {"lr": lr, **settings})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        names = ("lr_decay", "eps", "initial_accumulator_value")
        at_least("Adagrad", 0.0, **{name: group[name] for name in names})


def adamax(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], m: Any, most: Any) -> tuple:
    """Adam with the largest gradient in place of the average square."""
    b1, b2, eps = scalars(p, *group["betas"], group["eps"])
    g = decayed(g, p, group)
    m = b1 * m + (1 - b1) * g
    most = jnp.maximum(b2 * most, jnp.abs(g) + eps)
    return -rate / (1 - b1**step) * m / most, m, most


class Adamax(Optimizer):
    """Adamax (Kingma and Ba, 2015).

    m = b1 m + (1 - b1) g, u = max(b2 u, |g| + eps), p = p - lr / (1 - b1^t) m / u.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        betas (tuple[float, float]): decay of the average and of the largest gradient.
        eps (float): added to the gradient's size.
        weight_decay (float): L2 penalty.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adamax([p], lr=0.5)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.5 2.5]
    """

    _rule = staticmethod(adamax)
    _slot_names = ("exp_avg", "exp_inf")
    _starts = (zeros, zeros)

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **settings})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        at_least("Adamax", 0.0, eps=group["eps"])
        fractions("Adamax", "betas", group["betas"])


def nadam(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], m: Any, v: Any, product: Any) -> tuple:
    """Adam with Nesterov's momentum."""
    b1, b2, eps, decay = scalars(p, *group["betas"], group["eps"], group["momentum_decay"])
    half, base = scalars(p, 0.5, 0.96)
    g = decayed(g, p, group)
    mu, following = (b1 * (1 - half * base ** (n * decay)) for n in (step, step + 1))
    product = product * mu
    m, v = moments(g, m, v, group["betas"])
    denominator = jnp.sqrt(v / (1 - b2**step)) + eps
    change = (1 - mu) / (1 - product) * g + following / (1 - product * following) * m
    return -rate * change / denominator, m, v, product


def _one(p: Any, group: dict[str, Any]) -> Any:
    return jnp.ones((), p.dtype)


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.
        weight_decay (float): L2 penalty.
        momentum_decay (float): how fast the momentum grows to its full size.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.NAdam([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.8944 2.1056]
    """

    _rule = staticmethod(nadam)
    _slot_names = ("exp_avg", "exp_avg_sq", "mu_product")
    _starts = (zeros, zeros, _one)

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ) -> None:
        settings = {
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
        }
        super().__init__(params, {"lr": lr, **settings})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        at_least("NAdam", 0.0, eps=group["eps"], momentum_decay=group["momentum_decay"])
        fractions("NAdam", "betas", group["betas"])


def radam(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], m: Any, v: Any) -> tuple:
    """Adam whose step size is corrected for the variance at the start."""
    b1, b2, eps = scalars(p, *group["betas"], group["eps"])
    m, v = moments(decayed(g, p, group), m, v, group["betas"])
    limit = 2 / (1 - b2) - 1
    length = limit - 2 * step * b2**step / (1 - b2**step)
    steady = jnp.maximum(length, p.dtype.type(5))
    ratio = (steady - 4) * (steady - 2) * limit / ((limit - 4) * (limit - 2) * steady)
    adapted = jnp.sqrt(ratio) * jnp.sqrt(1 - b2**step) / (jnp.sqrt(v) + eps)
    return -rate * m / (1 - b1**step) * jnp.where(length > 5, adapted, jnp.ones_like(adapted)), m, v


class RAdam(Optimizer):
    """Rectified Adam (Liu et al., 2020).

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.
        weight_decay (float): L2 penalty.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.RAdam([p], lr=0.1)((ms.Tensor([0.5, -1.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.95 2.1 ]
    """

    _rule = staticmethod(radam)
    _slot_names = ("exp_avg", "exp_avg_sq")
    _starts = (zeros, zeros)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        at_least("RAdam", 0.0, eps=group["eps"])
        fractions("RAdam", "betas", group["betas"])


def rmsprop(
    g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], mean: Any, square: Any, moment: Any
) -> tuple:
    """Steps divided by the root of the average squared gradient."""
    alpha, eps, momentum = scalars(p, group["alpha"], group["eps"], group["momentum"])
    g = decayed(g, p, group)
    square = alpha * square + (1 - alpha) * g * g
    variance = square
    if group["centered"]:
        mean = alpha * mean + (1 - alpha) * g
        variance = square - mean * mean
    change = g / (jnp.sqrt(variance) + eps)
    if not momentum:
        return -rate * change, mean, square, moment
    moment = momentum * moment + change
    return -rate * moment, mean, square, moment


class RMSprop(Optimizer):
    """RMSprop (Hinton, 2012).

    v = alpha v + (1 - alpha) g^2, p = p - lr g / (sqrt(v) + eps).

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        alpha (float): decay of the average square.
        eps (float): added to the denominator.
        weight_decay (float): L2 penalty.
        momentum (float): decay of the sum of the steps.
        centered (bool): divide by the root of the variance instead.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.RMSprop([p], lr=0.05)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.5 2.5]
    """

    _rule = staticmethod(rmsprop)
    _slot_names = ("mean_grad", "mean_square", "moment")
    _starts = (zeros, zeros, zeros)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        settings = {"momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        super().__init__(params, {"lr": lr, **settings, "weight_decay": weight_decay, "maximize": maximize})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        at_least("RMSprop", 0.0, **{name: group[name] for name in ("alpha", "eps", "momentum")})
