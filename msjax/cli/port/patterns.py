"""Arguments of a PyTorch call, put into the pattern of a target."""

import ast
import functools
import re
from collections.abc import Callable, Mapping, Sequence

import libcst as cst

from msjax.cli.port.mapping import Row


class UnportableError(Exception):
    """A use that has no counterpart; its text is the reason."""


class OtherPatternError(UnportableError):
    """A use that one target has no place for; the next one may have it."""


def code(node: cst.CSTNode) -> str:
    """Return the source of an expression."""
    return cst.Module([]).code_for_node(node)


def literal(node: cst.BaseExpression) -> object:
    """Return the value of a literal, or `...` for what is none."""
    try:
        return ast.literal_eval(f"({code(node)})")
    except (ValueError, SyntaxError):
        return ...


def bind(row: Row, args: Sequence[cst.Arg]) -> dict[str, cst.BaseExpression]:
    """Return what a call gives for each of PyTorch's parameters.

    Raises:
        UnportableError: if it cannot be known, or is nothing that PyTorch takes.
    """
    assert row.takes is not None
    given: dict[str, cst.BaseExpression] = {}
    names = [n for n in row.takes if n != row.gathered]
    several: list[cst.Arg] = []
    for arg in args:
        if arg.star == "**":
            raise UnportableError("its arguments are in a dictionary (**)")
        if arg.keyword is not None:
            given[arg.keyword.value] = arg.value
        elif row.gathered:
            several.append(arg)
        elif arg.star:
            raise UnportableError("its arguments are in a sequence (*)")
        elif names:
            given[names.pop(0)] = arg.value
        else:
            raise UnportableError("it has more arguments than PyTorch takes")
    if len(several) == 1 and not several[0].star:
        given[row.gathered] = several[0].value
    elif several:
        one_line = [cst.Element(a.value) if not a.star else cst.StarredElement(a.value) for a in several]
        given[row.gathered] = cst.Tuple(one_line)
    return given


def fill(row: Row, patterns: Sequence[str], given: Mapping[str, cst.BaseExpression]) -> cst.BaseExpression:
    """Return the first pattern that has a place for everything given, with it in place.

    Raises:
        UnportableError: if none has.
    """
    defaults = row.takes or {}
    rest: set[str] = set()
    reason = UnportableError("not with these arguments")
    for pattern in patterns:
        tree = cst.parse_expression(pattern)
        known = _mentioned(tree)
        rest = {
            n
            for n, value in given.items()
            if n not in known and n not in row.drop and not _is_default(value, defaults.get(n))
        }
        values = dict(given)
        for n in known & row.write - set(given):
            text = defaults[n]
            assert text is not None, (row.name, n)
            values[n] = given[text] if text in given else cst.parse_expression(text)
        if rest or (_required(tree) & set(defaults)) - set(values):
            continue
        try:
            return _adjust(cst.ensure_type(tree.visit(_Filler(values, set(defaults))), cst.BaseExpression))
        except OtherPatternError as found:
            reason = found
    if not rest:
        raise reason
    raise UnportableError(f"no place for {', '.join(f'`{n}`' for n in sorted(rest))}")


def difference(row: Row, args: Sequence[cst.Arg]) -> str:
    """Return what is different about a rewritten call, "" if that is about arguments that it does not give."""
    if not row.differs_with or any(a.star for a in args):
        return row.differs
    given, defaults = bind(row, args), row.takes or {}
    differs = any(n in given and not _is_default(given[n], defaults.get(n)) for n in row.differs_with)
    return row.differs if differs else ""


def _is_default(value: cst.BaseExpression, default: str | None) -> bool:
    return default is not None and repr(literal(value)) == repr(literal(cst.parse_expression(default)))


def _mentioned(node: cst.CSTNode) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(f"({code(node)})")) if isinstance(n, ast.Name)}


