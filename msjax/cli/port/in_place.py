"""In-place operations of PyTorch (`x.mul_(y)`) as assignments, and attributes that an `nn.Cell` has itself: the first pass.

`x[i].zero_()` becomes `x[i] = 0`, `x.sqrt_()` `x = x.sqrt()`, `self.cells = ...` of a module `self.own_cells = ...`.

MindSpore has few of PyTorch's methods in place. Its CPU has no kernels for most of those, and loses what the others write
(measured with 2.10: `mul_`, `sub_` and `exp_` leave the Tensor as it was; `copy_` and assignments to parts work).
"""

import libcst as cst
from libcst import matchers as m

from msjax.cli.port import mapping
from msjax.cli.port.facts import PARAMETER, PARAMETER_NAMES, TENSOR, Facts, dotted
from msjax.cli.port.flow import assigned_value, flow, parsed
from msjax.cli.port.mapping import Api
from msjax.cli.port.patterns import closed, code, parse
from msjax.cli.port.report import DIFFERS, DONE, Report
from msjax.cli.port.training.blocks import own_statements

_WORKS = ("copy_",)
_LATER = ("zero_", "fill_", "add_", "sub_", "mul_", "div_")  # what `statements.py` writes as statements
_HELD = (cst.Attribute, cst.Subscript, cst.Name)  # what another name, an object or a container holds too
_TENSORS_OF = ("state_dict()", "parameters()", "buffers()")  # of a module
_OPERATORS = {"add_": "+=", "sub_": "-=", "mul_": "*=", "div_": "/="}


