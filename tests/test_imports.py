"""What importing msjax costs, and which way its imports go."""

import ast
import graphlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import msjax
from msjax.names import stubs

PACKAGE = Path(msjax.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))  # names of a stub, `.pyi`, are loaded when they are asked for

# From the engine up: a module imports from its own room and from those before it. A file of another room than its folder's
# stands here by its own name.
ROOMS = """
    version names/recorded_api names/module_paths names/placeholders names/stubs names/class_names names
    config
    core/dtype core/state core/ordered_trees core core/xla core/tape core/tensor core/op core/autograph core/trace
    core/control core/jit core/autodiff
    ops/common ops/math ops/array ops/reduction ops/linalg ops/signal ops/state ops/random ops/nn ops/image ops/names
    ops/sparse ops/optim ops/primitive_impl ops/primitives ops/tensor_methods ops
    numpy scipy optim_rules
    hal runtime device_context device_manager log common
    nn/cell nn/layers nn/convolution nn/inner nn/loss nn/learning_rate_schedule nn/dynamic_lr nn/optim nn/wrap nn/utils
    nn/probability nn
    _checkparam _extends _c_expression graph
    experimental communication mint ops/generated ops/auto_generate ops/functional_overload
    interop mindrecord onnx
    dataset/common dataset/config dataset/random dataset/pipeline dataset/transforms dataset/vision dataset/audio
    dataset/text dataset/transforms/operations dataset/sources dataset/public_sets dataset/dataloader dataset
    train amp parallel boost rewrite multiprocessing profiler tools utils
    torch/tensors torch/random torch/functions torch/linalg torch/functions/decompositions torch/autograd torch/nn
    torch/func torch/optim torch/distributions torch
    names/import_hook cli __main__
""".split()
ORDER = {room: number for number, room in enumerate(ROOMS)}

# To be ended in core: autograph calls operators of control, and Tensor(init="normal") an initializer.
UPWARDS = {
    ("core/autograph/conversion.py", "msjax.core.control.operators"),
    ("core/autograph/passes.py", "msjax.core.trace.assigned_names"),
    ("core/tensor/construction.py", "msjax.common.initializer"),
}


def room_of(parts):
    """The room of a module, given the parts of its name below `msjax`."""
    names = ["/".join(parts[:length]) for length in range(len(parts), 0, -1)]
    found = next((name for name in names if name in ORDER), None)
    assert found is not None, f"msjax/{'/'.join(parts)} has no place in ROOMS of this test"
    return found


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
    """No module imports the root, which holds names only, or a room above its own."""
    file = path.relative_to(PACKAGE)
    if file.parts == ("__init__.py",):
        return
    room = room_of([part for part in file.with_suffix("").parts if part != "__init__"])
    for line, name in imports(path):
        if name.partition(".")[0] != "msjax" or (file.as_posix(), name) in UPWARDS:
            continue
        below = name.split(".")[1:]
        assert below, f"{path}:{line} imports the root of the package"
        assert ORDER[room_of(below)] <= ORDER[room], (
            f"{path}:{line}: {room} imports {name}, which stands above it"
        )


@pytest.mark.parametrize(
    "path", [f for f in FILES if "core" not in f.parts], ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_imports_stand_at_the_top_and_name_what_is_public(path):
    """Outside of core no function imports a module of the package, and no folder a private name of another one."""
    tree = ast.parse(path.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {id(node) for function in functions for node in ast.walk(function)}
    folder = ".".join(path.relative_to(PACKAGE.parent).parent.parts)
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not f"{node.module}.".startswith("msjax."):
            continue
        module = node.module or ""
        assert id(node) not in inner, f"{path}:{node.lineno} imports in a function"
        home = module if PACKAGE.parent.joinpath(*module.split(".")).is_dir() else module.rpartition(".")[0]
        private = [a.name for a in node.names if a.name.startswith("_") and not a.name.startswith("__")]
        assert not private or home == folder, f"{path}:{node.lineno} imports {private} from another folder"


def test_no_modules_import_each_other_in_a_circle():
    graph = {}
    for path in FILES:
        parts = [
            part for part in path.relative_to(PACKAGE.parent).with_suffix("").parts if part != "__init__"
        ]
        module = ".".join(parts)
        if len(parts) > 1 and parts[1] != "core":
            graph[module] = {home_of(name) for _, name in imports(path)} - {module}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which shows the circle


def home_of(name):
    """The module that an import loads: the name itself, or what holds it."""
    return name if exists(name) else name.rpartition(".")[0]


STUBS = sorted(PACKAGE.rglob("*.pyi"))
GIVEN_UP = {
    "msjax.names"
}  # loaded by msjax itself, which takes it out of its namespace for MindSpore's function


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
            full = f"{module}.{name}"
            assert path.stem != "__init__" or not exists(full) or full in GIVEN_UP, f"{full} is a module too"


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
