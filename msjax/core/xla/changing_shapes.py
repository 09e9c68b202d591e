"""Eager operators at shapes that keep changing: NumPy computes them, and XLA compiles those that come back.

A program for one shape takes XLA some 50 ms, and more than a megabyte that is never given back. A text that grows by a
word in each step would pay that for each operator and word. So an operator compiles the first shapes that it is called
with, as most operators see few. From then on NumPy evaluates a new shape until it has come back often enough. That is
decided by the operator's own history alone: a run and its repetition give the same bits.

Nothing is raised and nothing is stopped here: shapes are counted while JAX traces for them, wherever it does, and what has
changed by then counts for later calls.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.core import Tracer

from msjax.core.bounded_cache import keep
from msjax.core.xla.shape_templates import Key, ShapeTemplates, Steps

FIRST = 3  # shapes of a kind that are compiled at once
# A shape is compiled when NumPy has spent about as much time on it as XLA's compiler will. Times would differ from run to
# run, so work is counted: one for a call, and one for so many elements of its arguments.
ENOUGH = 512
ELEMENTS = 2**14
MOST_EVALUATIONS = 32  # shapes of one operator that are kept traced

MISSING: Any = object()


def key_of(values: Sequence[jax.Array]) -> Key:
    """Return shapes and dtypes."""
    return tuple([(value.shape, value.dtype) for value in values])


def is_at_home() -> bool:
    """Return True if arrays are in the memory of this process, and nobody wants XLA's own look at values."""
    return jax.default_backend() == "cpu" and jax.device_count() == 1 and not jax.config.jax_debug_nans  # type: ignore[attr-defined]


class ShapeCount:
    """Shapes that an operator was traced for.

    Args:
        many: called once, when there are `FIRST` of a kind.

    Attributes:
        seen: these shapes.
    """

    def __init__(self, many: Callable[[], None]) -> None:
        self._many: Callable[[], None] | None = many
        self._kinds: dict[tuple, set[Key]] = {}
        self.seen: set[Key] = set()

    def counting(self, fn: Callable) -> Callable:
        """Return a function that counts shapes when it is traced."""

        @functools.wraps(fn)
        def counted(*values: jax.Array) -> Any:
            if self._many is not None:
                self._add(key_of(values))
            return fn(*values)

        return counted

    def _add(self, key: Key) -> None:
        kind = self._kinds.setdefault(tuple([(len(shape), dtype) for shape, dtype in key]), set())
        kind.add(key)
        self.seen.add(key)
        if len(kind) >= FIRST and self._many is not None and is_at_home():
            many, self._many = self._many, None
            many()


class ChangingShapes:
    """A function of arrays whose shapes keep changing.

    Args:
        compiled: (arrays of a call) -> the function compiled.
        known: shapes that are compiled already.
        templates: of the function, or of several that differ in numbers.
        numbers: which of these it is.
    """

    def __init__(
        self,
        compiled: Callable,
        known: Iterable[Key],
        templates: ShapeTemplates,
        numbers: tuple[int, ...] = (),
    ) -> None:
        self._make, self._templates, self._numbers = compiled, templates, numbers
        self._compiled: Callable | None = None
        self._evaluations: dict[Key, Steps] = {}
        # Work done for each shape; those with `ENOUGH` are compiled.
        self._work = dict.fromkeys(known, ENOUGH)

    def __call__(self, *values: jax.Array) -> Any:
        """Call the function; raise like its compiled form in a trace."""
        # The first line takes a microsecond: a loop over fixed shapes comes here too, if its operators have several.
        if self._work.get(tuple([(v.shape, v.dtype) for v in values]), 0) < ENOUGH:
            out = self.evaluate(values)
            if out is not MISSING:
                return out
        return (self._compiled or self.compiled(values))(*values)

    def compiled(self, values: Sequence[jax.Array]) -> Callable:
        """Return the function as a program."""
        made = self._compiled
        if made is None:
            made = self._compiled = self._make(values)
        return made

    def settle(self, key: Key) -> None:
        """Compile a shape at its next call."""
        keep(self._work, key, ENOUGH)
        self._evaluations.pop(key, None)

    def evaluate(self, values: Sequence[jax.Array]) -> Any:
        """Call the function in NumPy; return `MISSING` if XLA is to do it."""
        key = key_of(values)
        work = self._work.get(key, 0)
        if work >= ENOUGH or jax.config.jax_debug_nans:  # type: ignore[attr-defined]
            return MISSING
        for value in values:
            if isinstance(value, Tracer) or not isinstance(value, jax.Array):
                return MISSING
            work += value.size // ELEMENTS
        if work + 1 >= ENOUGH:
            self.settle(key)
            return MISSING
        keep(self._work, key, work + 1)
        try:
            found = self._evaluations.get(key) or keep(
                self._evaluations, key, self._templates.steps(self._numbers, key), MOST_EVALUATIONS
            )
            return found.run(values)
        # Whatever NumPy cannot do, XLA does, and says so if it cannot either.
        except Exception:  # noqa: BLE001
            self.settle(key)
            return MISSING
