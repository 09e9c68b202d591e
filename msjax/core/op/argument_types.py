"""Types of operators' arguments: `@op` reads what callers may give from the annotations of the function.

    annotation         callers may give                                 the function gets
    `Array`            a Tensor (or an array of JAX)                    an array
    `ArrayOrNumber`    numbers too                                      an array
    `ArrayOrBool`      True and False too                               an array
    `Sequence[Array]`  a list or tuple of Tensors                       a list of arrays
    `ArrayLike`        all of these, NumPy's arrays, and lists          an array; of a list, a list of arrays
    `bool`             True or False                                    the same (settings, see `static=` of `@op`)
    `BoolLike`         whatever Python takes for true or false          the same (settings)

`| None` lets an argument be left out. What has another annotation, or none, takes all that `ArrayLike` takes.
MindSpore refuses numbers, lists and NumPy arrays where its documentation says `(Tensor)`, and so do operators.
"""

import enum
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import jax
import numpy as np
from jax import Array

from msjax.core.op.scalar_promotion import SCALARS
from msjax.core.tensor.tensor import Tensor


class Accepts(enum.Enum):
    """Kind of argument that an operator takes for one of its arrays; the values are for messages."""

    TENSOR = "a Tensor"
    NUMBER = "a Tensor or a number"
    BOOL = "a Tensor or a bool"
    TENSORS = "a list or tuple of Tensors"
    ANYTHING = "a Tensor, a number or a list"


# To type checkers these are arrays and bools, because that is what the functions of operators get.
ArrayOrNumber = Annotated[Array, Accepts.NUMBER]
ArrayOrBool = Annotated[Array, Accepts.BOOL]
ArrayLike = Annotated[Array, Accepts.ANYTHING]
BoolLike = Annotated[bool, Accepts.ANYTHING]

_KINDS: dict[Any, Accepts] = {
    Array: Accepts.TENSOR,
    ArrayOrNumber: Accepts.NUMBER,
    ArrayOrBool: Accepts.BOOL,
    Sequence[Array]: Accepts.TENSORS,
}
_KINDS |= {annotation | None: accepts for annotation, accepts in _KINDS.items()}
_NUMBERS: dict[Any, str] = {int: "an int", int | None: "an int", float: "a number", float | None: "a number"}
Checked = tuple[tuple[int, str, Accepts], ...]
_NO_TENSORS = (*SCALARS, np.ndarray, list, tuple, str, dict)


class NotATensorError(TypeError, AttributeError):
    """A layer or an operator got something else than a Tensor. MindSpore raises the one or the other."""


def read_accepts(annotation: object) -> Accepts:
    """Tell what an operator takes for an array of this annotation."""
    return _KINDS.get(annotation, Accepts.ANYTHING)


def select_checked(
    arrays: Sequence[str], accepts: Sequence[Accepts], kinds: Iterable[Accepts]
) -> Checked | None:
    """Number the arrays that an operator checks, those of these kinds; None stands for no such array."""
    numbered = zip(range(len(arrays)), arrays, accepts, strict=True)
    return tuple([entry for entry in numbered if entry[2] in kinds]) or None


def find_bools(parameters: Iterable[inspect.Parameter], statics: Sequence[str]) -> tuple[str, ...]:
    """Find the settings that must be bools, by their names."""
    return tuple([p.name for p in parameters if p.annotation is bool and p.name in statics])


def refuse_others(op: str, only: Checked, arrays: Sequence[object]) -> None:
    """Raise for what is no Tensor, where Tensors alone are taken, or these and bools, or several of them."""
    for i, name, accepts in only:
        given = arrays[i]
        if accepts is Accepts.TENSORS:
            if isinstance(given, list | tuple) and any(isinstance(one, _NO_TENSORS) for one in given):
                refuse(op, name, given, accepts.value, TypeError)
            continue
        if type(given) is Tensor or not isinstance(given, _NO_TENSORS) or isinstance(given, jax.Array):
            continue
        if accepts is not Accepts.BOOL or type(given) is not bool:
            refuse(op, name, given, accepts.value)


def refuse_lists(op: str, flat: Checked, arrays: Sequence[object]) -> None:
    """Raise for lists and NumPy's arrays where Tensors or numbers are taken; PyTorch's tensors take those arrays.

    Classes of operators hand numbers on as arrays without dimensions, which have a dtype.
    """
    for i, name, accepts in flat:
        given = arrays[i]
        if isinstance(given, list | tuple | dict) or (
            isinstance(given, np.ndarray) and given.ndim and not _take_numpy(arrays)
        ):
            refuse(op, name, given, accepts.value)


def _take_numpy(arrays: Sequence[object]) -> bool:
    return any(a._takes_numpy for a in arrays if isinstance(a, Tensor))


def refuse_settings(op: str, flags: Sequence[str], named: dict[str, object]) -> None:
    """Raise for what is no bool where only bools are taken. Programs are kept beside the types of settings: ask once."""
    for name in flags:
        if type(named[name]) is not bool:
            refuse(op, name, named[name], "a bool", TypeError)


def refuse_text(op: str, fn: Callable, settings: Iterable[tuple[str, object]]) -> None:
    """Raise for a text or a list in place of a number, where an operator has failed in the words of Python or JAX.

    Args:
        op: its name.
        fn: its function, whose annotations say which settings are numbers.
        settings: names and values.
    """
    parameters = inspect.signature(fn, eval_str=True).parameters
    for name, given in settings:
        what = _NUMBERS.get(parameters[name].annotation)
        if what is not None and isinstance(given, str | list | tuple | dict):
            refuse(op, name, given, what, TypeError)


def refuse_none(op: str, only: Checked, arrays: Sequence[object]) -> None:
    """Raise for None, where an operator has already failed because it looked for what only Tensors have."""
    for i, name, _ in only:
        if arrays[i] is None:
            refuse(op, name, None)


def refuse(
    op: str, name: str, given: object, what: str = "a Tensor", error: type[Exception] = NotATensorError
) -> None:
    """Raise for an argument; `what` says what it must be."""
    received = f"{name}={given!r} ({type(given).__name__})"
    if isinstance(given, np.ndarray):
        received = f"a NumPy array of shape {given.shape} and dtype {given.dtype}, of which `Tensor({name})` makes one"
    raise error(
        f"Failed calling {op} with `{name}`. `{op}`: argument `{name}` must be {what}. Received: {received}."
    )
