"""Multi-class dice loss, sampled softmax loss, and the triplet loss with a user-defined distance."""

from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.loss_base import LossBase
from msjax.nn.layers.activation_piecewise import get_activation
from msjax.nn.loss.dice_focal import DiceLoss
from msjax.ops.array.joining import concat
from msjax.ops.array.shapes import reshape
from msjax.ops.linalg.products import matmul
from msjax.ops.math.arithmetic import abs as absolute
from msjax.ops.math.arithmetic import add, div, mul, sub
from msjax.ops.math.elementary import exp, log
from msjax.ops.math.rounding import maximum, minimum
from msjax.ops.nn.candidate_sampling import uniform_candidate_sampler
from msjax.ops.nn.embeddings import embedding_lookup
from msjax.ops.primitive_impl.general import lp_norm
from msjax.ops.reduction.min_max import amax
from msjax.ops.reduction.reduction import reduce_sum

_ACTIVATIONS = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")


class MultiClassDiceLoss(LossBase):
    """The mean over the channels of :class:`DiceLoss`, each with a weight.

    Args:
        weights (Tensor): of shape (channels, n); the loss of a channel is multiplied by a row.
        ignore_indiex (int): a channel that is left out of the sum (and still counts in the mean).
        activation (Union[str, Cell]): applied to the predictions first: "softmax", "logsoftmax", "relu", "relu6",
            "tanh", "sigmoid", or None.

    Inputs:
        - **logits** (Tensor) - predictions of shape (N, C, ...), floating.
        - **labels** (Tensor) - of the same shape.

    Outputs:
        Tensor, a scalar; of shape (n,) with `weights`.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: for another name of an activation, or weights of other than two dimensions; at the call, if the
            shapes differ, have one dimension, or the weights do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> print(ms.nn.MultiClassDiceLoss(activation=None)(1 - x, x))
        1.0
    """

    def __init__(
        self, weights: Any = None, ignore_indiex: int | None = None, activation: Any = "softmax"
    ) -> None:
        super().__init__()
        owner = "MultiClassDiceLoss"
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        if weights is not None:
            parameter_init.check_numbers(owner, Tensor, weights=weights)
            if weights.ndim != 2:
                raise ValueError(
                    f"`{owner}`: argument `weights` must have two dimensions. Received: {weights.shape}."
                )
        if ignore_indiex is not None:
            parameter_init.check_numbers(owner, int, ignore_indiex=ignore_indiex)
        if isinstance(activation, str):
            parameter_init.check_choice(owner, _ACTIVATIONS, activation=activation)
            activation = get_activation(activation)
        if activation is not None and not isinstance(activation, Cell):
            raise TypeError(
                f"`{owner}`: argument `activation` must be a str, a Cell or None. Received: {activation!r}."
            )
        self.weights, self.ignore_indiex, self.activation = weights, ignore_indiex, activation

    def construct(self, logits: Any, label: Any) -> Any:
        """Return the mean of the channels' losses."""
        self._check(logits, label)
        predicted = logits if self.activation is None else self.activation(logits)
        total: Any = 0
        for i in range(label.shape[1]):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(predicted[:, i], label[:, i])
                total = total + (loss if self.weights is None else mul(loss, self.weights[i]))
        return total / label.shape[1]

    def _check(self, logits: Any, label: Any) -> None:
        for name, value in (("logits", logits), ("labels", label)):
            parameter_init.check_numbers("MultiClassDiceLoss", Tensor, **{name: value})
        if logits.shape != label.shape or logits.ndim < 2:
            raise ValueError(
                "`MultiClassDiceLoss`: the inputs must have one shape (N, C, ...). "
                f"Received: {logits.shape}, {label.shape}."
            )
        if self.weights is not None and self.weights.shape[0] != label.shape[1]:
            raise ValueError(
                f"`MultiClassDiceLoss`: argument `weights` must have {label.shape[1]} rows, one for each channel. "
                f"Received: {self.weights.shape[0]}."
            )


