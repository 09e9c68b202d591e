"""Data with many small arrays as an npz file of two: an index in JSON and the bytes of the arrays in its order."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

# The keys under which an index lists arrays, as [dtype, shape].
ARRAYS = ("outputs", "grads", "state", "arrays")


def pack(data: Any) -> dict[str, np.ndarray]:
    """Nested dicts, in which lists of arrays stand under the keys `ARRAYS`, as the two arrays of the file."""
    blobs: list[bytes] = []

    def indexed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: indexed(part, name) for name, part in value.items()}
        if key not in ARRAYS or not isinstance(value, list):
            return value
        blobs.extend(np.ascontiguousarray(array).tobytes() for array in value)
        return [[array.dtype.name, list(array.shape)] for array in value]

    index = json.dumps(indexed(data)).encode()
    return {"index": np.frombuffer(index, np.uint8), "data": np.frombuffer(b"".join(blobs), np.uint8)}


def unpack(path: Path) -> Any:
    """The data of a file."""
    stored = np.load(path)
    data, at = stored["data"], 0

    def filled(value: Any, key: str = "") -> Any:
        nonlocal at
        if isinstance(value, dict):
            return {name: filled(part, name) for name, part in value.items()}
        if key not in ARRAYS or not isinstance(value, list):
            return value
        arrays = []
        for dtype, shape in value:
            size = math.prod(shape) * np.dtype(dtype).itemsize
            arrays.append(data[at : at + size].view(dtype).reshape(shape))
            at += size
        return arrays

    return filled(json.loads(stored["index"].tobytes()))
