"""Side effects of compiled functions on the user's own lists, dicts and objects.

Lists, dicts and objects are found before a function is traced, by looking at it as `captures` does: in its closure,
globals and default arguments, and in attributes of Cells. Their old content is restored when the trace ends; the new
content is a result of the program, so that it takes effect at each call, on the same list or dict. A function that returns
such a list or dict returns the object itself, not a copy. A program that changes one is used again if that has the content
which the program was made for; for Tensors in it that the program does not read, shape and dtype are enough.
"""

import contextlib
import functools
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import jax

from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor, is_tensor
from msjax.core.trace import captures
from msjax.core.trace.assigned_names import Names, find_assigned

# Code of these is not searched: what libraries keep in lists and dicts is their own affair.
_LIBRARIES = frozenset({"msjax", "jax", "jaxlib", "numpy", "scipy", "optax", "malt", "pytest", "mindspore"})


class Alias:
    """Alias in a function's result: stands for a list or dict of the user's, and becomes that very object when rebuilt."""

    def __init__(self, place: Any) -> None:
        self.place = place


class _Same:
    """Object compared by identity, so that it can be part of a tree's structure."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


class _Argument(NamedTuple):
    """A list or dict among the arguments of a call, by its path from them."""

    path: tuple

    @property
    def thing(self) -> Any:
        found = _calls.arguments
        for at in self.path:
            found = found[at]
        return found


class _Calls(threading.local):
    """Arguments of the call whose results are being rebuilt, per thread."""

    arguments: Any = None


_calls = _Calls()


@contextlib.contextmanager
def resolve_aliases(arguments: Any) -> Iterator[None]:
    """Rebuild results of a call with these arguments, so that aliases of arguments find them."""
    before, _calls.arguments = _calls.arguments, arguments
    try:
        yield
    finally:
        _calls.arguments = before


jax.tree_util.register_pytree_node(Alias, lambda it: ((), it.place), lambda place, _: place.thing)


class _Element(NamedTuple):
    """Reference to an element of the old content that the function left in place."""

    at: Any


class SideEffects:
    """Journal of the lists, dicts and objects that a function reaches, with their content before it runs."""

    def __init__(self, fn: Any, arguments: Any) -> None:
        self.paths = {id(thing): path for path, thing in _within(arguments, ())}
        self.things = {id(thing): thing for thing in _reached(fn)}
        self.things |= {id(thing): thing for _, thing in _within(arguments, ())}
        self.takes = False  # whether it changes or returns a list or dict among its arguments
        # Shallow copies: an inner list or dict is in `things` itself.
        self.before = {key: _copy(thing) for key, thing in self.things.items()}
        self.changed: dict[int, Any] = {}

    def referring(self, out: Any) -> Any:
        """Replace what the function reached by `Alias` in its result."""
        if id(out) in self.things and self.things[id(out)] is out:
            return Alias(self._place(out))
        if type(out) in (list, tuple):
            return type(out)(map(self.referring, out))
        return {key: self.referring(value) for key, value in out.items()} if type(out) is dict else out

    def _place(self, thing: Any) -> Any:
        if id(thing) not in self.paths:
            return _Same(thing)
        self.takes = True
        return _Argument(self.paths[id(thing)])

    def taken(self, out: Any) -> Any:
        """Wrap the function's result together with its changes to containers."""
        changes = []
        for key, thing in self.things.items():
            before = self.before[key]
            if _same(thing, before):
                continue
            # Of a list that only grows the new elements suffice, so that the same program serves for every length
            # (test_side_effects.test_a_list_that_grows_needs_no_new_programs).
            grows = _grown(thing, before)
            # Elements that stayed are referred to by their old index: at a later call, whatever is there then stays.
            old = {} if grows else {id(value): at for at, value in _items(before) if _is_object(value)}
            new = [
                (at, _Element(old[id(value)]) if id(value) in old else self.referring(value))
                for at, value in _items(thing)[len(before) if grows else 0 :]
            ]
            self.changed[key] = before, grows
            changes.append((self._place(thing), [at for at, _ in new], [value for _, value in new], grows))
        return WithContainerWrites(out, changes) if changes else out

    def restore(self) -> None:
        """Give changed containers their old content back."""
        for key, thing in self.things.items():
            if isinstance(thing, Names):
                thing.restore()
            elif not _same(thing, self.before[key]):
                _fill(thing, list(_items(self.before[key])))

    def guards(self, read: set[int]) -> list[tuple[Any, bool, list[tuple[Any, Any]]]]:
        """Return the required contents of what is changed, for a program that reads the boxes with these ids."""
        return [
            (thing, grows, thing.needed(read) if isinstance(thing, Names) else _wanted(before, read))
            for key, (before, grows) in self.changed.items()
            # Arguments are part of the cache key already.
            if key not in self.paths
            for thing in [self.things[key]]
        ]


