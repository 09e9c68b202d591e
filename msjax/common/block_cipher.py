"""Encrypted checkpoint files: blocks of at most 64 MiB, each with a magic number that tells the cipher.

    AES-GCM            0x7F3A5ED8 | tag (16) | u32 n + 24 | u32 16 | iv (16) | u32 n | ciphertext (n)
    AES-CBC, SM4-CBC   0x7F3A5ED9, ..DA | u32 n + 24 | u32 16 | iv (16) | u32 n | ciphertext (n)

Numbers are little-endian. Of GCM's iv the first 12 bytes are the nonce; CBC pads as PKCS7 says. The ciphers come from
the package `cryptography`.
"""

import os
import struct
from collections.abc import Iterable, Iterator
from typing import Any

from msjax.files.protobuf import MalformedError as MalformedError

_MAGIC = {"AES-GCM": 0x7F3A5ED8, "AES-CBC": 0x7F3A5ED9, "SM4-CBC": 0x7F3A5EDA}
_KEY_LENGTHS = {"AES-GCM": (16, 24, 32), "AES-CBC": (16, 24, 32), "SM4-CBC": (16,)}
_BLOCK = 64 * 2**20
MODES = tuple(_MAGIC)


def _ciphers() -> Any:
    try:
        from cryptography.hazmat.primitives import ciphers
        from cryptography.hazmat.primitives.ciphers import aead
    except ImportError as error:
        raise ImportError(
            "Encrypted checkpoints need the package `cryptography`. Install it with `pip install 'msjax[crypto]'`."
        ) from error
    return ciphers, aead


def check(key: bytes, mode: str) -> None:
    """Raise ValueError unless there is such a mode and the key is of a length that it takes."""
    if mode not in _MAGIC:
        raise ValueError(f"the encryption mode must be one of {list(MODES)}. Received: {mode!r}.")
    if len(key) not in _KEY_LENGTHS[mode]:
        raise ValueError(
            f"a key for {mode} must have {_KEY_LENGTHS[mode]} bytes. Received: {len(key)} bytes."
        )


def encrypt(pieces: Iterable[bytes | memoryview], key: bytes, mode: str) -> Iterator[bytes]:
    """Return the pieces of the encrypted file.

    Args:
        pieces: those of the plain one.
        key: 16 bytes; 24 or 32 too for AES.
        mode: "AES-GCM", "AES-CBC" or "SM4-CBC".
    """
    check(key, mode)
    waiting = bytearray()
    for piece in pieces:
        waiting += piece
        while len(waiting) >= _BLOCK:
            yield _encrypt_block(bytes(waiting[:_BLOCK]), key, mode)
            del waiting[:_BLOCK]
    if waiting:
        yield _encrypt_block(bytes(waiting), key, mode)


def _encrypt_block(plain: bytes, key: bytes, mode: str) -> bytes:
    ciphers, aead = _ciphers()
    iv = os.urandom(16)
    tag = b""
    if mode == "AES-GCM":
        sealed = aead.AESGCM(key).encrypt(iv[:12], plain, None)
        content, tag = sealed[:-16], sealed[-16:]
    else:
        padding = 16 - len(plain) % 16
        encryptor = _cbc(ciphers, key, iv, mode).encryptor()
        content = encryptor.update(plain + bytes([padding]) * padding) + encryptor.finalize()
    size = len(content)
    return (
        struct.pack("<I", _MAGIC[mode])
        + tag
        + struct.pack("<II", size + 24, 16)
        + iv
        + struct.pack("<I", size)
        + content
    )


def _cbc(ciphers: Any, key: bytes, iv: bytes, mode: str) -> Any:
    if mode == "AES-CBC":
        algorithm = ciphers.algorithms.AES(key)
    else:
        try:
            from cryptography.hazmat.decrepit.ciphers.algorithms import SM4  # type: ignore[attr-defined]
        except ImportError:
            SM4 = ciphers.algorithms.SM4
        algorithm = SM4(key)
    return ciphers.Cipher(algorithm, ciphers.modes.CBC(iv))


def decrypt(data: bytes, key: bytes, mode: str) -> bytes:
    """Return the plain file.

    Raises:
        MalformedError: if it was encrypted with another key or mode, not at all, or is damaged.
        ValueError: for an impossible key or mode.
    """
    check(key, mode)
    plain, at = [], 0
    while at < len(data):
        block, at = _decrypt_block(data, at, key, mode)
        plain.append(block)
    return b"".join(plain)


def _decrypt_block(data: bytes, at: int, key: bytes, mode: str) -> tuple[bytes, int]:
    tag_length = 16 if mode == "AES-GCM" else 0
    head = 4 + tag_length + 8 + 16 + 4
    if at + head > len(data):
        raise MalformedError("it ends in the middle of an encrypted block")
    (magic,) = struct.unpack_from("<I", data, at)
    if magic != _MAGIC[mode]:
        found = next((name for name, number in _MAGIC.items() if number == magic), None)
        raise MalformedError(
            f"it is encrypted with {found}, not {mode}" if found else f"it is not encrypted with {mode}"
        )
    tag = data[at + 4 : at + 4 + tag_length]
    iv = data[at + head - 20 : at + head - 4]
    (size,) = struct.unpack_from("<I", data, at + head - 4)
    content = data[at + head : at + head + size]
    if len(content) != size:
        raise MalformedError("it ends in the middle of an encrypted block")
    return _decrypt_content(content, tag, key, iv, mode), at + head + size


def _decrypt_content(content: bytes, tag: bytes, key: bytes, iv: bytes, mode: str) -> bytes:
    ciphers, aead = _ciphers()
    wrong = "the key does not fit it, or it was changed after it was written"
    if mode == "AES-GCM":
        from cryptography.exceptions import InvalidTag

        try:
            return aead.AESGCM(key).decrypt(iv[:12], content + tag, None)
        except InvalidTag as error:
            raise MalformedError(wrong) from error
    if len(content) % 16:
        raise MalformedError("an encrypted block has no whole number of cipher blocks")
    decryptor = _cbc(ciphers, key, iv, mode).decryptor()
    plain = decryptor.update(content) + decryptor.finalize()
    padding = plain[-1] if plain else 0
    if not 1 <= padding <= 16 or plain[-padding:] != bytes([padding]) * padding:
        raise MalformedError(wrong)
    return plain[:-padding]


def mode_of(data: bytes) -> str | None:
    """Return the cipher mode that a file was encrypted with, or None."""
    return next((mode for mode, magic in _MAGIC.items() if data[:4] == struct.pack("<I", magic)), None)
