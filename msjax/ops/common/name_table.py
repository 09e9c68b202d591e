"""Name tables: operators under MindSpore's many names, each written as a row of text and made on first use.

`ops.add`, `Tensor.add`, `Tensor.add_`, `mint.add` and `ops.Add()` reach one function. What differs stands in tables of one
grammar, which :func:`read_table` reads::

    math.arithmetic: abs neg Sub=sub                     names of functions of a module; `Sub` is its function `sub`
        Square=square                                    (an indented line continues)
    here: SequenceMul=times                              names of functions of the module where the table stands
    arcsin(x: input) -> math.trigonometric.asin          a function: name, signature, target
    ReduceAll(keep_dims=False)(x: input, axis=()) -> reduction.reduction.all     a class: name, settings, signature
    Cummax(axis)(...) -> reduction.cumulative.cummax     (...) is the target's signature, less the settings
    mean(self: x, axis: axis | dim = None, dtype: _ = None) -> reduction.reduction.mean
        if dtype is not None: self = astype(self, dtype)
    MedianExt(input) -> mint.median(input)               an expression for the result, in place of a target
    # a comment

An annotation of a parameter is the target's name for it, where that differs, and then other spellings that are accepted
as keywords: `axis: axis | dim`. `_` stands for none: the parameter is not passed on. `*shape` takes one sequence as well,
and `shape=` as a keyword. Indented lines are Python that runs before the call; they may rebind parameters, and return.
"""

import __future__

import functools
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks, setting_checks
from msjax.ops.common.primitive_class import Primitive
from msjax.public_api.old_spellings import UNSET, optional

_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_MANY = inspect.Parameter.VAR_POSITIONAL


# ---------------------------------------------------------------------- reading


@dataclass(frozen=True)
class Row:
    """One name of an operator.

    Args:
        name: "ReduceMax".
        target: the function that it calls, as a path: "reduction.min_max.amax"; or an expression: "mint.median(input)".
        settings: parameters of the constructor, for a class: "(keep_dims=False)".
        signature: "(x: input, axis=())", with the target's names as annotations; "" is that of the target.
        before_call: lines of Python: "axis = axis or None".
    """

    name: str
    target: str = ""
    settings: str = "()"
    signature: str = ""
    before_call: str = ""

    def mentions(self, word: str) -> bool:
        """Return True if the text of the row contains the word."""
        text = f"{self.target} {self.settings} {self.signature} {self.before_call}"
        return re.search(rf"\b{word}\b", text) is not None


class Signature(NamedTuple):
    """Parameters as a row writes them.

    Args:
        parameters: without annotations.
        renames: the target's names of those that have another one there: {"dim": "axis"}.
        also_accepts: other spellings, accepted as keywords: {"axis": "dim"}.
    """

    parameters: list[inspect.Parameter]
    renames: dict[str, str]
    also_accepts: dict[str, str]


def read_table(text: str) -> dict[str, Row]:
    """Return the rows of a table by name.

    Examples:
        >>> from msjax.ops.common.name_table import read_table
        >>> read_table("math.arithmetic: Abs=abs")["Abs"].target
        'math.arithmetic.abs'
        >>> read_table("all(x: input) -> reduction.reduction.all")["all"].signature
        '(x: input)'
    """
    rows: list[Row] = []
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    while lines:
        head = lines.pop(0)
        while _continues(head):
            head = f"{head} {lines.pop(0).strip()}"
        indented = []
        while lines and lines[0].startswith(" "):
            indented.append(lines.pop(0))
        module, colon, names = head.partition(": ")
        if colon and "(" not in module:
            words = (word.partition("=") for word in " ".join([names, *indented]).split())
            rows += [Row(name, f"{module}.{own or name}".removeprefix("here.")) for name, _, own in words]
        else:
            rows.append(read_row("\n".join([head, *indented])))
    return {row.name: row for row in rows}


def read_row(text: str) -> Row:
    """Return one row; its `-> target` may be missing where the caller has the function."""
    head, *indented = text.splitlines()
    while _continues(head):
        head = f"{head} {indented.pop(0).strip()}"
    written, _, target = head.partition(" -> ")
    name = re.match(r"\w*", written)[0]  # type: ignore[index]
    groups = _bracket_groups(written[len(name) :])
    signature = groups.pop().replace("(...)", "") if groups else ""
    return Row(
        name,
        target.strip(),
        groups.pop() if groups else "()",
        signature,
        textwrap.dedent("\n".join(indented)),
    )


def _continues(head: str) -> bool:
    """Return True if the next line belongs to the same row: a bracket is open, or the target is missing."""
    return head.endswith("->") or head.count("(") > head.count(")")


def _bracket_groups(text: str) -> list[str]:
    """Return the outermost pairs of brackets, with what is in them."""
    found, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and not depth:
            found.append(text[start : i + 1].strip())
            start = i + 1
    return found


