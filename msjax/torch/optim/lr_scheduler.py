"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch."""

import inspect
import math
from collections.abc import Sequence
from typing import Any

from msjax.core.trace.stateful import Counting
from msjax.optim_rules import schedules
from msjax.torch.functions import served_from_mint
from msjax.torch.optim.optimizer import Optimizer


class LRScheduler(schedules.Schedule, Counting):
    """Base of the schedulers; a subclass defines `get_lr` from `last_epoch`, `base_lrs` and the groups' rates."""

    def _check(self, optimizer: Any, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")

    def _begin(self, last_epoch: int) -> None:
        self.base_lrs = [group["initial_lr"] for group in self.optimizer.param_groups]
        self.last_epoch = last_epoch

    @property
    def _last_lr(self) -> list[Any]:  # type: ignore[override]
        return [group["lr"] for group in self.optimizer.param_groups]

    def _now(self) -> Any:
        return self.last_epoch

    def _count(self, epoch: Any) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch

    def _set_rates(self, rates: Sequence[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate

    def get_last_lr(self) -> list[Any]:
        """Return the rates now."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of functions None, of objects that are called their attributes."""
        kept = {k: v for k, v in vars(self).items() if k != "optimizer" and not k.startswith("_")}
        if "lr_lambdas" in kept:
            kept["lr_lambdas"] = [
                None if inspect.isroutine(f) else vars(f).copy() for f in kept["lr_lambdas"]
            ]
        inner: Any = vars(self).get("_schedulers")
        if inner is not None:
            kept["_schedulers"] = [each.state_dict() for each in inner]
        return {**kept, "_last_lr": self._last_lr}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave, here or in PyTorch."""
        apart = ("_schedulers", "lr_lambdas", "_last_lr")
        vars(self).update({name: value for name, value in state_dict.items() if name not in apart})
        for function, saved in zip(
            getattr(self, "lr_lambdas", ()), state_dict.get("lr_lambdas", ()), strict=False
        ):
            if saved is not None:
                function.__dict__.update(saved)
        for each, saved in zip(
            getattr(self, "_schedulers", ()), state_dict.get("_schedulers", ()), strict=True
        ):
            each.load_state_dict(saved)


class _LRScheduler(LRScheduler):
    """Base class that older programs derive their schedulers from."""


class StepLR(schedules.StepLR, LRScheduler):
    """Times gamma after every `step_size` epochs.

    Examples:
        >>> from msjax import torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.05]
    """


class MultiStepLR(schedules.MultiStepLR, LRScheduler):
    """Times gamma at each milestone."""


class ConstantLR(schedules.ConstantLR, LRScheduler):
    """The first rate times `factor` for `total_iters` epochs, and then the first rate."""


class LinearLR(schedules.LinearLR, LRScheduler):
    """A factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""


class ExponentialLR(schedules.ExponentialLR, LRScheduler):
    """Times gamma after every epoch."""


class PolynomialLR(schedules.PolynomialLR, LRScheduler):
    """A power of the share of `total_iters` that is left."""


class LambdaLR(schedules.LambdaLR, LRScheduler):
    """The first rate times a function of the epoch."""


class MultiplicativeLR(schedules.MultiplicativeLR, LRScheduler):
    """The rate before times a function of the epoch."""


class CosineAnnealingLR(schedules.CosineAnnealingLR, LRScheduler):
    """Half a cosine from the first rate to `eta_min` in `T_max` epochs (Loshchilov and Hutter, 2017)."""


class CosineAnnealingWarmRestarts(schedules.CosineAnnealingWarmRestarts, LRScheduler):
    """Half cosines, each `T_mult` times as long as the one before (Loshchilov and Hutter, 2017)."""


class CyclicLR(schedules.CyclicLR, LRScheduler):
    """Up and down between two rates (Smith, 2017); momentum goes the other way."""

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0, scale_fn: Any = None,
        scale_mode: str = "cycle", cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self._check(optimizer)
        _check_momentum(optimizer, cycle_momentum)
        self.cycle_momentum, self.base_momentum, self.max_momentum = (
            cycle_momentum,
            base_momentum,
            max_momentum,
        )
        sizes = step_size_up, step_size_down
        super().__init__(optimizer, base_lr, max_lr, *sizes, mode, gamma, scale_fn, scale_mode, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        if self.cycle_momentum:
            momentum = self.max_momentum - (self.max_momentum - self.base_momentum) * self._height()
            for group in self.optimizer.param_groups:
                _set_momentum(group, momentum)
        return super().get_lr()


class OneCycleLR(LRScheduler):
    """Up to one rate and far down again (Smith and Topin, 2017); momentum goes the other way."""

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
        cycle_momentum: bool = True, base_momentum: float = 0.85, max_momentum: float = 0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR both epochs and steps_per_epoch")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps: int = total_steps or epochs * steps_per_epoch  # type: ignore[operator]
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        _check_momentum(optimizer, cycle_momentum)
        up = float(pct_start * self.total_steps) - 1
        last = (self.total_steps - 1, "min_lr", "max_momentum")
        if three_phase:
            second = (2 * pct_start * self.total_steps - 2, "initial_lr", "max_momentum")
            self.phases = [(up, "max_lr", "base_momentum"), second, last]
        else:
            self.phases = [(up, "max_lr", "base_momentum"), last]
        for group, most in zip(
            optimizer.param_groups,
            schedules.for_each("OneCycleLR", "max_lr", max_lr, len(optimizer.param_groups)),
            strict=True,
        ):
            start = most / div_factor
            group["lr"] = start
            group.update(max_lr=most, initial_lr=start, min_lr=start / final_div_factor)
            group.update(base_momentum=base_momentum, max_momentum=max_momentum)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates of the epoch, and set the momentum of the groups."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        begin, rate, momentum = 0.0, "initial_lr", "max_momentum"
        for phase in self.phases:
            end, next_rate, next_momentum = phase
            if self.last_epoch <= end or phase == self.phases[-1]:
                break
            begin, rate, momentum = phase
        share = (self.last_epoch - begin) / (end - begin)
        groups = self.optimizer.param_groups
        for group in groups if self.cycle_momentum else ():
            _set_momentum(group, self._between(group[momentum], group[next_momentum], share))
        return [self._between(group[rate], group[next_rate], share) for group in groups]

    def _between(self, start: float, end: float, share: float) -> float:
        if self.anneal_strategy == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _check_momentum(optimizer: Optimizer, cycle_momentum: bool) -> None:
    if cycle_momentum and not any(n in optimizer.defaults for n in ("momentum", "betas")):
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


def _set_momentum(group: Any, momentum: float) -> None:
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class SequentialLR(schedules.SequentialLR, LRScheduler):
    """Several schedules, each from a milestone on, where it begins anew."""


class ChainedScheduler(LRScheduler):
    """Several schedules whose changes are made one after another."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self._schedulers = list(schedulers)
        self.optimizer = optimizer or self._schedulers[0].optimizer

    def step(self, epoch: Any = None) -> None:  # noqa: D102
        for schedule in self._schedulers:
            schedule.step()


class ReduceLROnPlateau(schedules.ReduceLROnPlateau, LRScheduler):
    """A smaller rate whenever a number has not become better for some epochs.

    Args:
        optimizer: whose rates change.
        mode: whether smaller ("min") or larger ("max") numbers are better.
        factor: that rates are multiplied by.
        patience: epochs without improvement that are let pass.
        threshold: what counts as improvement.
        threshold_mode: a share of the best number ("rel"), or a difference ("abs").
        cooldown: epochs after a change in which nothing is counted.
        min_lr: below which no rate goes.
        eps: the smallest change of a rate.

    Examples:
        >>> from msjax import torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)
        >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
        >>> schedule.step(1.0)
        >>> schedule.step(2.0)
        >>> schedule.get_last_lr()
        [0.05]
    """


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.optim.lr_scheduler", name)
