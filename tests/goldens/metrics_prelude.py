"""The names of the programs of metrics_cases.py: probabilities of three classes, and labels."""

from typing import Any

import numpy as np


def names(ms: Any) -> dict[str, Any]:
    """The names of the programs, of MindSpore or of msjax."""
    probabilities = [[0.2, 0.5, 0.3], [0.3, 0.1, 0.6], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]
    labels = np.array([1, 0, 0, 2], np.int32)
    return {
        "train": ms.train,
        "np": np,
        "Tensor": ms.Tensor,
        "P": np.array(probabilities, np.float32),
        "L": labels,
        "ONE_HOT": np.eye(3, dtype=np.int32)[labels],
    }
