"""Rewriting of method calls, those of Tensors and of modules."""

from collections.abc import Sequence

import libcst as cst

from msjax.cli.port import mapping
from msjax.cli.port.facts import (
    ARRAY,
    MODEL_NAMES,
    MODULE,
    OPTIMIZER,
    OWN,
    PARAMETER,
    PARAMETER_NAMES,
    SEQUENCE,
    TENSOR,
    dotted,
)
from msjax.cli.port.mapping import Row
from msjax.cli.port.names import FORMATS, NameRewriter
from msjax.cli.port.patterns import (
    UnportableError,
    closed,
    code,
    laid_out_as,
    literal,
    parse,
)
from msjax.cli.port.patterns import bind as bind_arguments

_OF_MODULES = {
    name.removeprefix(mapping.MODULE) for name in mapping.rows() if name.startswith(mapping.MODULE)
}
TYPES = {
    "torch.Tensor": "float32", "torch.FloatTensor": "float32", "torch.LongTensor": "int64", "torch.IntTensor": "int32",
    "torch.DoubleTensor": "float64", "torch.HalfTensor": "float16", "torch.BoolTensor": "bool_", "torch.ByteTensor": "uint8",
}  # fmt: skip
_PLACES = ("device", "non_blocking", "copy", "memory_format")
IN_PLACE = {"zero_": "", "fill_": "", "add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}
DRAWS = {
    "normal_": (("mean", "std"), "ops.randn_like({x}) * {std} + {mean}"),
    "uniform_": (("a", "b"), "ops.rand_like({x}) * ({b} - {a}) + {a}"),
}
_MAY_SHARE = frozenset(
    "view view_as reshape reshape_as permute transpose t swapaxes swapdims movedim moveaxis squeeze unsqueeze flatten "
    "unflatten ravel narrow select expand expand_as broadcast_to diagonal detach contiguous to type type_as cpu cuda "
    "float double half bfloat16 long int bool split chunk unbind unfold as_tensor from_numpy requires_grad_".split()
)


class MethodRewriter(NameRewriter):
    """Rewrites calls of methods."""

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
        if attr == "forward" and code(func.value) == "self" and self._in_module():
            self._done(original, "Module.forward", "construct")
            return updated.with_changes(func=new_func.with_changes(attr=cst.Name("construct")))
        if (code(func.value) == "self" and attr not in _OF_MODULES) or attr in self.facts.layers:
            return updated  # a layer, or a method of the program's own
        if (
            kind in (ARRAY, "text", OWN, SEQUENCE)
            or self._is_own(original, kind, func)
            or (self.facts.imported(func.value) and not self.facts.torch_name(func.value))
        ):
            return updated
        if (
            original in self._alone
            and (attr in IN_PLACE or (attr in DRAWS and self.api == "mindspore"))
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
        makers = self.facts.makers.get(dotted(func.value), ())
        if attr in ("state_dict", "load_state_dict") and any(
            "torch.optim.lr_scheduler." in m for m in makers
        ):
            self._done(original, f"LRScheduler.{attr}", "state_of_schedule")
            self.needed.add("state_of_schedule")
            name = "load_schedule(" if attr == "load_state_dict" else "state_of_schedule("
            given = "".join(f", {code(a.value)}" for a in updated.args)
            return parse(self.facts.ours(name) + f"{code(new_func.value)}{given})")
        of_optimizer = kind == OPTIMIZER or (kind == "" and "opt" in dotted(func.value).lower())
        if attr in ("state_dict", "load_state_dict") and of_optimizer and "" not in makers:
            self._done(original, f"Optimizer.{attr}", "state_of_optimizer")
            self.needed.add("state_of_optimizer")
            name = "load_optimizer(" if attr == "load_state_dict" else "state_of_optimizer("
            given = "".join(f", {code(a.value)}" for a in updated.args)
            return parse(self.facts.ours(name) + f"{code(new_func.value)}{given})")
        if attr == "load_state_dict":
            return self._load(original, updated, new_func) or updated
        holder = dotted(func.value)
        of_sequence = {self.facts.layer(holder.rpartition(".")[2])} | self.facts.makers.get(holder, set())
        if attr == "add_module" and "torch.nn.Sequential" in of_sequence and len(updated.args) == 2:
            self._done(
                original, "Module.add_module", "append", "named by its number: MindSpore runs no other"
            )
            given = [updated.args[1].with_changes(keyword=None)]
            return updated.with_changes(func=new_func.with_changes(attr=cst.Name("append")), args=given)
        own_methods = frozenset().union(*self.facts.project.methods.values())
        if attr == "reset_parameters" and attr not in own_methods:
            raise UnportableError("MindSpore's layers draw their parameters once: make the layer anew")
        if attr == "type" and len(original.args) == 1:
            return self._type(original, updated, new_func)
        if attr == "to":
            return self._to(original, updated, new_func, kind)
        if attr == "step" and dotted(func.value) in self.facts.lbfgs and original.args:
            return updated  # of the class that the file gets
        if attr == "step" and dotted(func.value) in self.facts.own_optimizers:
            return updated
        if attr == "backward" or (attr == "step" and kind == "optimizer"):
            raise UnportableError("a training loop that is not in the form that is rewritten")
        if attr in ("zero_", "fill_") and self.api == "mindspore" and self._is_fresh(func.value):
            like = "zeros_like" if attr == "zero_" else "full_like"
            value = "".join(f", {code(a.value)}" for a in updated.args[:1])
            self._done(original, f"Tensor.{attr}", f"ops.{like}")
            return self._take(parse(self.facts.ours(f"ops.{like}(") + f"{code(new_func.value)}{value})"))
        attr = self._which_new(original) if attr == "new" else attr
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
        if target == "self":
            found: cst.BaseExpression = new_func.value
        elif row.takes is None or target == f"self.{attr}":
            found = updated.with_changes(func=new_func.with_changes(attr=cst.Name(target.rpartition(".")[2])))
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

    def _which_new(self, call: cst.Call) -> str:
        """`x.new(2, 3)` makes a Tensor of a size, `x.new([2.0, 3.0])` of data."""
        values = [a.value for a in call.args]
        if len(values) == 1 and isinstance(values[0], cst.List | cst.ListComp):
            return "new_tensor"
        if len(values) == 1 and isinstance(values[0], cst.Name):
            raise UnportableError(f"`{code(values[0])}` may be a size or data")
        return "new"

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

    def _is_own(self, call: cst.Call, kind: str, func: cst.Attribute) -> bool:
        """True if a method may be one that the program's own classes define, and what has it is not known."""
        own, attr = self.facts.project.own_methods, func.attr.value
        if kind == MODULE:  # a module may have its own `size`, but `parameters` is all modules'
            own = frozenset().union(
                *[self.facts.project.methods.get(name, frozenset()) for name in self.facts.module_classes]
            ) - {"forward"}
        found = attr in own and kind in ("", MODULE)
        row = mapping.rows().get(mapping.TENSOR + attr)
        if found and kind == "" and row is not None and row.targets[self.api][0] != f"self.{attr}":
            note = f"`{code(func.value)}` is taken for an object of the program's own"
            self._done(call, f"Tensor.{attr}", "", note)
        return found

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

    def _load(self, original: cst.Call, updated: cst.Call, func: cst.Attribute) -> cst.BaseExpression | None:
        """`net.load_state_dict(torch.load(path))`."""
        if not updated.args or not code(updated.args[0].value).startswith(
            self.facts.ours("ms.load_checkpoint(")
        ):
            return None
        self._done(original, "Module.load_state_dict", "ms.load_param_into_net")
        given = f"{code(func.value)}, {code(updated.args[0].value)}"
        return parse(self.facts.ours("ms.load_param_into_net(") + f"{given})")

    def _to(
        self, original: cst.Call, updated: cst.Call, func: cst.Attribute, kind: str
    ) -> cst.BaseExpression:
        """`x.to(...)`: devices go, dtypes stay."""
        dtypes = []
        for old, arg in zip(original.args, updated.args, strict=True):
            name = arg.keyword.value if arg.keyword is not None else ""
            full = self.facts.torch_name(old.value)
            text = code(old.value)
            if full in FORMATS:
                continue
            if name == "dtype" or full or "dtype" in text.lower():
                dtypes.append(arg.value)
            elif self.facts.kind(old.value) in (TENSOR, PARAMETER) or text in PARAMETER_NAMES:
                dtypes.append(parse(f"{code(closed(arg.value))}.dtype"))
            elif name not in _PLACES and not _is_device(text) and not isinstance(literal(old.value), bool):
                raise UnportableError(f"`{text}` may be a device, a dtype or a Tensor")
        if not dtypes:
            self._done(original, "Tensor.to", "nothing: MindSpore places Tensors itself")
            return func.value
        if kind == MODULE:
            self._done(original, "Module.to", "of_dtype")
            return self._take(parse(self.facts.ours("of_dtype(") + f"{code(func.value)}, {code(dtypes[0])})"))
        self._done(original, "Tensor.to", "self.astype(dtype)")
        return parse(f"{code(func.value)}.astype({code(dtypes[0])})")

    def _type(self, original: cst.Call, updated: cst.Call, func: cst.Attribute) -> cst.BaseExpression:
        """`x.type(torch.LongTensor)`, `x.type("torch.LongTensor")`: the dtype of such Tensors."""
        value = literal(original.args[0].value)
        name = value if isinstance(value, str) else self.facts.torch_name(original.args[0].value)
        dtype = TYPES.get(name.replace(".cuda.", "."), "" if name.endswith("Tensor") else None)
        if dtype == "":
            raise UnportableError("no counterpart in the table")
        self._done(original, "Tensor.type", "self.astype(dtype)")
        given = code(updated.args[0].value) if dtype is None else self.facts.ours(f"ms.{dtype}")
        return self._take(parse(f"{code(func.value)}.astype({given})"))

    def _requires_grad(self, original: cst.Call, func: cst.Attribute) -> cst.BaseExpression:
        if original in self._alone:
            return original  # the statement around it is rewritten
        self._done(original, "Tensor.requires_grad_", "ms.Parameter")
        return self._take(parse(self.facts.ours("ms.Parameter(") + f"{code(func.value)})"))


def _is_device(text: str) -> bool:
    last = text.rpartition(".")[2].strip("\"'").partition(":")[0].lower()
    return "device" in last or last in ("cuda", "cpu", "mps", "rank", "gpu", "local_rank", "xpu")
