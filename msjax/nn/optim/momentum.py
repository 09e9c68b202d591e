"""Momentum optimizer."""

from typing import Any

import numpy as np

from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class Momentum(Optimizer):
    r"""Gradient descent with momentum :math:`u` (Sutskever et al., ICML 2013).

    .. math::
        v_{t+1} = u\,v_t + g_{t+1}, \qquad
        p_{t+1} = p_t - lr\,(g_{t+1} + u\,v_{t+1} \text{ if use\_nesterov else } v_{t+1})

    Without groups, parameters with "beta" or "gamma" in their names do not decay. MindSpore's kernel for the CPU leaves
    `use_nesterov` out of account; the formula above is that of its documentation and of its other devices.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule.
        momentum: float of at least 0; it becomes a Parameter.
        use_nesterov: use Nesterov's momentum. Default: False.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is negative.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.Momentum([p], learning_rate=0.5, momentum=0.5)
        >>> for _ in range(2):
        ...     _ = optimizer((ms.Tensor([1.0, 0.0]),))
        >>> print(p.asnumpy(), optimizer.moments[0].name)
        [-0.25  2.  ] moments.p
    """

    _extra = ("momentum",)

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        argument_checks.check_number("Momentum", float, "momentum", momentum, (">=", 0))
        argument_checks.check_bools("Momentum", use_nesterov=use_nesterov)
        self.use_nesterov = use_nesterov
        self.params = self.parameters
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self._use(transforms.momentum(use_nesterov))
