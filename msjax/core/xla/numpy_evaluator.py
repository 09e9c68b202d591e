"""Evaluate a traced function with NumPy: what runs in place of a program while shapes keep changing (`changing_shapes`)."""

import contextvars
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Literal, Var

from msjax.core.xla.numpy_primitives import (
    BROADCASTING,
    OF_FLOATS,
    PLAIN,
    PRIMITIVES,
    WRITING,
    allocate,
    expand_to_rank,
    identity,
    is_supported,
)

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

# Arrays of more elements are written where an operand was that is not read again. The system takes longer to give and take
# back their memory than the arithmetic does.
LARGE = 2**14

# Functions whose results have memory of their own, which the results of `_READERS` do not share.
_MAKERS = WRITING | {PRIMITIVES[name] for name in ("dot_general", "logistic", "rsqrt")}
_READERS = (
    _MAKERS
    | BROADCASTING
    | {PRIMITIVES[f"reduce_{name}"] for name in ("max", "min", "sum", "prod", "and", "or", "xor")}
)


class _Quiet(threading.local):
    """For each thread a context in which NumPy does not warn: `np.errstate` takes as long as two or three small steps."""

    def __init__(self) -> None:
        self.run = contextvars.copy_context().run
        self.run(np.seterr, all="ignore")


_quiet = _Quiet()


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
        self._dtypes: list[Any] = []
        self._start: list[Any] = []
        self._steps: list[tuple[Callable, list[int], list[int], dict]] = []
        self._inputs = [self._add_value(var) for var in closed.jaxpr.invars]
        self._outputs = self._add(closed, self._inputs, [True] * len(closed.jaxpr.outvars))
        self._expand_late()
        self._dead = self._find_dead()
        self._models = self._find_models()
        makers = {outputs[0]: fn for fn, _, outputs, _ in self._steps}
        # True if each result has memory of its own in any case.
        self._separate = len({*self._outputs}) == len(self._outputs) and all(
            makers.get(place) in _MAKERS for place in self._outputs
        )
        self._constants = {id(_owner(value)) for value in self._start if value is not None}
        del self._places, self._shapes, self._dtypes

    def _add_value(self, var: Any, value: Any = None) -> int:
        if not is_supported(var.aval.dtype):
            raise UnsupportedError(var.aval.dtype)
        self._start.append(value)
        self._shapes.append(str(var.aval.shape))
        self._dtypes.append(var.aval.dtype)
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
            fn = PRIMITIVES.get(name)
            if fn is None:
                raise UnsupportedError(name)
            if fn is identity:
                self._places[eqn.outvars[0]] = inputs[0]
                continue
            if name in OF_FLOATS and eqn.invars[0].aval.dtype.kind == "f":
                fn = OF_FLOATS[name]
            outputs = [self._add_value(var) for var in eqn.outvars]
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

    def _find_models(self) -> list[tuple[int, bool] | None]:
        """List for each step an operand of its result's shape and dtype, and True if the result may take its memory."""
        makers: dict[int, Callable] = {}
        readers: dict[int, set[Callable]] = {}
        found: list[tuple[int, bool] | None] = []
        for (fn, inputs, outputs, _), dead in zip(self._steps, self._dead, strict=True):
            for place in inputs:
                readers.setdefault(place, set()).add(fn)
            makers[outputs[0]] = fn
            best = None
            for place in inputs if fn in WRITING else ():
                like = self._shapes[place] == self._shapes[outputs[0]]
                like = like and self._dtypes[place] == self._dtypes[outputs[0]]
                if like and makers.get(place) is not expand_to_rank:
                    # Dead places are no outputs and no inputs, and no later step reads them.
                    free = place in dead and makers.get(place) in _MAKERS and readers[place] <= _READERS
                    best = (place, free) if best is None or free else best
            found.append(best)
        return found

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
        made.__dict__.update(self.__dict__)
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
            self._dtypes.append(dtype)
            return len(self._start) - 1
        return self._places[atom]

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Compute the outputs of given inputs, in memory of their own."""
        values = list(self._start)
        for place, array in zip(self._inputs, arrays, strict=True):
            values[place] = array
        _quiet.run(self._compute, values)
        found = [np.asarray(values[i]) for i in self._outputs]
        if self._separate:
            return [out if out.flags.c_contiguous else _copy(out) for out in found]
        # Memory of inputs, of constants and of other outputs is copied: JAX may make an array of an output's own.
        held = {id(_owner(array)) for array in arrays} | self._constants
        for n, out in enumerate(found):
            owner = _owner(out)
            if id(owner) in held or not owner.flags.owndata or not out.flags.c_contiguous:
                found[n] = owner = _copy(out)
            held.add(id(owner))
        return found

    def _compute(self, values: list[Any]) -> None:
        """Make the steps over values in their places."""
        elements = 0
        for (fn, inputs, outputs, params), dead, model in zip(
            self._steps, self._dead, self._models, strict=True
        ):
            if model is not None and values[model[0]].size > LARGE:
                out = _write(fn, [values[i] for i in inputs], values[model[0]], model[1])
            else:
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


def _write(fn: Callable, operands: list[np.ndarray], model: np.ndarray, free: bool) -> np.ndarray:
    """Call a function with memory for its result: that of an operand like it, or new memory.

    NumPy chooses the order of a result's axes by those of the operands, and sums later in that order: it is left to do so
    where they differ.
    """
    if not all(operand.flags.c_contiguous for operand in operands):
        return fn(*operands)
    return fn(*operands, out=model if free else allocate(model.shape, model.dtype))


def _copy(array: np.ndarray) -> np.ndarray:
    if array.size <= LARGE:
        return array.copy()
    out = allocate(array.shape, array.dtype)
    out[...] = array
    return out


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
