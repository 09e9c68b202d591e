"""Adadelta optimizer."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms_adaptive as transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class Adadelta(Optimizer):
    r"""Adadelta (Zeiler, 2012).

    .. math::
        s_t = \rho s_{t-1} + (1 - \rho) g_t^2, \qquad
        u_t = \frac{\sqrt{d_{t-1} + \epsilon}}{\sqrt{s_t + \epsilon}} g_t, \qquad
        d_t = \rho d_{t-1} + (1 - \rho) u_t^2, \qquad p_t = p_{t-1} - lr\,u_t

    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 1.0.
        rho: float in [0, 1]. Default: 0.9.
        epsilon: float of at least 0. Default: 1e-6.

    Inputs:
        - **grads** (tuple[Tensor]) - one for each parameter.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> _ = nn.Adadelta([p], rho=0.0, epsilon=1.0)((ms.Tensor([0.0, 1.0]),))
        >>> print(p.asnumpy())
        [1.        1.2928932]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = argument_checks.check_number("Adadelta", float, "rho", rho, (">=", 0), ("<=", 1))
        self.epsilon = argument_checks.check_number("Adadelta", float, "epsilon", epsilon, (">=", 0))
        self._use(transforms.adadelta(rho, epsilon))

    def construct(self, grads: Any) -> Any:
        """Update all parameters and slots from the gradients."""
        return self._update(grads, {})
