"""Conversion of CSV and TFRecord files to MindRecord files."""

import csv
import importlib
import os
from collections.abc import Iterator
from string import punctuation
from typing import Any

import numpy as np

from msjax.mindrecord.images import check_partitions, write_in_parts
from msjax.mindrecord.names import check_filename
from msjax.mindrecord.writer import FileWriter

# What a CSV file writes where a value is missing.
_MISSING = set(
    " #N/A N/A NA n/a null NULL NaN nan -nan -NaN None <NA> #NA 1.#IND 1.#QNAN -1.#IND -1.#QNAN".split()
) | {""}


class CsvToMR:
    r"""Turns a CSV file, whose first line has the names of its columns, into MindRecord files.

    A column of whole numbers becomes int64, of numbers float64 (with NaN where there is none), of True and False int32,
    any other string. All are index fields.

    Args:
        source (str): the CSV file.
        destination (str): the file to write.
        columns_list (list[str]): the columns to take. Default: all.
        partition_number (int): how many files. Default: 1.

    Raises:
        ValueError: for arguments of another kind.

    Examples:
        >>> import os, tempfile
        >>> from msjax.mindrecord import CsvToMR, FileReader
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     source, target = os.path.join(folder, "a.csv"), os.path.join(folder, "a.mindrecord")
        ...     with open(source, "w") as file:
        ...         _ = file.write("age,name\n3,Ann\n4,Bob\n")
        ...     CsvToMR(source, target).transform()
        ...     list(FileReader(target).get_next())
        [{'age': 3, 'name': 'Ann'}, {'age': 4, 'name': 'Bob'}]
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None, partition_number: int = 1
    ) -> None:
        for name, path in (("source", source), ("destination", destination)):
            if not isinstance(path, str):
                raise ValueError(f"The parameter {name} must be str. Received: {path!r}.")
            check_filename(path)
        named = columns_list or []
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise ValueError(f"The parameter columns_list must be list of str. Received: {columns_list!r}.")
        self.source, self.destination, self.columns_list = source, destination, columns_list
        self.partition_number = check_partitions(partition_number)
        self.writer = FileWriter(destination, self.partition_number)

    def transform(self) -> None:
        """Write the files.

        Raises:
            OSError: if there is no such CSV file.
            RuntimeError: for columns that it lacks, a file of no columns, or a destination that exists.
            ValueError: for a column whose name is a number.
        """
        self.run()

    def run(self) -> int:
        """Run `transform`; return 0."""
        if not os.path.exists(self.source):
            raise OSError(f"Csv file {self.source} do not exist.")
        columns = _read_columns(self.source)
        self.columns_list = list(self.columns_list or columns)
        for name in self.columns_list:
            if name not in columns:
                raise RuntimeError(f"The parameter columns_list is illegal, column {name} does not exist.")
        if not self.columns_list:
            raise RuntimeError("Failed to generate schema from csv file.")
        typed = {name: _type_column(columns[name]) for name in self.columns_list}
        self.writer.set_page_size(1 << 26)
        self.writer.add_schema({name: {"type": kind} for name, (kind, _) in typed.items()}, "csv_schema")
        for name in self.columns_list:
            if name.isdigit():
                raise ValueError(
                    f"The first line content: {name} of the CSV file is used as a column name and does not allow starting "
                    "with a number."
                )
        self.writer.add_index(list(self.columns_list))
        values = zip(*(column for _, column in typed.values()), strict=True)
        write_in_parts(self.writer, (dict(zip(typed, row, strict=True)) for row in values))
        return 0


def _read_columns(path: str) -> dict[str, list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file) if line]
    names, rows = (lines[0], lines[1:]) if lines else ([], [])
    return {
        name: [row[place] if place < len(row) else "" for row in rows] for place, name in enumerate(names)
    }


def _type_column(texts: list[str]) -> tuple[str, list[Any]]:
    """Return the type of a column, and its values in it."""
    if texts and all(text in ("True", "False", "TRUE", "FALSE", "true", "false") for text in texts):
        return "int32", [int(text.lower() == "true") for text in texts]
    try:
        return "int64", [np.int64(text).item() for text in texts]
    except (ValueError, OverflowError):
        pass
    try:
        return "float64", [float("nan") if text in _MISSING else float(text) for text in texts]
    except ValueError:
        return "string", texts


class TFRecordToMR:
    """Turns a TFRecord file into a MindRecord file. Needs tensorflow.

    Args:
        source (str): the TFRecord file.
        destination (str): the file to write.
        feature_dict (dict[str, FixedLenFeature]): what to read: scalars, and arrays of one axis.
        bytes_fields (list[str]): strings that are bytes, such as images. Default: none.

    Raises:
        ImportError: without tensorflow.
        ValueError: for arguments of another kind.
    """

    def __init__(
        self,
        source: str,
        destination: str,
        feature_dict: dict[str, Any],
        bytes_fields: list[str] | None = None,
    ) -> None:
        self.tf: Any = importlib.import_module("tensorflow")
        for name, path in (("source", source), ("destination", destination)):
            if not isinstance(path, str):
                raise ValueError(f"Parameter {name} must be string. Received: {path!r}.")
            check_filename(path, name)
        if not isinstance(feature_dict, dict):
            raise ValueError("Parameter feature_dict is None or not dict.")
        for feature in feature_dict.values():
            if not isinstance(feature, self.tf.io.FixedLenFeature):
                raise ValueError(f"Parameter feature_dict: {feature_dict} only support FixedLenFeature.")
        self.source, self.destination, self.feature_dict = source, destination, feature_dict
        self.bytes_fields_list = [_cast_name(name) for name in self._check_bytes_fields(bytes_fields)]
        self.mindrecord_schema = {
            _cast_name(name): self._entry(name, feature) for name, feature in feature_dict.items()
        }

    def _check_bytes_fields(self, bytes_fields: Any) -> list[str]:
        fields = bytes_fields or []
        if not isinstance(fields, list) or not all(isinstance(name, str) for name in fields):
            raise ValueError(f"Parameter bytes_fields: {bytes_fields} must be list(str).")
        for name in fields:
            if name not in self.feature_dict:
                raise ValueError(
                    f"Parameter bytes_fields's item: {name} is not in feature_dict: {self.feature_dict}."
                )
            if self.feature_dict[name].dtype != self.tf.string:
                raise ValueError(f"Parameter bytes_field: {name} should be tf.string in feature_dict.")
        return fields

    def _entry(self, name: str, feature: Any) -> dict[str, Any]:
        if not feature.shape:
            return {
                "type": "bytes" if _cast_name(name) in self.bytes_fields_list else self._type(feature.dtype)
            }
        if len(feature.shape) != 1 or not isinstance(feature.shape[0], int) or feature.shape[0] < 1:
            raise ValueError(f"Parameter feature_dict[{name}].shape should be [] or [n], n > 0.")
        if feature.dtype == self.tf.string:
            raise ValueError(f"Parameter feature_dict[{name}].dtype is tf.string, which needs shape [].")
        return {"type": self._type(feature.dtype), "shape": [feature.shape[0]]}

    def _type(self, dtype: Any) -> str:
        names = {
            "int32": "int8 int16 int32 uint8 uint16 bool",
            "int64": "int64 uint32 uint64",
            "float32": "float16 float32",
            "float64": "float64",
            "string": "string",
        }
        found = next((kind for kind, of in names.items() if dtype.name in of.split()), None)
        if found is None:
            raise ValueError(f"Type {dtype} is not supported in MindRecord.")
        return found

    def transform(self) -> None:
        """Write the file.

        Raises:
            ValueError: for a file that does not fit `feature_dict`.
            RuntimeError: for a destination that exists.
        """
        self.run()

    def run(self) -> None:
        """Run `transform`."""
        writer = FileWriter(self.destination)
        writer.add_schema(self.mindrecord_schema, "TFRecord to MindRecord")
        write_in_parts(writer, self._rows(), parallel=True)

    def _rows(self) -> Iterator[dict[str, Any]]:
        records = self.tf.data.TFRecordDataset(self.source)
        try:
            for record in records:
                sample = self.tf.io.parse_single_example(record, features=self.feature_dict)
                yield {
                    _cast_name(name): self._value(_cast_name(name), value.numpy())
                    for name, value in sample.items()
                }
        except self.tf.errors.InvalidArgumentError as error:
            raise ValueError(f"TFRecord feature_dict parameter error: {error}.") from error

    def _value(self, name: str, value: Any) -> Any:
        entry = self.mindrecord_schema[name]
        if "shape" in entry:
            return np.asarray(value, entry["type"])
        if entry["type"] in ("bytes", "string"):
            return value if entry["type"] == "bytes" else str(value, encoding="utf-8")
        return int(value) if entry["type"].startswith("int") else float(value)


def _cast_name(name: str) -> str:
    """Return the name with "_" for each sign that is no letter or digit."""
    return "".join("_" if sign in punctuation + " " else sign for sign in name)
