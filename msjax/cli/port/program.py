"""One program, from PyTorch's API to MindSpore's: the passes in their order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst
from libcst import metadata

from msjax.cli.port import definitions, mapping, project
from msjax.cli.port.by_name import write_names_out
from msjax.cli.port.facts import Facts
from msjax.cli.port.imports import ImportRewriter
from msjax.cli.port.in_place import InPlaceRewriter
from msjax.cli.port.lines import split_statements
from msjax.cli.port.mapping import Api
from msjax.cli.port.project import Project
from msjax.cli.port.report import LEFT, Report
from msjax.cli.port.statements import StatementRewriter
from msjax.cli.port.training.loop import LoopRewriter


@dataclass(frozen=True)
class Ported:
    """A program after it was rewritten.

    Attributes:
        text: the source.
        report: the decisions.
    """

    text: str
    report: Report


def port_source(
    source: str,
    api: Api = "mindspore",
    whole: Project | None = None,
    taken: frozenset[str] = frozenset(),
    keeps: bool = False,
) -> Ported:
    r"""Rewrite a program.

    Args:
        source: the program.
        api: "mindspore" for functions and Cells, "mint" for the names closest to PyTorch's.
        whole: what is known of the other files that belong to it.
        taken: names that stay PyTorch's, so that imports of MindSpore's get others.
        keeps: True for gradients that parameters keep, where others cannot be had.

    Raises:
        libcst.ParserSyntaxError: if it is no Python.

    Examples:
        >>> from msjax.cli.port import program
        >>> print(program.port_source("from torch import nn\nnet = nn.Linear(3, 4, bias=False)").text)
        from mindspore import nn
        net = nn.Dense(3, 4, has_bias=False)
    """
    whole = whole if whole is not None else project.read([source])
    report = Report()
    tree, numbers = split_statements(write_names_out(cst.parse_module(source)))
    tree = _without_changes_in_place(tree, api, whole, report, taken)
    wrapper = metadata.MetadataWrapper(tree, unsafe_skip_copy=True)
    lines = {node: place.start.line for node, place in wrapper.resolve(metadata.PositionProvider).items()}
    facts = Facts(wrapper.resolve(metadata.QualifiedNameProvider), whole)
    tree.visit(facts)
    facts.bound |= taken
    facts.keeps |= keeps
    steps = LoopRewriter(facts, report, lines)
    changed = tree.visit(steps)
    # Nodes that the loop moved are the same; those around them are new, and so are the names in scope.
    again = metadata.MetadataWrapper(changed, unsafe_skip_copy=True)
    facts.names = again.resolve(metadata.QualifiedNameProvider)
    calls = StatementRewriter(api, facts, report, lines, steps.on_the_way)
    calls.needed |= steps.needed
    tree = changed.visit(calls)
    # What an optimizer gets are trainable parameters after all.
    unused = {
        name for name in ("parameters_of", "named_parameters_of") if not re.search(rf"\b{name}\(", tree.code)
    }
    calls.needed -= unused
    for name, others in definitions.USES.items():
        calls.needed |= set(others) if name in calls.needed else set()
    more = "".join(text for name, text in definitions.TEXTS.items() if name in calls.needed)
    both = calls.left & calls.needed & set(mapping.imports()) - facts.bound
    if both:  # what is left of `nn` is PyTorch's, and must not be looked for in MindSpore's
        return port_source(source, api, whole, taken | both, keeps)
    needed = set(calls.needed) | {
        name for name in mapping.imports() if re.search(rf"\b{name}(?:\.|, type\()", more)
    }
    imports = ImportRewriter(needed - facts.given, calls.left, facts.ours(more), facts.aliases)
    changed = tree.visit(imports)
    if not facts.keeps and any(each.name == "Tensor.backward" for each in report.of(LEFT)):
        kept = port_source(source, api, whole, taken, True)  # perhaps gradients that parameters keep do
        if len(kept.report.of(LEFT)) < len(report.of(LEFT)):
            return kept
    report.decisions = [replace(each, line=_line_of(each.line, numbers)) for each in report.decisions]
    return Ported(changed.code, report)


def _line_of(line: int, numbers: Sequence[int]) -> int:
    """Return the line of the input for one of the program whose statements have lines of their own; 0 is the whole file."""
    return numbers[min(line, len(numbers)) - 1] if line else 0


def _without_changes_in_place(
    tree: cst.Module, api: Api, whole: Project, report: Report, taken: frozenset[str]
) -> cst.Module:
    """Rewrite statements that change Tensors in place; each keeps its lines, so that lines stay those of the input."""
    wrapper = metadata.MetadataWrapper(tree, unsafe_skip_copy=True)
    lines = {node: place.start.line for node, place in wrapper.resolve(metadata.PositionProvider).items()}
    facts = Facts(wrapper.resolve(metadata.QualifiedNameProvider), whole)
    tree.visit(facts)
    facts.bound |= taken
    return tree.visit(InPlaceRewriter(api, facts, report, lines))
