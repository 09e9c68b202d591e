"""Usage check: what a program uses of MindSpore, and whether it works here (`msjax check`).

Programs are read, not run: their imports say what `nn`, `P` or `Tensor` stand for, and every name that leads to
MindSpore is looked up. What a variable holds is not known, so methods of Tensors are not checked.
"""

import ast
import difflib
import importlib
import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msjax.cli.source_files import Notebook, UnreadableSourceError, parse_source, read_program, read_source
from msjax.config import context
from msjax.public_api import import_hook, old_spellings, recorded_api
from msjax.status import mindspore_names
from msjax.status.entries import is_absent, require_docstrings

WORKS, OLD, NO_EFFECT, MISSING = "works", "old spelling", "no effect", "missing"
ARGUMENT, UNREADABLE = "argument", "unreadable"
PORTED, PORTED_ALMOST, NOT_PORTED = "ported", "ported with a difference", "not ported"  # of PyTorch's names
OF_PORT = (PORTED, PORTED_ALMOST, NOT_PORTED)
FINE = (WORKS, PORTED)
PROBLEMS = (MISSING, ARGUMENT, UNREADABLE, NOT_PORTED)
_LEFT_OUT = {"node_modules", "site-packages", "__pycache__", "build", "dist"}


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a program names something of MindSpore's.

    Attributes:
        path: the file; of a notebook with the number of the cell: "a.ipynb[3]".
        line: in the file, or the cell, from 1.
        name: in full, "mindspore.nn.Dense".
        call: the call, if that is what the program does with it.
    """

    path: str
    line: int
    name: str
    call: ast.Call | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Result for one use of a name.

    Attributes:
        path: the file, as of a use.
        line: in the file, or the cell, from 1.
        name: in full.
        verdict: `WORKS`, `OLD` (which works too), `NO_EFFECT`, `MISSING`, `ARGUMENT` or `UNREADABLE`; of PyTorch's names
            what `msjax port` does: `PORTED`, `PORTED_ALMOST` or `NOT_PORTED`.
        note: more about it.
    """

    path: str
    line: int
    name: str
    verdict: str
    note: str = ""

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.path}:{self.line}: {self.name}: {self.verdict}{note}"


# ---------------------------------------------------------------------- reading


