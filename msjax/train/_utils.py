"""`train._utils`: helpers that programs import from MindSpore's module."""

import os
from pathlib import Path


def make_directory(path: str, arg_name: str = "path") -> str:
    """Make a directory, with its parents, and return its real path.

    Raises:
        TypeError: if `path` is not a string.
        ValueError: if it is empty.

    Examples:
        >>> import tempfile
        >>> from msjax.train._utils import make_directory
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     make_directory(folder + "/a/b").endswith("/a/b")
        True
    """
    if not isinstance(path, str):
        raise TypeError(f"`_make_directory`: argument `{arg_name}` must be a str. Received: {path!r}.")
    if not path.strip():
        raise ValueError(f"`_make_directory`: argument `{arg_name}` must not be empty. Received: {path!r}.")
    made = os.path.realpath(path)
    Path(made).mkdir(parents=True, exist_ok=True)
    return made


_make_directory = make_directory  # MindSpore's name
