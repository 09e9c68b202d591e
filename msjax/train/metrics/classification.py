"""Classification metrics: accuracy, precision, recall, F1, top-k."""

import sys
from typing import Any

import numpy as np

from msjax.ops.common.docstrings import documented_by
from msjax.train.metrics.base import Metric, rearrange_inputs

_TYPES = ("classification", "multilabel")


class _Evaluation(Metric):
    """Base class of metrics of labels ("classification": one for each sample) or sets of labels ("multilabel").

    Args:
        eval_type: which.
    """

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if eval_type not in _TYPES:
            raise TypeError(
                f"`{type(self).__name__}`: argument `eval_type` must be one of {_TYPES}. Received: {eval_type!r}."
            )
        self._type = eval_type
        self.clear()

    def _check_and_convert(self, inputs: Any) -> tuple[np.ndarray, np.ndarray]:
        """Predictions and labels; one-hot labels become numbers where classes are meant."""
        name = type(self).__name__
        predicted, labels = self._inputs(inputs, 2)
        if self._type == "classification":
            if predicted.ndim == labels.ndim and _one_hot(labels):
                labels = labels.argmax(axis=1)
            if predicted.ndim != labels.ndim + 1 or predicted.shape != (
                labels.shape[0], predicted.shape[1], *labels.shape[1:],
            ):  # fmt: skip
                raise ValueError(
                    f"`{name}.update`: predictions must be (N, C, ...) for labels (N, ...). "
                    f"Received: shapes {predicted.shape}, {labels.shape}."
                )
        elif predicted.ndim != labels.ndim or predicted.shape != labels.shape:
            raise ValueError(
                f"`{name}.update`: sets of labels must have the shape of the predictions. "
                f"Received: shapes {predicted.shape}, {labels.shape}."
            )
        elif not (_zeros_and_ones(predicted) and _zeros_and_ones(labels)):
            raise ValueError(
                f"`{name}.update`: sets of labels must hold 0 and 1 only. Received: other numbers."
            )
        return predicted, labels


def _zeros_and_ones(values: np.ndarray) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _one_hot(labels: np.ndarray) -> bool:
    """Return True if labels (N, C, ...) are one-hot along the second axis."""
    return labels.ndim > 1 and _zeros_and_ones(labels) and bool((labels.sum(axis=1) == 1).all())


def _flat(values: np.ndarray) -> np.ndarray:
    """Sets of labels (N, C, ...) as (samples, C)."""
    return np.swapaxes(values, 1, -1).reshape(-1, values.shape[1]) if values.ndim > 2 else values


class Accuracy(_Evaluation):
    """Accuracy: the share of samples that are right.

    Args:
        eval_type: "classification" (predictions (N, C, ...), labels (N, ...)) or "multilabel" (both of one shape, 0 and
            1; a sample is right if all its labels are). Default: "classification".

    Raises:
        TypeError: if `eval_type` is neither.

    Examples:
        >>> from msjax.train import Accuracy
        >>> metric = Accuracy()
        >>> metric.update([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1])
        >>> round(metric.eval(), 4)
        0.6667
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)

    def clear(self) -> None:
        """Reset the metric."""
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels."""
        predicted, labels = self._check_and_convert(inputs)
        if self._class_num == 0:
            self._class_num = predicted.shape[1]
        elif predicted.shape[1] != self._class_num:
            raise ValueError(
                f"`Accuracy.update`: there were {self._class_num} classes before. Received: {predicted.shape[1]}."
            )
        if self._type == "classification":
            right = predicted.argmax(axis=1).reshape(-1) == labels.reshape(-1)
        else:
            right = np.all(_flat(predicted) == _flat(labels), axis=1)
        self._correct_num += int(right.sum())
        self._total_num += right.size

    def eval(self) -> float:
        """Return the share."""
        self._require_updates(self._total_num)
        return self._correct_num / self._total_num