def read_signature(text: str, names: Mapping[str, Any] | None = None) -> Signature:
    """Return the parameters of a signature with annotations; defaults may use names."""
    namespace = dict(names or {})
    exec(
        compile(f"def f{text}: pass", "<row>", "exec", __future__.annotations.compiler_flag, True), namespace
    )
    parameters, renames, also_accepts = [], {}, {}
    for p in inspect.signature(namespace["f"]).parameters.values():
        if p.annotation is not p.empty:
            there, *others = p.annotation.split(" | ")
            renames[p.name] = there
            also_accepts |= dict.fromkeys(others, p.name)
        parameters.append(p.replace(annotation=p.empty))
    return Signature(parameters, renames, also_accepts)


def parameters(signature: str, names: Mapping[str, Any] | None = None) -> list[inspect.Parameter]:
    """Return the parameters of a signature that is given as text."""
    return read_signature(signature, names).parameters


def pairs(text: str) -> dict[str, str]:
    """Return the text "a=b c=d" as a dictionary."""
    return dict(part.split("=") for part in text.split())


# ---------------------------------------------------------------------- Python code of a row


def spread_values(values: tuple) -> Any:
    """Return the values of a `*values` argument: a single sequence or Tensor counts as the values themselves."""
    return values[0] if len(values) == 1 and not isinstance(values[0], int) else values


def choose_spelling(value: Any, other: Any, default: Any = UNSET, names: str = "") -> Any:
    """Return the one of two spellings of an argument that was used.

    Raises:
        TypeError: if both were: `value` is not its default.
    """
    if other is UNSET:
        return value
    if value is not default:
        raise TypeError(
            f"An argument must be given once, under one of its names{names and f' ({names})'}. Received: {value!r} and "
            f"{other!r}."
        )
    return other


def parameters_text(params: Iterable[inspect.Parameter]) -> tuple[str, dict[str, Any]]:
    """Return parameters as source, with defaults that are looked up by name."""
    parts, defaults, starred = [], {}, False
    for p in params:
        if p.kind is _KEYWORD and not starred:
            parts.append("*")
            starred = True
        starred = starred or p.kind is _MANY
        text = f"*{p.name}" if p.kind is _MANY else p.name
        if p.default is not p.empty:
            defaults[f"_{p.name}"] = p.default
            text += f"=_{p.name}"
        parts.append(text)
    return ", ".join(parts), defaults


def call_text(target: Callable, given: dict[str, str]) -> str:
    """Return a call of `_target` with source text for some of its parameters, positionally as far as possible.

    Raises:
        ValueError: if it has no such parameter.
    """
    own = inspect.signature(target).parameters
    unknown = set(given) - set(own)
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in own.values()):
        raise ValueError(f"{getattr(target, '__name__', target)} has no parameter {sorted(unknown)}")
    parts, positional = [], True
    for name, p in own.items():
        if p.kind is _MANY:
            parts += [f"*{given[name]}"] if name in given else []
            positional = False
        elif name in given:
            positional = positional and p.kind is not _KEYWORD
            parts.append(given[name] if positional else f"{name}={given[name]}")
        else:
            positional = False
    return f"_target({', '.join(parts)})"


def make_function(row: Row | str, target: Callable, names: Mapping[str, Any] | None = None) -> Callable:
    """Make a function that calls another one under a row's name and signature.

    Args:
        row: or its text.
        target: the function.
        names: what the signature and the lines refer to.

    Raises:
        ValueError: if a parameter is none of the target's, unless the lines take care of it.

    Examples:
        >>> from msjax.ops.common.name_table import make_function
        >>> def power(base, exponent=2):
        ...     return base**exponent
        >>> raised = make_function("raised(x: base, *, to: exponent | by = 2)", power)
        >>> raised(3), raised(3, to=3), raised(3, by=1)
        (9, 27, 3)
    """
    row = read_row(row) if isinstance(row, str) else row
    names = names or {}
    params, renames, also_accepts = read_signature(row.signature, names)
    passed = {
        there: f"_spread({p.name})" if p.kind is _MANY else p.name
        for p in params
        if (there := _passed_as(p.name, renames, target, row)) is not None
    }
    extra = [inspect.Parameter(s, _KEYWORD, default=UNSET) for s in also_accepts]
    params, required = optional(params, set(also_accepts.values()))
    many = next((p.name for p in params if p.kind is _MANY), None)
    shown = inspect.Signature([*params, *extra])
    if many is not None:  # MindSpore takes `shape=(2, 3)` for what is `*shape` here
        params = [p.replace(name=f"{many}_") if p.kind is _MANY else p for p in params]
        extra.append(inspect.Parameter(many, _KEYWORD, default=UNSET))
    text, defaults = parameters_text([*params, *extra])
    lines = [f"{many} = {many}_ if {many} is _UNSET else ({many},)"] if many is not None else []
    before = {p.name: f"_{p.name}" for p in params if p.default is not p.empty} | {str(many): "()"}
    lines += [
        f"if {s} is not _UNSET: {p} = _choose({p}, {s}, {before.get(p, '_UNSET')}, '`{row.name}`: {p}, {s}')"
        for s, p in also_accepts.items()
    ]
    lines += [f"if {p} is _UNSET: raise TypeError(\"{row.name}() missing argument '{p}'\")" for p in required]
    lines += [*row.before_call.splitlines(), f"return {call_text(target, passed)}"]
    body = "".join(f"\n    {line}" for line in lines)
    namespace = {
        "_target": target, "_spread": spread_values, "_UNSET": UNSET, "_choose": choose_spelling, **names, **defaults,
    }  # fmt: skip
    exec(f"def {row.name}({text}):{body}", namespace)
    made = namespace[row.name]
    made.__doc__ = target.__doc__
    made.__module__ = target.__module__
    made.target = target
    if many is not None:
        made.__signature__ = shown
    return made


