"""The header of a MindRecord file.

    u64 n | JSON of n bytes | nothing up to header_size | page 0 | page 1 | ...

The JSON holds the sizes, the schema, the index fields, the names of all shards and what is in each page. Pages have
`page_size` bytes each, the last one as many as it needs. A page holds either scalars ("RAW_DATA") or the bytes of
fields that are not scalars ("BLOB_DATA"), row after row, each preceded by its length. The rows of a blob page are a row
group; the raw pages say where the scalars of each group begin.
"""

import json
import os
import re
import struct
from dataclasses import dataclass, field
from typing import Any

from msjax.mindrecord.exceptions import MRMAddSchemaError, MRMBuildSchemaError, MRMInvalidSchemaError

SCALARS = ("int32", "int64", "float32", "float64")
TYPES = (*SCALARS, "string", "bytes")
SQL_TYPES = {
    "string": "TEXT",
    "int32": "INTEGER",
    "int64": "INTEGER",
    "float32": "REAL",
    "float64": "REAL",
}
VERSION = "3.0"
VERSIONS = ("2.0", "3.0")
LARGEST_HEADER = 1 << 27
BLOB, RAW = "BLOB_DATA", "RAW_DATA"


@dataclass
class Page:
    """Page of a shard: `groups` are (row group, offset) for a raw page; a blob page is the group `type_id`."""

    page_id: int
    kind: str
    type_id: int
    start: int = 0
    end: int = 0
    size: int = 0
    groups: list[tuple[int, int]] = field(default_factory=list)

    def as_json(self, shard: int) -> dict[str, Any]:
        """Return the page as the header stores it. MindSpore writes a group for blob pages too."""
        return {
            "page_id": self.page_id,
            "page_type": self.kind,
            "page_type_id": self.type_id,
            "page_size": self.size,
            "start_row_id": self.start,
            "end_row_id": self.end,
            "row_group_ids": [{"id": group, "offset": offset} for group, offset in self.groups or [(0, 0)]],
            "shard_id": shard,
        }

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> "Page":
        """Return the reverse."""
        return cls(
            entry["page_id"],
            entry["page_type"],
            entry["page_type_id"],
            entry["start_row_id"],
            entry["end_row_id"],
            entry["page_size"],
            [(one["id"], one["offset"]) for one in entry["row_group_ids"]],
        )


