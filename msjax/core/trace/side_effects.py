"""Side effects of compiled functions on the user's own lists, dicts and objects.

Lists, dicts and objects are found before a function is traced, by looking at it as `captures` does: in its closure,
globals and default arguments, and in attributes of Cells. Their old content is restored when the trace ends; the new
content is a result of the program, written at each call to the same list or dict (the journal of `trace.Traced`). A
function that returns such a list or dict returns the object itself, not a copy. A program that changes one is used again
if that has the content which the program was made for; for Tensors in it that the program does not read, shape and dtype
are enough.
"""

import functools
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from msjax.core.autograph.conversion import is_library_module
from msjax.core.identity import is_equal
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor, is_tensor
from msjax.core.trace import captures
from msjax.core.trace.assigned_names import Names, find_assigned
from msjax.core.trace.stateful import Counting, Stateful, may_reach_users_code

Container = list | set | dict | deque | Names
Content = list | dict  # a shallow copy of one
Items = list[tuple[Any, Any]]  # index or key, and element
# A container, whether it only grows, and its required items.
Guard = tuple[Container, bool, Items]


class Alias:
    """Alias in a function's result: stands for a list or dict of the user's, until `resolve_aliases` replaces it.

    Args:
        thing: that list or dict; None if it is an argument, which is another in each call.
        path: the indices and keys that lead from the arguments of a call to it, if it is among them.
    """

    __slots__ = ("path", "thing")

    def __init__(self, thing: object, path: tuple | None = None) -> None:
        self.thing, self.path = thing, path

    def find(self, arguments: Any) -> Any:
        """Return the list or dict that is meant in a call with these arguments."""
        if self.path is None:
            return self.thing
        for at in self.path:
            arguments = arguments[at]
        return arguments


def resolve_aliases(out: Any, arguments: Any) -> Any:
    """Return a result of a call with these arguments with the very lists and dicts in place of their aliases."""
    if isinstance(out, Alias):
        return out.find(arguments)
    if type(out) in (list, tuple):
        return type(out)([resolve_aliases(value, arguments) for value in out])
    if type(out) is dict:
        return {key: resolve_aliases(value, arguments) for key, value in out.items()}
    return out


class _Element(NamedTuple):
    """Reference to an element of the old content that the function left in place."""

    at: Any


class SideEffects:
    """Journal of the lists, dicts and objects that a function reaches, with their content before it runs."""

    def __init__(self, fn: object, arguments: list | tuple | dict) -> None:
        self.paths = {id(thing): path for path, thing in _within(arguments, ())}
        self.things = {id(thing): thing for thing in _reach_containers(fn)}
        self.things |= {id(thing): thing for _, thing in _within(arguments, ())}
        self.takes = False  # whether it changes or returns a list or dict among its arguments
        self.aliases = False  # whether there are aliases in its result or in its journal
        # Shallow copies: an inner list or dict is in `things` itself.
        self.before = {key: _copy(thing) for key, thing in self.things.items()}
        self.changed: dict[int, Any] = {}

    def referring(self, out: Any) -> Any:
        """Replace what the function reached by `Alias` in its result."""
        if id(out) in self.things and self.things[id(out)] is out:
            return self._alias(out)
        if type(out) in (list, tuple):
            return type(out)(map(self.referring, out))
        return {key: self.referring(value) for key, value in out.items()} if type(out) is dict else out

    def _alias(self, thing: object) -> Alias:
        self.aliases = True
        if id(thing) not in self.paths:
            return Alias(thing)
        self.takes = True
        return Alias(None, self.paths[id(thing)])

    def journal(self) -> "list[tuple[ContainerWrite, object]]":
        """List the function's changes to containers, each with what `ContainerWrite.perform` needs."""
        writes = []
        for key, thing in self.things.items():
            before = self.before[key]
            if _is_same(thing, before):
                continue
            # Of a list that only grows the new elements suffice, so that the same program serves for every length
            # (test_side_effects.test_a_list_that_grows_needs_no_new_programs).
            grows = _is_grown(thing, before)
            items = _items(thing)[len(before) if grows else 0 :]
            # Elements that stayed are referred to by their old index: at a later call, whatever is there then stays.
            old = {} if grows else {id(value): at for at, value in _items(before) if _is_object(value)}
            plan = [(at, _Element(old[id(value)]) if id(value) in old else None) for at, value in items]
            new = [self.referring(value) for _, value in items if id(value) not in old]
            self.changed[key] = before, grows
            writes.append((ContainerWrite(plan, grows), (self._alias(thing), new)))
        return writes

    def restore(self) -> None:
        """Give changed containers their old content back."""
        for key, thing in self.things.items():
            if isinstance(thing, Names):
                thing.restore()
            elif not _is_same(thing, self.before[key]):
                _fill(thing, list(_items(self.before[key])))

    def guards(self, read: set[int]) -> list[Guard]:
        """Return the required contents of what is changed, for a program that reads the boxes with these ids."""
        return [
            (
                thing,
                grows,
                thing.list_needed(read) if isinstance(thing, Names) else _describe_items(before, read),
            )
            for key, (before, grows) in self.changed.items()
            # Arguments are part of the cache key already.
            if key not in self.paths
            for thing in [self.things[key]]
        ]


def _describe_items(before: Content, read: set[int]) -> Items:
    return [(at, _describe_value(value, read)) for at, value in _items(before)]


def contents_match(guards: Iterable[Guard]) -> bool:
    """Return True if the containers that a program changes have the content that it was made for.

    Of lists that only grow, the elements that it reads must be the same; numbers in them may be others.
    """
    return all(
        thing.holds(needed) if isinstance(thing, Names) else _holds(list(_items(thing)), needed, grows)
        for thing, grows, needed in guards
    )


