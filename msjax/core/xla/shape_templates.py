"""Symbolic traces for shapes that keep changing: one trace gives the steps over NumPy arrays for all lengths.

To trace an operator takes a millisecond or two, to make its steps from a template some 20 microseconds. JAX traces with
symbols in place of lengths (`jax.export.symbolic_shape`): what it cannot decide for all of them, as `n < 32`, raises, and
then every shape is traced by itself. Only `==` is answered at once: lengths count as different if their formulas are,
although `n % 2 == 0` holds for some. So the trace is watched for such questions (`_watch_comparisons`), a template is made
for numbers from `LEAST` on, is left where a length equals another number of the call, and is held against the traces of
two lengths before it is used.
"""

import contextlib
import operator
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.core import ShapedArray
from jax.extend.core import ClosedJaxpr

from msjax.core.bounded_cache import keep
from msjax.core.xla import jaxpr_queries
from msjax.core.xla.numpy_evaluator import Evaluation, Fingerprints
from msjax.core.xla.numpy_primitives import is_aligned

Key = tuple[tuple[tuple[int, ...], np.dtype], ...]  # shapes and dtypes
Groups = tuple[tuple[int, ...], ...]  # places of numbers that change together

LEAST = 8  # smaller numbers are counts of axes, channels and the like, which code compares with
_MOST_SYMBOLS = 2
_MOST_TRACED = 16  # shapes that are remembered to see what changes
_MOST_TEMPLATES = 64
# Elements of a result that is made an array of JAX's at once if its memory is not aligned: whoever reads it would copy it.
_LARGE = 2**16

# What `jax.disable_jit` unrolls, or cannot do without values.
_LOOPS = ("scan", "while", "cond")
_FUNCTIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "max": max, "min": min}


class ShapeTemplates:
    """A function of arrays, as steps over NumPy arrays for each of the shapes that it is called with.

    Args:
        make: (numbers) -> the function, traceable; the numbers are those static arguments of it that may change too.
        inline: trace it without the functions that JAX compiles by themselves, which takes half the time.
    """

    def __init__(self, make: Callable[[tuple[int, ...]], Callable], inline: bool = False) -> None:
        self._make = make
        self._inline: bool | None = None if inline else False
        self._kinds: dict[tuple, _Kind] = {}
        self._derivatives: dict[object, ShapeTemplates] = {}

    def of_derivative(self, key: object, derive: Callable[[Callable], Callable]) -> "ShapeTemplates":
        """Return those of a function that `derive` makes of this one; the same for the same key."""
        found = self._derivatives.get(key)
        if found is None:
            made = ShapeTemplates(lambda numbers: derive(self._make(numbers)))
            found = self._derivatives.setdefault(key, made)
        return found

    def steps(self, numbers: tuple[int, ...], key: Key) -> "Steps":
        """Return the function's steps for static numbers and shapes."""
        ranks = tuple([(len(shape), dtype) for shape, dtype in key])
        kind = self._kinds.get(ranks) or keep(self._kinds, ranks, _Kind())
        flat = (*numbers, *[length for shape, _ in key for length in shape])
        for groups in kind.groups:
            template = kind.templates.get((groups, _without(groups, flat)))
            if template is not None and _fits(groups, flat):
                return template.substitute([flat[places[0]] for places in groups])
        traced = self._trace(flat, ranks)
        for groups, before in kind.learn(flat, traced):
            template = self._template(groups, ranks, {flat: traced} | before)
            keep(kind.templates, (groups, _without(groups, flat)), template, _MOST_TEMPLATES)
        return traced

    def _trace(self, flat: Sequence[Any], ranks: tuple, symbols: Sequence[object] = ()) -> "Steps":
        numbers = len(flat) - sum(rank for rank, _ in ranks)
        lengths = iter(flat[numbers:])
        given = [
            jax.ShapeDtypeStruct(tuple([next(lengths) for _ in range(rank)]), dtype) for rank, dtype in ranks
        ]
        fn = self._make(tuple(flat[:numbers]))
        with jax.disable_jit() if self._inline else contextlib.nullcontext():
            # A function of its own: what JAX keeps for it goes with it.
            closed, out = jax.make_jaxpr(lambda *values: fn(*values), return_shape=True)(*given)
        if self._inline is None:
            self._inline = not jaxpr_queries.contains(closed.jaxpr, *_LOOPS)
        return Steps(closed, out, symbols)

    def _template(
        self, groups: Groups, ranks: tuple, known: dict[tuple[int, ...], "Steps"]
    ) -> "Steps | None":
        """Trace with symbols; return None if JAX cannot, or if the steps are not those of the traces that are known."""
        names = [f"n{i}" for i in range(len(groups))]
        symbols = export.symbolic_shape(
            ", ".join(names), constraints=[f"{name} >= {LEAST}" for name in names]
        )
        symbolic: list[Any] = list(next(iter(known)))
        for places, symbol in zip(groups, symbols, strict=True):
            for place in places:
                symbolic[place] = symbol
        # Operators ask lengths whatever they want, and JAX has an error for each thing that a symbol cannot answer.
        try:
            with _watch_comparisons(symbols[0]) as undecided:
                template = self._trace(symbolic, ranks, symbols)
            if undecided:
                return None
            prints = Fingerprints()
            for flat, traced in known.items():
                made = template.substitute([flat[places[0]] for places in groups])
                if made.tree != traced.tree or made.dtypes != traced.dtypes:
                    return None
                if prints.of(made.evaluation) != prints.of(traced.evaluation):
                    return None
        except Exception:  # noqa: BLE001
            return None
        return template


