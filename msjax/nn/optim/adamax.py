"""AdaMax optimizer."""

from typing import Any

from msjax.nn.optim import transforms
from msjax.nn.optim.adam import check_betas
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class AdaMax(Optimizer):
    r"""AdaMax (Kingma & Ba, ICLR 2015, section 7.1).

    .. math::
        m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad v_t = \max(\beta_2 v_{t-1}, |g_t|), \qquad
        p_t = p_{t-1} - \frac{lr}{1 - \beta_1^t} \frac{m_t}{v_t + \epsilon}

    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.001.
        beta1: decay rate of the first moment, in (0, 1). Default: 0.9.
        beta2: decay rate of the largest gradient, in (0, 1). Default: 0.999.
        eps: positive float. Default: 1e-8.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> _ = nn.AdaMax([p], learning_rate=0.5)((ms.Tensor([3.0, -0.1]),))
        >>> print(p.asnumpy().round(4))
        [0.5 2.5]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_betas("AdaMax", beta1, beta2, eps)
        self._use(transforms.adamax(beta1, beta2, eps))
