"""Flattening of nested expressions into statements: `y = f(g(x))` becomes `g_var = g(x); y = f(g_var)`."""

import ast
import keyword
from collections.abc import Callable
from typing import Any

from msjax.rewrite.syntax import leaves

# By statement or expression: the parts of it that become separate statements.
_PARTS: dict[type, tuple[str, ...]] = {
    ast.Return: ("value",),
    ast.Call: ("func", "args", "keywords"),
    ast.BinOp: ("left", "right"),
    ast.BoolOp: ("values",),
    ast.UnaryOp: ("operand",),
    ast.Compare: ("left", "comparators"),
    ast.If: ("test",),
    ast.For: ("iter",),
    ast.Tuple: ("elts",),
    ast.List: ("elts",),
}


def flatten(body: list[ast.stmt], unique: Callable[[str], str] | None = None) -> None:
    """Flatten the statements of a body, in place. Bodies inside of them are left.

    Args:
        body: the statements.
        unique: makes the name of a new variable unique. Default: as it is.

    Examples:
        >>> import ast
        >>> from msjax.rewrite.flattening import flatten
        >>> module = ast.parse("x = f(g(x) + 1)")
        >>> flatten(module.body)
        >>> print(ast.unparse(module))
        g_var = g(x)
        add_var = g_var + 1
        x = f(add_var)
    """
    _one_target_each(body)
    taken = [
        t.id
        for s in body
        if isinstance(s, ast.Assign)
        for t in leaves(s.targets[0])
        if isinstance(t, ast.Name)
    ]
    apart = _Apart(taken, unique or (lambda name: name))
    index = len(body) - 1
    while index >= 0:
        statement = body[index]
        inner = statement.value if isinstance(statement, ast.Assign | ast.Expr) else statement
        before = apart.take(inner)
        body[index:index] = reversed(before)
        index += len(before) - 1
    for statement in body:
        ast.fix_missing_locations(statement)


def _one_target_each(body: list[ast.stmt]) -> None:
    """`a = b = f()` is `b = f(); a = b`."""
    for index in range(len(body) - 1, -1, -1):
        statement = body[index]
        if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
            *others, last = statement.targets
            statement.targets = [last]
            sources = [*others[1:], last]
            body[index + 1 : index + 1] = [
                ast.Assign([target], source) for target, source in zip(others, sources, strict=True)
            ]


class _Apart:
    """Takes one expression apart after the other, and knows the names that are in use.

    Args:
        taken: variables of the body.
        unique: see `flatten`.
    """

    def __init__(self, taken: list[str], unique: Callable[[str], str]) -> None:
        self._taken = taken
        self._unique = unique

    def take(self, node: ast.AST) -> list[ast.stmt]:
        """Return the statements that come before a statement or expression, which then mentions their results."""
        before: list[ast.stmt] = []
        for part in _PARTS.get(type(node), ()):
            value = getattr(node, part)
            if isinstance(value, list):
                setattr(node, part, [self._element(node, i, each, before) for i, each in enumerate(value)])
            elif value is not None:
                setattr(node, part, self._name_for(value, node, before))
        return before

    def _element(self, node: ast.AST, index: int, element: Any, before: list[ast.stmt]) -> ast.AST:
        later = isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and index > 0
        if isinstance(element, ast.Starred) or later:  # what comes after `and` may not be computed
            return element
        if isinstance(element, ast.keyword):
            element.value = self._name_for(element.value, node, before)
            return element
        return self._name_for(element, node, before)

    def _name_for(self, node: ast.expr, around: ast.AST, before: list[ast.stmt]) -> ast.expr:
        if isinstance(node, ast.Name | ast.Constant):
            return node
        if isinstance(node, ast.Attribute) and not isinstance(around, ast.For):
            lowest = node
            while isinstance(lowest.value, ast.Attribute):
                lowest = lowest.value
            if not isinstance(lowest.value, ast.Name):
                lowest.value = self._assign(lowest.value, before)
            return node
        return self._assign(node, before)

    def _assign(self, node: ast.expr, before: list[ast.stmt]) -> ast.Name:
        name = self._make_variable(node)
        before.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.Name(name, ast.Load())

    def _make_variable(self, node: ast.expr) -> str:
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                base = f"{name}_var"
            case ast.Call():
                base = "function_var"
            case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op):
                base = f"{type(op).__name__.lower()}_var"
            case ast.Attribute(value=ast.Name(id=name)):
                base = f"{name}_{node.attr}"
            case _:
                base = f"{type(node).__name__.lower()}_var"
        if keyword.iskeyword(base):
            base += "_var"
        name, number = base, 0
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        name = self._unique(name)
        self._taken.append(name)
        return name
