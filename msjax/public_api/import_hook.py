"""Import hook: serves msjax's modules under the name `mindspore`, `torch` or `oneflow`.

After `install_as("mindspore")` a program that imports MindSpore gets msjax. There are no copies: `mindspore.nn` and
`msjax.nn` are one module object with one set of classes, so identity, `isinstance` and pickling do not depend on the
name that was used to import them, and a module keeps its own `__name__` and `__spec__` (but for the names
of the packages and of `torch.Tensor`, which libraries compare).

How it works. Modules that msjax has loaded already are entered in `sys.modules` under the second name as well. For
the others a finder on `sys.meta_path` answers, whose loader imports msjax's module and hands that over instead of
executing anything. A few of MindSpore's module paths have no file in msjax; `paths` says which module
holds their contents.
"""

import difflib
import importlib
import importlib.abc
import importlib.metadata
import importlib.util
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from msjax import version
from msjax.public_api import class_names, placeholders, recorded_api, stubs, torch_api
from msjax.public_api.module_paths import homes

PACKAGES = {"mindspore": "msjax", "torch": "msjax.torch", "oneflow": "msjax.torch"}


_EVERYTHING = importlib.metadata.DistributionFinder.Context()


class _Distribution(importlib.metadata.Distribution):
    """Package metadata for `importlib.metadata`: name and version, and no files."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        shown = torch_api.VERSION if self._name == torch_api.NAME else version.__version__
        return f"Metadata-Version: 2.1\nName: {self._name}\nVersion: {shown}\n"

    def locate_file(self, path: Any) -> Any:
        return Path(__file__).parents[1] / path


class Alias(importlib.abc.MetaPathFinder):
    """The finder that serves one package under a second name.

    Args:
        name: the name that programs import.
        package: the package that they get.
        paths: modules below `name`, for those that are not at the same place below `package`; full names.
    """

    def __init__(self, name: str, package: str, paths: Mapping[str, str]) -> None:
        self.name = name
        self.package = package
        self.paths = dict(sorted(paths.items()))
        further = torch_api.recorded() if name == torch_api.NAME else ()
        self.parents = {path.rpartition(".")[0] for path in [*self.paths, *further]}
        self.users = 0
        self.shown: class_names.Shown | None = None

    def own_name(self, fullname: str) -> str | None:
        """Return the module's name in msjax; None if `fullname` is not served here."""
        if fullname != self.name and not fullname.startswith(self.name + "."):
            return None
        return self.paths.get(fullname, self.package + fullname[len(self.name) :])

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import system's protocol. Looks for the module and does not load it."""
        own_name = self.own_name(fullname)
        if own_name is None:
            return None
        own = _own_spec(own_name)
        if own is None and fullname.startswith(recorded_api.NAME + ".") and _in_mindspore(fullname):
            return ModuleSpec(fullname, _Absent(placeholders.absent_module), is_package=True)
        if own is None and torch_api.has_module(fullname):
            return ModuleSpec(fullname, _Absent(torch_api.absent_module), is_package=True)
        if own is None:
            # importlib.util.find_spec asks by the same call as the import statement, and wants None.
            if sys._getframe(2).f_globals.get("__name__") == "importlib.util":
                return None
            raise ModuleNotFoundError(self._describe_missing(fullname), name=fullname)
        spec = ModuleSpec(fullname, _Loader(self, own_name), origin=own.origin)
        spec.submodule_search_locations = own.submodule_search_locations
        if fullname in self.parents and spec.submodule_search_locations is None:
            spec.submodule_search_locations = []  # MindSpore has a package where msjax has one file
        return spec

    def show(self) -> None:
        """Make classes print as MindSpore's or PyTorch's do, those to come too; give the package its second name."""
        self._name_as(self.name)
        if self.name not in (recorded_api.NAME, torch_api.NAME):
            return
        if self.shown is None and self.name == torch_api.NAME:
            self.shown = class_names.ShownInTorch()
            torch_api.watchers.append(self.shown.sweep)
        elif self.shown is None:
            self.shown = class_names.Shown(stubs.names)
            stubs.watchers.append(self.shown.loaded)
        self.shown.sweep()

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context = _EVERYTHING
    ) -> Iterator[importlib.metadata.Distribution]:
        """Part of `importlib.metadata`'s protocol: programs ask it which version there is."""
        if self.name in (recorded_api.NAME, torch_api.NAME) and context.name in (None, self.name):
            yield _Distribution(self.name)

    def share(self) -> None:
        """Enter all modules that are loaded under their second names.

        The import system sets a module that it loads as an attribute of its parent. What is entered here is spared
        that, so a function that has the name of a module beside it (`mutable`, say) stays where it is; modules of such
        names are loaded for it.
        """
        below = self.package + "."
        for own_name, module in list(sys.modules.items()):
            if (own_name == self.package or own_name.startswith(below)) and _is_loaded(module):
                sys.modules.setdefault(self.name + own_name[len(self.package) :], module)
                if self.name == recorded_api.NAME:
                    placeholders.complete(module)
                elif self.name == torch_api.NAME:
                    torch_api.complete(module)
        for fullname, own_name in self.paths.items():
            parent_name, _, child = fullname.rpartition(".")
            parent = sys.modules.get(parent_name)
            if parent is None:
                continue
            named = child in vars(parent) or child in placeholders.own_exports(parent)
            module = importlib.import_module(own_name) if named else sys.modules.get(own_name)
            if module is not None and _is_loaded(module):
                sys.modules.setdefault(fullname, module)
                if not named:
                    setattr(parent, child, module)
        for parent in self.parents & set(sys.modules):
            if not hasattr(sys.modules[parent], "__path__"):
                sys.modules[parent].__path__ = []

    def withdraw(self) -> None:
        """Remove the second names from `sys.modules`, and from the printed names of classes."""
        self._name_as(self.package)
        if self.shown is not None:
            if self.name == torch_api.NAME:
                torch_api.watchers.remove(self.shown.sweep)
            else:
                stubs.watchers.remove(self.shown.loaded)
            self.shown.end()
            self.shown = None
        for fullname in list(sys.modules):
            if self.own_name(fullname) is None:
                continue
            module = sys.modules.pop(fullname, None)
            if module is not None:
                placeholders.restore(module)
            if getattr(module, "__name__", None) == fullname:  # of placeholders: nobody else's
                parent, _, child = (self.own_name(fullname) or "").rpartition(".")
                vars(sys.modules.get(parent, module)).pop(child, None)

    def _name_as(self, name: str) -> None:
        """Give the package and some of PyTorch's classes another name.

        Libraries look for MindSpore's package by its name, and find functions for PyTorch's tensors by their class's module.
        """
        package = sys.modules.get(self.package)
        if package is None or self.name not in (recorded_api.NAME, torch_api.NAME):
            return
        package.__name__ = name
        for each in ("Tensor", "Size", "device", "dtype") if self.name == torch_api.NAME else ():
            getattr(package, each).__module__ = name

    def _describe_missing(self, fullname: str) -> str:
        parent_name, _, child = fullname.rpartition(".")
        locations = getattr(sys.modules.get(parent_name), "__path__", [])
        there = {module.name for module in pkgutil.iter_modules(locations)}
        there.update(name.rpartition(".")[2] for name in self.paths if name.rpartition(".")[0] == parent_name)
        nearest = difflib.get_close_matches(child, sorted(there), n=1)
        hint = f" The nearest that exists: {parent_name}.{nearest[0]!s}." if nearest else ""
        return f"No module named {fullname!r}: msjax, which is installed as {self.name!r}, lacks it.{hint}"


