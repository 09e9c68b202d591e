"""Record what MindSpore prints for metrics_cases.py in metrics.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
import numpy as np
from snippets import record

HERE = Path(__file__).parent
P = np.array([[0.2, 0.5, 0.3], [0.3, 0.1, 0.6], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], np.float32)
L = np.array([1, 0, 0, 2], np.int32)
PRELUDE = {
    "train": ms.train,
    "np": np,
    "Tensor": ms.Tensor,
    "P": P,
    "L": L,
    "ONE_HOT": np.eye(3, dtype=np.int32)[L],
}

if __name__ == "__main__":
    record(HERE / "metrics_cases.py", HERE / "metrics.json", PRELUDE, lambda: None)
