"""`mutable(3)`: Python scalars passed to compiled functions as inputs, so that new values do not recompile.

Inside the function such a scalar is a `Number`: a 0-d Tensor that promotes like a Python number beside Tensors, and is one
again outside.
"""

from collections.abc import Callable, Iterable
from typing import Any

import jax
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor.box import NeedsValue, concrete, peek
from msjax.core.tensor.tensor import Tensor


class MutableInt(int):
    """An int that a compiled function takes as an input."""


class MutableFloat(float):
    """A float that a compiled function takes as an input."""


class MutableBool(int):
    """A bool that a compiled function takes as an input. `isinstance(x, bool)` holds; no class can derive from bool."""

    __class__ = property(lambda self: bool)  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__


class MutableTuple(tuple):
    """A tuple by which a compiled function is differentiated, as by its other inputs."""

    __slots__ = ()


class MutableList(list):
    """A list by which a compiled function is differentiated, as by its other inputs."""

    __slots__ = ()


class MutableDict(dict):
    """A dict by which a compiled function is differentiated, as by its other inputs."""

    __slots__ = ()


_MARKED: dict[type, type] = {tuple: MutableTuple, list: MutableList, dict: MutableDict}
MARKED = frozenset(_MARKED.values())


def _as_dict(keys: Any, parts: Any) -> Any:
    return dict(zip(keys, parts, strict=True))


# Whatever is made of them has plain containers.
for _plain, _marked in list(_MARKED.items())[:2]:
    jax.tree_util.register_pytree_node(
        _marked, lambda x: (list(x), None), lambda _, parts, of=_plain: of(parts)
    )
jax.tree_util.register_pytree_node(MutableDict, lambda x: (list(x.values()), tuple(x)), _as_dict)


_PLAIN: dict[type, type] = {MutableInt: int, MutableFloat: float, MutableBool: bool}
KINDS = frozenset(_PLAIN)


def as_python_number(value: object) -> object:
    """Convert a marked number to the number that it is; return others as they are."""
    return _PLAIN[type(value)](value) if type(value) in _PLAIN else value


def mutable(input_data: object, dynamic_len: bool = False) -> Any:
    """Mark numbers, so that a compiled function takes them as inputs instead of compiling anew for each value.

    Inside the function such a number is a 0-d Tensor; results computed from numbers alone are numbers again. Tensors
    always are inputs.

    Args:
        input_data: int, float, bool or Tensor, or a list, tuple or dict of these.
        dynamic_len: accepted for MindSpore's signature; a program is made for every length.

    Returns:
        The same values, marked.

    Raises:
        TypeError: for anything else.

    Examples:
        >>> import msjax as ms
        >>> f = ms.jit(lambda x, n: x * n)
        >>> print(f(ms.Tensor(3.0), ms.mutable(2)), f(ms.Tensor(3.0), ms.mutable(5)), f.programs)
        6.0 15.0 1
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"`mutable`: argument `dynamic_len` must be a bool. Received: {dynamic_len!r}.")
    if dynamic_len and not isinstance(input_data, list | tuple):
        raise TypeError(
            f"`mutable`: with dynamic_len=True, a list or tuple is needed. Received: {input_data!r}."
        )
    if isinstance(input_data, Tensor) or type(input_data) in KINDS:
        return input_data
    if isinstance(input_data, bool):
        return MutableBool(input_data)
    if isinstance(input_data, int):
        return MutableInt(input_data)
    if isinstance(input_data, float):
        return MutableFloat(input_data)
    for kind, marked in _MARKED.items():
        if isinstance(input_data, kind):
            items = input_data.items() if kind is dict else enumerate(input_data)  # type: ignore[attr-defined]
            values = {key: mutable(value) for key, value in items}
            # What a compiled function makes itself is an input of what it calls without a mark.
            return (marked if state.frame is None else kind)(values if kind is dict else values.values())
    raise TypeError(
        "`mutable`: argument `input_data` must be a number, a Tensor, or a list, tuple or dict of them. "
        f"Received: {input_data!r} ({type(input_data).__name__})."
    )


def mark_container(made: object, given: object) -> object:
    """Mark a container as `mutable` if the one that it was made from is."""
    return mutable(made) if type(given) in MARKED else made


class Number(Tensor):
    """A 0-d Tensor that stands for a number in a compiled function; if returned, the caller gets a number."""

    __slots__ = ()

    def __hash__(self) -> int:
        # Sets and dicts look for numbers by value.
        return hash(concrete(self, "hash").item())

    def __invert__(self) -> object:
        if not _is_integer(self):
            raise TypeError("bad operand type for unary ~: 'float'")
        return -1 - self

    def __divmod__(self, other: object) -> tuple:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple:
        return other // self, other % self


def require_conversion(leaves: Iterable[object]) -> None:
    """Raise NeedsValue, so that the function is converted, if one of these is a number: `isinstance` is wrong until then."""
    if not state.converting and any(type(leaf) is Number for leaf in leaves):
        raise NeedsValue("A number that is an input of the program needs a converted function.")


def _convert_beside(box: Number, other: Tensor) -> Tensor:
    """Convert a number to the dtype that it takes beside a Tensor."""
    dtype = dtypes.scalar(sample_number(box), peek(other).dtype)
    return box if dtype == peek(box).dtype else box.astype(dtypes.of(dtype))


def promote_numbers(arrays: tuple) -> tuple:
    """Convert the numbers among an operator's arguments to the dtype that they take beside its Tensors."""
    if not any(type(a) is Number for a in arrays):
        return arrays
    others = [peek(a).dtype for a in arrays if isinstance(a, Tensor) and type(a) is not Number]
    if not others:
        return arrays
    made = list(arrays)
    for i, a in enumerate(arrays):
        if type(a) is Number and (dtype := dtypes.scalar(sample_number(a), *others)) != peek(a).dtype:
            made[i] = a.astype(dtypes.of(dtype))
    return tuple(made)


