"""`save`: writes the rows of a pipeline to MindRecord files."""

from itertools import islice
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.mindrecord.exceptions import MRMInvalidSchemaError
from msjax.mindrecord.writer import FileWriter

_TYPES = {"uint32": "int64", "uint64": "int64", "int64": "int64", "float16": "float32"}
_TYPES |= {name: name for name in ("float32", "float64")}
_TYPES |= dict.fromkeys("int8 uint8 int16 uint16 int32 bool".split(), "int32")


def save_dataset(data: Any, file_name: str, num_files: int, file_type: str) -> None:
    """`Dataset.save`."""
    if not isinstance(file_name, str):
        raise TypeError(checks.argument_error_text("save", "file_name", "be a str", file_name))
    checks.check_int("save", "num_files", num_files, 1, 1000)
    if file_type != "mindrecord":
        raise ValueError(checks.argument_error_text("save", "file_type", "be 'mindrecord'", file_type))
    rows = (row for row in data.create_dict_iterator(num_epochs=1, output_numpy=True))
    first = next(rows, None)
    if first is None:
        raise RuntimeError("`save`: the dataset has no rows.")
    schema = {name: _entry(name, column) for name, column in first.items()}
    writer = FileWriter(file_name, num_files)
    try:
        writer.add_schema(schema, "dataset")
    except MRMInvalidSchemaError as error:
        raise RuntimeError(f"`save`: {error}") from error
    batch = [_row(first, schema)]
    while batch:
        writer.write_raw_data(batch)
        batch = [_row(row, schema) for row in islice(rows, 1000)]
    writer.commit()


def _entry(name: str, column: Any) -> dict[str, Any]:
    kind = column.dtype.kind if isinstance(column, np.ndarray) else "dict"
    if kind in "US" and (column.ndim == 0 or (kind == "S" and column.size == 1)):
        return {"type": "string" if kind == "U" else "bytes"}
    dtype = _TYPES.get(str(getattr(column, "dtype", kind)))
    if dtype is None:
        raise RuntimeError(
            f"`save`: MindRecord files hold numbers, arrays of numbers, and single strings. Received: column {name!r} of "
            f"{getattr(column, 'dtype', kind)}, shape {np.shape(column)}."
        )
    return {"type": dtype, "shape": [-1, *column.shape[1:]]} if column.ndim else {"type": dtype}


def _row(row: dict[str, np.ndarray], schema: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(row[name], entry) for name, entry in schema.items()}


def _value(column: np.ndarray, entry: dict[str, Any]) -> Any:
    if "shape" in entry:
        return column.astype(entry["type"])
    if entry["type"] in ("string", "bytes"):
        return column.item() if column.size == 1 else column.tolist()
    return column.astype(entry["type"])[()] if column.ndim == 0 else column
