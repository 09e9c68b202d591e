"""The safetensors format as MindSpore writes it: a JSON header with names, dtypes, shapes and places, then the data."""

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import ml_dtypes
import numpy as np

from msjax.common.block_cipher import MalformedError

_CODES: dict[np.dtype, str] = {
    np.dtype(t): code
    for t, code in {
        np.bool_: "BOOL", np.uint8: "U8", np.int8: "I8", np.uint16: "U16", np.int16: "I16", np.uint32: "U32",
        np.int32: "I32", np.uint64: "U64", np.int64: "I64", np.float16: "F16", np.float32: "F32", np.float64: "F64",
        np.complex64: "C64", ml_dtypes.bfloat16: "BF16",
        ml_dtypes.float8_e4m3fn: "F8_E4M3", ml_dtypes.float8_e5m2: "F8_E5M2",
    }.items()
}  # fmt: skip
_DTYPES = {code: dtype for dtype, code in _CODES.items()}
_LARGEST_HEADER = 100_000_000


def encode(entries: Mapping[str, np.ndarray | str], crc: bool = False) -> Iterator[bytes | memoryview]:
    """Return the pieces of a file, in order. Names are sorted, as in MindSpore's files.

    Args:
        entries: arrays by name.
        crc: store the CRC-32 of all names and contents in the metadata.

    Raises:
        TypeError: for a string, or an array of a dtype that the format does not have.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "ms"}}
    contents = []
    offset = checksum = 0
    for name, entry in sorted(entries.items()):
        if isinstance(entry, str):
            raise TypeError(
                f"safetensors files cannot hold the string {name!r}; use format='ckpt', or leave it out."
            )
        array = np.ascontiguousarray(entry).reshape(entry.shape)
        if array.dtype not in _CODES:
            raise TypeError(
                f"safetensors files cannot hold {name!r}: there is no type for dtype {array.dtype}."
            )
        content = memoryview(array.reshape(-1).view(np.uint8))  # type: ignore[arg-type]
        if crc:
            checksum = zlib.crc32(content, zlib.crc32(name.encode(), checksum))
        places = [offset, offset + len(content)]
        header[name] = {"dtype": _CODES[array.dtype], "shape": list(array.shape), "data_offsets": places}
        contents.append(content)
        offset = places[1]
    if crc:
        header["__metadata__"] = {"crc_num": str(checksum), "format": "ms"}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    yield from contents


def is_safetensors(data: bytes) -> bool:
    """Return True if the data begin as a safetensors file does."""
    return (
        len(data) > 9
        and data[8:9] == b"{"
        and int.from_bytes(data[:8], "little") <= min(len(data), _LARGEST_HEADER)
    )


def decode(data: bytes, crc_check: bool = False) -> dict[str, np.ndarray]:
    """Return the arrays of a file by name.

    Args:
        data: all of the file.
        crc_check: verify the checksum, if there is one.

    Raises:
        MalformedError: if this is no safetensors file, or damaged.
    """
    if not is_safetensors(data):
        raise MalformedError("it does not begin with the length of a header and a header")
    length = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + length])
    except ValueError as error:
        raise MalformedError("its header is not JSON") from error
    metadata = header.pop("__metadata__", None) or {}
    body = memoryview(data)[8 + length :]
    found: dict[str, np.ndarray] = {}
    checksum = 0
    for name, entry in sorted(header.items()):
        content, array = _array(name, entry, body)
        if crc_check:
            checksum = zlib.crc32(content, zlib.crc32(name.encode(), checksum))
        found[name] = array
    if crc_check and "crc_num" in metadata and str(checksum) != str(metadata["crc_num"]):
        raise MalformedError(
            "its CRC-32 does not agree with its content, so it was damaged after it was written"
        )
    return found


def _array(name: str, entry: Any, body: memoryview) -> tuple[memoryview, np.ndarray]:
    try:
        code, shape, (start, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        dtype = _DTYPES[code]
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedError(f"the header's entry for {name!r} is {entry!r}") from error
    expected = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if not 0 <= start <= end <= len(body) or end - start != expected:
        raise MalformedError(
            f"{name!r} of shape {shape} and type {code} needs {expected} bytes, "
            f"but lies at {start} to {end} of {len(body)}"
        )
    content = body[start:end]
    return content, np.frombuffer(content, dtype).reshape(shape)
