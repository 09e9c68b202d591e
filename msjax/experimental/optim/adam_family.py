"""Adam and AdamW (Kingma and Ba, 2015; Loshchilov and Hutter, 2019), with PyTorch's arithmetic."""

from typing import Any

import jax.numpy as jnp

from msjax.experimental.optim.optimizer import Optimizer, at_least, decayed, fractions, scalars, zeros


def moments(g: Any, m: Any, v: Any, betas: Any) -> tuple[Any, Any]:
    """The next averages of the gradient and of its square."""
    b1, b2 = scalars(g, *betas)
    return b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g


def _adam(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], m: Any, v: Any, most: Any) -> tuple:
    m, v = moments(g, m, v, group["betas"])
    most = jnp.maximum(most, v) if group["amsgrad"] else most
    b1, b2, eps = scalars(g, *group["betas"], group["eps"])
    denominator = jnp.sqrt(most if group["amsgrad"] else v) / jnp.sqrt(1 - b2**step) + eps
    return -rate / (1 - b1**step) * m / denominator, m, v, most


def raw_adam(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], m: Any, v: Any, most: Any) -> tuple:
    """Adam as MindSpore's kernel has it: eps stands beside the root before that is corrected."""
    m, v = moments(decayed(g, p, group), m, v, group["betas"])
    most = jnp.maximum(most, v) if group["amsgrad"] else most
    b1, b2, eps = scalars(g, *group["betas"], group["eps"])
    size = rate * jnp.sqrt(1 - b2**step) / (1 - b1**step)
    return -size * m / (jnp.sqrt(most if group["amsgrad"] else v) + eps), m, v, most


def adam(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], *slots: Any) -> tuple:
    """Adam, with weight decay in the gradient."""
    return _adam(decayed(g, p, group), p, rate, step, group, *slots)


def adamw(g: Any, p: Any, rate: Any, step: Any, group: dict[str, Any], *slots: Any) -> tuple:
    """Adam, with weight decay apart from the gradient."""
    change, *slots_after = _adam(g, p, rate, step, group, *slots)
    (decay,) = scalars(p, group["weight_decay"])
    return change - rate * decay * p, *slots_after


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015).

    m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
    p = p - lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps); weight decay is added to g. `mint.optim.Adam` has eps
    where PyTorch has it. MindSpore 2.10 on CPU has no effect for `amsgrad`; here it has.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.
        weight_decay (float): L2 penalty.
        amsgrad (bool): divide by the largest average of the square so far.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adam([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(3))
        [0.9 2.1]
    """

    _rule = staticmethod(raw_adam)
    _slot_names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    _starts = (zeros, zeros, zeros)
    _count_name = "state_step"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {"lr": lr, **settings, "amsgrad": amsgrad, "maximize": maximize})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        at_least(self.cls_name, 0.0, eps=group["eps"])
        fractions(self.cls_name, "betas", group["betas"])


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019).

    p = p - lr weight_decay p - lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps).

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        lr (float, Tensor): learning rate.
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.
        weight_decay (float): share of the parameter that is taken away, times the learning rate.
        amsgrad (bool): divide by the largest average of the square so far.
        maximize (bool): go up instead of down.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        True.

    Raises:
        TypeError: if a setting is not a number.
        ValueError: if a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.AdamW([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(3))
        [0.899 2.098]
    """

    _rule = staticmethod(adamw)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
