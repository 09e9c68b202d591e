"""`train._utils`: helpers that programs import from MindSpore's module."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


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


def check_value_type(arg_name: str, arg_value: Any, valid_types: type | Iterable[type]) -> None:
    """Raise TypeError unless a value is of one of the types; a bool is no int.

    Args:
        arg_name: name, for the message.
        arg_value: the value.
        valid_types: one type or several.

    Examples:
        >>> from msjax.train._utils import check_value_type
        >>> check_value_type("size", 3, [int, float])
    """
    types = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        names = ", ".join(one.__name__ for one in types)
        raise TypeError(f"For `{arg_name}` the type should be one of {names}, but got {arg_value!r}.")
