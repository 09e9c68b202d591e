"""Constructor arguments that an object keeps, so that it can be serialized and made again."""

import inspect
from enum import Enum
from functools import lru_cache
from typing import Any, Self


class KeepsArguments:
    """Base class of objects that know the arguments they were made with."""

    _made_with: tuple[tuple[Any, ...], dict[str, Any]] = (), {}

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Note the arguments; objects of derived classes are noted too.

        Raises:
            TypeError: if there are some, and the class takes none: `object` lets them pass beside a `__new__`.
        """
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError(f"`{cls.__name__}`: takes no arguments. Received: {[*args, *kwargs]}.")
        self = super().__new__(cls)
        self._made_with = args, kwargs
        return self


@lru_cache(maxsize=512)
def signature_of(cls: type) -> inspect.Signature:
    """Return the signature of a class's constructor, with `self`."""
    return inspect.signature(cls.__init__)


def named_arguments(made: KeepsArguments) -> dict[str, Any]:
    """Return the arguments that an object was made with, by name, with those that have their default."""
    args, kwargs = made._made_with
    bound = signature_of(type(made)).bind(made, *args, **kwargs)
    bound.apply_defaults()
    _, *names = bound.arguments
    return {name: bound.arguments[name] for name in names if not _is_empty_rest(bound, name)}


def _is_empty_rest(bound: inspect.BoundArguments, name: str) -> bool:
    kind = bound.signature.parameters[name].kind
    return kind in (kind.VAR_POSITIONAL, kind.VAR_KEYWORD) and not bound.arguments[name]


def enumeration_of(parameter: inspect.Parameter) -> type[Enum] | None:
    """Return the enumeration that an argument is a member of: of its default, or its annotation; None for others."""
    if isinstance(parameter.default, Enum):
        return type(parameter.default)
    annotated = parameter.annotation
    return annotated if isinstance(annotated, type) and issubclass(annotated, Enum) else None
