"""Optimizer step operators: the decorator that makes one from a pure function and writes its results to Parameters.

The families `apply_*` write steps as functions of arrays in one dtype; 16-bit arrays are computed in float32.
`primitives.optim` makes the classes.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, store
from msjax.ops.common import checks

_NUMBERS = bool | int | float | np.generic


def step(name: str, written: str, static: str = "", gives: int = 0, like: str = "grad") -> Callable:
    """Make an operator that changes Parameters of a function that computes their new values.

    Args:
        name: of the operator, for messages.
        written: names of the parameters that are changed, in the order in which the function returns their new values.
            What it returns beyond them is the call's result.
        static: names of the parameters that are settings.
        gives: how many of the new values the call returns: 0 for the first alone, not as a tuple.
        like: names of the other parameters that must have the shape of the first that is written.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.optim.step import step
        >>> @step("Halve", "var", like="")
        ... def halve(var):
        ...     return (var / 2,)
        >>> p = ms.Parameter(ms.Tensor([2.0, 4.0]))
        >>> print(halve(p), p.asnumpy())
        [1. 2.] [1. 2.]
    """
    boxes = written.split()

    def decorate(fn: Callable) -> Callable:
        signature = inspect.signature(fn)
        compute = op(static=static)(_in_one_dtype(name, fn, boxes, static.split(), like.split()))

        @functools.wraps(fn)
        def take(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.arguments
            for box in boxes:
                if not isinstance(given[box], Tensor):
                    checks.fail(TypeError, name, box, "be a Parameter or Tensor", type(given[box]).__name__)
            for key, value in given.items():
                if isinstance(value, _NUMBERS | tuple | list) and key not in static.split():
                    given[key] = np.asarray(value, np.float32)
            results = compute(*bound.args, **bound.kwargs)
            for box, result in zip(boxes, results, strict=False):
                store(given[box], result)
            return tuple(results[:gives]) if gives else results[0 if len(results) == len(boxes) else -1]

        take.pure, take.plain = compute.pure, fn  # type: ignore[attr-defined]
        return take

    return decorate


def _in_one_dtype(name: str, fn: Callable, boxes: list[str], static: list[str], like: list[str]) -> Callable:
    """Return the function with its arguments checked, computed in one dtype, its results in those of what is written."""
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def compute(*args: Any, **kwargs: Any) -> tuple[Array, ...]:
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        first = given[boxes[0]]
        for key in dict.fromkeys([*boxes, *like]):
            checks.check_floating(name, **{key: given[key]})
        for key in like:
            if given[key].shape != first.shape:
                rule = f"have the shape {first.shape} of `{boxes[0]}`"
                checks.fail(ValueError, name, key, rule, f"array of shape {given[key].shape}")
        kinds = [given[key].dtype for key in (*boxes, boxes[0])]
        wide = checks.compute_dtype(first.dtype)
        for key, value in given.items():
            if key not in static and value is not None and not jnp.issubdtype(value.dtype, jnp.integer):
                given[key] = value.astype(wide)
        results = fn(*bound.args, **bound.kwargs)
        return tuple(r.astype(kind) for r, kind in zip(results, kinds, strict=False))

    return compute


def shrunk(x: Array, by: Array) -> Array:
    """Each element moved towards 0 by as much, but not beyond."""
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - by, 0)
