"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch."""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any

from msjax.torch import wider
from msjax.torch.optim.optimizer import Optimizer


class LRScheduler:
    """Sets each group's rate from the rate that it began with and the number of the epoch."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

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
        """Take over what :meth:`state_dict` gave."""
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
    """A factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

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


def __getattr__(name: str) -> Any:
    return wider.missing("torch.optim.lr_scheduler", name)
