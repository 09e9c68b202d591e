"""Names, calls, methods and classes: everything in a program that is rewritten where it stands."""

import re
from collections.abc import Sequence

import libcst as cst
from libcst import matchers

from msjax.cli.port import definitions, mapping
from msjax.cli.port.facts import (
    ARRAY,
    MODEL_NAMES,
    MODULE,
    OWN,
    PAIR,
    PARAMETER,
    PARAMETER_NAMES,
    QUIET,
    SEQUENCE,
    TENSOR,
    Facts,
    dotted,
)
from msjax.cli.port.flow import Detach, detaching
from msjax.cli.port.mapping import Api, Row
from msjax.cli.port.patterns import (
    UnportableError,
    closed,
    code,
    fill,
    first_names,
    laid_out_as,
    literal,
    parse,
)
from msjax.cli.port.patterns import bind as bind_arguments
from msjax.cli.port.report import DIFFERS, DONE, LEFT, PAGE, Report

# Questions about devices, and PyTorch's answers where there is none.
_BEGINS = "set_train(): a Cell begins in inference mode"
_NO_DEVICE = {
    "torch.cuda.is_available": "False",
    "torch.cuda.is_bf16_supported": "False",
    "torch.accelerator.is_available": "False",
    "torch.backends.mps.is_available": "False",
    "torch.xpu.is_available": "False",
    "torch.mps.is_available": "False",
    "torch.backends.mps.is_built": "False",
    "torch.distributed.is_available": "False",
    "torch.distributed.is_initialized": "False",
    "torch.cuda.device_count": "0",
    "torch.accelerator.device_count": "0",
}
_DEVICES = ("torch.device", "torch.accelerator.current_accelerator")
_TARGET = 'ms.get_context("device_target")'
_WITHOUT_EFFECT = (
    "torch.backends.", "torch.cuda.empty_cache", "torch.cuda.synchronize", "torch.cuda.set_device",
    "torch.set_float32_matmul_precision", "torch.autograd.set_detect_anomaly", "torch.use_deterministic_algorithms",
)  # fmt: skip
_CASTS = ("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast")
_PARAMETERS = {"weight", "bias", "running_mean", "running_var"}
_VALUES = {"inf": 'float("inf")', "nan": 'float("nan")', "pi": "3.141592653589793", "e": "2.718281828459045"}
_OF_MODULES = {
    name.removeprefix(mapping.MODULE) for name in mapping.rows() if name.startswith(mapping.MODULE)
}
_FORMATS = (
    "torch.channels_last",
    "torch.channels_last_3d",
    "torch.contiguous_format",
    "torch.preserve_format",
)
_PLACES = ("device", "non_blocking", "copy", "memory_format")
_IN_PLACE = {"zero_": "", "fill_": "", "add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}
_DRAWS = {
    "normal_": (("mean", "std"), "ops.randn_like({x}) * {std} + {mean}"),
    "uniform_": (("a", "b"), "ops.rand_like({x}) * ({b} - {a}) + {a}"),
}
_EXTREMES = ("torch.max", "torch.min")
# What may give its argument's memory.
_MAY_SHARE = frozenset(
    "view view_as reshape reshape_as permute transpose t swapaxes swapdims movedim moveaxis squeeze unsqueeze flatten "
    "unflatten ravel narrow select expand expand_as broadcast_to diagonal detach contiguous to type type_as cpu cuda "
    "float double half bfloat16 long int bool split chunk unbind unfold as_tensor from_numpy requires_grad_".split()
)
_CONTAINERS = re.compile(r"\b(ModuleList|ModuleDict|Sequential|CellList|CellDict|SequentialCell)\(")


class CallRewriter(cst.CSTTransformer):
    """Rewrites names, calls, methods and classes.

    Args:
        api: the style.
        facts: what is known about the program, with its metadata.
        report: where decisions go.
        lines: the line in the input, of nodes that are the input's own.
        on_the_way: the functions that are called on the way to a loss.
    """

    def __init__(
        self, api: Api, facts: Facts, report: Report, lines: dict[cst.CSTNode, int], on_the_way: set[str]
    ) -> None:
        super().__init__()
        self.api: Api = api
        self.on_the_way = on_the_way | facts.called_by_modules
        self.facts = facts
        self.report = report
        self.lines = lines
        self.needed: set[str] = set()
        self.left: set[str] = set()  # names in what is left as it was
        self._called: set[cst.CSTNode] = set()
        self._alone: set[cst.CSTNode] = set()  # expressions that are statements
        self._handled: set[cst.CSTNode] = (
            set()
        )  # items of `with` and decorators, which their statement deals with
        self._as_parameters: set[cst.CSTNode] = set()  # what becomes the data of a parameter
        self._marks: list[list[str]] = []
        self._classes: list[str] = []
        self._making = 0  # how many calls around here make modules
        self._functions: list[str] = []
        self._refined: list[dict[str, str]] = []

    # ------------------------------------------------------------------ decisions and marks

    def _line(self, node: cst.CSTNode) -> int:
        return self.lines.get(node, 0)

    def _done(self, node: cst.CSTNode, name: str, note: str, differs: str = "") -> None:
        self.report.add(self._line(node), name, DIFFERS if differs else DONE, differs or note)

    def _leave(self, node: cst.CSTNode, name: str, reason: str) -> None:
        self.report.add(self._line(node), name, LEFT, reason)
        if self._marks:
            mark = f"# port: {name}: {reason}; see {PAGE}"
            if mark not in self._marks[-1]:
                self._marks[-1].append(mark)
        names = {cst.ensure_type(n, cst.Name).value for n in matchers.findall(node, matchers.Name())}
        self.left |= {n for n in names if n not in self.needed or n not in mapping.imports()}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            self._marks.append([])
        return super().on_visit(node)

    def on_leave(self, original_node, updated_node):  # type: ignore[override]
        found = super().on_leave(original_node, updated_node)
        if isinstance(original_node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            marks = self._marks.pop()
            if marks and isinstance(found, cst.BaseCompoundStatement | cst.SimpleStatementLine):
                lines = [cst.EmptyLine(comment=cst.Comment(m)) for m in marks]
                found = found.with_changes(leading_lines=[*found.leading_lines, *lines])
        return found

    def _take(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Note which imports an expression of ours needs."""
        names = {alias: name for name, alias in self.facts.aliases.items()}
        found = {names.get(name, name) for name in first_names(code(node))}
        self.needed |= found & (set(mapping.imports()) | set(definitions.TEXTS))
        return node

    # ------------------------------------------------------------------ learning rates

    def _is_rate(self, node: cst.BaseExpression) -> bool:
        """True for `group["lr"]`, which is a Parameter in MindSpore, and a number in PyTorch."""
        if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
            return False
        index = node.slice[0].slice
        key = literal(index.value) if isinstance(index, cst.Index) else ...
        of_group = "param_groups" in code(node.value) or code(node.value) in self.facts.groups
        return key in ("lr", "initial_lr") and of_group

    def leave_Subscript(
        self, original_node: cst.Subscript, updated_node: cst.Subscript
    ) -> cst.BaseExpression:
        if original_node in self._called or not self._is_rate(original_node):
            return updated_node
        self._done(original_node, "Optimizer.param_groups", "float of a learning rate")
        return parse(f"float({code(updated_node)})")

    def _new_rate(self, new: cst.BaseSmallStatement) -> cst.BaseSmallStatement | None:
        """`group["lr"] *= 0.1`: a number, since MindSpore's optimizers overlook a Tensor there."""
        if isinstance(new, cst.AugAssign) and self._is_rate(new.target):
            sign = code(new.operator).strip().removesuffix("=")
            value = f"float({code(new.target)}) {sign} {code(closed(new.value, False))}"
        elif isinstance(new, cst.Assign) and len(new.targets) == 1 and self._is_rate(new.targets[0].target):
            value = code(new.value) if isinstance(new.value, cst.Float) else f"float({code(new.value)})"
        else:
            return None
        target = new.target if isinstance(new, cst.AugAssign) else new.targets[0].target
        return cst.ensure_type(
            cst.parse_statement(f"{code(target)} = {value}"), cst.SimpleStatementLine
        ).body[0]

    # ------------------------------------------------------------------ names

    def visit_Expr(self, node: cst.Expr) -> None:
        self._alone.add(node.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._called.add(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._called.add(node.target)

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_Call(self, node: cst.Call) -> None:
        self._called.add(node.func)
        if self.facts.torch_name(node.func).endswith("nn.Parameter"):
            self._as_parameters |= {a.value for a in node.args}
        self._making += self._makes_module(node)
        if self._asked(node):
            self._called.add(node.args[0].value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return not self.facts.torch_name(node)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if original_node in self._called:
            if original_node.attr.value in _PARAMETERS:
                return self._parameter(original_node, updated_node)
            return updated_node
        name = self.facts.torch_name(original_node)
        if name:
            return self._name(name, original_node, updated_node)
        attr = original_node.attr.value
        if attr in ("values", "indices") and self.facts.kind(original_node.value) == PAIR:
            place = ("values", "indices").index(attr)
            self._done(original_node, f"Tensor.{attr}", f"[{place}]")
            return parse(f"{code(updated_node.value)}[{place}]")
        row = mapping.rows().get(mapping.TENSOR + attr)
        if row is not None and row.is_property and self._is_property_of_tensor(original_node):
            return self._property(row, original_node, updated_node)
        return self._parameter(original_node, updated_node)

    def _is_property_of_tensor(self, node: cst.Attribute) -> bool:
        """False for `self.data`, and for attributes of that name that the program's own objects have."""
        kind = self.facts.kind(node.value)
        if kind in (TENSOR, PARAMETER) or self._holds_parameter(node.value):
            return True
        if kind or dotted(node.value) == "self":
            return False
        own = node.attr.value in self.facts.project.own_attributes
        if own:
            note = f"`{code(node.value)}` is taken for an object of the program's own"
            self._done(node, f"Tensor.{node.attr.value}", "", note)
        return not own

    def _property(self, row: Row, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        if row.name.endswith(".data") and self._holds_parameter(original.value):
            self._done(original, "Tensor.data", code(updated.value))
            return updated.value
        target = row.targets[self.api][0]
        self._done(original, row.name.removeprefix("torch."), target)
        given = {"self": updated.value} if "self" in first_names(target) else {}
        return self._take(fill(row, self._targets(row), given))

    def _holds_parameter(self, node: cst.BaseExpression) -> bool:
        last = dotted(node).rpartition(".")[2]
        return last in _PARAMETERS or last in PARAMETER_NAMES

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node in self._called:
            return updated_node
        name = self.facts.torch_name(original_node)
        return self._name(name, original_node, updated_node) if name and "." in name else updated_node

    def _name(self, name: str, original: cst.CSTNode, updated: cst.BaseExpression) -> cst.BaseExpression:
        row = mapping.find(name)
        last = name.rpartition(".")[2]
        if name in _FORMATS:
            return updated  # an argument that goes
        if row is None or row.targets[self.api][0] == "WITHOUT":
            if not name.startswith("torch.backends."):
                self._leave(original, name, "no counterpart in the table")
            return updated
        value = row.targets[self.api][0] == "VALUE"
        target = _VALUES[last] if value else self.facts.ours(mapping.place(row, self.api))
        if name == "torch.Tensor":
            target = self.facts.ours("ms.Tensor")
        self._done(original, name, target)
        return self._take(parse(target))

    # ------------------------------------------------------------------ parameters of layers

    def visit_If(self, node: cst.If) -> None:
        self._refined.append(self._refinement(node.test))

    def visit_If_orelse(self, node: cst.If) -> None:
        self._refined[-1] = {}

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        self._refined.pop()
        return updated_node

    def _refinement(self, test: cst.BaseExpression) -> dict[str, str]:
        """Return what a test says about names: `isinstance(m, nn.BatchNorm2d)`, `classname.find("BatchNorm") != -1`."""
        found = {}
        if isinstance(test, cst.Call) and dotted(test.func) == "isinstance" and len(test.args) == 2:
            kinds = test.args[1].value
            kind = kinds.elements[0].value if isinstance(kinds, cst.Tuple) and kinds.elements else kinds
            found[dotted(test.args[0].value)] = self.facts.torch_name(kind)
        elif ".find(" in code(test):
            found["m"] = "torch.nn.BatchNorm2d" if "BatchNorm" in code(test) else ""
        return {k: v for k, v in found.items() if v}

    def _parameter(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        attr = original.attr.value
        if self.api == "mint" or attr not in _PARAMETERS:
            return updated
        holder = dotted(original.value)
        layer = next((r[holder] for r in reversed(self._refined) if holder in r), "")
        layer = layer or (self.facts.layer(holder.rpartition(".")[2]) if holder != "self" else "")
        row = mapping.find(layer)
        new = (row.parameters or {}).get(attr) if row is not None else None
        if new is None:
            return updated
        self._done(original, f"{layer}.{attr}", new)
        return parse(f"{code(updated.value)}.{new}")

    # ------------------------------------------------------------------ calls

    def _asked(self, node: cst.Call) -> str:
        """PyTorch's name that `hasattr(torch.nn.functional, "silu")` asks for."""
        if dotted(node.func) != "hasattr" or len(node.args) != 2:
            return ""
        module, name = self.facts.torch_name(node.args[0].value), literal(node.args[1].value)
        return f"{module}.{name}" if module and isinstance(name, str) else ""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        found = self._replace_call(original_node, updated_node)
        if not self._makes_module(original_node):
            return found
        self._making -= 1
        if self._making or self._classes or self.facts.sets_train or not isinstance(found, cst.Call):
            return found
        self._done(original_node, "Module.training", _BEGINS)
        return parse_call(found, "set_train")

    def _makes_module(self, call: cst.Call) -> bool:
        """True if a call makes a module: of a class of the program's own, or a Sequential."""
        last = dotted(call.func).rpartition(".")[2]
        own = last in self.facts.module_classes and self.facts.made(call.func) == last
        return own or self.facts.torch_name(call.func) == "torch.nn.Sequential"

    def _replace_call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        name = self.facts.torch_name(original_node.func)
        asked = self._asked(original_node)
        if asked:
            answer = str(mapping.find(asked) is not None)
            self._done(original_node, f"hasattr {asked}", answer)
            return cst.Name(answer)
        try:
            if name:
                return self._call(name, original_node, updated_node)
            if isinstance(original_node.func, cst.Attribute) and isinstance(updated_node.func, cst.Attribute):
                return self._method(original_node, updated_node, original_node.func, updated_node.func)
        except UnportableError as reason:
            self._leave(original_node, name or f"Tensor.{original_node.func.attr.value}", str(reason))  # type: ignore[union-attr]
        return updated_node

    def _call(self, name: str, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if name in _NO_DEVICE:
            self._done(original, name, _NO_DEVICE[name])
            return parse(_NO_DEVICE[name])
        if name in _DEVICES:
            self._done(original, name, _TARGET)
            return self._take(parse(self.facts.ours(_TARGET)))
        if name in (*_CASTS, *QUIET) and original not in self._handled:
            self._done(original, name, "", "nothing is cast and nothing is switched off")
            return self._take(parse(self.facts.ours("contextlib.nullcontext()")))
        if name == "torch.save":
            return self._save(original, updated)
        if name == "torch.load" and self.facts.project.saves_more:
            self._done(original, name, "load", "reads what `save` wrote, not PyTorch's files")
            self.needed.add("save")
            return parse(self.facts.ours("load(") + f"{code(updated.args[0].value)})")
        row = mapping.find(name)
        if name in ("torch.Tensor", "torch.FloatTensor") and self._gives_size(original):
            row = mapping.rows()["torch.empty"]
        if row is None:
            if not name.startswith(_WITHOUT_EFFECT) and not (name in _CASTS and original in self._handled):
                self._leave(original, name, "no counterpart in the table")
            return updated
        target = row.targets[self.api][0]
        if target == "LEFT":
            raise UnportableError(row.differs)
        if target == "WITHOUT":
            if original not in self._handled:
                self._leave(original, name, "not as a context or a decorator")
            return updated  # the statement around it goes
        if row.name in _EXTREMES and len(updated.args) == 2 and not _is_axis(original.args[1]):
            target = self.facts.ours(f"ops.{row.name.removeprefix('torch.')}imum")
            found = updated.with_changes(func=parse(target))
        elif row.name == "torch.nn.ModuleDict" and _CONTAINERS.search("".join(code(a) for a in updated.args)):
            target = self.facts.ours("NamedCells(").removesuffix("(")
            found = updated.with_changes(func=parse(target))
        elif target == "VALUE" or mapping.is_plain(row, self.api):
            found = self._renamed(row, updated)
        else:
            updated = self._with_lists(original, updated)
            spread = [a for a in updated.args if a.star == "**"]
            if spread and not self._takes_as_named(row, updated):
                raise UnportableError("its arguments are in a dictionary (**), and have other names")
            found = self._filled(row, bind_arguments(row, [a for a in updated.args if a.star != "**"]))
            if spread:
                found = cst.ensure_type(found, cst.Call)
                found = found.with_changes(args=[*found.args, *spread])
        self._done(original, name, target.partition("(")[0], row.differs)
        return self._take(laid_out_as(found, updated))

    def _with_lists(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """`torch.tensor(queue)` as of `list(queue)`: MindSpore makes no Tensor of a deque."""
        args = [
            new.with_changes(value=parse(f"list({code(new.value)})"))
            if self.facts.may_be_sequence(old.value)
            else new
            for old, new in zip(original.args, updated.args, strict=True)
        ]
        return updated.with_changes(args=args)

    def _gives_size(self, call: cst.Call) -> bool:
        """True for `torch.Tensor(2, 3)`, and for `nn.Parameter(torch.Tensor(n))`, which are sizes and no data."""
        values = [a.value for a in call.args]
        numbers = len(values) > 1 or (len(values) == 1 and isinstance(literal(values[0]), int))
        named = (
            len(values) == 1 and literal(values[0]) is ... and not isinstance(values[0], cst.List | cst.Call)
        )
        return numbers or (named and call in self._as_parameters)

    def _save(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """`torch.save(net.state_dict(), path)`: a checkpoint of MindSpore's, if nothing else is ever saved."""
        what, where = (a.value for a in updated.args[:2])
        if self.facts.project.saves_more:
            self._done(original, "torch.save", "save", "a file that `load` reads, not PyTorch's")
            self.needed.add("save")
            return parse(self.facts.ours("save(") + f"{code(what)}, {code(where)})")
        holder = code(what).removesuffix(".state_dict()")
        self._done(
            original, "torch.save", "ms.save_checkpoint", "MindSpore's format, and its names of parameters"
        )
        return self._take(parse(self.facts.ours("ms.save_checkpoint(") + f"{holder}, {code(where)})"))

    def _load(self, original: cst.Call, updated: cst.Call, func: cst.Attribute) -> cst.BaseExpression | None:
        """`net.load_state_dict(torch.load(path))`."""
        if not updated.args or not code(updated.args[0].value).startswith(
            self.facts.ours("ms.load_checkpoint(")
        ):
            return None
        self._done(original, "Module.load_state_dict", "ms.load_param_into_net")
        given = f"{code(func.value)}, {code(updated.args[0].value)}"
        return parse(self.facts.ours("ms.load_param_into_net(") + f"{given})")

    def _renamed(self, row: Row, updated: cst.Call) -> cst.Call:
        args = [a for a in updated.args if a.keyword is None or a.keyword.value not in row.drop]
        if args and len(args) < len(updated.args):
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        if any(a.keyword is not None and a.keyword.value == "out" for a in args):
            raise UnportableError("no place for `out`")
        return updated.with_changes(func=parse(self.facts.ours(mapping.place(row, self.api))), args=args)

    def _takes_as_named(self, row: Row, call: cst.Call) -> bool:
        """True if what a call does not give by position has the same names in MindSpore, so that `**` can stay."""
        by_position = len([a for a in call.args if a.keyword is None and not a.star])
        rest = [n for n in list(row.takes or ())[by_position:] if n not in row.drop]
        (target, *others) = row.targets[self.api]
        return (
            row.gives in ("optimizer", MODULE)
            and not others
            and all(re.search(rf"\b{n}=(AS_FLOAT\()?{n}\b", target) for n in rest)
        )

    def _filled(self, row: Row, given: dict[str, cst.BaseExpression]) -> cst.BaseExpression:
        if "requires_grad" in given and code(given["requires_grad"]) == "False" and "self" not in given:
            given = {k: v for k, v in given.items() if k != "requires_grad"}
        return fill(row, self._targets(row), given)

    def _targets(self, row: Row) -> list[str]:
        return [self.facts.ours(target) for target in row.targets[self.api]]

    # ------------------------------------------------------------------ methods

    def _method(
        self, original: cst.Call, updated: cst.Call, func: cst.Attribute, new_func: cst.Attribute
    ) -> cst.BaseExpression:
        attr = func.attr.value
        kind = self.facts.kind(func.value)
        if original not in self._alone and self._is_fresh(func.value) and attr.endswith("_"):
            attr = (
                attr.removesuffix("_") if mapping.TENSOR + attr.removesuffix("_") in mapping.rows() else attr
            )
            new_func = new_func.with_changes(attr=cst.Name(attr))
            updated = updated.with_changes(func=new_func)
        if kind == "" and attr in _OF_MODULES and dotted(func.value).rpartition(".")[2] in MODEL_NAMES:
            kind = MODULE
        if (code(func.value) == "self" and attr not in _OF_MODULES) or attr in self.facts.layers:
            return updated  # a layer, or a method of the program's own
        if (
            kind in (ARRAY, "text", OWN, SEQUENCE)
            or self._is_own(kind, attr)
            or (self.facts.imported(func.value) and not self.facts.torch_name(func.value))
        ):
            return updated
        if (
            original in self._alone
            and (attr in _IN_PLACE or (attr in _DRAWS and self.api == "mindspore"))
            and (self.api == "mindspore" or attr in ("zero_", "fill_"))
        ):
            return updated  # the statement around it is rewritten
        if self._may_be_part(original, func):
            holder = code(cst.ensure_type(func.value, cst.Subscript).value)
            raise UnportableError(f"whether `{holder}` is a Tensor or holds Tensors is not known")
        if attr == "get_last_lr" and kind != MODULE:
            self._done(original, "LRScheduler.get_last_lr", "numbers")
            return parse(f"[float(rate) for rate in {code(updated)}]")
        if attr == "generate_square_subsequent_mask" and attr not in self.facts.project.own_methods:
            row = mapping.rows()["torch.nn.Transformer.generate_square_subsequent_mask"]
            self._done(original, row.name, "an upper triangle of -inf")
            return self._take(self._filled(row, bind_arguments(row, updated.args)))
        if attr == "forward":
            self._done(original, "Module.forward", "construct")
            return updated.with_changes(func=new_func.with_changes(attr=cst.Name("construct")))
        if attr == "load_state_dict":
            return self._load(original, updated, new_func) or updated
        if attr == "to":
            return self._to(original, updated, new_func, kind)
        if attr == "step" and dotted(func.value) in self.facts.lbfgs and original.args:
            return updated  # of the class that the file gets
        if attr == "backward" or (attr == "step" and kind == "optimizer"):
            raise UnportableError("a training loop that is not in the form that is rewritten")
        if attr in ("zero_", "fill_") and self.api == "mindspore" and self._is_fresh(func.value):
            like = "zeros_like" if attr == "zero_" else "full_like"
            value = "".join(f", {code(a.value)}" for a in updated.args[:1])
            self._done(original, f"Tensor.{attr}", f"ops.{like}")
            return self._take(parse(self.facts.ours(f"ops.{like}(") + f"{code(new_func.value)}{value})"))
        row = self._row_of_method(attr, kind, updated.args)
        if row is None:
            known = mapping.rows().get(mapping.TENSOR + attr)
            if known is None and attr.endswith("_") and not attr.startswith("_"):
                raise UnportableError("no counterpart in the table")
            return updated
        target = row.targets[self.api][0]
        if target == "WITHOUT":
            return updated
        if target == "LEFT":
            raise UnportableError(row.differs)
        if row.name == "torch.Tensor.requires_grad_":
            return self._requires_grad(original, new_func)
        if row.takes is None or target == f"self.{attr}":
            found: cst.BaseExpression = updated.with_changes(
                func=new_func.with_changes(attr=cst.Name(target.rpartition(".")[2]))
            )
        else:
            try:
                given = bind_arguments(row, updated.args)
                found = self._filled(row, {**given, "self": new_func.value})
            except UnportableError:
                if kind == "":  # perhaps no Tensor at all
                    return updated
                raise
        self._done(original, row.name.removeprefix("torch."), target, row.differs)
        return self._take(laid_out_as(found, updated))

    def _is_fresh(self, node: cst.BaseExpression) -> bool:
        """True for a result that has no name yet, so that nobody sees whether it changes: `linear(x).relu_()`."""
        if not isinstance(node, cst.Call):
            return False
        last = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
        return not last.endswith("_") and last not in _MAY_SHARE

    def _may_be_part(self, call: cst.Call, func: cst.Attribute) -> bool:
        """True for `x[i].zero_()` where `x` may be a Tensor, of which MindSpore would change a copy."""
        changes = f"{mapping.TENSOR}{func.attr.value}" in mapping.rows() and func.attr.value.endswith("_")
        alone = call in self._alone and func.attr.value not in ("copy_", "requires_grad_")
        return self.api == "mindspore" and changes and alone and isinstance(func.value, cst.Subscript)

    def _is_own(self, kind: str, attr: str) -> bool:
        """True if a method may be one that the program's own classes define, and what has it is not known."""
        own = self.facts.project.own_methods
        if kind == MODULE:  # a module may have its own `size`, but `parameters` is all modules'
            own = frozenset().union(
                *[self.facts.project.methods.get(name, frozenset()) for name in self.facts.module_classes]
            ) - {"forward"}
        return attr in own and kind in ("", MODULE)

    def _row_of_method(self, attr: str, kind: str, args: Sequence[cst.Arg]) -> Row | None:
        of_module = mapping.rows().get(mapping.MODULE + attr)
        of_tensor = mapping.rows().get(mapping.TENSOR + attr)
        if of_tensor is not None and of_tensor.is_property:
            of_tensor = None
        if of_module is None or of_tensor is None:
            found = of_tensor or of_module
        else:
            found = of_module if kind == MODULE else of_tensor
        if attr in ("eval", "train") and any(a.keyword is None and attr == "eval" for a in args):
            return None
        return found

    def _to(
        self, original: cst.Call, updated: cst.Call, func: cst.Attribute, kind: str
    ) -> cst.BaseExpression:
        """`x.to(...)`: devices go, dtypes stay."""
        dtypes = []
        for old, arg in zip(original.args, updated.args, strict=True):
            name = arg.keyword.value if arg.keyword is not None else ""
            full = self.facts.torch_name(old.value)
            text = code(old.value)
            if full in _FORMATS:
                continue
            if name == "dtype" or full or "dtype" in text.lower():
                dtypes.append(arg.value)
            elif name not in _PLACES and not _is_device(text) and not isinstance(literal(old.value), bool):
                raise UnportableError(f"`{text}` may be a device, a dtype or a Tensor")
        if not dtypes:
            self._done(original, "Tensor.to", "nothing: MindSpore places Tensors itself")
            return func.value
        method = "to_float" if kind == MODULE else "astype"
        self._done(original, "Tensor.to", f"self.{method}(dtype)")
        return parse(f"{code(func.value)}.{method}({code(dtypes[0])})")

    def _requires_grad(self, original: cst.Call, func: cst.Attribute) -> cst.BaseExpression:
        if original in self._alone:
            return original  # the statement around it is rewritten
        self._done(original, "Tensor.requires_grad_", "ms.Parameter")
        return self._take(parse(self.facts.ours("ms.Parameter(") + f"{code(func.value)})"))

    def _grows(self, name: str) -> bool:
        """True for a Tensor of the program's that becomes a Parameter; those of modules are Parameters already."""
        return name.isidentifier() and self.facts.kinds.get(name) == PARAMETER and name not in PARAMETER_NAMES

    def _take_text(self, text: str) -> str:
        self.needed.add("ms")
        return self.facts.ours(text)

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
        if isinstance(func, cst.Attribute) and func.attr.value in _DRAWS and self.api == "mindspore":
            return self._draw(old, func)
        if (
            not isinstance(func, cst.Attribute)
            or func.attr.value not in _IN_PLACE
            or not isinstance(new, cst.Call)
        ):
            return None
        holder = dotted(func.value).removesuffix(".data")
        names = [a.keyword.value for a in new.args if a.keyword is not None]
        if (
            not holder
            or set(names) - {"alpha"}
            or (self.api == "mint" and func.attr.value not in ("zero_", "fill_"))
        ):
            return None
        sign, args = _IN_PLACE[func.attr.value], [code(closed(a.value, False)) for a in new.args]
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
        if self._holds_parameter(parse(holder)) or self.facts.kinds.get(holder) == PARAMETER:
            self._done(old, f"Tensor.{func.attr.value}", "set_data")
            return cst.parse_statement(f"{holder}.set_data({made})")
        note = f"{holder} is a new Tensor, others that share memory keep theirs"
        self._done(old, f"Tensor.{func.attr.value}", "", note)
        return cst.parse_statement(f"{holder} = {made}")

    def _draw(self, old: cst.Call, func: cst.Attribute) -> cst.BaseStatement | None:
        """`p.data.normal_(0, 0.02)`, for which MindSpore's CPU has no kernel."""
        holder = dotted(func.value).removesuffix(".data")
        if not holder:
            return None
        names, made = _DRAWS[func.attr.value]
        values: dict[str, str] = dict(zip(names, ("0.0", "1.0"), strict=True))
        for name, arg in zip(names, old.args, strict=False):
            key = arg.keyword.value if arg.keyword is not None else name
            values["b" if key == "to" else key] = code(closed(arg.value, False))
        made = self.facts.ours(made.format(x=holder, **values))
        self._take(parse(made))
        parameter = self._holds_parameter(parse(holder)) or self.facts.kinds.get(holder) == PARAMETER
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
        ):
            return None
        holder = code(target.value)
        if isinstance(new, cst.AugAssign):
            value = f"{holder} {code(new.operator).strip().removesuffix('=')} {value}"
        self._done(old, "Tensor.data", "set_data")
        return cst.parse_statement(f"{holder}.set_data({value})")

    # ------------------------------------------------------------------ classes and statements

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._classes.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self._classes.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node.name.value)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        detached = any(self._has_gradient(each.decorator) for each in original_node.decorators)
        self._functions.pop()
        if detached:
            body = updated_node.body.visit(Detach(set(), self._stop_gradient()))
            updated_node = updated_node.with_changes(body=body)
        kept = [
            new
            for old, new in zip(original_node.decorators, updated_node.decorators, strict=True)
            if not self._is_quiet(old.decorator)
        ]
        updated_node = updated_node.with_changes(decorators=kept)
        of_module = bool(self._classes) and self._classes[-1] in self.facts.module_classes
        if of_module and not self._functions and original_node.name.value == "forward":
            self._done(original_node.name, "Module.forward", "construct")
            return updated_node.with_changes(name=cst.Name("construct"))
        return updated_node

    def _has_gradient(self, node: cst.BaseExpression) -> bool:
        """True for `no_grad` where gradients would go through: in `forward`, and in what is called on the way to a loss."""
        quiet = self.facts.torch_name(getattr(node, "func", node)) in QUIET
        return quiet and any(name == "forward" or name in self.on_the_way for name in self._functions)

    def _stop_gradient(self) -> str:
        self.needed.add("ops")
        return self.facts.ours("ops.stop_gradient")

    def _is_quiet(self, node: cst.BaseExpression) -> bool:
        """True for `torch.no_grad()` and its like."""
        func = node.func if isinstance(node, cst.Call) else node
        name = self.facts.torch_name(func)
        if name in QUIET:
            self._done(node, name, "nothing: plain code records nothing")
            return True
        if name in _CASTS:
            self._done(node, name, "", "nothing is cast: set the dtypes with `Cell.to_float`")
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
            stop = self._stop_gradient()
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
            if gone or (name.startswith(_WITHOUT_EFFECT) and name):
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
        if isinstance(old, cst.Assign) and isinstance(new, cst.Assign):
            new_line = self._trained(old, new, updated_node)
            if new_line is not None:
                return new_line
            target = code(new.targets[0].target)
            if len(new.targets) == 1 and code(old) != code(new) and target == code(new.value):
                return cst.RemoveFromParent()  # what is left of `x = x.to(device)`
        if isinstance(old, cst.Assign) and self.facts.torch_name(old.targets[0].target).startswith(
            _WITHOUT_EFFECT
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
        )
        if not made or self.facts.sets_train or self._classes or not isinstance(new.value, cst.Call):
            return None
        self._done(old.value, "Module.training", _BEGINS)
        return line.with_changes(body=[new.with_changes(value=parse_call(new.value, "set_train"))])


def parse_call(node: cst.BaseExpression, method: str) -> cst.Call:
    """Return the call of a method without arguments."""
    return cst.Call(cst.Attribute(node, cst.Name(method)))


def _is_axis(arg: cst.Arg) -> bool:
    """True for the axis of `torch.max(x, 1)`, False for the other Tensor of `torch.max(x, y)`."""
    return (arg.keyword is not None and arg.keyword.value == "dim") or isinstance(literal(arg.value), int)


def _is_device(text: str) -> bool:
    last = text.rpartition(".")[2].strip("\"'").partition(":")[0].lower()
    return "device" in last or last in ("cuda", "cpu", "mps", "rank", "gpu", "local_rank", "xpu")
