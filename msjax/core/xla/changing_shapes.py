"""Eager operators at shapes that keep changing: NumPy computes them, and XLA compiles those that come back.

A program for one shape takes XLA some 50 ms, and more than a megabyte that is never given back. A text that grows by a
word in each step would pay that for each operator and word. So an operator compiles the first shapes that it is called
with, as most operators see few. From then on NumPy evaluates a new shape until it has come back often enough. That is
decided by the operator's own history alone: a run and its repetition give the same bits.

Nothing is raised and nothing is stopped here: shapes are counted while JAX traces for them, wherever it does, and what has
changed by then counts for later calls.
"""

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr

from msjax.core.bounded_cache import keep
from msjax.core.xla import jaxpr_queries
from msjax.core.xla.numpy_evaluator import Evaluation

FIRST = 3  # shapes of a kind that are compiled at once
# A shape is compiled when NumPy has spent about as much time on it as XLA's compiler will. Times would differ from run to
# run, so work is counted: one for a call, and one for so many elements of its arguments.
ENOUGH = 512
ELEMENTS = 2**14
MOST_EVALUATIONS = 32  # shapes of one operator that are kept traced

# What `jax.disable_jit` unrolls, or cannot do without values.
_LOOPS = ("scan", "while", "cond")

Key = tuple[tuple[tuple[int, ...], np.dtype], ...]
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
        fn: the function, traceable.
        compiled: (arrays of a call) -> the function compiled.
        known: shapes that are compiled already.
        inline: trace it without the functions that JAX compiles by themselves, which takes half the time.
    """

    def __init__(
        self, fn: Callable, compiled: Callable, known: Iterable[Key] = (), inline: bool = False
    ) -> None:
        self._fn, self._make = fn, compiled
        self._compiled: Callable | None = None
        self._inline: bool | None = None if inline else False
        self._evaluations: dict[Key, _Traced] = {}
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
                self._evaluations, key, self._traced(key), MOST_EVALUATIONS
            )
            return found.run(values)
        # Whatever NumPy cannot do, XLA does, and says so if it cannot either.
        except Exception:  # noqa: BLE001
            self.settle(key)
            return MISSING

    def _traced(self, key: Key) -> "_Traced":
        given = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in key]
        with jax.disable_jit() if self._inline else contextlib.nullcontext():
            # A function of its own: what JAX keeps for it goes with it.
            closed, out = jax.make_jaxpr(lambda *values: self._fn(*values), return_shape=True)(*given)
        if self._inline is None:
            self._inline = not any(jaxpr_queries.contains(closed.jaxpr, name) for name in _LOOPS)
        return _Traced(closed, out)


class _Traced:
    """A traced function, evaluated over JAX's arrays."""

    def __init__(self, closed: ClosedJaxpr, out: object) -> None:
        self.evaluation = Evaluation(closed)
        leaves, self.tree = jax.tree.flatten(out)
        self.single = jax.tree.structure(0) == self.tree
        self.dtypes = [np.dtype(leaf.dtype) for leaf in leaves]

    def run(self, values: Sequence[object]) -> Any:
        found = self.evaluation.run([*map(np.asarray, values)])
        outputs = [
            # Without the dtype JAX would compile a program for the shape.
            jnp.asarray(out if out.dtype == dtype else out.astype(dtype), dtype=dtype)
            for out, dtype in zip(found, self.dtypes, strict=True)
        ]
        return outputs[0] if self.single else jax.tree.unflatten(self.tree, outputs)
