"""Unique names of nodes, variables, classes and functions in generated code."""

import re

_NUMBERED = re.compile(r"(.+)_(\d+)$")


class Namer:
    """Gives out names, each once: `x`, then `x_1`, `x_2`.

    Args:
        suffix: what every name gets at its end, such as "Opt".

    Examples:
        >>> from msjax.rewrite.names import Namer
        >>> namer = Namer()
        >>> namer.make_unique("x"), namer.make_unique("x"), namer.make_unique("x_1"), namer.make_unique("_")
        ('x', 'x_1', 'x_1_1', '_')
    """

    def __init__(self, suffix: str = "") -> None:
        self._suffix = suffix
        self._next: dict[str, int] = {}

    def make_unique(self, name: str) -> str:
        """Return the name itself if it is free, otherwise one with a number."""
        if name == "_":
            return name
        name += self._suffix
        if name not in self._next:
            self._next[name] = 1
            if not self._is_given(name):
                return name
        while True:
            number = self._next[name]
            self._next[name] = number + 1
            if f"{name}_{number}" not in self._next:
                return f"{name}_{number}"

    def reserve(self, name: str) -> None:
        """Reserve a name."""
        self._next.setdefault(name + self._suffix, 1)

    def _is_given(self, name: str) -> bool:
        """Return True if a numbered name was given out already, counting up from the one without a number."""
        match = _NUMBERED.match(name)
        return bool(match) and int(match[2]) > 0 and self._next.get(match[1], -1) > int(match[2])


classes = Namer("Opt")
functions = Namer()
