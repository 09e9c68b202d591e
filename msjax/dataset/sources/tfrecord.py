"""`TFRecordDataset`: TFRecord files of examples, read without TensorFlow, each example when it is asked for."""

import glob
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.pipeline.nodes import FileRows
from msjax.dataset.random.samplers import Shuffle
from msjax.dataset.sources.file_order import FileOrder, FilesDataset
from msjax.dataset.sources.image_folder import check_choice
from msjax.dataset.sources.schema import Column, as_schema

_PART = 2**20  # bytes that are unpacked at once
_Record: TypeAlias = "tuple[_File, int, int]"  # where it begins, and its size


class TFRecordDataset(FilesDataset):
    """The examples in TFRecord files, in the order of `TextFileDataset`.

    Args:
        dataset_files (Union[str, list[str]]): a path or pattern (`*`, `?`), or a list of such.
        schema (Union[str, Schema]): the columns. Default: those of the first example, in the order of their names, as
            int64, float32 and, for strings, bytes.
        columns_list (list[str]): the columns to give. Default: all.
        num_samples (int): how many rows an epoch has at most. Default: what the schema says, or all.
        num_parallel_workers (int): how many workers there are. Default: the configured number.
        shuffle (Union[bool, Shuffle]): as for `TextFileDataset`. Default: files and rows.
        num_shards (int): read only one of so many shares of the files, which change if the files are shuffled.
        shard_id (int): which share.
        shard_equal_rows (bool): share the rows instead, as many for each. Default: False.
        cache: needs MindSpore's cache server, which there is not here.
        compression_type (str): "", "GZIP" or "ZLIB". Default: none.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there are no such files.
        RuntimeError: if a file is none of TFRecords, or an example does not fit the schema; for more shares than files.
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        schema: Any = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: Any = None,
        compression_type: str | None = None,
    ) -> None:
        op = "TFRecordDataset"
        checks.check_num_workers(op, num_parallel_workers)
        checks.check_bool(op, "shard_equal_rows", shard_equal_rows)
        check_cache(op, cache)
        chosen = {
            "num_samples": num_samples,
            "shuffle": shuffle,
            "num_shards": num_shards,
            "shard_id": shard_id,
        }
        check_choice(op, None, chosen)
        paths = _paths(op, dataset_files)
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            checks.fail(ValueError, op, "compression_type", "be '', 'GZIP' or 'ZLIB'", compression_type)
        if num_shards and len(paths) < num_shards and not shard_equal_rows:
            rule = f"be at most the number of files, {len(paths)}, unless `shard_equal_rows=True`"
            checks.fail(RuntimeError, op, "num_shards", rule, num_shards)
        self.dataset_files = list(map(str, paths))
        known = as_schema(op, schema)
        files = [_File(path, compression_type or "") for path in paths]
        parts = [list(_records(op, file)) for file in files]
        if not any(parts):
            checks.fail(RuntimeError, op, "dataset_files", "hold at least one record", dataset_files)
        columns = known.columns if known is not None else _guess_columns(op, parts)
        if columns_list:
            names = {column.name: column for column in columns}
            columns = [names[name] for name in checks.check_column_names(op, "columns_list", columns_list)]
        order = FileOrder(
            op,
            list(map(len, parts)),
            num_parallel_workers,
            shuffle,
            num_samples or (known.num_rows if known else None),
            num_shards,
            shard_id,
            whole_files=not (shard_equal_rows or (compression_type and num_samples)),
        )
        source = _Examples(op, list(chain.from_iterable(parts)), columns)
        super().__init__(source, [column.name for column in columns], order)


def _found(pattern: str) -> list[str]:
    """Return the files, not folders, that a pattern stands for."""
    return [path for path in glob.glob(pattern) if Path(path).is_file()]


def _paths(op: str, value: Any) -> list[Path]:
    patterns = [value] if isinstance(value, str) else value
    if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
        checks.fail(TypeError, op, "dataset_files", "be a str or a list of str", value)
    missing = [each for each in patterns if not _found(each)]
    if missing or not patterns:
        checks.fail(ValueError, op, "dataset_files", "name files that exist", missing or value)
    return [Path(path) for path in sorted({path for each in patterns for path in _found(each)})]


# ---------------------------------------------------------------------- the format


class _File:
    """A file, mapped and not read; a compressed one is unpacked to one that nobody else sees.

    Args:
        path: the file.
        compression: "GZIP", "ZLIB" or "".
    """

    def __init__(self, path: Path, compression: str) -> None:
        self.path, self.compression = path, compression
        self._content: mmap.mmap | bytes | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_content": None}  # a worker process maps it for itself

    @property
    def content(self) -> mmap.mmap | bytes:
        """The bytes."""
        if self._content is None:
            with self.path.open("rb") as file:
                unpacked = self._unpack(file) if self.compression else file
                with unpacked:
                    unpacked.seek(0, os.SEEK_END)
                    whole = unpacked.tell()
                    self._content = mmap.mmap(unpacked.fileno(), 0, access=mmap.ACCESS_READ) if whole else b""
        return self._content

    def _unpack(self, file: Any) -> Any:
        made = tempfile.TemporaryFile()  # noqa: SIM115
        unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | (16 if self.compression == "GZIP" else 0))
        while part := file.read(_PART):
            while part:
                made.write(unpack.decompress(part))
                part = unpack.unused_data
                if unpack.eof and part:  # gzip files may be joined
                    unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        made.flush()
        return made


def _records(op: str, file: _File) -> Iterator[_Record]:
    """Return the places of a file's records, each between its length and two checksums."""
    try:
        content = file.content
    except zlib.error as error:
        raise RuntimeError(f"`{op}`: {file.path} is not a file of {file.compression}: {error}.") from error
    place, end = 0, len(content)
    while place < end:
        size = struct.unpack_from("<Q", content, place)[0] if end - place >= 16 else end
        if place + 16 + size > end:
            raise RuntimeError(f"`{op}`: {file.path} is not a TFRecord file.")
        yield file, place + 12, size
        place += 16 + size


