"""Stateful schedules: cyclic, cosine with warm restarts, reduce on plateau, sequential."""

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.experimental.optim.optimizer import set_rate
from msjax.experimental.optim.scheduler import LRScheduler, for_each, of_optimizer, pick
from msjax.ops.math.rounding import floor
from msjax.ops.state.assignment import assign, assign_sub


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing with warm restarts (SGDR; Loshchilov and Hutter, 2017).

    lr = eta_min + (base - eta_min) (1 + cos(pi T_cur / T_i)) / 2, where T_cur counts from the last restart and T_i is
    the length of the present cycle. It needs to know the number of the step, and so is no part of compiled functions.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        T_0 (int): length of the first cycle.
        T_mult (int): the factor from one length to the next.
        eta_min (float): the least learning rate.
        last_epoch (int): how many steps have been made already, less 1.

    Raises:
        ValueError: if a length is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2)
        >>> scheduler.step()
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(
        self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"`CosineAnnealingWarmRestarts`: argument `{name}` must be an int above 0. Received: {value!r}."
                )
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:  # type: ignore[override]
        """Set the next learning rate of every group.

        Args:
            epoch (int, float, None): go to this step, or between two, instead of the next.

        Raises:
            ValueError: if it is negative.
        """
        now = float(self.last_epoch) + 1 if epoch is None else float(epoch)
        if now < 0:
            raise ValueError(
                f"`CosineAnnealingWarmRestarts`: argument `epoch` must be at least 0. Received: {epoch}."
            )
        start, self.T_i = 0, self.T_0
        if self.T_mult == 1:
            start = now // self.T_0 * self.T_0
        while now >= start + self.T_i:
            start, self.T_i = start + self.T_i, self.T_i * self.T_mult
        self.T_cur = now - start
        assign(self.last_epoch, Tensor(np.float32(math.floor(now))))
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            set_rate(group, rate)


class CyclicLR(LRScheduler):
    """The learning rate up and down between two bounds (Smith, 2017).

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        base_lr (float, list[float]): the lower bound, one or one for each group.
        max_lr (float, list[float]): the upper bound, one or one for each group.
        step_size_up (int): steps up.
        step_size_down (int, None): steps down. Default: as many.
        mode (str): how high a cycle goes: "triangular" always the whole height, "triangular2" half of it after each
            cycle, "exp_range" gamma^t of it.
        gamma (float): for "exp_range".
        scale_fn (Callable, None): the share of the height, in place of `mode`.
        scale_mode (str): what it is a function of: "cycle" the number of the cycle, "iterations" that of the step.
        last_epoch (int): how many steps have been made already, less 1.

    Raises:
        ValueError: for another mode, or bounds for another number of groups.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.CyclicLR(optimizer, 0.0, 1.0, 4)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.25
    """

    def __init__(
        self,
        optimizer: Any,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        of_optimizer("CyclicLR", optimizer)
        shares = {
            "triangular": (lambda n: 1.0, "cycle"),
            "triangular2": (lambda n: 0.5 ** (n - 1), "cycle"),
            "exp_range": (lambda n: gamma**n, "iterations"),
        }
        if mode not in shares and scale_fn is None:
            raise ValueError(
                f"`CyclicLR`: argument `mode` must be one of {list(shares)}. Received: {mode!r}."
            )
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(
                f"`CyclicLR`: argument `scale_mode` must be 'cycle' or 'iterations'. Received: {scale_mode!r}."
            )
        count = len(optimizer.param_groups)
        lows = for_each("CyclicLR", "base_lr", base_lr, count)
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, lows, strict=True):
                group["initial_lr"] = low
        self.max_lrs = for_each("CyclicLR", "max_lr", max_lr, count)
        self.total_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self._share, self._of = (scale_fn, scale_mode) if scale_fn is not None else shares[mode]
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step."""
        now = self._now()
        turns = now / self.total_size
        cycle = 1 + (math.floor(turns) if isinstance(turns, float) else floor(turns))
        x = 1 + turns - cycle
        height = pick(x <= self.step_ratio, x / self.step_ratio, (x - 1) / (self.step_ratio - 1))
        height = height * self._share(cycle if self._of == "cycle" else now)
        return [base + (high - base) * height for base, high in zip(self.base_lrs, self.max_lrs, strict=True)]


class SequentialLR:
    """One scheduler after the other.

    Args:
        optimizer (Optimizer): the one that all of them have.
        schedulers (list[LRScheduler]): the schedulers.
        milestones (list[int]): the steps at which the next one takes over.
        last_epoch (int): how many steps have been made already, less 1.

    Raises:
        ValueError: if a scheduler is of another optimizer, or there is not one milestone less than schedulers.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> first = optim.lr_scheduler.ConstantLR(optimizer, 0.5, 9)
        >>> then = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [first, then], [1])
        >>> scheduler.step()
        >>> print(scheduler.get_last_lr()[0])
        1.0
    """

    def __init__(self, optimizer: Any, schedulers: Any, milestones: Any, last_epoch: int = -1) -> None:
        of_optimizer("SequentialLR", optimizer)
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise ValueError(
                "`SequentialLR`: argument `schedulers` must be of `optimizer`. Received: of another one."
            )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "`SequentialLR`: argument `milestones` must have one element less than `schedulers`. "
                f"Received: {len(milestones)} for {len(schedulers)} schedulers."
            )
        self.optimizer = optimizer
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for scheduler in self._schedulers:  # takes back the step that each made when it was made
            assign_sub(scheduler.last_epoch, Tensor(np.float32(1)))
        self._schedulers[0].step()

    def step(self) -> None:
        """Step the scheduler that is active."""
        self.last_epoch += 1
        at = bisect_right(self._milestones, self.last_epoch)
        if at and self._milestones[at - 1] == self.last_epoch:
            self._schedulers[at].step(0)
        else:
            self._schedulers[at].step()

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates of the last step, one for each group."""
        return [Tensor(group["lr"]) for group in self.optimizer.param_groups]


