"""Table rows as functions under mint's signatures, each made on first use."""

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from msjax.ops.common.adapters import call_text, named, pairs, parameters

Row = tuple[str, ...]

# What lines of the tables may call: name, "module.function" below msjax.ops or msjax.mint.
_HELPERS = {
    "_astype": "ops.math.casts.astype",
    "_counted": "mint._common.counted",
    "_floating": "mint._common.floating",
    "_into": "mint._common.into",
    "_only": "mint._common.only",
    "_window": "mint._common.window",
    "_hollow": "mint._common.hollow",
    "_implicit": "mint._common.implicit_dim",
    "_inexact": "mint._products.inexact",
    "_no_bool": "ops.math.clipping.no_bool",
    "_no_whole": "mint._common.no_whole",
    "_matched": "mint._products.matched",
}
_ARGUMENT = re.compile(r"^(        )(\w+)( \()", re.MULTILINE)


def function(path: str) -> Callable:
    """Import the function that a path such as "ops.math.arithmetic.add" names."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"msjax.{module}"), name)


def documented(doc: str | None, rename: str) -> str:
    """A function's documentation under other names of its parameters."""
    names = {there: here for here, there in pairs(rename).items()}
    text = _ARGUMENT.sub(lambda m: m[1] + names.get(m[2], m[2]) + m[3], doc or "")
    return re.sub(r"`(\w+)`", lambda m: f"`{names.get(m[1], m[1])}`", text)


def adapted(module: str, name: str, path: str, signature: str, rename: str = "", fix: str = "") -> Callable:
    """The function of one row.

    Args:
        module: where the row stands, and where the function will be found.
        name: of the function.
        path: the function that it calls, below `msjax`: "ops.reduction.reduction.sum".
        signature: mint's, as text.
        rename: which parameter of the function a parameter is, where the names differ: "dim=axis".
        fix: lines that run before the call and may rebind the parameters. With a parameter `inplace`, the result of
            the call becomes the content of `input` where that is set; a name that ends in "_" always does so.

    Examples:
        >>> import msjax as ms
        >>> from msjax.mint._adapt import adapted
        >>> total = adapted("here", "total", "ops.reduction.reduction.sum", "(x, axis=None)", "x=input axis=dim")
        >>> print(total(ms.Tensor([1.0, 2.0]), axis=0))
        3.0
    """
    target = function(path)
    if "inplace" in signature or name.endswith("_"):
        fix = "\n".join(filter(None, [fix, _changing(name, target, signature, rename)]))
    used: dict[str, Any] = {key: function(value) for key, value in _HELPERS.items() if key in fix}
    made = named(name, target, signature, rename, fix=fix, **used)
    made.__module__ = module
    made.__doc__ = documented(target.__doc__, rename)
    return made


def _changing(name: str, target: Callable, signature: str, rename: str) -> str:
    """The line that makes the result the content of the first argument."""
    renamed = pairs(rename)
    params = [p.name for p in parameters(signature)]
    given = {renamed.get(p, p): p for p in params if p != "inplace"}
    when = "if inplace: " if "inplace" in params else ""
    return f"{when}return _into({name!r}, {params[0]}, {call_text(target, given)})"


def attach(module: str, rows: Mapping[str, Row]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that is a table.

    Args:
        module: its name.
        rows: {name: (path, signature, rename, fix)}.
    """

    def load(name: str) -> Any:
        if name not in rows:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        made = adapted(module, name, *rows[name])
        setattr(sys.modules[module], name, made)
        return made

    return load