class TripletMarginWithDistanceLoss(LossBase):
    """max(distance(x, positive) - distance(x, negative) + margin, 0).

    Args:
        distance_function (Callable): of two Tensors. Default: the Euclidean distance along axis 1.
        swap (bool): take distance(positive, negative) for the second one, where it is smaller.
        reduction (str): "mean", "sum" or "none".
        margin (float): how much farther the negative must be.

    Inputs:
        - **x** (Tensor) - the anchors.
        - **positive** (Tensor) - what should be near.
        - **negative** (Tensor) - what should be far.

    Outputs:
        Tensor, a scalar unless `reduction` is "none".

    Raises:
        TypeError: if an argument or an input is of another type.
        ValueError: for another `reduction`; at the call, for shapes that do not broadcast, or of no dimension.

    References:
        Balntas et al.: Learning local feature descriptors with triplets and shallow convolutional neural networks, 2016.

    Examples:
        >>> import msjax as ms
        >>> x, near, far = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]), ms.Tensor([[0.0, 5.5]])
        >>> print(ms.nn.TripletMarginWithDistanceLoss()(x, near, far))
        0.5
    """

    def __init__(
        self,
        distance_function: Callable | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        parameter_init.check_numbers("TripletMarginWithDistanceLoss", float, margin=margin)
        parameter_init.check_bools("TripletMarginWithDistanceLoss", swap=swap)
        self.distance_function = _euclidean if distance_function is None else distance_function
        self.swap, self.margin = swap, margin

    def construct(self, x: Any, positive: Any, negative: Any) -> Any:
        """Return the reduced loss."""
        parameter_init.check_numbers(
            "TripletMarginWithDistanceLoss", Tensor, x=x, positive=positive, negative=negative
        )
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = minimum(far, self.distance_function(positive, negative))
        return self.get_loss(maximum(add(sub(near, far), self.margin), 0))


def _euclidean(x: Any, y: Any) -> Any:
    difference = absolute(sub(x, y))
    if difference.ndim == 0:
        raise ValueError("`TripletMarginWithDistanceLoss`: the inputs must have at least one dimension.")
    return lp_norm(difference, 1, 2)


class SampledSoftmaxLoss(LossBase):
    """Sampled softmax loss: cross entropy over the true classes and sampled ones, for large numbers of classes.

    Args:
        num_sampled (int): how many classes are drawn for the batch.
        num_classes (int): how many there are.
        num_true (int): how many of them are right for each sample.
        sampled_values (Union[list, tuple]): (drawn classes, expected counts of the true, of the drawn ones) instead of
            drawing uniformly.
        remove_accidental_hits (bool): draw none that is right for a sample.
        seed (int): of the draw; 0 for another one in each run.
        reduction (str): without effect: the loss of each sample is returned.

    Inputs:
        - **weights** (Tensor) - of shape (C, dim).
        - **biases** (Tensor) - of shape (C,).
        - **labels** (Tensor) - classes, int32 or int64, of shape (N, num_true).
        - **logits** (Tensor) - activations before the last layer, of shape (N, dim).

    Outputs:
        Tensor of shape (N,).

    Raises:
        TypeError: if `sampled_values` is not a list or tuple, or an input is of another type.
        ValueError: if a number is out of its range, or `sampled_values` does not have three elements.

    References:
        Jean et al.: On Using Very Large Target Vocabulary for Neural Machine Translation, 2015.

    Examples:
        >>> import msjax as ms
        >>> loss = ms.nn.SampledSoftmaxLoss(num_sampled=2, num_classes=5, seed=1)
        >>> labels = ms.Tensor([[0], [3]])
        >>> loss(ms.ops.ones((5, 4)), ms.ops.zeros((5,)), labels, ms.ops.ones((2, 4))).shape
        (2,)
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: Any = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        _check_sampled(num_sampled, num_classes, num_true, sampled_values, seed)
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.remove_accidental_hits, self.seed = (
            sampled_values,
            remove_accidental_hits,
            seed,
        )

    def construct(self, weights: Any, biases: Any, labels: Any, logits: Any) -> Any:
        """Return the loss of each sample."""
        parameter_init.check_numbers(
            "SampledSoftmaxLoss", Tensor, weights=weights, biases=biases, logits=logits
        )
        parameter_init.check_tensor_dtypes("SampledSoftmaxLoss", (dtypes.int32, dtypes.int64), labels=labels)
        right = reshape(labels, (-1, self.num_true))
        drawn, expected_right, expected_drawn = self._sample_classes(right)
        rows = embedding_lookup(weights, right)
        of_right = add(reduce_sum(mul(reshape(logits, (-1, 1, logits.shape[-1])), rows), 2), biases[right])
        of_drawn = add(matmul(logits, embedding_lookup(weights, drawn).T), biases[drawn])
        scores = concat((sub(of_right, log(expected_right)), sub(of_drawn, log(expected_drawn))), 1)
        exponents = exp(sub(scores, amax(scores, 1, True)))
        chances = div(exponents, reduce_sum(exponents, 1, True))[:, : self.num_true]
        return reduce_sum(mul(log(add(chances, 1e-20)), -1 / self.num_true), 1)

    def _sample_classes(self, right: Any) -> Any:
        if self.sampled_values is not None:
            return self.sampled_values
        return uniform_candidate_sampler(
            right,
            self.num_true,
            self.num_sampled,
            True,
            self.num_classes,
            self.seed,
            self.remove_accidental_hits,
        )


def _check_sampled(num_sampled: int, num_classes: int, num_true: int, sampled_values: Any, seed: int) -> None:
    for rule, received, holds in (
        ("`num_true` must be at least 1", num_true, num_true >= 1),
        ("`seed` must not be negative", seed, seed >= 0),
        ("`num_sampled` must be at most `num_classes`", num_sampled, num_sampled <= num_classes),
        ("`num_true` must be at most `num_classes`", num_true, num_true <= num_classes),
    ):
        if not holds:
            raise ValueError(f"`SampledSoftmaxLoss`: argument {rule}. Received: {received}.")
    if sampled_values is not None:
        parameter_init.check_numbers("SampledSoftmaxLoss", list, tuple, sampled_values=sampled_values)
        if len(sampled_values) != 3:
            raise ValueError(
                "`SampledSoftmaxLoss`: argument `sampled_values` must have three elements. "
                f"Received: {len(sampled_values)}."
            )
