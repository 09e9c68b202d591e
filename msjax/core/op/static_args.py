"""Static arguments of operators and compiled functions, as hashable cache keys."""

import dataclasses
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.scalar_inputs import as_python_number
from msjax.core.tensor.tensor import Tensor, concrete

_Class = TypeVar("_Class", bound=type)
_PLAIN: set[type] = {str, type(None), int, dtypes.DType}  # values of these are keys as they are
_SIMPLE: set[type] = {bool, float}  # and of these beside their types: 1, True and 1.0 are equal
flat: set[type] = {str, type(None), int, bool, float}  # values of these hold no other values
_BY_ITSELF, _BESIDE_TYPES, _WITH_TUPLES, _OTHER = range(4)
_ways: dict[tuple[type, ...], int] = {}  # types of static arguments -> how they become a key


def static_class(cls: _Class) -> _Class:
    """Mark a class whose objects are used as static arguments, compare by value and have a quick hash."""
    _PLAIN.add(cls)
    return cls


def static_key(statics: tuple) -> tuple[tuple, object]:
    """Make static arguments hashable; also return a cache key for them that tells 1, True and 1.0 apart."""
    # How the key is made depends on the types alone, which recur from call to call: one dict lookup decides.
    kinds = tuple(map(type, statics))
    way = _ways.get(kinds)
    if way is None:
        way = _ways[kinds] = _way(kinds)
    if way == _BY_ITSELF:
        return statics, statics
    if way == _BESIDE_TYPES:
        return statics, (statics, kinds)
    if way == _WITH_TUPLES:
        parts: list[tuple] = [statics, kinds]
        for v in statics:
            if type(v) is tuple:
                types = tuple(map(type, v))
                way = _ways.get(types)
                if way is None:
                    way = _ways[types] = _way(types)
                if way > _BESIDE_TYPES:
                    break
                parts.append(types)
        else:
            return statics, tuple(parts)
    statics = tuple([_freeze_array(v) for v in statics])
    return statics, tuple([with_type(v) for v in statics])


def _way(kinds: tuple[type, ...]) -> int:
    rest = {kind for kind in kinds if kind not in _PLAIN and not issubclass(kind, dtypes.DType)}
    if not rest:
        return _BY_ITSELF
    if rest <= _SIMPLE:
        return _BESIDE_TYPES
    return _WITH_TUPLES if rest <= {*_SIMPLE, tuple} else _OTHER


def _freeze_array(v: object) -> Any:
    if isinstance(v, Tensor):
        array = np.asarray(concrete(v, "a static argument"))
        return _freeze_array(array.tolist())
    if isinstance(v, np.ndarray):
        return _freeze_array(v.tolist())
    if isinstance(v, np.generic):
        return v.item()
    if isinstance(v, list | tuple):
        return tuple([as_entry(e) for e in v])
    return as_python_number(v)


def as_entry(v: object) -> Any:
    """Freeze one of several values: among sizes, an integer Tensor of one element is that integer."""
    if isinstance(v, Tensor) and v.shape == (1,) and not (v.is_floating_point() or v.is_complex()):
        return _freeze_array(v)[0]
    return _freeze_array(v)


def with_type(v: object) -> object:
    """Return a static value as part of a cache key: with its type, because 1, True and 1.0 are equal."""
    if type(v) in _PLAIN:
        return v
    if isinstance(v, tuple):
        return tuple([with_type(e) for e in v])
    return (type(v), v.start, v.stop, v.step) if isinstance(v, slice) else (type(v), v)


class _Number:
    """Stands for a number among static arguments (`split_numbers`)."""


_NUMBER = _Number()


class _Fields(NamedTuple):
    """Stands for an object of a `static_class` that is a dataclass."""

    kind: type
    values: tuple


def split_numbers(statics: tuple, least: int) -> tuple[tuple, tuple[int, ...]]:
    """Return static arguments without their ints from `least` on, lengths mostly; and those ints.

    Examples:
        >>> from msjax.core.op.static_args import split_numbers, with_numbers
        >>> rest, numbers = split_numbers(((1, 41, 64), -1), 8)
        >>> numbers
        (41, 64)
        >>> with_numbers(rest, (42, 64))
        ((1, 42, 64), -1)
    """
    rest: list[Any] = []
    numbers: tuple[int, ...] = ()
    for v in statics:
        if type(v) is int and v >= least:
            v, numbers = _NUMBER, (*numbers, v)
        elif type(v) is tuple:
            v, inside = split_numbers(v, least)
            numbers += inside
        elif type(v) in _PLAIN and dataclasses.is_dataclass(v):
            fields = tuple([getattr(v, field.name) for field in dataclasses.fields(v)])
            (fields, inside), kind = split_numbers(fields, least), type(v)
            v, numbers = _Fields(kind, fields), numbers + inside
        rest.append(v)
    return tuple(rest), numbers


def with_numbers(rest: tuple, numbers: Iterable[Any]) -> tuple:
    """Put numbers back in their places: the inverse of `split_numbers`."""
    given = iter(numbers)

    def filled(v: Any) -> Any:
        if type(v) is _Fields:
            return v.kind(*map(filled, v.values))
        return next(given) if v is _NUMBER else tuple(map(filled, v)) if type(v) is tuple else v

    return filled(rest)
