"""FTRL optimizer."""

from typing import Any

from msjax.core.tensor.parameter import Parameter
from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms_adaptive as transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class FTRL(Optimizer):
    r"""FTRL-Proximal (McMahan et al., KDD 2013), which makes small parameters exactly zero.

    .. math::
        n_t = n_{t-1} + g_t^2, \qquad z_t = z_{t-1} + g_t - \frac{n_t^{-q} - n_{t-1}^{-q}}{lr} p_{t-1}, \qquad
        p_t = \frac{\operatorname{sign}(z_t)\,l_1 - z_t}{n_t^{-q} / lr + 2 l_2} \text{ if } |z_t| > l_1 \text{ else } 0

    Without groups, all parameters decay. MindSpore's kernel for the CPU takes :math:`l_1` with the wrong sign where
    :math:`z` is negative; the formula above is that of its documentation.

    Args:
        initial_accum: what :math:`n` starts at, a float of at least 0. Default: 0.1.
        learning_rate: a number. Default: 0.001.
        lr_power: :math:`q`, a float of at most 0. Default: -0.5.
        l1: float of at least 0. Default: 0.0.
        l2: float of at least 0. Default: 0.0.
        use_locking: without effect: an update is one program.

    Inputs:
        - **grads** (tuple[Tensor]) - one for each parameter.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range, or the learning rate is no constant.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([0.0, 0.0]), name="p")
        >>> _ = nn.FTRL([p], initial_accum=0.0, learning_rate=0.5, l1=1.0)((ms.Tensor([3.0, -0.1]),))
        >>> print(p.asnumpy())
        [-0.33333334  0.        ]
    """

    _takes_target = True
    _leaves_rows = True

    _decays_all = True

    def __init__(
        self,
        params: Any,
        initial_accum: float = 0.1,
        learning_rate: Any = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(self.learning_rate, Parameter):
            raise ValueError(
                "`FTRL`: argument `learning_rate` must be one number. Received: a schedule, or several."
            )
        argument_checks.check_number("FTRL", float, "learning_rate", learning_rate, (">", 0))
        for name, value in (("initial_accum", initial_accum), ("l1", l1), ("l2", l2)):
            argument_checks.check_number("FTRL", float, name, value, (">=", 0))
        argument_checks.check_number("FTRL", float, "lr_power", lr_power, ("<=", 0))
        argument_checks.check_bools("FTRL", use_locking=use_locking)
        self.l1, self.l2, self.lr_power = l1, l2, lr_power
        self._use(transforms.ftrl(initial_accum, lr_power, l1, l2))

    def construct(self, grads: Any) -> Any:
        """Update all parameters and slots from the gradients."""
        return self._update(grads, {})
