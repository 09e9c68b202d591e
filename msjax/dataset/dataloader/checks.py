"""Argument checks of loaders and samplers."""

from typing import Any


def check_type(owner: str, wanted: Any, **values: Any) -> None:
    """Raise TypeError unless the value is of the wanted type; bools are not ints."""
    ((name, value),) = values.items()
    is_flag = isinstance(value, bool) and wanted is not bool
    if is_flag or not isinstance(value, wanted):
        shown = getattr(wanted, "__name__", str(wanted))
        raise TypeError(
            f"`{owner}`: argument `{name}` must be of type {shown}. Received: {value!r} ({type(value).__name__})."
        )


def check_at_least(owner: str, low: int, **values: Any) -> None:
    """Raise ValueError if the value is less than `low`; None is not."""
    ((name, value),) = values.items()
    if value is not None and value < low:
        raise ValueError(f"`{owner}`: argument `{name}` must be at least {low}. Received: {value}.")


def check_exclusive(owner: str, beside: str, **given: bool) -> None:
    """Raise ValueError for the first argument that is given where it cannot be."""
    for name, there in given.items():
        if there:
            raise ValueError(f"`{owner}`: argument `{name}` cannot be given {beside}.")
