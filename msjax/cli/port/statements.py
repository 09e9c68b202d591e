"""Statements and definitions: changes in place, `with`, decorators, classes; the pass that rewrites all uses."""

import libcst as cst
from libcst import matchers

from msjax.cli.port import mapping
from msjax.cli.port.calls import BEGINS, CASTS, WITHOUT_EFFECT, CallRewriter, parse_call
from msjax.cli.port.facts import (
    MODULE,
    PARAMETER,
    PARAMETER_NAMES,
    QUIET,
    TENSOR,
    dotted,
)
from msjax.cli.port.flow import Detach, detaching
from msjax.cli.port.methods import DRAWS, IN_PLACE
from msjax.cli.port.names import SEVERAL
from msjax.cli.port.patterns import (
    closed,
    code,
    parse,
)
from msjax.cli.port.project import sets_inference

_OF_SCRIPTS = ("torch.jit.ignore", "torch.jit.unused", "torch.jit.export", "torch.jit.script_method")
_WITH_MODES = ("Dropout", "BatchNorm", "RReLU", "RNN", "LSTM", "GRU", "Transformer", "Attention", "Module")


def _assigned_part(node: cst.CSTNode) -> str:
    """Return "self.head" of `self.head = ...`, "" of other statements."""
    if not isinstance(node, cst.SimpleStatementLine) or not isinstance(node.body[0], cst.Assign):
        return ""
    name = dotted(node.body[0].targets[0].target)
    return name if name.startswith("self.") else ""


