"""Serialization of a row's scalars as a MessagePack map (msgpack.org), each in its shortest form."""

import struct
from typing import Any

_UNSIGNED = ((0xCC, ">B", 1 << 8), (0xCD, ">H", 1 << 16), (0xCE, ">I", 1 << 32), (0xCF, ">Q", 1 << 64))
_SIGNED = ((0xD0, ">b", 1 << 7), (0xD1, ">h", 1 << 15), (0xD2, ">i", 1 << 31), (0xD3, ">q", 1 << 63))
_NUMBERS = {
    **{code: struct.Struct(form) for code, form, _ in (*_UNSIGNED, *_SIGNED)},
    0xCA: struct.Struct(">f"),
    0xCB: struct.Struct(">d"),
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDE: ">H", 0xDF: ">I"}


def pack(row: dict[str, Any]) -> bytes:
    """Return the bytes of a row of ints, floats and strs; its keys are sorted.

    Raises:
        ValueError: for an int of more than 64 bits.

    Examples:
        >>> from msjax.mindrecord.encoding import pack, unpack
        >>> pack({"b": "x", "a": 0.5}).hex()
        '82a161ca3f000000a162a178'
        >>> unpack(pack({"b": "x", "a": 0.5}))
        {'a': 0.5, 'b': 'x'}
    """
    count = len(row)
    parts = [bytes([0x80 | count]) if count < 16 else b"\xde" + struct.pack(">H", count)]
    for key in sorted(row):
        parts += (_text(key), _value(row[key]))
    return b"".join(parts)


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return _text(value)
    return _float(value) if isinstance(value, float) else _integer(value)


def _text(value: str) -> bytes:
    data = value.encode()
    if len(data) < 32:
        return bytes([0xA0 | len(data)]) + data
    code = next(code for code in (0xD9, 0xDA, 0xDB) if len(data) < 1 << 8 * struct.calcsize(_LENGTHS[code]))
    return bytes([code]) + struct.pack(_LENGTHS[code], len(data)) + data


def _float(value: float) -> bytes:
    try:
        short = struct.pack(">f", value)
    except OverflowError:
        short = b""
    if short and struct.unpack(">f", short)[0] == value:
        return b"\xca" + short
    return b"\xcb" + struct.pack(">d", value)


def _integer(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack("b", value)
    for code, form, limit in _UNSIGNED if value > 0 else _SIGNED:
        if value < limit if value > 0 else value >= -limit:
            return bytes([code]) + struct.pack(form, value)
    raise ValueError(f"A MindRecord file holds ints of at most 64 bits. Received: {value}.")


def unpack(data: bytes) -> Any:
    """Return the row, or whatever else the bytes hold.

    Raises:
        ValueError: for bytes that are something else.
    """
    try:
        return _decode(data, 0)[0]
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"Damaged row in a MindRecord file: {error}.") from error


def _decode(data: bytes, at: int) -> tuple[Any, int]:
    code = data[at]
    at += 1
    if code < 0x80 or code >= 0xE0:
        return (code if code < 0x80 else code - 256), at
    if code in _NUMBERS:
        number = _NUMBERS[code]
        return number.unpack_from(data, at)[0], at + number.size
    if code in _CONSTANTS:
        return _CONSTANTS[code], at
    if 0xA0 <= code < 0xC0:
        return data[at : at + code - 0xA0].decode(), at + code - 0xA0
    if code < 0x90:
        return _map(data, at, code - 0x80)
    if code in _LENGTHS:
        form = _LENGTHS[code]
        (count,) = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        return _map(data, at, count) if code >= 0xDE else (data[at : at + count].decode(), at + count)
    raise ValueError(f"Damaged row in a MindRecord file: code {code:#x}.")


def _map(data: bytes, at: int, count: int) -> tuple[dict[Any, Any], int]:
    found = {}
    for _ in range(count):
        key, at = _decode(data, at)
        found[key], at = _decode(data, at)
    return found, at
