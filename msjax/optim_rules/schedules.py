"""Schedules of learning rates: the formulas of MindSpore's and PyTorch's schedulers, which are the same.

`get_lr` computes the next rates from those of now, so that schedules of one optimizer multiply, and a rate that was set
by hand stays; `_get_closed_form_lr` computes them from the first ones, for `step(epoch)`. Numbers are Python's, or
Tensors where a step is being compiled: `pick` chooses between two of either.

What differs between the interfaces, they define in a class that stands behind these among the bases of a scheduler:

    _check(optimizer, last_epoch)   raises for arguments of the wrong type
    _begin(last_epoch)              sets `base_lrs` and `last_epoch`
    _last_lr                        the rates of now, one for each group
    _now(), _count(epoch)           the number of the step; set it, or add 1 for None
    _set_rates(rates)               gives them to the groups
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.ops.math.comparison import where
from msjax.ops.math.rounding import floor
from msjax.ops.math.trigonometric import cos


def pick(condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two numbers, whether the condition is a Python value or a Tensor."""
    return where(condition, yes, no) if isinstance(condition, Tensor) else (yes if condition else no)


def for_each(owner: str, name: str, value: Any, count: int) -> list[Any]:
    """Return a setting for each group, from one or a sequence."""
    if not isinstance(value, tuple | list):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"`{owner}`: argument `{name}` must have {count} elements, one a group. Received: {len(value)}."
        )
    return list(value)


class Schedule:
    """Learning rates of the groups of an optimizer, which each step changes."""

    optimizer: Any
    base_lrs: list[Any]
    last_epoch: Any
    _last_lr: Any
    _check: Callable[..., None]
    _begin: Callable[[int], None]
    _now: Callable[[], Any]
    _count: Callable[[Any], None]
    _set_rates: Callable[[list[Any]], None]

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        self._check(optimizer, last_epoch)
        for group in optimizer.param_groups:
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", float(lr) if isinstance(lr, Tensor) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"`{type(self).__name__}`: a group has no `initial_lr`, which is needed to go on."
                )
        self.optimizer = optimizer
        self._begin(last_epoch)
        self.step()

    def get_lr(self) -> list[Any]:
        """Return the rates of the present step; a subclass defines it."""
        raise NotImplementedError(f"`{type(self).__name__}`: a scheduler must define `get_lr`.")

    def step(self, epoch: Any = None) -> Any:
        """Give every group its next learning rate.

        Args:
            epoch (int, None): go to this step instead of the next.
        """
        self._count(epoch)
        rates = self.get_lr if epoch is None else getattr(self, "_get_closed_form_lr", self.get_lr)
        self._set_rates(rates())


class StepLR(Schedule):
    """base gamma^(t // step_size)."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now = self._now()
        stays = (now == 0) | (now % self.step_size != 0)
        return [pick(stays, lr * 1.0, lr * self.gamma) for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self._now() // self.step_size) for base in self.base_lrs]


class MultiStepLR(Schedule):
    """base gamma^n, where n milestones are passed."""

    def __init__(self, optimizer: Any, milestones: Any, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now, rates = self._now(), [lr * 1.0 for lr in self._last_lr]
        for milestone, times in Counter(self.milestones).items():
            rates = [pick(now == milestone, lr * self.gamma**times, lr) for lr in rates]
        return rates

    def _get_closed_form_lr(self) -> list[Any]:
        now, rates = self._now(), [base * 1.0 for base in self.base_lrs]
        for milestone, times in Counter(self.milestones).items():
            rates = [pick(now >= milestone, lr * self.gamma**times, lr) for lr in rates]
        return rates


class ConstantLR(Schedule):
    """base factor for t < total_iters, base afterwards."""

    def __init__(
        self, optimizer: Any, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"`ConstantLR`: argument `factor` must be in [0, 1]. Received: {factor}.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now, rates = self._now(), []
        for lr, base in zip(self._last_lr, self.base_lrs, strict=True):
            whole = lr / self.factor if self.factor else base * 1.0  # nothing is left of a rate of 0
            rates.append(pick(now == 0, lr * self.factor, pick(now == self.total_iters, whole, lr * 1.0)))
        return rates

    def _get_closed_form_lr(self) -> list[Any]:
        now = self._now()
        return [pick(now >= self.total_iters, base * 1.0, base * self.factor) for base in self.base_lrs]


class LinearLR(Schedule):
    """base (start_factor + (end_factor - start_factor) min(t, total_iters) / total_iters)."""

    def __init__(
        self, optimizer: Any, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError(
                "`LinearLR`: arguments `start_factor` must be in (0, 1] and `end_factor` in [0, 1]. "
                f"Received: {start_factor}, {end_factor}."
            )
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now, change = self._now(), self.end_factor - self.start_factor
        stays = (now == 0) | (now > self.total_iters)  # where the factor before may be 0
        before = pick(stays, now * 0.0 + 1.0, self.total_iters * self.start_factor + (now - 1) * change)
        grown = 1.0 + pick(stays, now * 0.0, now * 0.0 + change) / before
        return [pick(now == 0, lr * self.start_factor, lr * grown) for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        now = self._now()
        share = pick(now > self.total_iters, now * 0.0 + self.total_iters, now) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * share
        return [base * factor for base in self.base_lrs]


class ExponentialLR(Schedule):
    """base gamma^t."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now = self._now()
        return [pick(now == 0, lr * 1.0, lr * self.gamma) for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** self._now() for base in self.base_lrs]


