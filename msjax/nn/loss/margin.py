"""Margin and ranking losses (cosine embedding, hinge, triplet ...), and the Gaussian NLL loss."""

from typing import Any

import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.loss_base import LossBase
from msjax.nn.loss.basic import check_weight
from msjax.ops.array.shapes import broadcast_to
from msjax.ops.nn import loss_margin as ops


@applies(ops.cosine_embedding_loss, "logits_x1, logits_x2, labels")
class CosineEmbeddingLoss(LossBase):
    """1 - cos(x1, x2) for pairs labelled 1, max(0, cos(x1, x2) - margin) for pairs labelled -1.

    Raises:
        TypeError: if `margin` is not a float.
        ValueError: if `margin` is not in [-1, 1], or for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 0.0]])
        >>> print(ms.nn.CosineEmbeddingLoss()(x, x * 2, ms.Tensor([-1])))
        1.0
    """

    margin: float = 0.0
    reduction: str = "mean"

    def construct(self, logits_x1: Any, logits_x2: Any, labels: Any) -> Any:
        """Return the loss of the pairs, reduced."""
        parameter_init.check_same_dtypes(self, logits_x1=logits_x1, logits_x2=logits_x2)
        logits_x1, logits_x2 = parameter_init.integers_to_float32(logits_x1, logits_x2)
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self._reduction())

    def __post_init__(self) -> None:
        parameter_init.check_numbers("CosineEmbeddingLoss", float, margin=self.margin)
        if not -1 <= self.margin <= 1:
            raise ValueError(
                f"`CosineEmbeddingLoss`: argument `margin` must be in [-1, 1]. Received: {self.margin}."
            )


@applies(ops.margin_ranking_loss, "input1, input2, target")
class MarginRankingLoss(LossBase):
    """max(0, -target * (input1 - input2) + margin).

    Raises:
        TypeError: if `margin` is not a float.
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MarginRankingLoss()(ms.Tensor([1.0]), ms.Tensor([3.0]), ms.Tensor([1.0])))
        2.0
    """

    margin: float = 0.0
    reduction: str = "mean"

    def construct(self, input1: Any, input2: Any, target: Any) -> Any:
        """Return the loss of the pairs, reduced."""
        parameter_init.check_numbers("MarginRankingLoss", float, margin=self.margin)
        parameter_init.check_numbers("MarginRankingLoss", Tensor, input1=input1, input2=input2, target=target)
        parameter_init.check_same_dtypes(self, input1=input1, input2=input2, target=target)
        input1, input2, target = parameter_init.integers_to_float32(input1, input2, target)
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


@applies(ops.hinge_embedding_loss, "logits, labels")
class HingeEmbeddingLoss(LossBase):
    """A distance itself where it is labelled 1, max(0, margin - distance) where it is labelled -1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.HingeEmbeddingLoss()(ms.Tensor([0.25, 0.25]), ms.Tensor([1.0, -1.0])))
        0.5
    """

    margin: float = 1.0
    reduction: str = "mean"

    def __post_init__(self) -> None:
        parameter_init.check_numbers("HingeEmbeddingLoss", margin=self.margin)


@applies(ops.soft_margin_loss, "logits, labels")
class SoftMarginLoss(LossBase):
    """log(1 + exp(-labels * logits)), divided by the number of elements if the mean is taken.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SoftMarginLoss()(ms.Tensor([0.0]), ms.Tensor([1.0])))
        0.6931472
    """

    def __init__(self, reduction: str = "mean") -> None:
        parameter_init.check_numbers("SoftMarginLoss", str, reduction=reduction)
        super().__init__(reduction)


