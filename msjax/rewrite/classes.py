"""Class of a rewritten network: `NetOpt`, made from an object of the original class."""

import ast
import inspect
import linecache
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

from msjax.core.dtype import bfloat16, float16
from msjax.nn.cell.cell import Cell
from msjax.rewrite import syntax
from msjax.rewrite.tree_source import TreeSource

COPY = "for key, value in obj.__dict__.items(): setattr(self, key, value)"


def method(definition: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """Return a method in the source of a class."""
    found = (s for s in definition.body if isinstance(s, ast.FunctionDef) and s.name == name)
    return next(found, None)


def is_text(statement: ast.stmt) -> bool:
    """Return True if a statement is only a string (a docstring, for example)."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def prepare(tree: TreeSource) -> None:
    """Turn the source of the original class into that of one which takes over the attributes of a network.

    Args:
        tree: the SymbolTree; its class and those it is derived from are changed.
    """
    definition, network = tree.class_def, tree.network
    syntax.rename(definition, {tree.class_name: tree.made_name})
    inits = _derive(tree, definition, type(network))
    if tree.class_name not in [syntax.text(base) for base in definition.bases]:
        definition.bases.insert(0, ast.Name(tree.class_name, ast.Load()))
    own = [s.name for s in definition.body if isinstance(s, ast.FunctionDef)]
    definition.body[:] = [
        s for s in definition.body if not (isinstance(s, ast.Assign | ast.If) or is_text(s))
    ]
    init = _init(definition, ["self", "obj"], [*inits, COPY])
    tree.own_methods = own
    tree.init_def = init


def share_variables(tree: TreeSource) -> None:
    """Make `__init__` copy the class's own attributes: constants, and methods that are not in its source."""
    for key, value in vars(type(tree.network)).items():
        static = isinstance(value, staticmethod)
        if key.startswith("__") or (key in tree.own_methods and callable(value) and not static):
            continue
        target = "self" if static else "self.__class__"
        tree.init_def.body.extend(ast.parse(f"{target}.{key} = obj.__class__.{key}").body)


def use_tree(tree: TreeSource, place: str, inner: TreeSource) -> None:
    """Make `__init__` replace a Cell by its rewritten form.

    Args:
        tree: that of the network.
        place: where the Cell is, "self.block".
        inner: that of the Cell.
    """
    cast = getattr(inner.network, "_cast", None)
    half = {str(float16): "float16", str(bfloat16): "bfloat16"}.get(str(cast))
    also = f".to_float(mindspore.{half})" if half else ""
    tree.init_def.body.extend(ast.parse(f"{place} = {inner.made_name}({place}){also}").body)


def _derive(tree: TreeSource, definition: ast.ClassDef, cls: type) -> list[str]:
    """Replace the user's base classes by such that set up nothing; the calls that do is what remains."""
    calls = []
    for index, base in enumerate(definition.bases):
        kind = cls.__bases__[index] if index < len(cls.__bases__) else object
        if kind is Cell or not isinstance(base, ast.Name | ast.Attribute):
            calls.append(f"{syntax.text(base)}.__init__(self)")
        elif kind.__module__.partition(".")[0] in ("msjax", "mindspore"):
            calls.append("Cell.__init__(self)")
        else:
            name = f"{syntax.text(base).rpartition('.')[2]}Opt"
            definition.bases[index] = ast.Name(name, ast.Load())
            calls.append(f"{name}.__init__(self)")
            _father(tree, kind, name)
    return calls


def _father(tree: TreeSource, cls: type, name: str) -> None:
    """A base class that shares the attributes of the original one, and whose `__init__` needs no arguments."""
    definition = ast.parse(dedent(inspect.getsource(cls))).body[0]
    assert isinstance(definition, ast.ClassDef)
    syntax.rename(definition, {cls.__name__: name})
    calls = _derive(tree, definition, cls)
    definition.body[:] = [
        s for s in definition.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"
    ]
    shared = (
        f"for key, value in {cls.__name__}.__dict__.items():\n"
        f"    if not key.startswith('__'):\n        setattr({name}, key, value)"
    )
    _init(definition, ["self"], [*calls, shared])
    if cls.__name__ not in [syntax.text(base) for base in definition.bases]:
        definition.bases.insert(0, ast.Name(cls.__name__, ast.Load()))
    tree.fathers.append((definition, cls))


def _init(definition: ast.ClassDef, arguments: list[str], statements: list[str]) -> ast.FunctionDef:
    init = method(definition, "__init__")
    if init is None:
        made = ast.parse("def __init__(self): pass").body[0]
        assert isinstance(made, ast.FunctionDef)
        init = made
        definition.body.insert(0, init)
    init.decorator_list = [
        d for d in init.decorator_list if not syntax.text(d).startswith("cell_attr_register")
    ]
    init.args = ast.parse(f"lambda {', '.join(arguments)}: 0", mode="eval").body.args  # type: ignore[attr-defined]
    init.body = [statement for text in statements for statement in ast.parse(text).body]
    return ast.fix_missing_locations(init)


def imports_of(thing: Any) -> Iterator[ast.stmt]:
    """Return the imports at the top of the file in which a class or function is, with full names."""
    try:
        file = inspect.getfile(thing)
    except TypeError:
        return
    text = "".join(linecache.getlines(file))  # which knows the source of doctests too
    package = getattr(inspect.getmodule(thing), "__package__", "") or ""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.ImportFrom) and statement.module != "__future__":
            parts = package.split(".")[: len(package.split(".")) - statement.level + 1]
            above = ".".join([*parts, *([statement.module] if statement.module else [])])
            module = above if statement.level else statement.module
            if module:
                yield ast.ImportFrom(module, [ast.alias(a.name, a.asname) for a in statement.names], 0)
        elif isinstance(statement, ast.Import):
            yield ast.Import([ast.alias(a.name, a.asname) for a in statement.names])
