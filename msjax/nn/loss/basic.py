"""Losses for regression and classification (MSE, L1, cross entropy, BCE, KL divergence ...)."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.loss_base import LossBase
from msjax.ops.common import checks as arg_checks
from msjax.ops.math.arithmetic import abs as absolute
from msjax.ops.math.arithmetic import square, sub
from msjax.ops.math.casts import cast
from msjax.ops.math.elementary import sqrt
from msjax.ops.nn import embeddings
from msjax.ops.nn import loss as ops


def _is_whole(x: Any) -> bool:
    """Return True for a Tensor of integers or bools."""
    return isinstance(x, Tensor) and not (x.dtype.is_floating_point or x.dtype.is_complex)


@applies(ops.mse_loss, "logits, labels")
class MSELoss(LossBase):
    """The square of the difference.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        2.5
    """

    reduction: str = "mean"

    def construct(self, logits: Any, labels: Any) -> Any:
        """(logits - labels) ** 2, reduced."""
        if all(isinstance(x, Tensor) and not x.dtype.is_floating_point for x in (logits, labels)):
            return self.get_loss(square(sub(logits, labels)))
        return ops.mse_loss(logits, labels, self._reduction())


class RMSELoss(LossBase):
    """The square root of the mean square of the difference.

    Inputs:
        - **logits** (Tensor) - predictions, of any shape.
        - **labels** (Tensor) - of a shape that broadcasts with that of the predictions.

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.RMSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 5.0])))
        3.0
    """

    def __init__(self) -> None:
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits: Any, label: Any) -> Any:
        """Return the root of the mean square."""
        return sqrt(self.MSELoss(logits, label))


@applies(ops.l1_loss, "logits, labels")
class L1Loss(LossBase):
    """The absolute difference.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.L1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        1.5
    """

    reduction: str = "mean"


@applies(ops.l1_loss, "logits, label")
class MAELoss(LossBase):
    """The absolute difference, computed in float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MAELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        1.5
    """

    reduction: str = "mean"

    def construct(self, logits: Any, label: Any) -> Any:
        """|logits - label|, reduced."""
        return self.get_loss(absolute(sub(logits, label)))


@applies(ops.smooth_l1_loss, "logits, labels")
class SmoothL1Loss(LossBase):
    """The absolute difference, rounded off by a parabola near 0: d^2 / (2 beta) where d < beta, d - beta / 2 elsewhere.

    Inputs:
        - **logits** (Tensor) - predictions, of any shape, floating.
        - **labels** (Tensor) - of the same shape and dtype.

    Raises:
        TypeError: at the call, if `beta` is not a float.
        ValueError: for another `reduction`; at the call, if the shapes differ.
        RuntimeError: at the call, if `beta` is not positive.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SmoothL1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        [0.5 1.5]
    """

    beta: float = 1.0
    reduction: str = "none"

    def construct(self, logits: Any, labels: Any) -> Any:
        """Return the smoothed distance, reduced."""
        parameter_init.check_floating_tensors("SmoothL1Loss", logits=logits, labels=labels)
        if logits.shape != labels.shape:
            raise ValueError(
                f"`SmoothL1Loss`: the inputs must have one shape. Received: {logits.shape}, {labels.shape}."
            )
        beta, reduction = self._settings
        if beta == 0:
            raise RuntimeError("`SmoothL1Loss`: argument `beta` must be greater than 0. Received: beta=0.")
        return ops.smooth_l1_loss(logits, labels, beta, reduction)

    def __post_init__(self) -> None:
        if not isinstance(self.beta, bool | int | float):
            raise TypeError(f"`SmoothL1Loss`: argument `beta` must be a number. Received: {self.beta!r}.")
        self._settings = (self.beta, self.reduction)  # of the operator, as it was made


@applies(ops.huber_loss, "logits, labels")
class HuberLoss(LossBase):
    """Half the square of the difference d where |d| <= delta, delta * (|d| - delta / 2) elsewhere.

    References:
        Huber: Robust Estimation of a Location Parameter, 1964.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.HuberLoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        1.0
    """

    reduction: str = "mean"
    delta: float = 1.0

    def construct(self, logits: Any, labels: Any) -> Any:
        """Return the smoothed distance, reduced."""
        logits, labels = parameter_init.integers_to_float32(logits, labels)
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


def check_weight(loss: str, **weights: Any) -> None:
    """Raise unless these are Tensors or None."""
    for name, weight in weights.items():
        if weight is not None and not isinstance(weight, Tensor):
            raise TypeError(
                f"`{loss}`: argument `{name}` must be a Tensor or None. Received: {type(weight).__name__}."
            )


@applies(ops.cross_entropy, "logits, labels")
class CrossEntropyLoss(LossBase):
    """Cross entropy of unnormalised scores with classes, or with probabilities of classes.

    Inputs:
        - **logits** (Tensor) - scores of shape (C,), (N, C) or (N, C, d1, ...), float16 or float32.
        - **labels** (Tensor) - classes of shape (), (N,) or (N, d1, ...), int32, or probabilities of the shape of
          `logits`, float16 or float32.

    Raises:
        TypeError: for arguments or Tensors of another type.
        ValueError: for another `reduction` or a `label_smoothing` outside [0, 1]; at the call, for other shapes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32)))
        0.6931472
    """

    weight: Tensor | None = None
    ignore_index: int = -100
    reduction: str = "mean"
    label_smoothing: float = 0.0

    def construct(self, logits: Any, labels: Any) -> Any:
        """-log softmax(logits)[labels], reduced."""
        _check_classes(logits, labels)
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )  # fmt: skip

    def __post_init__(self) -> None:
        check_weight("CrossEntropyLoss", weight=self.weight)
        parameter_init.check_numbers("CrossEntropyLoss", int, ignore_index=self.ignore_index)
        parameter_init.check_numbers("CrossEntropyLoss", float, label_smoothing=self.label_smoothing)
        if not 0 <= self.label_smoothing <= 1:
            raise ValueError(
                f"`CrossEntropyLoss`: argument `label_smoothing` must be in [0, 1]. Received: {self.label_smoothing}."
            )


def _check_classes(logits: Any, labels: Any) -> None:
    """Scores of float16 or float32, with classes of int32 or probabilities of float16 or float32."""
    scores = (dtypes.float16, dtypes.float32)
    for name, x in (("logits", logits), ("labels", labels)):
        if not isinstance(x, Tensor):
            arg_checks.fail(TypeError, "CrossEntropyLoss", name, "be a Tensor", f"{x!r} ({type(x).__name__})")
        allowed = scores if name == "logits" or x.ndim == logits.ndim else (dtypes.int32,)
        if x.dtype not in allowed:
            rule = f"be of dtype {' or '.join(map(str, allowed))}"
            arg_checks.fail(
                TypeError, "CrossEntropyLoss", name, rule, f"a Tensor of {x.dtype}, shape {x.shape}"
            )


@applies(ops.nll_loss, "logits, labels")
class NLLLoss(LossBase):
    """Negative log likelihood: minus the log probability of the target class.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for another `reduction`; at the call, for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.NLLLoss()(ms.Tensor([[-1.0, -2.0]]), ms.Tensor([1])))
        2.0
    """

    weight: Tensor | None = None
    ignore_index: int = -100
    reduction: str = "mean"

    def construct(self, logits: Any, labels: Any) -> Any:
        """-logits[labels], reduced."""
        logits = cast(logits, dtypes.float32) if _is_whole(logits) else logits
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)

    def __post_init__(self) -> None:
        check_weight("NLLLoss", weight=self.weight)
        parameter_init.check_numbers("NLLLoss", int, ignore_index=self.ignore_index)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of unnormalised scores with probabilities, or, if `sparse`, with classes.

    Args:
        sparse (bool): labels are classes.
        reduction (str): "none", "mean" or "sum".

    Inputs:
        - **logits** (Tensor) - scores of shape (N, C), floating.
        - **labels** (Tensor) - probabilities of shape (N, C), or integer classes of shape (N,).

    Outputs:
        Tensor, a scalar unless `reduction` is "none".

    Raises:
        TypeError: if `sparse` is not a bool; at the call, for labels of another kind.
        ValueError: for another `reduction`; at the call, for shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True)
        >>> print(loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])))
        [0.6931472]
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        parameter_init.check_bools("SoftmaxCrossEntropyWithLogits", sparse=sparse)
        self.sparse = sparse

    def construct(self, logits: Any, labels: Any) -> Any:
        """-sum(labels * log softmax(logits)), reduced."""
        if self.sparse:
            if isinstance(labels, Tensor) and labels.dtype not in (dtypes.int32, dtypes.int64):
                rule = "be of dtype Int32 or Int64 where sparse=True"
                arg_checks.fail(
                    TypeError, "SoftmaxCrossEntropyWithLogits", "labels", rule, f"a Tensor of {labels.dtype}"
                )
            if self._reduction() == "mean":
                return ops.sparse_softmax_cross_entropy_with_logits(logits, labels)
            # A label that is no class counts as none of them, in MindSpore too: programs pad with -1.
            labels = cast(embeddings.marked_by_numbers(labels, logits.shape[-1], 1.0, 0.0), logits.dtype)
        return self.get_loss(ops.softmax_cross_entropy_with_logits(logits, labels))


@applies(ops.binary_cross_entropy, "logits, labels")
class BCELoss(LossBase):
    """Binary cross entropy of probabilities: -(y log p + (1 - y) log(1 - p)).

    Raises:
        TypeError: if `weight` is not a Tensor; at the call, if the dtypes differ.
        ValueError: for another `reduction`; at the call, if the shapes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.BCELoss()(ms.Tensor([0.5, 0.5]), ms.Tensor([0.0, 1.0])))
        0.6931472
    """

    weight: Tensor | None = None
    reduction: str = "mean"

    def construct(self, logits: Any, labels: Any) -> Any:
        """Return the binary cross entropy, reduced."""
        parameter_init.check_same_dtypes(self, logits=logits, labels=labels)
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)

    def __post_init__(self) -> None:
        check_weight("BCELoss", weight=self.weight)


@applies(ops.binary_cross_entropy_with_logits, "input, target")
class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy of the sigmoid of unnormalised scores.

    Raises:
        TypeError: if a weight is not a Tensor.
        ValueError: for another `reduction`; at the call, if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.BCEWithLogitsLoss()(ms.Tensor([0.0, 0.0]), ms.Tensor([0.0, 1.0])))
        0.6931472
    """

    def __init__(
        self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None
    ) -> None:
        super().__init__()
        check_weight("BCEWithLogitsLoss", weight=weight, pos_weight=pos_weight)
        self.reduction = reduction
        self.weight = weight
        self.pos_weight = pos_weight

    def construct(self, input: Any, target: Any) -> Any:
        """Return the binary cross entropy of sigmoid(input), reduced."""
        parameter_init.check_numbers("BCEWithLogitsLoss", str, reduction=self.reduction)
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


@applies(ops.kl_div, "logits, labels")
class KLDivLoss(LossBase):
    """Kullback-Leibler divergence: y * (log y - x) for log probabilities x.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.KLDivLoss(reduction="sum")(ms.Tensor([-1.0]), ms.Tensor([1.0])))
        1.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def construct(self, logits: Any, labels: Any) -> Any:
        """labels * (log labels - logits), reduced."""
        parameter_init.check_choice(
            "KLDivLoss", ("none", "mean", "batchmean", "sum"), reduction=self.reduction
        )
        parameter_init.check_same_dtypes(self, logits=logits, labels=labels)
        if logits.shape != labels.shape:
            raise ValueError(
                f"`KLDivLoss`: the inputs must have one shape. Received: {logits.shape}, {labels.shape}."
            )
        return ops.kl_div(logits, labels, self.reduction)
