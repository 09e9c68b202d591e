"""Dice, focal and Poisson NLL losses."""

import math
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.loss_base import LossBase
from msjax.nn.layers.activation_smooth import LogSoftmax
from msjax.nn.loss.basic import check_weight
from msjax.ops.array.shapes import reshape
from msjax.ops.math.arithmetic import add, div, mul, neg, pow, square, sub
from msjax.ops.math.casts import cast
from msjax.ops.math.comparison import gt, where
from msjax.ops.math.elementary import exp, log
from msjax.ops.math.rounding import maximum
from msjax.ops.nn.embeddings import one_hot
from msjax.ops.reduction.reduction import mean, reduce_sum


class DiceLoss(LossBase):
    """1 - 2 * sum(x * y) / (sum(x^2) + sum(y^2) + smooth).

    Args:
        smooth (float): keeps the quotient finite; positive.

    Inputs:
        - **logits** (Tensor) - predictions, of any shape, floating.
        - **labels** (Tensor) - of the same shape.

    Outputs:
        Tensor, a scalar.

    Raises:
        TypeError: if `smooth` is not a float.
        ValueError: if it is not positive; at the call, if the shapes differ.

    References:
        Milletari, Navab, Ahmadi: V-Net, 2016.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, 0.0])
        >>> print(ms.nn.DiceLoss(smooth=2.0)(x, x))
        0.5
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        parameter_init.check_numbers("DiceLoss", float, smooth=smooth)
        if smooth <= 0:
            raise ValueError(f"`DiceLoss`: argument `smooth` must be positive. Received: {smooth}.")
        self.smooth = smooth

    def construct(self, logits: Any, label: Any) -> Any:
        """One minus twice the overlap over the sum."""
        if logits.shape != label.shape:
            raise ValueError(
                f"`DiceLoss`: the inputs must have one shape. Received: {logits.shape}, {label.shape}."
            )
        overlap = mul(reduce_sum(mul(logits, label)), 2)
        total = add(add(reduce_sum(square(logits)), reduce_sum(square(label))), self.smooth)
        return sub(1, div(overlap, total))


class FocalLoss(LossBase):
    """Focal loss: cross entropy in which well-classified samples count less: -(1 - p)^gamma * log p of the target class.

    Args:
        weight (Tensor): weights of the classes, of shape (C,).
        gamma (float): how much less.
        reduction (str): "mean", "sum" or "none".

    Inputs:
        - **logits** (Tensor) - scores of shape (N, C), (N, C, L) or (N, C, H, W), floating.
        - **labels** (Tensor) - classes of the scores' shape with C = 1, or marks (one-hot) of the scores' shape.

    Outputs:
        Tensor, a scalar unless `reduction` is "none"; then of shape (N,).

    Raises:
        TypeError: if `weight` is not a Tensor or `gamma` not a float.
        ValueError: for another `reduction`; at the call, for shapes that do not fit.

    References:
        Lin et al.: Focal Loss for Dense Object Detection, 2017.

    Examples:
        >>> import msjax as ms
        >>> loss = ms.nn.FocalLoss(gamma=0.0)
        >>> print(loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1]])))
        0.6931472
    """

    def __init__(self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        check_weight("FocalLoss", weight=weight)
        if weight is not None and weight.ndim != 1:
            raise ValueError(
                f"`FocalLoss`: argument `weight` must have one dimension. Received: {weight.shape}."
            )
        parameter_init.check_numbers("FocalLoss", float, gamma=gamma)
        self.weight = weight
        self.gamma = gamma
        self.logsoftmax = LogSoftmax(1)

    def construct(self, logits: Any, labels: Any) -> Any:
        """Return the mean over the places of each sample, reduced."""
        n, c, *places = logits.shape
        if labels.shape not in (logits.shape, (n, 1, *places)):
            raise ValueError(
                "`FocalLoss`: the labels must have the shape of the scores, or that with one channel. "
                f"Received: labels of {labels.shape}, logits of {logits.shape}."
            )
        marked = labels.shape == logits.shape and c > 1
        marks = labels if marked else one_hot(cast(reshape(labels, (n, *places)), dtypes.int32), c, axis=1)
        log_p = self.logsoftmax(logits)
        each = mul(neg(mul(pow(sub(1, exp(log_p)), self.gamma), log_p)), marks)
        if self.weight is not None:
            each = mul(each, reshape(self.weight, (1, c, *[1] * len(places))))
        if marked:
            return self.get_loss(mean(reshape(each, (n, c, -1)), 2))
        return self.get_loss(mean(reshape(reduce_sum(each, 1), (n, -1)), 1))


class PoissonNLLLoss(LossBase):
    """Negative log likelihood of Poisson distributions: rate - y * log(rate).

    Args:
        log_input (bool): the input is log(rate).
        full (bool): add Stirling's approximation of log(y!) where y > 1.
        eps (float): added to the rate under the logarithm, if `log_input` is False.
        reduction (str): "mean", "sum" or "none".

    Inputs:
        - **input** (Tensor) - log rates or rates, floating.
        - **target** (Tensor) - counts, of the same shape.

    Outputs:
        Tensor, a scalar unless `reduction` is "none".

    Raises:
        TypeError: if a flag is not a bool or `eps` not a float.
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.PoissonNLLLoss()(ms.Tensor([0.0]), ms.Tensor([3.0])))
        1.0
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        parameter_init.check_bools("PoissonNLLLoss", log_input=log_input, full=full)
        parameter_init.check_numbers("PoissonNLLLoss", eps=eps)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def construct(self, input: Any, target: Any) -> Any:
        """Return the negative log likelihood, reduced."""
        parameter_init.check_numbers("PoissonNLLLoss", Tensor, input=input, target=target)
        parameter_init.check_floating_tensors("PoissonNLLLoss", input=input)
        rate, log_rate = (exp(input), input) if self.log_input else (input, log(add(input, self.eps)))
        loss = sub(rate, mul(target, log_rate))
        if self.full:
            y = maximum(target, 1)
            stirling = add(sub(mul(y, log(y)), y), mul(log(mul(y, 2 * math.pi)), 0.5))
            loss = add(loss, where(gt(target, 1), stirling, mul(stirling, 0)))
        return self.get_loss(loss)
