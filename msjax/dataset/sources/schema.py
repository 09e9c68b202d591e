"""`Schema`: names, types and shapes of columns."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.dataset.common import checks

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 string".split()


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
                checks.fail(TypeError, "Schema", "schema_file", "be a str", schema_file)
            if not Path(schema_file).is_file():
                checks.fail(ValueError, "Schema", "schema_file", "be a file that exists", schema_file)
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
            checks.fail(TypeError, "Schema.add_column", "name", "be a str", name)
        if shape is not None and not (isinstance(shape, list) and all(isinstance(n, int) for n in shape)):
            checks.fail(TypeError, "Schema.add_column", "shape", "be a list of int", shape)
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
            checks.fail(RuntimeError, "Schema.parse_columns", "columns", "be a dict or a list", columns)
        for column in columns:
            if "name" not in column or "type" not in column:
                checks.fail(RuntimeError, "Schema", "columns", "have a name and a type", column)
            rank = column.get("rank", len(column.get("shape", ())))
            shape = tuple(column["shape"]) if "shape" in column else None if rank else ()
            self.columns.append(Column(column["name"], _type_name(column["type"]), shape))

    def to_json(self) -> str:
        """Return the columns as JSON."""
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
            checks.fail(RuntimeError, "Schema.from_json", "json_obj", "be a dict with columns", json_obj)
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
        checks.fail(TypeError, op, "schema", "be a Schema or a str", value)
    return Schema(str(value))


def _type_name(value: Any) -> str:
    name = (
        str(np.dtype(dtypes.as_np(value)).name)
        if isinstance(value, DType) and value != dtypes.string
        else value
    )
    name = "string" if value == dtypes.string else name
    if name not in TYPES:
        checks.fail(TypeError, "Schema", "de_type", f"be a dtype or one of {TYPES}", value)
    return str(name)
