"""Batches on their way from worker processes to the program."""

import io
import pickle
import sys
from types import FunctionType
from typing import Any

Sent = tuple[bytes, list[Any]]


def _from_main(path: str) -> Any:
    found: Any = sys.modules["__main__"]
    for name in path.split("."):
        found = getattr(found, name)
    return found


class _Pickler(pickle.Pickler):
    """Classes and functions of the program's main file go by their names."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType) and obj.__module__ == "__main__":
            return _from_main, (obj.__qualname__,)
        return NotImplemented


def encode(value: Any) -> Sent:
    """Return a batch as bytes and the memory of its arrays."""
    buffers: list[pickle.PickleBuffer] = []
    content = io.BytesIO()
    _Pickler(content, 5, buffer_callback=buffers.append).dump(value)
    return content.getvalue(), buffers


def decode(item: Any, sent: Sent | None) -> Any:
    """Return the batch again."""
    return None if sent is None else pickle.loads(sent[0], buffers=sent[1])
