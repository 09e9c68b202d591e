"""Layers without Parameters: the settings of a function, made first, and then called with arrays."""

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

from msjax.mint._adapt import documented, function
from msjax.nn.cell.cell import Cell
from msjax.ops.common.adapters import pairs, parameters


class Layer(Cell):
    """A Cell that keeps settings as attributes and calls one function with them.

    Subclasses are made by :func:`layer`.
    """

    _settings: inspect.Signature
    _inputs: inspect.Signature
    _call: Callable
    _renamed: dict[str, str]
    _shown = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        try:
            bound = self._settings.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"`{type(self).__name__}`: {error}.") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def construct(self, *inputs: Any, **named: Any) -> Any:
        """The function of the inputs and the settings; inputs can have their names."""
        if named or len(inputs) != len(self._inputs.parameters):
            try:
                inputs = self._inputs.bind(*inputs, **named).args
            except TypeError as error:
                raise TypeError(f"`{type(self).__name__}`: {error}.") from None
        settings = {self._renamed.get(name, name): getattr(self, name) for name in self._settings.parameters}
        return type(self)._call(*inputs, **settings)

    def extend_repr(self) -> str:
        """The settings that MindSpore shows."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown.split())


def layer(
    module: str,
    name: str,
    path: str,
    settings: str = "()",
    rename: str = "",
    shown: str = "",
    inputs: str = "",
) -> type[Layer]:
    """A layer of a function.

    Args:
        module: where the class will be found.
        name: of the class.
        path: the function below `msjax`: "mint._functional.elu".
        settings: signature of the constructor, as text.
        rename: which parameter of the function a setting is, where the names differ.
        shown: the settings that `print` shows.
        inputs: names of the inputs, if they are not those of the function's parameters without defaults.

    Examples:
        >>> import msjax as ms
        >>> from msjax.mint.nn._layer import layer
        >>> Slope = layer("here", "Slope", "mint._functional.leaky_relu", "(slope=0.5)", "slope=negative_slope", "slope")
        >>> print(Slope(), Slope(0.25)(ms.Tensor([-1.0])))
        Slope(slope=0.5) [-0.25]
    """
    target = function(path)
    signature = inspect.Signature(parameters(settings))
    taken = _taken(target, signature, pairs(rename), inputs)
    about = documented(target.__doc__, rename).split("    Examples:")[0].rstrip()
    body = {
        "_settings": signature,
        "_inputs": taken,
        "construct": _shown_as(Layer.construct, taken),
        "_call": staticmethod(target),
        "_renamed": pairs(rename),
        "_shown": shown,
        "__doc__": f"`{target.__name__}` as a layer: settings when it is made, arrays when it is called.\n\n    {about}\n",
        "__module__": module,
        "__signature__": signature,
    }
    return type(name, (Layer,), body)


def _taken(target: Callable, settings: inspect.Signature, renamed: dict, names: str) -> inspect.Signature:
    """Return the layer's call signature: the function's parameters that are no settings and have no default."""
    given = {renamed.get(name, name) for name in settings.parameters}
    own = [
        parameter.replace(annotation=parameter.empty)
        for name, parameter in inspect.signature(target).parameters.items()
        if name not in given and parameter.default is parameter.empty
    ]
    if names:
        own = [parameter.replace(name=name) for parameter, name in zip(own, names.split(), strict=True)]
    return inspect.Signature(own)


def _shown_as(construct: Callable, inputs: inspect.Signature) -> Callable:
    """The method, with the names of the inputs for those who inspect it."""
    made = types.FunctionType(
        construct.__code__, construct.__globals__, "construct", construct.__defaults__, construct.__closure__
    )
    myself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    made.__doc__ = construct.__doc__
    made.__signature__ = inputs.replace(parameters=[myself, *inputs.parameters.values()])  # type: ignore[attr-defined]
    return made


def attach(
    module: str, rows: Mapping[str, tuple[str, ...]], printed: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a module that is a table of layers.

    Args:
        module: its name.
        rows: {name: (path, settings, rename, shown, inputs)}.
        printed: names that MindSpore prints instead.
    """
    import sys

    def load(name: str) -> Any:
        if name not in rows:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        made = layer(module, name, *rows[name])
        made.__name__ = (printed or {}).get(name, name)
        setattr(sys.modules[module], name, made)
        return made

    return load