class InPlaceRewriter(cst.CSTTransformer):
    """Rewrites such statements.

    Args:
        api: the style; `mint` keeps what is there, for its kernels on Ascend.
        facts: what is known about the program, with its metadata.
        report: where decisions go.
        lines: the line of each node.
    """

    def __init__(self, api: Api, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__()
        self.api = api
        self.facts = facts
        self.report = report
        self.lines = lines
        self._classes: list[str] = []
        self._registered: set[str] = set()  # buffers of the class at hand, as far as it was visited
        self._functions: list[str] = []
        self._own: list[set[str]] = [{"..."}]  # of each function, its own names; of the module, any
        self._aliases: list[set[str]] = [
            set()
        ]  # of each function, and of the module, what holds Tensors of others
        self._bodies: list[cst.FunctionDef] = []
        self._changing: list[
            set[str]
        ] = []  # of each class, its attributes that are layers with `inplace=True`
        self._tensors: list[set[str]] = [
            set()
        ]  # of each function, and of the module, what loops over Tensors bind

    def visit_Module(self, node: cst.Module) -> None:
        self._aliases = [_aliases_in(node, False)]
        self._tensors = [_over_tensors(node)]

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """Note the names that a function binds itself; a parameter belongs to the caller too, but for `forward`."""
        self._functions.append(node.name.value)
        self._bodies.append(node)
        _, bound = flow([s for inner in node.body.body for s in parsed(inner)])
        inputs = {cst.ensure_type(p, cst.Param).name.value for p in m.findall(node.params, m.Param())}
        forward = node.name.value == "forward"
        self._own.append(bound | inputs if forward else bound - inputs)
        self._aliases.append(_aliases_in(node, forward))
        self._tensors.append(_over_tensors(node))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._own.pop()
        self._aliases.pop()
        self._tensors.pop()
        self._functions.pop()
        self._bodies.pop()
        new = self.facts.project.renamed.get(original_node.name.value)
        method = self._classes and self._classes[-1] in self.facts.module_classes and len(self._own) == 1
        return updated_node.with_changes(name=cst.Name(new)) if new and method else updated_node

    def visit_Call(self, node: cst.Call) -> None:
        if dotted(node.func) == "self.register_buffer" and node.args:
            self._registered.add(code(node.args[0].value).strip("\"'"))

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._registered = set()
        self._classes.append(node.name.value)
        made = m.findall(node, m.Assign(targets=[m.AssignTarget(m.Attribute())], value=m.Call()))
        found = (cst.ensure_type(each, cst.Assign) for each in made)
        self._changing.append({dotted(a.targets[0].target) for a in found if self._is_in_place(a.value)})

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """`backup = p.data; p.data = average`: what was kept are the values from before, a copy here."""
        body = list(updated_node.body)
        for i, statement in enumerate(body):
            value = assigned_value(statement)
            if not isinstance(value, cst.Attribute) or value.attr.value != "data":
                continue
            target = m.Assign(targets=[m.AssignTarget(m.MatchIfTrue(lambda t, v=value: t.deep_equals(v)))])
            if any(m.findall(later, target) for later in body[i + 1 :]):
                line = cst.ensure_type(statement, cst.SimpleStatementLine)
                assign = cst.ensure_type(line.body[0], cst.Assign)
                body[i] = line.with_changes(
                    body=[assign.with_changes(value=parse(f"{code(assign.value)}.clone()"))]
                )
        return updated_node.with_changes(body=body)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self._classes.pop()
        self._changing.pop()
        return updated_node

    def _is_in_place(self, made: cst.BaseExpression) -> bool:
        """True for a layer of PyTorch's, or a Sequential that begins with one, that changes its input."""
        if not isinstance(made, cst.Call):
            return False
        name = self.facts.imported(made.func)
        if name == "torch.nn.Sequential" and made.args:
            return self._is_in_place(made.args[0].value)
        takes = mapping.rows()[name].takes if name in mapping.rows() else {}
        first = made.args[:1] if [*(takes or {})][:1] == ["inplace"] else []
        said = [a for a in made.args if a.keyword is not None and a.keyword.value == "inplace"]
        return any(m.matches(a.value, m.Name("True")) for a in [*said, *first])

    def _changed_argument(self, statement: cst.BaseSmallStatement) -> str:
        """`x` of `y = self.relu(x)`, if the layer, or `inplace=True`, changes it and the function reads it once more."""
        if (
            not self._bodies
            or not isinstance(statement, cst.Assign)
            or not isinstance(statement.value, cst.Call)
        ):
            return ""
        call, targets = statement.value, [code(t.target) for t in statement.targets]
        if not call.args or not isinstance(call.args[0].value, cst.Name):
            return ""
        layer = bool(self._changing) and dotted(call.func) in self._changing[-1]
        function = (self.facts.imported(call.func) or "").startswith("torch.nn.functional.")
        if not (layer or (function and self._is_in_place(call)) or self._is_in_place(call.func)):
            return ""
        name = call.args[0].value.value
        reads = m.findall(self._bodies[-1].body, m.Name(name))
        return name if name not in targets and len(reads) > 1 else ""

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Attributes of modules whose names are `nn.Cell`'s own get others."""
        new = self.facts.project.renamed.get(original_node.attr.value)
        if new is None or self.facts.imported(original_node):
            return updated_node
        note = f"{original_node.attr.value} is an attribute of nn.Cell"
        self.report.add(self.lines.get(original_node, 0), f"attribute {new}", DONE, note)
        return updated_node.with_changes(attr=cst.Name(new))

    def _is_shared(self, target: cst.BaseExpression) -> bool:
        """True if others may see a change: of what a container holds, in a function also of the caller's or the module's."""
        name = dotted(target).removesuffix(".data")
        parameter = self.facts.kinds.get(name) == PARAMETER or name in PARAMETER_NAMES
        if name in self._aliases[-1] and not parameter:
            return True
        return len(self._own) > 1 and "." not in name and name not in self._own[-1] and not parameter

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel:
        if len(original_node.body) != 1:
            return updated_node
        changed = self._changed_argument(original_node.body[0])
        if changed:
            statement = cst.ensure_type(updated_node.body[0], cst.Assign)
            target = cst.AssignTarget(cst.Name(changed))
            given = m.matches(
                self._bodies[-1].params,
                m.Parameters(params=[m.ZeroOrMore(), m.Param(m.Name(changed)), m.ZeroOrMore()]),
            )
            note = f"a caller's {changed} keeps its values" if given else f"{changed} is read again"
            self.report.add(
                self.lines.get(original_node, 0), "inplace=True", DIFFERS if given else DONE, note
            )
            first = updated_node.with_changes(body=[statement.with_changes(targets=[target])])
            second = statement.with_changes(value=cst.Name(changed))
            return cst.FlattenSentinel([first, cst.SimpleStatementLine([second])])
        text = self._rebound(original_node.body[0]) or self._assignment(original_node.body[0])
        if not text:
            return updated_node
        name, _, made = text.strip().partition(" = ")
        if made.startswith(f"{name}."):  # all of it, not a part
            note = f"{name} is a new Tensor, others that share memory keep theirs"
            self.report.add(self.lines.get(original_node, 0), "change in place", DIFFERS, note)
        new = cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
        return updated_node.with_changes(body=new.body)

    def _of_buffer(self, statement: cst.BaseSmallStatement) -> str:
        """`self.count += 1` of a buffer as `self.count.copy_(...)`: MindSpore refuses another Tensor of that name."""
        if len(self._own) < 2:
            return ""
        if isinstance(statement, cst.AugAssign):
            target, value = statement.target, code(closed(statement.value, False))
            value = f"{code(target)} {code(statement.operator).strip().removesuffix('=')} {value}"
        elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0].target, code(statement.value)
        else:
            return ""
        name = dotted(target)
        buffers = self._registered if self._functions[-1] == "__init__" else self.facts.buffers
        if not name.startswith("self.") or name.removeprefix("self.") not in buffers or value == "None":
            return ""
        return f"{name}.copy_({value})\n"

    def _rebound(self, statement: cst.BaseSmallStatement) -> str:
        """`x = x.div_(2)` as `x = x.div(2)`: within expressions, MindSpore's CPU loses what such methods write."""
        if self.api == "mint" or not isinstance(statement, cst.Assign) or len(statement.targets) > 1:
            return ""
        name, value = dotted(statement.targets[0].target), statement.value
        owner, calls = self._chain(value) if isinstance(value, cst.Call) else (value, [])
        properties = any(
            mapping.rows()[mapping.TENSOR + each[1 : each.index("(")]].is_property for each in calls
        )
        return (
            f"{name} = {name}{''.join(calls)}\n" if calls and dotted(owner) == name and not properties else ""
        )

    def _of_held(self, statement: cst.AugAssign) -> str:
        """`v *= 0.9` as `v.copy_(v * 0.9)`, of a Tensor that others hold: MindSpore's operators make a new one."""
        name, value = dotted(statement.target), code(statement.value)
        if name not in self._aliases[-1] or ".grad" in value:
            return ""
        kind = self.facts.kinds.get(name)
        of_tensors = name in self._tensors[-1] or ".data" in value or ".detach()" in value
        if kind not in (TENSOR, PARAMETER) and (kind or not of_tensors):
            return ""
        sign = code(statement.operator).strip().removesuffix("=")
        note = f"{name}, which others hold, changes"
        self.report.add(self.lines.get(statement, 0), f"Tensor {sign}=", DONE, note)
        return f"{name}.copy_({name} {sign} {code(closed(statement.value, False))})\n"

    def _assignment(self, statement: cst.BaseSmallStatement) -> str:
        if self._classes and self._classes[-1] in self.facts.module_classes:
            changed = self._of_buffer(statement)
            if changed:
                return changed
        if isinstance(statement, cst.AugAssign):
            return self._of_held(statement)
        call = statement.value if isinstance(statement, cst.Expr) else None
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return ""
        name, target = call.func.attr.value, call.func.value
        if not name.endswith("_") or name.startswith("_") or name.endswith("__"):
            return ""
        if isinstance(target, cst.Subscript):
            return self._of_part(name, code(target), call) if self._is_part(target, name) else ""
        if self.api == "mindspore" and dotted(target) and self._is_shared(target):
            whole = self._of_part(name, f"{code(target).removesuffix('.data')}[...]", call)
            if whole:
                return whole
        kept = _WORKS + _LATER if self.api == "mindspore" else ()
        known = mapping.TENSOR + name in mapping.rows() and (self.api == "mint" or name in kept)
        owner, calls = self._chain(call)
        if (known and len(calls) == 1) or not calls or not dotted(owner) or self.facts.imported(owner):
            return ""
        holder = code(owner).removesuffix(".data")
        made = holder + "".join(calls)
        if self.facts.kinds.get(holder) == PARAMETER or holder in PARAMETER_NAMES:
            return f"{holder}.data = {made}\n"
        if self.api == "mindspore" and self._is_shared(owner):
            return f"{holder}[...] = {made}\n"
        return f"{code(owner)} = {made}\n"

    def _is_part(self, node: cst.Subscript, name: str) -> bool:
        """True for a part of a Tensor, False for a Tensor in a list or a dictionary."""
        if any(isinstance(e.slice, cst.Slice) for e in node.slice) or len(node.slice) > 1:
            return True
        if self.facts.kind(node.value) in (TENSOR, PARAMETER):
            return True
        text = code(node.value)
        if name in _WORKS:
            note = f"{text} is taken for a list or a dictionary of Tensors"
            self.report.add(self.lines.get(node, 0), f"Tensor.{name}", DIFFERS, note)
        return False

    def _chain(self, call: cst.Call) -> tuple[cst.BaseExpression, list[str]]:
        """`q.mul_(0.9).add_(p)` as `q` and `[".mul(0.9)", ".add(p)"]`; no calls if one has no form out of place."""
        calls: list[str] = []
        node: cst.BaseExpression = call
        while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            name = node.func.attr.value
            if not name.endswith("_") or mapping.TENSOR + name.removesuffix("_") not in mapping.rows():
                return node, []
            arguments = ", ".join(code(a).strip().removesuffix(",") for a in node.args)
            calls.insert(0, f".{name.removesuffix('_')}({arguments})")
            node = node.func.value
        return node, calls

    def _of_part(self, name: str, target: str, call: cst.Call) -> str:
        """`x[i].add_(y)`: MindSpore's Tensors are changed by assignments to their parts."""
        values = [a for a in call.args if a.keyword is None and not a.star]
        scale = [a for a in call.args if a.keyword is not None and a.keyword.value == "alpha"]
        if len(values) + len(scale) != len(call.args):
            return ""
        if name == "zero_" and not call.args:
            return f"{target} = 0\n"
        if name in ("fill_", "copy_") and len(values) == 1 and not scale:
            return f"{target} = {code(values[0].value)}\n"
        if name in _OPERATORS and len(values) == 1 and len(scale) < 2:
            factor = f"{code(closed(scale[0].value, False))} * " if scale else ""
            plain = bool(scale) or isinstance(values[0].value, cst.BaseNumber)
            value = closed(values[0].value, not plain)
            return f"{target} {_OPERATORS[name]} {factor}{code(value)}\n"
        return ""


