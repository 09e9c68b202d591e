"""Adam and AdamWeightDecay (AdamW) optimizers."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


def check_betas(owner: str, beta1: float, beta2: float, eps: float) -> None:
    """Decay rates in (0, 1) and a positive eps, all floats."""
    for name, beta in (("beta1", beta1), ("beta2", beta2)):
        argument_checks.check_number(owner, float, name, beta, (">", 0), ("<", 1))
    argument_checks.check_number(owner, float, "eps", eps, (">", 0))


@documented_by(Optimizer, rename="params=parameters")
class Adam(Optimizer):
    r"""Adam (Kingma & Ba, ICLR 2015), with eps where the end of its section 2 has it.

    .. math::
        m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2, \qquad
        p_t = p_{t-1} - lr \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m_t}{\sqrt{v_t} + \epsilon}

    Weight decay is added to the gradient. Without groups, parameters with "beta" or "gamma" in their names do not
    decay. `optax.adam` corrects `v` before it adds eps; with eps small beside `sqrt(v)` the two agree.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 1e-3.
        beta1: decay rate of the first moment, in (0, 1). Default: 0.9.
        beta2: decay rate of the second moment, in (0, 1). Default: 0.999.
        eps: positive float. Default: 1e-8.
        use_locking: without effect: an update is one program.
        use_nesterov: use :math:`\beta_1 m_t + (1 - \beta_1) g_t` for :math:`m_t`. Default: False.
        use_amsgrad: use the largest :math:`v` so far (Reddi et al., ICLR 2018); `use_nesterov` does not count then.
            Default: False.
        kwargs: `use_lazy` and `use_offload`, which change how MindSpore computes the same for gradients that are not
            sparse; they have no effect.

    Raises:
        KeyError: for another keyword.
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range, or two of `use_lazy`, `use_offload` and `use_amsgrad` are True.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.Adam([p], learning_rate=0.1)
        >>> _ = optimizer((ms.Tensor([0.3, -4.0]),))
        >>> print(p.asnumpy().round(4), [q.name for q in optimizer.get_parameters()][-2:])
        [0.9 2.1] ['moment1.p', 'moment2.p']
    """

    _takes_target = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        owner = self.cls_name
        unknown = set(kwargs) - {"use_lazy", "use_offload"}
        if unknown:
            raise KeyError(
                f"`{owner}`: keywords beside the arguments of its signature (`learning_rate`, `beta1`, ...) are `use_lazy` "
                f"and `use_offload`. Received: {min(unknown)!r}."
            )
        lazy, offload = kwargs.get("use_lazy", False), kwargs.get("use_offload", False)
        argument_checks.check_bools(
            owner, use_locking=use_locking, use_nesterov=use_nesterov, use_amsgrad=use_amsgrad
        )
        argument_checks.check_bools(owner, use_lazy=lazy, use_offload=offload)
        if lazy + offload + use_amsgrad > 1:
            raise ValueError(
                f"`{owner}`: only one of `use_lazy`, `use_offload` and `use_amsgrad` must be True. "
                f"Received: {lazy}, {offload}, {use_amsgrad}."
            )
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_betas(owner, beta1, beta2, eps)
        self.use_nesterov, self.use_locking, self.use_amsgrad = use_nesterov, use_locking, use_amsgrad
        self.use_lazy, self.use_offload = lazy, offload
        self._use(transforms.adam(beta1, beta2, eps, use_nesterov and not use_amsgrad, use_amsgrad))


@documented_by(Adam)
class AdamWeightDecay(Optimizer):
    r"""Adam without bias correction and with decoupled weight decay :math:`d` (Loshchilov & Hutter, ICLR 2019).

    .. math::
        m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2, \qquad
        p_t = p_{t-1} - lr \left(\frac{m_t}{\sqrt{v_t} + \epsilon} + d\,p_{t-1}\right)

    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        eps: positive float. Default: 1e-6.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter, of any floating dtype.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.AdamWeightDecay([p], learning_rate=0.1, weight_decay=0.5)
        >>> _ = optimizer((ms.Tensor([0.0, 0.0]),))
        >>> print(p.asnumpy(), optimizer.moments1[0].name)
        [0.95 1.9 ] adam_m.p
    """

    _slot_names = {"moments1": "adam_m.{}", "moments2": "adam_v.{}"}
    _narrows = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_betas(self.cls_name, beta1, beta2, eps)
        self._constants = beta1, beta2, eps
        self._use(transforms.adam_weight_decay(beta1, beta2, eps, self.decay_flags), prepared=False)

    def _hand_over(self) -> None:
        super()._hand_over()
        self._applied = transforms.adam_weight_decay(*self._constants, self.decay_flags), self._applied[1]
        self._prepare(self.decay_flags, 1.0)