class _Loader(importlib.abc.Loader):
    """Hands over a module of msjax, as it is."""

    def __init__(self, alias: Alias, own_name: str) -> None:
        self.alias = alias
        self.own_name = own_name
        self.own_spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.own_name)
        self.own_spec = _find_own_spec(module.__spec__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        # Since create_module returned, the import system has set the second name's spec on the module.
        module.__spec__ = self.own_spec
        self.alias.share()
        self.alias.show()


class _Absent(importlib.abc.Loader):
    """Makes a module of placeholders, where MindSpore or PyTorch has a module and msjax has none."""

    def __init__(self, make: Callable[[str], ModuleType]) -> None:
        self.make = make

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.make(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """It is complete."""


def _find_own_spec(spec: ModuleSpec | None) -> ModuleSpec | None:
    """Return a module's own spec, also while another thread is between `create_module` and `exec_module`."""
    return spec.loader.own_spec if spec is not None and isinstance(spec.loader, _Loader) else spec


def _in_mindspore(fullname: str) -> bool:
    """Return True if MindSpore has such a module; its records list some classes beside them, "mindspore.Tensor" say."""
    if fullname.rpartition(".")[2][:1].isupper():
        return False
    return recorded_api.has_module(fullname) or fullname in recorded_api.inner()


def _own_spec(own_name: str) -> ModuleSpec | None:
    try:
        return _find_own_spec(importlib.util.find_spec(own_name))
    except ModuleNotFoundError as error:
        if error.name is not None and (own_name + ".").startswith(error.name + "."):
            return None  # it is this module or a parent of it that is missing, not something that a parent imports
        raise


def _is_loaded(module: ModuleType) -> bool:
    return not getattr(getattr(module, "__spec__", None), "_initializing", False)


class Installation:
    """Context manager that :func:`install_as` returns; leaving it ends the installation.

    Args:
        alias: the finder that it stands for.
    """

    def __init__(self, alias: Alias) -> None:
        self._alias = alias

    def __enter__(self) -> ModuleType:
        return importlib.import_module(self._alias.name)

    def __exit__(self, *error: object) -> None:
        with _lock:
            self._alias.users -= 1
            if self._alias.users == 0:
                uninstall(self._alias.name)

    def __repr__(self) -> str:
        return f"<{self._alias.package} installed as {self._alias.name}>"


_lock = threading.RLock()
_installed: dict[str, Alias] = {}
_FUNCTORCH = Alias("functorch", "msjax.torch.functorch", {})


def install_as(name: str = "mindspore") -> Installation:
    """Serve msjax's modules under another name, for this process.

    Installing a second time is allowed and does nothing more. Used as a context manager it ends with the block,
    unless it had been installed before.

    Args:
        name: "mindspore", or "torch" or "oneflow" for the modules of `msjax.torch`.

    Returns:
        A context manager; entering it gives the package.

    Raises:
        ValueError: if the name is none of these.
        RuntimeError: if the real package of that name has been imported already.

    Examples:
        >>> import msjax as ms
        >>> with ms.install_as("mindspore"):
        ...     import mindspore
        ...     from mindspore.common.parameter import Parameter
        >>> mindspore is ms, Parameter is ms.Parameter
        (True, True)
    """
    if name not in PACKAGES:
        raise ValueError(
            f"`install_as`: argument `name` must be one of {tuple(PACKAGES)}. Received: {name!r}."
        )
    with _lock:
        alias = _installed.get(name)
        if alias is None:
            _refuse_the_real_one(name)
            if name == torch_api.NAME:  # PyTorch's wheel brings it along
                sys.meta_path.insert(0, _FUNCTORCH)
            alias = _installed[name] = Alias(name, PACKAGES[name], _paths(name))
            sys.meta_path.insert(0, alias)
            alias.share()
            alias.show()
        alias.users += 1
    return Installation(alias)


def uninstall(name: str = "mindspore") -> None:
    """End what :func:`install_as` began; nothing happens if the name is not installed.

    Args:
        name: the name that was installed.
    """
    with _lock:
        alias = _installed.pop(name, None)
        if alias is not None:
            sys.meta_path.remove(alias)
            alias.withdraw()
            if name == torch_api.NAME:
                sys.meta_path.remove(_FUNCTORCH)
                _FUNCTORCH.withdraw()


def installed() -> tuple[str, ...]:
    """Return the names that are installed at the moment."""
    return tuple(_installed)


class ForWorkers:
    """Pickled in one process, it installs there the names of that one when it is unpickled in another."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _install_all, (installed(),)


def _install_all(names: Sequence[str]) -> None:
    for name in names:
        install_as(name)


def _paths(name: str) -> dict[str, str]:
    if PACKAGES[name] != "msjax":
        return {}
    return {name + path.removeprefix("msjax"): own for path, own in homes().items()}


def _refuse_the_real_one(name: str) -> None:
    module = sys.modules.get(name)
    if module is not None and getattr(module.__spec__, "name", None) != PACKAGES[name]:
        raise RuntimeError(
            f"`install_as`: a package {name!r} has been imported already, "
            f"from {getattr(module, '__file__', None)!r}. Call msjax.install_as({name!r}) before the first "
            f"`import {name}` of the program, or start it with `msjax run`."
        )
