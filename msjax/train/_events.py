"""TensorBoard event files, written with the package `tensorboardX`."""

import importlib
import os
import time
from typing import Any

import numpy as np

_PLUGINS = {"tensor": "msjax_tensor"}


class EventFile:
    """One file of events.

    Args:
        path: where it is written.
        most: bytes that it may have; None for any number.
    """

    def __init__(self, path: str, most: int | None = None) -> None:
        from tensorboardX.record_writer import RecordWriter

        self._event, self._writer = _messages("event").Event, RecordWriter(path)
        self._most, self._size = most, 0
        self.path = path
        self._write(file_version="brain.Event:2")

    def add(self, kind: str, name: str, step: int, value: np.ndarray) -> None:
        """Write one value.

        Args:
            kind: "scalar", "tensor", "image" or "histogram".
            name: its tag.
            step: of training.
            value: of the shape that the kind needs.

        Raises:
            RuntimeError: if the file would become larger than it may.
        """
        self._write(step=step, summary=_MAKERS[kind](name, value))

    def _write(self, **content: Any) -> None:
        data = self._event(wall_time=time.time(), **content).SerializeToString()
        size = len(data) + 16  # what a record has beside its data: its length and two checksums
        if self._most is not None and self._size + size > self._most:
            raise RuntimeError(
                f"`SummaryRecord`: {self.path} would become larger than `max_file_size` = {self._most}."
            )
        self._size += size
        self._writer.write(data)

    def flush(self) -> None:
        """Write what waits to the disk."""
        self._writer.flush()

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._writer.close()
        os.chmod(self.path, 0o400)


def _scalar(name: str, value: np.ndarray) -> Any:
    return _summary(name, simple_value=float(value.reshape(-1)[0]))


def _tensor(name: str, value: np.ndarray) -> Any:
    shape = _messages("tensor_shape").TensorShapeProto
    content = _messages("tensor").TensorProto(
        dtype="DT_FLOAT",
        tensor_shape=shape(dim=[shape.Dim(size=size) for size in value.shape]),
        tensor_content=np.ascontiguousarray(value, dtype="<f4").tobytes(),
    )
    return _summary(name, plugin=_PLUGINS["tensor"], tensor=content)


def _histogram(name: str, value: np.ndarray) -> Any:
    finite = value.astype(np.float64).reshape(-1)
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        finite = np.zeros(1)
    from tensorboardX import summary

    made = summary.make_histogram(finite, bins=_bins(finite.size))
    return _summary(name, histo=made)


def _bins(count: int) -> int:
    """Return the number of histogram bins that MindSpore uses for so many values."""
    return 2 if count <= 5 else min(3 if count <= 10 else count // 10 + 1, 90)


def _image(name: str, value: np.ndarray) -> Any:
    from tensorboardX import summary

    return _summary(name, image=summary.make_image(tile_images(value)))


def tile_images(images: np.ndarray) -> np.ndarray:
    """Images of shape (N, C, H, W) side by side, eight in a row, as bytes of shape (rows * H, columns * W, 3).

    Bytes remain, values in [0, 1] are stretched to 255, others from the least to the greatest of them.
    """
    count, _, height, width = images.shape
    columns = min(count, 8)
    rows = -(-count // columns)
    levels = images.astype(np.float32)
    low, high = float(levels.min()), float(levels.max())
    if images.dtype != np.uint8:
        known = low >= 0 and high <= 1
        levels = levels * 255 if known else (levels - low) * (255 / (high - low + 1) if high > low else 1)
    filled = np.zeros((rows * columns, 3, height, width), np.uint8)
    filled[:count] = levels.astype(np.uint8)  # a single channel becomes three
    grid = filled.reshape(rows, columns, 3, height, width)
    return grid.transpose(0, 3, 1, 4, 2).reshape(rows * height, columns * width, 3)


def _summary(name: str, plugin: str | None = None, **content: Any) -> Any:
    messages = _messages("summary")
    if plugin is not None:
        data = messages.SummaryMetadata.PluginData(plugin_name=plugin)
        content["metadata"] = messages.SummaryMetadata(plugin_data=data)
    return messages.Summary(value=[messages.Summary.Value(tag=name, **content)])


def _messages(name: str) -> Any:
    return importlib.import_module(f"tensorboardX.proto.{name}_pb2")


_MAKERS = {"scalar": _scalar, "tensor": _tensor, "histogram": _histogram, "image": _image}
