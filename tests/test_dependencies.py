"""Dependencies that pyproject.toml declares are those that are imported: none is missing, none comes along unused."""

import ast
import functools
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import msjax

ROOT = Path(__file__).parent.parent
PACKAGE = Path(msjax.__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]

# Distributions whose modules have other names, also where the distribution is not installed.
MODULES = {
    "diastatic-malt": "malt",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
    "tensorboardx": "tensorboardX",
}
# Declared although nothing here imports them.
INDIRECT = {
    "jaxlib": "jax's compiled half, whose version has to agree with jax's",
    "flatbuffers": "`jax.export` imports it to serialize programs, and jax does not declare it",
    "pytest-xdist": "a plugin: `pytest -n`",
}
# Imported in functions that say so in their documentation, and raise without them: programs that call those have them.
BROUGHT_BY_THE_USER = {
    "tensorflow": "mindrecord.TFRecordToMR reads TensorFlow's own files",
    "yaml": "ops_generate.safe_load_yaml is for programs that have PyYAML",
}
LATE = {"import_module", "importorskip"}  # functions that import what they are given the name of


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """(name of a top-level module, whether importing the file imports it) for the absolute imports of a file."""
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while waiting:
        node, at_once = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], at_once) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0], at_once
        elif (
            isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in LATE
        ):
            yield from ((a.value.partition(".")[0], False) for a in node.args if isinstance(a, ast.Constant))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        waiting += [(child, at_once and not inside) for child in ast.iter_child_nodes(node)]


def third_party(*folders: Path) -> dict[str, tuple[bool, str]]:
    """{module: (whether some file imports it at once, such a file, or one that imports it later)}."""
    found: dict[str, tuple[bool, str]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            for name, at_once in imports(path):
                if name not in sys.stdlib_module_names and name != "msjax":
                    found[name] = max(found.get(name, (False, "")), (at_once, str(path)))
    return found


def modules(requirements: list[str]) -> dict[str, str]:
    """{distribution: module it is imported as} for a list of requirements; the package's own extras are followed."""
    found: dict[str, str] = {}
    for requirement in map(Requirement, requirements):
        if requirement.name == PROJECT["name"]:
            for extra in requirement.extras:
                found |= modules(EXTRAS[extra])
        else:
            name = canonicalize_name(requirement.name)
            found[name] = MODULES.get(name, name.replace("-", "_"))
    return found


DECLARED = modules(PROJECT["dependencies"])
OPTIONAL = modules(EXTRAS["test"])


# Not while tests are collected, which every worker does: it reads the whole package.
@functools.cache
def imported() -> dict[str, tuple[bool, str]]:
    return third_party(PACKAGE)


def test_imported_is_declared() -> None:
    known = {*DECLARED.values(), *OPTIONAL.values(), *BROUGHT_BY_THE_USER}
    faults = [
        f"{where} imports {module}: add it to `dependencies`{'' if at_once else ' or to an extra'} in pyproject.toml"
        for module, (at_once, where) in imported().items()
        if module not in (DECLARED.values() if at_once else known)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("distribution", DECLARED)
def test_declared_is_imported(distribution: str) -> None:
    known = distribution in INDIRECT or DECLARED[distribution] in imported()
    assert known, f"nothing imports {distribution}: take it out of `dependencies` in pyproject.toml"


def test_extras_are_imported() -> None:
    used = imported() | third_party(*(ROOT / name for name in ("tests", "examples", "migration_examples")))
    unused = [name for name, module in OPTIONAL.items() if module not in used and name not in INDIRECT]
    assert not unused, f"nothing imports {unused}: take them out of the extras in pyproject.toml"


def test_reasons_are_needed() -> None:
    assert set(INDIRECT) <= {*DECLARED, *OPTIONAL}
    assert set(BROUGHT_BY_THE_USER) <= set(imported())


def test_modules_are_those_of_the_distributions() -> None:
    """Return the import names that installed distributions declare."""
    installed = metadata.packages_distributions()
    for distribution, module in {**DECLARED, **OPTIONAL}.items():
        owners = {canonicalize_name(name) for name in installed.get(module, ())}
        assert not owners or distribution in owners, f"{module} comes with {owners}, not with {distribution}"


def test_the_citation_names_this_version():
    from msjax.version import __msjax_version__

    assert f"\nversion: {__msjax_version__}\n" in (ROOT / "CITATION.cff").read_text("utf8")