class ReduceLROnPlateau:
    """The learning rate times a factor, when a metric has not improved for a while.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        mode (str): "min" if a smaller metric is better, or "max".
        factor (float): the factor, less than 1.
        patience (int): steps without improvement that are waited for.
        threshold (float): what counts as an improvement.
        threshold_mode (str): "rel", a share of the best, or "abs".
        cooldown (int): steps after a change in which none are counted.
        min_lr (float, list[float]): the least learning rate, one or one for each group.
        eps (float): changes that are smaller are not made.

    Raises:
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5)
        >>> scheduler.step(3.0)
        True
        >>> scheduler.step(3.0)
        True
        >>> print(scheduler.get_last_lr()[0])
        0.5
    """

    def __init__(
        self,
        optimizer: Any,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        name = "ReduceLROnPlateau"
        of_optimizer(name, optimizer)
        if factor >= 1.0:
            raise ValueError(f"`{name}`: argument `factor` must be less than 1. Received: {factor}.")
        for argument, value, options in (
            ("mode", mode, ("min", "max")), ("threshold_mode", threshold_mode, ("rel", "abs")),
        ):  # fmt: skip
            if value not in options:
                raise ValueError(
                    f"`{name}`: argument `{argument}` must be one of {options}. Received: {value!r}."
                )
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lrs = for_each(name, "min_lr", min_lr, len(optimizer.param_groups))
        self.eps = eps
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.num_bad_epochs = self.cooldown_counter = 0

    def step(self, metrics: Any) -> bool:
        """Count a step, and lower the learning rates if it is time.

        Args:
            metrics (float, Tensor): the metric.
        """
        metric = float(metrics)
        self.last_epoch += 1
        better = self._better(metric)
        self.best = metric if better else self.best
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        return True

    @property
    def in_cooldown(self) -> bool:
        """True while bad steps are not counted."""
        return self.cooldown_counter > 0

    def _better(self, metric: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            bound = self.best * (1 + sign * self.threshold)
        else:
            bound = self.best + sign * self.threshold
        return metric < bound if self.mode == "min" else metric > bound

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_rate(group, new)

    def get_last_lr(self) -> list[Tensor]:
        """The learning rates of the groups."""
        return [Tensor(group["lr"]) for group in self.optimizer.param_groups]
