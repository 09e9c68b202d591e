"""Evaluate a traced function with NumPy: what runs in place of a program while shapes keep changing (`changing_shapes`)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Literal, Var

from msjax.core.xla.numpy_primitives import PRIMITIVES, is_supported

# Names of primitives that call another jaxpr -> the parameter that holds it.
_CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "closed_call": "call_jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}


class UnsupportedError(Exception):
    """A function that only XLA can run."""


class Evaluation:
    """A traced function as steps over NumPy arrays.

    Args:
        closed: the function.

    Raises:
        UnsupportedError: if it holds a primitive or a dtype that is not there in NumPy.
    """

    def __init__(self, closed: ClosedJaxpr) -> None:
        self._places: dict[Any, int] = {}
        self._start: list[Any] = []
        self._steps: list[tuple[Callable, list[int], list[int], dict]] = []
        self._inputs = [self._new(var) for var in closed.jaxpr.invars]
        self._outputs = self._add(closed, self._inputs)
        del self._places

    def _new(self, var: Any, value: Any = None) -> int:
        if not is_supported(var.aval.dtype):
            raise UnsupportedError(var.aval.dtype)
        self._start.append(value)
        self._places[var] = len(self._start) - 1
        return self._places[var]

    def _add(self, closed: ClosedJaxpr, given: Sequence[int]) -> list[int]:
        jaxpr = getattr(closed, "jaxpr", closed)
        for var, place in zip(jaxpr.invars, given, strict=True):
            self._places[var] = place
        for var, value in zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True):
            if isinstance(value, Tracer):
                raise UnsupportedError("a constant of a trace")
            self._new(var, np.asarray(value))
        for eqn in jaxpr.eqns:
            inputs = [self._place(atom) for atom in eqn.invars]
            name = eqn.primitive.name
            if name in _CALLS:
                # The same inner function may be called several times: its variables get new places each time.
                outs = self._add(eqn.params[_CALLS[name]], inputs)
                self._places.update(zip(eqn.outvars, outs, strict=True))
                continue
            outputs = [self._new(var) for var in eqn.outvars]
            fn = PRIMITIVES.get(name)
            if fn is None:
                raise UnsupportedError(name)
            self._steps.append((fn, inputs, outputs, eqn.params))
        return [self._place(atom) for atom in jaxpr.outvars]

    def _place(self, atom: Var | Literal) -> int:
        if isinstance(atom, Literal):
            dtype = atom.aval.dtype  # type: ignore[attr-defined]
            if not is_supported(dtype):
                raise UnsupportedError(dtype)
            self._start.append(np.asarray(atom.val, dtype))
            return len(self._start) - 1
        return self._places[atom]

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Compute the outputs of given inputs, in memory of their own."""
        values = list(self._start)
        for place, array in zip(self._inputs, arrays, strict=True):
            values[place] = array
        with np.errstate(all="ignore"):
            for fn, inputs, outputs, params in self._steps:
                out = fn(*[values[i] for i in inputs], **params)
                if type(out) is list:
                    for place, value in zip(outputs, out, strict=True):
                        values[place] = value
                else:
                    values[outputs[0]] = out
        # Memory of inputs, of constants and of other outputs is copied: JAX may make an array of an output's own.
        held = {id(array) for array in (*arrays, *self._start)}
        found = []
        for i in self._outputs:
            out = np.asarray(values[i])
            found.append(out if out.flags.owndata and id(out) not in held else out.copy())
            held.add(id(found[-1]))
        return found