def _required(node: cst.CSTNode) -> set[str]:
    """Return the names that stand elsewhere than in an argument by keyword."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(code(node))]
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Name):
            found.add(n.id)
        kept = [
            c
            for c in ast.iter_child_nodes(n)
            if not isinstance(c, ast.keyword) or "REQUIRED" in ast.unparse(c)
        ]
        todo += [c for c in kept if not (isinstance(c, ast.Name) and c.id == "REQUIRED")]
    return found


_NONE = cst.Name("LEAVE_OUT")  # instead of an argument that MindSpore does not need


class _Filler(cst.CSTTransformer):
    """Puts values in place of names, and leaves arguments out that have none."""

    def __init__(self, values: Mapping[str, cst.BaseExpression], names: set[str]) -> None:
        self.values = values
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        value = self.values.get(updated_node.value)
        return updated_node if value is None else value

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return updated_node.with_changes(attr=original_node.attr, value=closed(updated_node.value))

    def leave_Subscript(
        self, original_node: cst.Subscript, updated_node: cst.Subscript
    ) -> cst.BaseExpression:
        return updated_node.with_changes(value=closed(updated_node.value))

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg | cst.RemovalSentinel:
        if original_node.keyword is None:
            return updated_node
        missing = (_mentioned(original_node.value) & self.names) - set(self.values)
        return (
            cst.RemoveFromParent()
            if missing or updated_node.value is _NONE
            else updated_node.with_changes(keyword=original_node.keyword)
        )

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        args = list(updated_node.args)
        if args:
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        updated_node = updated_node.with_changes(args=args)
        name = updated_node.func.value if isinstance(updated_node.func, cst.Name) else ""
        if name not in CONVERSIONS or (_mentioned(original_node.args[0].value) & self.names) - set(
            self.values
        ):
            return updated_node
        return CONVERSIONS[name](args[0].value)

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        if isinstance(updated_node.operator, cst.Subtract):
            left, right = literal(updated_node.left), literal(updated_node.right)
            if isinstance(left, int | float) and isinstance(right, int | float):
                return cst.parse_expression(repr(round(left - right, 12)))
        return updated_node.with_changes(
            left=closed(updated_node.left, False), right=closed(updated_node.right, False)
        )


def closed(node: cst.BaseExpression, before_dot: bool = True) -> cst.BaseExpression:
    """Return an expression in parentheses, if it needs them in front of a dot, or else beside an operator."""
    simple = (
        cst.Name,
        cst.Attribute,
        cst.Call,
        cst.Subscript,
        cst.Tuple,
        cst.List,
        cst.Dict,
        cst.SimpleString,
    )
    if (
        isinstance(node, simple)
        or node.lpar
        or (not before_dot and isinstance(node, cst.Integer | cst.Float))
    ):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _adjust(node: cst.BaseExpression) -> cst.BaseExpression:
    """Write the padding of a convolution that PyTorch names ("same", "valid") as MindSpore's `pad_mode`."""
    if not isinstance(node, cst.Call):
        return node
    named = {a.keyword.value: a for a in node.args if a.keyword is not None}
    if "pad_mode" not in named or "padding" not in named:
        return node
    if not isinstance(named["padding"].value, cst.SimpleString):
        return node
    args = [a for a in node.args if a is not named["padding"]]
    args = [a.with_changes(value=named["padding"].value) if a is named["pad_mode"] else a for a in args]
    args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(args=args)


def parse(text: str) -> cst.BaseExpression:
    """Return the expression that a text is."""
    # Inside of parentheses an expression may go over several lines.
    return cst.parse_expression(f"({text})" if "\n" in text else text)


def _elements(node: cst.BaseExpression) -> list[str] | None:
    if isinstance(node, cst.Tuple | cst.List):
        return [code(e.value) for e in node.elements]
    return None


_SEVERAL = ("shape", "size", "dims", "axes")


def _as_tuple(node: cst.BaseExpression) -> cst.BaseExpression:
    parts = _elements(node)
    if isinstance(node, cst.Tuple):
        return node
    if parts is not None:
        return parse(f"({', '.join(parts)}{',' if len(parts) == 1 else ''})")
    text = code(node)
    if any(text.endswith((word, f"{word}s")) for word in _SEVERAL) or (".shape[" in text and ":" in text):
        return node
    return parse(f"({text},)")


def _both_sides(node: cst.BaseExpression) -> cst.BaseExpression:
    parts = _elements(node)
    return node if parts is None else parse(f"({', '.join(p for part in parts for p in (part, part))})")


def _as_float(node: cst.BaseExpression) -> cst.BaseExpression:
    value = literal(node)
    parts = _elements(node)
    if isinstance(value, float) or value is None:
        return node
    if isinstance(value, int):
        return parse(repr(float(value)))
    if parts is not None:
        return parse(f"({', '.join(code(_as_float(parse(p))) for p in parts)})")
    return parse(f"float({code(node)})")


def _number_as_float(node: cst.BaseExpression) -> cst.BaseExpression:
    """`1` as `1.0`, where a Tensor may stand, too."""
    return _as_float(node) if isinstance(literal(node), int) else node


def _as_size(node: cst.BaseExpression) -> cst.BaseExpression:
    """`[2, 3]` as `(2, 3)`; a name holds a tuple already."""
    return _as_tuple(node) if isinstance(node, cst.List) else node


