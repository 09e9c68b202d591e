"""Losses that are computed in one function from what another one kept: `memory.append(dist.log_prob(action))`.

In PyTorch the graph travels with the Tensors. Here the function that keeps them is called by `record`, which remembers
how to pull gradients back through it, and the loss is differentiated by `recorded_value_and_grad`, which does so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import MODULE, Facts, dotted
from msjax.cli.port.flow import Statement, flattened, of_block, only_call, reads_and_writes, with_gradient
from msjax.cli.port.patterns import UnportableError, code, parse
from msjax.cli.port.report import DIFFERS, Report
from msjax.cli.port.training.blocks import blocks_of, own_statements, reads_outside
from msjax.cli.port.training.kept import KeptGradients
from msjax.cli.port.training.loss_function import without_blank_lines

Block = Sequence[Statement]
_SEVERAL_TARGETS = m.SimpleStatementLine(body=[m.Assign(targets=[m.AssignTarget(m.Tuple() | m.List())])])


@dataclass
class _Kept:
    """Statement that keeps results of a network: `keeper.append(value)`."""

    function: cst.FunctionDef
    block: Block
    at: int
    keeper: str
    value: cst.BaseExpression
    optimizers: set[str] = field(default_factory=set)  # of the losses that it is for


@dataclass
class _Plan:
    """Records of a program: the functions that keep, and those that differentiate.

    Attributes:
        kept: of each block, by the identity of its first statement, the statements that keep something.
        sources: of each function that computes a loss, the names of what was kept.
    """

    kept: dict[int, list[_Kept]] = field(default_factory=dict)
    sources: dict[int, set[str]] = field(default_factory=dict)


class Recorder(KeptGradients):
    """Finds what one function keeps for the loss of another, and rewrites the former."""

    def __init__(self, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__(facts, report, lines)
        self.plan = _Plan()

    # ------------------------------------------------------------------ who keeps what for whom

    def make_plan(self, module: cst.Module) -> None:
        """Find the functions that keep results of a network, and those that compute a loss from them."""
        functions = [cst.ensure_type(f, cst.FunctionDef) for f in m.findall(module, m.FunctionDef())]
        losses = [f for f in functions if self._has_backward(f)]
        inner = self._methods_of_modules(module)  # what these keep is on the way of whoever calls the module
        keepers = [f for f in functions if f not in losses and f not in inner and f.name.value != "__init__"]
        kept = [each for f in keepers for each in self._kept_in(f)]
        self.plan = _Plan()
        for loss in losses:
            names = {name: each for each in kept if (name := self._name_in(loss, each))}
            found = [each for each in kept if self._name_in(loss, each)]
            if not found or not self._uses_kept(loss, set(names)):
                continue
            self.plan.sources[id(loss)] = set(names)
            for each in found:
                each.optimizers |= set(self.stepped_in(loss))
                places = self.plan.kept.setdefault(id(each.block[0]), [])
                places += [each] if all(each.value is not other.value for other in places) else []

    def _methods_of_modules(self, module: cst.Module) -> list[cst.FunctionDef]:
        classes = [cst.ensure_type(c, cst.ClassDef) for c in m.findall(module, m.ClassDef())]
        own = [c for c in classes if c.name.value in self.facts.module_classes]
        methods = [
            cst.ensure_type(f, cst.FunctionDef) for c in own for f in m.findall(c.body, m.FunctionDef())
        ]
        return [f for f in methods if f.name.value == "forward"]

    def _has_backward(self, function: cst.FunctionDef) -> bool:
        return bool(m.findall(function.body, m.Call(func=m.Attribute(attr=m.Name("backward")))))

    def _kept_in(self, function: cst.FunctionDef) -> Iterator[_Kept]:
        if any(self.is_quiet_name(each.decorator) for each in function.decorators):
            return
        quiet = {
            id(block[0])
            for w in m.findall(function, m.With())
            if self.is_quiet(w)
            for block in blocks_of(w)
            if block
        }
        for block in blocks_of(function):
            if not block or id(block[0]) in quiet:
                continue
            for at, statement in enumerate(block):
                for keeper, value in _stores(statement):
                    if self.has_gradient(block[:at], value):  # type: ignore[arg-type]
                        yield _Kept(function, block, at, keeper, value)  # type: ignore[arg-type]

    def _name_in(self, loss: cst.FunctionDef, kept: _Kept) -> str:
        """Return the name that a keeper has in the function of a loss, "" if it is not there."""
        _, dot, last = kept.keeper.rpartition(".")
        if dot:
            attributes = {n.attr.value for n in m.findall(loss.body, m.Attribute())}  # type: ignore[union-attr]
            return f".{last}" if last in attributes else ""
        _, bound = of_block(own_statements(kept.function))
        if last not in bound:  # a variable of the module
            return last if last in of_block(own_statements(loss))[0] else ""
        takes = [p.name.value for p in loss.params.params if p.name.value != "self"]
        for call in m.findall(kept.function.body, m.Call()):
            if dotted(call.func).rpartition(".")[2] != loss.name.value:  # type: ignore[union-attr]
                continue
            for i, arg in enumerate(call.args):  # type: ignore[union-attr]
                if last in of_block([arg.value])[0]:
                    return (
                        arg.keyword.value if arg.keyword is not None else takes[i] if i < len(takes) else ""
                    )
        return ""

    def _uses_kept(self, loss: cst.FunctionDef, sources: set[str]) -> bool:
        """True if the way to a loss reads what was kept."""
        self.sources, used = sources, False
        for block in blocks_of(loss):
            carried = self.carries_gradient(block)  # type: ignore[arg-type]
            for i, statement in enumerate(block):
                backward = self.backward_in(i, statement)  # type: ignore[arg-type]
                if backward is None:
                    continue
                try:
                    way = self.way_to(block, backward, carried)  # type: ignore[arg-type]
                except UnportableError:
                    continue
                used |= any(map(self.reads_source, [*(block[k] for k in way), backward.loss]))
        self.sources = set()
        return used

    # ------------------------------------------------------------------ the function that keeps

    def recorded_block(self, old: Block, new: list[Statement]) -> list[Statement]:
        """Rewrite a block that keeps results of a network."""
        places = self.plan.kept.get(id(old[0])) if old else None
        if not places:
            return new
        if len(old) != len(new):
            raise UnportableError("what is kept for a loss stands beside other gradients")
        carried = self.carries_gradient(new)
        first = min(each.at for each in places)
        if any(m.matches(new[each.at], _SEVERAL_TARGETS) for each in places):
            raise UnportableError("several things are kept for a loss in one assignment")
        parts = [part for each in places for part in self._parts(new[: each.at], each.value)]
        needed = set().union(*[with_gradient(part) for part in parts])
        way: list[int] = []
        for i in range(first - 1, -1, -1):
            reads, writes, changes = reads_and_writes(new[i])
            if carried[i] and (writes | changes) & needed:
                way.insert(0, i)
                needed |= reads
        body = [new[i] for i in way]
        between = of_block([new[i] for i in range(first, max(each.at for each in places)) if i not in way])[1]
        if between & needed or m.findall(cst.Module(body), m.Return() | m.Yield()):  # type: ignore[arg-type]
            raise UnportableError("what is kept for a loss changes before it is kept")
        optimizers = set().union(*[each.optimizers for each in places])
        return self._with_record(old, new, way, first, parts, optimizers)

    def _with_record(
        self,
        old: Block,
        new: list[Statement],
        way: list[int],
        first: int,
        parts: Sequence[cst.BaseExpression],
        optimizers: set[str],
    ) -> list[Statement]:
        """Put what leads to the kept values into a function that `record` calls."""
        body = [new[i] for i in way]
        names = [
            self.new_name(_name_of(part)) if not isinstance(part, cst.Name) else part.value for part in parts
        ]
        _, writes = of_block(body)
        later = [
            i
            for i in range(min(way, default=first), first)
            if i not in way and reads_and_writes(new[i])[0] & writes
        ]
        replaced = _Replaced(parts, names)
        after = [each for s in new[first:] for each in flattened(s.visit(replaced))]  # type: ignore[arg-type]
        rest = of_block([*[new[i] for i in later], *after])[0] | reads_outside(
            self.scope.function, {id(s) for s in old}
        )  # type: ignore[list-item]
        others = sorted((writes & rest) - set(names))
        name = self.new_name("forward")
        values = [code(part) for part in parts]
        text = f"def {name}():\n    return {_tuple(values)}, {_tuple(others)}\n"
        function = cst.ensure_type(cst.parse_statement(text), cst.FunctionDef)
        block = cst.ensure_type(function.body, cst.IndentedBlock)
        body = without_blank_lines(body)
        function = function.with_changes(body=block.with_changes(body=[*body, *block.body]))
        given = self.facts.ours("record(") + f"{name}, {self._weights_of(body, parts, optimizers)})"
        call = cst.parse_statement(f"{_tuple(names)}, {_tuple(others) if others else '_'} = {given}")
        self.needed.add("record")
        note = "gradients of what is kept are pulled back later"
        self.report.add(self.line(new[first]), "Tensor.backward", DIFFERS, note)
        lines = new[way[0]].leading_lines if way else ()  # type: ignore[attr-defined]
        before = [s for i, s in enumerate(new[:first]) if i not in way and i not in later]
        return [*before, function.with_changes(leading_lines=lines), call, *[new[i] for i in later], *after]  # type: ignore[list-item]

    def _parts(self, before: Block, value: cst.BaseExpression) -> list[cst.BaseExpression]:
        """Return the parts of a kept value that are Tensors: the arguments of `Step(log_prob, value)`."""
        if isinstance(value, cst.Tuple | cst.List):
            inner = [e.value for e in value.elements]
        elif isinstance(value, cst.Dict):
            inner = [cst.ensure_type(e, cst.DictElement).value for e in value.elements]
        elif (
            isinstance(value, cst.Call)
            and dotted(value.func)[:1].isupper()
            and not self.facts.torch_name(value.func)
        ):
            inner = [a.value for a in value.args]
        else:
            return [value]
        return [part for part in inner if self.has_gradient(before, part)]

    def _weights_of(self, body: Block, parts: Sequence[cst.BaseExpression], optimizers: set[str]) -> str:
        """Return the parameters that what is kept depends on."""
        found = [c for node in [*body, *parts] for c in m.findall(node, m.Call())]
        calls = [dotted(cst.ensure_type(c, cst.Call).func) for c in found]
        modules = {name for name in calls if self.facts.kinds.get(name) == MODULE}
        own = any(name.removeprefix("self.") in self.facts.model_functions for name in calls)
        if len(modules) == 1 and not own:
            return f"{modules.pop()}.trainable_params()"
        if len(optimizers) == 1:
            return f"{next(iter(optimizers))}.parameters"
        raise UnportableError("what is kept for a loss depends on several networks")


def _stores(statement: cst.CSTNode) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield what a statement keeps: `keeper.append(value)`, `keeper += [value]`, `self.keeper = value`."""
    call = only_call(statement)  # type: ignore[arg-type]
    if call is not None and len(call.args) == 1 and m.matches(call.func, m.Attribute(attr=m.Name("append"))):
        yield dotted(cst.ensure_type(call.func, cst.Attribute).value), call.args[0].value
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return
    change = statement.body[0]
    if (
        isinstance(change, cst.AugAssign)
        and isinstance(change.value, cst.List)
        and len(change.value.elements) == 1
    ):
        yield dotted(change.target), change.value.elements[0].value
    elif isinstance(change, cst.Assign):
        target = change.targets[0].target
        several = [e.value for e in target.elements] if isinstance(target, cst.Tuple | cst.List) else [target]
        for each in several:
            if isinstance(each, cst.Attribute):
                yield dotted(each), change.value


def _tuple(parts: Sequence[str]) -> str:
    """Return the source of a tuple."""
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _name_of(node: cst.BaseExpression) -> str:
    """Return a name for a value: "log_prob" for `dist.log_prob(action)`."""
    last = dotted(node.func).rpartition(".")[2] if isinstance(node, cst.Call) else ""
    last = last or (
        node.func.attr.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else ""
    )
    return last if last.isidentifier() else "kept"


class _Replaced(cst.CSTTransformer):
    """Puts names in the place of expressions."""

    def __init__(self, parts: Sequence[cst.BaseExpression], names: Sequence[str]) -> None:
        super().__init__()
        self.parts = {id(part): name for part, name in zip(parts, names, strict=True)}

    def on_leave(self, original_node, updated_node):  # type: ignore[override]
        name = self.parts.get(id(original_node))
        return parse(name) if name is not None else super().on_leave(original_node, updated_node)
