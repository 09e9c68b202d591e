"""Comparison of the user's objects: by identity, and by equality that never raises."""

from msjax.core.state import state


class ById:
    """Wrapper of an object that is equal to itself alone: for keys of caches, and for the structure of pytrees."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def is_equal(a: object, b: object) -> bool:
    """Return True if two objects have one type and are equal; False for those that cannot be compared, as arrays.

    Examples:
        >>> import numpy as np
        >>> from msjax.core.identity import is_equal
        >>> is_equal([1, 2], [1, 2]), is_equal(1, 1.0), is_equal(np.ones(2), np.ones(2))
        (True, False, False)
    """
    unmet = state.unmet
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # noqa: BLE001  `==` is the user's own code
        state.unmet = unmet  # the program asked for no value
        return False