class _Counts(_Evaluation):
    """Metrics made of counts by class (or by sample for sets of labels): true positives over something."""

    def clear(self) -> None:
        """Reset the metric."""
        self._class_num = 0
        self._positives: Any = 0
        self._true_positives: Any = 0
        self._samples: list[np.ndarray] = []

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels."""
        predicted, labels = self._check_and_convert(inputs)
        if self._class_num == 0:
            self._class_num = predicted.shape[1]
        elif predicted.shape[1] != self._class_num:
            raise ValueError(
                f"`{type(self).__name__}.update`: there were {self._class_num} classes before. "
                f"Received: {predicted.shape[1]}."
            )
        if self._type == "classification":
            if labels.max() + 1 > self._class_num:
                raise ValueError(
                    f"`{type(self).__name__}.update`: labels must be less than the number of classes, {self._class_num}. "
                    f"Received: {labels.max()}."
                )
            truth = np.eye(self._class_num)[labels.reshape(-1).astype(np.int64)]
            found = np.eye(self._class_num)[predicted.argmax(axis=1).reshape(-1)]
        else:
            truth, found = (one.swapaxes(0, 1).reshape(self._class_num, -1) for one in (labels, predicted))
        self._add((truth * found).sum(axis=0), self._denominator(truth, found).sum(axis=0))

    def _add(self, true_positives: np.ndarray, of: np.ndarray) -> None:
        if self._type == "multilabel":
            self._samples.append(true_positives / (of.astype(float) + sys.float_info.min))
        else:
            self._true_positives = self._true_positives + true_positives
            self._positives = self._positives + of

    def _denominator(self, truth: np.ndarray, found: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def eval(self, average: bool = False) -> Any:
        """Return the ratio for each class (each sample, for sets of labels), or their mean.

        Args:
            average: give the mean.

        Raises:
            TypeError: if it is not a bool.
        """
        if not isinstance(average, bool):
            raise TypeError(
                f"`{type(self).__name__}.eval`: argument `average` must be a bool. Received: {average!r}."
            )
        self._require_updates(self._class_num)
        if self._samples:
            ratio = np.concatenate(self._samples)
        else:
            ratio = self._true_positives / (self._positives + sys.float_info.min)
        return float(ratio.mean()) if average else ratio


class Precision(_Counts):
    """Precision: the share of the predictions of a class that are correct.

    Args:
        eval_type: "classification" or "multilabel", as for :class:`Accuracy`. Default: "classification".

    Raises:
        TypeError: if `eval_type` is neither.

    Examples:
        >>> from msjax.train import Precision
        >>> metric = Precision()
        >>> metric.update([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1])
        >>> metric.eval()
        array([0.5, 1. ])
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)

    def _denominator(self, truth: np.ndarray, found: np.ndarray) -> np.ndarray:
        return found


@documented_by(Precision)
class Recall(_Counts):
    """Recall: the share of the samples of a class that are found.

    Examples:
        >>> from msjax.train import Recall
        >>> metric = Recall()
        >>> metric.update([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1])
        >>> metric.eval()
        array([1. , 0.5])
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)

    def _denominator(self, truth: np.ndarray, found: np.ndarray) -> np.ndarray:
        return truth


class Fbeta(Metric):
    """The weighted harmonic mean of precision and recall: (1 + beta^2) P R / (beta^2 P + R), for each class.

    Args:
        beta (int, float): the weight of recall.

    Raises:
        ValueError: if it is not positive.

    Examples:
        >>> from msjax.train import Fbeta
        >>> metric = Fbeta(1)
        >>> metric.update([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1])
        >>> metric.eval().round(4)
        array([0.6667, 0.6667])
    """

    def __init__(self, beta: float) -> None:
        super().__init__()
        if not beta > 0:
            raise ValueError(
                f"`{type(self).__name__}`: argument `beta` must be positive. Received: {beta!r}."
            )
        self.eps = sys.float_info.min
        self.beta = beta
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._true_positives: Any = 0
        self._actual_positives: Any = 0
        self._positives: Any = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions (N, C) and labels: numbers (N,), or one-hot (N, C)."""
        predicted, labels = self._inputs(inputs, 2)
        if predicted.ndim == labels.ndim and _one_hot(labels):
            labels = labels.argmax(axis=1)
        if predicted.ndim != labels.ndim + 1:
            raise ValueError(
                "`Fbeta.update`: predictions must be (N, C, ...) for labels (N, ...). "
                f"Received: shapes {predicted.shape}, {labels.shape}."
            )
        if self._class_num == 0:
            self._class_num = predicted.shape[1]
        elif predicted.shape[1] != self._class_num:
            raise ValueError(
                f"`Fbeta.update`: there were {self._class_num} classes before. Received: {predicted.shape[1]}."
            )
        if labels.max() + 1 > self._class_num:
            raise ValueError(
                f"`Fbeta.update`: labels must be less than the number of classes, {self._class_num}. "
                f"Received: {labels.max()}."
            )
        truth = np.eye(self._class_num)[labels.reshape(-1).astype(np.int64)]
        found = np.eye(self._class_num)[predicted.argmax(axis=1).reshape(-1)]
        self._true_positives = self._true_positives + (truth * found).sum(axis=0)
        self._actual_positives = self._actual_positives + truth.sum(axis=0)
        self._positives = self._positives + found.sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        """Return the mean for each class, or the mean of those.

        Args:
            average: give one number.
        """
        if not isinstance(average, bool):
            raise TypeError(f"`Fbeta.eval`: argument `average` must be a bool. Received: {average!r}.")
        self._require_updates(self._class_num)
        square = self.beta**2
        under = square * self._actual_positives + self._positives + self.eps
        fbeta = (1.0 + square) * self._true_positives / under
        return float(fbeta.mean()) if average else fbeta


