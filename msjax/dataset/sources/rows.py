"""Sources of rows for `GeneratorDataset`: values and files, and arrays that files hold."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.pipeline.nodes import FileRows


class FileValue:
    """A value that is read from a file when it is asked for.

    Args:
        file: the path, kept as a str: millions of paths take a quarter of the memory.
        read: reads the value; called with the path.
        more: further arguments of `read`.
    """

    __slots__ = ("file", "more", "read")

    def __init__(self, file: Path | str, read: Callable[..., Any], *more: Any) -> None:
        self.file, self.read, self.more = str(file), read, more

    def __call__(self) -> Any:
        """Read the value.

        Raises:
            RuntimeError: if it cannot be read; the file is named.
        """
        try:
            return self.read(Path(self.file), *self.more)
        except Exception as error:
            if self.file in str(error):
                raise
            raise RuntimeError(f"{self.file}: {type(error).__name__}: {error}") from error


class Rows(FileRows):
    """Rows whose values are read when they are asked for.

    Args:
        rows: one value, or function that gives it, for each column.
        label: the column with the label, if there is one.
    """

    def __init__(self, rows: Sequence[Sequence[Any]], label: int | None = None) -> None:
        self.rows, self.label = rows, label

    def labels(self) -> list[int] | None:
        """The label of each row; None if there are no labels, or not one number for a row."""
        if self.label is None:
            return None
        found = [row[self.label] for row in self.rows]
        return (
            [int(one) for one in found]
            if all(np.ndim(one) == 0 and not callable(one) for one in found)
            else None
        )

    def __len__(self) -> int:
        return len(self.rows)

    def file_of(self, index: int) -> str | None:
        """Return the path of the first file that a row is read from; None if there is none."""
        return next((value.file for value in self.rows[index] if isinstance(value, FileValue)), None)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(value() if callable(value) else value for value in self.rows[index])


class ArrayFiles(FileRows):
    """Rows of arrays that lie in files, one file after the other.

    Args:
        paths: of the files.
        parts: for each file the columns, mapped into memory: arrays of one length.
    """

    def __init__(self, paths: Sequence[Path], parts: Sequence[tuple[np.ndarray, ...]]) -> None:
        self.paths, self.parts = paths, parts
        self._ends: list[int] = np.cumsum([len(part[0]) for part in parts]).tolist()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def file_of(self, index: int) -> Path:
        """Return the path of the file of a row."""
        return self.paths[bisect_right(self._ends, index)]

    def labels(self) -> np.ndarray:
        """The first label of each row."""
        return np.concatenate([part[1] for part in self.parts])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        number = bisect_right(self._ends, index)
        place = index - (self._ends[number - 1] if number else 0)
        image, *labels = (column[place] for column in self.parts[number])
        return np.array(image), *labels