class PolynomialLR(Schedule):
    """base (1 - min(t, total_iters) / total_iters)^power."""

    def __init__(
        self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now, total = self._now(), self.total_iters
        stays = (now == 0) | (now > total)
        before = pick(stays, now * 0.0 + 1.0, 1.0 - (now - 1) / total)
        left = pick(stays, now * 0.0 + 1.0, 1.0 - now / total)
        return [lr * (left / before) ** self.power for lr in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        now, total = self._now(), self.total_iters
        left = pick(now > total, now * 0.0, 1.0 - now / total)
        return [base * left**self.power for base in self.base_lrs]


class _ByFunction(Schedule):
    """One whose factors are functions of the step, one for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        self._check(optimizer)
        count = len(optimizer.param_groups)
        self.lr_lambdas = for_each(type(self).__name__, "lr_lambda", lr_lambda, count)
        super().__init__(optimizer, last_epoch)

    def _whole_step(self) -> Any:
        now = self._now()
        return int(now) if isinstance(now, float) and now.is_integer() else now


class LambdaLR(_ByFunction):
    """base lr_lambda(t)."""

    def get_lr(self) -> list[Any]:  # noqa: D102
        now = self._whole_step()
        return [base * f(now) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(_ByFunction):
    """The last rate times lr_lambda(t), from the second step on."""

    def get_lr(self) -> list[Any]:  # noqa: D102
        now = self._whole_step()
        rows = zip(self._last_lr, self.lr_lambdas, strict=True)
        if isinstance(now, Tensor):
            return [pick(now == 0, lr * 1.0, lr * f(now)) for lr, f in rows]
        return [lr * (f(now) if now else 1.0) for lr, f in rows]  # no function is asked about step 0


class CosineAnnealingLR(Schedule):
    """eta_min + (base - eta_min) (1 + cos(pi t / T_max)) / 2 (Loshchilov and Hutter, 2017)."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _cos(self, steps: Any) -> Any:
        angle = steps * (math.pi / self.T_max)
        return cos(angle) if isinstance(angle, Tensor) else math.cos(angle)

    def get_lr(self) -> list[Any]:  # noqa: D102
        now = self._now()
        turns = (now - 1 - self.T_max) % (2 * self.T_max) == 0
        rise = (1 - math.cos(math.pi / self.T_max)) / 2
        before = pick(turns, now * 0.0 + 1.0, 1 + self._cos(now - 1))
        grown = (1 + self._cos(now)) / before
        rates = []
        for base, lr in zip(self.base_lrs, self._last_lr, strict=True):
            moved = grown * (lr - self.eta_min) + self.eta_min
            moved = pick(turns, lr + (base - self.eta_min) * rise, moved)
            rates.append(pick(now == 0, lr * 1.0, moved))
        return rates

    def _get_closed_form_lr(self) -> list[Any]:
        height = (1 + self._cos(self._now())) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(Schedule):
    """eta_min + (base - eta_min) (1 + cos(pi T_cur / T_i)) / 2, T_cur steps into a cycle of T_i."""

    def __init__(
        self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"`CosineAnnealingWarmRestarts`: argument `{name}` must be an int above 0. Received: {value!r}."
                )
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:  # noqa: D102
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Give every group its next learning rate.

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
        self._count(math.floor(now))
        self._set_rates(self.get_lr())


class CyclicLR(Schedule):
    """Up from base_lr to max_lr and down again (Smith, 2017), each cycle to the share of the height of its mode."""

    def __init__(
        self, optimizer: Any, base_lr: Any, max_lr: Any, step_size_up: int = 2000, step_size_down: int | None = None,
        mode: str = "triangular", gamma: float = 1.0, scale_fn: Callable | None = None, scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self._check(optimizer)
        modes = ["triangular", "triangular2", "exp_range"]
        if mode not in modes and scale_fn is None:
            raise ValueError(f"`CyclicLR`: argument `mode` must be one of {modes}. Received: {mode!r}.")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(
                f"`CyclicLR`: argument `scale_mode` must be 'cycle' or 'iterations'. Received: {scale_mode!r}."
            )
        groups = optimizer.param_groups
        lows = for_each("CyclicLR", "base_lr", base_lr, len(groups))
        self.max_lrs = for_each("CyclicLR", "max_lr", max_lr, len(groups))
        if last_epoch == -1:
            for group, low in zip(groups, lows, strict=True):
                group["initial_lr"] = low
        self.total_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self.scale_mode, self._scale = mode, gamma, scale_mode, scale_fn
        super().__init__(optimizer, last_epoch)

    def _height(self) -> Any:
        """Return the height above the lower bound: 0 at the bottom of a cycle, 1 at the top of the first."""
        now = self._now()
        turns = now / self.total_size
        cycle = 1 + (floor(turns) if isinstance(turns, Tensor) else math.floor(turns))
        x = 1 + turns - cycle
        height = pick(x <= self.step_ratio, x / self.step_ratio, (x - 1) / (self.step_ratio - 1))
        if self._scale is not None:
            return height * self._scale(cycle if self.scale_mode == "cycle" else now)
        if self.mode == "triangular2":
            return height * 0.5 ** (cycle - 1)
        return height * self.gamma**now if self.mode == "exp_range" else height

    def get_lr(self) -> list[Any]:  # noqa: D102
        height = self._height()
        return [base + (high - base) * height for base, high in zip(self.base_lrs, self.max_lrs, strict=True)]


class SequentialLR:
    """One schedule after the other: from each milestone on the next one, which begins anew."""

    _check: Callable[..., None]
    _set_rates: Callable[[list[Any]], None]

    def __init__(self, optimizer: Any, schedulers: Any, milestones: Any, last_epoch: int = -1) -> None:
        self._check(optimizer)
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise ValueError(
                "`SequentialLR`: argument `schedulers` must be of `optimizer`. Received: of another one."
            )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "`SequentialLR`: argument `milestones` must have one element less than `schedulers`. "
                f"Received: {len(milestones)} beside {len(schedulers)}."
            )
        self.optimizer = optimizer
        self._schedulers, self.milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        self._set_rates([group["initial_lr"] for group in optimizer.param_groups])
        for scheduler in self._schedulers:  # takes back the step that each made when it was made
            scheduler._count(int(scheduler.last_epoch) - 1)
        self._schedulers[0].step()

    def step(self) -> None:
        """Let the schedule whose turn it is make a step."""
        self.last_epoch += 1
        at = bisect_right(self.milestones, self.last_epoch)
        begins = at > 0 and self.milestones[at - 1] == self.last_epoch
        self._schedulers[at].step(*[0] * begins)


class ReduceLROnPlateau:
    """The rate times a factor, when a metric has not improved for a while."""

    _check: Callable[..., None]
    _set_rates: Callable[[list[Any]], None]

    def __init__(
        self, optimizer: Any, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        self._check(optimizer)
        name = "ReduceLROnPlateau"
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
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown = threshold, threshold_mode, cooldown
        self.min_lrs = for_each(name, "min_lr", min_lr, len(optimizer.param_groups))
        self.eps = eps
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.num_bad_epochs = self.cooldown_counter = 0

    @property
    def in_cooldown(self) -> bool:
        """True while bad steps are not counted."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> Any:
        """Count a step, and lower the learning rates if it is time.

        Args:
            metrics (float, Tensor): the metric.
            epoch (int, None): the number of the step. Default: the next one.
        """
        metric = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        better = self._is_better(metric)
        self.best = metric if better else self.best
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _is_better(self, metric: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            bound = self.best * (1 + sign * self.threshold)
        else:
            bound = self.best + sign * self.threshold
        return metric < bound if self.mode == "min" else metric > bound

    def _reduce(self) -> None:
        old = [group["lr"] for group in self.optimizer.param_groups]
        new = [max(float(lr) * self.factor, least) for lr, least in zip(old, self.min_lrs, strict=True)]
        self._set_rates([n if float(o) - n > self.eps else o for o, n in zip(old, new, strict=True)])
