"""Variables outside of a compiled function that it assigns Tensors to, and those that tell of jumps in rewritten code.

The former, of `global` and `nonlocal`, are to `outside` one more dict that the function changes. What is no Tensor stays
as the trace left it. The latter tell of a `return`, `break` or `continue`.
"""

import dis
import functools
import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

import jax

from msjax.core.tensor import is_tensor

_MISSING = object()
_JUMP = re.compile(r"(do_return|break_|continue_)(_\d+)?")


def tells_of_jump(name: str) -> bool:
    """Whether rewritten code has this variable to tell of a jump."""
    return _JUMP.fullmatch(name) is not None


class Names:
    """The global variables and those of enclosing functions that a function assigns; of these, the ones with Tensors."""

    def __init__(self, fn: types.FunctionType, globals_: Iterable[str], free: Iterable[str]) -> None:
        self.namespace = fn.__globals__
        self.cells = {
            name: cell
            for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
            if name in free
        }
        self.names = sorted({*globals_, *self.cells})
        self.before = {name: self._now(name) for name in self.names}

    def _now(self, name: str) -> Any:
        if name not in self.cells:
            return self.namespace.get(name, _MISSING)
        try:
            return self.cells[name].cell_contents
        except ValueError:
            return _MISSING

    def _set(self, name: str, value: Any) -> None:
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
        """The names."""
        return [name for name in self.names if _has_tensors(self._now(name))]

    def __getitem__(self, name: str) -> Any:
        return self._now(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def items(self) -> list[tuple[str, Any]]:
        """The names with what they stand for."""
        return [(name, self._now(name)) for name in self.keys()]

    def put(self, items: Iterable[tuple[str, Any]]) -> None:
        """Assign."""
        for name, value in items:
            self._set(name, value)

    def restore(self) -> None:
        """Let the names stand for what they did before the trace, where that or what there is now has Tensors."""
        for name, value in self.before.items():
            now = self._now(name)
            if now is not value and (_has_tensors(now) or _has_tensors(value)):
                self._set(name, value)

    def needed(self, read: set[int]) -> list[tuple[str, Any]]:
        """What must be there for a program that reads the boxes with these ids: these, and what was no Tensor."""
        return [
            (name, value)
            for name, value in self.before.items()
            if not (held := _tensors(value)) or any(id(box) in read for box in held)
        ]

    def holds(self, needed: Iterable[tuple[str, Any]]) -> bool:
        """Whether it is there. Another number or text will do: a program is made for those that it found."""
        return all(_alike(self._now(name), value) for name, value in needed)


def _alike(now: Any, value: Any) -> bool:
    return now is value or (type(now) is type(value) and isinstance(now, bool | int | float | complex | str))


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | dict):
        try:
            return [leaf for leaf in jax.tree.leaves(value, is_leaf=is_tensor) if is_tensor(leaf)]
        except ValueError:  # keys that cannot be sorted
            return []
    return [value] if is_tensor(value) else []


def _has_tensors(value: Any) -> bool:
    return bool(_tensors(value))


def assigned(fn: types.FunctionType) -> Names | None:
    """What a function assigns outside of itself, if it does."""
    globals_, free = _stored(fn.__code__)
    return Names(fn, globals_, free) if globals_ or free else None


@functools.cache
def _stored(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The global variables, and those of enclosing functions, that code or functions in it assign."""
    globals_, free = set(), set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            globals_.add(instruction.argval)
        elif instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars:
            free.add(instruction.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more, deeper = _stored(inner)
            globals_ |= more
            free |= deeper & set(code.co_freevars)
    return frozenset(globals_), frozenset(free)
