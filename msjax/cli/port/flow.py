"""Data flow of statements: the names that they read, bind and change."""

import ast
import textwrap
from collections.abc import Callable, Sequence

import libcst as cst

from msjax.cli.port.patterns import code

Statement = cst.BaseStatement


def parsed(node: cst.CSTNode) -> list[ast.stmt]:
    """Return statements, or an expression, as `ast` has them."""
    text = code(node)
    if isinstance(node, cst.BaseStatement | cst.BaseSmallStatement):
        return ast.parse(textwrap.dedent(text.lstrip("\n"))).body
    return ast.parse(f"({text})").body


def reads_and_writes(node: cst.CSTNode) -> tuple[set[str], set[str], set[str]]:
    """Return the names that a statement reads first, those that it binds, and those whose value it changes.

    Examples:
        >>> import libcst as cst
        >>> from msjax.cli.port import flow
        >>> [sorted(names) for names in flow.reads_and_writes(cst.parse_statement("a.b, c = f(d)"))]
        [['a', 'd', 'f'], ['c'], ['a']]
    """
    body = parsed(node)
    reads, writes = flow(body)
    return reads, writes, _changed(body)


_GROW = ("append", "extend", "insert", "update", "add", "register_hook")


_DETACHED = ("detach", "item", "tolist", "numpy")


def with_gradient(node: cst.CSTNode) -> set[str]:
    """Return the names that a statement reads otherwise than in `x.detach()`."""
    found: set[str] = set()
    todo: list[ast.AST] = list(parsed(node))
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _DETACHED:
            continue
        if isinstance(n, ast.Name):
            found.add(n.id)
        todo += ast.iter_child_nodes(n)
    return found


def _changed(body: list[ast.stmt]) -> set[str]:
    found = set()
    for n in (n for s in body for n in ast.walk(s)):
        base: ast.AST | None = None
        if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store):
            base = n
        elif isinstance(n, ast.AugAssign):
            base = n.target
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
            base = n.func.value if n.func.attr in _GROW or n.func.attr.endswith("_") else None
        while isinstance(base, ast.Subscript | ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name):
            found.add(base.id)
    return found


def flow(body: Sequence[ast.stmt]) -> tuple[set[str], set[str]]:
    """Return the names that statements read before they bind them, and those that they bind."""
    reads: set[str] = set()
    writes: set[str] = set()
    for s in body:
        heads: list[ast.AST] = []
        bound: set[str] = set()
        inner: list[tuple[set[str], set[str]]] = []
        if isinstance(s, ast.For | ast.AsyncFor):
            heads, bound = [s.iter], _names(s.target, ast.Store)
            inner = [flow([*s.body, *s.orelse])]
        elif isinstance(s, ast.While | ast.If):
            heads = [s.test]
            inner = [flow(s.body), flow(s.orelse)]
        elif isinstance(s, ast.With | ast.AsyncWith):
            heads = [item.context_expr for item in s.items]
            bound = set().union(
                *[_names(item.optional_vars, ast.Store) for item in s.items if item.optional_vars]
            )
            inner = [flow(s.body)]
        elif isinstance(s, ast.Try):
            inner = [flow(s.body), *[flow(h.body) for h in s.handlers], flow([*s.orelse, *s.finalbody])]
        elif isinstance(s, ast.FunctionDef | ast.ClassDef):
            own = {
                a.arg for n in ast.walk(s) if isinstance(n, ast.arguments) for a in [*n.args, *n.kwonlyargs]
            }
            inner_reads, inner_writes = flow(s.body)
            reads |= inner_reads - own - inner_writes - writes
            writes.add(s.name)
            continue
        else:
            heads = [s]
            bound = _names(s, ast.Store)
            if isinstance(s, ast.AugAssign):
                reads |= _names(s.target, ast.Store) - writes
        for head in heads:
            reads |= _names(head, ast.Load) - writes
        for inside_reads, inside_writes in inner:
            reads |= inside_reads - writes - bound
            bound = bound | inside_writes
        writes |= bound
    return reads, writes


def _names(node: ast.AST, context: type) -> set[str]:
    own = {
        n.id
        for c in ast.walk(node)
        if isinstance(c, ast.comprehension)
        for n in ast.walk(c.target)
        if isinstance(n, ast.Name)
    } | {a.arg for c in ast.walk(node) if isinstance(c, ast.Lambda) for a in c.args.args}
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
    return found - own


def of_block(statements: Sequence[cst.CSTNode]) -> tuple[set[str], set[str]]:
    """Return the names that statements read before they bind them, and those that they bind."""
    return flow([s for statement in statements for s in parsed(statement)])


def only_call(statement: cst.CSTNode) -> cst.Call | None:
    """Return the call that a statement consists of."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        expr = statement.body[0]
        if isinstance(expr, cst.Expr) and isinstance(expr.value, cst.Call):
            return expr.value
    return None


def assigned_value(statement: cst.CSTNode) -> cst.BaseExpression | None:
    """Return what a statement assigns."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        assign = statement.body[0]
        if isinstance(assign, cst.Assign):
            return assign.value
    return None


Stop = Callable[[cst.BaseExpression], str]


class Detach(cst.CSTTransformer):
    """Blocks of `no_grad` become their statements, and what they bind gets no gradient.

    Args:
        quiet: the blocks.
        stop: returns the function that stops the gradients of an expression.
    """

    def __init__(self, quiet: set[cst.CSTNode], stop: Stop) -> None:
        super().__init__()
        self.quiet = quiet
        self.stop = stop

    def leave_With(self, original_node: cst.With, updated_node: cst.With):
        if original_node not in self.quiet:
            return updated_node
        first, *rest = updated_node.body.body
        lines = [*updated_node.leading_lines, *getattr(first, "leading_lines", ())]
        return cst.FlattenSentinel(
            [first.with_changes(leading_lines=lines), *rest, *detaching(updated_node, self.stop)]
        )

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        return detached_return(updated_node, self.stop)


def detaching(node: Statement, stop: Stop) -> list[Statement]:
    """Return the statements after which nothing that a block binds has a gradient."""
    names = sorted(flow(parsed(node))[1])
    return [cst.parse_statement(f"{name} = {stop(cst.Name(name))}({name})") for name in names]


def detached_return(node: cst.Return, stop: Stop) -> cst.Return:
    """`return a, b` as `return stop_gradient(a), stop_gradient(b)`."""
    value = node.value
    if value is None or isinstance(value, cst.Dict | cst.List) or code(value) == "None":
        return node
    if isinstance(value, cst.Tuple):
        parts = [
            e.with_changes(value=cst.parse_expression(f"{stop(e.value)}({code(e.value)})"))
            for e in value.elements
        ]
        return node.with_changes(value=value.with_changes(elements=parts))
    return node.with_changes(
        value=cst.parse_expression(f"{stop(value)}({code(value)})"),
        whitespace_after_return=cst.SimpleWhitespace(" "),
    )


def flattened(node: Statement | cst.FlattenSentinel) -> list[Statement]:
    """Return the statements that one became."""
    return list(node) if isinstance(node, cst.FlattenSentinel) else [node]
