"""Learning rate schedules as lists of floats, one for each step."""

import math
from collections.abc import Callable
from typing import Any

from msjax.nn.cell import argument_checks
from msjax.ops.common.docstrings import documented_by

__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]


def _per_step(total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    """Return the rate of every step, as a function of its epoch."""
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _whole(owner: str, **values: Any) -> None:
    for name, value in values.items():
        argument_checks.check_number(owner, int, name, value, (">", 0))


def _decay(
    owner: str,
    learning_rate: float,
    decay_rate: float,
    total: int,
    per_epoch: int,
    decay_epoch: int,
    is_stair: bool,
) -> None:
    _whole(owner, total_step=total, step_per_epoch=per_epoch, decay_epoch=decay_epoch)
    argument_checks.check_number(owner, float, "learning_rate", learning_rate, (">", 0))
    argument_checks.check_number(owner, float, "decay_rate", decay_rate, (">", 0))
    argument_checks.check_bools(owner, is_stair=is_stair)


def piecewise_constant_lr(
    milestone: list[int] | tuple[int, ...], learning_rates: list[float] | tuple[float, ...]
) -> list[float]:
    """`learning_rates[i]` for the steps before `milestone[i]` that no earlier milestone covers.

    Args:
        milestone: positive ints, none less than the one before.
        learning_rates: as many floats.

    Returns:
        A list of `milestone[-1]` floats.

    Raises:
        TypeError: if an argument is not a list or tuple, or an element is of another type.
        ValueError: if the lengths differ or a milestone is less than the one before.

    Examples:
        >>> from msjax import nn
        >>> nn.piecewise_constant_lr([2, 3], [0.1, 0.01])
        [0.1, 0.1, 0.01]
    """
    owner = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, list | tuple):
            raise TypeError(
                f"`{owner}`: argument `{name}` must be a list or tuple. Received: {argument_checks.describe_value(value)}."
            )
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"`{owner}`: `milestone` and `learning_rates` must have one length. "
            f"Received: {len(milestone)} and {len(learning_rates)}."
        )
    rates: list[float] = []
    last = 0
    for i, (end, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        argument_checks.check_number(owner, int, f"milestone[{i}]", end, (">=", max(last, 1)))
        argument_checks.check_number(owner, float, f"learning_rates[{i}]", rate)
        rates += [rate] * (end - last)
        last = end
    return rates


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """`learning_rate * decay_rate ** (epoch / decay_epoch)` for every step.

    Args:
        learning_rate: rate of epoch 0, a positive float.
        decay_rate: positive float.
        total_step: how many steps, a positive int.
        step_per_epoch: positive int.
        decay_epoch: positive int.
        is_stair: keep the rate for `decay_epoch` epochs at a time. Default: False.

    Returns:
        A list of `total_step` floats.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is not positive.

    Examples:
        >>> from msjax import nn
        >>> nn.exponential_decay_lr(0.1, 0.5, 4, 2, 1)
        [0.1, 0.1, 0.05, 0.05]
    """
    _decay(
        "exponential_decay_lr", learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair
    )
    share = (lambda e: e // decay_epoch) if is_stair else (lambda e: e / decay_epoch)
    return _per_step(total_step, step_per_epoch, lambda e: learning_rate * decay_rate ** share(e))


@documented_by(exponential_decay_lr)
def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """`learning_rate * e ** (-decay_rate * epoch)` for every step.

    Args:
        decay_epoch: positive int; counts only with `is_stair`.

    Examples:
        >>> from msjax import nn
        >>> [round(lr, 4) for lr in nn.natural_exp_decay_lr(0.1, 1.0, 4, 2, 1)]
        [0.1, 0.1, 0.0368, 0.0368]
    """
    _decay(
        "natural_exp_decay_lr", learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair
    )
    passed = (lambda e: e // decay_epoch * decay_epoch) if is_stair else (lambda e: e)
    return _per_step(
        total_step, step_per_epoch, lambda e: learning_rate * math.e ** (-decay_rate * passed(e))
    )


@documented_by(exponential_decay_lr)
def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """`learning_rate / (1 + decay_rate * epoch / decay_epoch)` for every step.

    Examples:
        >>> from msjax import nn
        >>> nn.inverse_decay_lr(0.1, 1.0, 4, 2, 1)
        [0.1, 0.1, 0.05, 0.05]
    """
    _decay("inverse_decay_lr", learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    share = (lambda e: e // decay_epoch) if is_stair else (lambda e: e / decay_epoch)
    return _per_step(total_step, step_per_epoch, lambda e: learning_rate / (1 + decay_rate * share(e)))


@documented_by(exponential_decay_lr)
def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Return rates that decay from `max_lr` to `min_lr` along half a period of a cosine of `decay_epoch` epochs.

    Args:
        min_lr: float of at least 0.
        max_lr: float above `min_lr`.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range.

    Examples:
        >>> from msjax import nn
        >>> [round(lr, 4) for lr in nn.cosine_decay_lr(0.0, 0.1, 3, 1, 2)]
        [0.1, 0.05, 0.0]
    """
    owner = "cosine_decay_lr"
    argument_checks.check_number(owner, float, "min_lr", min_lr, (">=", 0))
    argument_checks.check_number(owner, float, "max_lr", max_lr, (">", 0), (">", min_lr))
    _whole(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)

    def rate(epoch: int) -> float:
        return min_lr + 0.5 * (max_lr - min_lr) * (
            1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch)
        )

    return _per_step(total_step, step_per_epoch, rate)


@documented_by(cosine_decay_lr)
def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """`(learning_rate - end_learning_rate) * (1 - epoch / decay_epoch) ** power + end_learning_rate` for every step.

    Args:
        learning_rate: rate of epoch 0, a positive float.
        end_learning_rate: rate from epoch `decay_epoch` on, a float of at least 0.
        power: positive float.
        update_decay_epoch: after `decay_epoch` epochs go on with the next multiple of it in its place. Default: False.

    Examples:
        >>> from msjax import nn
        >>> nn.polynomial_decay_lr(0.1, 0.0, 3, 1, 2, 1.0)
        [0.1, 0.05, 0.0]
    """
    owner = "polynomial_decay_lr"
    argument_checks.check_number(owner, float, "learning_rate", learning_rate, (">", 0))
    argument_checks.check_number(owner, float, "end_learning_rate", end_learning_rate, (">=", 0))
    argument_checks.check_number(owner, float, "power", power, (">", 0))
    _whole(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    argument_checks.check_bools(owner, update_decay_epoch=update_decay_epoch)

    def rate(epoch: int) -> float:
        whole = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        share = 1 - min(epoch, whole) / whole
        return (learning_rate - end_learning_rate) * share**power + end_learning_rate

    return _per_step(total_step, step_per_epoch, rate)


@documented_by(cosine_decay_lr)
def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """Return rates that rise from 0 to `learning_rate` in `warmup_epoch` epochs.

    Args:
        learning_rate: final rate, a float of at least 0.
        warmup_epoch: positive int.

    Examples:
        >>> from msjax import nn
        >>> nn.warmup_lr(0.1, 3, 1, 2)
        [0.0, 0.05, 0.1]
    """
    owner = "warmup_lr"
    argument_checks.check_number(owner, float, "learning_rate", learning_rate, (">=", 0))
    _whole(owner, total_step=total_step, step_per_epoch=step_per_epoch, warmup_epoch=warmup_epoch)
    return _per_step(
        total_step, step_per_epoch, lambda e: learning_rate * min(e, warmup_epoch) / warmup_epoch
    )
