"""Recorded API of PyTorch 2.13.0: modules that `msjax.torch` has no file for, and placeholders for missing names.

`torch_api.json.gz` holds the public modules, `torch_classes.json.gz` the members of three classes, `torch_inner.json.gz`
names of other modules that libraries import at their top.
"""

import difflib
import functools
import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NoReturn

from msjax.public_api import recorded_api
from msjax.public_api.placeholders import Missing

NAME, VERSION = "torch", "2.13.0"

# Called when a module has been loaded.
watchers: list[Callable[[], None]] = []


@functools.cache
def recorded() -> Mapping[str, Mapping[str, str]]:
    """Return the names of each module of PyTorch's.

    Returns:
        {"torch.nn": {"Linear": "c(in_features, ...)", ...}, ...}: kind and signature as in
        :func:`msjax.public_api.recorded_api.recorded`; `=torch.nn.Linear` where it is that under another name.

    Examples:
        >>> from msjax.public_api import torch_api
        >>> torch_api.recorded()["torch.nn.modules.linear"]["Linear"]
        '=torch.nn.Linear'
    """
    inner = recorded_api.unpacked("torch_inner.json.gz")
    further = {module: dict.fromkeys(names.split(), "v") for module, names in inner.items()}
    return further | {module: further.get(module, {}) | names for module, names in _public_modules().items()}


@functools.cache
def _public_modules() -> dict[str, dict[str, str]]:
    return recorded_api.unpacked("torch_api.json.gz")


@functools.cache
def public() -> Mapping[str, Mapping[str, str]]:
    """Return the public names of each public module of PyTorch's, and of the classes whose members are recorded.

    Returns:
        {"torch.nn": {...}, "torch.Tensor": {...}, ...}, in the form of :func:`recorded`.

    Examples:
        >>> from msjax.public_api import torch_api
        >>> torch_api.public()["torch.Tensor"]["abs_"]
        'f'
    """
    return _public_modules() | recorded_api.unpacked("torch_classes.json.gz")


def holder(module: str) -> Any:
    """Return what stands for a module of PyTorch's, or for a class whose members are recorded.

    Examples:
        >>> from msjax.public_api import torch_api
        >>> torch_api.holder("torch.nn.Module")
        <class 'msjax.torch.nn.module.Module'>
    """
    if has_module(module):
        return module_named(module)
    home, _, name = module.rpartition(".")
    return getattr(module_named(home), name)


def has_module(name: str) -> bool:
    """Return True if PyTorch has a module of that name, given in full.

    Examples:
        >>> from msjax.public_api import torch_api
        >>> torch_api.has_module("torch.onnx"), torch_api.has_module("torch.onxx")
        (True, False)
    """
    return name in recorded()


class NotThere(Missing):
    """A name of PyTorch's that msjax.torch does not have."""

    def _refuse(self) -> NoReturn:
        near = ", ".join(self._near())
        hint = f" The nearest that exist: {near}." if near else ""
        raise NotImplementedError(
            f"`{self._name}` of PyTorch is not implemented in msjax.torch.{hint} MindSpore's API may have it. More "
            "about it: msjax explain pytorch"
        )


class ClassNotThere(NotThere):
    """A class of PyTorch's that msjax.torch does not have: annotations may subscript it."""

    def __getitem__(self, item: Any) -> Any:
        return Any


def load_answers() -> Callable[[str], Mapping[str, Any]]:
    """Return `answers` of `torch.answers`, which stands above: `msjax/torch/__init__.py` puts a loader here."""
    return lambda module: {}  # Python asks modules for `__path__` while they are imported


def lookup(module: str, name: str) -> Any:
    """Return a name of a module of PyTorch's that msjax's own module does not define.

    Args:
        module: PyTorch's module.
        name: in it.

    Returns:
        The answer of `msjax.torch.answers`; a module; what has the name elsewhere; or a placeholder that can be imported
        and raises NotImplementedError when it is used.

    Raises:
        AttributeError: if PyTorch has no such name either.
    """
    if name == "__all__":  # for star imports
        own = module_named(module)
        return [n for n in recorded()[module] if n[0] != "_" and not isinstance(getattr(own, n), NotThere)]
    answers = load_answers()(module)
    if name in answers:
        return answers[name]
    full = f"{module}.{name}"
    if has_module(full):
        return module_named(full)
    entry = recorded().get(module, {}).get(name)
    if (
        entry is None and name[0].isupper()
    ):  # PyTorch's own modules import the classes of the packages that they are in
        for package in (module.rpartition(".")[0], NAME):
            if name in recorded().get(package, {}):
                return getattr(module_named(package), name)
    if entry is None:
        near = difflib.get_close_matches(name, recorded().get(module, ()), 3)
        hint = f". Did you mean {', '.join(near)}?" if near else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
    if entry.startswith("="):
        home, _, original = entry[1:].rpartition(".")
        found = getattr(module_named(home), original)
        if not isinstance(found, NotThere):
            return found
    kind = ClassNotThere if entry.startswith("c") else NotThere
    return kind(full, functools.partial(_nearest, module, name))


def _nearest(module: str, name: str) -> list[str]:
    own = module_named(module)
    there = [n for n in recorded()[module] if not isinstance(getattr(own, n, None), NotThere | None)]
    return difflib.get_close_matches(name, there)


def module_named(name: str) -> ModuleType:
    """Return a module of PyTorch's: msjax's own file, or one of recorded names."""
    loaded = f"msjax.{name}" in sys.modules
    try:
        module = importlib.import_module(f"msjax.{name}")
        for told in () if loaded else watchers:
            told()
        return module
    except ModuleNotFoundError as error:
        if not f"msjax.{name}.".startswith(f"{error.name}."):
            raise
        return absent_module(name)


def complete(module: ModuleType) -> None:
    """Make PyTorch's names importable from one of msjax's modules that has a file and does not look for them itself."""
    name = module.__name__.removeprefix("msjax.")
    if has_module(name) and "__getattr__" not in vars(module):
        module.__getattr__ = functools.partial(lookup, name)  # type: ignore[method-assign]


@functools.cache
def absent_module(name: str) -> ModuleType:
    """Return a module in place of one that PyTorch has and `msjax.torch` has no file for.

    Examples:
        >>> from msjax.public_api import torch_api
        >>> torch_api.absent_module("torch.nn.modules.linear").Linear
        <class 'msjax.torch.nn.layers.Linear'>
    """
    module = ModuleType(
        name, f"{name}: what msjax.torch has of PyTorch's module; other names raise when they are used."
    )
    module.__path__ = []
    module.__getattr__ = functools.partial(lookup, name)  # type: ignore[method-assign]
    module.__dir__ = lambda: sorted(recorded()[name])  # type: ignore[method-assign]
    return module
