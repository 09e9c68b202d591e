"""The index of a MindRecord file: an SQLite database beside it that says where each row is, and holds some scalars.

Table INDEXES has a row for each row of the file: pages and offsets of its scalars and of its bytes, and for each index
field f a column f_0 (with a column INC_n before it). Table SHARD_NAME holds the name of the file.
"""

import contextlib
import os
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from msjax.mindrecord import encoding
from msjax.mindrecord.header import BLOB, RAW, SQL_TYPES, Header, Page

_PLACES = (
    "ROW_ID",
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "ROW_GROUP_ID",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)


def write_index(path: str, header: Header, pages: list[Page]) -> None:
    """Write the index of a file, in place of one that is there."""
    fields = header.index_fields
    columns = ", ".join(f"{name:<20} INT  NOT NULL" for name in _PLACES)
    for number, name in enumerate(fields):
        columns += f",INC_{number} INT, {name}_0 {SQL_TYPES[header.schema[name]['type']]}"
    key = ",".join(["ROW_ID", *(f"INC_{number}" for number in range(len(fields)))])
    slots = ",".join("?" * (len(_PLACES) + 2 * len(fields)))
    with contextlib.closing(sqlite3.connect(path + ".db")) as database, database:
        database.execute("DROP TABLE IF EXISTS INDEXES")
        database.execute(f"CREATE TABLE INDEXES(  {columns}, PRIMARY KEY({key}))")
        database.execute("DROP TABLE IF EXISTS SHARD_NAME")
        database.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        database.execute("INSERT INTO SHARD_NAME (NAME) VALUES (?)", (os.path.basename(path),))
        with open(path, "rb") as file:
            database.executemany(f"INSERT INTO INDEXES VALUES({slots})", _entries(file, header, pages))


def _entries(file: BinaryIO, header: Header, pages: list[Page]) -> Iterator[list[Any]]:
    """Return a row of the table for each row of the file, found by going through its pages."""
    blobs = {page.type_id: page for page in pages if page.kind == BLOB}
    for page in (page for page in pages if page.kind == RAW):
        raw = _content(file, header, page)
        for group, offset in page.groups:
            blob_page = blobs[group]
            blob, place = _content(file, header, blob_page), 0
            for row in range(blob_page.start, blob_page.end):
                scalars, end = _entry(raw, offset)
                blob_end = place + 8 + struct.unpack_from("<Q", blob, place)[0]
                line = [row, page.page_id, offset, end, group, blob_page.page_id, place, blob_end]
                for name in header.index_fields:
                    line += [0, scalars[name]]
                yield line
                offset, place = end, blob_end


def _content(file: BinaryIO, header: Header, page: Page) -> bytes:
    file.seek(header.header_size + header.page_size * page.page_id)
    return file.read(page.size)


def _entry(page: bytes, offset: int) -> tuple[Any, int]:
    (size,) = struct.unpack_from("<Q", page, offset)
    return encoding.unpack(page[offset + 8 : offset + 8 + size]), offset + 8 + size


@contextlib.contextmanager
def open_index(path: str) -> Iterator[sqlite3.Connection]:
    """Return the index of a file.

    Raises:
        RuntimeError: if there is none, or what is there is no index.
    """
    name = path + ".db"
    if not os.path.isfile(name):
        raise RuntimeError(
            f"Invalid file, meta file: {name} can not be found. Please check whether {name} exists and do not rename the "
            "mindrecord file and meta file."
        )
    try:
        with contextlib.closing(
            sqlite3.connect(f"{Path(name).absolute().as_uri()}?mode=ro", uri=True)
        ) as database:
            yield database
    except sqlite3.Error as error:
        raise RuntimeError(
            f"Failed to execute the sql [ SELECT NAME from SHARD_NAME; ] while verifying meta file: {name} is no index of a "
            f"MindRecord file: {error}."
        ) from error


def row_positions(path: str) -> np.ndarray:
    """Read the positions of a file's rows: (row, [raw page, begin, end, blob page, begin, end])."""
    sql = (
        "SELECT PAGE_ID_RAW, PAGE_OFFSET_RAW, PAGE_OFFSET_RAW_END, PAGE_ID_BLOB, PAGE_OFFSET_BLOB, PAGE_OFFSET_BLOB_END "
        "FROM INDEXES ORDER BY ROW_ID"
    )
    with open_index(path) as database:
        return np.array(database.execute(sql).fetchall(), np.int64).reshape(-1, 6)


def fields(path: str) -> list[str]:
    """Return the index fields of a file, as the columns are called."""
    with open_index(path) as database:
        names = [line[1] for line in database.execute("PRAGMA table_info(INDEXES)")]
    return names[len(_PLACES) + 1 :: 2]


def values(path: str, column: str) -> list[str]:
    """Return the values of an index field for all rows, as text."""
    with open_index(path) as database:
        sql = f'SELECT CAST("{column}" AS TEXT) FROM INDEXES ORDER BY ROW_ID'
        return [line[0] for line in database.execute(sql)]
