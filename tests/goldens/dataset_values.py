"""Values as JSON: arrays keep their dtype and shape, everything else becomes what JSON has."""

from typing import Any

import numpy as np


def encode(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        flat = np.asarray(value).reshape(-1)
        data = [x.decode() if isinstance(x, bytes) else x for x in flat.tolist()]
        return {"dtype": str(flat.dtype), "shape": list(np.shape(value)), "data": [encode(x) for x in data]}
    if isinstance(value, dict):
        return {"dict": [[key, encode(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, np.dtype):
        return {"np": str(value)}
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": str(value)}
    if value is None or isinstance(value, bool | int | str):
        return value
    return {"type": type(value).__name__}
