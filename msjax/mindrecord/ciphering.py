"""Encrypted MindRecord files.

    blocks, each after its length (4 bytes, big-endian) | 0 (4 bytes) | mode (7 letters) | "ENCRYPT"

A block holds 64 MiB of the plain file, encrypted as checkpoints are; or else a user's function writes them.
"""

import atexit
import os
import shutil
import tempfile
from typing import Any, BinaryIO

from msjax.common import block_cipher
from msjax.mindrecord import config

_END = b"ENCRYPT"
_OWN = b"UDF-ENC"
_BLOCK = 1 << 26
_folders: dict[str, str] = {}  # of each file that is deciphered


def encrypt(path: str) -> None:
    """Encrypt a file in place, if a key is set."""
    key, mode = config.settings["enc_key"], config.settings["enc_mode"]
    if key is None:
        return
    with open(path, "rb") as source, open(path + ".encrypt", "wb") as target:
        if callable(mode):
            mode(source, os.path.getsize(path), target, key)
        else:
            while data := source.read(_BLOCK):
                block = b"".join(block_cipher.encrypt([data], key.encode(), mode))
                target.write(len(block).to_bytes(4, "big") + block)
        target.write(bytes(4) + (_OWN if callable(mode) else mode.encode()) + _END)
    os.chmod(path + ".encrypt", 0o600)
    os.replace(path + ".encrypt", path)


def decrypt_copy(path: str) -> str:
    """Return the path of a plain copy of a file, or the path itself if it is plain.

    Raises:
        RuntimeError: if there is no such file, it is too small, or the key and the mode do not fit.
    """
    if not os.path.exists(path):
        raise RuntimeError(
            f"The input: {path} is not exists. Give the path of a file that FileWriter has written."
        )
    if not os.path.isfile(path):
        raise RuntimeError(f"The input: {path} should be a regular file.")
    size = os.path.getsize(path)
    if size < 8:
        raise RuntimeError(
            f"Invalid file, the size of mindrecord file: {size} is smaller than the lower limit: 8.\n "
            f"Please check file path: {path} and use 'FileWriter' to generate valid mindrecord files."
        )
    with open(path, "rb") as source:
        source.seek(max(size - 14, 0))
        mode, end = source.read(14)[:7], _tail(source, size)
        if config.settings["enc_key"] is None:
            if end == _END:
                raise RuntimeError(
                    f"The mindrecord file {path} is encrypted. Set the key with `set_enc_key`, and the mode with "
                    "`set_enc_mode` or `set_dec_mode`."
                )
            return path
        if end != _END:
            raise RuntimeError(
                f"The mindrecord file {path} is not encrypted. Use set_enc_key(None) to read it."
            )
        return _copy(source, path, size, mode)


def _tail(source: BinaryIO, size: int) -> bytes:
    source.seek(size - 7)
    return source.read(7)


def _copy(source: BinaryIO, path: str, size: int, mode: bytes) -> str:
    decipher = _mode()
    if mode != (_OWN if callable(decipher) else decipher.encode()):
        raise RuntimeError(
            f"Failed to decrypt {path}, please check if enc_key and enc_mode / dec_mode is valid: it was written with "
            f"{mode.decode(errors='replace')}."
        )
    source.seek(0)
    target_path = os.path.join(_folder(path), os.path.basename(path))
    with open(target_path, "wb") as target:
        if callable(decipher):
            decipher(source, size - 7, target, config.settings["enc_key"])
        else:
            _blocks(source, target, path, decipher)
    return target_path


def _blocks(source: BinaryIO, target: BinaryIO, path: str, mode: str) -> None:
    while length := int.from_bytes(source.read(4), "big"):
        try:
            target.write(block_cipher.decrypt(source.read(length), config.settings["enc_key"].encode(), mode))
        except ValueError as error:
            raise RuntimeError(
                f"Failed to decrypt {path}, please check if enc_key and enc_mode / dec_mode is valid: {error}."
            ) from error


def _mode() -> Any:
    if config.settings["dec_mode"] is not None:
        return config.settings["dec_mode"]
    if callable(config.settings["enc_mode"]):
        raise RuntimeError(
            "You use custom encryption, so you must also define custom decryption, with `set_dec_mode`."
        )
    return config.settings["enc_mode"]


def _folder(path: str) -> str:
    """Return a temporary folder for a file and its index, deleted by `forget` or when the program ends."""
    name = os.path.realpath(path.removesuffix(".db"))
    if path.endswith(".db") and name in _folders:
        return _folders[name]
    _folders[name] = tempfile.mkdtemp(prefix=".decrypt_mindrecord")
    return _folders[name]


def forget(paths: list[str]) -> None:
    """Delete plain copies."""
    wanted = {os.path.dirname(path) for path in paths}
    for name, folder in list(_folders.items()):
        if folder in wanted:
            del _folders[name]
            shutil.rmtree(folder, ignore_errors=True)


@atexit.register
def _forget_all() -> None:
    for folder in _folders.values():
        shutil.rmtree(folder, ignore_errors=True)
