"""Argument types of operators: which arguments must be Tensors, read from docstrings that call them `(Tensor)`.

MindSpore refuses numbers, lists and NumPy arrays there, and so does the door. Operators that take numbers beside
Tensors say so, `other (Tensor, number): ...`; they refuse lists. What has no such documentation, as the package's inner
operators, takes all.
"""

import enum
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import jax
import numpy as np
from jax import Array

from msjax.core.op.scalar_promotion import SCALARS
from msjax.core.tensor.tensor import Tensor


class Accepts(enum.Enum):
    """What an operator takes for one of its arrays. The values are for messages."""

    TENSOR = "a Tensor"
    NUMBER = "a Tensor or a number"
    BOOL = "a Tensor or a bool"
    ANYTHING = "a Tensor, a number or a list"


# To type checkers these are arrays and bools, because that is what the functions of operators get.
ArrayOrNumber = Annotated[Array, Accepts.NUMBER]
ArrayOrBool = Annotated[Array, Accepts.BOOL]
ArrayLike = Annotated[Array, Accepts.ANYTHING]
BoolLike = Annotated[bool, Accepts.ANYTHING]

Only = tuple[tuple[int, str], ...]

_ARGUMENT = re.compile(r"^ +(\w+(?:, \w+)*) \(([^)]*)\):", re.MULTILINE)
_TENSORS = {"Tensor", "Parameter", "None", "optional"}
OR_BOOLS: set[tuple[str, str]] = set()  # names of operators and parameters, `(Tensor, bool)`
_NUMBERS = {*_TENSORS, "number", "int", "float", "bool"}
_REFUSED = (*SCALARS, np.ndarray, list, tuple, str, dict)


class NotATensorError(TypeError, AttributeError):
    """A layer or an operator got something else than a Tensor. MindSpore raises the one or the other."""


def taken(fn: Callable, arrays: Sequence[str]) -> tuple[Only | None, Only | None]:
    """Positions and names of the parameters that take Tensors alone, and of those that take Tensors and perhaps numbers.

    None stands for no parameters.
    """
    if not fn.__module__.startswith(("msjax.ops.", "msjax.mint.")):
        return None, None
    kinds = {
        name: set(kinds.split(", "))
        for names, kinds in _ARGUMENT.findall(fn.__doc__ or "")
        if "Tensor" in kinds
        for name in names.split(", ")
    }

    for name, found in kinds.items():
        if "bool" in found and found <= {*_TENSORS, "bool"}:
            OR_BOOLS.add((fn.__name__, name))
            found.remove("bool")

    def within(allowed: set[str]) -> Only | None:
        return (
            tuple((i, name) for i, name in enumerate(arrays) if name in kinds and kinds[name] <= allowed)
            or None
        )

    return within(_TENSORS), within(_NUMBERS)


def refuse_others(op: str, only: Only, arrays: Sequence[Any]) -> None:
    """Raise for what is no Tensor where only Tensors are taken."""
    for i, name in only:
        given = arrays[i]
        if type(given) is not Tensor and isinstance(given, _REFUSED) and not isinstance(given, jax.Array):
            if (op, name) not in OR_BOOLS:
                _refuse(op, name, given)
            elif type(given) is not bool:
                _refuse(op, name, given, "a Tensor or a bool")


def refuse_lists(op: str, only: Only, arrays: Sequence[Any]) -> None:
    """Raise for lists and NumPy's arrays where Tensors or numbers are taken; PyTorch's tensors take those arrays.

    Classes of operators hand numbers on as arrays without dimensions, which have a dtype.
    """
    for i, name in only:
        given = arrays[i]
        if isinstance(given, list | tuple | dict) or (
            isinstance(given, np.ndarray) and given.ndim and not _of_torch(arrays)
        ):
            _refuse(op, name, given, "a Tensor or a number")


def _of_torch(arrays: Sequence[Any]) -> bool:
    return any("torch" in type(a).__module__ for a in arrays if isinstance(a, Tensor))


def settings(fn: Callable, statics: Sequence[str]) -> Only | None:
    """Positions and names of the settings that are bools and nothing else; None stands for no such setting.

    Where None is the default, it may be given.
    """
    if not fn.__module__.startswith(("msjax.ops.", "msjax.mint.")):
        return None
    kinds = {name: kind for names, kind in _ARGUMENT.findall(fn.__doc__ or "") for name in names.split(", ")}
    parameters = inspect.signature(fn).parameters
    optional = {name for name, parameter in parameters.items() if parameter.default is None}
    return (
        tuple(
            (i, name) for i, name in enumerate(statics) if kinds.get(name) == "bool" and name not in optional
        )
        or None
    )


def refuse_settings(op: str, flags: Only, statics: Sequence[Any]) -> None:
    """Raise for what is no bool where only bools are taken. Programs are kept beside the types of settings: ask once."""
    for i, name in flags:
        if type(statics[i]) is not bool:
            _refuse(op, name, statics[i], "a bool", TypeError)


def refuse_none(op: str, only: Only, arrays: Sequence[Any]) -> None:
    """Raise for None, where an operator has already failed because it looked for what only Tensors have."""
    for i, name in only:
        if arrays[i] is None:
            _refuse(op, name, None)


def _refuse(
    op: str, name: str, given: Any, what: str = "a Tensor", error: type[Exception] = NotATensorError
) -> None:
    raise error(
        f"Failed calling {op} with `{name}`. `{op}`: argument `{name}` must be {what}. "
        f"Received: {name}={given!r} ({type(given).__name__})."
    )