def _over_tensors(scope: cst.Module | cst.FunctionDef) -> set[str]:
    """Return the names that loops over a module's Tensors bind: `for name, v in net.state_dict().items()`."""
    loops = [cst.ensure_type(each, cst.For) for s in own_statements(scope) for each in m.findall(s, m.For())]
    found = [loop.target for loop in loops if any(each in code(loop.iter) for each in _TENSORS_OF)]
    return {cst.ensure_type(each, cst.Name).value for target in found for each in m.findall(target, m.Name())}


def _aliases_in(scope: cst.Module | cst.FunctionDef, forward: bool) -> set[str]:
    """Return the names that a function, or the module, binds to what is also held elsewhere: `for x in xs`, `x = self.x`.

    In `forward`, where changes are on the way to a gradient, only those that are never bound to anything else.
    """
    body = own_statements(scope)
    held: set[str] = set()
    made: set[str] = set()

    def bind(target: cst.BaseExpression, value: cst.BaseExpression | None) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            whole = value if not isinstance(value, cst.Tuple | cst.List) else None
            parts = value.elements if isinstance(value, cst.Tuple | cst.List) else ()
            for i, element in enumerate(target.elements):
                bind(element.value, parts[i].value if i < len(parts) else whole)
        elif isinstance(target, cst.Name):
            (held if value is None or isinstance(value, _HELD) else made).add(target.value)

    for statement in body:
        for each in m.findall(statement, m.Assign()):
            assign = cst.ensure_type(each, cst.Assign)
            stored = any(isinstance(t.target, cst.Attribute | cst.Subscript) for t in assign.targets)
            for target in assign.targets:  # `x = state["x"] = zeros(3)`
                bind(target.target, None if stored and len(assign.targets) > 1 else assign.value)
        for each in m.findall(statement, m.For()):
            loop = cst.ensure_type(each, cst.For)
            if not (isinstance(loop.iter, cst.Call) and dotted(loop.iter.func) == "range"):
                bind(loop.target, None)
    return held - made if forward else held
