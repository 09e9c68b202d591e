"""MATLAB's files: small ones whole, large arrays mapped into memory."""

import math
import tempfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from msjax.dataset.public_sets.reader_table import require_file

_COMPRESSED, _MATRIX = 15, 14
_DTYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_PART = 2**20  # bytes that are decompressed at once


def load_matlab(op: str, path: Path, names: Collection[str]) -> Mapping[str, Any]:
    """Return variables of a MATLAB file.

    Raises:
        RuntimeError: if there is no such file, it is damaged, or lacks one of them.
    """
    import scipy.io  # takes its time, and few programs read such files

    try:
        found = scipy.io.loadmat(str(require_file(op, path)), variable_names=list(names))
    except Exception as error:  # scipy raises nearly anything
        if str(error).startswith(f"`{op}`"):
            raise
        raise RuntimeError(f"`{op}`: {path} is no MATLAB file: {type(error).__name__}: {error}.") from error
    return _all(op, path, found, names)


def map_matlab_arrays(op: str, path: Path, names: Collection[str]) -> Mapping[str, np.ndarray]:
    """Return arrays of numbers of a MATLAB file (of version 5 to 7) without holding them in memory.

    What is compressed is written to a temporary file without a name, which is gone when nothing uses it any more.

    Raises:
        RuntimeError: if there is no such file, it is damaged, of another version, or lacks one of them.
    """
    found: dict[str, np.ndarray] = {}
    try:
        with require_file(op, path).open("rb") as file:
            order = {b"IM": "<", b"MI": ">"}[file.read(128)[126:]]
            while len(tag := file.read(8)) == 8 and set(names) - set(found):
                kind, size = np.frombuffer(tag, f"{order}u4").tolist()
                after = file.tell() + size
                if kind == _COMPRESSED:
                    with tempfile.TemporaryFile() as whole:
                        _decompress(file, size, whole)
                        kind, _ = np.frombuffer(whole.read(8), f"{order}u4").tolist()
                        name, values = _map_array(whole, order) if kind == _MATRIX else ("", None)
                else:
                    name, values = _map_array(file, order) if kind == _MATRIX else ("", None)
                if name in names and values is not None:
                    found[name] = values
                file.seek(after)
    except (KeyError, ValueError, zlib.error) as error:
        raise RuntimeError(
            f"`{op}`: {path} is no whole MATLAB file of version 5 to 7: {type(error).__name__}: {error}."
        ) from error
    return _all(op, path, found, names)


def _all(op: str, path: Path, found: Mapping[str, Any], names: Collection[str]) -> Mapping[str, Any]:
    missing = [name for name in names if name not in found]
    if missing:
        raise RuntimeError(f"`{op}`: {path} lacks the arrays {missing}.")
    return found


def _decompress(file: IO[bytes], size: int, whole: IO[bytes]) -> None:
    unpack = zlib.decompressobj()
    while size and (part := file.read(min(_PART, size))):
        size -= len(part)
        while part:
            whole.write(unpack.decompress(part, _PART))
            part = unpack.unconsumed_tail
    if size or not unpack.eof:
        raise ValueError("it ends too soon")
    whole.seek(0)


def _element(file: IO[bytes], order: str) -> tuple[int, int, int]:
    """Return type, size in bytes and end of the element that begins here; go to its content."""
    kind, size = np.frombuffer(file.read(8), f"{order}u4").tolist()
    if kind >> 16:  # a small one: its content stands where others have their size
        file.seek(-4, 1)
        return kind & 0xFFFF, kind >> 16, file.tell() + 4
    return kind, size, file.tell() + -(-size // 8) * 8


def _map_array(file: IO[bytes], order: str) -> tuple[str, np.ndarray | None]:
    """Return name and values of an array; no values if they are not real numbers."""
    _, _, end = _element(file, order)
    kind = int(np.frombuffer(file.read(4), f"{order}u4")[0])
    file.seek(end)
    _, size, end = _element(file, order)
    shape = np.frombuffer(file.read(size), f"{order}i4").tolist()
    file.seek(end)
    _, size, end = _element(file, order)
    name = file.read(size).decode("ascii")
    if not 6 <= kind & 0xFF <= 15 or kind & 0x800:  # other classes of arrays; complex numbers
        return name, None
    file.seek(end)
    stored, size, _ = _element(file, order)
    dtype, begin = np.dtype(f"{order}{_DTYPES[stored]}"), file.tell()
    if math.prod(shape) * dtype.itemsize != size or file.seek(0, 2) < begin + size:
        raise ValueError("it ends too soon")
    flat = np.memmap(file, dtype, "r", begin, (math.prod(shape),)).view(np.ndarray)
    return name, flat.reshape(shape, order="F")
