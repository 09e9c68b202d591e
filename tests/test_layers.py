"""The order of the package's rooms: which may import which. An import that runs back up fails with the arrow and the rule.

A room is a folder with all that lies below it, or one file. Imports inside functions count, those for type checkers, and
`import_module("msjax...")`. A package's `__init__.py` may hand a loader of what stands above to a file below it.
Stubs (`.pyi`) are the public face: they name what stands above them, and load it when a name is asked for.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import msjax

PACKAGE = Path(msjax.__file__).parent
MOST_FILES = 25  # in one folder
MOST_INNER_IMPORTS = 20  # in the package; each has a comment with its reason
MOST_ANY = 0.1  # of core's annotations

# From the ground up: a file imports from its own room and from the rooms before it. The longest name that fits counts.
# The root, `msjax/__init__.py`, stands above all: it gives the engine what that needs from the rooms above it.
ROOMS = """
version public_api/recorded_api public_api/module_paths public_api/old_spellings public_api/placeholders
public_api/torch_api public_api/stubs public_api/class_names public_api
config files
core/dtype core/state core/ordered_trees core
core/xla core/tape core/tensor core/op core/autograph core/trace core/control core/jit core/autodiff
extend
ops/common ops/math ops/array ops/reduction ops/linalg ops/signal ops/state ops/random ops/nn ops/image
ops/names ops/sparse ops/optim ops/primitive_impl ops/primitives ops/tensor_methods ops
optim_rules numpy scipy common log hal runtime device_context device_manager communication
nn/cell nn/layers nn/convolution nn/loss nn/inner nn/learning_rate_schedule nn/dynamic_lr nn/optim nn/wrap nn/utils
nn/probability nn/transformer_checks nn/transformer nn
common/api _checkparam _extends _c_expression graph
experimental mint ops/generated ops/auto_generate ops/functional_overload
interop mindrecord onnx train amp
dataset/common dataset/debug dataset/config dataset/random dataset/pipeline dataset/transforms dataset/vision dataset/audio
dataset/text dataset/transforms/operations dataset/sources dataset/public_sets dataset/dataloader dataset
parallel boost rewrite multiprocessing profiler tools utils
torch/tensors torch/return_types torch/random torch/functions torch/linalg_errors torch/linalg torch/functions/decompositions
torch/special torch/fft torch/tensor_methods torch/sparse torch/autograd torch/nn torch/func torch/optim torch/distributions
torch
status cli __main__
""".split()
ORDER = {room: number for number, room in enumerate(ROOMS)}
CORE = {room for room in ROOMS if room.partition("/")[0] == "core"}


class Import(NamedTuple):
    """One name that a file imports from another file of the package."""

    source: str
    line: int
    target: str
    name: str
    inner: bool  # inside a function


def name_of(path: Path) -> str:
    """Return a file's name below the package: `core/op/op`; of a package's `__init__.py`, that of its folder."""
    return path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__")


FILES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def room_of(name: str) -> str | None:
    parts = name.split("/")
    rooms = ("/".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((room for room in rooms if room in ORDER), None)


@cache
def imports() -> list[Import]:
    """Return all imports between files of the package, but for those of its root."""
    return [found for name, path in FILES.items() if name != "__init__" for found in _imports(name, path)]


def _imports(name: str, path: Path) -> Iterator[Import]:
    todo: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text("utf8")), False)]
    while todo:
        node, inner = todo.pop()
        inside = inner or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        todo += [(child, inside) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Import):
            names = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the full name"
            names = [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names = [(arg.value, "") for arg in node.args if isinstance(arg, ast.Constant)]
        else:
            continue
        for module, imported in names:
            if module.partition(".")[0] != "msjax":
                continue
            home = module.replace(".", "/").removeprefix("msjax").removeprefix("/") or "__init__"
            full = f"{home}/{imported}".removeprefix("__init__/")
            target = full if full in FILES else home
            if target != name:
                yield Import(name, node.lineno, target, imported, inner)


def test_every_file_has_a_room():
    assert [name for name in FILES if name != "__init__" and room_of(name) is None] == []
    assert [room for room in ROOMS if not (PACKAGE / room).is_dir() and room not in FILES] == []


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room):
    upwards = [
        f"msjax/{i.source}.py:{i.line}: {room!r} imports msjax/{i.target} ({i.name}), which stands above it in ROOMS"
        for i in imports()
        if room_of(i.source) == room
        and (i.target == "__init__" or ORDER[room_of(i.target) or ""] > ORDER[room])
    ]
    assert upwards == []


def test_there_is_no_circle_of_files():
    """Neither of files in one room nor through functions and types."""
    below = defaultdict(set)
    for i in imports():
        if i.target in FILES and not i.source.startswith(f"{i.target}/"):
            below[i.source].add(i.target)
    done: set[str] = set()
    path: list[str] = []

    def visit(name: str) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            path.append(name)
            for other in sorted(below[name]):
                visit(other)
            done.add(path.pop())

    for name in FILES:
        visit(name)


def test_private_names_stay_in_their_folder():
    """Or in the folders below it. MindSpore's own private names, which programs import, are not ours to rename."""
    served = {"_Buffer"}
    taken = [
        f"msjax/{i.source}.py:{i.line}: {i.name} of msjax/{i.target}"
        for i in imports()
        for name in (i.name, i.target.rpartition("/")[2])
        if name.startswith("_") and not name.startswith("__") and name not in served
        if not i.source.startswith(i.target.rpartition("/")[0])
    ]
    assert taken == []


def test_few_imports_stand_in_functions():
    inner = [f"msjax/{i.source}.py:{i.line} imports {i.target}" for i in imports() if i.inner]
    assert len(inner) <= MOST_INNER_IMPORTS, inner


def test_folders_can_be_overlooked():
    files = Counter(
        path.parent.relative_to(PACKAGE).as_posix() for path in FILES.values() if path.stem != "__init__"
    )
    assert {folder: count for folder, count in files.items() if count > MOST_FILES} == {}


def test_few_annotations_of_core_say_any():
    """Of parameters and results, counting aliases such as `Params = Mapping[str, Any]`."""
    trees = {name: ast.parse(FILES[name].read_text("utf8")) for name in FILES if room_of(name) in CORE}
    vague = {"Any"}
    for tree in trees.values():
        for statement in tree.body:
            if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Constant):
                continue
            if "Any" in _names(statement.value):
                vague.update(target.id for target in statement.targets if isinstance(target, ast.Name))
    counts = {
        name: [bool(_names(said) & vague) for said in _annotations(tree)] for name, tree in trees.items()
    }
    most = sorted(counts, key=lambda name: -sum(counts[name]))[:10]
    share = sum(map(sum, counts.values())) / sum(map(len, counts.values()))
    assert share <= MOST_ANY, {name: f"{sum(counts[name])} of {len(counts[name])}" for name in most}


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            given = function.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            said = [arg.annotation for arg in every if arg is not None] + [function.returns]
            yield from (annotation for annotation in said if annotation is not None)


def _names(expression: ast.expr) -> set[str]:
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        expression = ast.parse(expression.value, mode="eval").body
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
