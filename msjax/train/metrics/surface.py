"""Surface distance metrics of segmentations: Hausdorff, mean and RMS surface distance."""

from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.ops.common.docstrings import documented_by
from msjax.train.metrics.base import Metric, rearrange_inputs

_DISTANCES = ("euclidean", "chessboard", "taxicab")


def _surface(mask: np.ndarray) -> np.ndarray:
    """Return the surface of a mask: its elements that have a neighbour outside of it."""
    from scipy import ndimage

    return mask & ~ndimage.binary_erosion(mask)


def _distances(of: np.ndarray, to: np.ndarray, metric: str) -> np.ndarray:
    """Return the distance of each element of the surface `of` to the surface `to`."""
    from scipy import ndimage

    if not to.any():
        return np.full(int(of.sum()), np.inf)
    if metric == "euclidean":
        return np.asarray(ndimage.distance_transform_edt(~to))[of]
    return np.asarray(ndimage.distance_transform_cdt(~to, metric=metric))[of].astype(float)


class _Surfaces(Metric):
    """Base class of metrics of the surfaces of a label in two arrays."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        if not isinstance(distance_metric, str) or distance_metric not in _DISTANCES:
            raise (ValueError if isinstance(distance_metric, str) else TypeError)(
                f"`{type(self).__name__}`: argument `distance_metric` must be one of {_DISTANCES}. "
                f"Received: {distance_metric!r}."
            )
        self.distance_metric = distance_metric
        self.clear()

    def _check_flags(self, **flags: Any) -> None:
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise TypeError(
                    f"`{type(self).__name__}`: argument `{name}` must be a bool. Received: {value!r}."
                )

    def clear(self) -> None:
        """Reset the metric."""
        self._pair: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels of one shape, and the label that is meant."""
        name = type(self).__name__
        if len(inputs) != 3:
            raise ValueError(f"`{name}.update` needs 3 inputs. Received: {len(inputs)}.")
        predicted, labels = (self._convert_data(data) for data in inputs[:2])
        label = inputs[2]
        if not isinstance(label, int | float | np.integer | np.floating) or isinstance(label, bool):
            raise ValueError(f"`{name}.update`: the label must be a number. Received: {label!r}.")
        if label not in predicted and label not in labels:
            raise ValueError(f"`{name}.update`: the label must occur. Received: {label!r}.")
        if predicted.size == 0 or predicted.shape != labels.shape:
            raise ValueError(
                f"`{name}.update`: predictions and labels must have one shape. "
                f"Received: {predicted.shape}, {labels.shape}."
            )
        self._pair = _surface(predicted == label), _surface(labels == label)

    def _there_and_back(self) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
        self._require_updates(self._pair is not None)
        assert self._pair is not None
        found, true = self._pair
        return _distances(found, true, self.distance_metric), lambda: _distances(
            true, found, self.distance_metric
        )


class HausdorffDistance(_Surfaces):
    """Hausdorff distance: the largest distance from a point of one surface to the other surface.

    Args:
        distance_metric (str): "euclidean", "chessboard" or "taxicab". Default: "euclidean".
        percentile (float): a percentile of the distances, 0 to 100, in place of the largest. Default: None.
        directed (bool): only from the predictions to the labels. Default: False.
        crop (bool): without effect on the result.

    Raises:
        TypeError: if `percentile` is not a float, `directed` or `crop` not a bool.
        ValueError: if `distance_metric` is unknown or `percentile` out of range.

    Examples:
        >>> from msjax.train import HausdorffDistance
        >>> metric = HausdorffDistance()
        >>> metric.update([[1, 1, 0, 0]], [[1, 1, 1, 1]], 1)
        >>> float(metric.eval())
        2.0
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        if percentile is not None and not isinstance(percentile, float):
            raise TypeError(
                f"`HausdorffDistance`: argument `percentile` must be a float. Received: {percentile!r}."
            )
        if percentile is not None and not 0 <= percentile <= 100:
            raise ValueError(
                f"`HausdorffDistance`: argument `percentile` must be 0 to 100. Received: {percentile!r}."
            )
        super().__init__(distance_metric)
        self._check_flags(directed=directed, crop=crop)
        self.percentile, self.directed, self.crop = percentile, directed, crop

    def _one(self, distances: np.ndarray) -> Any:
        if distances.size == 0:
            return np.inf
        return float(np.percentile(distances, self.percentile) if self.percentile else distances.max())

    def eval(self) -> Any:
        """Return the distance."""
        there, back = self._there_and_back()
        return self._one(there) if self.directed else max(self._one(there), self._one(back()))


class _MeanDistance(_Surfaces):
    """Base class of means of the distances, or of their squares."""

    _power = 1

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        self._check_flags(symmetric=symmetric)
        self.symmetric = symmetric

    def eval(self) -> Any:
        """Return the distance."""
        there, back = self._there_and_back()
        if there.size == 0:
            return np.inf
        mean = (there**self._power).mean()
        if not self.symmetric:
            return float(mean)
        back_ = back()
        if back_.size == 0:
            return np.inf
        both = np.mean((mean, (back_**self._power).mean()))
        return float(np.sqrt(both) if self._power == 2 else both)


class MeanSurfaceDistance(_MeanDistance):
    """The mean distance from the points of the predicted surface to the true one.

    Args:
        symmetric (bool): and back. Default: False.
        distance_metric (str): "euclidean", "chessboard" or "taxicab". Default: "euclidean".

    Raises:
        TypeError: if `symmetric` is not a bool.
        ValueError: if `distance_metric` is unknown.

    Examples:
        >>> from msjax.train import MeanSurfaceDistance
        >>> metric = MeanSurfaceDistance()
        >>> metric.update([[1, 0, 0, 0]], [[0, 0, 1, 1]], 1)
        >>> float(metric.eval())
        2.0
    """


@documented_by(MeanSurfaceDistance)
class RootMeanSquareDistance(_MeanDistance):
    """The mean squared distance from the points of the predicted surface to the true one.

    As in MindSpore 2.10 the root of it is taken only if `symmetric` is set.

    Examples:
        >>> from msjax.train import RootMeanSquareDistance
        >>> metric = RootMeanSquareDistance()
        >>> metric.update([[1, 0, 0, 0]], [[0, 0, 1, 1]], 1)
        >>> float(metric.eval())
        4.0
    """

    _power = 2
