"""Placeholders for MindSpore's names that msjax does not have: importable, and they raise when used.

So a program that imports a hundred names runs if it never uses the one that is missing.
"""

import difflib
import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NoReturn

from msjax.public_api import old_spellings, recorded_api
from msjax.public_api.module_paths import INNER, homes


def load_generated() -> Any:
    """Return `ops.generated.functions`, which stands above: `msjax/__init__.py` puts a loader here."""
    raise RuntimeError("`msjax`: the package is not initialized")


class Missing:
    """Stands for a name of MindSpore's that is not there yet: it can be imported, and raises when it is used.

    Args:
        name: in full, such as "mindspore.nn.Foo".
        near: gives the names nearest to it that exist; it is called when they are needed.

    Examples:
        >>> from msjax.public_api.placeholders import Missing
        >>> Missing("mindspore.nn.Foo", lambda: ["Flatten"])
        <missing mindspore.nn.Foo>
    """

    def __init__(self, name: str, near: Callable[[], Iterable[str]]) -> None:
        self._name = name
        self._near = near

    def _refuse(self) -> NoReturn:
        near = ", ".join(self._near())
        hint = f" The nearest that exist: {near}." if near else ""
        raise NotImplementedError(
            f"`{self._name}` of MindSpore is not implemented in msjax yet.{hint} More about it: msjax explain {self._name}"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError."""
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()

    def __mro_entries__(self, bases: tuple) -> tuple[type]:
        """Let a class be derived from it; making an object of that class raises."""

        def refuse(cls: type, *args: Any, **kwargs: Any) -> Any:
            self._refuse()

        return (type(self._name.rpartition(".")[2], (), {"__new__": refuse}),)

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __or__(self, other: Any) -> Any:
        return Any  # in annotations

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<missing {self._name}>"


class MissingOperator(Missing):
    """Stands for an operator in class form: networks make an object of it and may never call that, which raises.

    Examples:
        >>> from msjax.public_api.placeholders import MissingOperator
        >>> MissingOperator("mindspore.ops.Foo", list)(3)
        <missing mindspore.ops.Foo>
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Missing:
        """Return an object that raises NotImplementedError when it is used."""
        return Missing(self._name, self._near)


def missing(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a public module, for names that it does not have.

    A module or a name of MindSpore's that msjax keeps elsewhere is that, another name of MindSpore's a placeholder, any
    other an error.

    Args:
        module: the module's name, "msjax.nn".
    """

    def lookup(name: str) -> Any:
        home = homes().get(f"{module}.{name}")
        if home is not None:
            return importlib.import_module(home)
        if old_spellings.name_today(_inside(module, name)) is not None:
            return old_spellings.value_today(_inside(module, name))
        # However this module was reached: those that are imported under MindSpore's name are completed anyway.
        source, original = INNER.get(inner_names(module).get(name, ""), (module, name))
        if source != module:
            return getattr(importlib.import_module(source), original)
        known = name in recorded_api.names(module) or recorded_api.has_module(
            f"{_public_path(module)}.{name}"
        )
        near = functools.partial(nearest, name, module)
        if name.startswith("_") or not known:
            hint = f" Did you mean {', '.join(near())}?" if not name.startswith("_") and near() else ""
            raise AttributeError(f"module {module!r} has no attribute {name!r}.{hint}")
        return placeholder(module, name, near)

    return lookup


def _inside(module: str, name: str) -> str:
    """Return the path of a module's name below the package."""
    return f"{module}.{name}".removeprefix("msjax.")


def _inner_path(module: str, name: str) -> str | None:
    """Return the path of the inner module of MindSpore's that has this name below one of msjax's.

    `from mindspore.train import checkpoint_pb2` asks the package for a name, and Python's import system would go on
    below the name that the package has in msjax.
    """
    paths = (f"{parent}.{name}" for parent in (_public_path(module), *_paths_of(module)))
    return next((path for path in paths if path in recorded_api.inner()), None)


@functools.cache
def _paths_of(module: str) -> tuple[str, ...]:
    """Return MindSpore's paths for which a module of msjax stands in."""
    return tuple(_public_path(path) for path, own in homes().items() if own == module)


def nearest(name: str, module: str) -> list[str]:
    """Return the names of a module that are nearest to one that it does not have."""
    there = [n for n in dir(sys.modules[module]) if not n.startswith("_")]
    return difflib.get_close_matches(name, there, 3)


def placeholder(module: str, name: str, near: Callable[[], Iterable[str]]) -> Missing:
    """Return the placeholder for a name of a module."""
    shown = _public_path(module)
    operator = shown in ("mindspore.ops", "mindspore.ops.operations") and name[0].isupper()
    kind = MissingOperator if operator else Missing
    return kind(f"{shown}.{name}", near)


@functools.cache
def inner_names(module: str) -> dict[str, str]:
    """Map MindSpore's internal names that one of msjax's modules holds to their full names.

    Functions without an underscore are left out where a program could take them for public ones.

    Args:
        module: "msjax.nn", which has what is in `mindspore.nn.layer.conv` and many others.
    """
    found: dict[str, str] = {}
    recorded = {path: {*names} for path, names in recorded_api.inner().items()}
    for full in INNER:
        recorded.setdefault(full.rpartition(".")[0], set()).add(full.rpartition(".")[2])
    for path, names in recorded.items():
        own = "msjax" + path.removeprefix(recorded_api.NAME)
        if homes().get(own, own) == module:
            for name in names:
                full = f"{path}.{name}"
                if full in INNER or found.get(name) not in INNER:
                    found[name] = full
    crowded = module in ("msjax", "msjax.ops", "msjax.nn", "msjax.mint")
    return {
        name: path for name, path in found.items() if path in INNER or not (crowded and name[0].islower())
    }


def complete(module: ModuleType) -> None:
    """Make a module's non-public MindSpore names importable, placeholders too.

    Args:
        module: one of msjax's that is served as MindSpore's.
    """
    before = vars(module).get("__getattr__")
    if hasattr(before, "completes"):
        return

    own_name = module.__name__  # the package itself gets another name later
    parts = own_name.split(".")
    above = [".".join(parts[:length]) for length in range(2, len(parts))]

    def known(name: str) -> bool:
        return name in inner_names(own_name) or any(name in recorded_api.names(one) for one in above)

    def is_old(name: str) -> bool:
        return not name.startswith("_") and old_spellings.name_today(_inside(own_name, name)) is not None

    def lookup(name: str) -> Any:
        if name == "__all__" and full_name in recorded_api.exported():
            return _list_exported(module, own_name, full_name, own)
        kept = INNER.get(inner_names(own_name).get(name, ""))
        if kept is not None and (kept[0], kept[1]) != (
            own_name,
            name,
        ):  # a name table makes its own names
            return getattr(importlib.import_module(kept[0]), kept[1])
        try:
            if before is not None:
                return before(name)
        except AttributeError:
            if not known(name) and not is_old(name) and _inner_path(own_name, name) is None:
                raise
        inner = _inner_path(own_name, name)
        if inner is None and before is None and "__path__" in vars(module) and not name.startswith("__"):
            part = (
                f"{own_name}.{name}"  # of a folder inside of msjax: it goes before names of the folders above
            )
            inner = part if importlib.util.find_spec(part) is not None else None
        if inner is not None:
            return importlib.import_module(inner)
        if is_old(name):
            return old_spellings.value_today(_inside(own_name, name))
        if name.startswith("__") or not known(name):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        path = inner_names(own_name).get(name, f"{_public_path(own_name)}.{name}")
        generated = load_generated() if path.startswith("mindspore.ops.") else None
        if generated is not None and generated.has(name):
            return generated.lookup(name)
        kind = MissingOperator if path.startswith("mindspore.ops.") and name[0].isupper() else Missing
        return kind(path, functools.partial(nearest, name, own_name))

    full_name = starred_path(own_name)
    # A list of its own would be found before `__getattr__` is asked.
    own = vars(module).get("__all__")
    if own is not None and full_name in recorded_api.exported():
        del vars(module)["__all__"]
    lookup.completes, lookup.exports = before, own  # type: ignore[attr-defined]
    module.__getattr__ = lookup  # type: ignore[method-assign]


def own_exports(module: ModuleType) -> list[str]:
    """Return the `__all__` of one of msjax's modules, which `complete` has taken away."""
    kept = getattr(vars(module).get("__getattr__"), "exports", None)
    return vars(module).get("__all__") or kept or []


@functools.cache
def starred_path(module: str) -> str:
    """Return MindSpore's path of one of msjax's modules, whose star import is to give the same.

    Args:
        module: "msjax.common._seed", which is at "mindspore.common.seed".
    """
    path = recorded_api.NAME + module.removeprefix("msjax")
    if path in recorded_api.exported():
        return path
    served = [
        p
        for p in recorded_api.exported()
        if homes().get("msjax" + p.removeprefix(recorded_api.NAME)) == module
    ]
    return served[0] if len(served) == 1 else path


def _list_exported(module: ModuleType, own_name: str, path: str, own: list[str] | None) -> list[str]:
    """Return what a star import of a module gives: MindSpore's names, as far as they are here or have a placeholder.

    What a module without `__all__` imports for itself has no placeholder.
    """
    names = recorded_api.exported()[path].split()
    if path in recorded_api.unlisted():
        return [name for name in names if not isinstance(getattr(module, name, None), Missing | None)]
    known = {*vars(module), *(own or ()), *recorded_api.names(path), *inner_names(own_name)}
    return [name for name in names if name in known]


def restore(module: ModuleType) -> None:
    """Undo `complete`."""
    lookup = vars(module).get("__getattr__")
    if not hasattr(lookup, "completes"):
        return
    before = getattr(lookup, "completes")  # noqa: B009  a function has no such attribute by its type
    if (own := getattr(lookup, "exports", None)) is not None:
        vars(module)["__all__"] = own
    if before is None:
        del module.__getattr__
    else:
        module.__getattr__ = before  # type: ignore[method-assign]


def absent_module(name: str) -> ModuleType:
    """Return a module in place of one that MindSpore has and msjax does not have: all its names are placeholders.

    Args:
        name: MindSpore's name of it, "mindspore.boost".
    """
    module = ModuleType(
        name, f"{name} of MindSpore, which msjax does not have: its names raise when they are used."
    )
    module.__path__ = []
    parts = name.split(".")
    above = (".".join(parts[:length]) for length in range(2, len(parts)))
    known = {n for module in (name, *above) for n in recorded_api.names(module)} | recorded_api.inner().get(
        name, set()
    )

    def lookup(attribute: str) -> Any:
        path = f"{name}.{attribute}"
        if path in INNER:
            source, original = INNER[path]
            return getattr(importlib.import_module(source), original)
        if path in recorded_api.inner():
            return importlib.import_module(path)
        if attribute in known:
            return placeholder(name, attribute, tuple)
        raise AttributeError(f"module {name!r} has no attribute {attribute!r}.")

    module.__getattr__ = lookup  # type: ignore[method-assign]
    module.__dir__ = lambda: sorted(known)  # type: ignore[method-assign]
    return module


def _public_path(module: str) -> str:
    return recorded_api.NAME + module.removeprefix("msjax").removeprefix(recorded_api.NAME)
