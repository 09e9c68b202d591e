"""What importing msjax costs, and which way its imports go."""

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import msjax.names.import_hook
from msjax.names import stubs

PACKAGE = Path(msjax.names.import_hook.__file__).parent
FILES = sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])

# From the engine up: a module imports from its own layer and from those before it.
LAYERS = (
    {"version", "api", "paths", "placeholders", "lazy", "class_paths"},
    {"core"},
    {"ops"},
    {"numpy", "scipy", "optim_rules"},
    {
        "common",
        "graph",
        "nn",
        "_checkparam",
        "_extends",
        "_c_expression",
        "log",
        "hal",
        "runtime",
        "device_context",
        "device_manager",
    },
    {
        "mint",
        "experimental",
        "amp",
        "train",
        "dataset",
        "communication",
        "parallel",
        "boost",
        "rewrite",
        "mindrecord",
        "multiprocessing",
        "profiler",
        "tools",
        "utils",
    },
    {"torch", "interop", "onnx", "alias"},
    {"launch", "program_cache", "status", "check", "cli", "__main__"},
)
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}

# Tensor(init="normal") and export(file_format="ONNX"), inside of functions.
UPWARDS = {
    ("core/tensor/construction.py", "msjax.common.initializer"),
    ("train/_mindir.py", "msjax.onnx.exporting"),
}
INNER_NAMES = {
    "ops/auto_generate.pyi",
    "ops/collectives.pyi",
    "ops/communication.pyi",
    "ops/functional_overload.pyi",
    "ops/generated/classes.py",
}  # MindSpore's other names for what mint and communication have


def imports(path):
    """The msjax modules that a file imports, at its top or inside functions: (line, full name)."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the full name"
            # `from msjax import core` imports msjax.core; whether a name is a module decides, as in Python.
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield node.lineno, name if exists(name) else node.module


def exists(name):
    place = PACKAGE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or place.is_dir()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(path):
    """No module imports the root, which holds names only, or a higher layer."""
    top = path.relative_to(PACKAGE).parts[0].partition(".")[0]
    if top == "__init__":
        return
    assert top in LAYER_OF, f"msjax/{top} has no place in LAYERS of this test"
    for line, name in imports(path):
        if top == "nn" and path.suffix == ".pyi" and name.startswith("msjax.train.metrics"):
            continue  # MindSpore names metrics in nn too; the names of a stub are loaded when they are asked for
        if name.partition(".")[0] != "msjax" or (path.relative_to(PACKAGE).as_posix(), name) in UPWARDS:
            continue
        if path.relative_to(PACKAGE).as_posix() in INNER_NAMES and f"{name}.".startswith(
            ("msjax.mint.", "msjax.communication.")
        ):
            continue
        below = name.split(".")[1:]
        assert below, f"{path}:{line} imports the root of the package"
        assert LAYER_OF[below[0]] <= LAYER_OF[top], (
            f"{path}:{line}: {top} imports {name}, which stands above it"
        )


STUBS = sorted(PACKAGE.rglob("*.pyi"))


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_name_of_a_stub_can_be_loaded(path):
    """And none is called as a module beside it, which would take its place once that is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = ".".join(part for part in parts if part != "__init__")
    for name, (source, original) in stubs.names(module).items():
        found = getattr(importlib.import_module(module), name)
        if source == module:
            assert found is importlib.import_module(f"{module}.{original}")
        else:
            assert found is getattr(importlib.import_module(source), original)
            assert path.stem != "__init__" or not exists(f"{module}.{name}"), (
                f"{module}.{name} is a module too"
            )


IMPORT = """
import json, sys
import jax.numpy, optax
before = set(sys.modules)
import msjax
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_importing_msjax_loads_nothing_heavy_and_starts_no_backend():
    environment = {**os.environ, "JAX_PLATFORMS": "no_such_platform"}  # starting a backend raises
    process = subprocess.run(
        [sys.executable, "-c", IMPORT], env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    loaded = {name.partition(".")[0] for name in json.loads(process.stdout)}
    assert not loaded & {"torch", "mindspore", "matplotlib", "sklearn", "pandas", "malt", "click", "PIL"}
