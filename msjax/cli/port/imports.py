"""The imports: PyTorch's go, MindSpore's come in the place of the first."""

from collections.abc import Iterable, Mapping
from typing import Any

import libcst as cst

from msjax.cli.port import mapping
from msjax.cli.port.facts import PACKAGES, dotted
from msjax.cli.port.patterns import code

_COMPOUND = (cst.FunctionDef, cst.ClassDef, cst.For, cst.While, cst.With)


class ImportRewriter(cst.CSTTransformer):
    """Replaces the imports of a module.

    Args:
        needed: the names that the rewritten program uses: "nn", "ops".
        used: the names of PyTorch's imports that are still used.
        more: definitions that it needs, after the imports.
        aliases: other names for what the program's own names would hide.
    """

    def __init__(
        self, needed: Iterable[str], used: set[str], more: str = "", aliases: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.needed = [name for name in mapping.imports() if name in set(needed)]
        self.aliases = aliases or {}
        self.used = used - {name for name in self.needed if name not in self.aliases}
        self.more = more
        self._placed = False
        self._depth = 0

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._depth += 1

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        self._depth -= 1
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ):
        if not any(_is_torch_import(s) for s in original_node.body):
            return updated_node
        kept = [new for s in original_node.body for new in self._kept(s)]
        ours = []
        if not self._placed and not self._depth:
            self._placed = True
            ours = self._ours()
        lines = updated_node.leading_lines
        others = [new for each in kept if (new := _of_packages(each, False)) is not None]
        theirs = [new for each in kept if (new := _of_packages(each, True)) is not None]
        plain = updated_node.with_changes(leading_lines=[])
        # Only PyTorch may be missing: `import numpy as np, torch` without it must bring NumPy.
        stays = [plain.with_changes(body=others)] if others else []
        stays += [_if_there(plain.with_changes(body=theirs))] if theirs else []
        found = [*ours, *stays]
        if not found:
            return cst.RemoveFromParent()
        return cst.FlattenSentinel([found[0].with_changes(leading_lines=lines), *found[1:]])

    def _ours(self) -> list[cst.BaseStatement]:
        """Return the imports, those from one module in one line."""
        found: dict[str, list[str]] = {}
        for needed in self.needed:
            module, _, name = mapping.imports()[needed].partition(" import ")
            if needed in self.aliases:
                plain = module.partition(" as ")[0]
                module = plain if self.aliases[needed] == "mindspore" else module if name else plain
                name = f"{name} as {self.aliases[needed]}" if name else name
            found.setdefault(module, []).append(name)
        return [
            cst.parse_statement(f"{module} import {', '.join(sorted(names))}" if names[0] else module)
            for module, names in found.items()
        ]

    def _kept(self, node: cst.BaseSmallStatement) -> list[cst.BaseSmallStatement]:
        """Return the parts of an import that are still used."""
        if not _is_torch_import(node):
            return [node]
        if isinstance(node, cst.Import):
            kept = [
                a
                for a in node.names
                if not _is_of_packages(a)
                or (a.evaluated_alias or dotted(a.name).partition(".")[0]) in self.used
            ]
        else:
            assert isinstance(node, cst.ImportFrom)
            if isinstance(node.names, cst.ImportStar):
                return [node]
            kept = [a for a in node.names if (a.evaluated_alias or dotted(a.name)) in self.used]
        if not kept:
            return []
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return [node.with_changes(names=kept)]

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body: list[Any] = list(updated_node.body)
        if self.needed and not self._placed:
            at = 1 if body and _is_docstring(body[0]) else 0
            body[at:at] = self._ours()
        if self.more:
            last = _last_import(body)
            first, *others = cst.parse_module(self.more.lstrip("\n")).body
            blank = [cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
            added = [first.with_changes(leading_lines=blank), *others]
            if last + 1 < len(body):
                following = body[last + 1]
                spaces = [line for line in following.leading_lines if line.comment is None]
                more = blank[min(len(spaces), 2) :]
                body[last + 1] = following.with_changes(leading_lines=[*more, *following.leading_lines])
            body[last + 1 : last + 1] = added
        return updated_node.with_changes(body=body)


def _last_import(body: list[Any]) -> int:
    """Return the place of the last import at the head of a program, after which definitions stand; -1 if there is none.

    Imports further down come too late for what is used above them; but ours, if those are the first, are needed.
    """
    begins = next((i for i, s in enumerate(body) if isinstance(s, _COMPOUND)), len(body))
    ours = next((i for i, s in enumerate(body) if _is_import(s) and "mindspore" in code(s)), -1)
    return max([i for i, s in enumerate(body[:begins]) if _is_import(s)] + [ours], default=-1)


def _if_there(node: cst.SimpleStatementLine) -> cst.BaseStatement:
    """An import of what is left of PyTorch: without PyTorch, the program fails where it uses that, not before."""
    new = cst.ensure_type(
        cst.parse_statement("try:\n    pass\nexcept ImportError:  # what is left of PyTorch\n    pass\n"),
        cst.Try,
    )
    return new.with_changes(body=cst.IndentedBlock([node]))


def _is_of_packages(alias: cst.ImportAlias) -> bool:
    return dotted(alias.name).partition(".")[0] in PACKAGES


def _of_packages(node: cst.BaseSmallStatement, theirs: bool) -> cst.BaseSmallStatement | None:
    """Return the part of a statement that imports PyTorch, or the part that does not; None if there is none."""
    alone = node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    if not isinstance(alone, cst.Import):
        return alone if _is_torch_import(node) == theirs else None
    names = [a for a in alone.names if _is_of_packages(a) == theirs]
    if names:
        names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return alone.with_changes(names=names) if names else None


def _is_docstring(node: cst.BaseStatement) -> bool:
    return (
        isinstance(node, cst.SimpleStatementLine)
        and isinstance(node.body[0], cst.Expr)
        and isinstance(node.body[0].value, cst.SimpleString)
    )


def _is_import(node: cst.BaseStatement) -> bool:
    if isinstance(node, cst.Try) and isinstance(node.body, cst.IndentedBlock):
        return all(map(_is_import, node.body.body))
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _is_torch_import(node: cst.BaseSmallStatement) -> bool:
    if isinstance(node, cst.Import):
        return any(map(_is_of_packages, node.names))
    if isinstance(node, cst.ImportFrom) and node.module is not None and not node.relative:
        return dotted(node.module).partition(".")[0] in PACKAGES
    return False
