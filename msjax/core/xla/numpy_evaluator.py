"""Evaluate a traced function with NumPy: what runs in place of a program while shapes keep changing (`changing_shapes`)."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Literal, Var

from msjax.core.xla.numpy_primitives import BROADCASTING, PLAIN, PRIMITIVES, expand_to_rank, is_supported

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


def _is_float0(atom: Any) -> bool:
    """Return True for JAX's gradients of integers, which hold nothing."""
    return atom.aval.dtype == jax.dtypes.float0


def _list_needed(jaxpr: Any, results: Sequence[Var | Literal]) -> list[tuple[Any, list[bool]]]:
    """List the equations on which results depend, each with its outputs on which they do."""
    needed = {atom for atom in results if not isinstance(atom, Literal)}
    found = []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects:
            raise UnsupportedError(eqn.effects)
        outputs = [var in needed for var in eqn.outvars]
        if any(outputs):
            found.append((eqn, outputs))
            needed.update(atom for atom in eqn.invars if not isinstance(atom, Literal))
    return found[::-1]


class Evaluation:
    """A traced function as steps over NumPy arrays.

    Args:
        closed: the function.

    Attributes:
        elements: how many elements all arrays had that the last run computed.

    Raises:
        UnsupportedError: if it holds a primitive or a dtype that is not there in NumPy.
    """

    def __init__(self, closed: ClosedJaxpr) -> None:
        self.elements = 0
        self._places: dict[Any, int] = {}
        # In print: to compare a length that is a symbol would count as a question to it (`shape_templates`).
        self._shapes: list[str] = []
        self._start: list[Any] = []
        self._steps: list[tuple[Callable, list[int], list[int], dict]] = []
        self._inputs = [self._add_value(var) for var in closed.jaxpr.invars]
        self._outputs = self._add(closed, self._inputs, [True] * len(closed.jaxpr.outvars))
        self._expand_late()
        self._dead = self._find_dead()
        self._constants = {id(_owner(value)) for value in self._start if value is not None}
        del self._places, self._shapes

    def _add_value(self, var: Any, value: Any = None) -> int:
        if not is_supported(var.aval.dtype):
            raise UnsupportedError(var.aval.dtype)
        self._start.append(value)
        self._shapes.append(str(var.aval.shape))
        self._places[var] = len(self._start) - 1
        return self._places[var]

    def _add(self, closed: ClosedJaxpr, given: Sequence[int], wanted: Sequence[bool]) -> list[int]:
        """Add the steps of a jaxpr that lead to the wanted ones of its outputs; return the places of these."""
        jaxpr = getattr(closed, "jaxpr", closed)
        for var, place in zip(jaxpr.invars, given, strict=True):
            self._places[var] = place
        for var, value in zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True):
            if isinstance(value, Tracer):
                raise UnsupportedError("a constant of a trace")
            self._add_value(var, np.asarray(value))
        results = [atom for atom, wants in zip(jaxpr.outvars, wanted, strict=True) if wants]
        for eqn, needed in _list_needed(jaxpr, results):
            name = eqn.primitive.name
            # A call may take what it does not read.
            unread = name in _CALLS
            inputs = [-1 if unread and _is_float0(atom) else self._index_of(atom) for atom in eqn.invars]
            outvars = [var for var, needs in zip(eqn.outvars, needed, strict=True) if needs]
            if name in _CALLS:
                # The same inner function may be called several times: its variables get new places each time.
                outs = self._add(eqn.params[_CALLS[name]], inputs, needed)
                self._places.update(zip(outvars, outs, strict=True))
                continue
            outputs = [self._add_value(var) for var in eqn.outvars]
            fn = PRIMITIVES.get(name)
            if fn is None:
                raise UnsupportedError(name)
            self._steps.append((fn, inputs, outputs, {} if fn in PLAIN else eqn.params))
        return [self._index_of(atom) for atom in results]

    def _expand_late(self) -> None:
        """Leave broadcasts to the steps that read them, where each is beside an array of the whole shape.

        They were a quarter of all steps for a layer normalization, and take as long as the arithmetic on small arrays.
        """
        broadcast = PRIMITIVES["broadcast_in_dim"]
        readers: dict[int, list[int]] = {}
        for n, (_, inputs, *_) in enumerate(self._steps):
            for place in inputs:
                readers.setdefault(place, []).append(n)
        late: set[int] = set()
        for n, (fn, inputs, (place, *_), params) in enumerate(self._steps):
            if fn is not broadcast or place in self._outputs:
                continue
            # Not ranks alone: JAX adds (1, 1) to (1, 3) too.
            if all(
                reader in BROADCASTING
                and any(i != place and i not in late and self._shapes[i] == self._shapes[out] for i in read)
                for reader, read, (out, *_), _ in [self._steps[reader] for reader in readers.get(place, ())]
            ):
                late.add(place)
                self._steps[n] = expand_to_rank, inputs, [place], params

    def _find_dead(self) -> list[list[int]]:
        """List for each step the places that no later one reads: their memory is free for what comes next."""
        kept = {*self._outputs, *self._inputs}
        dead: list[list[int]] = []
        for _, inputs, outputs, _ in reversed(self._steps):
            read = dict.fromkeys([*inputs, *outputs])
            last = [i for i in read if i >= 0 and i not in kept and self._start[i] is None]
            kept.update(last)
            dead.append(last)
        return dead[::-1]

    def formulas(
        self, compile_: Callable[[object], Callable | None]
    ) -> list[tuple[int, list[tuple[str, Callable]]]]:
        """List steps with parameters of which `compile_` makes functions: (step, [(name, function)])."""
        found = []
        for step, (*_, params) in enumerate(self._steps):
            made = [(name, fn) for name, value in params.items() if (fn := compile_(value)) is not None]
            if made:
                found.append((step, made))
        return found

    def with_parameters(self, parameters: dict[int, dict[str, Any]]) -> "Evaluation":
        """Return a copy in which some parameters of steps are others."""
        made = object.__new__(Evaluation)
        made.elements = 0
        made._start, made._inputs, made._outputs = self._start, self._inputs, self._outputs
        made._dead, made._constants = self._dead, self._constants
        made._steps = list(self._steps)
        for step, new in parameters.items():
            fn, inputs, outputs, params = made._steps[step]
            made._steps[step] = fn, inputs, outputs, params | new
        return made

    def _index_of(self, atom: Var | Literal) -> int:
        dtype = atom.aval.dtype  # type: ignore[attr-defined]
        if not is_supported(dtype):
            raise UnsupportedError(dtype)
        if isinstance(atom, Literal):
            self._start.append(np.asarray(atom.val, dtype))
            self._shapes.append(str(self._start[-1].shape))
            return len(self._start) - 1
        return self._places[atom]

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Compute the outputs of given inputs, in memory of their own."""
        values = list(self._start)
        for place, array in zip(self._inputs, arrays, strict=True):
            values[place] = array
        elements = 0
        with np.errstate(all="ignore"):
            for (fn, inputs, outputs, params), dead in zip(self._steps, self._dead, strict=True):
                out = fn(*[values[i] for i in inputs], **params)
                if type(out) is list:
                    for place, value in zip(outputs, out, strict=True):
                        values[place] = value
                        elements += value.size
                else:
                    values[outputs[0]] = out
                    elements += out.size
                for i in dead:
                    values[i] = None
        self.elements = elements
        # Memory of inputs, of constants and of other outputs is copied: JAX may make an array of an output's own.
        held = {id(_owner(array)) for array in arrays} | self._constants
        found = []
        for i in self._outputs:
            out = np.asarray(values[i])
            owner = _owner(out)
            if id(owner) in held or not owner.flags.owndata or not out.flags.c_contiguous:
                out = owner = out.copy()
            held.add(id(owner))
            found.append(out)
        return found


def _owner(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory another one shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Fingerprints:
    """Numbers for computations, the same for those that are the same."""

    def __init__(self) -> None:
        self._known: dict[tuple, int] = {}

    def of(self, evaluation: Evaluation) -> list[int]:
        """Return the numbers of the outputs. Steps over constants count as the constants that they compute."""
        values: list[Any] = list(evaluation._start)
        found = [None if value is None else self._constant(value) for value in values]
        for n, place in enumerate(evaluation._inputs):
            found[place] = self._number("input", n)
        for fn, inputs, outputs, params in evaluation._steps:
            if all(values[i] is not None for i in inputs):
                out = fn(*[values[i] for i in inputs], **params)
                for place, value in zip(outputs, out if type(out) is list else [out], strict=True):
                    values[place] = np.asarray(value)
                    found[place] = self._constant(values[place])
                continue
            key = fn, tuple([found[i] for i in inputs]), repr(sorted(params.items()))
            for n, place in enumerate(outputs):
                found[place] = self._number(*key, n)
        return [number for i in evaluation._outputs if (number := found[i]) is not None]

    def _constant(self, value: np.ndarray) -> int:
        return self._number(value.dtype, value.shape, value.tobytes())

    def _number(self, *key: object) -> int:
        return self._known.setdefault(key, len(self._known))
