"""Rprop optimizer."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms_adaptive as transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class Rprop(Optimizer):
    r"""Resilient propagation (Riedmiller & Braun, ICNN 1993): only the signs of gradients count.

    The first step of every element has the length `learning_rate`. Where the sign of the gradient stays, the step
    becomes longer by the factor :math:`\eta_+`; where it changes, it becomes shorter by :math:`\eta_-` and is left out
    once.
    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.1.
        etas: :math:`(\eta_-, \eta_+)`, with 0 < :math:`\eta_-` < 1 < :math:`\eta_+`. Default: (0.5, 1.2).
        step_sizes: the least and the greatest length of a step, floats. Default: (1e-6, 50.0).

    Outputs:
        bool, True.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.Rprop([p], learning_rate=0.5, etas=(0.5, 2.0))
        >>> for g in ([3.0, -0.1], [7.0, 0.2]):
        ...     _ = optimizer((ms.Tensor(g),))
        >>> print(p.asnumpy(), optimizer.step_size[0].asnumpy())
        [-0.5  2.5] [1.   0.25]
    """

    _one_result = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(pair, tuple):
                raise TypeError(
                    f"`Rprop`: argument `{name}` must be a tuple. Received: {argument_checks.describe_value(pair)}."
                )
            if len(pair) != 2:
                raise ValueError(f"`Rprop`: argument `{name}` must have two elements. Received: {pair}.")
            for i, value in enumerate(pair):
                argument_checks.check_number("Rprop", float, f"{name}[{i}]", value)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(
                f"`Rprop`: argument `etas` must be in (0, 1) and greater than 1. Received: {etas}."
            )
        if step_sizes[0] > step_sizes[1]:
            raise ValueError(f"`Rprop`: argument `step_sizes` must not decrease. Received: {step_sizes}.")
        self._use(transforms.rprop(etas, step_sizes))
