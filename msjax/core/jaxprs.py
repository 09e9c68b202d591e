"""Questions about jaxprs."""

from typing import Any


def contains(jaxpr: Any, name: str) -> bool:
    """Whether a primitive whose name has `name` in it occurs anywhere in a jaxpr."""
    for eqn in jaxpr.eqns:
        if name in eqn.primitive.name:
            return True
        for value in eqn.params.values():
            for inner in value if isinstance(value, list | tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns") and contains(inner, name):
                    return True
    return False
