"""Static arguments of operators and compiled functions, as hashable cache keys."""

from typing import Any, TypeVar

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
    statics = tuple([_frozen(v) for v in statics])
    return statics, tuple([with_type(v) for v in statics])


def _way(kinds: tuple[type, ...]) -> int:
    rest = {kind for kind in kinds if kind not in _PLAIN and not issubclass(kind, dtypes.DType)}
    if not rest:
        return _BY_ITSELF
    if rest <= _SIMPLE:
        return _BESIDE_TYPES
    return _WITH_TUPLES if rest <= {*_SIMPLE, tuple} else _OTHER


def _frozen(v: object) -> Any:
    if isinstance(v, Tensor):
        array = np.asarray(concrete(v, "a static argument"))
        return _frozen(array.tolist())
    if isinstance(v, np.ndarray):
        return _frozen(v.tolist())
    if isinstance(v, np.generic):
        return v.item()
    if isinstance(v, list | tuple):
        return tuple([as_entry(e) for e in v])
    return as_python_number(v)


def as_entry(v: object) -> Any:
    """Freeze one of several values: among sizes, an integer Tensor of one element is that integer."""
    if isinstance(v, Tensor) and v.shape == (1,) and not (v.is_floating_point() or v.is_complex()):
        return _frozen(v)[0]
    return _frozen(v)


def with_type(v: object) -> object:
    """Return a static value as part of a cache key: with its type, because 1, True and 1.0 are equal."""
    if type(v) in _PLAIN:
        return v
    if isinstance(v, tuple):
        return tuple([with_type(e) for e in v])
    return (type(v), v.start, v.stop, v.step) if isinstance(v, slice) else (type(v), v)
