"""Variable-length encoding of integer arrays: each element takes as few bytes as it needs.

u32 n, big-endian | 2 bits for each element, the first ones highest: 1, 2, 4 or 8 bytes | the elements, little-endian
"""

import struct

import numpy as np


def shorten(data: bytes, dtype: str) -> bytes:
    """Return the short form of the bytes of an array.

    Examples:
        >>> import numpy as np
        >>> from msjax.mindrecord.integers import lengthen, shorten
        >>> shorten(np.array([1, 300, -1], np.int32).tobytes(), "int32").hex()
        '0000000310012c01ff'
        >>> np.frombuffer(lengthen(bytes.fromhex("0000000310012c01ff"), "int32"), np.int32).tolist()
        [1, 300, -1]
    """
    values = np.frombuffer(data, dtype).astype("<i8")
    codes = np.zeros(len(values), np.uint8)
    for kind in (np.int8, np.int16, np.int32):
        limits = np.iinfo(kind)
        codes += (values < limits.min) | (values > limits.max)
    four = np.pad(codes, (0, -len(codes) % 4)).reshape(-1, 4)
    marks = (four << np.array([6, 4, 2, 0], np.uint8)).sum(-1).astype(np.uint8)
    kept = values.view(np.uint8).reshape(-1, 8)[_mask(codes)]
    return struct.pack(">I", len(values)) + marks.tobytes() + kept.tobytes()


def lengthen(data: bytes, dtype: str) -> bytes:
    """Return the bytes of the array that a short form stands for."""
    (count,) = struct.unpack_from(">I", data)
    end = 4 + (count + 3) // 4
    marks = np.frombuffer(data[4:end], np.uint8)
    codes = (marks[:, None] >> np.array([6, 4, 2, 0], np.uint8) & 3).ravel()[:count]
    whole = np.zeros((count, 8), np.uint8)
    whole[_mask(codes)] = np.frombuffer(data[end:], np.uint8)
    unused = 64 - 8 * (1 << codes.astype(np.int64))
    return (whole.view("<i8").ravel() << unused >> unused).astype(dtype).tobytes()


def _mask(codes: np.ndarray) -> np.ndarray:
    """Return a mask of the bytes, of 8, that each element has."""
    return np.arange(8) < (1 << codes.astype(np.int64))[:, None]
