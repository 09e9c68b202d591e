"""Confusion matrices, and metrics computed from them."""

from typing import Any

import numpy as np

from msjax.train.metrics.base import Metric, rearrange_inputs


class ConfusionMatrix(Metric):
    """Confusion matrix: the count of samples of class i (row) predicted as class j (column).

    Args:
        num_classes (int): number of classes.
        normalize (str): "no_norm"; "target" (each row sums to 1), "prediction" (each column), "all" (everything).
            Default: "no_norm".
        threshold (float): predictions are probabilities of two classes if they have the labels' shape and are floats; then
            class 1 begins here. Default: 0.5.

    Raises:
        TypeError: if `num_classes` is not an int or `threshold` not a float.
        ValueError: if `num_classes` is not positive, `threshold` negative, or `normalize` unknown.

    Examples:
        >>> from msjax.train import ConfusionMatrix
        >>> metric = ConfusionMatrix(2)
        >>> metric.update([1, 0, 1, 0], [1, 0, 0, 1])
        >>> print(metric.eval())
        [[1. 1.]
         [1. 1.]]
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        if not isinstance(num_classes, int) or isinstance(num_classes, bool):
            raise TypeError(
                f"`ConfusionMatrix`: argument `num_classes` must be an int. Received: {num_classes!r}."
            )
        if not isinstance(threshold, float):
            raise TypeError(
                f"`ConfusionMatrix`: argument `threshold` must be a float. Received: {threshold!r}."
            )
        if num_classes < 1 or threshold < 0:
            raise ValueError(
                "`ConfusionMatrix`: `num_classes` must be positive and `threshold` not negative. "
                f"Received: {num_classes}, {threshold}."
            )
        if normalize not in ("target", "prediction", "all", "no_norm"):
            raise ValueError(
                "`ConfusionMatrix`: argument `normalize` must be 'no_norm', 'target', 'prediction' or 'all'. "
                f"Received: {normalize!r}."
            )
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions (N, C, ...), or (N, ...) of classes or probabilities, and labels (N, ...)."""
        predicted, labels = self._inputs(inputs, 2)
        if predicted.ndim not in (labels.ndim, labels.ndim + 1):
            raise ValueError(
                "`ConfusionMatrix.update`: predictions must have as many axes as labels, or one more. "
                f"Received: shapes {predicted.shape}, {labels.shape}."
            )
        if predicted.ndim == labels.ndim + 1:
            predicted = predicted.argmax(axis=1)
        elif predicted.dtype.kind == "f":
            predicted = (predicted >= self.threshold).astype(np.int64)
        pairs = labels.reshape(-1) * self.num_classes + predicted.reshape(-1)
        counts = np.bincount(pairs.astype(np.int64), minlength=self.num_classes**2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def eval(self) -> np.ndarray:
        """Return the matrix."""
        self._require_updates(self._is_update)
        matrix = self.confusion_matrix.astype(float)
        if self.normalize == "no_norm":
            return matrix
        axes = {"target": 1, "prediction": 0, "all": None}
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(matrix / matrix.sum(axis=axes[self.normalize], keepdims=True))


# name: ratio of sums of the counts tp, fp, tn, fn; p and n are all that is, or is not, of the class
_RATIOS = {
    "sensitivity": ("tp", "p"), "specificity": ("tn", "n"), "precision": ("tp", "tp fp"),
    "negative predictive value": ("tn", "tn fn"), "miss rate": ("fn", "p"), "fall out": ("fp", "n"),
    "false discovery rate": ("fp", "fp tp"), "false omission rate": ("fn", "fn tn"), "threat score": ("tp", "tp fn fp"),
    "accuracy": ("tp tn", "p n"),
}  # fmt: skip
_SPELLINGS = {
    "sensitivity": "recall hit_rate true_positive_rate tpr",
    "specificity": "selectivity true_negative_rate tnr",
    "precision": "positive_predictive_value ppv",
    "negative predictive value": "npv",
    "miss rate": "false_negative_rate fnr",
    "fall out": "false_positive_rate fpr",
    "false discovery rate": "fdr",
    "false omission rate": "for",
    "prevalence threshold": "pt",
    "threat score": "critical_success_index ts csi",
    "accuracy": "acc",
    "balanced accuracy": "ba",
    "f1 score": "f1",
    "matthews correlation coefficient": "mcc",
    "fowlkes mallows index": "fm",
    "informedness": "bookmaker_informedness bm",
    "markedness": "deltap mk",
}
_NAMES = {
    spelling: name
    for name, others in _SPELLINGS.items()
    for spelling in [name.replace(" ", "_"), *others.split()]
}
_REDUCTIONS = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class ConfusionMatrixMetric(Metric):
    """A number read from confusion matrices of one-hot predictions and labels.

    Args:
        skip_channel (bool): as in MindSpore 2.10, False leaves out the first class, the background, and True counts it.
            Default: True.
        metric_name (str): one of "sensitivity", "specificity", "precision", "negative predictive value", "miss rate",
            "fall out", "false discovery rate", "false omission rate", "prevalence threshold", "threat score", "accuracy",
            "balanced accuracy", "f1 score", "matthews correlation coefficient", "fowlkes mallows index", "informedness",
            "markedness", or their usual abbreviations. Default: "sensitivity".
        calculation_method (bool): compute it for each sample and class and reduce that, instead of reducing the matrices.
            Default: False.
        decrease (str): "none", or how numbers of samples (batch) and classes (channel) are put together: "mean", "sum",
            "mean_batch", "sum_batch", "mean_channel", "sum_channel". Default: "mean".

    Raises:
        TypeError: if an argument is of another type.
        NotImplementedError: if the name is unknown.
        ValueError: if `decrease` is unknown.

    Examples:
        >>> from msjax.train import ConfusionMatrixMetric
        >>> metric = ConfusionMatrixMetric(metric_name="tpr")
        >>> metric.update([[[0], [1]], [[1], [0]]], [[[0], [1]], [[0], [1]]])
        >>> print(metric.eval())
        [0.5]
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        name = "ConfusionMatrixMetric"
        for what, value, kind in (
            ("skip_channel", skip_channel, bool), ("metric_name", metric_name, str),
            ("calculation_method", calculation_method, bool), ("decrease", decrease, str),
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise TypeError(
                    f"`{name}`: argument `{what}` must be of type {kind.__name__}. Received: {value!r}."
                )
        found = _NAMES.get(metric_name.replace(" ", "_").lower())
        if found is None:
            raise NotImplementedError(
                f"`{name}`: there is no metric {metric_name!r}. Known: {sorted(_NAMES)}."
            )
        if decrease not in _REDUCTIONS:
            raise ValueError(
                f"`{name}`: argument `decrease` must be one of {_REDUCTIONS}. Received: {decrease!r}."
            )
        self.skip_channel, self.metric_name = skip_channel, found
        self.calculation_method, self.decrease = calculation_method, decrease
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._total_num = 0.0
        self._class_num: Any = 0
        self._matrices = np.zeros(4)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels of one shape (N, C, ...), 0 and 1."""
        predicted, labels = self._inputs(inputs, 2)
        if predicted.shape != labels.shape:
            raise ValueError(
                "`ConfusionMatrixMetric.update`: predictions and labels must have one shape. "
                f"Received: {predicted.shape}, {labels.shape}."
            )
        if predicted.ndim < 2 or not np.array_equal(labels, labels.astype(np.uint8)):
            raise ValueError(
                "`ConfusionMatrixMetric.update`: labels must be of shape (N, C, ...) and hold 0 and 1 only. "
                f"Received: shape {labels.shape}."
            )
        if not self.skip_channel:
            predicted, labels = predicted[:, 1:], labels[:, 1:]
        predicted, labels = (x.reshape(*x.shape[:2], -1).astype(float) for x in (predicted, labels))
        tp = (predicted * labels).sum(axis=2)
        tn = ((1 - predicted) * (1 - labels)).sum(axis=2)
        p, size = labels.sum(axis=2), predicted.shape[2]
        counts = np.stack([tp, size - p - tn, tn, p - tp], axis=-1)
        if self.calculation_method:
            score, weight = _reduce_values(_value(self.metric_name, counts)[..., None], self.decrease)
            self._total_num = self._total_num + (score * weight)
            self._class_num = self._class_num + weight
        else:
            self._matrices = self._matrices + counts.sum(axis=(0, 1))

    def eval(self) -> Any:
        """Return the number, in an array if `calculation_method` is not set; nan before the first update then."""
        if not self.calculation_method:
            return np.atleast_1d(_value(self.metric_name, self._matrices))
        self._require_updates(np.any(self._class_num))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (self._total_num / self._class_num)[..., 0]
        return float(found.item()) if found.size == 1 else found


def _value(name: str, counts: np.ndarray) -> Any:
    """Return a metric of counts (..., 4): tp, fp, tn, fn."""
    tp, fp, tn, fn = np.moveaxis(counts, -1, 0)
    parts = {"tp": tp, "fp": fp, "tn": tn, "fn": fn, "p": tp + fn, "n": fp + tn}

    def ratio(of: str) -> Any:
        above, below = (sum(parts[part] for part in parts_of.split()) for parts_of in _RATIOS[of])
        return above / below

    with np.errstate(invalid="ignore", divide="ignore"):
        if name in _RATIOS:
            return ratio(name)
        tpr, tnr = ratio("sensitivity"), ratio("specificity")
        if name == "prevalence threshold":
            return (np.sqrt(tpr * (1 - tnr)) + tnr - 1) / (tpr + tnr - 1)
        if name == "balanced accuracy":
            return (tpr + tnr) / 2
        if name == "informedness":
            return tpr + tnr - 1
        ppv = ratio("precision")
        if name == "markedness":
            return ppv + ratio("negative predictive value") - 1
        if name == "fowlkes mallows index":
            return np.sqrt(ppv * tpr)
        if name == "f1 score":
            return 2 * tp / (2 * tp + fp + fn)
        below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return (tp * tn - fp * fn) / below


def _reduce_values(values: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the reduced values (N, C, n) and how many counted; NaN does not count."""
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    if how == "none":
        return filled, there.astype(float)
    axes = {"mean": (1, 0), "sum": (0, 1), "mean_batch": (0,), "sum_batch": (0,)}.get(how, (1,))
    weight = there.astype(float)
    for axis in sorted(axes, reverse=True):
        count = weight.sum(axis=axis)
        total = (filled * weight).sum(axis=axis) if not how.startswith("sum") else filled.sum(axis=axis)
        filled = (
            np.where(count > 0, total / np.maximum(count, 1e-300), 0.0) if how.startswith("mean") else total
        )
        weight = (count > 0).astype(float)
    return filled, weight
