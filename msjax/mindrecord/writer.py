"""Writing MindRecord files."""

import os
import shutil
import stat
import warnings
from typing import Any

import numpy as np

from msjax.mindrecord import ciphering, config, encoding, integers
from msjax.mindrecord.exceptions import (
    MRMDefineIndexError,
    MRMGetMetaError,
    ParamTypeError,
    ParamValueError,
)
from msjax.mindrecord.header import Header, read_header
from msjax.mindrecord.index import write_index
from msjax.mindrecord.names import check_filename
from msjax.mindrecord.shards import Shards

# For the name of a value's type: the schema types that it fits.
_FITTING = {
    "int": ("int32", "int64"),
    "float": ("float32", "float64"),
    "str": ("string",),
    "bytes": ("bytes",),
    "int32": ("int32",),
    "int64": ("int64",),
    "float32": ("float32",),
    "float64": ("float64",),
    "ndarray": ("int32", "int64", "float32", "float64"),
}


class FileWriter:
    """Writes rows that fit a schema into one or several MindRecord files.

    Scalars and strings are kept apart from bytes and arrays; those of the index can be looked up (`MindPage`). Beside
    each file comes its index, whose name ends in `.db`.

    Args:
        file_name (str): path of the file; with several of them, to which each adds its number.
        shard_num (int): how many files, in [1, 1000]. Default: 1.
        overwrite (bool): whether to replace what exists. Default: False.

    Raises:
        ParamValueError: for arguments of another kind.
        RuntimeError: for several files if a key is set (`set_enc_key`).

    Examples:
        >>> import os, tempfile
        >>> from msjax.mindrecord import FileReader, FileWriter
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     writer = FileWriter(os.path.join(folder, "some.mindrecord"))
        ...     writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
        ...     writer.write_raw_data([{"label": 3, "data": b"three"}, {"label": 4, "data": b"four"}])
        ...     writer.commit()
        ...     list(FileReader(os.path.join(folder, "some.mindrecord")).get_next())
        [{'label': 3, 'data': b'three'}, {'label': 4, 'data': b'four'}]
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        check_filename(file_name)
        if shard_num is None:
            raise ParamValueError("Parameter shard_num is None.")
        if not isinstance(shard_num, int):
            raise ParamValueError("Parameter shard_num's type is not int.")
        if not 1 <= shard_num <= 1000:
            raise ParamValueError(f"Parameter shard_num's value: {shard_num} should between 1 and 1000.")
        if not isinstance(overwrite, bool):
            raise ParamValueError("Parameter overwrite's type is not bool.")
        if shard_num > 1 and config.settings["enc_key"] is not None:
            raise RuntimeError(
                "When encode mode is enabled, the automatic sharding function is unavailable. Use shard_num=1."
            )
        digits = len(str(shard_num - 1))
        self._paths = (
            [file_name]
            if shard_num == 1
            else [f"{file_name}{number:0{digits}}" for number in range(shard_num)]
        )
        self._overwrite, self._append, self._flushed = overwrite, False, False
        self._header = Header()
        self._shards: list[Shards] = []
        self._parallel: bool | None = None
        self._turn = 0

    @classmethod
    def open_for_append(cls, file_name: str) -> "FileWriter":
        """Return a writer that adds rows to files which exist.

        Args:
            file_name (str): path of any of the files.

        Raises:
            ParamValueError: for something else than a path.
            RuntimeError: if there is no such MindRecord file.
        """
        check_filename(file_name)
        for path in (file_name, file_name + ".db"):
            plain = ciphering.decrypt_copy(path)
            if plain != path:
                shutil.move(plain, path)
        header = read_header(file_name)[0]
        writer = cls(file_name)
        folder = os.path.dirname(file_name)
        writer._append, writer._header = True, header
        writer._paths = [os.path.join(folder, name) for name in header.names]
        writer._shards = [Shards(writer._paths, header, False, append=True)]
        return writer

    def add_schema(self, content: dict[str, dict], desc: str | None = None) -> None:
        """Set the schema of the rows.

        Args:
            content (dict): from name to {"type": T} or, for arrays, {"type": T, "shape": [...]}, where T is "int32",
                "int64", "float32", "float64" or, without a shape, "string" or "bytes", and one size may be -1.
            desc (str): any text.

        Raises:
            MRMInvalidSchemaError, MRMBuildSchemaError: for something else.
            MRMAddSchemaError: if there is a schema.
        """
        self._header.set_schema(content, desc)

    def add_index(self, index_fields: list[str]) -> None:
        """Choose the scalars to put into the index. Default: all of them.

        Args:
            index_fields (list[str]): their names.

        Raises:
            ParamTypeError: for something else than a list of str.
            MRMDefineIndexError: for a field that is not a scalar.
            MRMGetMetaError: if there is no schema.
            RuntimeError: for a name that the schema lacks, or one that comes twice.
        """
        if not index_fields or not isinstance(index_fields, list):
            raise ParamTypeError("index_fields", "list")
        schema = self._header.schema
        if not schema:
            raise MRMGetMetaError
        for name in index_fields:
            if name in self._header.blob_fields:
                raise MRMDefineIndexError(f"Failed to set field {name} since it's not primitive type.")
            if not isinstance(name, str):
                raise ParamTypeError("index field", "str")
        for name in index_fields:
            if name not in schema:
                raise RuntimeError(
                    f"Invalid input, 'index_fields': {name} can not found in schema: {schema}."
                )
            if name in self._header.index_fields:
                raise RuntimeError(f"The 'index_fields': {name} is added repeatedly. Name it once.")
            self._header.index_fields.append(name)

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Add rows. One that does not fit the schema is taken out of the list, with a warning.

        Args:
            raw_data (list[dict]): from name to value: ints, floats, NumPy scalars of just the type of the schema, strs,
                bytes, arrays.
            parallel_writer (bool): whether each call fills another of the files. Default: False, which spreads the
                rows of each call over all files.

        Raises:
            TypeError: if `parallel_writer` is not a bool.
            ParamTypeError: if `raw_data` is not a list of dicts.
            RuntimeError: if no row is left, there is no schema, a row does not fit into a page, or after `commit`.
        """
        if not isinstance(parallel_writer, bool):
            raise TypeError("The parameter `parallel_writer` must be bool.")
        if self._parallel not in (None, parallel_writer):
            raise RuntimeError("The parameter `parallel_writer` must be consistent during use.")
        self._parallel = parallel_writer
        self._begin()
        if not isinstance(raw_data, list):
            raise ParamTypeError("raw_data", "list")
        if self._flushed:
            raise RuntimeError(
                "Not allowed to call `write_raw_data` on flushed MindRecord files. Call it before `commit`, or use "
                "`open_for_append`."
            )
        if not all(isinstance(row, dict) for row in raw_data):
            raise ParamTypeError("raw_data item", "dict")
        self._keep_fitting(raw_data)
        if not raw_data:
            raise RuntimeError(
                "There is no valid data which can be written by 'write_raw_data' to mindrecord file. The warnings say "
                "what does not fit the schema."
            )
        self._shards[self._turn].write(self._encode(raw_data))
        self._turn = (self._turn + 1) % len(self._shards)

    def set_header_size(self, header_size: int) -> None:
        """Make room for the list of pages.

        Args:
            header_size (int): in bytes, a multiple of 4 in [2**14, 2**27]. Default: 2**24.

        Raises:
            TypeError, RuntimeError: for anything else.
        """
        self._header.header_size = _size("header", header_size, 1 << 14, 1 << 27)

    def set_page_size(self, page_size: int) -> None:
        """Set the size of pages. No row may be larger.

        Args:
            page_size (int): in bytes, a multiple of 4 in [2**15, 2**28]. Default: 2**25.

        Raises:
            TypeError, RuntimeError: for anything else.
        """
        self._header.page_size = _size("page", page_size, 1 << 15, 1 << 28)

    def commit(self) -> None:
        """Finish the files and write their indexes.

        Raises:
            RuntimeError: if there is no schema, the header is too small, or for a second call.
        """
        self._begin()
        self._flushed = not self._append
        for shards in self._shards:
            shards.commit()
            for path in shards.paths:
                header, _, pages = read_header(path)
                write_index(path, header, pages)
                for one in (path, path + ".db"):
                    os.chmod(one, stat.S_IRUSR | stat.S_IWUSR)
                    ciphering.encrypt(one)

    def _begin(self) -> None:
        if not self._header.schema:
            raise RuntimeError(
                "Invalid data, schema is not found in header, please use 'add_schema' to add a schema for new "
                "mindrecord files."
            )
        if self._shards:
            return
        self._header.choose_index()
        sets = [[path] for path in self._paths] if self._parallel else [self._paths]
        for paths in sets:
            header = Header(**vars(self._header))
            self._shards.append(Shards(paths, header, self._overwrite))

    def _keep_fitting(self, rows: list[dict[str, Any]]) -> None:
        wrong = {number: reason for number, row in enumerate(rows) if (reason := self._misfit(row))}
        for number in sorted(wrong, reverse=True):
            warnings.warn(f"`FileWriter`: row {number} is left out: {wrong[number]}.", stacklevel=3)
            del rows[number]

    def _misfit(self, row: dict[str, Any]) -> str:
        for name, entry in self._header.schema.items():
            if name not in row:
                return f"there is no field {name!r}"
            value = row[name]
            kind = type(value).__name__
            if entry["type"] not in _FITTING.get(kind, ()):
                return f"field {name!r} must fit {entry}, and is of type {kind}"
            if kind == "ndarray":
                if str(value.dtype) != entry["type"]:
                    return f"field {name!r} must fit {entry}, and is of dtype {value.dtype}"
                if "shape" not in entry:
                    return f"field {name!r} is an array, and the schema gives no shape"
                try:
                    value.reshape(entry["shape"])
                except ValueError:
                    return f"field {name!r} must fit {entry}, and is of shape {value.shape}"
        return ""

    def _encode(self, rows: list[dict[str, Any]]) -> list[tuple[bytes, bytes]]:
        blobs = self._header.blob_fields
        scalars = [name for name in self._header.schema if name not in blobs]
        packed = [
            encoding.pack({name: _to_python(row[name]) for name in scalars} or {"id": 0}) for row in rows
        ]
        parts = [[_bytes(row[name], self._header.schema[name]["type"]) for name in blobs] for row in rows]
        merged = [_merge(each) for each in parts]
        if not any(merged):  # the format has bytes in each row
            return [(row, bytes(4)) for row in packed] if scalars else []
        if scalars and not all(merged):
            raise RuntimeError(
                f"`FileWriter`: raw data size: {len(rows)} is not equal to blob data size: {sum(map(bool, merged))}. The "
                f"only field of bytes, {blobs[0]!r}, must not be empty in some rows."
            )
        short = [blob and _merge(self._shorten(each)) for blob, each in zip(merged, parts, strict=True)]
        self._shards[self._turn].header.saved += sum(map(len, merged)) - sum(map(len, short))
        return [(row, blob) for row, blob in zip(packed, short, strict=True) if blob]

    def _shorten(self, parts: list[bytes]) -> list[bytes]:
        return [
            integers.shorten(part, self._header.schema[name]["type"]) if self._header.is_short(name) else part
            for name, part in zip(self._header.blob_fields, parts, strict=True)
        ]


def _to_python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _bytes(value: Any, dtype: str) -> bytes:
    if isinstance(value, bytes):
        return value
    return np.asarray(value, dtype).tobytes()


def _merge(parts: list[bytes]) -> bytes:
    """Return the bytes of the fields: a single one as it is, several each after its length."""
    if len(parts) == 1:
        return parts[0]
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def _size(what: str, value: int, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"`set_{what}_size`: argument `{what}_size` must be an int. Received: {value!r}.")
    if not low <= value <= high:
        raise RuntimeError(
            f"Invalid data, {what} size: {value} should be in range [{low} bytes, {high} bytes]."
        )
    if value % 4:
        raise RuntimeError(f"Invalid data, {what} size {value} should be divided by four.")
    return value
