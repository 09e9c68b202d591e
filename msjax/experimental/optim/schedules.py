"""Schedules of a learning rate that one formula gives."""

import math
from collections import Counter
from typing import Any

from msjax.experimental.optim.scheduler import LRScheduler, for_each, pick
from msjax.ops.math.trigonometric import cos


class StepLR(LRScheduler):
    """Step decay: the learning rate times gamma, every `step_size` steps.

    lr = lr gamma if t is a multiple of step_size.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        step_size (int): steps between the changes.
        gamma (float): the factor.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._now()
        stays = (now == 0) | (now % self.step_size != 0)
        return [pick(stays, lr * 1.0, lr * self.gamma) for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        return [base * self.gamma ** (self._now() // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The learning rate times gamma, at given steps.

    lr = lr gamma^n, where n is how often t is among the milestones.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        milestones (list[int]): the steps.
        gamma (float): the factor.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], 0.5)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(self, optimizer: Any, milestones: Any, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now, rates = self._now(), [lr * 1.0 for lr in self._last_lr]
        for milestone, times in self.milestones.items():
            rates = [pick(now == milestone, lr * self.gamma**times, lr) for lr in rates]
        return rates

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        now, rates = self._now(), [base * 1.0 for base in self.base_lrs]
        for milestone, times in self.milestones.items():
            rates = [pick(now >= milestone, lr * self.gamma**times, lr) for lr in rates]
        return rates


class ConstantLR(LRScheduler):
    """The learning rate times a factor, until a given step.

    lr = factor base for t < total_iters, base afterwards.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        factor (float): the factor, in [0, 1].
        total_iters (int): the step after which the learning rate is whole.
        last_epoch (int): how many steps have been made already, less 1.

    Raises:
        ValueError: if `factor` is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.ConstantLR(optimizer, 0.5)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(
        self, optimizer: Any, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"`ConstantLR`: argument `factor` must be in [0, 1]. Received: {factor}.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._now()
        return [
            pick(now == 0, lr * self.factor, pick(now == self.total_iters, lr / self.factor, lr * 1.0))
            for lr in self._last_lr
        ]

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        now = self._now()
        return [pick(now >= self.total_iters, base * 1.0, base * self.factor) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Linear schedule: the learning rate times a factor that grows or shrinks in equal steps.

    factor = start_factor + (end_factor - start_factor) min(t, total_iters) / total_iters.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        start_factor (float): the factor at first, in (0, 1].
        end_factor (float): the factor at last, in [0, 1].
        total_iters (int): the step from which the factor stays.
        last_epoch (int): how many steps have been made already, less 1.

    Raises:
        ValueError: if a factor is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.75
    """

    def __init__(
        self,
        optimizer: Any,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError(
                "`LinearLR`: arguments `start_factor` must be in (0, 1] and `end_factor` in [0, 1]. "
                f"Received: {start_factor}, {end_factor}."
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now, change = self._now(), self.end_factor - self.start_factor
        grown = 1.0 + change / (self.total_iters * self.start_factor + (now - 1) * change)
        return [
            pick(now == 0, lr * self.start_factor, pick(now > self.total_iters, lr * 1.0, lr * grown))
            for lr in self._last_lr
        ]

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        now = self._now()
        share = pick(now > self.total_iters, now * 0.0 + self.total_iters, now) / self.total_iters
        return [
            base * (self.start_factor + (self.end_factor - self.start_factor) * share)
            for base in self.base_lrs
        ]


class ExponentialLR(LRScheduler):
    """The learning rate times gamma, every step.

    lr = base gamma^t.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        gamma (float): the factor.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._now()
        return [pick(now == 0, lr * 1.0, lr * self.gamma) for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        return [base * self.gamma ** self._now() for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Polynomial decay: the learning rate times a power of the remaining share of the steps.

    lr = base (1 - min(t, total_iters) / total_iters)^power.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        total_iters (int): the number of steps.
        power (float): the exponent.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.PolynomialLR(optimizer, 4)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.75
    """

    def __init__(
        self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now, total = self._now(), self.total_iters
        stays = (now == 0) | (now > total)
        before = pick(stays, now * 0.0 + 1.0, 1.0 - (now - 1) / total)
        left = pick(stays, now * 0.0 + 1.0, 1.0 - now / total)
        return [lr * (left / before) ** self.power for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        now, total = self._now(), self.total_iters
        left = pick(now > total, now * 0.0, 1.0 - now / total)
        return [base * left**self.power for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """Lambda schedule: the initial learning rate times a function of the step.

    lr = base lr_lambda(t).

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        lr_lambda (Callable, list[Callable]): of the number of the step; one, or one for each group.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda t: 0.5**t)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas = for_each("LambdaLR", "lr_lambda", lr_lambda, count)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._count()
        return [base * f(now) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def _count(self) -> Any:
        now = self._now()
        return int(now) if isinstance(now, float) else now


class MultiplicativeLR(LRScheduler):
    """Multiplicative schedule: the learning rate times a function of the step, at each step.

    lr = lr lr_lambda(t), from the second step on.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        lr_lambda (Callable, list[Callable]): of the number of the step; one, or one for each group.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.MultiplicativeLR(optimizer, lambda t: 0.5)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas = for_each("MultiplicativeLR", "lr_lambda", lr_lambda, count)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._now()
        if isinstance(now, float):
            now = int(now)
            return [
                lr * (f(now) if now else 1.0) for lr, f in zip(self._last_lr, self.lr_lambdas, strict=True)
            ]
        return [
            pick(now == 0, lr * 1.0, lr * f(now))
            for lr, f in zip(self._last_lr, self.lr_lambdas, strict=True)
        ]


class CosineAnnealingLR(LRScheduler):
    """The learning rate along a cosine, down and up again (Loshchilov and Hutter, 2017).

    lr = eta_min + (base - eta_min) (1 + cos(pi t / T_max)) / 2.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        T_max (int): steps from the first learning rate to the least.
        eta_min (float): the least learning rate.
        last_epoch (int): how many steps have been made already, less 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, 2)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _cos(self, steps: Any) -> Any:
        angle = steps * (math.pi / self.T_max)
        return math.cos(angle) if isinstance(angle, float) else cos(angle)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._now()
        turns = (now - 1 - self.T_max) % (2 * self.T_max) == 0
        rise = (1 - math.cos(math.pi / self.T_max)) / 2
        before = pick(turns, now * 0.0 + 1.0, 1 + self._cos(now - 1))
        return [
            pick(
                now == 0,
                lr * 1.0,
                pick(
                    turns,
                    lr + (base - self.eta_min) * rise,
                    (1 + self._cos(now)) / before * (lr - self.eta_min) + self.eta_min,
                ),
            )
            for base, lr in zip(self.base_lrs, self._last_lr, strict=True)
        ]

    def _get_closed_form_lr(self) -> list[Any]:
        """The same, from the first learning rates."""
        height = (1 + self._cos(self._now())) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]
