"""Calls of PyTorch's functions and classes."""

import re

import libcst as cst

from msjax.cli.port import mapping
from msjax.cli.port.facts import (
    MODULE,
    QUIET,
    dotted,
)
from msjax.cli.port.mapping import Row
from msjax.cli.port.methods import TYPES, MethodRewriter
from msjax.cli.port.names import RECURRENT
from msjax.cli.port.patterns import (
    UnportableError,
    code,
    difference,
    laid_out_as,
    literal,
    parse,
)
from msjax.cli.port.patterns import bind as bind_arguments

BEGINS = "set_train(): a Cell begins in inference mode"
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
WITHOUT_EFFECT = (
    "torch.backends.", "torch.cuda.empty_cache", "torch.cuda.synchronize", "torch.cuda.set_device",
    "torch.set_float32_matmul_precision", "torch.autograd.set_detect_anomaly", "torch.use_deterministic_algorithms",
)  # fmt: skip
CASTS = ("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast")
_MODELS = "torchvision.models."
_EXTREMES = ("torch.max", "torch.min")
_CONTAINERS = re.compile(r"\b(ModuleList|ModuleDict|Sequential|CellList|CellDict|SequentialCell)\(")


_MODES = (*QUIET, "torch.enable_grad")


class CallRewriter(MethodRewriter):
    """Rewrites calls of functions and classes."""

    def _asked(self, node: cst.Call) -> str:
        """PyTorch's name that `hasattr(torch.nn.functional, "silu")` asks for."""
        if dotted(node.func) != "hasattr" or len(node.args) != 2:
            return ""
        module, name = self.facts.torch_name(node.args[0].value), literal(node.args[1].value)
        return f"{module}.{name}" if module and isinstance(name, str) else ""

    def visit_Call(self, node: cst.Call) -> None:
        self._called.add(node.func)
        if isinstance(node.func, cst.Call) and self.facts.torch_name(node.func.func) in _MODES:
            self._handled.add(node.func)  # `torch.enable_grad()(closure)`
        if self.facts.torch_name(node.func).endswith("nn.Parameter"):
            self._as_parameters |= {a.value for a in node.args}
        if self.facts.torch_name(node.func).startswith(_MODELS):
            self._called |= {a.value for a in node.args}  # `weights=models.ResNet18_Weights.DEFAULT`
        self._making += self._makes_module(node)
        if self._asked(node):
            self._called.add(node.args[0].value)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        found = self._replace_call(original_node, updated_node)
        if not self._makes_module(original_node):
            return found
        self._making -= 1
        if self._making or self._classes or self.facts.sets_train or not isinstance(found, cst.Call):
            return found
        if self.facts.made(original_node.func) in self.facts.project.evaluating:
            return found  # its constructor says what is in training mode
        self._done(original_node, "Module.training", BEGINS)
        return parse_call(found, "set_train")

    def _makes_module(self, call: cst.Call) -> bool:
        """True if a call makes a module: of a class of the program's own, or a Sequential."""
        last = dotted(call.func).rpartition(".")[2]
        own = last in self.facts.module_classes and self.facts.made(call.func) == last
        name = self.facts.torch_name(call.func)
        return (
            own
            or name == "torch.nn.Sequential"
            or (name.startswith(_MODELS) and mapping.find(name) is not None)
        )

    def _replace_call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        name = self.facts.torch_name(original_node.func)
        inner = original_node.func
        if (
            isinstance(inner, cst.Call)
            and self.facts.torch_name(inner.func) in _MODES
            and len(updated_node.args) == 1
        ):
            return updated_node.args[0].value  # `torch.enable_grad()(closure)`
        asked = self._asked(original_node)
        if asked:
            answer = str(mapping.find(asked) is not None)
            self._done(original_node, f"hasattr {asked}", answer)
            return cst.Name(answer)
        if (
            dotted(inner) == "hasattr"
            and code(original_node.args[-1].value).strip("\"'") == "reset_parameters"
        ):
            self._leave(original_node, "Module.reset_parameters", "MindSpore's layers have no such method")
        if self._asks_for_parameter(original_node):
            self._done(original_node, "hasattr", "parameter_of")
            given = ", ".join(code(a.value) for a in updated_node.args)
            return self._take(parse(self.facts.ours("parameter_of(") + f"{given}) is not None"))
        base = self._base_of_super(original_node)
        try:
            if base is not None:
                return self._base_constructor(base, original_node, updated_node)
            if name:
                return self._call(name, original_node, updated_node)
            if self._is_transform(original_node.func):
                return self._call_of_transform(original_node, updated_node)
            updated_node = self.format_of_text(original_node, updated_node)
            updated_node = self._call_of_layer(original_node, updated_node)
            if isinstance(original_node.func, cst.Attribute) and isinstance(updated_node.func, cst.Attribute):
                return self._method(original_node, updated_node, original_node.func, updated_node.func)
        except UnportableError as reason:
            name = name or (base.name if base is not None else "")
            self._leave(original_node, name or f"Tensor.{original_node.func.attr.value}", str(reason))  # type: ignore[union-attr]
        return updated_node

    def _is_transform(self, node: cst.BaseExpression) -> bool:
        """True for transforms of images, as `transforms.ToTensor()` and names of such are."""
        made = self.facts.makers.get(dotted(node), set())
        found = {self.facts.torch_name(node.func)} if isinstance(node, cst.Call) else made
        rows = [mapping.find(name) for name in found if name]
        return bool(found) and len(rows) == len(found) and all(r and r.gives == "transform" for r in rows)

    def _call_of_transform(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """`to_tensor(image)`: a Tensor, where MindSpore's transforms give an array."""
        if len(updated.args) != 1:
            raise UnportableError("a transform of several images")
        self._done(original, "call of a transform", "transformed")
        given = f"{code(updated.func)}, {code(updated.args[0].value)}"
        return self._take(parse(self.facts.ours("transformed(") + f"{given})"))

    def _call_of_layer(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """`self.encoder(x, mask=mask)` of a layer whose arguments have other names in MindSpore."""
        func = dotted(original.func)
        made = self.facts.makers.get(func, set())
        layer = self.facts.layer(func.rpartition(".")[2]) or (next(iter(made)) if len(made) == 1 else "")
        row = mapping.find(layer) if layer else None
        if row is None or not any(
            a.keyword is not None and a.keyword.value in row.called for a in updated.args
        ):
            return updated
        args = []
        for arg in updated.args:
            new = row.called.get(arg.keyword.value) if arg.keyword is not None else None
            if new != "":
                args.append(arg if new is None else arg.with_changes(keyword=cst.Name(new)))
        if args:
            args[-1] = args[-1].with_changes(comma=updated.args[-1].comma)
        self._done(original, f"{row.name}.forward", "construct")
        return updated.with_changes(args=args)

    def _base_of_super(self, call: cst.Call) -> Row | None:
        """Return the row of the layer that `super().__init__(...)` makes in a class derived from it."""
        func = call.func
        if not (
            isinstance(func, cst.Attribute) and func.attr.value == "__init__" and self._classes and call.args
        ):
            return None
        of_super = isinstance(func.value, cst.Call) and dotted(func.value.func) == "super"
        row = mapping.find(self.facts.base_layers.get(self._classes[-1], "")) if of_super else None
        return row if row is not None and row.gives == MODULE and row.takes is not None else None

    def _base_constructor(self, row: Row, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """`super().__init__(n, m, bias)` of a layer of PyTorch's, with the arguments of MindSpore's."""
        if mapping.is_plain(row, self.api):
            return updated
        made = cst.ensure_type(self._filled(row, bind_arguments(row, updated.args)), cst.Call)
        if code(made.func) != self.facts.ours(mapping.place(row, self.api)):
            raise UnportableError(
                f"with these arguments it is {code(made.func)}, and not the class derived from"
            )
        self._done(original, row.name, code(made.func), difference(row, original.args))
        return self._take(laid_out_as(made, updated)).with_changes(func=updated.func)

    def _call(self, name: str, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if name in _NO_DEVICE:
            self._done(original, name, _NO_DEVICE[name])
            return parse(_NO_DEVICE[name])
        if name in _DEVICES:
            self._done(original, name, _TARGET)
            return self._take(parse(self.facts.ours(_TARGET)))
        if name in (*CASTS, *QUIET) and original not in self._handled:
            self._done(original, name, "", "nothing is cast and nothing is switched off")
            return self._take(parse(self.facts.ours("contextlib.nullcontext()")))
        if name == "torch.save":
            return self._save(original, updated)
        if name == "torch.load" and self.facts.project.saves_more:
            self._done(original, name, "load", "reads what `save` wrote, not PyTorch's files")
            self.needed.add("save")
            return parse(self.facts.ours("load(") + f"{code(updated.args[0].value)})")
        row = mapping.find(name)
        if name in TYPES and self._gives_size(original):
            row = mapping.rows()["torch.empty"]
            updated = self._with_dtype(updated, TYPES[name])
        if row is None:
            if not name.startswith(WITHOUT_EFFECT) and not (name in CASTS and original in self._handled):
                self._leave(original, name, "no counterpart in the table")
            return updated
        target = row.targets[self.api][0]
        if target == "LEFT":
            raise UnportableError(row.differs)
        if target == "WITHOUT":
            if original not in self._handled:
                self._leave(original, name, "not as a context or a decorator")
            return updated  # the statement around it goes
        updated = updated if "axis" in (row.takes or ()) else _with_own_names(updated)
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
        self._done(original, name, target.partition("(")[0], difference(row, original.args))
        if row.name in RECURRENT and self.facts.packs:
            found = cst.ensure_type(found, cst.Call)
            found = found.with_changes(func=self._of_packed(found.func))
        return self._take(laid_out_as(found, updated))

    def _with_lists(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """`torch.tensor(queue)` as of `list(queue)`: MindSpore makes no Tensor of a deque."""
        args = [
            new.with_changes(value=parse(f"list({code(new.value)})"))
            if self.facts.may_be_sequence(old.value)
            else new
            for old, new in zip(original.args, updated.args, strict=False)
        ]
        return updated.with_changes(args=[*args, *updated.args[len(args) :]])

    def _with_dtype(self, call: cst.Call, dtype: str) -> cst.Call:
        """`torch.LongTensor(2, 3)` as `torch.empty(2, 3, dtype=torch.int64)`."""
        if dtype == "float32":
            return call
        given = cst.Arg(parse(self.facts.ours(f"ms.{dtype}")), keyword=cst.Name("dtype"))
        return call.with_changes(args=[*call.args, given])

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


def _with_own_names(call: cst.Call) -> cst.Call:
    """`torch.sum(x, axis=1, keepdims=True)` under the names that PyTorch's pages give: functions take NumPy's, too."""
    others = {"axis": "dim", "keepdims": "keepdim"}
    args = [
        a.with_changes(keyword=cst.Name(others[a.keyword.value]))
        if a.keyword is not None and a.keyword.value in others
        else a
        for a in call.args
    ]
    return call.with_changes(args=args)


def parse_call(node: cst.BaseExpression, method: str) -> cst.Call:
    """Return the call of a method without arguments."""
    return cst.Call(cst.Attribute(node, cst.Name(method)))


def _is_axis(arg: cst.Arg) -> bool:
    """True for the axis of `torch.max(x, 1)`, False for the other Tensor of `torch.max(x, y)`."""
    return (arg.keyword is not None and arg.keyword.value == "dim") or isinstance(literal(arg.value), int)