class _Examples(FileRows):
    """The examples of some records, read and parsed when they are asked for."""

    def __init__(self, op: str, records: list[_Record], columns: list[Column]) -> None:
        self.op, self.records, self.columns = op, records, columns

    def __len__(self) -> int:
        return len(self.records)

    def file_of(self, index: int) -> Path:
        """Return the path of the file of a row."""
        return self.records[index][0].path

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        example = _example(self.op, self.records[index])
        return tuple(_value(self.op, example, column) for column in self.columns)


def _example(op: str, record: _Record) -> dict[str, Any]:
    file, place, size = record
    try:
        return parse_example(file.content[place : place + size])
    except Exception as error:  # whatever a broken message leads to
        raise RuntimeError(
            f"`{op}`: the record at byte {place - 12} of {file.path} is no example of TFRecord files: {error}."
        ) from error


def parse_example(record: bytes) -> dict[str, Any]:
    """Return the features of one example: lists of bytes, or arrays."""
    found = {}
    for _, features in _fields(record):
        for _, entry in _fields(features):
            pair = dict(_fields(entry))
            found[pair[1].decode()] = _feature(pair.get(2, b""))
    return found


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Return the fields of a message of protocol buffers: their numbers and contents."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        if tag & 7 == 2:
            size, place = _varint(message, place)
            if place + size > len(message):
                raise ValueError(f"a field of {size} bytes goes beyond the end")
            yield tag >> 3, message[place : place + size]
            place += size
        elif tag & 7 == 0:
            value, place = _varint(message, place)
            yield tag >> 3, value
        else:
            width = 4 if tag & 7 == 5 else 8
            yield tag >> 3, message[place : place + width]
            place += width


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def _feature(message: bytes) -> Any:
    for kind, content in _fields(message):
        values = [value for _, value in _fields(content)]
        if kind == 1:
            return values
        if kind == 2:
            return np.frombuffer(b"".join(values), "<f4").astype(np.float32)
        numbers: list[int] = []
        for value in values:
            place = 0
            if isinstance(value, int):
                numbers.append(value)
                continue
            while place < len(value):
                number, place = _varint(value, place)
                numbers.append(number)
        return np.array(numbers, np.uint64).astype(np.int64)
    return []


# ---------------------------------------------------------------------- columns


def _guess_columns(op: str, parts: list[list[_Record]]) -> list[Column]:
    """Return the columns of the first example."""
    first = next((_example(op, part[0]) for part in parts if part), {})
    return [Column(name, "bytes" if isinstance(first[name], list) else "", None) for name in sorted(first)]


def _value(op: str, row: Mapping[str, Any], column: Column) -> np.ndarray:
    if column.name not in row:
        raise RuntimeError(f"`{op}`: an example has no {column.name!r}. It has {sorted(row)}.")
    found = row[column.name]
    if isinstance(found, list):
        if column.type == "string":
            value = np.array([each.decode() for each in found])
        else:  # all as long as the longest one, filled with blanks
            size = max(map(len, found), default=0)
            value = np.frombuffer(b"".join(each.ljust(size) for each in found), np.uint8).copy()
    else:
        value = found.astype(column.type) if column.type else found
    if column.shape is None:
        return value
    known = int(np.prod([n for n in column.shape if n >= 0], dtype=int))
    if (-1 not in column.shape and value.size != known) or (known and value.size % known):
        rule = f"of shape {list(column.shape)}"
        raise RuntimeError(f"`{op}`: {column.name!r} has {value.size} elements, which are none {rule}.")
    return value.reshape(column.shape)
