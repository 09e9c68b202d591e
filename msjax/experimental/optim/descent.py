"""Gradient descent optimizers SGD, ASGD and Rprop, with PyTorch's arithmetic."""

from typing import Any

import jax
import jax.numpy as jnp

from msjax.experimental.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by
from msjax.optim_rules import updates

_ONES = updates.Slot(lambda p, settings: jnp.ones_like(p))


@updates.rule("momentum", accum=updates.ZEROS, stat=_ONES)
def _sgd(
    g: Any, p: Any, slots: updates.Slots, lr: Any, t: Any, *, momentum: Any, dampening: Any, nesterov: bool
) -> tuple[jax.Array, updates.Slots]:
    """Descend with momentum as PyTorch does, with MindSpore's slots: `stat` is 1 until a parameter's first step."""
    own = {"momentum_buffer": slots["accum"], "started": slots["stat"] <= 0}
    settings = {"momentum": momentum, "dampening": dampening, "nesterov": nesterov}
    change, new = updates.sgd.step(g, p, own, lr, t, **settings)
    if not new:
        return change, {}
    return change, {"accum": new["momentum_buffer"], "stat": jnp.zeros_like(slots["stat"])}


@documented_by(Optimizer)
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum.

    b = momentum b + (1 - dampening) g, or b = g at first; p = p - lr b, or p - lr (g + momentum b) with `nesterov`.

    Args:
        lr (float, Tensor): learning rate.
        momentum (float): decay of the sum of the gradients.
        dampening (float): share that is taken off new gradients.
        weight_decay (float): L2 penalty.
        nesterov (bool): look ahead by one step.
        maximize (bool): go up instead of down.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.SGD([p], lr=0.5)((ms.Tensor([1.0, -1.0]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = _sgd

    def __init__(
        self, params: Any, lr: Any, momentum: float = 0, dampening: float = 0, weight_decay: float = 0.0,
        nesterov: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        settings = {"momentum": float(momentum), "dampening": float(dampening), "weight_decay": weight_decay}
        more = {"nesterov": nesterov, "maximize": maximize, "grad_centralization": False}
        super().__init__(params, {"lr": lr, **settings, **more})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        momentum, dampening = group["momentum"], group["dampening"]
        if group["nesterov"] and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"`{self.cls_name}`: with `nesterov`, `momentum` must be greater than 0 and `dampening` 0. "
                f"Received: momentum={momentum}, dampening={dampening}."
            )
        if group["grad_centralization"]:
            raise ValueError(f"`{self.cls_name}`: `grad_centralization` must be False. Received: True.")


@documented_by(SGD)
class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992); `ax` holds the averages.

    p = (1 - lambd eta) p - eta g, with eta = lr / (1 + lambd lr t)^alpha.

    Args:
        lambd (float): decay.
        alpha (float): exponent of the step size.
        t0 (float): the step after which averages are taken.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.ASGD([p], lr=0.1)((ms.Tensor([0.5, -1.0]),))
        True
        >>> print(p.asnumpy())
        [0.94999 2.09998]
    """

    _rule = updates.asgd

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0.0, maximize: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0}
        super().__init__(params, {**settings, "weight_decay": weight_decay, "maximize": maximize})


@documented_by(SGD)
class Rprop(Optimizer):
    """Resilient propagation (Riedmiller and Braun, 1993): only the sign of the gradient counts.

    Args:
        lr (float, Tensor): the first step size.
        etas (tuple[float, float]): factors of the step size where the sign has changed, and where it stays.
        step_sizes (tuple[float, float]): least and greatest step size.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Rprop([p], lr=0.5)((ms.Tensor([3.0, -0.1]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = updates.rprop

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, maximize: bool = False,
    ) -> None:  # fmt: skip
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
