"""`ms.jit` and its options: the decorator that compiles functions."""

import functools
from collections.abc import Callable
from typing import Any

from msjax.core.jit.compiled import Compiled
from msjax.core.jit.pijit import Captured
from msjax.core.trace.stateful import Stateful, is_forward_of

_CHOICES = {
    "capture_mode": ("ast", "bytecode", "trace"),
    "jit_level": ("", "O0", "O1", "O2"),
    "dynamic": (0, 1),
    "backend": ("", "ms_backend", "GE"),
    "infer_boost": ("on", "off"),
}
_TYPES = {"dynamic": int, "fullgraph": bool}


def jit(
    function: Callable | None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: object,
) -> Any:
    """Compile a function, a method or a Cell's forward pass into one XLA program.

    The program is compiled when the function is first called with arguments of certain shapes and dtypes. It is
    recompiled when these change, or a non-Tensor argument, or a flag such as train mode of a Cell that it calls (the
    environment variable MSJAX_LOG_COMPILES=1 makes it say which). Python's `if`, `while`, `for`, `and` ... may depend on
    Tensors (see docs/control_flow.md). Tensors and Parameters that it reads or changes beyond its arguments, and the
    random state, are inputs and outputs of the program.

    Args:
        function: takes and returns Tensors in any nesting of tuples, lists and dicts. Without it, a decorator is returned.
        capture_mode: "ast", "bytecode" or "trace". With the last two, `x[i] = y` of an argument changes the caller's
            Tensor. The options below are for MindSpore's own compilers, and have no effect here.
        jit_level: "", "O0", "O1" or "O2".
        dynamic: 0 or 1.
        fullgraph: bool.
        backend: "", "ms_backend" or "GE".
        options: others, of this and earlier versions: `infer_boost`, `ge_options`, `mode`, `input_signature` ...

    Raises:
        TypeError: if `function` cannot be called, or an option has the wrong type.
        ValueError: if an option has a value that MindSpore does not know.

    Examples:
        >>> import msjax as ms
        >>> @ms.jit
        ... def f(x, y):
        ...     return x * y + 1
        >>> print(f(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
        [4. 9.]
    """
    given = {"capture_mode": capture_mode, "jit_level": jit_level, "dynamic": dynamic}
    given |= {"fullgraph": fullgraph, "backend": backend, **options}
    for name, kind in _TYPES.items():
        if type(given[name]) is not kind:
            raise TypeError(
                f"`jit`: argument `{name}` must be of type {kind.__name__}. Received: {given[name]!r}."
            )
    for name, allowed in _CHOICES.items():
        if name in given and given[name] not in allowed:
            raise ValueError(
                f"`jit`: argument `{name}` must be one of {list(allowed)}. Received: {given[name]!r}."
            )
    function = given.pop("fn", None) if function is None else function
    if function is None:
        return functools.partial(jit, **given)
    if not callable(function):
        raise TypeError(f"`jit`: argument `function` must be callable. Received: {function!r}.")
    if isinstance(function, Compiled):
        return function
    owner: Any = getattr(function, "__self__", None)
    if is_forward_of(function, owner):
        function = owner._derived_from(function)
    if capture_mode == "bytecode" or options.get("mode") == "PIJit":
        return Captured(function)  # type: ignore[arg-type]
    made = Compiled(function)  # type: ignore[arg-type]
    if capture_mode == "trace":
        made._detaches = False
    return made


def ms_function(fn: Callable | None = None, **options: Any) -> Any:
    """Compile a function like :func:`jit`, which had this name up to MindSpore 1.10."""
    return jit(fn, **options)


def jit_class(cls: type) -> type:
    """Mark a class whose objects compiled functions use; any class can be used, so nothing changes.

    Raises:
        TypeError: if the argument is no class, or a Cell.
    """
    if not isinstance(cls, type):
        raise TypeError(f"`jit_class`: the decorator is for classes. Received: {cls!r}.")
    if issubclass(cls, Stateful):
        raise TypeError(
            "Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell."
        )
    return cls


ms_class = jit_class


def constexpr(
    fn: Callable | None = None, get_instance: bool = True, name: str | None = None, **options: object
) -> Callable:
    """Mark a function that computes with constants while a program is made; Python functions always do."""
    if fn is None:
        return functools.partial(constexpr, get_instance=get_instance, name=name, **options)
    return fn if get_instance else type(name or fn.__name__, (), {"__call__": staticmethod(fn)})


_CONFIGS = {
    "jit_level": ("", "O0", "O1", "O2"),
    "exc_mode": ("auto", "sink", "no_sink"),
    "jit_syntax_level": ("", "STRICT", "COMPATIBLE", "LAX"),
}


class JitConfig:
    """Options for MindSpore's own compilers; kept, without effect.

    Args:
        jit_level: "", "O0", "O1" or "O2".
        exc_mode: kept.
        jit_syntax_level: kept.
        debug_level: kept.
        infer_boost: kept.
        kwargs: kept.
    """

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: object,
    ) -> None:
        given = {"jit_level": jit_level, "exc_mode": exc_mode, "jit_syntax_level": jit_syntax_level}
        for name, allowed in _CONFIGS.items():
            if given[name] not in allowed:
                raise ValueError(
                    f"For '{name}' the value must be one of {list(allowed)}. Received: {given[name]!r}."
                )
        self.jit_config_dict = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **kwargs,
        }