class StatementRewriter(CallRewriter):
    """Rewrites everything where it stands: names, calls, methods, classes and statements."""

    def __init__(self, *args, **kwargs) -> None:  # type: ignore[no-untyped-def]
        super().__init__(*args, **kwargs)
        self._in_front: dict[
            cst.CSTNode, str
        ] = {}  # of statements in constructors, what goes in front of them
        self._behind: dict[cst.CSTNode, str] = {}

    def _grows(self, name: str) -> bool:
        """True for a Tensor of the program's that becomes a Parameter; those of modules are Parameters already."""
        return name.isidentifier() and self.facts.kinds.get(name) == PARAMETER and name not in PARAMETER_NAMES

    def _set_requires_grad(self, call: cst.Call) -> cst.BaseStatement | None:
        """`net.first.requires_grad_(False)` as a statement."""
        if not (isinstance(call.func, cst.Attribute) and call.func.attr.value == "requires_grad_"):
            return None
        holder, value = call.func.value, code(call.args[0].value) if call.args else "True"
        if self._grows(dotted(holder)) and value == "True":
            self._done(call, "Tensor.requires_grad_", "ms.Parameter")
            return cst.parse_statement(self._take_text(f"{code(holder)} = ms.Parameter({code(holder)})"))
        layer = self.facts.layer(dotted(holder).rpartition(".")[2])
        if self.facts.kind(holder) == MODULE or layer or code(holder).endswith(("net", "model")):
            self._done(call, "Module.requires_grad_", "of each parameter")
            self.needed.add("parameters_of")
            every = self.facts.ours("parameters_of(") + f"{code(holder)})"
            return cst.parse_statement(f"for parameter in {every}:\n    parameter.requires_grad = {value}\n")
        self._done(call, "Tensor.requires_grad_", "requires_grad")
        return cst.parse_statement(f"{code(holder)}.requires_grad = {value}")

    def _change(self, old: cst.Call, new: cst.BaseExpression) -> cst.BaseStatement | None:
        """`x.zero_()`, `x.add_(y)` as statements: parameters get new data, names of Tensors a new Tensor.

        MindSpore's forms in place are for Ascend: its CPU has no kernels for some, and loses what others write.
        """
        func = old.func
        if self.facts.imported(func):
            return None  # a function, as those of torch.nn.init
        if isinstance(func, cst.Attribute) and func.attr.value in DRAWS and self.api == "mindspore":
            renamed = new.func if isinstance(new, cst.Call) and isinstance(new.func, cst.Attribute) else func
            return self._draw(old, func, dotted(renamed.value).removesuffix(".data"))
        if (
            not isinstance(func, cst.Attribute)
            or func.attr.value not in IN_PLACE
            or not isinstance(new, cst.Call)
        ):
            return None
        # As it is called in MindSpore: `bn.gamma` of `bn.weight.data`.
        renamed = new.func.value if isinstance(new.func, cst.Attribute) else func.value
        holder = (dotted(renamed) or dotted(func.value)).removesuffix(".data")
        names = [a.keyword.value for a in new.args if a.keyword is not None]
        if (
            not holder
            or set(names) - {"alpha"}
            or (self.api == "mint" and func.attr.value not in ("zero_", "fill_"))
        ):
            return None
        sign, args = IN_PLACE[func.attr.value], [code(closed(a.value, False)) for a in new.args]
        if sign and len(args) == 2:
            args = [f"{args[1]} * {args[0]}"]
        if sign:
            made = f"{holder} {sign} {args[0] if sign in '+-' and '*' in args[0] else code(closed(parse(args[0]), False))}"
        else:
            made = (
                self.facts.ours("ops.full_like(") + f"{holder}, {args[0]})"
                if args
                else self.facts.ours("ops.zeros_like(") + f"{holder})"
            )
        self._take(parse(made))
        before = parse(dotted(func.value).removesuffix(".data"))
        if self._holds_parameter(before) or self.facts.kinds.get(holder) == PARAMETER:
            self._done(old, f"Tensor.{func.attr.value}", "ops.assign")
            return cst.parse_statement(self._assign(holder, made))
        note = f"{holder} is a new Tensor, others that share memory keep theirs"
        self._done(old, f"Tensor.{func.attr.value}", "", note)
        return cst.parse_statement(f"{holder} = {made}")

    def _draw(self, old: cst.Call, func: cst.Attribute, holder: str) -> cst.BaseStatement | None:
        """`p.data.normal_(0, 0.02)`, for which MindSpore's CPU has no kernel."""
        if not holder:
            return None
        names, made = DRAWS[func.attr.value]
        values: dict[str, str] = dict(zip(names, ("0.0", "1.0"), strict=True))
        for name, arg in zip(names, old.args, strict=False):
            key = arg.keyword.value if arg.keyword is not None else name
            values["b" if key == "to" else key] = code(closed(arg.value, False))
        made = self.facts.ours(made.format(x=holder, **values))
        self._take(parse(made))
        before = dotted(func.value).removesuffix(".data")
        parameter = self._holds_parameter(parse(before)) or self.facts.kinds.get(holder) == PARAMETER
        self._done(old, f"Tensor.{func.attr.value}", "", "other random numbers of the same distribution")
        return cst.parse_statement(f"{holder}.set_data({made})" if parameter else f"{holder} = {made}")

    def _set_data(self, old: cst.BaseSmallStatement, new: cst.BaseSmallStatement) -> cst.BaseStatement | None:
        """`p.data = x` and `p.data -= x`."""
        if isinstance(new, cst.Assign) and len(new.targets) == 1:
            target, value = new.targets[0].target, code(new.value)
        elif isinstance(new, cst.AugAssign):
            target, value = new.target, code(closed(new.value, False))
        else:
            return None
        if (
            not (isinstance(target, cst.Attribute) and target.attr.value == "data")
            or code(target.value) == "self"
            or self.facts.kind(target.value) not in ("", TENSOR, PARAMETER)
        ):
            return None
        before = (
            old.targets[0].target
            if isinstance(old, cst.Assign)
            else cst.ensure_type(old, cst.AugAssign).target
        )
        before = cst.ensure_type(before, cst.Attribute).value
        of_gradient = isinstance(before, cst.Attribute) and before.attr.value == "grad"
        holder = code(before if of_gradient else target.value)
        if isinstance(new, cst.AugAssign):
            value = f"{holder} {code(new.operator).strip().removesuffix('=')} {value}"
        self._done(old, "Tensor.data", "ops.assign")
        return cst.parse_statement(f"{holder} = {value}" if of_gradient else self._assign(holder, value))

    def _assign(self, parameter: str, value: str) -> str:
        """Return the statement that changes a parameter in its place.

        After `set_data`, MindSpore's optimizers go on changing the memory that the parameter had before (2.10, on CPU).
        """
        made = self.facts.ours("ops.assign(") + f"{parameter}, {value})"
        self._take(parse(made))
        return made

    def _set_parameter(
        self, old: cst.BaseSmallStatement, new: cst.BaseSmallStatement
    ) -> cst.BaseSmallStatement | None:
        """`m.bias = x` of what may be one of several layers."""
        if not isinstance(old, cst.Assign) or not isinstance(new, cst.Assign) or len(old.targets) > 1:
            return None
        before, target = old.targets[0].target, new.targets[0].target
        if not isinstance(before, cst.Attribute) or not isinstance(target, cst.Attribute):
            return None
        if self._layer_of_parameter(before) != SEVERAL:
            return None
        self._done(old, f"Module.{before.attr.value}", "parameter_name_of")
        self.needed.add("parameter_of")
        holder = code(target.value)
        name = self.facts.ours("parameter_name_of(") + f'{holder}, "{before.attr.value}")'
        return cst.Expr(parse(f"setattr({holder}, {name}, {code(new.value)})"))

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._classes.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self._classes.pop()
        bases = [self.facts.torch_name(base.value) for base in original_node.bases]
        if bases == ["torch.optim.Optimizer"] and not matchers.findall(
            original_node.body, matchers.Name("super")
        ):
            note = "no Optimizer of MindSpore's, whose constructor it does not call"
            self._done(original_node, "torch.optim.Optimizer", "", note)
            return updated_node.with_changes(
                bases=(), lpar=cst.MaybeSentinel.DEFAULT, rpar=cst.MaybeSentinel.DEFAULT
            )
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        if self._classes and not self._functions and node.name.value == "__init__":
            self._begin_training(node)
        self._functions.append(node.name.value)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        detached = any(self._has_gradient(each.decorator) for each in original_node.decorators)
        self._functions.pop()
        if detached:
            body = updated_node.body.visit(Detach(set(), self._stop_gradient))
            updated_node = updated_node.with_changes(body=body)
        kept = [
            new
            for old, new in zip(original_node.decorators, updated_node.decorators, strict=True)
            if not self._is_quiet(old.decorator)
        ]
        updated_node = updated_node.with_changes(decorators=kept)
        if self._in_module() and not self._functions and original_node.name.value == "forward":
            self._done(original_node.name, "Module.forward", "construct")
            return updated_node.with_changes(name=cst.Name("construct"))
        return updated_node

    def _begin_training(self, constructor: cst.FunctionDef) -> None:
        """Put a module into training mode in front of what its constructor puts into inference mode.

        PyTorch's modules begin in training mode, Cells in inference mode. Elsewhere `set_train()` follows the constructor's
        call, and would undo `self.backbone.eval()`.
        """
        evaluating = self.facts.project.evaluating
        if self._classes[-1] not in evaluating & self.facts.module_classes or self.facts.sets_train:
            return
        begun = False
        for statement in constructor.body.body:
            calls = [cst.ensure_type(c, cst.Call) for c in matchers.findall(statement, matchers.Call())]
            evaluates = sets_inference(code(statement)) or any(
                self.facts.made(c.func) in evaluating for c in calls
            )
            part = _assigned_part(statement)
            if evaluates and not begun:
                begun = True
                self._done(statement, "Module.training", BEGINS)
                self._in_front[statement] = "self.set_train()"
            elif begun and not evaluates and part and any(map(self._has_mode, calls)):
                self._behind[statement] = f"{part}.set_train()"

    def on_leave(self, original_node, updated_node):  # type: ignore[override]
        found = super().on_leave(original_node, updated_node)
        more = [self._in_front.get(original_node), self._behind.get(original_node)]
        if more == [None, None]:
            return found
        lines = found if isinstance(found, cst.FlattenSentinel) else [found]
        kept = [line for line in lines if not isinstance(line, cst.RemovalSentinel)]
        first, last = ([cst.parse_statement(text)] if text else [] for text in more)
        return cst.FlattenSentinel([*first, *kept, *last])

    def _has_mode(self, call: cst.Call) -> bool:
        """True if a call makes a module that computes something else in inference mode, or may hold such."""
        row = mapping.find(self.facts.torch_name(call.func))
        layer = row.name.rpartition(".")[2] if row is not None and row.gives == MODULE else ""
        return self._makes_module(call) or any(word in layer for word in _WITH_MODES)

    def _has_gradient(self, node: cst.BaseExpression) -> bool:
        """True for `no_grad` where gradients would go through: in `forward`, and in what is called on the way to a loss."""
        quiet = self.facts.torch_name(getattr(node, "func", node)) in QUIET
        return quiet and any(name == "forward" or name in self.on_the_way for name in self._functions)

    def _stop_gradient(self, of: cst.BaseExpression) -> str:
        return self.facts.stop_gradient(of, self.needed)

    def _is_quiet(self, node: cst.BaseExpression) -> bool:
        """True for `torch.no_grad()` and its like."""
        func = node.func if isinstance(node, cst.Call) else node
        name = self.facts.torch_name(func)
        if name in QUIET:
            self._done(node, name, "nothing: plain code records nothing")
            return True
        if name == "torch.enable_grad":
            self._done(node, name, "nothing: functions of a loss record what they compute")
            return True
        if name in CASTS:
            self._done(node, name, "", "nothing is cast: set the dtypes with `Cell.to_float`")
            return True
        if name in _OF_SCRIPTS:
            self._done(node, name, "nothing: there is no TorchScript")
            return True
        if name == "torch.serialization.safe_globals":
            self._done(node, name, "nothing: `load` reads what `save` wrote")
            return True
        return False

    def visit_Decorator(self, node: cst.Decorator) -> None:
        self._handled.add(node.decorator)

    def visit_With(self, node: cst.With) -> None:
        self._handled |= {item.item for item in node.items}

    def leave_With(self, original_node: cst.With, updated_node: cst.With):
        kept = []
        stops = False
        for old, new in zip(original_node.items, updated_node.items, strict=True):
            if not self._is_quiet(old.item):
                kept.append(new)
            else:
                stops |= self._has_gradient(old.item)
        if stops:
            stop = self._stop_gradient
            body = cst.ensure_type(updated_node.body, cst.IndentedBlock)
            detach = Detach(set(), stop)
            new_body = [cst.ensure_type(each.visit(detach), cst.BaseStatement) for each in body.body]
            more = detaching(updated_node.with_changes(items=updated_node.items[:1]), stop)
            updated_node = updated_node.with_changes(body=body.with_changes(body=[*new_body, *more]))
        if len(kept) == len(original_node.items):
            return updated_node
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return updated_node.with_changes(items=kept)
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock):
            return updated_node
        first, *rest = body.body
        lines = [*updated_node.leading_lines, *getattr(first, "leading_lines", ())]
        if isinstance(body.header.comment, cst.Comment):
            lines.append(cst.EmptyLine(comment=body.header.comment))
        after = [cst.EmptyLine(comment=line.comment) for line in body.footer if line.comment is not None]
        if after:  # comments after the last statement would be lost with the block
            lines += after
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *rest])

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ):
        if len(original_node.body) != 1:
            return updated_node
        old, new = original_node.body[0], updated_node.body[0]
        if isinstance(old, cst.Expr) and isinstance(old.value, cst.Call) and isinstance(new, cst.Expr):
            frozen = self._set_requires_grad(old.value) or self._change(old.value, new.value)
            if frozen is not None:
                return frozen.with_changes(leading_lines=updated_node.leading_lines)
            name = self.facts.torch_name(old.value.func)
            gone = isinstance(new.value, cst.Name | cst.Attribute)  # what is left of `net.to(device)`
            if gone or (name.startswith(WITHOUT_EFFECT) and name):
                if not gone:
                    self._done(old.value, name, "nothing")
                return cst.RemoveFromParent()
        grown = (
            dotted(old.targets[0].target) if isinstance(old, cst.Assign) and code(old.value) == "True" else ""
        )
        if grown.endswith(".requires_grad") and self._grows(grown.removesuffix(".requires_grad")):
            name = grown.removesuffix(".requires_grad")
            self._done(old, "Tensor.requires_grad", "ms.Parameter")
            made = cst.ensure_type(
                cst.parse_statement(self._take_text(f"{name} = ms.Parameter({name})")),
                cst.SimpleStatementLine,
            )
            return made.with_changes(leading_lines=updated_node.leading_lines)
        rate = self._new_rate(new)
        if rate is not None:
            self._done(old, "Optimizer.param_groups", "a learning rate as a number")
            return updated_node.with_changes(body=[rate])
        data = self._set_data(old, new)
        if data is not None:
            return cst.ensure_type(data, cst.SimpleStatementLine).with_changes(
                leading_lines=updated_node.leading_lines, trailing_whitespace=updated_node.trailing_whitespace
            )
        named = self._set_parameter(old, new)
        if named is not None:
            return updated_node.with_changes(body=[named])
        if isinstance(old, cst.Assign) and isinstance(new, cst.Assign):
            new_line = self._trained(old, new, updated_node)
            if new_line is not None:
                return new_line
            target = code(new.targets[0].target)
            if len(new.targets) == 1 and code(old) != code(new) and target == code(new.value):
                return cst.RemoveFromParent()  # what is left of `x = x.to(device)`
        if isinstance(old, cst.Assign) and self.facts.torch_name(old.targets[0].target).startswith(
            WITHOUT_EFFECT
        ):
            self._done(old, self.facts.torch_name(old.targets[0].target), "nothing")
            return cst.RemoveFromParent()
        return updated_node

    def _trained(
        self, old: cst.Assign, new: cst.Assign, line: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | None:
        """Put a module that a function of the program's own makes into training mode: `net = small()`."""
        inner: cst.BaseExpression = old.value
        while (
            isinstance(inner, cst.Call)
            and isinstance(inner.func, cst.Attribute)
            and not self.facts.torch_name(inner.func)
        ):
            inner = inner.func.value
        made = (
            isinstance(inner, cst.Call)
            and self.facts.made(inner.func) in self.facts.module_classes
            and not self._makes_module(inner)
            and dotted(inner.func).rpartition(".")[2] not in self.facts.project.evaluating
        )
        if not made or self.facts.sets_train or self._classes or not isinstance(new.value, cst.Call):
            return None
        self._done(old.value, "Module.training", BEGINS)
        return line.with_changes(body=[new.with_changes(value=parse_call(new.value, "set_train"))])
