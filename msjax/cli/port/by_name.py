"""Classes that a program takes by name: `getattr(nn, kind)(8)` becomes `nn.LSTM(8) if kind == "LSTM" else nn.GRU(8)`.

And types of Tensors of one dtype: after `Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor` they are written
out, too. Each class has arguments and defaults of its own in MindSpore, so that the choice must stand in the program.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst
from libcst import matchers

from msjax.cli.port import project
from msjax.cli.port.facts import PACKAGES, dotted
from msjax.cli.port.patterns import code, literal, parse


def write_names_out(tree: cst.Module) -> cst.Module:
    r"""Write out what `getattr(module, name)` gives, where all values of the name are known.

    They are known of constants, under `if name in ["LSTM", "GRU"]:`, in `for name in ("relu", "tanh"):`, and of an
    option with `choices`.

    Examples:
        >>> import libcst as cst
        >>> from msjax.cli.port import by_name
        >>> text = 'from torch import nn\nif kind in ("RNN", "GRU"):\n    net = getattr(nn, kind)(3, 4)'
        >>> print(by_name.write_names_out(cst.parse_module(text)).code.splitlines()[-1].strip())
        net = (nn.RNN(3, 4) if kind == "RNN" else nn.GRU(3, 4))
    """
    tree = _with_types(tree)
    if "getattr(" not in tree.code:
        return tree
    imported = project.imports_of(ast.parse(tree.code))
    modules = {name for name, full in imported.items() if full.partition(".")[0] in PACKAGES}
    return tree.visit(_Writer(_choices(tree), modules))


def _with_types(tree: cst.Module) -> cst.Module:
    """Write out names that stand for one type of Tensors, on whatever device: `Tensor(2, 3)`, `x.type(Tensor)`."""
    if "Tensor" not in tree.code:
        return tree
    bound: dict[str, list[str]] = {}
    for name, value in _bound_names(tree):
        parts = [value.body, value.orelse] if isinstance(value, cst.IfExp) else [value]
        types = {found[1] if (found := part and _TYPE.fullmatch(code(part))) else "" for part in parts}
        types -= {"Tensor"} if "FloatTensor" in types else set()  # another name of it
        bound.setdefault(name, []).append(types.pop() if len(types) == 1 else "")
    meant = {name: types[0] for name, types in bound.items() if len({*types}) == 1 and types[0]}
    return tree.visit(_TypeWriter(meant))


def _bound_names(tree: cst.Module) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """Yield each name that a program binds, with the value where that is assigned to it alone."""
    alone = matchers.Assign(targets=[matchers.AssignTarget(matchers.Name())])
    assigned = [cst.ensure_type(each, cst.Assign) for each in matchers.findall(tree, alone)]
    for assign in assigned:
        yield code(assign.targets[0].target), assign.value
    targets = {assign.targets[0] for assign in assigned}
    for binding in matchers.findall(tree, _BINDINGS):
        if binding not in targets:
            target: Any = binding
            target = target.name if isinstance(binding, cst.AsName | cst.Param) else target.target
            yield from ((code(name), None) for name in matchers.findall(target, matchers.Name()))


_TYPE = re.compile(r"torch\.(?:cuda\.)?(\w*Tensor)")


class _TypeWriter(cst.CSTTransformer):
    """Writes types of Tensors in place of names, and those of GPUs as those of any device."""

    def __init__(self, meant: dict[str, str]) -> None:
        super().__init__()
        self.meant = meant
        self.kept: set[cst.CSTNode] = set()  # names that are no uses of a variable

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        return False

    def visit_Arg(self, node: cst.Arg) -> None:
        self.kept |= {node.keyword} if node.keyword is not None else set()

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self.kept.add(node.attr)

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        found = _TYPE.fullmatch(dotted(original_node))
        return parse(f"torch.{found[1]}") if found else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        meant = self.meant.get(updated_node.value) if original_node not in self.kept else None
        return parse(f"torch.{meant}") if meant else updated_node


def _choices(tree: cst.Module) -> dict[str, list[str]]:
    """Return the values of options: {"model": ["RNN", "GRU"]} of `add_argument("--model", choices=["RNN", "GRU"])`."""
    found = {}
    for call in matchers.findall(
        tree, matchers.Call(func=matchers.Attribute(attr=matchers.Name("add_argument")))
    ):
        args = cst.ensure_type(call, cst.Call).args
        options = [v for a in args if a.keyword is None and isinstance(v := literal(a.value), str)]
        for arg in args:
            if arg.keyword is not None and arg.keyword.value == "choices" and (values := _texts(arg.value)):
                found |= {option.lstrip("-").replace("-", "_"): values for option in options}
    return found


def _texts(node: cst.BaseExpression) -> list[str]:
    """Return the strings of a literal collection, [] of all else."""
    value: Any = literal(node)
    if isinstance(node, cst.Set):
        value = [literal(e.value) for e in node.elements]
    every = list(value) if isinstance(value, list | tuple) else []
    return every if all(isinstance(each, str) and each.isidentifier() for each in every) else []


class _Writer(cst.CSTTransformer):
    def __init__(self, choices: dict[str, list[str]], modules: set[str]) -> None:
        super().__init__()
        self.choices = choices
        self.modules = modules
        self.known: list[dict[str, list[str]]] = []
        self.around: list[
            list[dict[str, list[str]]]
        ] = []  # what is known around the functions that are visited

    def visit_If(self, node: cst.If) -> None:
        self.known.append(_keep_unbound(_said_by(node.test), node.body))

    def visit_If_orelse(self, node: cst.If) -> None:
        self.known[-1] = {}

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        self.known.pop()
        return updated_node

    def visit_For(self, node: cst.For) -> None:
        said = {code(node.target): values} if (values := _texts(node.iter)) else {}
        self.known.append(_keep_unbound(said, node.body))

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        self.known.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        # It may run when the name has another value.
        self.around.append(self.known)
        self.known = []

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.known = self.around.pop()
        return updated_node

    def _values(self, name: cst.BaseExpression) -> Sequence[str]:
        constant = literal(name)
        if isinstance(constant, str):
            return [constant] if constant.isidentifier() else []
        for known in reversed(self.known):
            if code(name) in known:
                return known[code(name)]
        holder, _, option = dotted(name).rpartition(".")
        return self.choices.get(option, []) if holder else []

    def _asked(self, node: cst.BaseExpression) -> tuple[str, str, Sequence[str]]:
        """Return the module, the name and its values of `getattr(nn, kind)`; no values if they are not known."""
        if not isinstance(node, cst.Call) or dotted(node.func) != "getattr" or len(node.args) != 2:
            return "", "", ()
        module, name = dotted(node.args[0].value), node.args[1].value
        if module.partition(".")[0] not in self.modules:
            return "", "", ()
        return module, code(name), self._values(name)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        module, _, values = self._asked(updated_node)
        if len(values) == 1:
            return parse(f"{module}.{values[0]}")
        module, name, values = self._asked(updated_node.func)
        if len(values) < 2 or "\n" in code(updated_node):
            return updated_node
        made = updated_node.with_changes(lpar=[], rpar=[])
        *others, last = [code(made.with_changes(func=parse(f"{module}.{value}"))) for value in values]
        tests = [f'{call} if {name} == "{value}" else ' for call, value in zip(others, values, strict=False)]
        return parse(f"({''.join(tests)}{last})")


_BINDINGS = matchers.OneOf(
    matchers.AssignTarget(), matchers.AnnAssign(), matchers.AugAssign(), matchers.NamedExpr(), matchers.For(),
    matchers.CompFor(), matchers.AsName(), matchers.Param(),
)  # fmt: skip


def _keep_unbound(said: dict[str, list[str]], body: cst.BaseSuite) -> dict[str, list[str]]:
    """Leave out the names that a block binds again, in whatever way."""
    bound = set()
    for binding in matchers.findall(body, _BINDINGS):
        target: Any = binding
        target = target.name if isinstance(binding, cst.AsName | cst.Param) else target.target
        bound |= {code(name) for name in matchers.findall(target, matchers.Name() | matchers.Attribute())}
    return {name: values for name, values in said.items() if name not in bound}


def _said_by(test: cst.BaseExpression) -> dict[str, list[str]]:
    """Return what a test says about a name: `kind in ["LSTM", "GRU"]`, `kind == "LSTM"`."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return {}
    comparison = test.comparisons[0]
    if isinstance(comparison.operator, cst.In):
        values = _texts(comparison.comparator)
    elif isinstance(comparison.operator, cst.Equal):
        value = literal(comparison.comparator)
        values = [value] if isinstance(value, str) and value.isidentifier() else []
    else:
        values = []
    return {code(test.left): values} if values and dotted(test.left) else {}
