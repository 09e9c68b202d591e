"""Descent along the gradient or its sign, with PyTorch's arithmetic: SGD, ASGD, Rprop."""

from typing import Any

import jax.numpy as jnp

from msjax.experimental.optim.optimizer import Optimizer, at_least, decayed, scalars, zeros


def sgd(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], accum: Any, stat: Any) -> tuple:
    """Gradient descent with momentum; `stat` is 1 until the first step of a parameter."""
    g = decayed(g, p, group)
    momentum, dampening = scalars(p, group["momentum"], group["dampening"])
    if not momentum:
        return -rate * g, accum, stat
    accum = jnp.where(stat > 0, g, momentum * accum + (1 - dampening) * g)
    g = g + momentum * accum if group["nesterov"] else accum
    return -rate * g, accum, jnp.zeros_like(stat)


def _ones(p: Any, group: dict[str, Any]) -> Any:
    return jnp.ones_like(p)


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum.

    b = momentum b + (1 - dampening) g, or b = g at first; p = p - lr b, or p - lr (g + momentum b) with `nesterov`.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        momentum (float): decay of the sum of the gradients.
        dampening (float): share that is taken off new gradients.
        weight_decay (float): L2 penalty.
        nesterov (bool): look ahead by one step.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range, or `nesterov` lacks momentum or has dampening.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.SGD([p], lr=0.5)((ms.Tensor([1.0, -1.0]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(sgd)
    _slot_names = ("accum", "stat")
    _starts = (zeros, _ones)

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"momentum": float(momentum), "dampening": float(dampening), "weight_decay": weight_decay}
        more = {"nesterov": nesterov, "maximize": maximize, "grad_centralization": False}
        super().__init__(params, {"lr": lr, **settings, **more})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        momentum, dampening = group["momentum"], group["dampening"]
        at_least(self.cls_name, 0.0, momentum=momentum)
        if group["nesterov"] and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"`{self.cls_name}`: with `nesterov`, `momentum` must be greater than 0 and `dampening` 0. "
                f"Received: momentum={momentum}, dampening={dampening}."
            )
        if group["grad_centralization"]:
            raise ValueError(f"`{self.cls_name}`: `grad_centralization` must be False. Received: True.")


def asgd(
    g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], average: Any, eta: Any, mu: Any
) -> tuple:
    """Averaged descent; the step size eta and the share mu of new parameters are those that the last step left."""
    lambd, alpha, t0 = scalars(p, group["lambd"], group["alpha"], group["t0"])
    eta = jnp.where(step == 1, rate, eta)
    change = -lambd * eta * p - eta * decayed(g, p, group)
    average = jnp.where(mu == 1, p + change, average + mu * (p + change - average))
    following = rate / (1 + lambd * rate * step) ** alpha
    return change, average, following, 1 / jnp.maximum(jnp.ones_like(step), step - t0)


def _one(p: Any, group: dict[str, Any]) -> Any:
    return jnp.ones((), p.dtype)


class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992); `ax` holds the averages.

    p = (1 - lambd eta) p - eta g, with eta = lr / (1 + lambd lr t)^alpha.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        lambd (float): decay.
        alpha (float): exponent of the step size.
        t0 (float): the step after which averages are taken.
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
        >>> optim.ASGD([p], lr=0.1)((ms.Tensor([0.5, -1.0]),))
        True
        >>> print(p.asnumpy())
        [0.94999 2.09998]
    """

    _rule = staticmethod(asgd)
    _slot_names = ("ax", "eta", "mu")
    _starts = (zeros, _one, _one)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        settings = {"lambd": lambd, "alpha": alpha, "t0": t0}
        super().__init__(params, {"lr": lr, **settings, "weight_decay": weight_decay, "maximize": maximize})


def rprop(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], before: Any, size: Any) -> tuple:
    """Rprop: each element has its own step size, which grows while the sign of its gradient stays."""
    lower, higher, least, most = scalars(p, *group["etas"], *group["step_sizes"])
    size = jnp.where(step == 1, rate, size)
    g = decayed(g, p, group)
    turn = g * before
    factor = jnp.where(turn > 0, higher, jnp.where(turn < 0, lower, jnp.ones_like(p)))
    size = jnp.clip(size * factor, least, most)
    g = jnp.where(turn < 0, jnp.zeros_like(g), g)
    return -jnp.sign(g) * size, g, size


class Rprop(Optimizer):
    """Resilient propagation (Riedmiller and Braun, 1993): only the sign of the gradient counts.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): the first step size.
        etas (tuple[float, float]): factors of the step size where the sign has changed, and where it stays.
        step_sizes (tuple[float, float]): least and greatest step size.
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
        >>> optim.Rprop([p], lr=0.5)((ms.Tensor([3.0, -0.1]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(rprop)
    _slot_names = ("prev", "step_size")
    _starts = (zeros, zeros)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"etas": etas, "step_sizes": step_sizes, "maximize": maximize, "weight_decay": 0.0}
        super().__init__(params, {"lr": lr, **settings})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        lower, higher = group["etas"]
        if not 0.0 < lower < 1.0 < higher:
            raise ValueError(
                f"`Rprop`: `etas` must be a number in (0, 1) and one above 1. Received: {group['etas']}."
            )
        least, most = group["step_sizes"]
        if least > most:
            raise ValueError(f"`Rprop`: `step_sizes` must be in order. Received: {group['step_sizes']}.")
