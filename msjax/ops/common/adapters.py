"""Adapters: other signatures for a function, and Primitive classes that call it.

`ops.add`, `Tensor.add`, `Tensor.add_` and `ops.Add()` reach one function. What differs is written down in tables
(`aliases`, `tensor_methods.table`, `primitives.math`), and the functions here compile a row of such a table to plain
Python code: an adapter costs one more Python call and has the signature that it was given.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks, setting_checks
from msjax.public_api.placeholders import Missing as Missing
from msjax.public_api.placeholders import missing as missing


class _Unset:
    """The default of a keyword that is another spelling of a parameter."""

    def __repr__(self) -> str:
        return "<not given>"


UNSET = _Unset()
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_MANY = inspect.Parameter.VAR_POSITIONAL


def pairs(text: str) -> dict[str, str]:
    """The text "a=b c=d" as a dictionary."""
    return dict(part.split("=") for part in text.split())


def spread(values: tuple) -> Any:
    """Return the values of a `*values` argument: a single sequence or Tensor counts as the values themselves."""
    return values[0] if len(values) == 1 and not isinstance(values[0], int) else values


def given(value: Any, other: Any) -> Any:
    """Return the one of two spellings of an argument that was used."""
    return value if other is UNSET else other


def parameters(signature: str, names: dict[str, Any] | None = None) -> list[inspect.Parameter]:
    """The parameters of a signature that is given as text."""
    namespace = dict(names or {})
    exec(f"def f{signature}: pass", namespace)
    return list(inspect.signature(namespace["f"]).parameters.values())


def parameters_text(params: Iterable[inspect.Parameter]) -> tuple[str, dict[str, Any]]:
    """Parameters as source, with defaults that are looked up by name."""
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
    """A call of `_target` with source text for some of its parameters, positionally as far as possible.

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


def named(
    name: str,
    target: Callable,
    signature: str,
    rename: str = "",
    also: str = "",
    fix: str = "",
    **names: Any,
) -> Callable:
    """A function under another name and signature.

    Args:
        name: the new name.
        target: the function.
        signature: the new signature, as text: "(self, axis=None, *, dtype=None)". `*shape` takes one sequence as well, and
            `shape=` as a keyword.
        rename: which parameter of `target` a parameter is where the names differ: "self=input axis=dim".
        also: other spellings of parameters, accepted as keywords: "dim=axis".
        fix: lines of Python that run before the call and may rebind the parameters.
        names: what the signature and the lines refer to.

    Raises:
        ValueError: if a parameter is none of the target's, unless the lines of `fix` take care of it.

    Examples:
        >>> from msjax.ops.common.adapters import named
        >>> def power(base, exponent=2):
        ...     return base**exponent
        >>> raised = named("raised", power, "(x, *, to=2)", "x=base to=exponent", also="by=to")
        >>> raised(3), raised(3, to=3), raised(3, by=1)
        (9, 27, 3)
    """
    params = parameters(signature, names)
    spellings = pairs(also)
    renamed = pairs(rename)
    own = inspect.signature(target).parameters
    filled = {}
    for p in params:
        there = renamed.get(p.name, p.name)
        if there not in own and p.name in fix:
            continue
        filled[there] = f"_spread({p.name})" if p.kind is _MANY else p.name
    extra = [inspect.Parameter(s, _KEYWORD, default=UNSET) for s in spellings]
    params, required = _optional(params, set(spellings.values()))
    many = next((p.name for p in params if p.kind is _MANY), None)
    shown = inspect.Signature([*params, *extra])
    if many is not None:  # MindSpore takes `shape=(2, 3)` for what is `*shape` here
        params = [p.replace(name=f"{many}_") if p.kind is _MANY else p for p in params]
        extra.append(inspect.Parameter(many, _KEYWORD, default=UNSET))
    text, defaults = parameters_text([*params, *extra])
    lines = [f"{many} = {many}_ if {many} is _UNSET else ({many},)"] if many is not None else []
    lines += [f"if {s} is not _UNSET: {p} = {s}" for s, p in spellings.items()]
    lines += [f"if {p} is _UNSET: raise TypeError(\"{name}() missing argument '{p}'\")" for p in required]
    lines += [*fix.splitlines(), f"return {call_text(target, filled)}"]
    body = "".join(f"\n    {line}" for line in lines)
    namespace = {"_target": target, "_spread": spread, "_UNSET": UNSET, **names, **defaults}
    exec(f"def {name}({text}):{body}", namespace)
    made = namespace[name]
    made.__doc__ = target.__doc__
    made.__module__ = target.__module__
    made.target = target
    if many is not None:
        made.__signature__ = shown
    return made


