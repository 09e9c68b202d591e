"""More optimizers of `torch.optim`: the update rules of Adadelta, Adamax, NAdam, RAdam, ASGD and Rprop."""

from collections.abc import Iterable
from typing import Any

from msjax.optim_rules import updates
from msjax.torch.optim.optimizer import Optimizer


class Adadelta(Optimizer):
    """Steps of the size of earlier steps over gradients (Zeiler, 2012)."""

    _rule = updates.adadelta

    def __init__(
        self, params: Iterable[Any], lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0.0,
        foreach: Any = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "maximize": maximize})


class Adamax(Optimizer):
    """Adam with the largest gradient in place of the mean square (Kingma and Ba, 2015)."""

    _rule = updates.adamax

    def __init__(
        self, params: Iterable[Any], lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, foreach: Any = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "maximize": maximize})


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    _rule = updates.nadam

    def __init__(
        self, params: Iterable[Any], lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: Any = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        settings |= {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, {**settings, "maximize": maximize})


class RAdam(Optimizer):
    """RAdam: Adam that rectifies the variance of the adaptive step (Liu and others, 2020)."""

    _rule = updates.radam

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, decoupled_weight_decay: bool = False, *, foreach: Any = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        settings |= {"decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize}
        super().__init__(params, settings)


class ASGD(Optimizer):
    """ASGD: gradient descent that keeps the mean of the Parameters in `state[p]["ax"]` (Polyak and Juditsky, 1992)."""

    _rule = updates.asgd

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0.0, foreach: Any = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "maximize": maximize})


class Rprop(Optimizer):
    """Rprop: step sizes grow while the sign of the gradient stays (Riedmiller and Braun, 1993)."""

    _rule = updates.rprop

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: Any = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        settings = {"lr": lr, "etas": tuple(etas), "step_sizes": tuple(step_sizes)}
        super().__init__(params, {**settings, "maximize": maximize})
