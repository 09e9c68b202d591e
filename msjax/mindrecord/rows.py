"""Random access to the rows of MindRecord files."""

import mmap
import os
import struct
from itertools import accumulate
from typing import Any

import numpy as np

from msjax.mindrecord import ciphering, encoding, index, integers
from msjax.mindrecord.exceptions import MRMUnsupportedSchemaError
from msjax.mindrecord.header import Header, read_header


def decipher(files: str | list[str]) -> tuple[Any, list[str]]:
    """Return the paths of plain files, and those among them (and among their indexes) that are copies."""
    copies = []
    plain = []
    for path in [files] if isinstance(files, str) else files:
        found = ciphering.decrypt_copy(path)
        ciphering.decrypt_copy(path + ".db")
        plain.append(found)
        copies += [found] if found != path else []
    return (plain[0] if isinstance(files, str) else plain), copies


class Rows:
    """The rows of some files, in the order of the files.

    Args:
        files: one of a set, which stands for all of them, or a list of just those to read.
        columns: the fields to give. None or empty: all.

    Raises:
        RuntimeError: if a file or its index is missing, or is something else; for columns that the schema lacks.
    """

    def __init__(self, files: str | list[str], columns: list[str] | None = None) -> None:
        if isinstance(files, str):
            header = read_header(files)[0]
            self.paths = [os.path.join(os.path.dirname(files), name) for name in header.names]
        else:
            self.paths = list(files)
        self.headers = [read_header(path)[0] for path in self.paths]
        self._check(columns or [])
        self.columns = list(columns or self.schema)
        self.places = [index.row_positions(path) for path in self.paths]
        self.ends = list(accumulate(len(one) for one in self.places))
        self.maps: list[mmap.mmap | None] = [None] * len(self.paths)

    @property
    def header(self) -> Header:
        """Header that the files share."""
        return self.headers[0]

    @property
    def schema(self) -> dict[str, Any]:
        """Schema: the type and shape of each field, by name."""
        return self.header.schema

    def _check(self, columns: list[str]) -> None:
        for path, header in zip(self.paths, self.headers, strict=True):
            if header.schema != self.schema:
                raise RuntimeError(
                    f"Invalid data, the schema of {path} is not that of {self.paths[0]}: {header.schema} and {self.schema}."
                )
        for name in columns:
            if name not in self.schema:
                raise RuntimeError(
                    f"Invalid data, column name: {name} can not found in schema. Please check the 'column_list'. "
                    f"The schema has {list(self.schema)}."
                )

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def read(self, number: int) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return the scalars of a row, and the bytes of its other fields; those asked for."""
        shard = int(np.searchsorted(self.ends, number, "right"))
        place = self.places[shard][number - (self.ends[shard - 1] if shard else 0)]
        raw_page, raw_begin, raw_end, blob_page, blob_begin, blob_end = map(int, place)
        blobs = self.header.blob_fields
        scalars, parts = {}, {}
        if len(blobs) < len(self.schema):
            found = encoding.unpack(self._bytes(shard, raw_page, raw_begin, raw_end))
            scalars = {name: value for name, value in found.items() if name in self.columns}
        wanted = [name for name in blobs if name in self.columns]
        if wanted:
            data = self._bytes(shard, blob_page, blob_begin, blob_end)
            parts = dict.fromkeys(blobs, data) if len(blobs) == 1 else _split(data, blobs)
        return scalars, {name: self._long(name, parts[name]) for name in wanted}

    def _long(self, name: str, data: bytes) -> bytes:
        if not self.header.is_short(name):
            return data
        try:
            return integers.lengthen(data, self.schema[name]["type"])
        except (ValueError, struct.error) as error:
            raise MRMUnsupportedSchemaError("Shape in schema is illegal.") from error

    def _bytes(self, shard: int, page: int, begin: int, end: int) -> bytes:
        content = self.maps[shard]
        if content is None:
            with open(self.paths[shard], "rb") as file:
                content = self.maps[shard] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = self.headers[shard].header_size + self.headers[shard].page_size * page
        if start + end > len(content):
            raise RuntimeError(
                f"{self.paths[shard]} is not whole: it has {len(content)} bytes, and a row ends at {start + end}."
            )
        return content[start + begin + 8 : start + end]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "maps": [None] * len(self.paths)}  # maps are made where they are needed

    def as_dict(self, number: int) -> dict[str, Any]:
        """Return a row as `FileReader` gives it: numbers, strs, bytes, arrays."""
        scalars, blobs = self.read(number)
        row = {name: _whole_to_int(value) for name, value in scalars.items()}
        for name, data in blobs.items():
            row[name] = self.array(name, data) if self.schema[name].get("shape") else data
        return row

    def array(self, name: str, data: bytes) -> np.ndarray:
        """Return the array that a field's bytes hold.

        Raises:
            MRMUnsupportedSchemaError: if they do not fit the shape.
        """
        entry = self.schema[name]
        try:
            return np.frombuffer(data, entry["type"]).reshape(entry["shape"])
        except ValueError as error:
            raise MRMUnsupportedSchemaError("Shape in schema is illegal.") from error

    def close(self) -> None:
        """Close the files."""
        for content in self.maps:
            if content is not None:
                content.close()
        self.maps = [None] * len(self.paths)


def _whole_to_int(value: Any) -> Any:
    """Return whole floats as ints, as MindSpore does for every schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _split(data: bytes, names: list[str]) -> dict[str, bytes]:
    parts, at = {}, 0
    for name in names:
        size = int.from_bytes(data[at : at + 8], "big")
        if at + 8 + size > len(data):
            raise RuntimeError(f"The field {name!r} of a row of a MindRecord file is damaged.")
        parts[name] = data[at + 8 : at + 8 + size]
        at += 8 + size
    return parts
