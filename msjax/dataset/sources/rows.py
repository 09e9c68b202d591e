"""Rows, a source of rows for `GeneratorDataset`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.dataset.pipeline.nodes import FileRows


class Rows(FileRows):
    """Rows whose values are read when they are asked for; a function that reads one may name its `file`.

    Args:
        rows: one value or function for each column.
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

    def file_of(self, index: int) -> Any:
        """Return the path of the first file that a row is read from; None if there is none."""
        return next((value.file for value in self.rows[index] if hasattr(value, "file")), None)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(value() if callable(value) else value for value in self.rows[index])