def _wanted(before: Any, read: set[int]) -> list[tuple[Any, Any]]:
    return [(at, _needed(value, read)) for at, value in _items(before)]


def contents_match(guards: Iterable[tuple[Any, bool, list[tuple[Any, Any]]]]) -> bool:
    """Return True if the containers that a program changes have the content that it was made for.

    Of lists that only grow, the elements that it reads must be the same; numbers in them may be others.
    """
    return all(
        thing.holds(needed) if isinstance(thing, Names) else _holds(list(_items(thing)), needed, grows)
        for thing, grows, needed in guards
    )


def _holds(now: list[tuple[Any, Any]], needed: list[tuple[Any, Any]], grows: bool) -> bool:
    if bool(now) != bool(needed) or not (len(now) == len(needed) or (grows and len(now) > len(needed))):
        return False
    return all(
        at == wanted and (want == _Aval.of(value) if isinstance(want, _Aval) else _equal(want, value))
        for (at, value), (wanted, want) in zip(now, needed, strict=False)
    )


class _Aval(NamedTuple):
    """Shape and dtype of a Tensor whose value does not matter."""

    shape: Any
    dtype: Any

    @staticmethod
    def of(value: Any) -> Any:
        return _Aval(peek(value).shape, peek(value).dtype) if type(value) is Tensor else None


def _needed(value: Any, read: set[int]) -> Any:
    return _Aval.of(value) if type(value) is Tensor and id(value) not in read else value


def _equal(a: Any, b: Any) -> bool:
    if a is b or isinstance(a, Tensor):
        return a is b
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # noqa: BLE001  what cannot be compared is another
        return False


class WithContainerWrites:
    """A function's result with its side effects on containers; rebuilding this pytree node performs them."""

    def __init__(self, out: Any, changes: list[tuple[Any, list[Any], list[Any], bool]]) -> None:
        self.out = out
        self.changes = changes


def strip_container_writes(out: Any) -> Any:
    """Return a function's result without its side effects."""
    return out.out if isinstance(out, WithContainerWrites) else out


def _flat(changed: WithContainerWrites) -> tuple[Any, Any]:
    children, plans = [], []
    for thing, places, values, grows in changed.changes:
        stays = [value if isinstance(value, _Element) else None for value in values]
        children.append([value for value in values if not isinstance(value, _Element)])
        plans.append((thing, tuple(map(_Key, places)), tuple(stays), grows))
    return (changed.out, children), tuple(plans)


class _Key(NamedTuple):
    """Key of a dict or index of a list, as part of a tree's structure."""

    at: Any


def _leave(plans: Any, children: Any) -> Any:
    out, contents = children
    for (same, places, stays, grows), new in zip(plans, contents, strict=True):
        # The content at this call, not that of the trace: new elements are added to it, or refer to it.
        now, each = dict(_items(same.thing)), iter(new)
        filled = [
            (place.at, next(each) if stay is None else now[stay.at])
            for place, stay in zip(places, stays, strict=True)
        ]
        _fill(same.thing, [*now.items(), *filled] if grows else filled)
    return out


def _grown(thing: Any, before: Any) -> bool:
    """Return True if a list was only appended to."""
    kept = len(before)
    return isinstance(thing, list) and len(thing) > kept and _same(thing[:kept], before)


jax.tree_util.register_pytree_node(WithContainerWrites, _flat, _leave)


# ---------------------------------------------------------------------- content


def _copy(thing: Any) -> Any:
    return list(thing) if isinstance(thing, list) else dict(thing.items())


def _items(thing: Any) -> Any:
    return list(thing.items()) if isinstance(thing, dict | Names) else list(enumerate(thing))


