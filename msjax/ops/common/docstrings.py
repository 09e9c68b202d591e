"""Docstrings that complete one another: arguments and sections are described once."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msjax.ops.common.name_table import pairs, parameters

_Target = TypeVar("_Target")
_SECTION = re.compile(
    r"^(Args|Parameters|Inputs and Outputs|Inputs|Outputs|Returns|Raises|References|Examples):\n",
    re.MULTILINE,
)
_ENTRY = re.compile(r"^    \S.*\n?(?:^     .*\n?)*", re.MULTILINE)
_ORDER = "Args,Parameters,Inputs and Outputs,Inputs,Outputs,Returns,Raises,References,Examples".split(",")


def documented_by(source: Any, inputs: str = "", rename: str = "") -> Callable[[_Target], _Target]:
    """Complete the docstring of a class or function by that of the function that it calls, or of a like one.

    Sections that it does not have are taken over, and entries of "Args" for parameters that it does not describe.

    Args:
        source: the other function or class.
        inputs: what a layer is called with, as text: "x, indices, output_size=None". They stand for the function's
            parameters that are no settings, in order. Default: those that have no default.
        rename: which parameter of the function a setting is, where the names differ: "axis=dim".

    Examples:
        >>> from msjax import nn, ops
        >>> from msjax.ops.common.docstrings import documented_by
        >>> @documented_by(ops.leaky_relu, "x")
        ... class Slope(nn.LeakyReLU):
        ...     '''A slope.'''
        >>> print(Slope.__doc__.partition("Outputs")[0])
        A slope.
        <BLANKLINE>
        Args:
            alpha (int, float): slope of the negative side.
        <BLANKLINE>
        Inputs:
            - **x** (Tensor) - of any shape and real dtype.
    """

    def complete(target: _Target) -> _Target:
        own, theirs = sections(target.__doc__), sections(source.__doc__)
        if not own or not theirs:
            return target  # Python runs without docstrings
        settings = {there: here for here, there in parameter_names(target, rename).items()}
        layer = isinstance(target, type)
        taken = (
            input_parameters(source, {*settings}, inputs) if layer and not isinstance(source, type) else {}
        )
        found = _translate(theirs, settings, {there: parameter.name for there, parameter in taken.items()})
        args = {**found.pop("Args"), **_entries(own.pop("Args", ""))}
        own["Args"] = "".join(
            args[name] for name in {**dict.fromkeys(settings.values()), **args} if name in args
        )
        if "Inputs and Outputs" in own:
            found.update(Inputs="", Outputs="")
        if not layer:
            found["Returns"] = found.pop("Outputs")
        merged = found | own
        parts = [f"{name}:\n{merged[name].rstrip()}\n" for name in _ORDER if merged.get(name)]
        target.__doc__ = "\n".join([f"{own[''].strip()}\n", *parts])
        return target

    return complete


def _translate(theirs: dict[str, str], settings: dict[str, str], inputs: dict[str, str]) -> dict[str, Any]:
    """Return the sections of a source under a class's names; "Args" by name."""
    named = {there: here for there, here in {**settings, **inputs}.items() if there != here}

    def here(text: str) -> str:
        return re.sub(r"`(\w+)`", lambda m: f"`{named.get(m[1], m[1])}`", text)

    args, taken = {}, ""
    for name, entry in _entries(theirs.get("Args", "")).items():
        rest = here(entry).strip().removeprefix(name)
        if name in inputs:
            kind, _, about = rest.partition(": ")
            taken += f"    - **{inputs[name]}**{kind} - {about}\n"
        elif name in settings:
            args[settings[name]] = f"    {settings[name]}{rest}\n"
    known = {*settings, *inputs}
    raised = [
        here(entry)
        for entry in _ENTRY.findall(theirs.get("Raises", ""))
        if known.issuperset(re.findall(r"`(\w+)`", entry))
    ]
    outputs = theirs.get("Outputs") or here(theirs.get("Returns", ""))
    found = {name: theirs[name] for name in ("Parameters", "References") if name in theirs}
    found.update(Inputs=theirs.get("Inputs") or taken, Outputs=outputs, Raises="".join(raised))
    return {"Args": args, **found}


def _entries(section: str) -> dict[str, str]:
    """Return the entries of a section by their names."""
    return {re.findall(r"\w+", entry)[0]: f"{entry.rstrip()}\n" for entry in _ENTRY.findall(section)}


def sections(doc: str | None) -> dict[str, str]:
    """Return the sections of a docstring by name, what comes before them as ""."""
    first, *rest = _SECTION.split(inspect.cleandoc(doc)) if doc else ("",)
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))} if first else {}


def parameter_names(target: Any, rename: str) -> dict[str, str]:
    """Return {parameter of a class's constructor, or of a function: parameter of the function that it calls}."""
    own = signature_of(target.__init__ if isinstance(target, type) else target)
    settings = {name: name for name in list(own)[isinstance(target, type) :]}
    return settings | pairs(rename)


def input_parameters(function: Callable, settings: set[str], text: str) -> dict[str, inspect.Parameter]:
    """Return {parameter of the function: parameter of the method}."""
    own = [p for name, p in signature_of(function).items() if name not in settings]
    if not text:
        return {p.name: p.replace(annotation=p.empty) for p in own if p.default is p.empty}
    return {p.name: here for p, here in zip(own, parameters(f"(self, {text})")[1:], strict=False)}


@functools.lru_cache(
    maxsize=256
)  # `inspect` is most of what making a layer costs, and each function is asked often
def signature_of(function: Callable) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function by name."""
    return inspect.signature(function).parameters
