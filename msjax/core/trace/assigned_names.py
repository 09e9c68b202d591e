"""Global and nonlocal variables that a compiled function assigns, and the names of jump flags in converted code.

To `side_effects`, variables of `global` and `nonlocal` that hold Tensors are one more dict that the function changes; other
values stay as the trace left them. Jump flags are AutoGraph's variables for `return`, `break` and `continue`.
"""

import dis
import functools
import types
from collections.abc import Iterable, Iterator

import jax

from msjax.core.tensor.tensor import is_tensor

_MISSING = object()


class Names:
    """Dict-like view of the global and nonlocal variables that a function assigns; it shows those with Tensors."""

    def __init__(self, fn: types.FunctionType, globals_: Iterable[str], free: Iterable[str]) -> None:
        self.namespace = fn.__globals__
        self.cells = {
            name: cell
            for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
            if name in free
        }
        self.names = sorted({*globals_, *self.cells})
        self.before = {name: self._now(name) for name in self.names}

    def _now(self, name: str) -> object:
        if name not in self.cells:
            return self.namespace.get(name, _MISSING)
        try:
            return self.cells[name].cell_contents
        except ValueError:
            return _MISSING

    def _set(self, name: str, value: object) -> None:
        if name in self.cells:
            if value is _MISSING:
                del self.cells[name].cell_contents
            else:
                self.cells[name].cell_contents = value
        elif value is _MISSING:
            self.namespace.pop(name, None)
        else:
            self.namespace[name] = value

    def keys(self) -> list[str]:
        """Return the names of the variables with Tensors."""
        return [name for name in self.names if _has_tensors(self._now(name))]

    def __getitem__(self, name: str) -> object:
        return self._now(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def items(self) -> list[tuple[str, object]]:
        """Return pairs of name and value."""
        return [(name, self._now(name)) for name in self.keys()]

    def put(self, items: Iterable[tuple[str, object]]) -> None:
        """Assign variables."""
        for name, value in items:
            self._set(name, value)

    def restore(self) -> None:
        """Give variables their values before the trace, where the old or the new value has Tensors."""
        for name, value in self.before.items():
            now = self._now(name)
            # A tracer must not stay behind in the user's module.
            if now is not value and (_has_tensors(now) or _has_tensors(value)):
                self._set(name, value)

    def list_needed(self, read: set[int]) -> list[tuple[str, object]]:
        """Return the required values for a program that reads the boxes with these ids: those, and non-Tensors."""
        return [
            (name, value)
            for name, value in self.before.items()
            if not (held := _tensors(value)) or any(id(box) in read for box in held)
        ]

    def holds(self, needed: Iterable[tuple[str, object]]) -> bool:
        """Return True if the variables have the required values; another number will do, for programs keep theirs."""
        return all(_is_unchanged(self._now(name), value) for name, value in needed)


def _is_unchanged(now: object, value: object) -> bool:
    return now is value or (type(now) is type(value) and isinstance(now, bool | int | float | complex | str))


def _tensors(value: object) -> list[object]:
    if isinstance(value, list | tuple | dict):
        try:
            return [leaf for leaf in jax.tree.leaves(value, is_leaf=is_tensor) if is_tensor(leaf)]
        except ValueError:  # keys that cannot be sorted
            return []
    return [value] if is_tensor(value) else []


def _has_tensors(value: object) -> bool:
    return bool(_tensors(value))


def find_assigned(fn: types.FunctionType) -> Names | None:
    """Return the outer variables that a function assigns, or None if there are none."""
    globals_, free = _stored_names(fn.__code__)
    return Names(fn, globals_, free) if globals_ or free else None


@functools.cache
def _stored_names(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global and the enclosing functions' variables that code, or functions inside of it, assign.

    Read off the bytecode: source is not always there, and a name assigned by `exec` cannot be found either way.
    """
    globals_, free = set(), set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            globals_.add(instruction.argval)
        elif instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars:
            free.add(instruction.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more, deeper = _stored_names(inner)
            globals_ |= more
            free |= deeper & set(code.co_freevars)
    return frozenset(globals_), frozenset(free)