@applies(ops.triplet_margin_loss, "x, positive, negative, margin=1.0")
class TripletMarginLoss(LossBase):
    """max(0, |anchor - positive| - |anchor - negative| + margin).

    Args:
        p (int): order of the norm.
        swap (bool): take the distance of positive and negative where that is less than that of anchor and negative.
        eps (float): added to differences.
        margin (float): the margin.

    Inputs:
        - **x** (Tensor) - anchors, of shape (N, D) or with more dimensions.
        - **positive** (Tensor) - what is to be near, of the same shape.
        - **negative** (Tensor) - what is to be far, of the same shape.
        - **margin** (float) - counts if the argument is 1.0. Default: 1.0.

    Raises:
        TypeError: if `p` is not an int, `eps` not a float or `swap` not a bool.
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[0.0, 0.0]])
        >>> print(ms.nn.TripletMarginLoss(eps=0.0)(x, x, ms.Tensor([[3.0, 4.0]])))
        0.0
    """

    p: int = 2
    swap: bool = False
    eps: float = 1e-6
    reduction: str = "mean"
    margin: float = 1.0

    def construct(self, x: Any, positive: Any, negative: Any, margin: float = 1.0) -> Any:
        """Return the loss of the triples, reduced."""
        margin = margin if self.margin == 1 else self.margin
        parameter_init.check_numbers("TripletMarginLoss", Tensor, x=x, positive=positive, negative=negative)
        parameter_init.check_same_dtypes(self, x=x, positive=positive, negative=negative)
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )

    def __post_init__(self) -> None:
        parameter_init.check_numbers("TripletMarginLoss", int, p=self.p)
        parameter_init.check_numbers("TripletMarginLoss", float, eps=self.eps, margin=self.margin)
        parameter_init.check_bools("TripletMarginLoss", swap=self.swap)


@applies(ops.multi_margin_loss, "x, target")
class MultiMarginLoss(LossBase):
    """The sum over wrong classes i of max(0, margin - x[y] + x[i]) ** p, divided by the number of classes.

    Raises:
        TypeError: if `weight` is not a Tensor.
        ValueError: for another `reduction` or `p`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MultiMarginLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])))
        0.5
    """

    p: int = 1
    margin: float = 1.0
    reduction: str = "mean"
    weight: Tensor | None = None

    def construct(self, x: Any, target: Any, weight: Any = None) -> Any:
        """Return the loss of the samples, reduced."""
        weight = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)

    def __post_init__(self) -> None:
        check_weight("MultiMarginLoss", weight=self.weight)
        parameter_init.check_numbers("MultiMarginLoss", int, p=self.p)
        parameter_init.check_choice("MultiMarginLoss", (1, 2), p=self.p)
        parameter_init.check_numbers("MultiMarginLoss", float, margin=self.margin)


@applies(ops.multilabel_margin_loss, "x, target")
class MultilabelMarginLoss(LossBase):
    """The hinge loss of each right class against each wrong one, divided by the number of classes.

    Examples:
        >>> import msjax as ms
        >>> loss = ms.nn.MultilabelMarginLoss()
        >>> print(loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1, -1]], ms.int32)))
        0.5
    """

    reduction: str = "mean"


@applies(ops.multilabel_soft_margin_loss, "x, target")
class MultiLabelSoftMarginLoss(LossBase):
    """The mean over classes of the binary cross entropy of sigmoid(x).

    Raises:
        TypeError: if `weight` is not a Tensor.
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MultiLabelSoftMarginLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[0.0, 1.0]])))
        0.6931472
    """

    weight: Tensor | None = None
    reduction: str = "mean"

    def construct(self, x: Any, target: Any) -> Any:
        """Return the loss of the samples, reduced."""
        parameter_init.check_floating_tensors("MultiLabelSoftMarginLoss", x=x)
        if x.shape != target.shape and x.ndim >= target.ndim:
            shape = np.broadcast_shapes(x.shape, target.shape)
            x, target = broadcast_to(x, shape), broadcast_to(target, shape)
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)

    def __post_init__(self) -> None:
        check_weight("MultiLabelSoftMarginLoss", weight=self.weight)


@applies(ops.gaussian_nll_loss, "logits, labels, var")
class GaussianNLLLoss(LossBase):
    """Negative log likelihood of normal distributions: (log var + (x - labels)^2 / var) / 2.

    Raises:
        TypeError: if `full` is not a bool or `eps` not a float.
        ValueError: if `eps` is not positive, or for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> one = ms.Tensor([1.0])
        >>> print(ms.nn.GaussianNLLLoss()(one * 3, one, one))
        2.0
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        parameter_init.check_bools("GaussianNLLLoss", full=full)
        parameter_init.check_numbers("GaussianNLLLoss", float, eps=eps)
        if eps <= 0:
            raise ValueError(f"`GaussianNLLLoss`: argument `eps` must be positive. Received: {eps}.")
        self.full = full
        self.eps = eps

    def construct(self, logits: Any, labels: Any, var: Any) -> Any:
        """Return the negative log likelihood, reduced."""
        logits, labels, var = parameter_init.integers_to_float32(logits, labels, var)
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)
