"""Hooks that look at what goes into the operations of a `map` and comes out (`config.set_debug_mode`)."""

from abc import ABC, abstractmethod
from collections.abc import Sized
from typing import Any

import numpy as np


class DebugHook(ABC):
    """Base class of hooks that see the columns before the first operation of a `map` and after each one.

    One of them may also stand among the operations of a `map` itself. Subclasses define `compute`.

    Args:
        prev_op_name: the name of the operation that it stands before or behind; `map` sets it.

    Examples:
        >>> import numpy as np
        >>> import msjax.dataset as ds
        >>> class Largest(ds.debug.DebugHook):
        ...     def compute(self, columns):
        ...         print("at most", max(column.max() for column in columns))
        >>> ds.config.set_debug_mode(True, [Largest()])
        >>> data = ds.NumpySlicesDataset(np.arange(2), ["x"], shuffle=False).map([lambda x: x * 10])
        >>> rows = list(data)
        [Dataset debugger] Print the [INPUT] of the operation [<lambda>].
        at most 0
        [Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
        at most 0
        [Dataset debugger] Print the [INPUT] of the operation [<lambda>].
        at most 1
        [Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
        at most 10
        >>> ds.config.set_debug_mode(False)
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.is_first_op: bool | None = None

    def __call__(self, *columns: Any) -> tuple[Any, ...]:
        """Say where this is, and look at the columns; return them as they are."""
        if self.prev_op_name:
            kind = "INPUT" if self.is_first_op else "OUTPUT"
            _say(f"[Dataset debugger] Print the [{kind}] of the operation [{self.prev_op_name}].")
        self.compute(columns)
        return columns

    @abstractmethod
    def compute(self, *args: Any) -> Any:
        """Look at the columns, which come in one tuple."""

    def set_previous_op_name(self, prev_op_name: str | None) -> None:
        """Set the name of the operation before."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Set whether the columns are those before the first operation."""
        self.is_first_op = is_first_op


class PrintMetaDataHook(DebugHook):
    """Print type and shape of each column."""

    def __init__(self) -> None:
        super().__init__()

    def compute(self, *args: Any) -> Any:
        """Print type and shape of each column."""
        for number, column in enumerate(args[0]):
            told = ""
            if isinstance(column, np.ndarray):
                told = f"The dtype is [{column.dtype}]. The shape is [{column.shape}]."
            elif type(column).__module__.startswith("PIL."):
                told = f"The type is [{type(column)}]. The shape is [{column.size}]."
            elif isinstance(column, Sized):
                told = f"The type is [{type(column)}]. The size is [{len(column)}]."
            _say(f"Column {number}. {told}")
        return args


class PrintDataHook(DebugHook):
    """Print the values of each column."""

    def __init__(self) -> None:
        super().__init__()

    def compute(self, *args: Any) -> Any:
        """Print the values of each column."""
        for number, column in enumerate(args[0]):
            values = np.asarray(column) if type(column).__module__.startswith("PIL.") else column
            _say(f"Column {number}. The data is [{values}].")
        return args


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201
