"""ProximalAdagrad optimizer."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms_adaptive as transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class ProximalAdagrad(Optimizer):
    r"""Adagrad with forward-backward splitting (Duchi & Singer, JMLR 2009).

    .. math::
        s_t = s_{t-1} + g_t^2, \qquad a = \frac{lr}{\sqrt{s_t}}, \qquad q = p_{t-1} - a\,g_t, \qquad
        p_t = \operatorname{sign}(q) \frac{\max(|q| - a\,l_1, 0)}{1 + a\,l_2}

    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        accum: what :math:`s` starts at, a float of at least 0. Default: 0.1.
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.001.
        l1: float of at least 0. Default: 0.0.
        l2: float of at least 0. Default: 0.0.
        use_locking: without effect: an update is one program.

    Inputs:
        - **grads** (tuple[Tensor]) - one for each parameter.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> _ = nn.ProximalAdagrad([p], accum=0.0, learning_rate=0.5)((ms.Tensor([3.0, -0.1]),))
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _takes_target = True
    _leaves_rows = True

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, value in (("accum", accum), ("l1", l1), ("l2", l2)):
            argument_checks.check_number("ProximalAdagrad", float, name, value, (">=", 0))
        argument_checks.check_bools("ProximalAdagrad", use_locking=use_locking)
        self.use_locking = use_locking
        self._use(transforms.proximal_adagrad(accum, l1, l2))

    def construct(self, grads: Any) -> Any:
        """Update all parameters and slots from the gradients."""
        return self._update(grads, {})
