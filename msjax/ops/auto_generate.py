"""MindSpore's inner names for the functions of `mint`, which its documentation uses. `auto_generate.pyi` names them.

MindSpore generates most operators there, so all that `ops` has, class forms and functions, can be had here too.
"""

from typing import Any

from msjax import ops
from msjax.lazy import attach


def _of_ops(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(ops, name)


__getattr__, __dir__, __all__ = attach(__name__, missing=_of_ops)
