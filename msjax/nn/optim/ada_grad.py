"""Adagrad optimizer."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class Adagrad(Optimizer):
    r"""Adagrad (Duchi et al., JMLR 2011).

    .. math::
        s_t = s_{t-1} + g_t^2, \qquad p_t = p_{t-1} - \frac{lr}{\sqrt{s_t}} g_t

    There is no eps: `accum`, which :math:`s` starts at, keeps the root from zero. Without groups, parameters with
    "beta" or "gamma" in their names do not decay. MindSpore's kernel for the CPU leaves `update_slots` out of account.

    Args:
        accum: float of at least 0. Default: 0.1.
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.001.
        update_slots: let :math:`s` grow. Default: True.

    Inputs:
        - **grads** (tuple[Tensor]) - one for each parameter.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.Adagrad([p], accum=0.0, learning_rate=0.5)
        >>> _ = optimizer((ms.Tensor([3.0, -0.1]),))
        >>> print(p.asnumpy(), optimizer.accum[0].name)
        [0.5 2.5] accum.p
    """

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        argument_checks.check_number("Adagrad", float, "accum", accum, (">=", 0))
        argument_checks.check_bools("Adagrad", update_slots=update_slots)
        self._use(transforms.adagrad(accum, update_slots))

    def construct(self, grads: Any) -> Any:
        """Update all parameters and slots from the gradients."""
        return self._update(grads, {})
