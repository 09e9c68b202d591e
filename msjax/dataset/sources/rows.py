"""Rows, a source of rows for `GeneratorDataset`."""

from collections.abc import Sequence
from typing import Any


class Rows:
    """Rows whose values are read when they are asked for."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(value() if callable(value) else value for value in self.rows[index])
