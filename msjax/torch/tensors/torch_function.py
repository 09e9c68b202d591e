"""`__torch_function__`: classes that handle PyTorch's functions and methods themselves, as subclasses of Tensor do.

Functions look at what they are given once such a class has been defined. Methods do so in :class:`Overridable` alone, which
stands between Tensor and its subclasses, so that those of Tensor itself take no longer.
"""

import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any, Self


class _Found(threading.local):
    """Depths at which handlers of subclasses, and of all classes, are switched off in the running thread."""

    subclasses = 0
    all = 0


class _Defined:
    any = False


_off = _Found()
defined = _Defined()
_PLAIN = frozenset({int, float, bool, complex, str, type(None), dict, slice, range, type(...)})


class DisableTorchFunctionSubclass:
    """Context in which subclasses of Tensor handle nothing themselves."""

    def __enter__(self) -> Self:
        _off.subclasses += 1
        return self

    def __exit__(self, *error: object) -> None:
        _off.subclasses -= 1


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """Context in which no class handles anything itself."""

    def __enter__(self) -> Self:
        _off.all += 1
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        _off.all -= 1
        super().__exit__()


def handle_nothing(func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """`torch._C._disabled_torch_function_impl`: call a function as if tensors had no `__torch_function__`."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


class TensorKind(type):
    """The class of Tensor and its subclasses, whose methods look for handlers, too.

    Attributes:
        bases: Tensor, and the class that stands between it and subclasses; empty until both are there.
    """

    bases: tuple[Any, ...] = ()

    def __new__(cls, name: str, bases: tuple, namespace: dict[str, Any], **named: Any) -> Any:
        """Make a class; of a subclass of Tensor the methods look for handlers, unless it says that it has none."""
        handler = namespace.get("__torch_function__")
        if cls.bases and handler is not handle_nothing:
            tensor, between = cls.bases
            defined.any = defined.any or handler is not None or tensor in bases
            bases = tuple(between if each is tensor else each for each in bases)
        return super().__new__(cls, name, bases, namespace, **named)


def find_handlers(values: Iterable[Any], base: type, nested: bool = True) -> list[Any]:
    """Return the values whose classes handle functions: subclasses before their bases, else in their order.

    Args:
        values: arguments of a function; lists and tuples may hold such values.
        base: the Tensor class.
        nested: whether to look into lists and tuples.
    """
    found: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is base or kind in _PLAIN:
            continue
        if nested and (kind is list or kind is tuple):
            more = find_handlers(value, base, nested=False)
        else:
            handler = getattr(kind, "__torch_function__", None)
            if handler is None or handler is handle_nothing or _off.all:
                continue
            if _off.subclasses and issubclass(kind, base):
                continue
            more = [value]
        for each in more:
            if any(type(each) is type(one) for one in found):
                continue
            place = next((i for i, one in enumerate(found) if issubclass(type(each), type(one))), len(found))
            found.insert(place, each)
    return found


def handle(func: Callable, found: list[Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Let the classes of values handle a function, one after the other.

    Raises:
        TypeError: if none of them does.
    """
    types = tuple(map(type, found))
    for value in found:
        result = type(value).__torch_function__(func, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = getattr(func, "__name__", str(func))
    raise TypeError(
        f"no implementation found for 'torch.{name}' on types that implement __torch_function__: {[*types]}"
    )


def overridable(function: Callable, base: type) -> Callable:
    """Return a function that classes of its arguments may handle themselves."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        found = find_handlers((*args, *named.values()), base) if defined.any else None
        return handle(call, found, args, named) if found else function(*args, **named)

    return call


def convert(result: Any, cls: type, base: type, given: tuple) -> Any:
    """Return a result whose Tensors have a subclass; those that were given stay as they are.

    Args:
        result: of a function.
        cls: the subclass.
        base: the Tensor class.
        given: the function's arguments.
    """
    if type(result) is tuple or type(result) is list or hasattr(result, "_fields"):
        parts = [convert(each, cls, base, given) for each in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if not isinstance(result, base) or isinstance(result, cls):
        return result
    if any(result is each for each in given):
        return result.as_subclass(cls)
    result.__class__ = cls
    return result