@contextlib.contextmanager
def _watch_comparisons(symbol: object) -> Iterator[list[object]]:
    """Collect what `==` of symbolic lengths was asked inside, and answered with False though it holds for some numbers.

    A profiler sees the calls. JAX has no switch for it, and warns of such answers itself (its documentation of shape
    polymorphism, "Comparison of symbolic dimensions is partially supported").
    """
    asked, negated = type(symbol).__eq__.__code__, type(symbol).__ne__.__code__
    interning = ShapedArray.__new__.__code__  # looks itself up in a table of what was made
    undecided: list[object] = []

    def see(frame: FrameType, event: str, answer: object) -> None:
        if event == "return" and frame.f_code is asked and answer is False:
            caller = frame.f_back
            if caller is not None and caller.f_code is negated:
                caller = caller.f_back
            if caller is None or (
                caller.f_code.co_filename != asked.co_filename and caller.f_code is not interning
            ):
                undecided.extend(
                    _comparison_if_undecided(*[frame.f_locals[name] for name in asked.co_varnames[:2]])
                )

    former = sys.getprofile()
    sys.setprofile(see)
    try:
        yield undecided
    finally:
        sys.setprofile(former)


def _comparison_if_undecided(one: Any, other: Any) -> list[object]:
    """Return the comparison unless the two are numbers that differ whatever the symbols stand for."""
    if not (export.is_symbolic_dim(other) or isinstance(other, int)):
        return []
    try:
        return [] if one > other or one < other else [(one, other)]
    except Exception:  # noqa: BLE001 - JAX's error of what it cannot tell is not public
        return [(one, other)]


class _Kind:
    """Shapes of the same ranks and dtypes.

    Attributes:
        groups: which numbers change.
        templates: (groups, the other numbers) -> template; None if there can be none.
    """

    def __init__(self) -> None:
        self.groups: list[Groups] = []
        self.templates: dict[tuple, Steps | None] = {}
        self._traced: list[tuple[tuple[int, ...], Steps]] = []

    def learn(
        self, flat: tuple[int, ...], traced: "Steps"
    ) -> list[tuple[Groups, dict[tuple[int, ...], "Steps"]]]:
        """Remember traced numbers; return what has changed twice now in the same places, with earlier numbers."""
        seen: dict[Groups, list[dict[tuple[int, ...], Steps]]] = {}
        for before, steps in self._traced:
            groups = _changes(before, flat)
            if groups and _fits(groups, flat) and _fits(groups, before):
                seen.setdefault(groups, []).append({before: steps})
        self._traced = [*self._traced[1 - _MOST_TRACED :], (flat, traced)]
        found = []
        for groups, befores in seen.items():
            if len(befores) > 1 and (groups, _without(groups, flat)) not in self.templates:
                if groups not in self.groups:
                    self.groups.append(groups)
                found.append((groups, befores[-1]))
        return found


