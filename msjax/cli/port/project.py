"""Facts that the files of a project share: which classes are modules, and which methods are the program's own."""

import ast
import contextlib
import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msjax.cli.port import mapping
from msjax.cli.source_files import UnreadableSourceError, parse_source, read_program
from msjax.public_api import recorded_api

_MODULE = "module"
_OPTIMIZER = "torch.optim.Optimizer"
_CLIPPING = ("clip_grad_norm_", "clip_grad_value_")
# What a Cell has under PyTorch's names, with PyTorch's meaning.
_SHARED = {
    "apply", "buffers", "get_buffer", "get_extra_state", "load_state_dict", "named_buffers", "register_backward_hook",
    "register_buffer", "register_forward_hook", "register_forward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_state_dict_post_hook", "register_state_dict_pre_hook",
    "set_extra_state", "state_dict", "to", "to_empty",
}  # fmt: skip


@dataclass(frozen=True)
class Project:
    """The classes and functions of the files that belong together.

    Attributes:
        module_classes: the classes of modules.
        other_classes: all other classes.
        methods: of each class, the methods that it defines.
        makes: of each function, the class of what it returns: `def resnet18(): return ResNet(...)`.
        renamed: attributes of modules whose names are `nn.Cell`'s own, and others for them: {"cells": "own_cells"}.
        own_attributes: what methods of any class set: `self.data = ...`.
        evaluating: classes whose constructors, and functions which, leave a module that they make in inference mode.
        saves_more: True if more is saved than the parameters of one module at a time.
        optimizer_classes: classes of optimizers, which step by the gradients that parameters keep.
        reads_gradients: True if a function uses gradients that the `backward` of another one gave: `p.grad`, `step()`.
    """

    module_classes: frozenset[str] = frozenset()
    other_classes: frozenset[str] = frozenset()
    methods: Mapping[str, frozenset[str]] = field(default_factory=dict)
    makes: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    own_attributes: frozenset[str] = frozenset()
    evaluating: frozenset[str] = frozenset()
    saves_more: bool = False
    reads_gradients: bool = False
    optimizer_classes: frozenset[str] = frozenset()

    @functools.cached_property
    def own_methods(self) -> frozenset[str]:
        """The methods of classes that are no modules."""
        return frozenset().union(*[self.methods.get(name, frozenset()) for name in self.other_classes])


def read(sources: Iterable[str]) -> Project:
    r"""Read the classes of several sources; what is no Python is left out.

    Examples:
        >>> from msjax.cli.port import project
        >>> files = ["from torch import nn\nclass Net(nn.Module): pass", "class Deep(Net): pass"]
        >>> sorted(project.read(files).module_classes)
        ['Deep', 'Net']
    """
    bases: dict[str, set[str]] = {}
    methods: dict[str, frozenset[str]] = {}
    returns: dict[str, set[str]] = {}
    attributes: dict[str, set[str]] = {}
    makers: dict[str, tuple[bool, set[str]]] = {}
    saves_more = reads_gradients = False
    for source in sources:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        imported = imports_of(tree)
        reads_gradients |= _reads_gradients(tree, imported)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and _full(node.func, imported) == "torch.save":
                saves_more |= not is_state_of_module(ast.unparse(node.args[0]))
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(_full(base, imported) for base in node.bases)
                own = {n.name for n in node.body if isinstance(n, ast.FunctionDef) and not _is_mode(n)}
                attributes.setdefault(node.name, set()).update(own, _set_by_self(node))
                methods[node.name] = methods.get(node.name, frozenset()) | own
                makers[node.name] = _makes_and_evaluates(
                    [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
                )
            elif isinstance(node, ast.FunctionDef):
                returns.setdefault(node.name, set()).update(_returned(node, imported))
                makers.setdefault(node.name, _makes_and_evaluates([node]))
    modules: set[str] = set()
    while True:
        found = {n for n, of in bases.items() if any(_is_module(b) or b in modules for b in of)}
        if found == modules:
            break
        modules = found
    makes = {name: next(iter(of)) for name, of in returns.items() if len(of) == 1 and of <= set(bases)}
    taken = set(recorded_api.names("mindspore.nn.Cell")) - _SHARED
    hidden = taken & set().union(*[attributes[name] for name in modules])
    renamed = {name: f"own_{name}" for name in hidden}
    evaluating = {name for name, (evaluates, _) in makers.items() if evaluates}
    while True:
        more = {n for n, (_, of) in makers.items() if of & evaluating & (modules | set(makes))}
        if more <= evaluating:
            break
        evaluating |= more
    evaluating &= modules | set(makes)
    others = frozenset(set(bases) - modules)
    optimizers: set[str] = set()
    while True:
        found = {n for n, of in bases.items() if of & {_OPTIMIZER, *optimizers}}
        if found == optimizers:
            break
        optimizers = found
    set_here = frozenset().union(*attributes.values())
    return Project(
        frozenset(modules),
        others,
        methods,
        makes,
        renamed,
        set_here,
        frozenset(evaluating),
        saves_more,
        reads_gradients and "grad" not in set_here,
        frozenset(optimizers),
    )


def _reads_gradients(tree: ast.Module, imported: Mapping[str, str]) -> bool:
    """Return True if a function, or the module, reads `p.grad`, sets to zero or steps, and calls no `backward` itself."""
    if "torch" not in {name.partition(".")[0] for name in imported.values()}:
        return False
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Module)):
        own: list[ast.AST] = [function]
        for node in own:
            own += [
                n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.FunctionDef | ast.ClassDef)
            ]
        attributes = [n for n in own if isinstance(n, ast.Attribute)]
        gradients = [n for n in attributes if n.attr == "grad" and not _full(n, imported).startswith("torch")]
        if any(not isinstance(n.value, ast.Name) for n in gradients):  # `net.fc.weight.grad`
            return True
        if any(n.attr == "backward" for n in attributes):
            continue
        calls = [n for n in own if isinstance(n, ast.Call)]
        if any(_full(n.func, imported).rpartition(".")[2] in _CLIPPING for n in calls):
            return True
        steps = (n for n in calls if not n.args and not n.keywords)
        if any(re.search(r"opt\w*\.(step|zero_grad)$", ast.unparse(n.func)) for n in steps) or gradients:
            return True
    return False


