"""Registry of metrics by name."""

import difflib
import importlib
from typing import Any

from msjax.train.metrics.base import Metric

_METRICS = {
    "accuracy": "classification.Accuracy", "acc": "classification.Accuracy", "precision": "classification.Precision",
    "recall": "classification.Recall", "F1": "classification.F1", "topk": "classification.TopKCategoricalAccuracy",
    "top_1_accuracy": "classification.Top1CategoricalAccuracy",
    "top_5_accuracy": "classification.Top5CategoricalAccuracy",
    "loss": "errors.Loss", "mae": "errors.MAE", "mse": "errors.MSE", "perplexity": "errors.Perplexity",
    "roc": "ranking.ROC", "auc": "ranking.auc", "confusion_matrix": "confusion.ConfusionMatrix",
    "confusion_matrix_metric": "confusion.ConfusionMatrixMetric", "dice": "similarity.Dice",
    "cosine_similarity": "similarity.CosineSimilarity", "bleu_score": "similarity.BleuScore",
    "hausdorff_distance": "surface.HausdorffDistance", "mean_surface_distance": "surface.MeanSurfaceDistance",
    "root_mean_square_distance": "surface.RootMeanSquareDistance",
    "occlusion_sensitivity": "occlusion.OcclusionSensitivity",
}  # fmt: skip


def names() -> list[str]:
    """Return the names of the metrics that :func:`get_metric_fn` and `Model` know.

    Examples:
        >>> from msjax.train import names
        >>> "accuracy" in names()
        True
    """
    return sorted(_METRICS)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return a new metric, by its name.

    Args:
        name: one of :func:`names`.
        args: its arguments.
        kwargs: its keyword arguments.

    Raises:
        KeyError: if there is none of that name.

    Examples:
        >>> from msjax.train import get_metric_fn
        >>> type(get_metric_fn("precision", eval_type="classification")).__name__
        'Precision'
    """
    if name not in _METRICS:
        near = difflib.get_close_matches(str(name), _METRICS, 3)
        raise KeyError(
            f"`get_metric_fn`: there is no metric {name!r}. The nearest: {near or sorted(_METRICS)}."
        )
    module, _, kind = _METRICS[name].partition(".")
    return getattr(importlib.import_module(f"msjax.train.metrics.{module}"), kind)(*args, **kwargs)


def get_metrics(metrics: Any) -> Any:
    """Metrics by their names.

    Args:
        metrics: a set of names; a dict of names and metrics, which is returned; or None.

    Raises:
        TypeError: if it is none of these, or a dict with other things.
        KeyError: if there is no metric of a name.

    Examples:
        >>> from msjax.train.metrics import get_metrics
        >>> type(get_metrics({"mae"})["mae"]).__name__
        'MAE'
    """
    if metrics is None:
        return None
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    if not isinstance(metrics, dict):
        raise TypeError(
            f"`get_metrics`: argument `metrics` must be None, a dict or a set. Received: {metrics!r}."
        )
    for name, metric in metrics.items():
        if not isinstance(name, str) or not isinstance(metric, Metric):
            raise TypeError(
                "`get_metrics`: argument `metrics` must be a dict of names and Metrics. "
                f"Received: {name!r}: {metric!r}."
            )
    return metrics
