"""Rewriting of names and attributes: properties of Tensors, parameters of layers, learning rates of groups."""

import string

import libcst as cst
from libcst import matchers as m

from msjax.cli.port import mapping
from msjax.cli.port.facts import (
    ARRAY,
    MODULE,
    PAIR,
    PARAMETER,
    PARAMETER_NAMES,
    TENSOR,
    dotted,
)
from msjax.cli.port.mapping import Row
from msjax.cli.port.patterns import (
    closed,
    code,
    fill,
    first_names,
    literal,
    parse,
)
from msjax.cli.port.uses import UseRewriter

_PARAMETERS = {"weight", "bias", "running_mean", "running_var"}
_STATISTICS = {"running_mean": "moving_mean", "running_var": "moving_variance"}
_VALUES = {"inf": 'float("inf")', "nan": 'float("nan")', "pi": "3.141592653589793", "e": "2.718281828459045"}
_FEATURES = {"out_features": 0, "in_features": 1}  # of Linear: nn.Dense has other names, mint.nn.Linear these
RECURRENT = ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN")
_REDUCTIONS = ("mean", "sum", "max", "min", "norm", "double", "float")  # methods of what is a Tensor then
SEVERAL = "several layers"  # whose parameters have different names
_TABLE_SIZES = {"num_embeddings": 0, "embedding_dim": 1}  # of Embedding, likewise
FORMATS = (
    "torch.channels_last",
    "torch.channels_last_3d",
    "torch.contiguous_format",
    "torch.preserve_format",
)


def _parameters(layer: str) -> tuple[tuple[str, str], ...]:
    """Return the new names of a layer's weight and bias."""
    row = mapping.find(layer)
    names = (row.parameters or {}) if row is not None else {}
    return tuple((name, names[name]) for name in ("weight", "bias") if name in names)


def _with_list(element: cst.SubscriptElement) -> cst.SubscriptElement:
    """Return an index in which `range(n)` is a list."""
    index = element.slice
    if not m.matches(index, m.Index(m.Call(m.Name("range")))):
        return element
    value = parse(f"list({code(cst.ensure_type(index, cst.Index).value)})")
    return element.with_changes(slice=cst.ensure_type(index, cst.Index).with_changes(value=value))


