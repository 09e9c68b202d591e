"""Eager operators at shapes that keep changing: NumPy computes them, and XLA compiles those that come back.

A program for one shape takes XLA some 50 ms, and more than a megabyte as long as it is kept. A text that grows by a word in
each step would pay that for each operator and word. So an operator compiles the first shapes that it is called with, as most
operators see few. From then on NumPy evaluates a new shape, from a trace that does for all lengths, until it has come back
often enough. That is decided by the operator's own history alone: a run and its repetition give the same bits.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.bounded_cache import keep
from msjax.core.xla.numpy_evaluator import Evaluation, UnsupportedError

FIRST = 3  # shapes of a kind that are compiled at once
# A shape is compiled when NumPy has spent about as much time on it as XLA's compiler will. Times would differ from run to
# run, so work is counted: one for a call, and one for so many elements of its arguments.
ENOUGH = 512
ELEMENTS = 2**14
MOST_REFERENCES = 8  # shapes of a kind that others are compared with
MOST_COMPILED = 128  # programs of one operator; then all are dropped, and with them their memory

Key = tuple[tuple[tuple[int, ...], np.dtype], ...]


class ShapesChangeError(ValueError):
    """Raised while a program is traced, in place of compiling it for one more shape."""


def key_of(values: Sequence[Any]) -> Key:
    """Return shapes and dtypes."""
    return tuple([(value.shape, value.dtype) for value in values])


class Counted:
    """A function whose shapes are counted as it is traced for them; it raises ShapesChangeError instead of one too many."""

    def __init__(self, fn: Callable) -> None:
        self.fn = fn
        self._seen: dict[tuple, set[Key]] = {}

    def __call__(self, *values: Any) -> Any:
        """Call the function with tracers."""
        key = key_of(values)
        seen = self._seen.setdefault(_kind(key), set())
        if key not in seen and len(seen) >= FIRST and _is_at_home():
            raise ShapesChangeError("more shapes than are compiled at once")
        seen.add(key)
        return self.fn(*values)


def _is_at_home() -> bool:
    """Return True if arrays are in the memory of this process, and nobody wants XLA's own look at values."""
    return jax.default_backend() == "cpu" and jax.device_count() == 1 and not jax.config.jax_debug_nans  # type: ignore[attr-defined]


def _kind(key: Key) -> tuple:
    return tuple([(len(shape), dtype) for shape, dtype in key])


class ChangingShapes:
    """A function of arrays whose shapes keep changing.

    Args:
        fn: the function, traceable.
        compiled: (arrays of a call) -> the function compiled.
        by_length: trace it for each length by itself: what it returns beside arrays is made for one.
    """

    def __init__(
        self, fn: Callable, compiled: Callable[[Sequence[Any]], Callable], by_length: bool = False
    ) -> None:
        self._by_length = by_length
        self._fn, self._make = fn, compiled
        self._compiled: Callable | None = None
        self._programs = 0
        self._work: dict[Key, int] = {}
        self._references: dict[tuple, list[Key]] = {}
        self._described: dict[Key, tuple[tuple, dict[str, int]]] = {}
        self._evaluations: dict[tuple, _Traced | None] = {}

    def __call__(self, *values: Any) -> Any:
        """Call the function; raise like its compiled form in a trace."""
        key = key_of(values)
        work = self._work.get(key, 0)
        if work < ENOUGH:
            work += 1 + sum([value.size for value in values]) // ELEMENTS
            keep(self._work, key, work)
            if work < ENOUGH:
                try:
                    return self._evaluate(key, values)
                except (UnsupportedError, NotImplementedError, TypeError):  # tracers are a TypeError
                    keep(self._work, key, ENOUGH)
            self._programs += 1
            if self._programs > MOST_COMPILED:
                self._compiled, self._programs = None, 1
                self._work = {key: ENOUGH}
        if self._compiled is None:
            self._compiled = self._make(values)
        return self._compiled(*values)

    def _evaluate(self, key: Key, values: Sequence[Any]) -> Any:
        described = self._described.get(key)
        if described is None:
            described = keep(self._described, key, self._pattern(key), most=64)
        pattern, sizes = described
        if pattern not in self._evaluations:
            keep(self._evaluations, pattern, _traced(self._fn, pattern), most=64)
        found = self._evaluations[pattern]
        if found is None:
            if not sizes:
                raise UnsupportedError(pattern)
            found = _traced(self._fn, key)
            if found is None:
                raise UnsupportedError(key)
            sizes = {}
        return found.run(values, sizes)

    def _pattern(self, key: Key) -> tuple[tuple, dict[str, int]]:
        """Describe shapes by what differs from earlier ones, of those that differ least."""
        if self._by_length:
            return key, {}
        references = self._references.setdefault(_kind(key), [])
        found = [pair for pair in (_pattern(before, key) for before in references) if pair[1]]
        best = min(found, key=lambda pair: len(pair[1]), default=(key, {}))
        # A layer of its own, it may be, of which only one length will change.
        if len(best[1]) != 1 and len(references) < MOST_REFERENCES:
            references.append(key)
        return best


class _Traced:
    """A traced function, evaluated over JAX's arrays."""

    def __init__(self, closed: Any, out: Any) -> None:
        self.evaluation = Evaluation(closed)
        leaves, self.tree = jax.tree.flatten(out)
        self.single = jax.tree.structure(0) == self.tree
        self.dtypes = [np.dtype(leaf.dtype) for leaf in leaves]

    def run(self, values: Sequence[Any], sizes: dict[str, int]) -> Any:
        outputs = [
            jnp.asarray(out, dtype=dtype)
            for out, dtype in zip(
                self.evaluation.run([*map(np.asarray, values)], sizes), self.dtypes, strict=True
            )
        ]
        return outputs[0] if self.single else jax.tree.unflatten(self.tree, outputs)


def _traced(fn: Callable, pattern: Sequence[tuple]) -> _Traced | None:
    """Trace a function for shapes, some of whose lengths may be names; None if it cannot be traced or run in NumPy so."""
    names = sorted({n for shape, _ in pattern for n in shape if isinstance(n, str)})
    symbols = dict(zip(names, jax.export.symbolic_shape(",".join(names)), strict=True)) if names else {}
    given = [jax.ShapeDtypeStruct([symbols.get(n, n) for n in shape], dtype) for shape, dtype in pattern]
    try:
        # A function of its own: what JAX keeps for it goes with it.
        return _Traced(*jax.make_jaxpr(lambda *values: fn(*values), return_shape=True)(*given))
    # Whatever keeps a function from being traced for all lengths: for one length it is compiled, and raises what it raises.
    except Exception:  # noqa: BLE001
        return None


def _pattern(before: Key, key: Key) -> tuple[tuple, dict[str, int]]:
    """Return shapes with names for the lengths that differ from those before; and the values of the names.

    Lengths that were equal then and are equal now have one name. None has where a length is 0 or 1, or equal to another: a
    trace for all lengths takes them for different.
    """
    names: dict[tuple[int, int], str] = {}
    pattern = []
    for (shape, dtype), (old, _) in zip(key, before, strict=True):
        lengths = [
            now if now == then else names.setdefault((then, now), f"n{len(names)}")
            for now, then in zip(shape, old, strict=True)
        ]
        pattern.append((tuple(lengths), dtype))
    sizes = {name: now for (_, now), name in names.items()}
    constant = {n for n in itertools.chain.from_iterable(shape for shape, _ in pattern) if isinstance(n, int)}
    if len({*sizes.values()} - constant - {0, 1}) < len(sizes):
        return key, {}
    return tuple(pattern), sizes
