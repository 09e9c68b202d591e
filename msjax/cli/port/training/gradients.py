"""`torch.autograd.grad` as `ms.grad` of a function, and gradients that are read by name (`w.grad`)."""

import re
from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import Facts, dotted
from msjax.cli.port.flow import Statement, reads_and_writes
from msjax.cli.port.patterns import UnportableError, code, parse
from msjax.cli.port.report import DIFFERS, LEFT, PAGE, Report
from msjax.cli.port.training.blocks import Scope

_TAKES = (
    "outputs",
    "inputs",
    "grad_outputs",
    "retain_graph",
    "create_graph",
    "only_inputs",
    "allow_unused",
)
_LIST = re.compile(r"= *(\[|list\(|tuple\(|.*\bparameters\(\))")
_AGAIN = "what is on the way is computed once more, as a function"


class GradientRewriter(cst.CSTTransformer):
    """Rewrites `torch.autograd.grad` in blocks of statements.

    Args:
        facts: what is known about the program.
        report: where decisions go.
        lines: the line in the input, of nodes that are the input's own.
    """

    def __init__(self, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__()
        self.facts = facts
        self.report = report
        self.lines = lines
        self.needed: set[str] = set()
        self.scopes: list[Scope] = []
        self.classes: list[str] = []

    @property
    def scope(self) -> Scope:
        """The function at hand."""
        return self.scopes[-1]

    def line(self, node: cst.CSTNode) -> int:
        """Return the line of a node in the input, 0 if it is not known."""
        return self.lines.get(node, 0)

    def new_name(self, wish: str) -> str:
        """Return a name that the function at hand does not have yet."""
        name, number = wish, 2
        while name in self.scope.taken:
            name, number = f"{wish}_{number}", number + 1
        self.scope.taken.add(name)
        return name

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.classes.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self.classes.pop()
        return updated_node

    def differentiate(self, statements: list[Statement]) -> list[Statement]:
        """Rewrite the calls of `torch.autograd.grad` in a block."""
        found: list[Statement] = []
        for statement in statements:
            calls = [
                c
                for c in (
                    m.findall(statement, m.Call()) if isinstance(statement, cst.SimpleStatementLine) else ()
                )
                if self.facts.torch_name(c.func) == "torch.autograd.grad"  # type: ignore[union-attr]
            ]
            if not calls:
                found.append(statement)
                continue
            try:
                found = self._gradient(found, statement, cst.ensure_type(calls[0], cst.Call))
            except UnportableError as reason:
                self.report.add(self.line(statement), "torch.autograd.grad", LEFT, str(reason))
                mark = cst.EmptyLine(
                    comment=cst.Comment(f"# port: torch.autograd.grad: {reason}; see {PAGE}")
                )
                lines = [*statement.leading_lines, mark]  # type: ignore[attr-defined]
                found.append(statement.with_changes(leading_lines=lines))
        return found

    def _gradient(self, before: list[Statement], statement: Statement, call: cst.Call) -> list[Statement]:
        """Return the statements of a block up to one that takes a gradient, rewritten."""
        given = {
            a.keyword.value if a.keyword is not None else _TAKES[i]: a.value for i, a in enumerate(call.args)
        }
        inputs = [dotted(each) for each in _several(given["inputs"])]
        outputs = _several(given["outputs"])
        if not all(inputs) or any("." in name for name in inputs) or len(outputs) != 1:
            raise UnportableError("gradients of other things than one output for variables by name")
        output = outputs[0]
        lists = [s for s in before if inputs[0] in reads_and_writes(s)[1] and _LIST.search(code(s))]
        if lists:
            raise UnportableError(f"gradients for the list `{inputs[0]}`")
        before = [new for s in before if (new := self._plain(s, inputs)) is not None]
        start = max((i + 1 for i, s in enumerate(before) if reads_and_writes(s)[1] & set(inputs)), default=0)
        way = _way(before, start, set(inputs), output)
        name = self.new_name(f"{dotted(output)}_of_{inputs[0]}" if dotted(output).isidentifier() else "value")
        weights = given.get("grad_outputs")
        result = code(output)
        if weights is not None and code(weights) != "None" and "ones" not in code(weights):
            result = f"(({result}) * {code(_several(weights)[0])}).sum()"
        function = cst.ensure_type(
            cst.parse_statement(f"def {name}({', '.join(inputs)}):\n    return {result}\n"), cst.FunctionDef
        )
        inner = [before[i] for i in way]
        function = function.with_changes(
            body=function.body.with_changes(body=[*inner, *function.body.body])  # type: ignore[attr-defined]
        )
        grad = self.facts.ours("ms.grad")
        self.needed.add("ms")
        positions = "0" if len(inputs) == 1 else str(tuple(range(len(inputs))))
        made = f"{grad}({name}, {positions})({', '.join(inputs)})"
        new = statement.visit(_Replace(call, made, len(inputs) == 1))
        self.report.add(self.line(statement), "torch.autograd.grad", DIFFERS, _AGAIN)
        lines = statement.leading_lines  # type: ignore[attr-defined]
        return [
            *before,
            function.with_changes(leading_lines=lines),
            cst.ensure_type(new, cst.SimpleStatementLine).with_changes(leading_lines=()),
        ]

    def _plain(self, statement: Statement, names: Sequence[str]) -> Statement | None:
        """Take `requires_grad` off what only `autograd.grad` needs it for; None if nothing is left."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return statement
        text = code(statement).strip()
        for name in names:
            if re.fullmatch(rf"{name}\.requires_grad(_\((True)?\)| = True)", text):
                return None
        if not reads_and_writes(statement)[1] & set(names):
            return statement
        return cst.ensure_type(statement.visit(_WithoutRequiresGrad()), cst.SimpleStatementLine)


def _several(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """Return the elements of a tuple or a list, or the one that is given."""
    if isinstance(node, cst.Tuple | cst.List):
        return [e.value for e in node.elements]
    return [node]


def _way(before: Sequence[Statement], start: int, inputs: set[str], output: cst.BaseExpression) -> list[int]:
    """Return the statements of a block that compute an output from inputs, with the functions that they call."""
    carried, follows = set(inputs), []
    for statement in before[start:]:
        reads, writes, changes = reads_and_writes(statement)
        follows.append(bool(reads & carried) and not isinstance(statement, cst.FunctionDef))
        if follows[-1] and changes:  # of what else shares its memory, nothing is known
            carried |= reads
        carried |= (writes | changes) if follows[-1] else set()
    needed = {cst.ensure_type(n, cst.Name).value for n in m.findall(output, m.Name())}
    if not needed & carried:
        raise UnportableError("what leads to the output is not in this block: compute it in one function")
    found = []
    for i in range(len(before) - 1, start - 1, -1):
        reads, writes, changes = reads_and_writes(before[i])
        function = isinstance(before[i], cst.FunctionDef)
        if (follows[i - start] or function) and (writes | changes) & needed:
            if changes:
                raise UnportableError(
                    f"{min(changes)} is changed in place on the way, which would happen twice"
                )
            if m.findall(before[i], m.Yield()) or (not function and m.findall(before[i], m.Return())):
                raise UnportableError("the way to the output leaves the function")
            found.insert(0, i)
            needed |= reads
    return found


class _Replace(cst.CSTTransformer):
    """Puts text in the place of a call, or of its first result."""

    def __init__(self, call: cst.Call, made: str, single: bool) -> None:
        super().__init__()
        self.call = call
        self.made = made
        self.single = single

    def leave_Subscript(
        self, original_node: cst.Subscript, updated_node: cst.Subscript
    ) -> cst.BaseExpression:
        first = original_node.value is self.call and code(original_node).endswith("[0]")
        return parse(self.made) if first and self.single else updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if original_node is not self.call:
            return updated_node
        return parse(f"({self.made},)" if self.single else self.made)


class _WithoutRequiresGrad(cst.CSTTransformer):
    """`torch.tensor(x, requires_grad=True)`, `x.requires_grad_()` without that."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        func = updated_node.func
        if isinstance(func, cst.Attribute) and func.attr.value == "requires_grad_":
            return func.value
        kept = [a for a in updated_node.args if a.keyword is None or a.keyword.value != "requires_grad"]
        if len(kept) == len(updated_node.args):
            return updated_node
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(args=kept)


class ByName(cst.CSTTransformer):
    """`w.grad` becomes `w_grad`, `w -= x` becomes `w.set_data(w - x)`, and nothing is set to zero.

    Args:
        names: the Tensors, which are Parameters in MindSpore.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = set(names)

    def rewritten(self, statement: Statement) -> Statement | cst.FlattenSentinel:
        """Return a statement of the block, or nothing."""
        found = statement.visit(self)
        return cst.FlattenSentinel([]) if isinstance(found, cst.RemovalSentinel) else found  # type: ignore[return-value]

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ):
        text = code(original_node).strip()
        for name in self.names:
            if re.match(rf"{name}\.grad(\.data)?(\.zero_\(\)| = None|\.detach_\(\))", text):
                return cst.RemoveFromParent()
        return updated_node

    def leave_AugAssign(self, original_node: cst.AugAssign, updated_node: cst.AugAssign):
        name = dotted(updated_node.target)
        if name not in self.names:
            return updated_node
        sign = code(updated_node.operator).strip().removesuffix("=")
        return cst.Expr(parse(f"{name}.set_data({name} {sign} ({code(updated_node.value)}))"))

    def leave_If(self, original_node: cst.If, updated_node: cst.If):
        """`if w.grad is not None:` is true."""
        body = updated_node.body
        if not body.body:
            return cst.RemoveFromParent()
        if re.fullmatch(rf"({'|'.join(self.names)})(\.|_)grad is not None", code(updated_node.test).strip()):
            return cst.FlattenSentinel(body.body)  # type: ignore[type-var]
        return updated_node

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if updated_node.attr.value == "data" and code(updated_node.value) in {
            f"{n}_grad" for n in self.names
        }:
            return updated_node.value
        if updated_node.attr.value == "grad" and dotted(updated_node.value) in self.names:
            return cst.Name(f"{dotted(updated_node.value)}_grad")
        return updated_node