def is_state_of_module(text: str) -> bool:
    """Return True for `net.state_dict()`, which a checkpoint of MindSpore's holds.

    Examples:
        >>> from msjax.cli.port import project
        >>> [project.is_state_of_module(f"{name}.state_dict()") for name in ("net", "optimizer")]
        [True, False]
    """
    holder = text.removesuffix(".state_dict()").lower()
    return text.endswith(".state_dict()") and not any(word in holder for word in ("opt", "sched", "scaler"))


def sets_inference(text: str) -> bool:
    """Return True for statements that put a module into inference mode.

    Examples:
        >>> from msjax.cli.port import project
        >>> [project.sets_inference(text) for text in ("net.eval()", "self.vgg.train(False)", "net.train()")]
        [True, True, False]
    """
    return bool(re.search(r"\.(eval\(\)|train\((mode ?= ?)?False\))", text))


def _makes_and_evaluates(functions: Sequence[ast.FunctionDef]) -> tuple[bool, set[str]]:
    """Return whether functions put a module into inference mode, and the names that they call."""
    calls = [n for f in functions for n in ast.walk(f) if isinstance(n, ast.Call)]
    called = {ast.unparse(n.func).rpartition(".")[2] for n in calls}
    return any(sets_inference(ast.unparse(n)) for n in calls), called


def _set_by_self(node: ast.ClassDef) -> set[str]:
    """The attributes that methods of a class set: `self.x = ...`."""
    return {
        n.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and ast.unparse(n.value) == "self"
    }


def _is_mode(function: ast.FunctionDef) -> bool:
    """True for `train(self, mode)` and `eval(self)`, by which a module sets its mode."""
    takes = [a.arg for a in function.args.args]
    return (function.name == "eval" and len(takes) == 1) or (function.name == "train" and "mode" in takes)


def read_files(paths: Iterable[Path]) -> Project:
    """Read the classes of several files; what is no Python is left out."""
    sources = []
    for path in paths:
        with contextlib.suppress(UnreadableSourceError):
            sources.append(read_program(path))
    return read(sources)


def beside(path: Path) -> list[Path]:
    """Return a script and the files in its folder that it imports, directly or not."""
    found = [path]
    for script in found:
        try:
            tree = parse_source(read_program(script))
        except UnreadableSourceError:
            continue
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                module = node.module or ""
                names = [module, *[f"{module}.{a.name}".lstrip(".") for a in node.names]]
            for name in filter(None, names):
                place = script.parent.joinpath(*name.split("."))
                for file in (place.with_suffix(".py"), place / "__init__.py"):
                    if file.is_file() and file not in found:
                        found.append(file)
    return found


def imports_of(tree: ast.Module) -> dict[str, str]:
    """Return what the names of a file's imports stand for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                found[a.asname or a.name.partition(".")[0]] = a.name if a.asname else a.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for a in node.names:
                found[a.asname or a.name] = f"{node.module}.{a.name}"
    return found


def _full(node: ast.expr, imported: Mapping[str, str]) -> str:
    """PyTorch's full name of an expression, or the last part of another name."""
    text = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    first, dot, rest = text.partition(".")
    full = imported.get(first, first) + dot + rest
    return full if full.startswith("torch") else text.rpartition(".")[2]


def _is_module(name: str) -> bool:
    row = mapping.find(name) if name.startswith("torch") else None
    return (row is not None and row.gives == _MODULE) or name == "torch.nn.Module"


def _returned(function: ast.FunctionDef, imported: Mapping[str, str]) -> set[str]:
    """The classes that a function returns objects of, "" for all else."""
    found = set()
    made: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    made[target.id] = _full(node.value.func, imported)
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            if isinstance(value, ast.Call):
                found.add(_full(value.func, imported))
            elif isinstance(value, ast.Name):
                found.add(made.get(value.id, ""))
            else:
                found.add("")
    return found
