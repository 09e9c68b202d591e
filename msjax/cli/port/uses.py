"""Base class of the rewriting of PyTorch's names and calls: the decision about each, and marks on those that are left."""

import libcst as cst
from libcst import matchers

from msjax.cli.port import definitions, mapping
from msjax.cli.port.facts import (
    Facts,
)
from msjax.cli.port.mapping import Api, Row
from msjax.cli.port.patterns import (
    code,
    fill,
    first_names,
)
from msjax.cli.port.report import DIFFERS, DONE, LEFT, PAGE, Report


class UseRewriter(cst.CSTTransformer):
    """Notes what becomes of each use.

    Args:
        api: the style.
        facts: what is known about the program, with its metadata.
        report: where decisions go.
        lines: the line in the input, of nodes that are the input's own.
        on_the_way: the functions that are called on the way to a loss.
    """

    def __init__(
        self, api: Api, facts: Facts, report: Report, lines: dict[cst.CSTNode, int], on_the_way: set[str]
    ) -> None:
        super().__init__()
        self.api: Api = api
        self.on_the_way = on_the_way | facts.called_by_modules
        self.facts = facts
        self.report = report
        self.lines = lines
        self.needed: set[str] = set()
        self.left: set[str] = set()  # names in what is left as it was
        self._called: set[cst.CSTNode] = set()
        self._alone: set[cst.CSTNode] = set()  # expressions that are statements
        self._handled: set[cst.CSTNode] = (
            set()
        )  # items of `with` and decorators, which their statement deals with
        self._as_parameters: set[cst.CSTNode] = set()  # what becomes the data of a parameter
        self._marks: list[list[str]] = []
        self._classes: list[str] = []
        self._making = 0  # how many calls around here make modules
        self._functions: list[str] = []
        self._refined: list[dict[str, str]] = []

    def _in_module(self) -> bool:
        """True in a class of a module."""
        return bool(self._classes) and self._classes[-1] in self.facts.module_classes

    def _line(self, node: cst.CSTNode) -> int:
        return self.lines.get(node, 0)

    def _done(self, node: cst.CSTNode, name: str, note: str, differs: str = "") -> None:
        self.report.add(self._line(node), name, DIFFERS if differs else DONE, differs or note)

    def _leave(self, node: cst.CSTNode, name: str, reason: str) -> None:
        self.report.add(self._line(node), name, LEFT, reason)
        if self._marks:
            mark = f"# port: {name}: {reason}; see {PAGE}"
            if mark not in self._marks[-1]:
                self._marks[-1].append(mark)
        # The arguments of a call have decisions of their own.
        left = node.func if isinstance(node, cst.Call) else node
        self.left |= {cst.ensure_type(n, cst.Name).value for n in matchers.findall(left, matchers.Name())}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            self._marks.append([])
        return super().on_visit(node)

    def on_leave(self, original_node, updated_node):  # type: ignore[override]
        found = super().on_leave(original_node, updated_node)
        if isinstance(original_node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            marks = self._marks.pop()
            if marks and isinstance(found, cst.BaseCompoundStatement | cst.SimpleStatementLine):
                lines = [cst.EmptyLine(comment=cst.Comment(m)) for m in marks]
                found = found.with_changes(leading_lines=[*found.leading_lines, *lines])
        return found

    def _take(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Note which imports an expression of ours needs."""
        names = {alias: name for name, alias in self.facts.aliases.items()}
        found = {names.get(name, name) for name in first_names(code(node))}
        self.needed |= found & (set(mapping.imports()) | set(definitions.TEXTS))
        return node

    def _take_text(self, text: str) -> str:
        self.needed.add("ms")
        return self.facts.ours(text)

    def _targets(self, row: Row) -> list[str]:
        return [self.facts.ours(target) for target in row.targets[self.api]]

    def _filled(self, row: Row, given: dict[str, cst.BaseExpression]) -> cst.BaseExpression:
        if "requires_grad" in given and code(given["requires_grad"]) == "False" and "self" not in given:
            given = {k: v for k, v in given.items() if k != "requires_grad"}
        return fill(row, self._targets(row), given)
