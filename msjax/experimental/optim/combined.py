"""Schedules with state of their own: cycles, restarts, plateaus, one schedule after the other."""

from typing import Any

from msjax.experimental.optim.scheduler import LRScheduler, Rates
from msjax.optim_rules import schedules


class CosineAnnealingWarmRestarts(schedules.CosineAnnealingWarmRestarts, LRScheduler):
    """The learning rate down a cosine, and anew from the top (Loshchilov and Hutter, 2017).

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


class CyclicLR(schedules.CyclicLR, LRScheduler):
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
        scale_fn (Callable, None): the share of the height, in the place of `mode`.
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


class SequentialLR(schedules.SequentialLR, Rates):
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


class ReduceLROnPlateau(schedules.ReduceLROnPlateau, Rates):
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

    def step(self, metrics: Any) -> bool:  # type: ignore[override]
        """Count a step, and lower the learning rates if it is time.

        Args:
            metrics (float, Tensor): the metric.
        """
        super().step(metrics)
        return True