def _holds(now: Items, needed: Items, grows: bool) -> bool:
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
    def of(value: object) -> "_Aval | None":
        return _Aval(peek(value).shape, peek(value).dtype) if type(value) is Tensor else None


def _describe_value(value: object, read: set[int]) -> object:
    return _Aval.of(value) if type(value) is Tensor and id(value) not in read else value


def _equal(a: object, b: object) -> bool:
    return a is b or (not isinstance(a, Tensor) and is_equal(a, b))


class ContainerWrite(NamedTuple):
    """Change of a list or dict: an entry of the journal of a traced function.

    Attributes:
        plan: for each element, its index or key, and the element of the old content that stays there, or None.
        grows: True if elements are added to the old content.
    """

    plan: list[tuple[Any, _Element | None]]
    grows: bool

    def perform(self, content: tuple[Container, list[object]]) -> None:
        """Change a container: the first of a pair; the second has its new elements."""
        thing, new = content
        # The content at this call, not that of the trace: new elements are added to it, or refer to it.
        now, each = dict(_items(thing)), iter(new)
        filled = [(at, next(each) if stays is None else now[stays.at]) for at, stays in self.plan]
        _fill(thing, [*now.items(), *filled] if self.grows else filled)


def _is_grown(thing: Container, before: Content) -> bool:
    """Return True if a list was only appended to."""
    kept = len(before)
    return isinstance(thing, list) and len(thing) > kept and _is_same(thing[:kept], before)


# ---------------------------------------------------------------------- content


def _copy(thing: Container) -> Content:
    return dict(thing.items()) if isinstance(thing, dict | Names) else list(thing)


def _items(thing: Container | tuple) -> Items:
    return list(thing.items()) if isinstance(thing, dict | Names) else list(enumerate(thing))


def _fill(thing: Container, items: Items) -> None:
    if isinstance(thing, Names):
        thing.put(items)
    elif isinstance(thing, dict):
        thing.clear()
        for key, value in items:  # `update` of a Counter adds
            thing[key] = value
    else:
        thing.clear()
        add = thing.update if isinstance(thing, set) else thing.extend
        add(value for _, value in items)


def _is_same(thing: Container, before: Content) -> bool:
    if len(thing) != len(before):
        return False
    if not isinstance(thing, dict | Names) or isinstance(before, list):
        return all(a is b for a, b in zip(thing, before, strict=True))
    return all(
        a is b and value is old for (a, value), (b, old) in zip(thing.items(), before.items(), strict=True)
    )


def _is_object(value: object) -> bool:
    """Return True if identity tells where a value came from; small numbers and strings are shared by everything."""
    return not isinstance(value, bool | int | float | complex | str | bytes | type(None))


# ---------------------------------------------------------------------- reach


def _within(arguments: list | tuple | dict, path: tuple) -> Iterator[tuple[tuple, list | dict]]:
    """Yield the lists and dicts among arguments, each with its path."""
    marked = any(
        type(value) is scalar_inputs.Number for _, value in _items(arguments)
    )  # those are numbers outside
    if not isinstance(arguments, tuple) and type(arguments) in _CONTAINERS and path != (1,) and not marked:
        yield path, arguments
    for at, value in _items(arguments):
        if isinstance(value, list | tuple | dict):
            yield from _within(value, (*path, at))


def _reach_containers(fn: object) -> list[Container]:
    """Find the lists, dicts, and attributes of the user's objects that a function mentions, nested ones included."""
    found: list[Any] = []
    seen: set[int] = set()
    stack: list[Any] = [fn]
    while stack:
        thing = stack.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if type(thing) in _CONTAINERS:
            found.append(thing)
        stack += _inside(thing, found)
    return found


def _inside(thing: object, found: list[Container]) -> Iterable[object]:
    if isinstance(thing, list | tuple | set | deque):
        return [value for value in thing if not isinstance(value, _PLAIN)]
    if isinstance(thing, dict):
        return [value for value in thing.values() if not isinstance(value, _PLAIN)]
    if isinstance(thing, types.MethodType):
        return [thing.__self__, thing.__func__]
    if isinstance(thing, weakref.ref):
        return [thing()]
    if isinstance(thing, types.FunctionType):
        # The library's own functions change nothing of the user's.
        of_library = is_library_module(thing.__module__)
        if not may_reach_users_code(thing, of_library):
            return []
        names = None if of_library else find_assigned(thing)
        if names is not None:
            found.append(names)
        return captures._reachable_values(thing)
    if isinstance(thing, Stateful):
        return [*thing._reachable(), *_methods(type(thing))]
    if isinstance(wrapped := getattr(thing, "__wrapped__", None), types.FunctionType):
        return [wrapped]
    if _is_users(thing):
        found.append(vars(thing))
        return [*vars(thing).values(), *_methods(type(thing))]
    return []


_CONTAINERS = (list, dict, defaultdict, OrderedDict, Counter, set, deque)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), Tensor)


def _is_users(thing: object) -> bool:
    """Return True if the object's class was written by the user in Python, or is one of those that count in Python."""
    kind = type(thing)
    if (
        isinstance(thing, type | types.ModuleType)
        or is_tensor(thing)
        or type(getattr(thing, "__dict__", None)) is not dict
    ):
        return False
    if issubclass(kind, Counting):
        return True
    # A class with its own `__setattr__` may not store attributes in `__dict__`.
    return not is_library_module(kind.__module__) and kind.__setattr__ is object.__setattr__


@functools.cache
def _methods(kind: type) -> list[Callable]:
    """Return the functions of a class and its bases, as far as the user wrote them."""
    classes = [cls for cls in kind.__mro__ if not is_library_module(cls.__module__)]
    return [fn for cls in classes for fn in vars(cls).values() if isinstance(fn, types.FunctionType)]
