"""Loss scale managers: fixed and dynamic factors for `Model` and `build_train_network`."""

from typing import Any

from msjax.core.trace.stateful import Counting
from msjax.nn.cell import argument_checks
from msjax.nn.wrap.loss_scaling import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell


class LossScaleManager(Counting):
    """Base of loss scale managers: a subclass defines all three methods."""

    def get_loss_scale(self) -> float:
        """Return the factor that losses are multiplied with."""
        raise NotImplementedError(
            f"`{type(self).__name__}`: a loss scale manager must define `get_loss_scale`."
        )

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the factor after a step.

        Args:
            overflow: whether a gradient was infinite or not a number.
        """
        raise NotImplementedError(
            f"`{type(self).__name__}`: a loss scale manager must define `update_loss_scale`."
        )

    def get_update_cell(self) -> Any:
        """Return the Cell that changes the factor inside a compiled step, or None."""
        raise NotImplementedError(
            f"`{type(self).__name__}`: a loss scale manager must define `get_update_cell`."
        )


class FixedLossScaleManager(LossScaleManager):
    """Constant loss scale.

    Args:
        loss_scale: at least 1. If `drop_overflow_update` is False, the optimizer needs the same. Default: 128.0.
        drop_overflow_update: leave out the update after an overflow. Default: True.

    Raises:
        TypeError: if `loss_scale` is not a number.
        ValueError: if it is less than 1.

    Examples:
        >>> from msjax import amp
        >>> manager = amp.FixedLossScaleManager(1024.0, drop_overflow_update=False)
        >>> manager.get_loss_scale(), manager.get_update_cell()
        (1024.0, None)
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale = argument_checks.check_number(
            "FixedLossScaleManager", (int, float), "loss_scale", loss_scale, (">=", 1)
        )
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self) -> float:
        """Return the factor that losses are multiplied with."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return True if the update is skipped after an overflow."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow: bool) -> None:
        """Do nothing: the factor stays as it is."""

    def get_update_cell(self) -> FixedLossScaleUpdateCell | None:
        """Return the Cell that a step asks whether it overflowed; None if overflows are not looked for."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """Dynamic loss scale: shrinks after every overflow and grows after `scale_window` steps without one.

    Args:
        init_loss_scale: at least 1. Default: 2 ** 24.
        scale_factor: what it is multiplied with or divided by, positive. Default: 2.
        scale_window: positive int. Default: 2000.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range.

    Examples:
        >>> from msjax import amp
        >>> manager = amp.DynamicLossScaleManager(8.0, 2, 2)
        >>> for overflow in (False, False, True):
        ...     manager.update_loss_scale(overflow)
        ...     print(manager.get_loss_scale())
        8.0
        16.0
        8.0
    """

    # MindSpore gives up after as many overflows in a row.
    bad_step_max = 1000

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000
    ) -> None:
        owner = "DynamicLossScaleManager"
        self.loss_scale = argument_checks.check_number(
            owner, (int, float), "init_loss_scale", init_loss_scale, (">=", 1)
        )
        self.scale_factor = argument_checks.check_number(
            owner, (int, float), "scale_factor", scale_factor, (">", 0)
        )
        self.scale_window = argument_checks.check_number(owner, int, "scale_window", scale_window, (">", 0))
        self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.cur_iter = 1
        self.last_overflow_iter = 0
        self.bad_step = 0

    def get_loss_scale(self) -> float:
        """Return the factor that losses are multiplied with."""
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the factor after a step.

        Args:
            overflow: whether a gradient was infinite or not a number.

        Raises:
            RuntimeError: if more than 1000 steps in a row overflowed.
        """
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
            if self.bad_step > self.bad_step_max:
                raise RuntimeError(
                    f"`DynamicLossScaleManager`: {self.bad_step} steps in a row overflowed, and the loss scale is "
                    f"{self.loss_scale}. The loss itself is probably infinite or not a number."
                )
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        self.cur_iter += 1

    def get_drop_overflow_update(self) -> bool:
        """True: the update is left out after an overflow."""
        return True

    def get_update_cell(self) -> DynamicLossScaleUpdateCell:
        """Return the Cell that changes the factor inside a compiled step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
