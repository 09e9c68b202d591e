"""Base class of learning rate schedulers."""

from typing import Any

import numpy as np

from msjax.core.state import state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.experimental.optim.optimizer import Optimizer, set_rate
from msjax.ops.math.comparison import where
from msjax.ops.state.assignment import assign, assign_add


def pick(condition: Any, yes: Any, no: Any) -> Any:
    """One of two numbers, whether the condition is a Python value or a Tensor."""
    return where(condition, yes, no) if isinstance(condition, Tensor) else (yes if condition else no)


def of_optimizer(owner: str, optimizer: Any) -> None:
    """Raise unless it is one of this package's."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"`{owner}`: argument `optimizer` must be one of mindspore.experimental.optim. "
            f"Received: {type(optimizer).__name__}."
        )


def for_each(owner: str, name: str, value: Any, count: int) -> list[Any]:
    """Return a setting for each group, from one or a sequence."""
    if not isinstance(value, tuple | list):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"`{owner}`: argument `{name}` must have {count} elements, one a group. Received: {len(value)}."
        )
    return list(value)


class LRScheduler:
    """Base of the schedulers: each `step` gives every group of an optimizer another learning rate.

    A subclass defines `get_lr`, a list with one number for each group, from `last_epoch`, `base_lrs` and `_last_lr`.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        last_epoch (int): how many steps have been made already, less 1. -1 starts from the beginning.

    Raises:
        TypeError: if `optimizer` is none of these.
        KeyError: if steps have been made, but a group has no `initial_lr`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> class Halving(optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [lr * 0.5 for lr in self._last_lr]
        >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
        >>> scheduler = Halving(optimizer)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr()[0])
        0.25
    """

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        name = type(self).__name__
        of_optimizer(name, optimizer)
        if isinstance(last_epoch, bool) or not isinstance(last_epoch, int):
            raise TypeError(f"`{name}`: argument `last_epoch` must be an int. Received: {last_epoch!r}.")
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(f"`{name}`: a group has no `initial_lr`, which is needed to go on.")
        self.optimizer = optimizer
        self.base_lrs = [Tensor(np.float32(group["initial_lr"])) for group in optimizer.param_groups]
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = Parameter(
            Tensor(np.float32(last_epoch)), name=f"last_epoch_{name}", requires_grad=False
        )
        self.step()

    def _now(self) -> Any:
        """The number of the step: a Python number, or a Tensor in what is being compiled."""
        return float(self.last_epoch) if state.frame is None else self.last_epoch

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates of the last step, one for each group."""
        return [Tensor(group["lr"]) for group in self.optimizer.param_groups]

    def get_lr(self) -> list[Any]:
        """The learning rates of the present step; a subclass defines it."""
        raise NotImplementedError(f"`{type(self).__name__}`: a scheduler must define `get_lr`.")

    def step(self, epoch: Any = None) -> bool:
        """Set the next learning rate of every group.

        Args:
            epoch (int, None): go to this step instead of the next.
        """
        if epoch is None:
            assign_add(self.last_epoch, Tensor(np.float32(1)))
            rates = self.get_lr()
        else:
            assign(self.last_epoch, Tensor(np.float32(epoch)))
            rates = getattr(self, "_get_closed_form_lr", self.get_lr)()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)
        return True
