"""Renamed keyword arguments: names from earlier versions of MindSpore, still accepted."""

import functools
from collections.abc import Callable
from typing import Any


def once(old: str) -> Callable[[Callable], Any]:
    """A decorator: `old` keywords, as "x=input group=groups", mean today's.

    Calls without them cost one dictionary test more.

    Examples:
        >>> from msjax.ops.common.renamed_args import once
        >>> @once("x=base")
        ... def squared(base):
        ...     return base * base
        >>> squared(3), squared(base=3), squared(x=3)
        (9, 9, 9)
    """
    today = dict(pair.split("=") for pair in old.split())

    def respelled(fn: Callable) -> Any:
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs and not today.keys().isdisjoint(kwargs):
                for name in today.keys() & kwargs.keys():
                    if today[name] in kwargs:
                        raise TypeError(
                            f"`{fn.__name__}`: arguments `{name}` and `{today[name]}` are the same. Received both."
                        )
                    kwargs[today[name]] = kwargs.pop(name)
            return fn(*args, **kwargs)

        call.spellings = today  # type: ignore[attr-defined]
        return call

    return respelled
