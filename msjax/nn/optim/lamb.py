"""LAMB optimizer."""

from typing import Any

from msjax.nn.optim import transforms_layerwise
from msjax.nn.optim.adam import check_betas
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class Lamb(Optimizer):
    r"""LAMB (You et al., ICLR 2020): Adam with each step scaled to :math:`lr` times the norm of the parameter.

    .. math::
        r_t = \frac{m_t / (1 - \beta_1^t)}{\sqrt{v_t / (1 - \beta_2^t)} + \epsilon} + d\,p_{t-1}, \qquad
        p_t = p_{t-1} - lr \frac{\|p_{t-1}\|}{\|r_t\|} r_t

    with Adam's moments :math:`m` and :math:`v`; the quotient is 1 where one of both lengths is 0. Without groups,
    parameters with "beta" or "gamma" in their names do not decay.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule.
        beta1: decay rate of the first moment, in (0, 1). Default: 0.9.
        beta2: decay rate of the second moment, in (0, 1). Default: 0.999.
        eps: positive float. Default: 1e-6.
        weight_decay: :math:`d`, float of at least 0, or a Cell that gives it for a step. Default: 0.0.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([3.0, 4.0]), name="p")
        >>> _ = ms.nn.Lamb([p], learning_rate=0.1)((ms.Tensor([1.0, 0.0]),))
        >>> print(p.asnumpy())
        [2.5 4. ]
    """

    _slot_names = {"moments1": "lamb_m.{}", "moments2": "lamb_v.{}"}

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_betas("Lamb", beta1, beta2, eps)
        self._constants = beta1, beta2, eps
        self._use(transforms_layerwise.lamb(beta1, beta2, eps, self.decay_flags), prepared=False)

    def _hand_over(self) -> None:
        super()._hand_over()
        self._applied = transforms_layerwise.lamb(*self._constants, self.decay_flags), self._applied[1]
        self._prepare(self.decay_flags, 1.0)
