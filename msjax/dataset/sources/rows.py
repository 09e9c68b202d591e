"""Rows, a source of rows for `GeneratorDataset`."""

from collections.abc import Sequence
from typing import Any

from msjax.dataset.pipeline.nodes import FileRows


class Rows(FileRows):
    """Rows whose values are read when they are asked for; a function that reads one may name its `file`."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def file_of(self, index: int) -> Any:
        """The path of the first file that a row is read from; None if there is none."""
        return next((value.file for value in self.rows[index] if hasattr(value, "file")), None)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(value() if callable(value) else value for value in self.rows[index])
