"""Printing of a body's nodes as a table."""

import itertools
from collections.abc import Iterable

from msjax.rewrite.body import Body
from msjax.rewrite.node import Node

_HEADS = ("node type", "name", "codes", "arg providers", "target users")


def table(body: Body, title: str) -> str:
    """Type, name, code, where the arguments come from and who uses the results, of each node.

    Args:
        body: the nodes.
        title: stands above.
    """
    body.link()
    rows = [[str(cell) for cell in _row(node)] for node in body.nodes]
    return f"\n[{title}]\n{_align_columns([list(_HEADS), *rows])}\n"


def _row(node: Node) -> tuple:
    providers = [[i, (source.name, result)] for i, (source, result) in node.providers.items()]
    users = [[i, [(user.name, arg) for user, arg in all_]] for i, all_ in node.users.items()]
    return node.node_type, node.name, node.get_source_code(), providers, users


def _align_columns(rows: list[list[str]]) -> str:
    """Columns two spaces apart, with a line below the heads; a cell may have several lines."""
    cells = [[cell.split("\n") for cell in row] for row in rows]
    widths = [max(len(line) for cell in column for line in cell) for column in zip(*cells, strict=True)]
    lines = []
    for number, row in enumerate(cells):
        lines += [_line(part, widths) for part in itertools.zip_longest(*row, fillvalue="")]
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _line(cells: Iterable[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