def _passed_as(name: str, renames: Mapping[str, str], target: Callable, row: Row) -> str | None:
    """Return the target's name of a parameter, or None if it is not passed on because the row's lines use it."""
    there = renames.get(name, name)
    own = inspect.signature(target).parameters
    return None if there == "_" or (there not in own and name in row.before_call) else there


def make_in_place(name: str, method: Callable, change: Callable[[Any, Any], Any]) -> Callable:
    """Make the in-place form of a method: the result becomes the content of the first argument, which is returned.

    Args:
        name: of the new method, with its underscore.
        method: the method that gives a new result.
        change: (box, result) -> box.
    """

    def changed(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Tensor):
            checks.fail(TypeError, name, "input", "be a Tensor", f"{self!r} ({type(self).__name__})")
        return change(self, method(self, *args, **kwargs))

    functools.update_wrapper(changed, method)
    changed.__name__ = changed.__qualname__ = name
    changed.__doc__ = (
        f"In place: what `{name[:-1]}` gives becomes the content of this tensor, which is returned."
    )
    changed.target = method  # type: ignore[attr-defined]
    return changed


def _name_in(name: str, error: Exception) -> None:
    """Prefix error messages with the name of the called class, as MindSpore does."""
    kind, told = type(error), error.args[0] if error.args else None
    own = kind.__module__.startswith("msjax.") and issubclass(kind, TypeError | ValueError)
    if (own or kind.__module__ == "builtins") and isinstance(told, str) and name not in told:
        error.args = (f"`{name}`: {told}", *error.args[1:])


def make_class(
    row: Row | str, target: Callable | None, names: Mapping[str, Any] | None = None, module: str = ""
) -> type[Primitive]:
    """Make a class whose objects keep settings as attributes, and call a function.

    Args:
        row: or its text.
        target: the function; None if the row has an expression.
        names: what the signatures and lines refer to.
        module: under which the class is found when it is unpickled.

    Raises:
        ValueError: if a setting or argument is none of the target's parameters, and the lines do not mention it.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.common.name_table import make_class
        >>> Total = make_class("Total(keep_dims: keepdim = False)(x: input)", ms.ops.sum)
        >>> print(Total(), Total(keep_dims=True)(ms.Tensor([1.0, 2.0])))
        Prim[Total]<keep_dims=False> [3.]
    """
    row = read_row(row) if isinstance(row, str) else row
    names = names or {}
    settings, renames, _ = read_signature(row.settings, names)
    arguments, more, _ = read_signature(row.signature or "()", names)
    renames |= more
    if target is None:
        result = row.target
    else:
        own = inspect.signature(target).parameters
        if not row.signature:
            taken = {renames.get(p.name, p.name) for p in settings}
            arguments = [p.replace(annotation=p.empty) for p in own.values() if p.name not in taken]
        passed = {}
        for name, value in [(p.name, f"self.{p.name}") for p in settings] + [
            (p.name, p.name) for p in arguments
        ]:
            there = _passed_as(name, renames, target, row)
            if there is not None and there not in own:
                raise ValueError(f"{row.name}: {target.__name__} has no parameter {there!r}")
            if there is not None:
                passed[there] = value
        result = call_text(target, passed)
    init_text, init_defaults = parameters_text(settings)
    call_text_, call_defaults = parameters_text(arguments)
    stores = [f"self.{p.name} = self.attrs[{p.name!r}] = {p.name}" for p in settings]
    stores += [f"_check({row.name!r}, self.attrs)"] * (row.name in setting_checks.RULES)
    before = [*row.before_call.splitlines(), f"return {result}"]
    seeds = [f"self.{p.name}" for p in settings if "seed" in p.name.lower()]
    if seeds and not row.mentions("drawing"):
        before = [f"with self.drawing({', '.join(seeds)}):", *(f"    {line}" for line in before)]
    source = (
        f"def __init__(self, {init_text}):\n    _Primitive.__init__(self, {row.name!r})"
        + "".join(f"\n    {line}" for line in stores)
        + f"\ndef __call__(self, {call_text_}):\n    try:"
        + "".join(f"\n        {line}" for line in before)
        + f"\n    except Exception as error:\n        _name_in({row.name!r}, error)\n        raise"
    )
    namespace = {
        "_target": target, "_Primitive": Primitive, "_name_in": _name_in, "_check": setting_checks.check_settings,
        **names, **init_defaults, **call_defaults,
    }  # fmt: skip
    exec(source, namespace)
    shown = getattr(target, "__name__", row.name)
    call = f"{row.name}{inspect.Signature(settings)}{inspect.Signature(arguments)}"
    doc = f"`{shown}` as an object: settings when it is made, arrays when it is called.\n\n`{call}`\n\n"
    told = inspect.cleandoc((target and target.__doc__) or "").split("Examples:")[0].rstrip()
    made = type(
        row.name,
        (Primitive,),
        {n: namespace[n] for n in ("__init__", "__call__")} | {"__doc__": f"{doc}{told}\n"},
    )
    made.__module__ = module or made.__module__
    if target is not None:
        made.target = staticmethod(target)  # type: ignore[attr-defined]
    return made


