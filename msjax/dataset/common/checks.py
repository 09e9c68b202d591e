"""Argument checks, which raise with the caller's name, the argument's, and what was received."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
FLOAT_MAX = 2.0**24  # MindSpore's limit of numbers


def argument_error_text(op: str, name: str, rule: str, value: Any) -> str:
    """Return the text of an error about an argument."""
    return f"`{op}`: argument `{name}` must {rule}. Received: {name}={value!r} ({type(value).__name__})."


def fail(error: type[Exception], op: str, name: str, rule: str, value: Any) -> NoReturn:
    """Raise an error about an argument."""
    raise error(argument_error_text(op, name, rule, value))


def check_int(op: str, name: str, value: Any, low: int, high: int = INT32_MAX) -> int:
    """Return an int in [low, high]; bools and NumPy integers are none, as in MindSpore."""
    if isinstance(value, bool) or not isinstance(value, int):
        fail(TypeError, op, name, "be an int", value)
    if not low <= value <= high:
        fail(ValueError, op, name, f"be in [{low}, {high}]", value)
    return value


def check_bool(op: str, name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        fail(TypeError, op, name, "be a bool", value)
    return value


def check_number(op: str, name: str, value: Any, low: float = -FLOAT_MAX, high: float = FLOAT_MAX) -> float:
    """Return an int or a float in [low, high]; nan passes, as in MindSpore."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        fail(TypeError, op, name, "be a number", value)
    if value < low or value > high:
        fail(ValueError, op, name, f"be in [{low}, {high}]", value)
    return value


def check_num_workers(op: str, value: Any) -> None:
    """Check a number of workers, which has no influence here; None is the configured number."""
    if value is not None:
        check_int(op, "num_parallel_workers", value, 1)


def check_column_names(op: str, name: str, value: Any) -> list[str]:
    """One name or a list of names, each a non-empty str and none of them twice."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        fail(TypeError, op, name, "be a str or a list of str", value)
    if not names:
        fail(ValueError, op, name, "hold at least one name", value)
    for one in names:
        if not isinstance(one, str):
            fail(TypeError, op, name, "hold names of type str only", value)
        if not one:
            fail(ValueError, op, name, "hold no empty name", value)
    if len(set(names)) < len(names):
        fail(ValueError, op, name, "hold no name twice", value)
    return list(names)


def check_columns_exist(op: str, name: str, wanted: Sequence[str], columns: Sequence[str]) -> None:
    """All of `wanted` are columns of the dataset. MindSpore finds out when the pipeline is built, hence the type."""
    missing = [one for one in wanted if one not in columns]
    if missing:
        raise RuntimeError(
            f"`{op}`: argument `{name}` names columns that the dataset does not have: {missing}. "
            f"It has {list(columns)}."
        )


def check_callable(op: str, name: str, value: Any) -> Callable[..., Any]:
    """Check that a value is callable."""
    if not callable(value):
        fail(TypeError, op, name, "be a function or another callable", value)
    return value


def count_parameters(value: Callable[..., Any]) -> int | None:
    """Return the number of positional arguments of a callable; None if unknown or unlimited."""
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in given):
        return None
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in given)


def check_row_sizes(op: str, value: Any) -> list[int]:
    """Return the limits of the shared memory for a row going into a step, and coming out of it, in MB; -1: none."""
    listed = isinstance(value, list)
    if listed and len(value) != 2:
        fail(TypeError, op, "max_rowsize", "be an int, or a list of two: [in, out]", value)
    if value is None:
        return [-1, -1]
    return [check_int(op, "max_rowsize", one, -1) for one in (value if listed else [value] * 2)]


def check_no_unknown_keywords(op: str, keywords: dict[str, Any], accepted: Sequence[str] = ()) -> None:
    """Raise TypeError for keyword arguments other than those without effect on the data."""
    unknown = [key for key in keywords if key not in accepted]
    if unknown:
        raise TypeError(
            f"`{op}`: got an unexpected keyword argument {unknown[0]!r}. Received: {keywords[unknown[0]]!r}."
        )
