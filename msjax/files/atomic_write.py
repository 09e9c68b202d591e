"""Files that are there in full or not at all."""

import contextlib
import errno
import os
import threading
from collections.abc import Iterable


def write_file(path: str, pieces: Iterable[bytes | memoryview], read_only: bool = True) -> None:
    """Write a file under another name, and give it its own when all of it is on the disk.

    Args:
        path: the file.
        pieces: its bytes, in order.
        read_only: let its owner alone read it and nobody write it, as MindSpore's checkpoints.

    Raises:
        FileNotFoundError: if there is no such folder.
    """
    folder = os.path.dirname(path) or os.curdir
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"There is no folder {folder!r} to write the file into", path)
    temporary = f"{path}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if read_only:
            os.chmod(temporary, 0o400)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
