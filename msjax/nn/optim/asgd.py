"""ASGD optimizer (averaged stochastic gradient descent)."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms_adaptive as transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class ASGD(Optimizer):
    r"""Averaged gradient descent (Polyak & Juditsky, 1992); the averages are the slots `ax`.

    .. math::
        p_t = (1 - \lambda \eta_{t-1}) p_{t-1} - \eta_{t-1} g_t, \qquad
        ax_t = ax_{t-1} + \mu_{t-1} (p_t - ax_{t-1}), \qquad
        \eta_t = \frac{lr}{(1 + \lambda\,lr\,t)^\alpha}, \qquad \mu_t = \frac{1}{\max(1, t - t_0)}

    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.1.
        lambd: float. Default: 1e-4.
        alpha: float. Default: 0.75.
        t0: step from which on averages are taken, a float. Default: 1e6.

    Outputs:
        bool, True.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `weight_decay` is negative.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.ASGD([p], learning_rate=0.5, lambd=0.0, t0=0.0)
        >>> for _ in range(3):
        ...     _ = optimizer((ms.Tensor([1.0, 0.0]),))
        >>> print(p.asnumpy(), optimizer.ax[0].asnumpy())
        [-0.5  2. ] [-0.25  2.  ]
    """

    _one_result = True
    _slot_names = {"mu": "mu_{}", "eta": "eta_{}", "ax": "ax_.{}"}

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, value in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            argument_checks.check_number("ASGD", float, name, value)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self._use(transforms.asgd(lambd, alpha, t0))