# ---------------------------------------------------------------------- modules that are tables


def import_path(path: str) -> Any:
    """Import what a path names: "msjax.ops.math.arithmetic.add"."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


class Table:
    """A table of a module, whose names are made on first use.

    Args:
        module: where the table stands.
        text: see :mod:`msjax.ops.common.name_table`.
        root: the package below which paths of targets begin.
        public: the module under which classes are found when they are unpickled. Default: `module`.
        names: what signatures and lines refer to: values, or paths of functions that are imported when a row mentions them.
            A target without a dot is one of these, or a name of the module.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.common.name_table import Table, make_class
        >>> table = Table("here", "Tan(x: input) -> math.trigonometric.tan")
        >>> print(table.make_class("Tan")()(ms.Tensor(0.0)))
        0.0
    """

    def __init__(
        self, module: str, text: str, root: str = "msjax.ops", public: str = "", **names: Any
    ) -> None:
        self.module = module
        self.public = public or module
        self.rows = read_table(text)
        self.root = root
        self.names = names

    def load(self, path: str) -> Any:
        """Import what a path names: "math.arithmetic.add", or "add" for a name of the table's own module."""
        first, _, rest = path.partition(".")
        if first in self.names and not isinstance(self.names[first], str):
            return getattr(self.names[first], rest) if rest else self.names[first]
        if not rest:
            return getattr(sys.modules[self.module], path)
        return import_path(path if first == "msjax" else f"{self.root}.{path}")

    def names_of(self, row: Row) -> dict[str, Any]:
        """Return those names that a row mentions."""
        return {
            name: self.load(value) if isinstance(value, str) else value
            for name, value in self.names.items()
            if row.mentions(name)
        }

    def make_function(self, name: str) -> Callable:
        """Make the function of a row; one without a signature of its own is the target itself."""
        row = self.rows[name]
        target = self.load(row.target)
        return make_function(row, target, self.names_of(row)) if row.signature else target

    def make_class(self, name: str) -> type:
        """Make the class of a row; one whose target is such a class is another name of it."""
        row = self.rows[name]
        target = None if "(" in row.target else self.load(row.target)
        if isinstance(target, type) and issubclass(target, Primitive):
            return target
        return make_class(row, target, self.names_of(row), self.public)

    def attach(
        self, make: Callable[[str], Any], fallback: Callable[[str], Any] | None = None
    ) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
        """Return `__getattr__` and `__dir__` for the module; the fallback finds other names."""

        def load(name: str) -> Any:
            if name not in self.rows:
                if fallback is not None:
                    return fallback(name)
                raise AttributeError(f"module {self.module!r} has no attribute {name!r}")
            made = make(name)
            setattr(sys.modules[self.module], name, made)
            return made

        return load, lambda: sorted({*vars(sys.modules[self.module]), *self.rows})


def attach_functions(module: str, text: str, **options: Any) -> tuple[Callable, Callable]:
    """Return `__getattr__` and `__dir__` of a module of functions, with the arguments of :class:`Table`."""
    table = Table(module, text, **options)
    return table.attach(table.make_function)


def attach_classes(
    module: str, text: str, fallback: Callable[[str], Any] | None = None, **options: Any
) -> tuple[Callable, Callable]:
    """Return `__getattr__` and `__dir__` of a module of classes, with the arguments of :class:`Table`."""
    table = Table(module, text, **options)
    return table.attach(table.make_class, fallback)
