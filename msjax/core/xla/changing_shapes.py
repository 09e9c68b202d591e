"""Eager operators that are not called often, or at shapes that keep changing: NumPy computes them, without a compiler.

A program for one shape takes XLA some 50 ms, and more than a megabyte that is never given back. The first step of a net
would pay that for each operator and its derivative, and a text that grows by a word in each step for each operator and
word. So NumPy evaluates what an operator was traced to, until a shape has come back often enough to pay for a compiler.
Once an operator's only shapes are compiled, it calls its program directly, and compiles the next few shapes at once; when
there are more, NumPy evaluates new ones again. All that is decided by the operator's own history alone: a run and its
repetition give the same bits.

Nothing is raised and nothing is stopped here: shapes are counted while JAX traces for them, wherever it does, and what has
changed by then counts for later calls.
"""

import contextlib
import ctypes
import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from msjax.core.bounded_cache import keep
from msjax.core.xla.shape_templates import Key, ShapeTemplates, Steps

FIRST = 3  # with so many shapes of a kind an operator is one whose shapes keep changing
# A shape is compiled when NumPy has spent about as much time on it as XLA's compiler will. Times would differ from run to
# run, so work is counted: one for a call, and one for so many of its arguments, or elements that it reads or computes.
ENOUGH = 256
ELEMENTS = 2**14
ARRAYS = 8
MOST_EVALUATIONS = 32  # shapes of one operator that are kept traced

# Arrays of ever new sizes leave holes that the C library keeps: a text of 480 words held 300 MB, of which 240 were free.
# After so many elements at new shapes the library is asked to give them back, which takes it about a millisecond.
ELEMENTS_BETWEEN_TRIMS = 2**25

MISSING: Any = object()
watching: Callable[[str], contextlib.AbstractContextManager] | None = (
    None  # set while the profiler writes a trace
)
_ARRAYS: set[type] = {np.ndarray}  # classes of arrays with values: to ask `isinstance` takes a microsecond


def key_of(values: Sequence[jax.Array]) -> Key:
    """Return shapes and dtypes."""
    return tuple([(value.shape, value.dtype) for value in values])


def is_at_home() -> bool:
    """Return True if arrays are in the memory of this process, and nobody wants XLA's own look at values."""
    return jax.default_backend() == "cpu" and jax.device_count() == 1 and not jax.config.jax_debug_nans  # type: ignore[attr-defined]


def _find_trim() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`; None on systems with another C library."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


_trim = _find_trim()
_since_trim = 0


def count_elements(elements: int) -> None:
    """Count elements that were computed at a new shape; give memory back to the system when there were many."""
    global _since_trim
    _since_trim += elements
    if _since_trim >= ELEMENTS_BETWEEN_TRIMS and _trim is not None:
        _since_trim = 0
        _trim(0)


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
        alone: called when all shapes are to be compiled and there are not `FIRST` of them.
        name: of the operator, for traces of the profiler.
    """

    def __init__(
        self,
        compiled: Callable,
        known: Iterable[Key],
        templates: ShapeTemplates,
        numbers: tuple[int, ...] = (),
        alone: Callable[[], None] | None = None,
        name: str = "",
    ) -> None:
        self._make, self._templates, self._numbers, self._alone = compiled, templates, numbers, alone
        self._name = name
        self._compiled: Callable | None = None
        self._evaluations: dict[Key, Steps] = {}
        # Work done for each shape; those with `ENOUGH` are compiled.
        self._work = dict.fromkeys(known, ENOUGH)

    def __call__(self, *values: jax.Array) -> Any:
        """Call the function; raise like its compiled form in a trace."""
        # These lines take a microsecond: a loop over fixed shapes comes here too, if its operators have several.
        key = tuple([(v.shape, v.dtype) for v in values])
        if self._work.get(key, 0) < ENOUGH:
            out = self.evaluate(values, key)
            if out is not MISSING:
                return out
        return (self._compiled or self.get_compiled(values))(*values)

    def get_compiled(self, values: Sequence[jax.Array]) -> Callable:
        """Return the function as a program."""
        made = self._compiled
        if made is None:
            made = self._compiled = self._make(values)
        return made

    def settle(self, key: Key) -> None:
        """Compile a shape at its next call."""
        keep(self._work, key, ENOUGH)
        self._evaluations.pop(key, None)
        alone = self._alone
        # A list: another thread may add a shape meanwhile.
        if alone is not None and len(self._work) < FIRST and min([*self._work.values()]) >= ENOUGH:
            self._alone = None
            alone()

    def evaluate(self, values: Sequence[jax.Array], key: Key) -> Any:
        """Call the function in NumPy; return `MISSING` if XLA is to do it.

        Args:
            values: the arrays of the call.
            key: their shapes and dtypes (`key_of`).
        """
        work = self._work.get(key, 0)
        if work >= ENOUGH or jax.config.jax_debug_nans:  # type: ignore[attr-defined]
            return MISSING
        work += len(values) // ARRAYS
        large = 0
        for value in values:
            kind = type(value)
            if kind not in _ARRAYS:
                if isinstance(value, Tracer) or not isinstance(value, jax.Array):
                    return MISSING
                _ARRAYS.add(kind)
            if not value.size:
                return MISSING  # NumPy refuses, or shapes otherwise, some of what is empty
            large += value.size // ELEMENTS
        if work + large >= ENOUGH:
            self.settle(key)
            return MISSING
        try:
            found = self._evaluations.get(key) or keep(
                self._evaluations, key, self._templates.steps(self._numbers, key), MOST_EVALUATIONS
            )
            with contextlib.nullcontext() if watching is None else watching(self._name):
                out = found.run(values)
            if key not in self._work:
                count_elements(found.evaluation.elements)
            work += 1 + found.evaluation.elements // ELEMENTS
            if work < ENOUGH:
                keep(self._work, key, work)
            else:
                self.settle(key)
            return out
        # Whatever NumPy cannot do, XLA does, and says so if it cannot either.
        except Exception:  # noqa: BLE001
            self.settle(key)
            return MISSING
