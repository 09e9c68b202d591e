"""Splitting of lines: `loss.backward(); opt.step()` becomes two, so that each statement can be rewritten."""

import re
from collections.abc import Mapping
from typing import Any

import libcst as cst
from libcst import metadata

from msjax.cli.port.patterns import code

_KEEPS = re.compile(r"^\s*self\.[\w.]+ = .*\(")  # `def forward(self): self.out = self.net(self.input)`
_QUIET = re.compile(r"\b(no_grad|enable_grad|set_grad_enabled|inference_mode|autocast)\(")  # contexts that go
_ALONE = re.compile(r"\.(backward|step|zero_grad|[a-z]\w*_)\(|\.(data|grad)\b")  # `if last: optimizer.step()`
_STATEMENTS = re.compile(
    r"\.(backward|step|zero_grad|append|\w+_)\(|\btorch\.backends\.|\.(data|grad|requires_grad)\b|\[[\"'](initial_)?lr[\"']\]"
)


def split_statements(tree: cst.Module) -> tuple[cst.Module, list[int]]:
    r"""Take lines of several statements apart.

    Args:
        tree: a program.

    Returns:
        The program, and for each of its lines, from 0, the line of the input, from 1.

    Examples:
        >>> import libcst as cst
        >>> from msjax.cli.port import lines
        >>> tree, numbers = lines.split_statements(cst.parse_module("if x: a.step(); b()\nc(); d()\n"))
        >>> tree.code.splitlines(), numbers
        (['if x:', '    a.step()', '    b()', 'c(); d()'], [1, 1, 1, 2, 3])
    """
    wrapper = metadata.MetadataWrapper(tree, unsafe_skip_copy=True)
    splitter = _Splitter(wrapper.resolve(metadata.PositionProvider))
    changed = tree.visit(splitter)
    numbers: list[int] = []
    for line in range(1, tree.code.count("\n") + 2):
        numbers += [line] * (1 + splitter.more.get(line, 0))
    return changed, numbers


class _Splitter(cst.CSTTransformer):
    """Takes lines apart.

    Attributes:
        more: how many lines come after a line of the input.
    """

    def __init__(self, places: Mapping[cst.CSTNode, Any]) -> None:
        super().__init__()
        self.places = places
        self.more: dict[int, int] = {}
        self._quiet: set[cst.CSTNode] = set()  # of `with torch.no_grad(): ...` in one line, what is in it

    def _note(self, node: cst.CSTNode, count: int) -> None:
        line = self.places[node].end.line
        self.more[line] = self.more.get(line, 0) + count

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        first, *others = updated_node.body
        if not others or not _is_rewritten(original_node):
            return updated_node
        self._note(original_node, len(others))
        return cst.FlattenSentinel(
            [
                updated_node.with_changes(body=[_alone(first)], trailing_whitespace=cst.TrailingWhitespace()),
                *(cst.SimpleStatementLine([_alone(each)]) for each in others[:-1]),
                cst.SimpleStatementLine(
                    [_alone(others[-1])], trailing_whitespace=updated_node.trailing_whitespace
                ),
            ]
        )

    def visit_With(self, node: cst.With) -> None:
        if any(_QUIET.search(code(item)) for item in node.items):
            self._quiet.add(node.body)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        keeps = len(updated_node.body) == 1 and _KEEPS.search(code(original_node))
        keeps = keeps or original_node in self._quiet
        keeps = keeps or (len(updated_node.body) > 1 and _is_rewritten(original_node))
        if not keeps and not _ALONE.search(code(original_node)):
            return updated_node
        self._note(original_node, len(updated_node.body))
        return cst.IndentedBlock([cst.SimpleStatementLine([_alone(each)]) for each in updated_node.body])


def _is_rewritten(line: cst.CSTNode) -> bool:
    """Return True if a line may hold a step of training or a change in place, which are rewritten as statements."""
    return bool(_STATEMENTS.search(code(line)))


def _alone(statement: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
    return statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
