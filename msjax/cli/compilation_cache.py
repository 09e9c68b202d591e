"""Compilation cache: compiled programs on disk between runs, by JAX's persistent cache in a folder of msjax's.

`msjax run` turns it on. Where it lies, in this order: what JAX_COMPILATION_CACHE_DIR says (then JAX's own settings
hold, and nothing is changed here); what MSJAX_CACHE_DIR says (`off` or nothing at all: no cache); the user's cache folder.
"""

import contextlib
import logging
import os
import sys
from pathlib import Path

SIZE = 2 << 30  # bytes; MSJAX_CACHE_SIZE says another number
_LOG = logging.getLogger("msjax.cache")


def cache_folder() -> Path | None:
    """Return the folder of the cache, or None if it is switched off or would be in a home that the user does not have.

    Examples:
        >>> import os
        >>> from msjax.cli import compilation_cache
        >>> os.environ["MSJAX_CACHE_DIR"] = "off"
        >>> compilation_cache.cache_folder() is None
        True
        >>> del os.environ["MSJAX_CACHE_DIR"]
    """
    chosen = os.environ.get("MSJAX_CACHE_DIR")
    if chosen is not None and chosen.strip().lower() in ("", "0", "off", "none"):
        return None
    try:
        return _of_the_user() if chosen is None else Path(chosen).expanduser()
    except RuntimeError:  # in containers, for a user that the system does not know
        return None


def _of_the_user() -> Path:
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "msjax" / "programs"
        )
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "msjax" / "programs"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "msjax" / "programs"


def turn_on() -> Path | None:
    """Let JAX keep every compiled program, here and in processes that are started from here.

    Returns:
        The folder, or None if there is no cache, or one of the user's choice.
    """
    if "JAX_COMPILATION_CACHE_DIR" in os.environ or (folder := cache_folder()) is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):  # JAX would warn at every program
            raise PermissionError(f"{folder} cannot be written")
        trim(folder, int(os.environ.get("MSJAX_CACHE_SIZE", SIZE)))
    except (OSError, ValueError) as error:
        _LOG.warning(
            "compiled programs are not kept: %s. MSJAX_CACHE_DIR names another folder, or `off`.", error
        )
        return None
    settings = {
        "jax_compilation_cache_dir": str(folder),
        # Most of what an eager program compiles takes less than the second from which JAX keeps programs.
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }
    import jax

    for name, value in settings.items():
        if os.environ.setdefault(name.upper(), str(value)) == str(value):
            jax.config.update(name, value)
    return folder


def trim(folder: Path, size: int) -> None:
    """Delete what has not been used for longest, until no more than `size` bytes are left.

    Args:
        folder: where the cache lies.
        size: in bytes; a negative number is no limit.
    """
    files = []
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if entry.is_file():
                status = entry.stat()
                files.append((max(status.st_atime, status.st_mtime), status.st_size, entry.path))
    total = sum(length for _, length, _ in files)
    for _, length, path in sorted(files):
        if total <= size or size < 0:
            return
        with contextlib.suppress(OSError):
            os.remove(path)
        total -= length
