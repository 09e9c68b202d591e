"""Code generation: from nodes back to source, and to a network that runs it."""

import ast
import copy
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.rewrite import classes, reading, syntax
from msjax.rewrite.tree_source import TreeSource

_HEAD = """import sys
import {name}
from {name} import nn
from {name}.nn import Cell
from {name}.ops import functional as F
"""
_DIVIDER = "#"


class Writer:
    """Writes the classes of a SymbolTree and of those in it, each once.

    Args:
        tree: the SymbolTree.
    """

    def __init__(self, tree: TreeSource) -> None:
        self._tree = tree
        self._renamed: dict[str, str] = {}
        self._functions: list[list[ast.stmt]] = []
        self._written: set[str] = set()
        self._same: dict[tuple, str] = {}

    def code(self) -> str:
        """Return the whole module."""
        written = self._class(self._tree)
        parts = [ast.parse(_HEAD.format(name=_package_name())).body, *self._functions, *written]
        lines = [syntax.text(ast.Module(part, [])) for part in parts if part]
        head, *rest = lines
        return f"\n{_DIVIDER}\n".join([f"{head}\n{_DIVIDER}", *rest]) + f"\n{_DIVIDER}"

    def _class(self, tree: TreeSource) -> list[list[ast.stmt]]:
        """Return the classes of a tree, with those that it uses before its own."""
        for definition, function in reversed(tree.externals):
            self._write_once(definition, function, self._functions)
        for definition, cls in tree.fathers:
            self._write_once(definition, cls, self._functions, cls)
        before: list[list[ast.stmt]] = []
        for inner in tree.trees():
            before = self._class(inner) + before
        definition = copy.deepcopy(tree.class_def)
        syntax.rename(definition, self._renamed)
        plain = copy.deepcopy(definition)
        syntax.rename(plain, {tree.made_name: ""})
        key = (type(tree.network), syntax.text(plain))
        if not tree.modified and key in self._same:
            self._renamed[tree.made_name] = self._same[key]
            return before
        if not tree.modified:
            self._same[key] = tree.made_name
        own = [*_imports(definition, type(tree.network), type(tree.network)), *tree.imports, definition]
        return [*before, own]

    def _write_once(
        self, definition: Any, source: Any, into: list[list[ast.stmt]], cls: type | None = None
    ) -> None:
        if definition.name not in self._written:
            self._written.add(definition.name)
            into.append([*_imports(definition, source, cls), _drop_annotations(copy.deepcopy(definition))])


def network(tree: TreeSource) -> Cell:
    """Write the module to a file in `rewritten_network`, import it and make the network.

    Args:
        tree: the SymbolTree.
    """
    folder = Path("rewritten_network")
    folder.mkdir(mode=0o700, exist_ok=True)
    name = f"{tree.made_name}_{id(tree)}"
    file = (folder / f"{name}.py").resolve()
    file.write_text(Writer(tree).code(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for names in map(_list_globals, _sources(tree)):
        vars(module).update({key: value for key, value in names.items() if not key.startswith("__")})
    sys.modules[name] = module  # inspect.getsource looks there
    importlib.import_module("linecache").checkcache(os.fspath(file))
    spec.loader.exec_module(module)
    made = getattr(module, tree.made_name)(tree.network)
    for _, cell in made.cells_and_names():
        vars(cell).pop("_program", None)  # compiled for the original class
    made.update_parameters_name()
    return made


def _sources(tree: TreeSource) -> Iterator[Any]:
    for inner in tree.trees():
        yield from _sources(inner)
    yield from (source for _, source in [*tree.externals, *tree.fathers, *tree.inserted])
    yield type(tree.network)


def _list_globals(source: Any) -> dict[str, Any]:
    return {**reading.globals_of(source), getattr(source, "__name__", "_"): source}


def _package_name() -> str:
    return "mindspore" if "mindspore" in sys.modules else "msjax"


def _drop_annotations(definition: Any) -> Any:
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            node.annotation = None
    return definition


def _imports(definition: Any, source: Any, base: type | None) -> list[ast.stmt]:
    """Return the imports that the source of a class or function needs, and that of the class itself."""
    _drop_annotations(definition)
    used = syntax.names_in(definition)
    found: list[ast.stmt] = []
    try:
        folder = os.path.dirname(os.path.realpath(inspect.getfile(source)))
        found += ast.parse(f"sys.path.insert(0, {folder!r})").body
    except (OSError, TypeError):
        pass
    for statement in classes.imports_of(source):
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        statement.names = [
            a for a in statement.names if a.name == "*" or (a.asname or a.name).partition(".")[0] in used
        ]
        if statement.names:
            found.append(statement)
    if base is not None:
        found += import_of(base)
    return found


def import_of(thing: Any, name: str | None = None) -> list[ast.stmt]:
    """Return the statement that imports a class or function, if it can be had from its module."""
    name = name or str(thing.__name__)
    home = str(getattr(thing, "__module__", "builtins"))
    if home == "builtins" or getattr(sys.modules.get(home), name, None) is not thing:
        return []
    if home == "__main__":
        return ast.parse(f"{name} = getattr(sys.modules['__main__'], '{name}')").body
    return ast.parse(f"from {home} import {name}").body


def save(file: str, code: Callable[[], str]) -> None:
    """Write source to a file, in place of one that is there."""
    Path(file).write_text(code(), encoding="utf-8")
