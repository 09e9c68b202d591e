"""`torch.optim.lr_scheduler`: learning rate schedules."""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any

from msjax.torch.functions import served_from_mint
from msjax.torch.optim.optimizer import Optimizer


class LRScheduler:
    """Base class of schedulers: sets each group's rate from its initial rate and the number of the epoch."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch + 1
        for i, (group, base) in enumerate(zip(optimizer.param_groups, self.base_lrs, strict=True)):
            new = self.rate(base, i, self.last_epoch)
            # The schedule may be one of several, whose factors multiply.
            first = last_epoch == -1 and base
            group["lr"] = group["lr"] if first and new == base else group["lr"] * new / base if first else new

    def rate(self, base: float, group: int, epoch: int) -> float:
        """The rate of a group in an epoch."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        for i, (group, base) in enumerate(zip(self.optimizer.param_groups, self.base_lrs, strict=True)):
            group["lr"] = self.rate(base, i, self.last_epoch)

    def get_last_lr(self) -> list[float]:
        """The rates now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions."""
        return {k: v for k, v in vars(self).items() if k != "optimizer" and not k.startswith("_")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict` returned."""
        vars(self).update(state_dict)


class LambdaLR(LRScheduler):
    """The first rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        several = isinstance(lr_lambda, list | tuple)
        self._factors: Sequence[Callable] = (
            lr_lambda if several else [lr_lambda] * len(optimizer.param_groups)
        )
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return base * self._factors[group](epoch)


class StepLR(LRScheduler):
    """Times gamma after every `step_size` epochs.

    Examples:
        >>> from msjax import torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.05]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return base * self.gamma ** (epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """Times gamma at each milestone."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return base * self.gamma ** bisect.bisect_right(self.milestones, epoch)


class ExponentialLR(LRScheduler):
    """Times gamma after every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return base * self.gamma**epoch


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to `eta_min` in `T_max` epochs (Loshchilov and Hutter, 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * epoch / self.T_max)) / 2


class LinearLR(LRScheduler):
    """Linear schedule: a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        share = min(epoch, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * share)


class ConstantLR(LRScheduler):
    """The first rate times `factor` for `total_iters` epochs, and then the first rate."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return base * (self.factor if epoch < self.total_iters else 1.0)


class MultiplicativeLR(LambdaLR):
    """The rate before times a function of the epoch."""

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return self.optimizer.param_groups[group]["lr"] * self._factors[group](epoch) if epoch > 0 else base


class PolynomialLR(LRScheduler):
    """Polynomial decay: a power of the remaining share of `total_iters`."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        return base * (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines, each `T_mult` times as long as the one before (Loshchilov and Hutter, 2017)."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: float) -> float:  # noqa: D102
        length, at = self.T_0, epoch
        while at >= length:
            at, length = at - length, length * self.T_mult
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * at / length)) / 2


class CyclicLR(LRScheduler):
    """Cyclic learning rate: up and down between two rates (Smith, 2017); momentum goes the other way."""

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0, scale_fn: Any = None,
        scale_mode: str = "cycle", cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        down = step_size_down or step_size_up
        self.total_size, self.step_ratio = step_size_up + down, step_size_up / (step_size_up + down)
        self.mode, self.gamma, self._scale, self.scale_mode = mode, gamma, scale_fn, scale_mode
        self.max_lrs, self.cycle_momentum = _each(max_lr, optimizer), cycle_momentum
        self.base_momentum, self.max_momentum = base_momentum, max_momentum
        if cycle_momentum and not any(n in optimizer.defaults for n in ("momentum", "betas")):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        for group, rate in zip(optimizer.param_groups, _each(base_lr, optimizer), strict=True):
            group["initial_lr"] = group["lr"] = rate
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        cycle = math.floor(1 + epoch / self.total_size)
        x = 1.0 + epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        if self._scale is not None:
            return height * self._scale(cycle if self.scale_mode == "cycle" else epoch)
        if self.mode == "triangular2":
            return height / 2.0 ** (cycle - 1)
        return height * self.gamma**epoch if self.mode == "exp_range" else height

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        height = self._height(epoch)
        if self.cycle_momentum:
            momentum = self.max_momentum - (self.max_momentum - self.base_momentum) * height
            _set_momentum(self.optimizer.param_groups[group], momentum)
        return base + (self.max_lrs[group] - base) * height


class OneCycleLR(LRScheduler):
    """One-cycle policy: up to one rate and far down again (Smith and Topin, 2017); momentum goes the other way."""

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
        if cycle_momentum and not any(n in optimizer.defaults for n in ("momentum", "betas")):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        up = float(pct_start * self.total_steps) - 1
        last = (self.total_steps - 1, "min_lr", "max_momentum")
        if three_phase:
            second = (2 * pct_start * self.total_steps - 2, "initial_lr", "max_momentum")
            self.phases = [(up, "max_lr", "base_momentum"), second, last]
        else:
            self.phases = [(up, "max_lr", "base_momentum"), last]
        for group, most in zip(optimizer.param_groups, _each(max_lr, optimizer), strict=True):
            start = most / div_factor
            group["lr"] = start
            group.update(max_lr=most, initial_lr=start, min_lr=start / final_div_factor)
            group.update(base_momentum=base_momentum, max_momentum=max_momentum)
        super().__init__(optimizer, last_epoch)

    def rate(self, base: float, group: int, epoch: int) -> float:  # noqa: D102
        if epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {epoch} times. The specified number of total steps is {self.total_steps}"
            )
        settings = self.optimizer.param_groups[group]
        begin, rate, momentum = 0.0, "initial_lr", "max_momentum"
        for end, next_rate, next_momentum in self.phases:
            if epoch <= end or (end, next_rate, next_momentum) == self.phases[-1]:
                share = (epoch - begin) / (end - begin)
                if self.cycle_momentum:
                    _set_momentum(settings, self._between(settings[momentum], settings[next_momentum], share))
                return self._between(settings[rate], settings[next_rate], share)
            begin, rate, momentum = end, next_rate, next_momentum
        raise AssertionError

    def _between(self, start: float, end: float, share: float) -> float:
        if self.anneal_strategy == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _each(value: Any, optimizer: Optimizer) -> list[float]:
    listed = list(value) if isinstance(value, list | tuple) else [value] * len(optimizer.param_groups)
    if len(listed) != len(optimizer.param_groups):
        raise ValueError(
            f"expected {len(optimizer.param_groups)} values, one for each group, got {len(listed)}"
        )
    return listed


def _set_momentum(group: Any, momentum: float) -> None:
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class SequentialLR(LRScheduler):
    """Several schedules in sequence: each starts at its milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of milestones to be one less than schedules"
            )
        self._schedulers, self.milestones = list(schedulers), list(milestones)
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self._schedulers[0].step(0)

    def step(self, epoch: int | None = None) -> None:  # noqa: D102
        self.last_epoch += 1
        place = bisect.bisect_right(self.milestones, self.last_epoch)
        begins = place > 0 and self.milestones[place - 1] == self.last_epoch
        self._schedulers[place].step(0 if begins else None)


class ChainedScheduler(LRScheduler):
    """Several schedules whose changes are made one after another."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self._schedulers = list(schedulers)
        self.optimizer = optimizer or self._schedulers[0].optimizer
        self._rates = [[s.rate(1.0, g, 0) for g in self._groups] for s in self._schedulers]

    @property
    def _groups(self) -> range:
        return range(len(self.optimizer.param_groups))

    def step(self, epoch: int | None = None) -> None:  # noqa: D102
        for i, schedule in enumerate(self._schedulers):
            schedule.last_epoch += 1
            for g in self._groups:
                new = schedule.rate(1.0, g, schedule.last_epoch)
                self.optimizer.param_groups[g]["lr"] *= new / self._rates[i][g]
                self._rates[i][g] = new


class ReduceLROnPlateau(LRScheduler):
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

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = (
            threshold,
            threshold_mode,
            cooldown,
            eps,
        )
        self.min_lrs, self.last_epoch = _each(min_lr, optimizer), 0
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0

    def _better(self, value: float) -> bool:
        if self.threshold_mode == "rel":
            limit = self.best * (1 - self.threshold if self.mode == "min" else 1 + self.threshold)
        else:
            limit = self.best + (-self.threshold if self.mode == "min" else self.threshold)
        return value < limit if self.mode == "min" else value > limit

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go on to the next epoch, with the number of this one."""
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                new = max(group["lr"] * self.factor, least)
                group["lr"] = new if group["lr"] - new > self.eps else group["lr"]
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0


def __getattr__(name: str) -> Any:
    return served_from_mint.missing("torch.optim.lr_scheduler", name)
