"""Rules for names of MindRecord files."""

import os
from typing import Any

from msjax.mindrecord.exceptions import ParamValueError

_FORBIDDEN = set("\\/:*?\"<>|`&';")


def check_filename(path: Any, arg_name: str = "") -> bool:
    r"""Raise unless a path is a str that ends in a name without any of ``\/:*?"<>|`&';``.

    Raises:
        ParamValueError: if it is not.
    """
    what = f"'{arg_name}'" if arg_name else "File path"
    if not path:
        raise ParamValueError(f"{what} is not allowed None or empty!")
    if not isinstance(path, str):
        raise ParamValueError(f"File path: {path} is not string.")
    if path.endswith("/"):
        raise ParamValueError("File path can not end with '/'")
    name = os.path.basename(path)
    if set(name) & _FORBIDDEN:
        raise ParamValueError("File name should not contains \\/:*?\\\"<>|`&;\\'")
    if name != name.strip(" "):
        raise ParamValueError("File name should not start/end with space.")
    return True


def check_files(files: Any) -> None:
    """Check one path or a list of them."""
    for path in files if isinstance(files, list) else [files]:
        check_filename(path)