def _is_integer(box: Number) -> bool:
    return type(sample_number(box)) in (int, bool)


def _of_numbers(name: str) -> Callable:
    def compute(self: Number, *others: object) -> object:
        if name in ("__mul__", "__rmul__") and isinstance(others[0], list | tuple) and _is_integer(self):
            # A list as many times: how long it is must be known (test_scalar_inputs.test_lists_by_numbers).
            return others[0] * int(concrete(self, name))
        if others and isinstance(others[0], Tensor) and type(others[0]) is not Number:
            return getattr(Tensor, name)(_convert_beside(self, others[0]), *others)
        result = getattr(Tensor, name)(self, *others)
        if type(result) is Tensor and all(isinstance(other, Number | int | float) for other in others):
            # The class is assigned, not the value wrapped: a result belongs to its frame and tape node already.
            result.__class__ = Number
        return result

    compute.__name__ = name
    return compute


# Arithmetic of numbers alone gives numbers; beside a Tensor, a number takes its dtype first, as Python's numbers do.
for _name in "add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rfloordiv rmod rpow".split():
    setattr(Number, f"__{_name}__", _of_numbers(f"__{_name}__"))
for _name in "and or xor lshift rshift rand ror rxor rlshift rrshift".split():
    setattr(Number, f"__{_name}__", _of_numbers(f"__{_name}__"))
for _name in "neg pos abs eq ne lt le gt ge".split():
    setattr(Number, f"__{_name}__", _of_numbers(f"__{_name}__"))


KINDS |= {Number}


def box_number(value: object) -> Tensor:
    """Return the Tensor that stands for a marked number inside a compiled function."""
    if isinstance(value, Number):
        return value
    return Number(bool(value) if isinstance(value, MutableBool) else value)


def mark_as_number(box: Tensor) -> Tensor:
    """Mark a new 0-d Tensor as one that stands for a number from now on."""
    if type(box) is Tensor:
        box.__class__ = Number
    return box


def sample_number(box: Tensor) -> bool | int | float:
    """Return a Python number of the type that a Tensor stands for."""
    return peek(box).dtype.type().item()


def mark_like(box: Tensor, made: Tensor) -> Tensor:
    """Mark a new Tensor as a number if another one is."""
    if type(box) is Number:
        made.__class__ = Number
    return made


def convert_results(leaves: Iterable[Any], places: Iterable[int]) -> list[Any]:
    """Convert results at these indices: to marked Tensors for a surrounding trace, to numbers for a caller outside."""
    leaves = list(leaves)
    for i in places:
        if type(leaves[i]) is Tensor and not leaves[i].ndim:
            leaves[i].__class__ = Number
            if not isinstance(value := peek(leaves[i]), Tracer):
                leaves[i] = value.item()
    return leaves
