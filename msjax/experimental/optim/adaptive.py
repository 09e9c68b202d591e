"""Adaptive optimizers (Adagrad, Adadelta, RMSprop, Adamax, NAdam, RAdam), with PyTorch's arithmetic."""

from typing import Any

from msjax.experimental.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by
from msjax.optim_rules import updates


@documented_by(Optimizer)
class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012).

    v = rho v + (1 - rho) g^2, d = sqrt(u + eps) / sqrt(v + eps) g, u = rho u + (1 - rho) d^2, p = p - lr d.

    Args:
        lr (float, Tensor): learning rate.
        rho (float): decay of the averages.
        eps (float): added below the roots.
        weight_decay (float): L2 penalty.
        maximize (bool): go up instead of down.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adadelta([p])((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.9968 2.0032]
    """

    _rule = updates.adadelta
    _slot_names = {"square_avg": "accum", "acc_delta": "accum_update"}

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0.0, *,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        settings = {"rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **settings})

    def _check_group(self, group: dict[str, Any]) -> None:
        super()._check_group(group)
        if group["rho"] > 1:
            raise ValueError(f"`Adadelta`: `rho` must be in [0, 1]. Received: {group['rho']}.")


@documented_by(Adadelta)
class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011).

    s = s + g^2, p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps).

    Args:
        lr_decay (float): its decay.
        initial_accumulator_value (float): where the sum starts.
        eps (float): added to the denominator.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adagrad([p], lr=0.5)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = updates.adagrad
    _slot_names = {"sum": "accum"}

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0, eps: float = 1e-10, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        first = {"initial_accumulator_value": initial_accumulator_value, "maximize": maximize}
        settings = {"lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, **first}
        super().__init__(params, {"lr": lr, **settings})


@documented_by(Adadelta)
class Adamax(Optimizer):
    """Adamax (Kingma and Ba, 2015).

    m = b1 m + (1 - b1) g, u = max(b2 u, |g| + eps), p = p - lr / (1 - b1^t) m / u.

    Args:
        betas (tuple[float, float]): decay of the average and of the largest gradient.
        eps (float): added to the gradient's size.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.Adamax([p], lr=0.5)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.5 2.5]
    """

    _rule = updates.adamax

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        settings = {"betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **settings})


@documented_by(Adadelta)
class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.
        momentum_decay (float): how fast the momentum grows to its full size.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.NAdam([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.8944 2.1056]
    """

    _rule = updates.nadam

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, momentum_decay: float = 4e-3,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "momentum_decay": momentum_decay})


@documented_by(Adadelta)
class RAdam(Optimizer):
    """Rectified Adam (Liu et al., 2020).

    Args:
        betas (tuple[float, float]): decay of the averages of the gradient and of its square.
        eps (float): added to the denominator.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.RAdam([p], lr=0.1)((ms.Tensor([0.5, -1.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.95 2.1 ]
    """

    _rule = updates.radam

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})


@documented_by(Adadelta)
class RMSprop(Optimizer):
    """RMSprop (Hinton, 2012).

    v = alpha v + (1 - alpha) g^2, p = p - lr g / (sqrt(v) + eps).

    Args:
        alpha (float): decay of the average square.
        eps (float): added to the denominator.
        momentum (float): decay of the sum of the steps.
        centered (bool): divide by the root of the variance instead.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optim.RMSprop([p], lr=0.05)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(4))
        [0.5 2.5]
    """

    _rule = updates.rmsprop
    _slot_names = {"grad_avg": "mean_grad", "square_avg": "mean_square", "momentum_buffer": "moment"}

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0,
        momentum: float = 0.0, centered: bool = False, maximize: bool = False,
    ) -> None:  # fmt: skip
        settings = {"momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        super().__init__(params, {"lr": lr, **settings, "weight_decay": weight_decay, "maximize": maximize})
