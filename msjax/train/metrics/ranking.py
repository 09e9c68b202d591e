"""ROC curve and area under the curve (AUC)."""

from typing import Any

import numpy as np

from msjax.train.metrics.base import Metric, rearrange_inputs


class ROC(Metric):
    """The receiver operating characteristic: false and true positive rates for all thresholds, highest first.

    Of the last batch alone, as in MindSpore; give all samples to one `update`.

    Args:
        class_num (int): number of classes, where predictions are (N, C). Default: None.
        pos_label (int): the label that counts as positive, of two. Default: None, which is 1.

    Raises:
        TypeError: if an argument is not an int.

    Examples:
        >>> from msjax.train import ROC
        >>> metric = ROC(pos_label=1)
        >>> metric.update([0.1, 0.4, 0.8], [0, 1, 1])
        >>> false_positive_rate, true_positive_rate, thresholds = metric.eval()
        >>> print(false_positive_rate, true_positive_rate)
        [0. 0. 0. 1.] [0.  0.5 1.  1. ]
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise TypeError(f"`ROC`: argument `{name}` must be an int or None. Received: {value!r}.")
        self.class_num = 1 if class_num is None else class_num
        self.pos_label = pos_label
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._predicted = np.zeros(0)
        self._labels = np.zeros(0)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels of one shape, for two classes; or predictions (N, C, ...) and labels (N, ...)."""
        predicted, labels = self._inputs(inputs, 2)
        if predicted.ndim == labels.ndim:
            if self.class_num != 1:
                raise ValueError(
                    "`ROC.update`: with several classes predictions must have one more axis than labels. "
                    f"Received: shapes {predicted.shape}, {labels.shape}."
                )
            predicted = predicted.reshape(-1)
        elif predicted.ndim == labels.ndim + 1:
            if self.pos_label is not None and self.class_num > 1:
                self.pos_label = None
            if self.class_num != predicted.shape[1]:
                raise ValueError(
                    f"`ROC.update`: there must be as many classes as `class_num`, {self.class_num}. "
                    f"Received: {predicted.shape[1]}."
                )
            predicted = np.moveaxis(predicted, 1, -1).reshape(-1, self.class_num)
        else:
            raise ValueError(
                "`ROC.update`: predictions must have as many axes as labels, or one more. "
                f"Received: shapes {predicted.shape}, {labels.shape}."
            )
        self._predicted, self._labels = predicted, labels.reshape(-1)

    def eval(self) -> tuple[Any, Any, Any]:
        """Return false positive rates, true positive rates and thresholds: arrays, or lists of them, one for each class."""
        self._require_updates(len(self._predicted))
        predicted, labels = self._predicted, self._labels
        if self.class_num == 1:
            return _curve(predicted, labels == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(predicted[:, i], labels == i) for i in range(self.class_num)]
        rates, hits, thresholds = zip(*curves, strict=True)
        return list(rates), list(hits), list(thresholds)


def _curve(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    order = np.argsort(scores)[::-1]
    scores, positive = scores[order], positive[order]
    ends = np.append(np.where(scores[1:] - scores[:-1])[0], positive.size - 1)
    hits = np.cumsum(positive)[ends]
    misses = 1 + ends - hits
    hits, misses = np.insert(hits, 0, 0), np.insert(misses, 0, 0)
    thresholds = np.insert(scores[ends], 0, scores[0] + 1)
    if misses[-1] <= 0 or hits[-1] <= 0:
        raise ValueError(
            "`ROC.eval`: there must be both positive and negative labels. Received: only one kind."
        )
    return misses / misses[-1], hits / hits[-1], thresholds


def auc(x: Any, y: Any, reorder: bool = False) -> Any:
    """Return the area under a curve, by the trapezoidal rule.

    Args:
        x (array, list): abscissas (N,), in order; false positive rates for that under a :class:`ROC`.
        y (array, list): ordinates (N,).
        reorder (bool): sort the points by `x` first. Default: False.

    Returns:
        The area, float.

    Raises:
        TypeError: if `x` or `y` is not an array.
        ValueError: if they do not have one axis of the same length, of at least 2, or `x` is not in order.

    Examples:
        >>> import numpy as np
        >>> from msjax.train import auc
        >>> float(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])))
        0.75
    """
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, np.ndarray):
            raise TypeError(f"`auc`: argument `{name}` must be an array. Received: {type(value).__name__}.")
    x, y = np.array(x), np.array(y)
    if x.ndim != 1 or x.shape != y.shape or x.size < 2:
        raise ValueError(
            f"`auc`: `x` and `y` must have one axis of one length, at least 2. Received: shapes {x.shape}, {y.shape}."
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if np.any(steps < 0) and np.any(steps > 0):
        raise ValueError(
            "`auc`: `x` must be in order; set `reorder` to sort the points. Received: neither up nor down."
        )
    return float(np.trapezoid(y, x)) * (-1 if np.any(steps < 0) else 1)
