"""Argument checks of MindSpore's own layers, under the path that published networks import them from.

Each takes a value with what is asked of it and returns the value, or raises: TypeError for another type (`True` is no
number), ValueError for a number out of its range. MindSpore 1 and 2.0 had the same functions as static methods of
`Validator`, and the relations as members of `Rel`; both work here. New code of
msjax uses :mod:`msjax.nn.cell.argument_checks`.
"""

import enum
import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from msjax.core.dtype import DType


class Rel(enum.IntEnum):
    """Relation of a value to one bound, to two (`INC_LEFT`: the left one may be reached), or to a list."""

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    INC_NEITHER = 7
    INC_LEFT = 8
    INC_RIGHT = 9
    INC_BOTH = 10
    IN = 11
    NOT_IN = 12


EQ, NE, LT, LE, GT, GE = (int(rel) for rel in list(Rel)[:6])
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH, IN, NOT_IN = (int(rel) for rel in list(Rel)[6:])

# By relation: the comparison with one bound and its sign; for two, those with each of them and the brackets.
_ONE: dict[int, tuple[Callable, str]] = {
    EQ: (operator.eq, "="),
    NE: (operator.ne, "!="),
    LT: (operator.lt, "<"),
    LE: (operator.le, "<="),
    GT: (operator.gt, ">"),
    GE: (operator.ge, ">="),
    IN: (lambda value, among: value in among, "in"),
    NOT_IN: (lambda value, among: value not in among, "not in"),
}
_TWO: dict[int, tuple[Callable, Callable, str]] = {
    INC_NEITHER: (operator.gt, operator.lt, "()"),
    INC_LEFT: (operator.ge, operator.lt, "[)"),
    INC_RIGHT: (operator.gt, operator.le, "(]"),
    INC_BOTH: (operator.ge, operator.le, "[]"),
}


def _subject(arg_name: str | None, prim_name: str | None) -> str:
    named = f"'{arg_name}'" if arg_name else "input value"
    return f"For '{prim_name}', the {named}" if prim_name else f"The {named}"


def _describe(value: Any) -> str:
    return f"Received: {value!r} ({type(value).__name__})."


def _names(types: Iterable) -> str:
    return ", ".join(getattr(t, "__name__", str(t)) for t in types)


def _several(types: Any) -> tuple:
    return tuple(types) if isinstance(types, Iterable) else (types,)


def check_is_number(
    arg_value: Any, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """Return a finite number of a type, and not a bool."""
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be {arg_type.__name__}. {_describe(arg_value)}"
        )
    if not math.isfinite(arg_value):
        raise ValueError(f"{_subject(arg_name, prim_name)} must be finite. {_describe(arg_value)}")
    return arg_value