def _optional(
    params: list[inspect.Parameter], spelled: set[str]
) -> tuple[list[inspect.Parameter], list[str]]:
    """Parameters, of which those that have another spelling, and what follows them, may be left out at first."""
    made, required = [], []
    for p in params:
        if p.default is p.empty and p.kind is not _MANY and (p.name in spelled or required):
            p = p.replace(default=UNSET)
            required.append(p.name)
        made.append(p)
    return made, required


def in_place(name: str, method: Callable, change: Callable[[Any, Any], Any]) -> Callable:
    """The in-place form of a method: the result becomes the content of the first argument, which is returned.

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


# ---------------------------------------------------------------------- classes


# Classes that MindSpore prints with numbers for words, and these words.
_NUMBERED = {
    *"""BCEWithLogitsLoss BiasAdd BinaryCrossEntropy GridSampler2D GridSampler3D NLLLoss ResizeLinear1D SmoothL1Loss
    SoftMarginLoss""".split()
}
_NUMBERS = {
    "coordinate_transformation_mode": ("asymmetric", "align_corners", "half_pixel"),
    "data_format": ("NCHW", "NHWC"),
    "interpolation_mode": ("bilinear", "nearest"),
    "padding_mode": ("zeros", "border", "reflection"),
    "reduction": ("sum", "mean", "none"),
}


class Primitive:
    """An operator as an object: made with the settings, called with the arrays.

    Args:
        name: of the operator.

    Examples:
        >>> import msjax as ms
        >>> product = ms.ops.MatMul(transpose_b=True)
        >>> print(product, product.name, product.transpose_b)
        Prim[MatMul]<transpose_a=False, transpose_b=True> MatMul True
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.attrs: dict[str, Any] = {}
        self.init_attrs: dict[str, Any] = {"name": name}

    def __call__(self, *args: Any) -> Any:
        """Raise NotImplementedError: a Primitive made by name alone computes nothing."""
        raise NotImplementedError(
            f"`{self.name}` is a Primitive without a computation. Write a function of the operators in mindspore.ops."
        )

    def __repr__(self) -> str:
        numbers = _NUMBERS if self.name.removesuffix("Grad") in _NUMBERED else {}
        settings = ", ".join(
            f"{k}={numbers[k].index(v) if k in numbers and v in numbers[k] else v}"
            for k, v in self.attrs.items()
            if k not in ("input_names", "output_names")
        )
        return f"Prim[{self.name}]" + (f"<{settings}>" if settings else "")

    def add_prim_attr(self, name: str, value: Any) -> "Primitive":
        """Store a note on the operator. Notes have no effect on what it computes."""
        if not hasattr(type(self), name):
            self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> "Primitive":
        """Remove a note."""
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def _as_it_is(self, *args: Any, **kwargs: Any) -> "Primitive":
        """Accepted: it steers where and how MindSpore runs an operator, which XLA decides here."""
        return self

    set_const_input_indexes = set_const_prim = set_inplace_prim = set_prim_type = set_signatures = _as_it_is

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> "Primitive":
        """Record a sharding strategy of inputs and outputs; JAX's shardings decide that here."""
        for side, strategy in (("in", in_strategy), ("out", out_strategy)):
            layouts = [part.to_dict() for part in strategy or () if hasattr(part, "to_dict")]
            if layouts:
                noted = tuple({k: v for k, v in layout.items() if k != "rank_list"} for layout in layouts)
                self.add_prim_attr(f"{side}_layout", noted)
            elif strategy is not None:
                self.add_prim_attr(f"{side}_strategy", strategy)
        return self

    def set_stage(self, stage: int) -> "Primitive":
        """Record a pipeline stage; there are none here."""
        return self.add_prim_attr("stage", stage)

    def recompute(self, mode: bool = True) -> "Primitive":
        """Record the recomputation (rematerialization) flag for the backward pass; XLA decides that here."""
        return self.add_prim_attr("recompute", mode)

    def place(self, role: str, rank_id: int) -> None:
        """Record the process of a MindSpore cluster that is to run the operator."""
        self.add_prim_attr("ms_role", role).add_prim_attr("rank_id", rank_id)

    def set_device(self, device_target: str) -> "Primitive":
        """Record a device. XLA decides where operators run."""
        return self.add_prim_attr("primitive_target", device_target)

    def set_prim_instance_name(self, instance_name: str) -> "Primitive":
        """Set the name of the object."""
        self.instance_name = instance_name
        return self

    # ------------------------------------------------------------------ what MindSpore's classes inherit

    def set_instance_name(self, instance_name: str) -> None:
        """Set the name of the object."""
        self.instance_name = instance_name

    def add_attr(self, name: str, value: Any) -> None:
        """Store a note that `attrs` does not show."""
        self.__dict__.setdefault("_notes", {})[name] = value

    def del_attr(self, name: str) -> None:
        """Remove a note."""
        self.__dict__.get("_notes", {}).pop(name, None)
        self.attrs.pop(name, None)

    def get_attr_dict(self) -> dict[str, Any]:
        """All notes and settings."""
        return {**self.attrs, **self.__dict__.get("_notes", {})}

    def set_user_data(self, key: str, value: Any) -> None:
        """Store a value with the object, under a key."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key: str) -> Any:
        """Return the value that was stored under a key, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    @property
    def update_parameter(self) -> bool:
        """Return True if calls write to a Parameter, according to the attribute `side_effect_mem`."""
        return bool(self.attrs.get("side_effect_mem", False))

    def check_elim(self, *args: Any) -> tuple[bool, Any]:
        """Return (True, result) if a call needs no computation; (False, None) by default, subclasses may override it."""
        return False, None

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Record the names of inputs and outputs."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)


