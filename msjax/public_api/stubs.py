"""Lazy imports from stubs: public modules list names in a `.pyi`; what a name stands for is loaded on first use.

`ops/functional.pyi` says `from msjax.ops.nn.activation_piecewise import relu as relu`. Type checkers and editors
read the stub; `ops/functional.py` attaches to it, so that `import msjax` loads no operator that a program does not use.
"""

import importlib
import re
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import ModuleType
from typing import Any

from msjax.public_api import old_spellings, placeholders, recorded_api

# Called with (module, name, value) for all that is loaded.
watchers: list[Callable[[str, str, Any], None]] = []

_NAME = re.compile(r"^from (\S+) import \(?\s*(\w+) as (\w+)", re.MULTILINE)
_ALL = re.compile(r"^from (\S+) import \*", re.MULTILINE)


def attach(
    module: str, missing: Callable[[str], Any] | None = None, hidden: Collection[str] = ()
) -> tuple[Callable, Callable, list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a module, from the stub that lies beside it.

    Args:
        module: the module's name, which has been imported.
        missing: what to do about a name that the stub does not have. Default: MindSpore's names give placeholders (see
            `placeholders`), others raise AttributeError.
        hidden: names that `from module import *` leaves out.

    Examples:
        >>> import msjax as ms
        >>> "relu" in dir(ms.ops.functional), ms.ops.functional.relu is ms.ops.relu
        (True, True)
    """
    namespace = vars(sys.modules[module])
    folder = _stub(module).parent
    table = names(module)
    other = missing or placeholders.missing(module)

    def load(name: str) -> Any:
        if name not in table:
            inner = (folder / f"{name}.py").exists() or (folder / name / "__init__.py").exists()
            if inner and "__path__" in namespace and _is_mindspores(module, name):
                return importlib.import_module(f"{module}.{name}")
            if name.startswith("__") or inner:
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            return other(name)
        source, original = table[name]
        if source == module:
            value = importlib.import_module(f"{module}.{original}")
        else:  # as `from source import original` does it: that may be a module, too
            value = getattr(__import__(source, fromlist=[original]), original)
        # A module that is reached as an attribute has MindSpore's internal names as well, as one that is imported.
        if isinstance(value, ModuleType) and recorded_api.NAME in sys.modules:
            placeholders.complete(value)
        accepted = old_spellings.accept(f"{module}.{name}".removeprefix("msjax."), value)
        if accepted is not value:  # so that all who import it from now on have the same
            setattr(sys.modules[source], original, accepted)
        value = namespace[name] = accepted
        for told in watchers:
            told(module, name, value)
        return value

    def listed() -> list[str]:
        return sorted({*namespace, *table})

    starred = [
        one for one in _ALL.findall(_stub(module).read_text(encoding="utf-8")) if not _stub(one).exists()
    ]
    plain = {name: None for one in starred for name in getattr(sys.modules.get(one), "__all__", ())}
    shown = [name for name in {**table, **plain} if name not in hidden and not name.startswith("_")]
    return load, listed, shown


def names(module: str) -> dict[str, tuple[str, str]]:
    """Return the names of a module's stub: {name: (module, name there)}, with those of `from other import *`."""
    text = _stub(module).read_text(encoding="utf-8")
    table: dict[str, tuple[str, str]] = {}
    for other in filter(lambda name: _stub(name).exists(), _ALL.findall(text)):
        table.update({name: (other, name) for name in names(other)})
    table.update({name: (source, original) for source, original, name in _NAME.findall(text)})
    return table


def _is_mindspores(module: str, name: str) -> bool:
    """Return True if MindSpore has a module of that name there."""
    return (
        name in recorded_api.names(module)
        or f"{recorded_api.NAME}{module.removeprefix('msjax')}.{name}" in recorded_api.inner()
    )


def _stub(module: str) -> Path:
    path = Path(__file__).parents[1].joinpath(*module.split(".")[1:])
    return path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
