"""RMSProp optimizer."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class RMSProp(Optimizer):
    r"""RMSProp (Tieleman & Hinton, 2012) with momentum :math:`u`, plain or centered.

    .. math::
        s_t = \rho s_{t-1} + (1 - \rho) g_t^2, \qquad m_t = u\,m_{t-1} + \frac{lr}{\sqrt{s_t + \epsilon}} g_t, \qquad
        p_t = p_{t-1} - m_t

    Centered, :math:`s_t` is diminished under the root by the square of the mean gradient. :math:`s` starts at 1.
    Without groups, parameters with "beta" or "gamma" in their names do not decay. `optax.rmsprop` multiplies by the
    learning rate after the momentum.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.1.
        decay: :math:`\rho`, a float of at least 0. Default: 0.9.
        momentum: float of at least 0. Default: 0.0.
        epsilon: positive float. Default: 1e-10.
        use_locking: without effect: an update is one program.
        centered: subtract the mean. Default: False.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.RMSProp([p], learning_rate=0.5, decay=0.0)
        >>> _ = optimizer((ms.Tensor([3.0, -0.1]),))
        >>> print(p.asnumpy(), optimizer.ms[0].name)
        [0.5 2.5] mean_square.p
    """

    _slot_names = {"mg": "mean_grad.{}", "ms": "mean_square.{}"}

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = argument_checks.check_number("RMSProp", float, "decay", decay, (">=", 0))
        self.momentum = argument_checks.check_number("RMSProp", float, "momentum", momentum, (">=", 0))
        self.epsilon = argument_checks.check_number("RMSProp", float, "epsilon", epsilon, (">", 0))
        argument_checks.check_bools("RMSProp", use_locking=use_locking, centered=centered)
        self.centered = centered
        self._use(transforms.rmsprop(decay, momentum, epsilon, centered))