def _changes(before: tuple[int, ...], now: tuple[int, ...]) -> Groups | None:
    """Group the places that differ by (old, new) number; None if these are too many."""
    groups: dict[tuple[int, int], list[int]] = {}
    for place, pair in enumerate(zip(before, now, strict=True)):
        if pair[0] != pair[1]:
            groups.setdefault(pair, []).append(place)
    return tuple(map(tuple, groups.values())) if len(groups) <= _MOST_SYMBOLS else None


def _without(groups: Groups, flat: tuple[int, ...]) -> tuple:
    """Return the numbers without those that change."""
    found: list[int | None] = list(flat)
    for places in groups:
        for place in places:
            found[place] = None
    return tuple(found)


def _fits(groups: Groups, flat: tuple[int, ...]) -> bool:
    """Return True if the numbers that change are large enough, and none is equal to another one."""
    chosen = [{flat[place] for place in places} for places in groups]
    changing = set().union(*chosen)
    return (
        all(len(numbers) == 1 for numbers in chosen)
        and len(changing) == len(groups)
        and min(changing) >= LEAST
        and changing.isdisjoint(_without(groups, flat))
    )


class Steps:
    """A traced function, evaluated over JAX's arrays.

    Args:
        closed: the trace.
        out: shapes and dtypes of its results.
        symbols: lengths of the trace that are no numbers; `substitute` puts numbers in their places.
    """

    def __init__(self, closed: ClosedJaxpr, out: object, symbols: Sequence[object] = ()) -> None:
        self.evaluation = Evaluation(closed)
        leaves, self.tree = jax.tree.flatten(out)
        self.single = jax.tree.structure(0) == self.tree
        self.dtypes = [np.dtype(leaf.dtype) for leaf in leaves]
        if symbols:
            self._formulas = self.evaluation.formulas(_Formulas(symbols))

    def substitute(self, numbers: Sequence[int]) -> "Steps":
        """Return the steps with numbers in the places of the symbols."""
        made = object.__new__(Steps)
        made.tree, made.single, made.dtypes = self.tree, self.single, self.dtypes
        made.evaluation = self.evaluation.with_parameters(
            {step: {name: fill(*numbers) for name, fill in found} for step, found in self._formulas}
        )
        return made

    def run(self, values: Sequence[object]) -> Any:
        """Compute the results, which are NumPy's as long as that saves time."""
        found = self.evaluation.run([*map(np.asarray, values)])
        outputs: list[Any] = []
        for out, dtype in zip(found, self.dtypes, strict=True):
            value = out if out.dtype == dtype else out.astype(dtype)
            value.flags.writeable = False  # as JAX's are
            stays = value.size <= _LARGE or is_aligned(value)
            outputs.append(value if stays else jnp.asarray(value, dtype=dtype))
        return outputs[0] if self.single else jax.tree.unflatten(self.tree, outputs)


class _Formulas:
    """Compiler of parameters with symbols in them, as functions of numbers."""

    def __init__(self, symbols: Sequence[object]) -> None:
        self._arguments = ", ".join(map(str, symbols))

    def __call__(self, parameter: object) -> Callable[..., Any] | None:
        """Return the function (*numbers) -> parameter; None if there are no symbols in it."""
        text = self._text(parameter)
        return None if text is None else eval(f"lambda {self._arguments}: {text}", dict(_FUNCTIONS))

    def _text(self, parameter: Any) -> str | None:
        if export.is_symbolic_dim(parameter):
            # JAX's own way of writing them, which `jax.export.symbolic_shape` reads.
            return re.sub(r"\^", "**", str(parameter))
        if not isinstance(parameter, tuple | list):
            return None
        parts = [self._text(part) for part in parameter]
        if not any(parts):
            return None
        return f"({''.join(f'{text or repr(part)}, ' for text, part in zip(parts, parameter, strict=True))})"