def _fill(thing: Any, items: list[tuple[Any, Any]]) -> None:
    if isinstance(thing, list):
        thing[:] = [value for _, value in items]
    elif isinstance(thing, Names):
        thing.put(items)
    else:
        thing.clear()
        thing.update(items)


def _same(thing: Any, before: Any) -> bool:
    if len(thing) != len(before):
        return False
    if isinstance(thing, list):
        return all(a is b for a, b in zip(thing, before, strict=True))
    return all(
        a is b and value is old for (a, value), (b, old) in zip(thing.items(), before.items(), strict=True)
    )


def _is_object(value: Any) -> bool:
    """Return True if identity tells where a value came from; small numbers and strings are shared by everything."""
    return not isinstance(value, bool | int | float | complex | str | bytes | type(None))


# ---------------------------------------------------------------------- reach


def _within(arguments: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    """Yield the lists and dicts among arguments, each with its path."""
    marked = any(
        type(value) is scalar_inputs.Number for _, value in _items(arguments)
    )  # those are numbers outside
    if type(arguments) in (list, dict) and path != (1,) and not marked:
        yield path, arguments
    if isinstance(arguments, list | tuple | dict):
        for at, value in _items(arguments):
            if isinstance(value, list | tuple | dict):
                yield from _within(value, (*path, at))


def _reached(fn: Any) -> list[Any]:
    """Find the lists, dicts, and attributes of the user's objects that a function mentions, nested ones included."""
    found: list[Any] = []
    seen: set[int] = set()
    stack: list[Any] = [fn]
    while stack:
        thing = stack.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if type(thing) in (list, dict):
            found.append(thing)
        stack += _inside(thing, found)
    return found


def _inside(thing: Any, found: list[Any]) -> Iterable[Any]:
    if isinstance(thing, list | tuple):
        return [value for value in thing if not isinstance(value, _PLAIN)]
    if isinstance(thing, dict):
        return [value for value in thing.values() if not isinstance(value, _PLAIN)]
    if isinstance(thing, types.MethodType):
        return [thing.__self__, thing.__func__]
    if isinstance(thing, types.FunctionType):
        # The library's own functions change nothing of the user's.
        if _of_library(thing.__module__) and thing.__module__ != "msjax.nn.cell.cell":
            return []
        names = None if _of_library(thing.__module__) else find_assigned(thing)
        if names is not None:
            found.append(names)
        return captures._mentioned(thing)
    if hasattr(type(thing), "parameters_and_names"):
        cells = vars(thing).get("_cells", {})
        own = [value for name, value in vars(thing).items() if name not in _internal(type(thing))]
        return [*own, *cells.values(), *_methods(type(thing))]
    if isinstance(wrapped := getattr(thing, "__wrapped__", None), types.FunctionType):
        return [wrapped]
    if _is_users(thing):
        found.append(vars(thing))
        return [*vars(thing).values(), *_methods(type(thing))]
    return []


_PLAIN = (bool, int, float, complex, str, bytes, type(None), Tensor)


def _is_users(thing: Any) -> bool:
    """Return True if the object's class was written by the user in Python."""
    kind = type(thing)
    if (
        isinstance(thing, type | types.ModuleType)
        or is_tensor(thing)
        or type(getattr(thing, "__dict__", None)) is not dict
    ):
        return False
    # A class with its own `__setattr__` may not store attributes in `__dict__`.
    return not _of_library(kind.__module__) and kind.__setattr__ is object.__setattr__


def _of_library(module: str | None) -> bool:
    top = (module or "").partition(".")[0]
    return top in _LIBRARIES or (top in sys.stdlib_module_names and top != "__main__")


@functools.cache
def _methods(kind: type) -> list[Callable]:
    """Return the functions of a class and its bases, as far as the user wrote them."""
    classes = [cls for cls in kind.__mro__ if not _of_library(cls.__module__)]
    return [fn for cls in classes for fn in vars(cls).values() if isinstance(fn, types.FunctionType)]


@functools.cache
def _internal(kind: type) -> frozenset[str]:
    """Return the names of attributes that a Cell keeps for itself."""
    base = next(cls for cls in reversed(kind.__mro__) if hasattr(cls, "parameters_and_names"))
    return frozenset(vars(base())) | {"_held", "_counted", "_program"}