class F1(Fbeta):
    """The harmonic mean of precision and recall, for each class.

    Examples:
        >>> from msjax.train import F1
        >>> metric = F1()
        >>> metric.update([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1])
        >>> round(float(metric.eval(True)), 4)
        0.6667
    """

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """Top-k accuracy: the share of samples whose label is among the k most likely classes.

    Args:
        k (int): how many.

    Raises:
        TypeError: if it is not an int.
        ValueError: if it is not positive.

    Examples:
        >>> from msjax.train import TopKCategoricalAccuracy
        >>> metric = TopKCategoricalAccuracy(2)
        >>> metric.update([[0.1, 0.3, 0.6], [0.1, 0.3, 0.6]], [1, 0])
        >>> metric.eval()
        0.5
    """

    def __init__(self, k: int) -> None:
        super().__init__()
        if not isinstance(k, int) or isinstance(k, bool):
            raise TypeError(f"`{type(self).__name__}`: argument `k` must be an int. Received: {k!r}.")
        if k < 1:
            raise ValueError(f"`{type(self).__name__}`: argument `k` must be positive. Received: {k}.")
        self.k = k
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions (N, C) and labels: numbers (N,), or one-hot (N, C)."""
        predicted, labels = self._inputs(inputs, 2)
        if predicted.ndim == labels.ndim and _one_hot(labels):
            labels = labels.argmax(axis=1)
        if predicted.shape[1:2] < (self.k,) or predicted.ndim > 2 or labels.size != len(predicted):
            raise ValueError(
                f"`{type(self).__name__}.update`: predictions must be (N, C), C at least {self.k}, for labels (N,). "
                f"Received: shapes {predicted.shape}, {labels.shape}."
            )
        best = np.argsort(-predicted, kind="stable")[:, : self.k]
        self._correct_num += int((best == labels.reshape(-1, 1)).sum())
        self._samples_num += labels.reshape(-1).shape[0]

    def eval(self) -> float:
        """Return the share."""
        self._require_updates(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """Top-1 accuracy: the share of samples whose label is the most likely class.

    Examples:
        >>> from msjax.train import Top1CategoricalAccuracy
        >>> metric = Top1CategoricalAccuracy()
        >>> metric.update([[0.1, 0.9], [0.8, 0.2]], [1, 1])
        >>> metric.eval()
        0.5
    """

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """Top-5 accuracy: the share of samples whose label is among the five most likely classes.

    Examples:
        >>> from msjax.train import Top5CategoricalAccuracy
        >>> Top5CategoricalAccuracy().k
        5
    """

    def __init__(self) -> None:
        super().__init__(5)
