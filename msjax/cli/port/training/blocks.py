"""Blocks of statements: those of a function, those inside of a statement, and what is known of a function at hand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.flow import Statement, reads_and_writes
from msjax.cli.port.patterns import code

Loop = cst.For | cst.While


@dataclass
class Scope:
    """A function, or the module, whose statements are being rewritten.

    Attributes:
        function: the node, as it is in the input.
        taken: its names.
        simple: each step uses the gradients of its own block alone.
        loops: the loops around the statement at hand, the outermost first.
        before: of a loop, by its identity, the statements that go in front of it.
        weights: the parameters that its gradients are for, as an expression.
        together: the optimizers that share the gradients of one loss.
        by_name: the Tensors whose `.grad` it reads.
    """

    function: cst.FunctionDef | cst.Module
    taken: set[str]
    simple: bool
    loops: list[Loop] = field(default_factory=list)
    before: dict[int, list[Statement]] = field(default_factory=dict)
    weights: str = ""
    together: list[str] = field(default_factory=list)
    by_name: list[str] = field(default_factory=list)


@dataclass
class Backward:
    """One `backward()` in a block.

    Attributes:
        at: its place in the block.
        loss: what it is called of.
        scaler: the name of the `GradScaler`, or "".
        way: the places of the statements that lead to the loss.
        since: the place of the `backward()` before it, or -1.
        condition: under which it stands, while the way to the loss is computed either way.
    """

    at: int
    loss: cst.BaseExpression
    scaler: str = ""
    way: list[int] = field(default_factory=list)
    since: int = -1
    condition: str = ""


def own_statements(function: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the statements of a function, or of a module, without the definitions among them."""
    body = function.body if isinstance(function, cst.Module) else function.body.body  # type: ignore[attr-defined]
    return [s for s in body if not isinstance(s, cst.FunctionDef | cst.ClassDef)]


def blocks_of(function: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    """All blocks of a function, or of a module, without those of functions inside."""
    found: list[Sequence[cst.CSTNode]] = []
    todo: list[Sequence[cst.CSTNode]] = [own_statements(function)]
    while todo:
        found.append(todo.pop())
        todo += [inner for statement in found[-1] for inner in bodies_of(statement)]
    return found


def bodies_of(statement: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    """Return the blocks of a statement that belong to the same function."""
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        return []
    found = []
    for part in ("body", "orelse", "finalbody"):
        value = getattr(statement, part, None)
        if isinstance(value, cst.IndentedBlock):
            found.append(value.body)
        elif isinstance(value, cst.Else | cst.Finally) and isinstance(value.body, cst.IndentedBlock):
            found.append(value.body.body)
        elif isinstance(value, cst.If):
            found.append([value])
    return found


def reads_outside(function: cst.CSTNode, block: set[int]) -> set[str]:
    """Return the names that a function reads in statements that are not in a block, nor around it."""
    found: set[str] = set()

    def walk(statements: Sequence[cst.CSTNode]) -> None:
        for statement in statements:
            if id(statement) in block:
                continue
            bodies = bodies_of(statement)
            if not bodies:
                found.update(reads_and_writes(statement)[0])
                continue
            for part in ("test", "iter"):
                value = getattr(statement, part, None)
                if value is not None:
                    found.update(reads_and_writes(value)[0])
            for body in bodies:
                walk(body)

    walk(own_statements(function))
    return found


def assigned_in(loop: Loop) -> set[str]:
    """All names that a loop binds or changes."""
    _, writes, _ = reads_and_writes(loop)
    return writes


def binds_any(loop: Loop, text: str) -> bool:
    """True if a loop binds a name or an attribute that an expression reads: the optimizer of `optimizer.parameters`."""
    bound = set(assigned_in(loop))
    for target in m.findall(loop, m.AssignTarget()):
        bound.add(code(cst.ensure_type(target, cst.AssignTarget).target))
    return any(re.search(rf"(?<![\w.]){re.escape(name)}\b", text) for name in bound)


def first_place(statements: Sequence[cst.CSTNode], name: str) -> int:
    """Return where a name stands first in the text of statements."""
    text = "\n".join(code(s) for s in statements)
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return found.start() if found else 0


def surely_bound(statements: Sequence[cst.CSTNode]) -> set[str]:
    """Return the names that statements bind whatever the conditions among them say; loops are taken to run."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, cst.If):
            found |= _bound_by_if(statement)
        elif isinstance(statement, cst.FunctionDef | cst.ClassDef):
            found.add(statement.name.value)
        elif bodies_of(statement):
            heads = [
                getattr(statement, "target", None),
                *(item.asname for item in getattr(statement, "items", ())),
            ]
            names = [n for head in heads if head is not None for n in m.findall(head, m.Name())]
            found |= {cst.ensure_type(name, cst.Name).value for name in names}
            found |= surely_bound(bodies_of(statement)[0])
        else:
            found |= reads_and_writes(statement)[1]
    return found


def _bound_by_if(statement: cst.If) -> set[str]:
    """Return the names that every branch binds; a branch that raises or leaves binds what the others do."""
    branches: list[set[str]] = []
    orelse: cst.If | cst.Else | None = statement
    while isinstance(orelse, cst.If):
        branches += _bound_by_branch(orelse.body)
        orelse = orelse.orelse
    if orelse is None:
        return set()
    branches += _bound_by_branch(orelse.body)
    return set.intersection(*branches) if branches else set()


def _bound_by_branch(body: cst.BaseSuite) -> list[set[str]]:
    last = body.body[-1]
    leaves = m.SimpleStatementLine(body=[m.ZeroOrMore(), m.Raise() | m.Return() | m.Continue() | m.Break()])
    return [] if m.matches(last, leaves) else [surely_bound(body.body)]


def is_pure(node: cst.BaseExpression) -> bool:
    """True for a condition that may be computed twice."""
    return not m.findall(node, m.Call() | m.NamedExpr() | m.Await())