@dataclass
class Header:
    """Header that all shards of a file set share."""

    schema: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    index_fields: list[str] = field(default_factory=list)
    header_size: int = 1 << 24
    page_size: int = 1 << 25
    names: list[str] = field(default_factory=list)
    saved: int = 0  # bytes that short integers have saved
    version: str = VERSION

    def is_short(self, name: str) -> bool:
        """Return True if a field's integers are stored short (`integers`): those of arrays, but for files of version 2.0."""
        entry = self.schema[name]
        return self.version != "2.0" and "shape" in entry and entry["type"].startswith("int")

    @property
    def blob_fields(self) -> list[str]:
        """The fields that are not scalars, sorted."""
        return sorted(
            name for name, entry in self.schema.items() if "shape" in entry or entry["type"] == "bytes"
        )

    def set_schema(self, content: Any, description: str | None) -> None:
        """Set the schema to one that a user wrote.

        Raises:
            MRMInvalidSchemaError, MRMBuildSchemaError: if it is none.
            MRMAddSchemaError: if there is one.
        """
        check_schema(content)
        if self.schema:
            raise MRMAddSchemaError
        self.schema = {name: dict(content[name]) for name in sorted(content)}
        self.description = description or ""

    def choose_index(self) -> None:
        """Index all scalar fields, if the user named none."""
        if not self.index_fields:
            blobs = self.blob_fields
            self.index_fields = [name for name in self.schema if name not in blobs]

    def serialize(self, shard: int, pages: list[Page]) -> bytes:
        """Return the bytes at the beginning of a file.

        Raises:
            RuntimeError: if they are more than the header may have.
        """
        indexed = [{"index_field": name, "schema_id": 0} for name in self.index_fields]
        schema = [{"blob_fields": self.blob_fields, "desc": self.description, "schema": self.schema}]
        entries = {
            "header_size": self.header_size,
            "index_fields": indexed or None,
            "page": [page.as_json(shard) for page in pages] or None,
            "page_size": self.page_size,
            "compression_size": max(self.saved, 0),
            "schema": schema,
            "shard_addresses": self.names,
            "shard_id": shard,
            "statistics": None,
            "version": self.version,
        }
        text = ",".join(f'"{name}":{_dump(value)}' for name, value in entries.items())
        data = f"{{{text}}}".encode()
        if len(data) + 8 > self.header_size:
            raise RuntimeError(
                f"`FileWriter`: the header of a shard needs {len(data) + 8} bytes and has {self.header_size}. "
                "Give it more with `set_header_size`, or make pages larger with `set_page_size`."
            )
        return struct.pack("<Q", len(data)) + data


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def read_header(path: str) -> tuple[Header, int, list[Page]]:
    """Return the header of a file, the number of the shard, and its pages.

    Raises:
        RuntimeError: for a file that is none of MindRecord's, or of a version that is not known.
    """
    try:
        with open(path, "rb") as file:
            start = file.read(8)
            if len(start) < 8:
                raise RuntimeError(
                    f"Invalid file, the size of mindrecord file: {len(start)} is smaller than the lower limit: 8.\n "
                    f"Please check file path: {path} and use 'FileWriter' to generate valid mindrecord files."
                )
            (size,) = struct.unpack("<Q", start)
            if size > LARGEST_HEADER:
                raise RuntimeError(
                    f"Invalid file, the size of mindrecord file header is larger than the upper limit. "
                    f"Please check file path: {path}, which is not a MindRecord file or is damaged."
                )
            entries = json.loads(file.read(size))
        return _parse(entries, path)
    except FileNotFoundError as error:
        raise RuntimeError(
            f"Invalid file path, {path} does not exist. Give the path of a MindRecord file."
        ) from error
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise RuntimeError(
            f"Invalid file, {path} is not a MindRecord file or is damaged: {error}."
        ) from error


def _parse(entries: dict[str, Any], path: str) -> tuple[Header, int, list[Page]]:
    if entries["version"] not in VERSIONS:
        raise RuntimeError(
            f"Invalid file, the version of {path} is {entries['version']}; {VERSIONS} can be read."
        )
    schema = entries["schema"][0]
    header = Header(
        schema["schema"],
        schema["desc"],
        [one["index_field"] for one in entries["index_fields"] or ()],
        int(entries["header_size"]),
        int(entries["page_size"]),
        [os.path.basename(name) for name in entries["shard_addresses"]],
        int(entries.get("compression_size", 0)),
        entries["version"],
    )
    return header, entries["shard_id"], [Page.from_json(one) for one in entries["page"] or ()]


def check_schema(content: Any) -> None:
    """Raise unless a schema maps names to {"type": ...} or {"type": ..., "shape": [...]}.

    Raises:
        MRMInvalidSchemaError: if it does not.
        MRMBuildSchemaError: for a shape with 0, with sizes below -1, or with several -1.
    """
    if not content:
        raise MRMInvalidSchemaError("Schema content is empty.")
    if not isinstance(content, dict):
        raise MRMInvalidSchemaError("Schema content should be dict.")
    for name, entry in content.items():
        if not re.match(r"^[0-9a-zA-Z\_]+$", name):
            raise MRMInvalidSchemaError(
                f"Field '{name}' should be composed of '0-9' or 'a-z' or 'A-Z' or '_'."
            )
        if not entry or not isinstance(entry, dict):
            raise MRMInvalidSchemaError(f"Field '{name}' should be dict.")
        if "type" not in entry or not set(entry) <= {"type", "shape"}:
            raise MRMInvalidSchemaError(f"Field '{entry}' contains illegal attributes.")
        if entry["type"] not in (SCALARS if "shape" in entry else TYPES):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{entry['type']}'.")
        if "shape" in entry and not isinstance(entry["shape"], list):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{entry['shape']}'.")
    for entry in content.values():
        shape = entry.get("shape", [])
        if any(size == 0 or size < -1 for size in shape) or shape.count(-1) > 1:
            raise MRMBuildSchemaError
