"""Strides of views: follow a view operator's jaxpr on a NumPy array, to see if its result has strides or is a copy.

View operators slice, permute, repeat and reshape. These steps are read off their jaxprs and done to a NumPy array, which
knows where its elements lie. No element is computed, so it works in traces, too.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

_SMALL = np.dtype(np.int8)


def shown(fn: Any, places: np.ndarray, others: list[Any], output: int) -> np.ndarray | None:
    """What an output of a compiled function of an array and `others` shows of `places`.

    None: it shows a copy. An array that is not in the memory of `places`: nothing can be said.
    """
    given = [jax.ShapeDtypeStruct(places.shape, _SMALL)]
    traced = fn.trace(*given, *[jax.ShapeDtypeStruct(v.shape, v.dtype) for v in others]).jaxpr
    return _followed(traced.jaxpr, [places, *[_UNKNOWN] * len(others)])[output]


_UNKNOWN = np.empty(0, _SMALL)


def _followed(jaxpr: Any, given: list[Any]) -> list[Any]:
    """The results of a jaxpr, where it does nothing but move its first argument about."""
    known = dict(zip(jaxpr.invars, given, strict=True))
    for step in jaxpr.eqns:
        inner = step.params.get("jaxpr")
        seen = [_UNKNOWN if hasattr(v, "val") else known.get(v, _UNKNOWN) for v in step.invars]
        if inner is not None and step.primitive.name in ("jit", "pjit"):
            found = _followed(inner.jaxpr, seen)
        elif seen and (seen[0] is None or seen[0] is _UNKNOWN):
            found = [seen[0]] * len(step.outvars)
        else:
            way = _WAYS.get(step.primitive.name, _unknown)
            found = way(seen[0], step.params) if seen else [_UNKNOWN]
            found = found if isinstance(found, list) else [found] * len(step.outvars)
        known.update(zip(step.outvars, found, strict=True))
    return [known.get(v, _UNKNOWN) if not hasattr(v, "val") else _UNKNOWN for v in jaxpr.outvars]


def _unknown(x: np.ndarray, params: Any) -> np.ndarray:
    return _UNKNOWN


def _reshaped(x: np.ndarray, params: Any) -> np.ndarray | None:
    found = x.reshape(params["new_sizes"])
    return found if np.may_share_memory(found, x) else None


def _cut(x: np.ndarray, params: Any) -> np.ndarray:
    strides = params["strides"] or (1,) * x.ndim
    spans = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return x[tuple(slice(*span) for span in spans)]


def _repeated(x: np.ndarray, params: Any) -> np.ndarray:
    shape, kept = params["shape"], params["broadcast_dimensions"]
    lined_up = x.reshape([x.shape[kept.index(i)] if i in kept else 1 for i in range(len(shape))])
    return np.broadcast_to(lined_up, shape)


def _parted(x: np.ndarray, params: Any) -> list[np.ndarray]:
    return np.split(x, np.cumsum(params["sizes"])[:-1], params["axis"])


_WAYS: dict[str, Callable[[np.ndarray, Any], Any]] = {
    "reshape": _reshaped,
    "slice": _cut,
    "broadcast_in_dim": _repeated,
    "split": _parted,
    "transpose": lambda x, params: x.transpose(params["permutation"]),
    "squeeze": lambda x, params: x.squeeze(tuple(params["dimensions"])),
    "dynamic_slice": lambda x, params: x[tuple(slice(n) for n in params["slice_sizes"])],
    "rev": lambda x, params: np.flip(x, params["dimensions"]),
    "copy": lambda x, params: x,
    "copy_p": lambda x, params: x,
}
