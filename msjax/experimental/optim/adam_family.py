"""Adam and AdamW (Kingma and Ba, 2015; Loshchilov and Hutter, 2019), with PyTorch's arithmetic."""

from typing import Any

import jax
import jax.numpy as jnp

from msjax.experimental.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by
from msjax.optim_rules import updates


@updates.rule("eps", **updates.ADAM_SLOTS)
def _adam(
    g: Any, p: Any, slots: updates.Slots, lr: Any, t: Any, *, betas: Any, eps: Any, amsgrad: bool
) -> tuple[jax.Array, updates.Slots]:
    """Adam as MindSpore's kernel has it: eps stands beside the root before that is corrected."""
    m, v, new = updates.adam_moments(g, slots, betas, amsgrad)
    first, second = (updates.bias_correction(beta, t) for beta in betas)
    return -(lr * jnp.sqrt(second) / first) * m / (jnp.sqrt(v) + eps), new


@documented_by(Optimizer)
class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015).

    m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
    p = p - lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps); weight decay is added to g. `mint.optim.Adam` has eps
    where PyTorch has it. MindSpore 2.10 on CPU has no effect for `amsgrad`; here it has.

    Args:
        lr (float, Tensor): learning rate.
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.
        weight_decay (float): L2 penalty.
        amsgrad (bool): divide by the largest average of the square so far.
        maximize (bool): go up instead of down.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adam([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(3))
        [0.9 2.1]
    """

    _rule = _adam
    _count_name = "state_step"

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, amsgrad: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "amsgrad": amsgrad, "maximize": maximize})


@documented_by(Adam)
class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019).

    p = p - lr weight_decay p - lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps).

    Args:
        weight_decay (float): share of the parameter that is taken away, times the learning rate.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.AdamW([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(3))
        [0.899 2.098]
    """

    _rule = updates.adamw

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.01, amsgrad: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
