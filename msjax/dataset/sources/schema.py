"""`Schema`: names, types and shapes of columns; `RandomDataset`: random rows that match a schema."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.public_sets.reader_table import Rows
from msjax.dataset.sources.generator import GeneratorDataset

_TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 string".split()


class Column(NamedTuple):
    """One column.

    Args:
        name: its name.
        type: "int32", "string" ...
        shape: of a value; None: of one dimension and any size.
    """

    name: str
    type: str
    shape: tuple[int, ...] | None


class Schema:
    """Schema of a dataset's columns: names, types and shapes.

    Args:
        schema_file (str): a JSON file with `columns`. Default: none; columns are added.

    Raises:
        TypeError, ValueError: if it is no file.

    Examples:
        >>> import msjax as ms
        >>> import msjax.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("x", ms.int64, [2])
        >>> [column.name for column in schema.columns]
        ['x']
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[Column] = []
        self.num_rows: int | None = None
        self.dataset_type = ""
        if schema_file is not None:
            if not isinstance(schema_file, str | Path):
                raise TypeError(checks.message("Schema", "schema_file", "be a str", schema_file))
            if not Path(schema_file).is_file():
                raise ValueError(
                    checks.message("Schema", "schema_file", "be a file that exists", schema_file)
                )
            self.from_json(json.loads(Path(schema_file).read_text(encoding="utf-8")))

    def add_column(self, name: str, de_type: Any, shape: list[int] | None = None) -> None:
        """One more column.

        Args:
            name (str): its name.
            de_type (Union[str, mindspore.dtype]): its type.
            shape (list[int]): of a value; -1 stands for any size. Default: one dimension of any size.

        Raises:
            TypeError: for arguments of another type.
        """
        if not isinstance(name, str):
            raise TypeError(checks.message("Schema.add_column", "name", "be a str", name))
        if shape is not None and not (isinstance(shape, list) and all(isinstance(n, int) for n in shape)):
            raise TypeError(checks.message("Schema.add_column", "shape", "be a list of int", shape))
        self.columns.append(Column(name, _type_name(de_type), None if shape is None else tuple(shape)))

    def parse_columns(self, columns: Any) -> None:
        """Columns from a list of dicts with `name`, `type`, `shape`, or a dict from name to such.

        Args:
            columns (Union[dict, list[dict]]): the columns.

        Raises:
            RuntimeError: if something of them is missing.
        """
        if isinstance(columns, dict):
            columns = [{"name": name, **about} for name, about in columns.items()]
        if not isinstance(columns, list):
            raise RuntimeError(
                checks.message("Schema.parse_columns", "columns", "be a dict or a list", columns)
            )
        for column in columns:
            if "name" not in column or "type" not in column:
                raise RuntimeError(checks.message("Schema", "columns", "have a name and a type", column))
            rank = column.get("rank", len(column.get("shape", ())))
            shape = tuple(column["shape"]) if "shape" in column else None if rank else ()
            self.columns.append(Column(column["name"], _type_name(column["type"]), shape))

    def to_json(self) -> str:
        """The columns as JSON."""
        told: list[dict[str, Any]] = []
        for name, kind, shape in self.columns:
            has = {} if shape is None else {"shape": list(shape)}
            told.append({"name": name, "rank": 1 if shape is None else len(shape), **has, "type": kind})
        content: dict[str, Any] = {"columns": told}
        if self.dataset_type:
            content["datasetType"] = self.dataset_type
        if self.num_rows is not None:
            content["numRows"] = self.num_rows
        return json.dumps(content, indent=2, sort_keys=True)

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Read the columns from a dict in the form of `to_json`.

        Args:
            json_obj (dict): with `columns`, and perhaps `datasetType` and `numRows`.

        Raises:
            RuntimeError: if the columns are missing.
        """
        if not isinstance(json_obj, dict) or "columns" not in json_obj:
            raise RuntimeError(
                checks.message("Schema.from_json", "json_obj", "be a dict with columns", json_obj)
            )
        self.dataset_type = json_obj.get("datasetType", "")
        self.num_rows = json_obj.get("numRows") or None
        self.parse_columns(json_obj["columns"])

    def __str__(self) -> str:
        return self.to_json()

    @staticmethod
    def get_num_rows(schema: "Schema") -> int | None:
        """Return the number of rows that a schema declares.

        Args:
            schema (Schema): the schema.
        """
        return schema.num_rows


def as_schema(op: str, value: Any) -> Schema | None:
    """Convert an argument to a schema: a Schema, or the path of its file.

    Raises:
        TypeError: for anything else.
    """
    if value is None or isinstance(value, Schema):
        return value
    if not isinstance(value, str | Path):
        raise TypeError(checks.message(op, "schema", "be a Schema or a str", value))
    return Schema(str(value))


def _type_name(value: Any) -> str:
    name = (
        str(np.dtype(dtypes.as_np(value)).name)
        if isinstance(value, DType) and value != dtypes.string
        else value
    )
    name = "string" if value == dtypes.string else name
    if name not in _TYPES:
        raise TypeError(checks.message("Schema", "de_type", f"be a dtype or one of {_TYPES}", value))
    return str(name)


class RandomDataset(GeneratorDataset):
    """Rows of random numbers.

    Args:
        total_rows (int): how many. Default: some.
        schema (Union[str, Schema]): the columns. Default: one to four columns of some types and shapes.
        columns_list (list[str]): those of the columns to give. Default: all.
        num_samples (int): accepted; `total_rows` counts.
        num_parallel_workers (int): without effect.
        cache: not supported.
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
        if cache is not None:
            raise NotImplementedError(f"`{op}`: argument `cache` is not supported.")
        if total_rows is not None and (isinstance(total_rows, bool) or not isinstance(total_rows, int)):
            raise TypeError(checks.message(op, "total_rows", "be an int", total_rows))
        if total_rows is not None and total_rows < 0:
            raise RuntimeError(checks.message(op, "total_rows", "not be negative", total_rows))
        checks.workers(op, num_parallel_workers)
        known, draw = as_schema(op, schema), np.random.default_rng(config.get_seed())
        columns = known.columns if known is not None else _some_columns(draw)
        if known is not None and columns_list:
            columns = [column for column in columns if column.name in columns_list]
        if any(column.type == "string" for column in columns):
            raise RuntimeError(f"`{op}`: columns of strings cannot be drawn.")
        count = total_rows or (known.num_rows if known else None) or int(draw.integers(1, 100))
        rows = [tuple(_drawn(draw, column) for column in columns) for _ in range(count)]
        super().__init__(
            Rows(rows), [c.name for c in columns], shuffle=shuffle, num_shards=num_shards, shard_id=shard_id
        )


def _some_columns(draw: np.random.Generator) -> Sequence[Column]:
    kinds = [kind for kind in _TYPES if kind not in ("string", "bool")]
    return [
        Column(f"c{i}", str(draw.choice(kinds)), tuple(map(int, draw.integers(1, 30, draw.integers(1, 4)))))
        for i in range(draw.integers(1, 5))
    ]


def _drawn(draw: np.random.Generator, column: Column) -> np.ndarray:
    shape = tuple(max(size, 1) for size in column.shape or ())
    return draw.integers(0, 128 if column.type != "bool" else 2, shape).astype(column.type)