class NameRewriter(UseRewriter):
    """Rewrites names and attributes."""

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
        if len(updated_node.slice) > 1:  # `x[range(3), y]`: MindSpore takes lists
            updated_node = updated_node.with_changes(slice=list(map(_with_list, updated_node.slice)))
            updated_node = self._number_first(original_node, updated_node)
        if original_node in self._called or not self._is_rate(original_node):
            return updated_node
        self._done(original_node, "Optimizer.param_groups", "float of a learning rate")
        return parse(f"float({code(updated_node)})")

    def _number_first(self, original: cst.Subscript, updated: cst.Subscript) -> cst.Subscript:
        """Write `x[0][:, y]` for `x[0, :, y]`: in MindSpore, as in NumPy, a number counts as one of the Tensors' places."""
        numbers, places, others = [], [], []
        new_axes = []  # of the others, `None` and `...`
        tensors = []  # of the places, those that are known to be Tensors
        for i, element in enumerate(original.slice):
            value = element.slice.value if isinstance(element.slice, cst.Index) else None
            if value is None:
                others.append(i)
            elif m.matches(value, m.Name("None") | m.Ellipsis()):
                others.append(i)
                new_axes.append(i)
            elif type(literal(value)) is int:
                numbers.append(i)
            elif (kind := self.facts.kind(value)) in ("", TENSOR) or isinstance(value, cst.List):
                places.append(i)
                tensors += [i] if kind == TENSOR else []
        if not numbers or not places or self.facts.kind(original.value) == ARRAY:
            return updated
        first, *_, last = sorted(numbers + places)
        if not any(first < i < last for i in others):
            return updated
        if original in self._called or any(i < numbers[-1] for i in new_axes):
            if tensors:
                reason = "a number apart from a Tensor comes first in PyTorch and is one of its places in MindSpore"
                self._leave(original, "Tensor.__getitem__", reason)
            return updated
        self._done(original, "Tensor.__getitem__", "number before the Tensor")
        texts = [code(e.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for e in updated.slice]
        ahead = [text if i in numbers else ":" for i, text in enumerate(texts[: numbers[-1] + 1])]
        rest = [text for i, text in enumerate(texts) if i not in numbers]
        found = parse(f"{code(closed(updated.value))}[{', '.join(ahead)}][{', '.join(rest)}]")
        return cst.ensure_type(found, cst.Subscript)

    def leave_FormattedStringExpression(
        self, original_node: cst.FormattedStringExpression, updated_node: cst.FormattedStringExpression
    ) -> cst.FormattedStringExpression:
        """`f"{loss:.3f}"`: MindSpore's Tensors take no format."""
        spec = "".join(code(part) for part in original_node.format_spec or ())
        value = self._formatted(original_node.expression, updated_node.expression, spec)
        return updated_node.with_changes(expression=value)

    def _formatted(
        self, original: cst.BaseExpression, updated: cst.BaseExpression, spec: str
    ) -> cst.BaseExpression:
        """Write a Tensor that gets the format of a number as a number."""
        if spec[-1:] not in tuple("eEfFgG%") or not self._may_be_scalar(original):
            return updated
        self._done(original, "Tensor.__format__", "format of a float")
        return parse(f"float({code(updated)})")

    def format_of_text(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """`"{:.3f}".format(loss)`, likewise."""
        func = original.func
        text = (
            literal(func.value) if isinstance(func, cst.Attribute) and func.attr.value == "format" else None
        )
        if not isinstance(text, str):
            return updated
        try:
            fields = [
                (name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name is not None
            ]
        except ValueError:
            return updated
        numbered = {name or str(i): spec for i, (name, spec) in enumerate(fields)}
        args = []
        for i, (old, new) in enumerate(zip(original.args, updated.args, strict=True)):
            spec = numbered.get(old.keyword.value if old.keyword is not None else str(i), "")
            args.append(
                new if old.star else new.with_changes(value=self._formatted(old.value, new.value, spec))
            )
        return updated.with_changes(args=args)

    def _may_be_scalar(self, node: cst.BaseExpression) -> bool:
        """Return True if what a text shows may be a Tensor of one element."""
        kind, name = self.facts.kind(node), dotted(node)
        if isinstance(node, cst.BinaryOperation) and not kind:
            return self._may_be_scalar(node.left)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and not kind:
            return node.func.attr.value in _REDUCTIONS
        norm = "torch.nn.utils.clip_grad_norm_" in self.facts.makers.get(name, ())
        return kind == TENSOR or norm or (not kind and "loss" in name.rpartition(".")[2].lower())

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
        if attr == "grad" and self.facts.keeps and "grad" not in self.facts.project.own_attributes:
            self._done(original_node, "Tensor.grad", "a gradient that the parameter keeps")
            return parse(f'getattr({code(updated_node.value)}, "grad", None)')
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
        if name in FORMATS:
            return updated  # an argument that goes
        if row is None or row.targets[self.api][0] == "WITHOUT":
            if row is not None and original in self._handled:
                return updated  # a decorator that goes
            if not name.startswith("torch.backends."):
                asked = name in ("torch", "torch.nn", "torch.nn.functional", "torch.optim")
                reason = (
                    "which of its names is meant is not known" if asked else "no counterpart in the table"
                )
                self._leave(original, name, reason)
            return updated
        value = row.targets[self.api][0] == "VALUE"
        target = _VALUES[last] if value else self.facts.ours(mapping.place(row, self.api))
        if name == "torch.Tensor":
            target = self.facts.ours("ms.Tensor")
        self._done(original, name, target)
        found = self._take(parse(target))
        return self._of_packed(found) if row.name in RECURRENT and self.facts.packs else found

    def _of_packed(self, layer: cst.BaseExpression) -> cst.BaseExpression:
        """`of_packed(nn.GRU)`: the layer for sequences without padding, too."""
        return self._take(parse(self.facts.ours("of_packed(") + f"{code(layer)})"))

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
            several = kinds.elements if isinstance(kinds, cst.Tuple) else [cst.Element(kinds)]
            names = [self.facts.torch_name(kind.value) for kind in several]
            found[dotted(test.args[0].value)] = names[0] if len({*map(_parameters, names)}) == 1 else SEVERAL
        elif isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
            return {**self._refinement(test.left), **self._refinement(test.right)}
        elif self._asks_for_parameter(test):
            found[dotted(cst.ensure_type(test, cst.Call).args[0].value)] = SEVERAL
        elif ".find(" in code(test):
            found["m"] = "torch.nn.BatchNorm2d" if "BatchNorm" in code(test) else ""
        return {k: v for k, v in found.items() if v}

    def _asks_for_parameter(self, node: cst.BaseExpression) -> bool:
        """True for `hasattr(m, "weight")` of something that may be any layer."""
        if not isinstance(node, cst.Call) or dotted(node.func) != "hasattr" or len(node.args) != 2:
            return False
        holder = dotted(node.args[0].value)
        known = not holder or holder == "self" or self.facts.kind(node.args[0].value) not in ("", MODULE)
        return self.api == "mindspore" and not known and literal(node.args[1].value) in ("weight", "bias")

    def _is_embedding(self, node: cst.BaseExpression) -> bool:
        return self.facts.layer(dotted(node).rpartition(".")[2]) == "torch.nn.Embedding"

    def _layer_of_parameter(self, node: cst.Attribute) -> str:
        """Return the layer of PyTorch's whose parameter an attribute may be, `SEVERAL` if it is one of several."""
        holder = dotted(node.value)
        layer = next((r[holder] for r in reversed(self._refined) if holder in r), "")
        layer = layer or (self.facts.layer(holder.rpartition(".")[2]) if holder != "self" else "")
        shared = layer == SEVERAL and (self.api == "mint" or node.attr.value not in ("weight", "bias"))
        return "" if shared else layer

    def _parameter(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        attr = original.attr.value
        if attr in _FEATURES and attr not in self.facts.project.own_attributes:
            self._done(original, f"torch.nn.Linear.{attr}", f"weight.shape[{_FEATURES[attr]}]")
            return parse(f"{code(updated.value)}.weight.shape[{_FEATURES[attr]}]")
        if self.api == "mindspore" and attr in _TABLE_SIZES and self._is_embedding(original.value):
            self._done(original, f"torch.nn.Embedding.{attr}", f"embedding_table.shape[{_TABLE_SIZES[attr]}]")
            return parse(f"{code(updated.value)}.embedding_table.shape[{_TABLE_SIZES[attr]}]")
        if self.api == "mint" or attr not in _PARAMETERS:
            return updated
        layer = self._layer_of_parameter(original)
        if layer == SEVERAL and original in self._called:
            return updated  # the statement around it is rewritten
        if layer == SEVERAL:
            self._done(original, f"Module.{attr}", "parameter_of")
            return self._take(parse(self.facts.ours("parameter_of(") + f'{code(updated.value)}, "{attr}")'))
        row = mapping.find(layer)
        new = (row.parameters or {}).get(attr) if row is not None else None
        if new is None and not layer and attr not in self.facts.project.own_attributes | self.facts.buffers:
            new = _STATISTICS.get(attr)  # of a layer that is not known, but only normalization has them
            layer = "torch.nn.BatchNorm2d"
        if new is None:
            return updated
        self._done(original, f"{layer}.{attr}", new)
        return parse(f"{code(updated.value)}.{new}")
