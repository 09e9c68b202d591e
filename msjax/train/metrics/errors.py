"""Loss metrics: mean loss, MAE, MSE, perplexity."""

import math
from typing import Any

import numpy as np

from msjax.train.metrics.base import Metric, rearrange_inputs


class Loss(Metric):
    """Mean of the losses of batches.

    Examples:
        >>> import numpy as np
        >>> from msjax.train import Loss
        >>> metric = Loss()
        >>> metric.update(np.array(0.5))
        >>> metric.update(np.array(1.5))
        >>> metric.eval()
        1.0
    """

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum_loss = 0.0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add a loss, or the mean of several in one dimension."""
        (loss,) = self._inputs(inputs, 1)
        if loss.ndim > 1:
            raise ValueError(
                f"`Loss.update`: the loss must have one dimension or none. Received: shape {loss.shape}."
            )
        self._sum_loss += float(loss.mean())
        self._total_num += 1

    def eval(self) -> float:
        """Return the average."""
        self._require_updates(self._total_num)
        return self._sum_loss / self._total_num


class _Average(Metric):
    """The average over samples of what `_total` gives for a batch of predictions and labels of one shape."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels of the same shape."""
        predicted, labels = self._inputs(inputs, 2)
        self._sum += self._total(np.abs(labels - predicted.reshape(labels.shape)))
        self._samples_num += labels.shape[0]

    def eval(self) -> float:
        """Return the average."""
        self._require_updates(self._samples_num)
        return self._sum / self._samples_num

    def _total(self, errors: np.ndarray) -> float:
        raise NotImplementedError


class MAE(_Average):
    """Mean absolute error: the sum of |prediction - label| over all elements, divided by the number of samples.

    Examples:
        >>> from msjax.train import MAE
        >>> metric = MAE()
        >>> metric.update([0.0, 0.0], [1.0, 3.0])
        >>> metric.eval()
        2.0
    """

    def _total(self, errors: np.ndarray) -> float:
        return float(errors.sum())


class MSE(_Average):
    """Mean squared error: the sum of (prediction - label)^2 over all elements, divided by the number of samples.

    Examples:
        >>> from msjax.train import MSE
        >>> metric = MSE()
        >>> metric.update([0.0, 0.0], [1.0, 3.0])
        >>> metric.eval()
        5.0
    """

    def _total(self, errors: np.ndarray) -> float:
        return float(np.square(errors).sum())


class Perplexity(Metric):
    """exp of the mean of -log(probability of the label).

    Args:
        ignore_label: a label that does not count. Default: None.

    Raises:
        TypeError: if it is not an int.

    Examples:
        >>> from msjax.train import Perplexity
        >>> metric = Perplexity()
        >>> metric.update([[0.5, 0.5]], [1])
        >>> metric.eval()
        2.0
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        if ignore_label is not None and (not isinstance(ignore_label, int) or isinstance(ignore_label, bool)):
            raise TypeError(
                f"`Perplexity`: argument `ignore_label` must be an int or None. Received: {ignore_label!r}."
            )
        self.ignore_label = ignore_label
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum = 0.0
        self._num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add one pair of predictions (..., C) and labels (...), or lists of them."""
        if len(inputs) != 2:
            raise ValueError(f"`Perplexity.update` needs 2 inputs. Received: {len(inputs)}.")
        predicted, labels = [[self._convert_data(data)] for data in inputs]
        if len(labels) != len(predicted):
            raise RuntimeError("`Perplexity.update`: there must be as many predictions as labels.")
        for probabilities, label in zip(predicted, labels, strict=True):
            if label.size != probabilities.size / probabilities.shape[-1]:
                raise RuntimeError(
                    "`Perplexity.update`: predictions must have one more axis than labels. "
                    f"Received: shapes {probabilities.shape}, {label.shape}."
                )
            label = label.reshape(-1).astype(np.int64)
            chosen = probabilities.reshape(-1, probabilities.shape[-1])[np.arange(label.size), label]
            if self.ignore_label is not None:
                ignored = label == self.ignore_label
                self._num -= int(ignored.sum())
                chosen = np.where(ignored, 1, chosen)
            self._sum -= float(np.sum(np.log(np.maximum(1e-10, chosen))))
            self._num += label.size

    def eval(self) -> float:
        """Return the perplexity."""
        self._require_updates(self._num)
        return math.exp(self._sum / self._num)
