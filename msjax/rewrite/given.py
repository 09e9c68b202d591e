"""Checks of argument types, and of the types of their elements."""

from collections.abc import Iterable
from typing import Any

Kinds = type | tuple[type, ...]


def expect(what: str, argument: str, given: Any, kinds: Kinds) -> None:
    """Raise TypeError if an argument is of another type; a bool is not an int.

    Args:
        what: the function or class.
        argument: its argument.
        given: what was given.
        kinds: the types it may have.

    Examples:
        >>> from msjax.rewrite.given import expect
        >>> expect("Node", "index", "0", int)
        Traceback (most recent call last):
        TypeError: `Node`: argument `index` must be of type int. Received: '0' (str).
    """
    if not isinstance(given, kinds) or (isinstance(given, bool) and kinds is int):
        raise TypeError(
            f"`{what}`: argument `{argument}` must be of type {_names(kinds)}. Received: {given!r} ({type(given).__name__})."
        )


def expect_all(what: str, argument: str, given: Any, kinds: Kinds) -> None:
    """Raise TypeError if an argument is not a list, tuple or set, or holds something of another type."""
    expect(what, argument, given, (list, tuple, set))
    for index, element in enumerate(given):
        expect(what, f"{argument}[{index}]", element, kinds)


def expect_items(what: str, argument: str, given: Any, keys: Kinds, values: Kinds) -> None:
    """Raise TypeError if an argument is not a dict, or holds keys or values of another type."""
    expect(what, argument, given, dict)
    expect_all(what, argument, list(given), keys)
    expect_all(what, argument, list(given.values()), values)


def _names(kinds: Kinds) -> str:
    all_: Iterable[type] = kinds if isinstance(kinds, tuple) else (kinds,)
    return " or ".join(kind.__name__ for kind in all_)
