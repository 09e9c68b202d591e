"""Base of the schedulers of learning rates; rates and the number of the step are Parameters."""

from typing import Any

import numpy as np

from msjax.core.state import state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace.stateful import Counting
from msjax.experimental.optim.optimizer import Optimizer, set_rate
from msjax.ops.state.assignment import assign, assign_add
from msjax.optim_rules import schedules


class Rates(Counting):
    """The learning rates of an optimizer of this package."""

    optimizer: Optimizer

    def _check(self, optimizer: Any, last_epoch: Any = -1) -> None:
        name = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"`{name}`: argument `optimizer` must be one of mindspore.experimental.optim. "
                f"Received: {type(optimizer).__name__}."
            )
        if isinstance(last_epoch, bool) or not isinstance(last_epoch, int):
            raise TypeError(f"`{name}`: argument `last_epoch` must be an int. Received: {last_epoch!r}.")

    def _set_rates(self, rates: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates that the last step gave, one for each group."""
        return [Tensor(group["lr"]) for group in self.optimizer.param_groups]


class LRScheduler(Rates, schedules.Schedule):
    """Base of the schedulers: each `step` gives every group of an optimizer another learning rate.

    A subclass defines `get_lr`, a list with one number for each group, from `last_epoch`, `base_lrs` and `_last_lr`.

    Args:
        optimizer (Optimizer): one of mindspore.experimental.optim.
        last_epoch (int): how many steps have been made already, less 1. -1 begins anew.

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

    def _begin(self, last_epoch: int) -> None:
        groups = self.optimizer.param_groups
        self.base_lrs = [Tensor(np.float32(group["initial_lr"])) for group in groups]
        self._last_lr = [group["lr"] for group in groups]
        self.groups_num = len(groups)
        name = f"last_epoch_{type(self).__name__}"
        self.last_epoch = Parameter(Tensor(np.float32(last_epoch)), name=name, requires_grad=False)

    def _now(self) -> Any:
        """Return the number of the step: a Python number, or a Tensor in what is being compiled."""
        return float(self.last_epoch) if state.frame is None else self.last_epoch

    def _count(self, epoch: Any) -> None:
        if epoch is None:
            assign_add(self.last_epoch, Tensor(np.float32(1)))
        else:
            assign(self.last_epoch, Tensor(np.float32(epoch)))

    def step(self, epoch: Any = None) -> bool:
        """Give every group its next learning rate.

        Args:
            epoch (int, None): go to this step instead of the next.
        """
        super().step(epoch)
        return True
