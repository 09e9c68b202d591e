"""`RandomDataset`: random rows that match a schema."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.rows import Rows
from msjax.dataset.sources.schema import TYPES, Column, as_schema


class RandomDataset(GeneratorDataset):
    """Rows of random numbers.

    Args:
        total_rows (int): how many. Default: some.
        schema (Union[str, Schema]): the columns. Default: one to four columns of some types and shapes.
        columns_list (list[str]): those of the columns to give. Default: all.
        num_samples (int): checked, and without effect, as in MindSpore: `total_rows` counts.
        num_parallel_workers (int): without effect.
        cache: needs MindSpore's cache server, which there is not here.
        shuffle (bool): whether the rows come in another order in each epoch.
        num_shards (int): read only the rows of one of so many shares.
        shard_id (int): which share.

    Examples:
        >>> import msjax as ms
        >>> import msjax.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("x", ms.int64, [2])
        >>> [row["x"].shape for row in ds.RandomDataset(2, schema).create_dict_iterator(1)]
        [(2,), (2,)]
    """

    def __init__(
        self,
        total_rows: int | None = None,
        schema: Any = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        op = "RandomDataset"
        check_cache(op, cache)
        if total_rows is not None and (isinstance(total_rows, bool) or not isinstance(total_rows, int)):
            checks.fail(TypeError, op, "total_rows", "be an int", total_rows)
        if total_rows is not None and total_rows < 0:
            checks.fail(RuntimeError, op, "total_rows", "not be negative", total_rows)
        if num_samples is not None:
            checks.check_int(op, "num_samples", num_samples, 0, checks.INT64_MAX)
        checks.check_num_workers(op, num_parallel_workers)
        known, draw = as_schema(op, schema), np.random.default_rng(config.get_seed())
        columns = known.columns if known is not None else _some_columns(draw)
        if known is not None and columns_list:
            columns = [column for column in columns if column.name in columns_list]
        if any(column.type == "string" for column in columns):
            raise RuntimeError(f"`{op}`: columns of strings cannot be drawn.")
        count = total_rows or (known.num_rows if known else None) or int(draw.integers(1, 100))
        rows = [tuple(_draw_value(draw, column) for column in columns) for _ in range(count)]
        super().__init__(
            Rows(rows), [c.name for c in columns], shuffle=shuffle, num_shards=num_shards, shard_id=shard_id
        )


def _some_columns(draw: np.random.Generator) -> Sequence[Column]:
    kinds = [kind for kind in TYPES if kind not in ("string", "bool")]
    return [
        Column(f"c{i}", str(draw.choice(kinds)), tuple(map(int, draw.integers(1, 30, draw.integers(1, 4)))))
        for i in range(draw.integers(1, 5))
    ]


def _draw_value(draw: np.random.Generator, column: Column) -> np.ndarray:
    shape = tuple(max(size, 1) for size in column.shape or ())
    return draw.integers(0, 128 if column.type != "bool" else 2, shape).astype(column.type)