def _check_number(
    arg_value: Any,
    value: Any,
    rel: int,
    arg_type: type = int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    check_is_number(arg_value, arg_type, arg_name, prim_name)
    holds, sign = _ONE[rel]
    if not holds(arg_value, value):
        raise ValueError(f"{_subject(arg_name, prim_name)} must be {sign} {value}. {_describe(arg_value)}")
    return arg_value


def check_number_range(
    arg_value: Any,
    lower_limit: Any,
    upper_limit: Any,
    rel: int,
    value_type: type,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """Return a number of a type between two bounds.

    Examples:
        >>> from msjax import _checkparam
        >>> _checkparam.check_number_range(0.5, 0.0, 1.0, _checkparam.INC_LEFT, float, "keep_prob", "Dropout")
        0.5
    """
    if not isinstance(arg_value, np.ndarray | np.generic | value_type) or isinstance(arg_value, bool):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be {value_type.__name__}. {_describe(arg_value)}"
        )
    above, below, brackets = _TWO[rel]
    if not (above(arg_value, lower_limit) and below(arg_value, upper_limit)):
        bounds = f"{brackets[0]}{lower_limit}, {upper_limit}{brackets[1]}"
        raise ValueError(f"{_subject(arg_name, prim_name)} must be in {bounds}. {_describe(arg_value)}")
    return arg_value


def check_int(
    arg_value: Any, value: Any, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """Return an int that stands in a relation to a value."""
    return _check_number(arg_value, value, rel, int, arg_name, prim_name)


def check_float(
    arg_value: Any, value: Any, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """Return a float that stands in a relation to a value."""
    return _check_number(arg_value, value, rel, float, arg_name, prim_name)


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Return an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Return a float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_equal_int(
    arg_value: Any, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """Return an int that is this one."""
    return _check_number(arg_value, value, EQ, int, arg_name, prim_name)


def _against_zero(name: str, arg_type: type, rel: int) -> Callable:
    def check(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        return _check_number(arg_value, 0, rel, arg_type, arg_name, prim_name)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"{'An int' if arg_type is int else 'A float'} that is {_ONE[rel][1]} 0."
    return check


check_positive_int = _against_zero("check_positive_int", int, GT)
check_negative_int = _against_zero("check_negative_int", int, LT)
check_non_positive_int = _against_zero("check_non_positive_int", int, LE)
check_non_negative_int = _against_zero("check_non_negative_int", int, GE)
check_positive_float = _against_zero("check_positive_float", float, GT)
check_negative_float = _against_zero("check_negative_float", float, LT)
check_non_positive_float = _against_zero("check_non_positive_float", float, LE)
check_non_negative_float = _against_zero("check_non_negative_float", float, GE)


def _of_each(check: Callable) -> Callable:
    def check_sequence(
        sequence: Sequence, arg_name: str | None = None, prim_name: str | None = None
    ) -> Sequence:
        for index, element in enumerate(sequence):
            check(element, f"{arg_name or 'arg_name'}[{index}]", prim_name)
        return sequence

    check_sequence.__name__ = check_sequence.__qualname__ = f"{check.__name__}_sequence"
    check_sequence.__doc__ = f":func:`{check.__name__}` of each element."
    return check_sequence


check_positive_int_sequence = _of_each(check_positive_int)
check_non_negative_int_sequence = _of_each(check_non_negative_int)
check_positive_float_sequence = _of_each(check_positive_float)


def check_int_range(
    arg_value: Any,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """Return an int between two bounds."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: Any,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """Return a float between two bounds."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check(
    arg_name: str,
    arg_value: Any,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """Return a value that stands in a relation to another one, which has a name too; `excp_cls` is raised if it does not."""
    holds, sign = _ONE[rel]
    if not holds(arg_value, value):
        raise excp_cls(
            f"{_subject(arg_name, prim_name)} should be {sign} {value_name}: {value}. {_describe(arg_value)}"
        )
    return arg_value


def check_number(arg_name: str, arg_value: Any, value: Any, rel: int, prim_name: str | None) -> Any:
    """Return a number of any type that stands in a relation to a value."""
    holds, sign = _ONE[rel]
    if not holds(arg_value, value):
        raise ValueError(f"{_subject(arg_name, prim_name)} must be {sign} {value}. {_describe(arg_value)}")
    return arg_value


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """Return an instance of a class or of one of several; ValueError if it is none."""
    if not isinstance(arg_value, classes):
        raise ValueError(
            f"The '{arg_name}' must be an instance of {_names(_several(classes))}. {_describe(arg_value)}"
        )
    return arg_value


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Return a bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(f"{_subject(arg_name, prim_name)} must be a bool. {_describe(arg_value)}")
    return arg_value


def check_string(
    arg_value: Any, valid_values: Iterable[str], arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """Check that a value is one of several strings, and return it."""
    if not (isinstance(arg_value, str) and arg_value in valid_values):
        among = _subject(arg_name or "parameter", prim_name)
        raise ValueError(f"{among} must be one of {valid_values!r}. {_describe(arg_value)}")
    return arg_value


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None) -> Any:
    """Return an instance of one of some types. A bool is not an int here.

    Examples:
        >>> from msjax import _checkparam
        >>> _checkparam.check_value_type("size", (3, 4), [int, tuple], "Resize")
        (3, 4)
        >>> _checkparam.check_value_type("size", True, [int, tuple], "Resize")
        Traceback (most recent call last):
        TypeError: For 'Resize', the type of 'size' should be one of int, tuple. Received: True (bool).
    """
    types = _several(valid_types)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        start = f"For '{prim_name}', the" if prim_name else "The"
        one = "one of " if len(types) > 1 else ""
        raise TypeError(
            f"{start} type of '{arg_name}' should be {one}{_names(types)}. {_describe(arg_value)}"
        )
    return arg_value


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: str | None) -> Any:
    """Check that a value is one of some types or dtypes, and return it."""
    types = _several(valid_types)
    if arg_type not in types:
        raise TypeError(
            f"{_subject(arg_name, prim_name)} should be one of {_names(types)}. {_describe(arg_type)}"
        )
    return arg_type


def check_subclass(
    arg_name: str,
    type_: Any,
    template_types: Any,
    prim_name: str | None,
    addition_error_info: str | None = None,
) -> None:
    """Check that a type or dtype belongs to one of some kinds; a dtype belongs to itself and to `mstype.tensor_type`."""
    kinds = _several(template_types)

    def belongs(kind: Any) -> bool:
        if isinstance(type_, type) and isinstance(kind, type):
            return issubclass(type_, kind)
        return (
            type_ is kind
            or type_ == kind
            or (isinstance(type_, DType) and not isinstance(kind, DType | type))
        )

    if not any(belongs(kind) for kind in kinds):
        more = f" {addition_error_info}" if addition_error_info else ""
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be one of {_names(kinds)}. {_describe(type_)}{more}"
        )


def check_and_canonicalize_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as numbers from 0 on, each once.

    Examples:
        >>> from msjax import _checkparam
        >>> _checkparam.check_and_canonicalize_axes((-1, 0), 3)
        (2, 0)
    """
    result = []
    for axis in axes if isinstance(axes, tuple) else (axes,):
        if not isinstance(axis, int):
            raise TypeError(f"Each axis must be an int. {_describe(axis)}")
        if not -ndim <= axis < ndim:
            raise ValueError(f"Each axis must be in [{-ndim}, {ndim}). {_describe(axis)}")
        result.append(axis % ndim)
    if len(set(result)) < len(result):
        raise ValueError(f"Each axis must be given once. {_describe(axes)}")
    return tuple(result)


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable], Callable]:
    """Decorates a function whose arguments must be None or of the types that are given at their places and names."""

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)
        types = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in types and value is not None and not isinstance(value, types[name]):
                    raise TypeError(
                        f"The '{name}' must be {_names(_several(types[name]))}. {_describe(value)}"
                    )
            return function(*args, **kwargs)

        return checked

    return decorate


def _make_tuple_rule(count: int, *sequences: type) -> Callable[[Any], tuple]:
    def expand(m: Any) -> tuple:
        given = m if isinstance(m, sequences) else (m,) * count
        if len(given) != count or any(not isinstance(i, int) or isinstance(i, bool) for i in given):
            raise TypeError(
                f"An int or {count} of them in a {' or '.join(_names(sequences).split(', '))} is needed. {_describe(m)}"
            )
        return tuple(given)

    expand.__doc__ = f"{count} ints: of one, or of as many in a {_names(sequences)}."
    return expand


twice, triple = _make_tuple_rule(2, tuple), _make_tuple_rule(3, tuple)
once_sequence, twice_sequence, triple_sequence = (_make_tuple_rule(count, tuple, list) for count in (1, 2, 3))


class Validator:
    """The checks of this module as static methods, where MindSpore 1 and 2.0 had them, and its relations."""


for _rel in Rel:
    setattr(Validator, _rel.name, int(_rel))
for _name, _check in list(globals().items()):
    if _name.startswith("check") and callable(_check):
        setattr(Validator, _name, staticmethod(_check))


def _check_pattern(default: str, subject: str) -> Callable:
    def check(
        target: str, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
    ) -> bool:
        pattern = default if reg is None else reg
        if re.match(pattern, target, flag) is None:
            raise ValueError(
                f"{f'`{prim_name}`: ' if prim_name else ''}the {subject} '{target}' is illegal; it must match {pattern!r}."
            )
        return True

    return check


check_str_by_regular = _check_pattern(r"^\w+[0-9a-zA-Z\_\.]*$", "name")
check_str_and_none_by_regular = _check_pattern(r"^\w*[0-9a-zA-Z\_\.\-]*$", "name")
