"""Questions about jaxprs."""

from collections.abc import Iterator
from typing import Any


def names(jaxpr: Any) -> Iterator[str]:
    """The names of the primitives anywhere in a jaxpr."""
    for eqn in jaxpr.eqns:
        yield eqn.primitive.name
        for value in eqn.params.values():
            for inner in value if isinstance(value, list | tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from names(inner)


def contains(jaxpr: Any, name: str) -> bool:
    """Whether a primitive whose name has `name` in it occurs anywhere in a jaxpr."""
    return any(name in other for other in names(jaxpr))
