"""Buffer pool for batches, whose memory is used again.

Fresh memory of some megabytes takes longer to get and to give back than to fill.
An array's memory comes back when the last array or Tensor over it is gone, views included; who keeps a batch keeps it as
it is. It begins at a multiple of 64 bytes, so that JAX need not copy it to a Tensor on the CPU.
"""

import ctypes
import math
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

_LARGE = 2**20  # bytes; smaller memory costs nothing
_KEPT = 4  # pieces of memory that wait for an array
_LINE = 64  # bytes that JAX wants arrays to begin at a multiple of


class Recycler:
    """Maker of uninitialised arrays, in the memory of earlier ones that are gone. Threads may ask at once."""

    def __init__(self) -> None:
        self._free: deque[np.ndarray] = deque(maxlen=_KEPT)

    def empty(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        """Return an array of numbers that nobody else has."""
        size = math.prod(shape) * dtype.itemsize
        if size < _LARGE:
            return np.empty(shape, dtype)
        memory: Any = self._take(size + _LINE)
        # Every view of an array keeps the object at the end of its chain of bases: this one.
        lease: Any = (ctypes.c_char * size).from_buffer(memory, -memory.ctypes.data % _LINE)
        weakref.finalize(lease, _give_back, weakref.ref(self._free), memory).atexit = False
        return np.frombuffer(lease, dtype).reshape(shape)

    def _take(self, size: int) -> np.ndarray:
        for _ in range(_KEPT):
            try:
                memory = self._free.popleft()  # which no other thread can then take
            except IndexError:
                break
            if len(memory) == size:
                return memory
            self._free.append(memory)
        return np.empty(size, np.uint8)


def _give_back(free: "weakref.ref[deque[np.ndarray]]", memory: np.ndarray) -> None:
    kept = free()
    if kept is not None:  # else its pipeline is gone
        kept.append(memory)
