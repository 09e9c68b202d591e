"""MindSpore's checkpoint format (protobuf): encoding and decoding.

A file is a sequence of protobuf messages (proto2), written and read here by hand because there are only four:

    Checkpoint  { repeated Value value = 1 }
    Value       { required string tag = 1; TensorProto tensor = 2 }
    TensorProto { repeated int64 dims = 1; required string tensor_type = 2; required bytes tensor_content = 3 }

There is one `Checkpoint` for each value, so that a file can be written piece by piece; it reads as one message.
Contents are little-endian in C order. A tensor over 512 MiB is cut into consecutive values of one tag that all carry
the full dims. A scalar has no dims; a string is a tensor of type "str" with dims [0] and UTF-32 content.
"""

import zlib
from collections.abc import Iterable, Iterator

import numpy as np

from msjax.core import dtype as dtypes
from msjax.files import protobuf
from msjax.files.protobuf import MalformedError as MalformedError

Entry = np.ndarray | str

_NO_TEXT = bytes(4)  # an empty content would be left out
_SLICE = 512 * 2**20
_CRC_MARK = b"crc_num"
_CRC_LENGTH = len(_CRC_MARK) + 10

_TYPES: dict[str, np.dtype] = {t.text: t.np for t in dtypes.all_types if t.np is not None}
_NAMES: dict[np.dtype, str] = {np_dtype: text for text, np_dtype in _TYPES.items()}
_TYPES |= {
    f"mindspore.{t.label}": t.np for t in dtypes.all_types if t.np is not None
}  # as some other tools write them


# ------------------------------------------------------------------------------------------ writing


def encode(entries: Iterable[tuple[str, Entry]], crc: bool = False) -> Iterator[bytes | memoryview]:
    """Return the pieces of a file, in order.

    Args:
        entries: (name, array or string).
        crc: end with the CRC-32 of all that came before.

    Raises:
        TypeError: for an array of a dtype that has no name in these files.
    """
    if crc:
        yield from _with_crc(encode(entries))
        return
    for name, entry in entries:
        if isinstance(entry, str):
            yield from _value(name, [0], "str", memoryview(entry.encode("utf-32-le") or _NO_TEXT))
            continue
        array = np.ascontiguousarray(entry).reshape(entry.shape)
        text = _NAMES.get(array.dtype)
        if text is None:
            raise TypeError(f"checkpoints cannot hold {name!r}: there is no type for dtype {array.dtype}.")
        content = memoryview(array.reshape(-1).view(np.uint8))  # type: ignore[arg-type]
        for start in range(0, max(len(content), 1), _SLICE):
            yield from _value(name, list(array.shape), text, content[start : start + _SLICE])


def _value(tag: str, dims: list[int], text: str, content: memoryview) -> Iterator[bytes | memoryview]:
    tensor = (
        b"".join(protobuf.field(1, n) for n in dims)
        + protobuf.field(2, text)
        + protobuf.head(3, len(content))
    )
    head = protobuf.field(1, tag) + protobuf.head(2, len(tensor) + len(content)) + tensor
    yield protobuf.head(1, len(head) + len(content)) + head
    yield content


def _with_crc(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    crc = 0
    for piece in pieces:
        crc = zlib.crc32(piece, crc)
        yield piece
    yield _CRC_MARK + crc.to_bytes(10, "big")


# ------------------------------------------------------------------------------------------ reading


def decode(data: bytes, crc_check: bool = False) -> dict[str, Entry]:
    """Return the values of a file by name, in order.

    Args:
        data: all of the file.
        crc_check: verify the checksum, if there is one.

    Raises:
        MalformedError: if this is no checkpoint, or damaged.
    """
    view = memoryview(data)
    tail = view[-_CRC_LENGTH:]
    if tail[: len(_CRC_MARK)] == _CRC_MARK:
        view = view[:-_CRC_LENGTH]
        if crc_check and zlib.crc32(view) != int.from_bytes(tail[len(_CRC_MARK) :], "big"):
            raise MalformedError(
                "its CRC-32 does not agree with its content, so it was damaged after it was written"
            )
    found: dict[str, Entry] = {}
    pending: list[tuple[str, list[int], str, memoryview]] = []
    for number, message in protobuf.fields(view):
        if number != 1 or isinstance(message, int):
            raise MalformedError(f"it has a field {number} that checkpoints do not have")
        piece = _parse_value(message)
        if pending and piece[0] != pending[0][0]:
            _join(pending, found)
            pending = []
        pending.append(piece)
    if pending:
        _join(pending, found)
    return found


def _parse_value(message: memoryview) -> tuple[str, list[int], str, memoryview]:
    tag: str | None = None
    tensor: memoryview | None = None
    for number, value in protobuf.fields(message):
        if number == 1 and not isinstance(value, int):
            tag = _text(value)
        elif number == 2 and not isinstance(value, int):
            tensor = value
        elif number == 3:
            raise MalformedError(f"{tag!r} is a hash table (MapParameter), which is not supported")
    if tag is None or tensor is None:
        raise MalformedError("a value has no name or no tensor")
    dims: list[int] = []
    text: str | None = None
    content: memoryview | None = None
    for number, value in protobuf.fields(tensor):
        if number == 1:
            dims += protobuf.integers(value)
        elif number == 2 and not isinstance(value, int):
            text = _text(value)
        elif number == 3 and not isinstance(value, int):
            content = value
    if text is None or content is None:
        raise MalformedError(f"{tag!r} has no type or no content")
    return tag, dims, text, content


def _text(value: memoryview) -> str:
    try:
        return bytes(value).decode()
    except UnicodeDecodeError as error:
        raise MalformedError("a name is not UTF-8") from error


def _join(pieces: list[tuple[str, list[int], str, memoryview]], found: dict[str, Entry]) -> None:
    """Join the pieces of one value."""
    tag, dims, text, content = pieces[0]
    if any(piece[1:3] != (dims, text) for piece in pieces):
        raise MalformedError(f"the pieces of {tag!r} differ in shape or type")
    joined = content if len(pieces) == 1 else memoryview(b"".join(piece[3] for piece in pieces))
    if text == "str":
        found[tag] = _decode_tag(tag, joined)
        return
    dtype = _TYPES.get(text)
    if dtype is None:
        raise MalformedError(f"{tag!r} is of the unknown type {text!r}")
    shape = tuple(dims) if dims != [0] or not joined else ()
    expected = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if len(joined) != expected:
        raise MalformedError(
            f"{tag!r} of shape {shape} and type {text} needs {expected} bytes, but has {len(joined)}"
        )
    found[tag] = np.frombuffer(joined, dtype).reshape(shape)


def _decode_tag(tag: str, content: memoryview) -> str:
    try:
        return bytes(content).decode("utf-32-le").rstrip("\0")
    except UnicodeDecodeError as error:
        raise MalformedError(f"{tag!r} is not UTF-32") from error