def _as_int(node: cst.BaseExpression) -> cst.BaseExpression:
    value = literal(node)
    return parse(repr(int(value))) if isinstance(value, int | float) else parse(f"int({code(node)})")


def _is_tanh(node: cst.BaseExpression) -> cst.BaseExpression:
    value = literal(node)
    return parse(repr(value == "tanh")) if value is not ... else parse(f'{code(closed(node))} == "tanh"')


def _first_axis(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the axis where a shape begins that is not of one axis."""
    shape = _as_tuple(node)
    parts = _elements(shape)
    if parts is None:
        raise OtherPatternError(
            f"whether `{code(node)}` is one axis or several is not known (begin_norm_axis)"
        )
    if len(parts) > 1:
        raise OtherPatternError("MindSpore counts the first of several axes from the front (begin_norm_axis)")
    return _NONE


def _order(node: cst.BaseExpression) -> cst.BaseExpression:
    return _NONE if literal(node) in (2, "fro") else node


def _dtype_of(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the dtype that PyTorch gives a number."""
    value = literal(node)
    if isinstance(value, bool):
        return parse("ms.bool_")
    if isinstance(value, int | float):
        return parse("ms.int64" if isinstance(value, int) else "ms.float32")
    return parse(f"ms.Tensor({code(node)}).dtype")


def _given_dtype(node: cst.BaseExpression) -> cst.BaseExpression:
    """The dtype of a layer's parameters; None, which an argument passed on may be, stands for float32."""
    if literal(node) is None:
        return _NONE
    name = code(node)
    return parse(f"ms.float32 if {name} is None else {name}") if isinstance(node, cst.Name) else node


def _trainable(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the parameters that an optimizer gets: `trainable_params()` wherever `parameters()` stood."""
    changed = cst.ensure_type(node.visit(_Trainable()), cst.BaseExpression)
    is_call = isinstance(changed, cst.Call) and not code(changed).endswith(".trainable_params()")
    changed = parse(f"list({code(changed)})") if is_call or isinstance(changed, cst.GeneratorExp) else changed
    holders = set(re.findall(r"([\w.]+)\.trainable_params\(\)", code(changed)))
    roots = {holder if holder.startswith("self.") else holder.partition(".")[0] for holder in holders}
    return parse(f"named_apart({code(changed)})") if len(roots) > 1 else changed


class _Trainable(cst.CSTTransformer):
    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        called = code(updated_node.func)  # parameters alone: a program takes the names of others apart
        every = called.endswith("parameters_of") and not called.endswith("named_parameters_of")
        if not every or len(updated_node.args) != 1:
            return updated_node
        return parse(f"{code(closed(updated_node.args[0].value))}.trainable_params()")


_INTERPOLATIONS = {0: "NEAREST", 2: "BILINEAR", 3: "BICUBIC"}


def _interpolation(node: cst.BaseExpression) -> cst.BaseExpression:
    """torchvision's `InterpolationMode.BICUBIC`, or Pillow's number, as MindSpore's `vision.Inter.BICUBIC`."""
    value, text = literal(node), code(node)
    last = _INTERPOLATIONS.get(value) if isinstance(value, int) else text.rpartition(".")[2]
    if last not in _INTERPOLATIONS.values():
        raise UnportableError(f"which interpolation `{text}` is, is not known")
    return parse(f"vision.Inter.{last}")


def _around(node: cst.BaseExpression, middle: int) -> cst.BaseExpression:
    """The range of a factor: `0.4` stands for from 0.6 to 1.4; a tuple is a range already."""
    value = literal(node)
    if isinstance(value, tuple | list) or (isinstance(value, int | float) and value == 0):
        return node if value else parse(f"({middle}, {middle})")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low = max(0, round(middle - value, 12)) if middle else -value
        return parse(f"({low}, {round(middle + value, 12)})")
    raise UnportableError(f"whether `{code(node)}` is a number or a range is not known")


def _usage(node: cst.BaseExpression) -> cst.BaseExpression:
    """`train=True` as `usage="train"`."""
    value = literal(node)
    if isinstance(value, bool):
        return parse('"train"' if value else '"test"')
    return parse(f'"train" if {code(node)} else "test"')


def _only_false(node: cst.BaseExpression) -> cst.BaseExpression:
    """Leave an argument out that MindSpore has no counterpart of, and that is off."""
    if literal(node) is not False:
        raise UnportableError("the momentum moves with the learning rate, but with cycle_momentum=False")
    return _NONE


def _as_list(node: cst.BaseExpression) -> cst.BaseExpression:
    """A list of what a generator or a call gives."""
    if isinstance(node, cst.GeneratorExp):
        return cst.ListComp(elt=node.elt, for_in=node.for_in)
    return parse(f"list({code(node)})") if isinstance(node, cst.Call) else node


def _one_input(node: cst.BaseExpression) -> cst.BaseExpression:
    """The input of a module, which is called with it alone."""
    if isinstance(node, cst.Tuple):
        raise UnportableError("several inputs: call the module with them")
    return node


def _no_decay(node: cst.BaseExpression) -> cst.BaseExpression:
    """The parameters of AdamW in place of Adam, whose decay of weights is another."""
    if "weight_decay" in code(node):
        raise OtherPatternError("decay of weights in groups is another in AdamW")
    return node


def _whole(node: cst.BaseExpression) -> cst.BaseExpression:
    """`recompute_scale_factor=True`, which MindSpore asks for, and which is the same for whole factors."""
    values = literal(node)
    for value in values if isinstance(values, tuple | list) else [values]:
        if isinstance(value, float) and value != int(value):
            raise UnportableError("MindSpore computes a scale_factor that is no whole number from the sizes")
    return parse("True")


def _pretrained(node: cst.BaseExpression) -> cst.BaseExpression:
    """`weights="DEFAULT"`, `pretrained=True`: whether a network begins with weights from a file."""
    value = literal(node)
    if value is None or value is False:
        return _NONE
    return parse(
        "True"
        if value is True or isinstance(value, str) or "_Weights" in code(node)
        else f"bool({code(node)})"
    )


CONVERSIONS: Mapping[str, Callable[[cst.BaseExpression], cst.BaseExpression]] = {
    "AS_TUPLE": _as_tuple,
    "BOTH_SIDES": _both_sides,
    "AS_FLOAT": _as_float,
    "AS_INT": _as_int,
    "NUMBER_AS_FLOAT": _number_as_float,
    "AS_SIZE": _as_size,
    "AS_LIST": _as_list,
    "IS_TANH": _is_tanh,
    "DDOF": _as_int,
    "FIRST_AXIS": _first_axis,
    "ORD": _order,
    "TRAINABLE": _trainable,
    "REQUIRED": lambda node: node,
    "DTYPE_OF": _dtype_of,
    "GIVEN_DTYPE": _given_dtype,
    "INTERPOLATION": _interpolation,
    "AROUND_ONE": lambda node: _around(node, 1),
    "AROUND_ZERO": lambda node: _around(node, 0),
    "USAGE": _usage,
    "ONLY_FALSE": _only_false,
    "ONE_INPUT": _one_input,
    "NO_DECAY": _no_decay,
    "WHOLE": _whole,
    "PRETRAINED": _pretrained,
    "JUST": lambda node: node,
}


@functools.cache
def first_names(pattern: str) -> frozenset[str]:
    """Return the names that a pattern begins expressions with: {"nn"} for "nn.Dense(n, m)"."""
    return frozenset(_mentioned(parse(pattern)))


def laid_out_as(new: cst.BaseExpression, old: cst.Call) -> cst.BaseExpression:
    """Return a call broken into lines as the one that it replaces, with the comments between its arguments."""
    if not isinstance(new, cst.Call) or not new.args or "\n" not in code(old):
        return new
    broken = any(isinstance(a.comma, cst.Comma) and "\n" in code(a.comma) for a in old.args)
    if not broken and "\n" not in code(old.with_changes(args=[], func=cst.Name("f"))):
        return new
    between = [a.comma for a in old.args[:-1]] or [cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))]
    args = [a.with_changes(comma=between[min(i, len(between) - 1)]) for i, a in enumerate(new.args[:-1])]
    last = old.args[-1] if old.args else cst.Arg(cst.Name("x"))
    args.append(new.args[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg))
    return new.with_changes(args=args, whitespace_before_args=old.whitespace_before_args)


def dotted_names(pattern: str) -> set[str]:
    """Return the names with dots in a pattern: {"nn.Dense"} for "nn.Dense(n, m)".

    Examples:
        >>> from msjax.cli.port import patterns
        >>> patterns.dotted_names("nn.Dense(in_features, dtype=self.dtype)")
        {'nn.Dense'}
    """
    found = {ast.unparse(n.func) for n in ast.walk(ast.parse(pattern)) if isinstance(n, ast.Call)}
    if pattern.replace(".", "").isidentifier():
        found.add(pattern)
    return {name for name in found if "." in name and "(" not in name}
