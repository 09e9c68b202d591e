"""Layers that apply one function: settings when they are made, arrays when they are called.

The layers without Parameters of `nn`, `mint.nn` and `torch.nn` are made here. A class states its settings as fields::

    @applies(ops.hardshrink, check=numbers)
    class HShrink(Cell):
        '''Elementwise x where |x| > lambd, 0 elsewhere.'''

        lambd: float = 0.5

and gets `__init__(self, lambd=0.5)`, `construct(self, input)` and the sections of the function's docstring.
"""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin

from msjax.ops.common.docstrings import (
    documented_by,
    input_parameters,
    parameter_names,
    sections,
    signature_of,
)
from msjax.ops.common.name_table import call_text, parameters, parameters_text

_Class = TypeVar("_Class", bound=type)
_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD


@dataclass_transform(eq_default=False)
def applies(
    function: Callable | None = None,
    inputs: str = "",
    rename: str = "",
    check: Callable | None = None,
    method: str = "construct",
    fixed: bool = False,
) -> Callable[[_Class], _Class]:
    """Complete a class that keeps settings as attributes and calls a function with them.

    What the class defines by itself stays: `__init__`, the method, sections of the docstring. Settings that the base
    class takes are passed to it; `__post_init__`, if there is one, is called when all are set.

    Args:
        function: it is called with the inputs and with those settings that it has parameters for; None makes no method.
        inputs: parameters of the method, as text: "x, indices, output_size=None". They stand for the function's
            parameters that are no settings, in order. Default: those that have no default.
        rename: which parameter of the function a setting is, where the names differ: "axis=dim".
        check: called with the name of the class and all settings as keywords, before they are set.
        method: name of the method: "construct" of Cells, "forward" of Modules.
        fixed: the function gets the settings of the construction, where MindSpore gives them to an operator then:
            `layer.axis = 1` changes nothing later.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.cell.function_layers import applies
        >>> @applies(ms.ops.leaky_relu, "x", "slope=alpha")
        ... class Slope(ms.nn.Cell):
        ...     slope: float = 0.5
        >>> print(Slope()(ms.Tensor([-1.0])), Slope(slope=0.25)(x=ms.Tensor([-1.0])))
        [-0.5] [-0.25]
    """

    def complete(cls: _Class) -> _Class:
        fields = _fields(cls)
        if fields and "__init__" not in vars(cls):
            _add_constructor(cls, fields, check, fixed)
        if function is None:
            return cls
        if method not in vars(cls):
            settings = parameter_names(cls, rename)
            taken = input_parameters(function, set(settings.values()), inputs)
            known = signature_of(function)
            kept = "self._" if fixed else "self."
            call = {there: f"{kept}{here}" for here, there in settings.items() if there in known}
            call.update({there: parameter.name for there, parameter in taken.items()})
            body = [f"return {call_text(function, call)}"]
            _define(cls, method, list(taken.values()), body, {"_target": function})
        documented_by(function, inputs, rename)(cls)
        return cls

    return complete


def function_layer(
    base: type,
    module: str,
    name: str,
    function: Callable,
    settings: str = "",
    rename: str = "",
    inputs: str = "",
    method: str = "construct",
    **members: Any,
) -> type:
    """Make a class of a row in a table: what :func:`applies` makes of a class that is written down.

    Args:
        base: Cell or Module.
        module: where the class will be found.
        name: of the class.
        function: that it applies.
        settings: parameters of the constructor, as text: "alpha=1.0, inplace=False".
        rename: as of :func:`applies`.
        inputs: as of :func:`applies`.
        method: as of :func:`applies`.
        members: attributes and methods of the class.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.cell.function_layers import function_layer
        >>> Slope = function_layer(ms.nn.Cell, "here", "Slope", ms.ops.leaky_relu, "slope=0.5", "slope=alpha")
        >>> print(Slope(0.25)(ms.Tensor([-1.0])))
        [-0.25]
    """
    fields = parameters(f"(self, {settings})")[1:]
    summary = sections(function.__doc__).get("", "").strip() or f"Applies :func:`{function.__name__}`."
    body = {"__module__": module, "__qualname__": name, "__doc__": summary, **members}
    cls = type(name, (base,), body)
    _add_constructor(cls, fields, None)
    return applies(function, inputs, rename, method=method)(cls)


def _fields(cls: type) -> list[inspect.Parameter]:
    """Return the annotated names of the class body as parameters; they are no attributes of the class any more."""
    fields = []
    for name, kind in inspect.get_annotations(cls).items():
        if kind is not ClassVar and get_origin(kind) is not ClassVar:
            default = vars(cls).get(name, inspect.Parameter.empty)
            if default is not inspect.Parameter.empty:
                delattr(cls, name)
            fields.append(inspect.Parameter(name, _EITHER, default=default, annotation=kind))
    return fields


def _add_constructor(
    cls: type, fields: list[inspect.Parameter], check: Callable | None, fixed: bool = False
) -> None:
    """Give a class an `__init__` that checks and sets these fields."""
    above = signature_of(cls.__mro__[1].__init__)
    names = [field.name for field in fields]
    passed = ", ".join(f"{name}={name}" for name in names if name in above)
    checked = ", ".join(f"{name}={name}" for name in names)
    lines = [
        f"super(_cls, self).__init__({passed})",
        *[f"_check(_cls.__name__, {checked})"] * (check is not None),
        *(f"self.{name} = {name}" for name in names if name not in above),
        *["_cls.__post_init__(self)"] * hasattr(cls, "__post_init__"),
        *(f"self._{name} = self.{name}" for name in names if fixed),
    ]
    _define(cls, "__init__", fields, lines, {"_cls": cls, "_check": check})


def _define(
    cls: type, name: str, params: list[inspect.Parameter], lines: list[str], scope: dict[str, Any]
) -> None:
    """Compile a method of these parameters and lines, and put it into the class."""
    text, defaults = parameters_text(params)
    body = "\n    ".join(lines)
    namespace = {"__name__": cls.__module__, **scope, **defaults}
    exec(compile(f"def {name}(self, {text}):\n    {body}", f"<{cls.__name__}.{name}>", "exec"), namespace)
    made = namespace[name]
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    made.__annotations__ = {p.name: p.annotation for p in params if p.annotation is not p.empty}
    if name == "__init__":
        made.__annotations__["return"] = None
    else:
        made.__doc__ = "Apply the function to the inputs."
    setattr(cls, name, made)
