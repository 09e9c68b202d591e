"""More optimizers of `torch.optim`: Adadelta, Adamax, NAdam, RAdam, SparseAdam, ASGD, Rprop, Adafactor and Muon."""

from collections.abc import Callable, Iterable
from typing import Any

from msjax.optim_rules import updates
from msjax.torch.optim.optimizer import Optimizer


class Adadelta(Optimizer):
    """Steps of the size of earlier steps over gradients (Zeiler, 2012)."""

    _rule = updates.adadelta

    def __init__(
        self, params: Iterable[Any], lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: Any = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        super().__init__(
            params,
            {
                **settings,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )


class Adamax(Optimizer):
    """Adam with the largest gradient in place of the mean square (Kingma and Ba, 2015)."""

    _rule = updates.adamax

    def __init__(
        self, params: Iterable[Any], lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: Any = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        super().__init__(
            params,
            {
                **settings,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    _rule = updates.nadam

    def __init__(
        self, params: Iterable[Any], lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: Any = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        settings |= {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(
            params,
            {
                **settings,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )


class RAdam(Optimizer):
    """RAdam: Adam that rectifies the variance of the adaptive step (Liu and others, 2020)."""

    _rule = updates.radam

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: Any = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        settings |= {"decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize}
        super().__init__(
            params,
            {**settings, "foreach": foreach, "capturable": capturable, "differentiable": differentiable},
        )


class SparseAdam(Optimizer):
    """Adam for tables: rows whose gradient is zero throughout, those that were not looked up, keep their averages.

    Examples:
        >>> from msjax import torch
        >>> table = torch.nn.Embedding(3, 2, sparse=True)
        >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
        >>> before = table.weight.detach().clone()
        >>> table(torch.tensor([1])).sum().backward()
        >>> optimizer.step()
        >>> (table.weight - before).detach()
        tensor([[ 0.0000,  0.0000],
                [-0.1000, -0.1000],
                [ 0.0000,  0.0000]])
    """

    _rule = updates.sparse_adam

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "eps": eps, "maximize": maximize})
        if not lr > 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if any(p.is_complex() for p in self.params):  # type: ignore[attr-defined]
            raise ValueError("SparseAdam does not support complex parameters")

    def _gradient(self, parameter: Any) -> Any:
        return parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad


class ASGD(Optimizer):
    """ASGD: gradient descent that keeps the mean of the Parameters in `state[p]["ax"]` (Polyak and Juditsky, 1992)."""

    _rule = updates.asgd

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: Any = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(
            params,
            {
                **settings,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )


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
        super().__init__(
            params,
            {
                **settings,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )


def _refuse_complex(optimizer: Optimizer) -> None:
    if any(p.is_complex() for p in optimizer.params):
        raise RuntimeError(f"{type(optimizer).__name__} does not support complex parameters")


class Adafactor(Optimizer):
    """Adam with little memory: second moments of matrices by rows and columns (Shazeer and Stern, 2018).

    Args:
        params: tensors, or dicts with "params" and settings of their own.
        lr: the largest step, relative to the size of a Parameter.
        beta2_decay: the exponent of the step's number that is the share of new squares.
        eps: below which squares, and sizes of Parameters, are not taken.
        d: the root mean square of an update above which it is made shorter.
        weight_decay: the share by which Parameters shrink, times lr.
        foreach: of no effect.
        maximize: whether the gradient is followed.
    """

    _rule = updates.adafactor

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
        foreach: Any = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        if beta2_decay > 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        for i, each in enumerate(eps):
            if each is not None and each < 0:
                raise ValueError(f"epsilon{i + 1} should be >= 0 but is: {each}")
        if d < 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        settings = {"lr": lr, "beta2_decay": beta2_decay, "eps": tuple(eps), "d": d}
        super().__init__(
            params, {**settings, "weight_decay": weight_decay, "maximize": maximize, "foreach": foreach}
        )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # noqa: D102
        _refuse_complex(self)
        return super().step(closure)


class Muon(Optimizer):
    """Momentum of matrices, brought near to orthogonal ones (Jordan and others, 2024).

    Args:
        params: tensors of two dimensions, or dicts with "params" and settings of their own.
        lr: the length of steps.
        weight_decay: the share by which Parameters shrink, times lr.
        momentum: the share of earlier gradients.
        nesterov: whether the gradient is mixed in once more.
        ns_coefficients: of the polynomial of Newton and Schulz.
        eps: below which no norm is taken.
        ns_steps: how often the polynomial is applied.
        adjust_lr_fn: how lr is adjusted to the shape: "original" (None is the same), or "match_rms_adamw".
    """

    _rule, _counts = updates.muon, False

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95,
        nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7, ns_steps: int = 5, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        if ns_steps >= 100:
            raise ValueError("Number of steps must be less than 100 for computational efficiency")
        if len(ns_coefficients) != 3:
            raise ValueError("Coefficients must be a tuple of exactly 3 values")
        settings = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
        settings |= {"ns_coefficients": tuple(ns_coefficients), "eps": eps, "ns_steps": ns_steps}
        super().__init__(params, {**settings, "adjust_lr_fn": adjust_lr_fn})

    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # noqa: D102
        _refuse_complex(self)
        return super().step(closure)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """More Parameters, with settings of their own."""
        super().add_param_group(param_group)
        for each in self.param_groups[-1]["params"]:
            if each.ndim != 2:
                raise ValueError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {each.size()}"
                )
