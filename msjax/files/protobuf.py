"""Protobuf's wire format, as far as checkpoints, strategy files and ONNX need it: they have few messages."""

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

_VARINT, _BYTES, _FLOAT = 0, 2, 5
_ALL_BITS = (1 << 64) - 1


class MalformedError(ValueError):
    """Bytes that are no file of the kind; the message says where and why, without the file's name."""


def field(at: int, content: float | str | bytes) -> bytes:
    """Return a field of a message: an integer, a float32, or text or bytes with their length.

    Examples:
        >>> field(1, 300).hex(), field(2, "ab").hex(), len(field(3, -1))
        ('08ac02', '12026162', 11)
    """
    if isinstance(content, bool | int | np.integer):
        return _varint(at << 3 | _VARINT) + _varint(int(content) & _ALL_BITS)
    if isinstance(content, float):
        return _varint(at << 3 | _FLOAT) + struct.pack("<f", content)
    data = content.encode() if isinstance(content, str) else content
    return head(at, len(data)) + data


def head(at: int, length: int) -> bytes:
    """Return number, wire type and length of a field that holds bytes, which follow."""
    return _varint(at << 3 | _BYTES) + _varint(length)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Return the fields of a message of integers, texts and messages: (number, int or memoryview).

    Raises:
        MalformedError: if it is no such message.
    """
    at = 0
    while at < len(data):
        start = at
        key, at = _read_varint(data, at)
        number, wire = key >> 3, key & 7
        if number == 0 or wire not in (_VARINT, _BYTES):
            raise MalformedError(f"no message field begins at byte {start}")
        value, at = _read_varint(data, at)
        if wire == _VARINT:
            yield number, value
            continue
        if at + value > len(data):
            raise MalformedError(
                f"a field of {value} bytes begins at byte {at}, but only {len(data) - at} bytes follow"
            )
        yield number, data[at : at + value]
        at += value


def integers(value: int | memoryview) -> list[int]:
    """Return the signed integers of a repeated field: one, or several that are packed."""
    found, at = [value] if isinstance(value, int) else [], 0
    while not isinstance(value, int) and at < len(value):
        number, at = _read_varint(value, at)
        found.append(number)
    return [number - (1 << 64) if number >> 63 else number for number in found]


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if at >= len(data):
            raise MalformedError("it ends in the middle of a number")
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            raise MalformedError(f"a number of more than 64 bits at byte {at}")
