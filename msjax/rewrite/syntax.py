"""Conversion between Python's syntax trees and :class:`ScopedValue`."""

import ast
from collections.abc import Iterable, Iterator

from msjax.rewrite.scoped_value import ScopedValue, ValueType

_ELEMENTS = (ast.Name, ast.Attribute, ast.Tuple, ast.Constant)


def text(node: ast.AST) -> str:
    """Return the source of a piece of syntax.

    Examples:
        >>> import ast
        >>> from msjax.rewrite.syntax import text
        >>> text(ast.parse("a = (1,   2)"))
        'a = (1, 2)'
    """
    return ast.unparse(node).strip()


def value_of(node: ast.AST | None) -> ScopedValue:
    """Return the ScopedValue of an expression: a name, constant or tuple of these, else "unsupported" with its text."""
    match node:
        case ast.Name():
            return ScopedValue.create_naming_value(node.id)
        case ast.Attribute(value=ast.Name()):
            return ScopedValue.create_naming_value(node.attr, node.value.id)  # type: ignore[attr-defined]
        case ast.Constant():
            return ScopedValue.create_variable_value(node.value)
        case ast.Tuple() | ast.List():
            odd = [e for e in node.elts if not isinstance(e, ast.Constant | ast.Name | ast.Attribute)]
            if odd:
                return ScopedValue(ValueType.UnsupportedValue, "", text(odd[0]))
            elements = [e.value if isinstance(e, ast.Constant) else text(e) for e in node.elts]
            return ScopedValue.create_variable_value(tuple(elements))
        case None:
            return ScopedValue.create_variable_value(None)
    return ScopedValue(ValueType.UnsupportedValue, "", text(node))


def expression(value: ScopedValue, before: ast.AST | None = None) -> ast.expr:
    """Return the syntax of a value; what cannot be said stays as it was.

    Args:
        value: the value.
        before: the syntax in whose place it comes.

    Raises:
        TypeError: for an object that has no syntax.
    """
    kind, elements = value.type, value.value
    if kind is ValueType.UnsupportedValue:
        return before if isinstance(before, ast.expr) else ast.Name(value.value, ast.Load())
    if kind is ValueType.ConstantValue:
        return ast.Constant(elements)
    if kind is ValueType.NamingValue:
        context = getattr(before, "ctx", ast.Load())
        if not value.scope:
            return ast.Name(elements, context)
        return ast.Attribute(_parse_dotted(value.scope), elements, context)
    if kind in (ValueType.TupleValue, ValueType.ListValue):
        had: list = getattr(before, "elts", [])
        made = [_element(item, *had[i : i + 1]) for i, item in enumerate(elements)]
        return (ast.Tuple if kind is ValueType.TupleValue else ast.List)(made, ast.Load())
    if kind is ValueType.DictValue:
        return ast.Dict(
            [expression(key) for key in elements], [expression(item) for item in elements.values()]
        )
    raise TypeError(f"`rewrite`: an object cannot be written as source. Received: {value}.")


def _element(value: ScopedValue, before: ast.AST | None = None) -> ast.expr:
    """Return an element of a tuple that was read: names are kept in it as text."""
    same = isinstance(before, ast.Name | ast.Attribute) and value.value == text(before)
    return before if same else expression(value, before)  # type: ignore[return-value]


def _parse_dotted(name: str) -> ast.expr:
    return ast.parse(name, mode="eval").body


def leaves(target: ast.AST) -> Iterator[ast.AST]:
    """Yield the targets of an assignment, in nested tuples and lists."""
    if isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from leaves(each)
    else:
        yield target


def call(
    targets: list[ScopedValue], function: ScopedValue, args: list[ScopedValue], kwargs: dict[str, ScopedValue]
) -> ast.Assign:
    """`targets = function(*args, **kwargs)`.

    Raises:
        RuntimeError: if a target, or the function, is no name.
        ValueError: if there is no target.
    """
    for each in [*targets, function]:
        if each.type is not ValueType.NamingValue:
            raise RuntimeError(f"`rewrite`: targets and functions must be names. Received: {each}.")
    if not targets:
        raise ValueError(f"`rewrite`: argument `targets` of a call of {function} must not be empty.")
    stored = [expression(target, ast.Name("_", ast.Store())) for target in targets]
    called = ast.Call(
        expression(function),
        [expression(arg) for arg in args],
        [ast.keyword(key, expression(value)) for key, value in kwargs.items()],
    )
    return ast.fix_missing_locations(
        ast.Assign([stored[0] if len(stored) == 1 else ast.Tuple(stored, ast.Store())], called)
    )


def writable(elements: Iterable[ast.AST | None]) -> bool:
    """Return True if nodes can hold all elements of a tuple or dict."""
    return all(isinstance(each, _ELEMENTS) for each in elements)


def names_in(node: ast.AST) -> set[str]:
    """All names that a piece of source mentions."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


def rename(node: ast.AST, names: dict[str, str]) -> None:
    """Rename variables and classes, in place."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            each.id = names.get(each.id, each.id)
        elif isinstance(each, ast.ClassDef):
            each.name = names.get(each.name, each.name)
