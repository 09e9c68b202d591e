"""SGD optimizer (stochastic gradient descent, with momentum)."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace.frame import decide
from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.optimizer import Optimizer, Step, pure_step
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class SGD(Optimizer):
    r"""Gradient descent, with momentum :math:`u` if it is positive (Sutskever et al., ICML 2013).

    .. math::
        v_1 = g_1, \qquad v_{t+1} = u\,v_t + (1 - dampening)\,g_{t+1}, \qquad
        p_{t+1} = p_t - lr\,(g_{t+1} + u\,v_{t+1} \text{ if nesterov else } v_{t+1})

    Without groups, parameters with "beta" or "gamma" in their names do not decay. Differs from `optax.sgd` in
    `dampening` and in the first step.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 0.1.
        momentum: float of at least 0; it becomes a Parameter. Default: 0.0.
        dampening: float of at least 0. Default: 0.0.
        weight_decay: float of at least 0. Default: 0.0.
        nesterov: use Nesterov's momentum; needs a positive `momentum` and no `dampening`. Default: False.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is negative, or `nesterov` does not go with the others.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.SGD([p], learning_rate=0.5, momentum=0.5)
        >>> for _ in range(2):
        ...     _ = optimizer((ms.Tensor([1.0, 0.0]),))
        >>> print(p.asnumpy())
        [-0.25  2.  ]
    """

    _extra = ("momentum",)
    _narrows = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_weight_decay:
            raise TypeError("`SGD`: argument `weight_decay` must be a float. Received: a Cell.")
        momentum, self.dampening = _number("momentum", momentum), _number("dampening", dampening)
        argument_checks.check_bools("SGD", nesterov=nesterov)
        if nesterov and (momentum <= 0 or self.dampening != 0):
            raise ValueError(
                "`SGD`: argument `nesterov` needs a positive `momentum` and a `dampening` of 0. "
                f"Received: momentum={momentum}, dampening={self.dampening}."
            )
        self.nesterov = nesterov
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self._use(transforms.sgd(self.dampening, nesterov))

    def _prepare(self, decay_flags: tuple[bool, ...], loss_scale: float) -> None:
        super()._prepare(decay_flags, loss_scale)
        first = transforms.preprocess_gradients(decay_flags, self.grad_centralization_flags, loss_scale)
        plain = transforms.descent()
        self._plain_step = pure_step(first, plain, jax.tree.structure(plain.init([])), self._narrows)

    def _current_step(self) -> tuple[Step, Sequence[Parameter]]:
        # Without momentum two slots for each parameter stay as they are: they are neither read nor written then, which for
        # 400 parameters makes the step twice as fast.
        return (self._plain_step, ()) if decide(self.momentum, _is_still) else super()._current_step()


def _is_still(momentum: np.ndarray) -> bool:
    return not momentum > 0


def _number(name: str, value: Any) -> float:
    return float(argument_checks.check_number("SGD", (int, float), name, value, (">=", 0)))
