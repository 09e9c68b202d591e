"""Learning rate schedules given by one formula (StepLR, LinearLR, CosineAnnealingLR ...)."""

from msjax.experimental.optim.scheduler import LRScheduler
from msjax.ops.common.docstrings import documented_by
from msjax.optim_rules import schedules


class StepLR(schedules.StepLR, LRScheduler):
    """The learning rate times gamma, every so many steps.

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


class MultiStepLR(schedules.MultiStepLR, LRScheduler):
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


class ConstantLR(schedules.ConstantLR, LRScheduler):
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


class LinearLR(schedules.LinearLR, LRScheduler):
    """The learning rate times a factor that grows or shrinks in equal steps.

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


@documented_by(StepLR)
class ExponentialLR(schedules.ExponentialLR, LRScheduler):
    """The learning rate times gamma, every step.

    lr = base gamma^t.

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


class PolynomialLR(schedules.PolynomialLR, LRScheduler):
    """The learning rate times a power of what is left of a number of steps.

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


class LambdaLR(schedules.LambdaLR, LRScheduler):
    """The first learning rate times what a function gives.

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


@documented_by(LambdaLR)
class MultiplicativeLR(schedules.MultiplicativeLR, LRScheduler):
    """The learning rate times what a function gives.

    lr = lr lr_lambda(t), from the second step on.

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


class CosineAnnealingLR(schedules.CosineAnnealingLR, LRScheduler):
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
