"""Indices into an array of shape (2, 3, 4).

T makes a Tensor, M, M2 and M3 are masks over all, the first two and the last two axes.
"""

from typing import Any

import numpy as np

INDICES = """
0 | -1 | 1 | (0, 1) | (0, 1, 2) | (0, -1, 3) | (1,) | () | ... | None | True | (True, 0) | (0, True) | (slice(None), True)
(None, True) | (..., 1) | (1, ...) | (None, 0) | (0, None) | (..., None) | (None, ..., None) | (slice(None), None, 1)
slice(1, None) | slice(None, -1) | slice(None, None, 2) | slice(5, None) | slice(3, 1) | slice(-2, None) | slice(-100, 100)
slice(None, None, -1) | slice(2, 0, -1) | slice(0, 2, -1) | slice(None, None, 0) | (slice(None), slice(None, None, 2), slice(3, None, -2))
(slice(None), 1) | (slice(0, 2), slice(1, 3)) | (slice(None), slice(None), slice(0, 4, 2)) | (0, 1, 2, ...) | (..., 0, 1, 2)
(slice(-2, None), slice(-100, 100)) | (slice(T(0), T(2)),) | slice(T(0), T(1)) | (slice(1, 2), None, ..., 0)
[0, 1] | [0] | [1, 0, 1] | [-1] | [True, False] | [[0, 1], [1, 0]] | [[0, 1]] | [0, T(1)] | [slice(0, 1), 0] | [None, 0]
([0, 1], [1, 0]) | (0, [1, 2]) | ([0, 1], 0) | (0, slice(None), [1, 2]) | ([0, 1], slice(None), [1, 2]) | (slice(None), [1, 2])
(slice(None), [1, 2], slice(0, 2)) | (slice(None), [0, 1], [1, 2]) | (None, [0, 1]) | ([0, 1], None) | (..., [0, 1])
([0, 1], ...) | ([0, 1], ..., [1, 2]) | (slice(None), [0, 1], None, [1, 2]) | ((0, 1),) | ((0, 1), 0) | ([[0], [1]], [0, 2])
T(0) | T(-1) | T([0, 1]) | T([[0, 1], [1, 1]]) | (T([0, 1]), T([1, 2])) | (T(0), 1) | (0, T(1)) | (slice(None), T(1))
(T(0), slice(None), T([1, 2])) | T([True, False]) | (slice(None), T([True, False, True])) | (T([0, 1]), T([True, False, True]))
(slice(None), slice(None), T([True, False, True, False])) | (0, 0, [True, False, True, False]) | M | (M2,) | (M2, 0)
(M2, slice(0, 2)) | (0, M3) | (T(0, "int8"),) | (T([0, 1], "int32"), slice(None), slice(1, 3)) | (..., T([0, 3]))
7 | -7 | (0, 9) | (0, 0, 0, 0) | [5] | 1.0 | "a" | (slice(None), 1.5) | T(1.0) | (..., ...) | False | [] | np.array([0, 1])
range(2) | np.int64(1) | (np.array([0, 1]), 0)
(True, True) | ([0, 1], True) | ("a", 0) | [1.0]
""".replace("\n", " | ")


def cases() -> list[str]:
    return [code.strip() for code in INDICES.split(" | ") if code.strip()]


def names(tensor: Any) -> dict[str, Any]:
    """Return the values that an index is made of, with `tensor` to make Tensors."""
    x = values()
    make = lambda v, d=None: tensor(np.array(v, d) if d else np.array(v))  # noqa: E731
    return {"T": make, "np": np, "M": make(x > 7), "M2": make(x[:, :, 0] > 3), "M3": make(x[0] > 3)}


def values() -> np.ndarray:
    return np.arange(24).reshape(2, 3, 4).astype(np.float32)


def outcomes(ms: Any) -> dict[str, Any]:
    """Return the results of `x[index]` and `x[index] = 50`: [shape, flat values] or the exception's type."""

    def outcome(action: Any) -> Any:
        x = ms.Tensor(values())
        try:
            found = action(x).asnumpy()
        except Exception as error:
            return type(error).__name__
        return [list(found.shape), found.ravel().tolist()]

    def write(x: Any, index: Any) -> Any:
        x[index] = 50.0
        return x

    found = {}
    for code in cases():
        index = eval(code, names(ms.Tensor))
        found[code] = [outcome(lambda x, i=index: x[i]), outcome(lambda x, i=index: write(x, i))]
    return found