def _name_in(name: str, error: Exception) -> None:
    """Prefix error messages with the name of the called class, as MindSpore does."""
    kind, told = type(error), error.args[0] if error.args else None
    own = kind.__module__.startswith("msjax.") and issubclass(kind, TypeError | ValueError)
    if (own or kind.__module__ == "builtins") and isinstance(told, str) and name not in told:
        error.args = (f"`{name}`: {told}", *error.args[1:])


def primitive(
    name: str,
    target: Callable,
    init: str = "()",
    call: str = "",
    rename: str = "",
    fix: str = "",
    module: str = "",
    **names: Any,
) -> type[Primitive]:
    """A class whose objects keep settings and call a function.

    Args:
        name: of the class.
        target: the function.
        init: signature of the constructor: "(keep_dims=False)". Settings become attributes.
        call: signature of a call: "(x, axis=())". Default: the target's, less the settings.
        rename: which parameter of `target` a setting or argument is where the names differ.
        fix: lines of Python that run before the call and may rebind arguments; settings are attributes of `self`.
        module: under which the class is found when it is unpickled.
        names: what the signatures and lines refer to.

    Raises:
        ValueError: if a setting or argument is none of the target's parameters, and `fix` does not mention it.
    """
    settings = parameters(init, names)
    renamed = pairs(rename)
    own = inspect.signature(target).parameters
    taken = {renamed.get(p.name, p.name) for p in settings}
    arguments = (
        parameters(call, names)
        if call
        else [p.replace(annotation=p.empty) for p in own.values() if p.name not in taken]
    )
    filled = {}
    for p, value in [(p, f"self.{p.name}") for p in settings] + [(p, p.name) for p in arguments]:
        there = renamed.get(p.name, p.name)
        if there in own:
            filled[there] = value
        elif p.name not in fix:
            raise ValueError(f"{name}: {target.__name__} has no parameter {there!r}")
    init_text, init_defaults = parameters_text(settings)
    call_text_, call_defaults = parameters_text(arguments)
    stores = [f"self.{p.name} = self.attrs[{p.name!r}] = {p.name}" for p in settings]
    stores += [f"_check({name!r}, self.attrs)"] * (name in setting_checks.RULES)
    before = [*fix.splitlines(), f"return {call_text(target, filled)}"]
    source = (
        f"def __init__(self, {init_text}):\n    _Primitive.__init__(self, {name!r})"
        + "".join(f"\n    {line}" for line in stores)
        + f"\ndef __call__(self, {call_text_}):\n    try:"
        + "".join(f"\n        {line}" for line in before)
        + f"\n    except Exception as error:\n        _name_in({name!r}, error)\n        raise"
    )
    namespace = {
        "_target": target, "_Primitive": Primitive, "_name_in": _name_in, "_check": setting_checks.check,
        **names, **init_defaults, **call_defaults,
    }  # fmt: skip
    exec(source, namespace)
    doc = f"`{getattr(target, '__name__', name)}` as an object: settings when it is made, arrays when it is called.\n\n"
    body = {
        "__init__": namespace["__init__"],
        "__call__": namespace["__call__"],
        "__doc__": doc + (target.__doc__ or "").split("Examples:")[0].rstrip() + "\n",
    }
    made = type(name, (Primitive,), body)
    made.__module__ = module or made.__module__
    made.target = staticmethod(target)  # type: ignore[attr-defined]
    return made
