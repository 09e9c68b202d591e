"""Argument checks of optimizers and schedules, made once when the object is created."""

from typing import Any

_LIMITS = {
    ">": (lambda v, limit: v > limit, "greater than"),
    ">=": (lambda v, limit: v >= limit, "at least"),
    "<": (lambda v, limit: v < limit, "less than"),
    "<=": (lambda v, limit: v <= limit, "at most"),
}


def check_number(
    owner: str, kind: type | tuple[type, ...], name: str, value: Any, *limits: tuple[str, float]
) -> Any:
    """Return a number of the given type; refuse it beyond the limits.

    Args:
        owner: class or function, for the message.
        kind: `int`, `float` or both; a bool is neither.
        name: of the argument.
        value: what was given for it.
        limits: pairs such as (">", 0).

    Raises:
        TypeError: if it is of another type.
        ValueError: if it is beyond a limit or not finite.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, bool) or not isinstance(value, kinds):
        wanted = " or ".join(k.__name__ for k in kinds)
        raise TypeError(
            f"`{owner}`: argument `{name}` must be of type {wanted}. Received: {name}={describe_value(value)}."
        )
    for sign, limit in limits:
        if not _LIMITS[sign][0](value, limit):
            rule = " and ".join(f"{_LIMITS[s][1]} {bound}" for s, bound in limits)
            raise ValueError(f"`{owner}`: argument `{name}` must be {rule}. Received: {name}={value!r}.")
    if value - value != 0:
        raise ValueError(f"`{owner}`: argument `{name}` must be finite. Received: {name}={value!r}.")
    return value


def check_bools(owner: str, **values: Any) -> None:
    """Python bools."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise TypeError(
                f"`{owner}`: argument `{name}` must be a bool. Received: {name}={describe_value(value)}."
            )


def describe_value(value: Any) -> str:
    """Return a value and its type, for messages."""
    return f"{value!r} ({type(value).__name__})"