class _Reader(ast.NodeVisitor):
    """Collects the uses in one file. Each scope maps a name to what it stands for, None if that is not MindSpore's."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.uses: list[Use] = []
        self.scopes: list[dict[str, str | None]] = [{}]

    def read(self, tree: ast.Module) -> list[Use]:
        for node in ast.walk(tree):  # functions see imports of the module that come after them
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._bind_import(node)
        self.visit(tree)
        return self.uses

    def _bind_import(self, node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
        """Bind what an import names; returns (name, what it stands for) of those that are MindSpore's."""
        found = []
        if isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module):
            for a in node.names:
                if a.name == "*":
                    self.scopes[-1].update(
                        {n: f"{node.module}.{n}" for n in recorded_api.names(node.module or "")}
                    )
                else:
                    found.append((a.asname or a.name, f"{node.module}.{a.name}"))
        elif isinstance(node, ast.Import):
            ours = [a for a in node.names if _is_ours(a.name)]
            found = [(a.asname or recorded_api.NAME, a.name if a.asname else recorded_api.NAME) for a in ours]
        self.scopes[-1].update(found)
        return found

    def visit_Import(self, node: ast.Import) -> None:
        self._bind_import(node)
        for a in node.names:
            if _is_ours(a.name) and a.name != recorded_api.NAME:
                self.uses.append(Use(self.path, node.lineno, a.name))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for _, name in self._bind_import(node):
            self.uses.append(Use(self.path, node.lineno, name))

    def visit_Call(self, node: ast.Call) -> None:
        name = self.resolve(node.func)
        if name is None:
            self.visit(node.func)
        else:
            self._use(node.func, name, node)
        for part in [*node.args, *[k.value for k in node.keywords]]:
            self.visit(part)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.resolve(node)
        if name is None:
            self.visit(node.value)
        else:
            self._use(node, name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            name = self.resolve(node)
            if name is not None and name != recorded_api.NAME:
                self._use(node, name)
        else:
            self.scopes[-1][node.id] = None

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        name = self.resolve(node.value)
        nothing = isinstance(node.value, ast.Constant) and node.value.value is None
        for target in node.targets:
            if isinstance(target, ast.Name) and nothing:
                continue  # `ms = None`, where the import failed
            if isinstance(target, ast.Name):
                self.scopes[-1][target.id] = name
            else:
                self.visit(target)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in [*node.decorator_list, *node.bases, *[k.value for k in node.keywords]]:
            self.visit(part)
        self.scopes[-1][node.name] = None
        self._inside({}, node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        annotations = [a.annotation for a in _arguments(node.args) if a.annotation is not None]
        returns = [node.returns] if node.returns is not None else []
        for part in [*node.decorator_list, *_defaults(node.args), *annotations, *returns]:
            self.visit(part)
        self.scopes[-1][node.name] = None
        self._inside({a.arg: None for a in _arguments(node.args)}, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in _defaults(node.args):
            self.visit(part)
        self._inside({a.arg: None for a in _arguments(node.args)}, [node.body])

    def _visit_comprehension(self, node: Any) -> None:
        self.scopes.append({})
        for generator in node.generators:
            self.visit(generator.iter)
            self.visit(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(part)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    def _inside(self, scope: dict[str, str | None], body: Iterable[ast.AST]) -> None:
        self.scopes.append(scope)
        for part in body:
            self.visit(part)
        self.scopes.pop()

    def _use(self, node: ast.expr, name: str, call: ast.Call | None = None) -> None:
        self.uses.append(Use(self.path, node.lineno, name, call))

    def resolve(self, node: ast.AST) -> str | None:
        """Return the full MindSpore name of an expression such as `P.Add`, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        base = next((scope[node.id] for scope in reversed(self.scopes) if node.id in scope), None)
        return None if base is None else ".".join([base, *reversed(parts)])


def _is_ours(module: str | None) -> bool:
    return module is not None and (module == recorded_api.NAME or module.startswith(recorded_api.NAME + "."))


def _arguments(args: ast.arguments) -> list[ast.arg]:
    more = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *more]


def _defaults(args: ast.arguments) -> list[ast.expr]:
    return [*args.defaults, *[d for d in args.kw_defaults if d is not None]]


def uses(source: str, path: str = "<text>") -> list[Use]:
    """Return the places in a program that name something of MindSpore's.

    Args:
        source: the program.
        path: its file, for the report.

    Raises:
        UnreadableSourceError: if it is no Python.

    Examples:
        >>> from msjax.cli import usage_check
        >>> [use.name for use in usage_check.uses("import mindspore as ms; x = ms.Tensor([1], ms.int8)")]
        ['mindspore.Tensor', 'mindspore.int8']
    """
    return _Reader(path).read(parse_source(source))


def notebook_uses(notebook: Notebook, path: str) -> tuple[list[Use], list["Finding"]]:
    """Return the uses in a notebook, whose cells see each other's names, and what is said of cells that are no Python."""
    unreadable = [
        Finding(f"{path}[{number}]", error.line, Path(path).name, UNREADABLE, str(error))
        for number, error in notebook.errors.items()
    ]
    found_uses = []
    for use in uses(notebook.program, path):
        number, line = notebook.places[use.line - 1]
        found_uses.append(Use(f"{path}[{number}]", line, use.name, use.call))
    return found_uses, unreadable


# ---------------------------------------------------------------------- judging


def find(name: str) -> tuple[Any, bool]:
    """Look up a full MindSpore name; return the object and True, or the last object found and False.

    Args:
        name: "mindspore.nn.Dense".

    Returns:
        (object, True), or (the last thing on the way, False).
    """
    parts = name.split(".")
    found: Any = sys.modules["msjax"]
    for i, part in enumerate(parts[1:], 2):
        holder, full = found, ".".join(parts[:i])
        try:
            found = getattr(holder, part)
        except NotImplementedError:
            return holder, False
        except AttributeError:
            found, there = None, False
        else:
            there = True
        if isinstance(holder, types.ModuleType) and (not there or is_absent(found)):
            found = mindspore_names.holder(full)
            found = _find_served(full) if found is None else found
            there = found is not None
        if not there and inspect.isclass(holder):
            return holder, part not in recorded_api.names(".".join(parts[: i - 1]))  # objects may have it
        if not there or is_absent(found):
            return holder, not (isinstance(holder, types.ModuleType) or is_absent(found))
    return found, True


def _find_served(full: str) -> Any:
    """Return what a program gets under a name, or None: internal names, and names that moved."""
    module, _, name = full.rpartition(".")
    with import_hook.install_as(recorded_api.NAME):
        try:
            found = getattr(importlib.import_module(module), name, None)
        except (ImportError, NotImplementedError):
            return None
    return None if is_absent(found) else found


def judge(use: Use) -> Finding:
    """Judge one use of a name: works, has no effect, missing, or wrong arguments.

    Examples:
        >>> from msjax.cli import usage_check
        >>> print(usage_check.judge(usage_check.Use("a.py", 3, "mindspore.nn.Dense")))
        a.py:3: mindspore.nn.Dense: works
    """
    found, there = find(use.name)
    if not there:
        return Finding(use.path, use.line, use.name, MISSING, _way_out(use.name, found))
    text = inspect.getdoc(found) or "" if callable(found) else ""
    if re.search(r"NotImplementedError: always", text):
        return Finding(use.path, use.line, use.name, MISSING, "it raises NotImplementedError")
    old = _old_name(use.name)
    if use.call is not None:
        spelled = getattr(found.__init__ if inspect.isclass(found) else found, "spellings", {})
        wrong = _wrong_arguments(found, use.call, spelled)
        if wrong:
            return Finding(use.path, use.line, use.name, ARGUMENT, wrong)
        old += [_old_argument(spelled[k.arg]) for k in use.call.keywords if k.arg in spelled]
    if old:
        return Finding(use.path, use.line, use.name, OLD, "; ".join(old))
    idle = _without_effect(found, text, use.call)
    return Finding(use.path, use.line, use.name, NO_EFFECT if idle else WORKS, idle)


def _old_name(name: str) -> list[str]:
    row = old_spellings.name_today(name.removeprefix(f"{recorded_api.NAME}."))
    return [] if row is None else [f"of MindSpore {row.versions}; today {recorded_api.NAME}.{row.new}"]


def _old_argument(row: old_spellings.OldKeyword) -> str:
    today = f"today {' and '.join(f'`{name}`' for name in row.new)}" if row.new else "there is none today"
    return f"`{row.old}` is of MindSpore {row.versions}; {today}"


def _way_out(name: str, holder: Any) -> str:
    """Return the names nearest to a missing one, or the reason why it is missing."""
    module, _, last = name.rpartition(".")
    there = [n for n in dir(holder) if not n.startswith("_")]
    near = difflib.get_close_matches(last, there, 3, 0.7)
    near = [n for n in near if not is_absent(getattr(holder, n, None))]
    if last in recorded_api.names(module) or recorded_api.has_module(name):
        why = mindspore_names.reason(name)
    elif last in recorded_api.inner().get(module, ()):
        why = "not public in MindSpore; it can be imported, and raises when it is used"
    else:
        why = "not public in MindSpore 2.10, so the name itself raises"
    return "; ".join(([] if why == "to come" else [why]) + ([f"nearest: {', '.join(near)}"] if near else []))


def _wrong_arguments(found: Any, call: ast.Call, spelled: Mapping[str, old_spellings.OldKeyword]) -> str:
    """Return the arguments of a call that are not taken, in words."""
    try:
        own = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    kinds = {p.kind for p in own}
    wrong = []
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        taken = {p.name for p in own}
        for name in [k.arg for k in call.keywords if k.arg is not None and k.arg not in taken]:
            row = spelled.get(name)
            if row is None:
                near = difflib.get_close_matches(name, taken, 1, 0.7)
                wrong.append(f"no argument `{name}`" + (f", but `{near[0]}`" if near else ""))
            elif row.value and not row.new:
                wrong.append(f"`{name}` is of MindSpore {row.versions}; write {row.value.removeprefix('!')}")
    places = [p for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    if inspect.Parameter.VAR_POSITIONAL not in kinds and not starred and len(call.args) > len(places):
        wrong.append(f"takes {len(places)} arguments by position, not {len(call.args)}")
    return "; ".join(wrong)


_IDLE = re.compile(r"(without|no) effect", re.IGNORECASE)


def _without_effect(found: Any, text: str, call: ast.Call | None) -> str:
    """Return why a function, or an argument of a call, changes nothing here; empty if it does."""
    if _IDLE.search(text.partition("\n\n")[0]):
        return "it steers what XLA decides"
    given = [k.arg for k in call.keywords if k.arg is not None] if call is not None else []
    if found is context.set_context:
        idle = [name for name in given if name in context._WITHOUT_EFFECT]
    else:
        idle = [name for name in given if _IDLE.search(_about(name, text))]
    return ", ".join(f"`{name}`" for name in idle)


def _about(argument: str, text: str) -> str:
    """Return the documentation of an argument."""
    said = re.search(rf"^ +{re.escape(argument)}( \(.*?\))?: (.*(?:\n {{8,}}.*)*)", text, re.MULTILINE)
    return said[2] if said else ""


# ---------------------------------------------------------------------- reporting


def files(paths: Sequence[str | Path]) -> Iterator[Path]:
    """Yield the Python files and notebooks that paths name: files, and those in folders but for hidden and installed ones.

    Raises:
        FileNotFoundError: if a path does not exist.
    """
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted([*path.rglob("*.py"), *path.rglob("*.ipynb")])
            yield from (f for f in inside if not _left_out(f.relative_to(path).parts))
        elif path.exists():
            yield path
        else:
            raise FileNotFoundError(path)


def uses_pytorch(path: Path) -> bool:
    """Return True for a file that imports PyTorch."""
    try:
        text = read_program(path)
    except UnreadableSourceError:
        return False
    return re.search(r"^[ \t]*(import|from)[ \t]+(torch|torchvision)\b", text, re.MULTILINE) is not None


def _left_out(parts: Sequence[str]) -> bool:
    return any(part.startswith(".") or part in _LEFT_OUT for part in parts)


def check(paths: Sequence[str | Path]) -> list[Finding]:
    """Judge every name of MindSpore's that programs use; each once a line.

    Args:
        paths: files and folders.

    Raises:
        FileNotFoundError: if one does not exist.
        RuntimeError: under `python -OO`.
    """
    require_docstrings("msjax check")
    found: dict[Finding, None] = {}
    for path in files(paths):
        try:
            if path.suffix == ".ipynb":
                there, unreadable = notebook_uses(Notebook(path), str(path))
                found.update(dict.fromkeys(unreadable))
            else:
                there = uses(read_source(path), str(path))
        except UnreadableSourceError as error:
            found[Finding(str(path), error.line, path.name, UNREADABLE, str(error))] = None
            continue
        found.update(dict.fromkeys(judge(use) for use in there))
    return list(found)


def summary(findings: Sequence[Finding]) -> str:
    """Summarize the findings: the share of uses that work, and the names that do not."""
    ported = [f for f in findings if f.verdict in OF_PORT]
    unreadable = sorted({f.path for f in findings if f.verdict == UNREADABLE})
    uses = [f for f in findings if f.verdict not in (*OF_PORT, UNREADABLE)]
    lines = [] if ported or uses else ["No use of MindSpore or PyTorch was found."]
    if uses:
        names = {f.name: f for f in sorted(uses, key=lambda f: f.verdict in PROBLEMS)}
        bad = sorted(name for name, f in names.items() if f.verdict in PROBLEMS)
        fine = sum(f.verdict not in PROBLEMS for f in uses)
        rate = 100 * fine / len(uses)
        lines.append(f"{fine} of {len(uses)} uses of MindSpore work ({rate:.1f} %), of {len(names)} names.")
        if bad:
            lines.append(f"Not: {', '.join(bad)}.")
    if ported:
        done = sum(f.verdict != NOT_PORTED for f in ported)
        rate = 100 * done / len(ported)
        lines.append(f"{done} of {len(ported)} uses of PyTorch are rewritten by `msjax port` ({rate:.1f} %).")
    if unreadable:
        lines.append(f"Not read: {', '.join(unreadable)}.")
    return "\n".join(lines)
