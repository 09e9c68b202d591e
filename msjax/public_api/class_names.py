"""Class paths: as `mindspore`, classes print MindSpore's modules: `<class 'mindspore.nn.layer.basic.Dense'>`; so as `torch`.

What Python prints of a class is its `__module__`. While msjax is installed as `mindspore`, public classes have in that
place a string which reads as MindSpore's module, and which every look-up takes for the module where the class is: so
classes and their objects are pickled, unpickled and inspected as before, in this process and in others.
"""

import functools
import gzip
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from msjax.public_api import module_paths, recorded_api


class Home(str):
    """Reads as MindSpore's module of a class, and is found in tables and pickled as msjax's own.

    Args:
        shown: MindSpore's module.
        own: the module of msjax.

    Examples:
        >>> from msjax.public_api.class_names import Home
        >>> home = Home("mindspore.nn.cell", "msjax.nn.cell.cell")
        >>> print(home, {"msjax.nn.cell.cell": "found"}[home])
        mindspore.nn.cell found
    """

    own: str

    def __new__(cls, shown: str, own: str) -> Self:
        """Return a string that reads as `shown`."""
        made = super().__new__(cls, shown)
        made.own = own
        return made

    def __eq__(self, other: object) -> bool:
        return self.own == other or str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.own)  # sys.modules[cls.__module__] is what pickle and inspect ask for

    def __reduce_ex__(self, protocol: Any) -> Any:
        return str, (self.own,)


def own_module(cls: type) -> str:
    """Return the module where a class is, whatever is shown.

    Examples:
        >>> from msjax import nn
        >>> from msjax.public_api.class_names import own_module
        >>> own_module(nn.Cell)
        'msjax.nn.cell.cell'
    """
    return getattr(cls.__module__, "own", cls.__module__)


class Shown:
    """Gives public classes MindSpore's modules, for as long as it lasts.

    Args:
        stub: the names that the stub of a public module of msjax has: {name: (module, name there)}.
    """

    def __init__(self, stub: Callable[[str], dict[str, tuple[str, str]]]) -> None:
        self._stub = stub
        self._changed: list[type] = []
        self._seen: set[str] = set()

    def sweep(self) -> None:
        """Show the classes of all modules that have been loaded since the last time."""
        for name in [n for n in list(sys.modules) if n not in self._seen and n.partition(".")[0] == "msjax"]:
            module = sys.modules.get(name)
            if isinstance(module, ModuleType) and not getattr(module.__spec__, "_initializing", False):
                self._seen.add(name)
                for original, shown in self._public_classes(name):
                    self.show(vars(module).get(original), shown)

    def show(self, value: Any, shown: str) -> None:
        """Show a value, if it is a class of msjax's, as one of that module of MindSpore's."""
        if isinstance(value, type) and type.__getattribute__(value, "__module__").startswith("msjax."):
            _set_module(value, Home(shown, value.__module__))
            self._changed.append(value)

    def loaded(self, module: str, name: str, value: Any) -> None:
        """Note that a public module has loaded a name."""
        self.sweep()
        if isinstance(value, type):
            home = recorded(module).get(name)
            if home is not None:
                self.show(value, home)

    def end(self) -> None:
        """Classes are shown where they are again."""
        for cls in self._changed:
            _set_module(cls, own_module(cls))
        self._changed.clear()
        self._seen.clear()

    def _public_classes(self, module: str) -> Iterator[tuple[str, str]]:
        """Return the public classes of one of msjax's modules, by their names there, and MindSpore's modules of them."""
        yield from self._by_module.get(module, {}).items()
        for public in self._modules_without_stub.get(module, ()):
            yield from recorded(public).items()

    @functools.cached_property
    def _by_module(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for public in _read_recorded():
            names = self._names(public)
            for name, home in recorded(public).items():
                source, original = self._origin(*names.get(name, ("", "")))
                found.setdefault(source, {}).setdefault(original, home)
        return found

    @functools.cached_property
    def _modules_without_stub(self) -> dict[str, list[str]]:
        """Modules of msjax without a stub, which hold what they name: the public modules that they are."""
        found: dict[str, list[str]] = {}
        for public in _read_recorded():
            if not self._names(public):
                own = "msjax" + public.removeprefix(recorded_api.NAME)
                found.setdefault(module_paths.homes().get(own, own), []).append(public)
        return found

    def _names(self, public: str) -> dict[str, tuple[str, str]]:
        own = "msjax" + public.removeprefix(recorded_api.NAME)
        return self._tables(module_paths.homes().get(own, own))

    @functools.cached_property
    def _tables(self) -> Callable[[str], dict[str, tuple[str, str]]]:
        @functools.cache
        def table(module: str) -> dict[str, tuple[str, str]]:
            try:
                return self._stub(module)
            except OSError:
                return {}

        return table

    def _origin(self, source: str, name: str) -> tuple[str, str]:
        """Follow stubs that take names from other stubs, to the module that has the name."""
        for _ in range(5):
            further = self._tables(source).get(name) if source else None
            if further is None or further[0] == source:
                break
            source, name = further
        return source, name


class ShownInTorch(Shown):
    """Gives the classes of `msjax.torch` PyTorch's modules, for as long as it lasts."""

    def __init__(self) -> None:
        super().__init__(lambda module: {})

    def _public_classes(self, module: str) -> Iterator[tuple[str, str]]:
        if not module.startswith("msjax.torch."):
            return
        package = module.split(".")[2]
        for name, value in list(vars(sys.modules[module]).items()):
            home = _homes_in_torch().get((package, name)) or _homes_in_torch().get(("", name))
            if home is not None and isinstance(value, type) and own_module(value) == module:
                yield name, home


@functools.cache
def _homes_in_torch() -> dict[tuple[str, str], str]:
    """PyTorch's modules of its classes, by package and name: classes of `torch.nn` are in our `nn`, whatever the file.

    Those that stand in no package here are found by ("", name).
    """
    homes = recorded_api.unpacked("torch_homes.json.gz")
    rows = [(home.split(".")[1], name, home) for home, names in homes.items() for name in names.split()]
    return {("", name): home for package, name, home in rows if package == "nn"} | {
        (package, name): home for package, name, home in rows
    }


def recorded(module: str) -> dict[str, str]:
    """Return MindSpore's modules of the classes that a public module names.

    Args:
        module: "msjax.nn" or "mindspore.nn".

    Examples:
        >>> from msjax.public_api import class_names
        >>> class_names.recorded("msjax.nn")["Dense"]
        'mindspore.nn.layer.basic'
    """
    homes = _read_recorded().get(
        recorded_api.NAME + module.removeprefix("msjax").removeprefix(recorded_api.NAME), {}
    )
    return {name: home for home, names in homes.items() for name in names.split()}


@functools.cache
def _read_recorded() -> dict[str, dict[str, str]]:
    return json.loads(gzip.decompress(Path(__file__).with_name("classes.json.gz").read_bytes()))


def _set_module(cls: type, module: str) -> None:
    line = cls.__dict__.get("__firstlineno__")  # Python 3.13 drops it with the module
    cls.__module__ = module
    if line is not None:
        cls.__firstlineno__ = line  # type: ignore[attr-defined]
