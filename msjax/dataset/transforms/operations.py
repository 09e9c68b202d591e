"""Base classes for user-defined transforms (`mindspore.dataset.transforms.transforms`).

MindSpore's transforms give its data engine what it runs (`parse`), or run as Python (`_execute_py`). msjax has no such
engine: what is derived from these classes runs as Python, and its own transforms count as instances of them.
"""

from abc import ABCMeta
from enum import IntEnum
from typing import Any

import numpy as np

from msjax.dataset.audio.base import AudioTransform
from msjax.dataset.text.base import TextTransform
from msjax.dataset.transforms.base import Transform, is_pil
from msjax.dataset.vision.base import ImageTransform


class Implementation(IntEnum):
    """Implementation of a transform: MindSpore's data engine, or Python."""

    C = 0
    PY = 1


class TensorOperation(metaclass=ABCMeta):  # noqa: B024
    """A transform of columns. A subclass defines `_execute_py` and sets `implementation` to `Implementation.PY`.

    Examples:
        >>> import numpy as np
        >>> class First(TextTensorOperation):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.implementation = Implementation.PY
        ...
        ...     def _execute_py(self, text):
        ...         return text[:1]
        >>> First()(np.array(["a", "b"])).tolist()
        ['a']
    """

    def __init__(self) -> None:
        super().__init__()
        self.implementation: Implementation | None = None
        self.device_target = "CPU"

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed columns.

        Raises:
            NotImplementedError: if the transform would run in MindSpore's data engine.
        """
        pil = len(columns) == 1 and is_pil(columns[0]) and hasattr(self, "_execute_py")
        if pil or self.implementation == Implementation.PY:
            return self._execute_py(*columns)
        self.parse()
        raise NotImplementedError(
            f"`{type(self).__name__}`: is for MindSpore's data engine, which msjax does without. Define"
            " `_execute_py` and set `self.implementation = Implementation.PY`."
        )

    def parse(self) -> Any:
        """Raise NotImplementedError: MindSpore's data engine would run the result, but there is none here."""
        raise NotImplementedError(f"{type(self).__name__} has to implement parse() method.")

    def _execute_py(self, *columns: Any) -> Any:
        raise NotImplementedError(f"`{type(self).__name__}`: does not define `_execute_py`.")


class TextTensorOperation(TensorOperation):
    """A transform of strings."""

    def __init__(self) -> None:
        super().__init__()
        self.implementation = Implementation.C


class ImageTensorOperation(TensorOperation):
    """A transform of images, arrays or PIL's."""

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed images."""
        for image in columns:
            if not (isinstance(image, np.ndarray) or is_pil(image)):
                raise TypeError(f"Input should be NumPy or PIL image, got {type(image)}.")
        return super().__call__(*columns)


class AudioTensorOperation(TensorOperation):
    """A transform of signals."""

    def __init__(self) -> None:
        super().__init__()
        self.implementation = Implementation.C

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed signals."""
        for signal in columns:
            if not isinstance(signal, np.ndarray):
                raise TypeError(f"Input should be NumPy audio, got {type(signal)}.")
        return super().__call__(*columns)


class PyTensorOperation(metaclass=ABCMeta):  # noqa: B024
    """A transform in Python. A subclass defines `_execute_py`, of one column."""

    def __init__(self) -> None:
        self.transforms: list[Any] = []
        self.output_type: Any = None

    def __call__(self, img: Any) -> Any:
        """Return the transformed column."""
        return self._execute_py(img)

    def _execute_py(self, img: Any) -> Any:
        raise NotImplementedError(f"`{type(self).__name__}`: does not define `_execute_py`.")


for _base, _own in (
    (TensorOperation, Transform),
    (TensorOperation, ImageTransform),
    (TextTensorOperation, TextTransform),
    (ImageTensorOperation, ImageTransform),
    (AudioTensorOperation, AudioTransform),
):
    _base.register(_own)
