"""Example programs: the gallery in `examples/`, which `msjax demo` runs without a clone.

The wheel carries the programs in `msjax/examples` (pyproject.toml); beside a checkout they are in its own folder.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "examples", _PACKAGE.parent / "examples")
DEFAULT = "train_digits"


def find_examples() -> dict[str, Path]:
    """Return the example programs by name, in alphabetical order.

    Raises:
        FileNotFoundError: if the installation has none.

    Examples:
        >>> from msjax.cli import example_programs
        >>> "train_digits" in example_programs.find_examples()
        True
    """
    for folder in _FOLDERS:
        if (folder / f"{DEFAULT}.py").is_file():
            return {path.stem: path for path in sorted(folder.glob("*.py"))}
    raise FileNotFoundError("This installation of msjax has no example programs.")


def describe_example(path: Path) -> str:
    """Return the first line of a program's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def list_packages(path: Path) -> set[str]:
    """Return the top-level packages and modules that a program imports, wherever it does."""
    return {
        name.partition(".")[0]
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _list_imports(statement)
    }


def list_missing_packages(path: Path) -> list[str]:
    """Return the packages that a program imports and that are not installed, MindSpore aside."""
    return sorted(name for name in list_packages(path) - {"mindspore"} if find_spec(name) is None)


def _list_imports(statement: ast.AST) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    if isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
        return [statement.module]
    return []
