"""Notebooks as programs: run the cells in order, and compare or store what they print.

python tests/notebooks.py NOTEBOOK ...    stores what the cells print now, after a change of the text
"""

import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def run(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Run the cells; yields each with what it prints, the value of its last expression included."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        tree = ast.parse(source, f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"cell {number}", "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
                if value is not None:
                    print(repr(value))
        yield cell, printed.getvalue()


def stored(cell: dict[str, Any]) -> str:
    """Return what a cell printed when it was stored."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def main() -> None:
    """Store what the cells of notebooks print."""
    for path in map(Path, sys.argv[1:]):
        notebook = json.loads(path.read_text("utf8"))
        for count, (cell, text) in enumerate(run(notebook), start=1):
            cell["execution_count"] = count
            lines = text.splitlines(keepends=True)
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf8")


if __name__ == "__main__":
    main()
