"""Concrete values of tracers (partial evaluation), for programs that are specialized for values of their arguments.

Where a function needs the value of a Tensor in Python, as a size or an axis, and AutoGraph cannot help, `trace.trace`
runs it once more with a `KnownValues`. It holds which tracer stands for which argument, and which operator computed
what. A value
that follows from small arguments and captured Tensors is then computed when it is asked for, and the trace goes on
with it: the program is *specialized*, and may be used again where these Tensors have these values.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import jax
from jax.core import Tracer

from msjax.core import dtype as dtypes

# Larger arguments are data, not sizes or indices; specializing for them would compile anew in every step.
MOST_ELEMENTS = 1024
UNFORESEEN = (
    "it depends on values that differ within the program: random numbers, or what a loop or a mapping changes"
)


ValueT = TypeVar("ValueT")


class _Callable(Protocol):
    """Protocol of what computes the outputs of an operator: a `nodes.Program`."""

    @property
    def call(self) -> Callable: ...


class Recipe:
    """Recipe for one value: the program and the inputs that compute it, and the value once it is computed."""

    __slots__ = ("inputs", "output", "program", "roots", "tracer", "value")

    def __init__(
        self, tracer: jax.Array, program: Callable, inputs: Sequence[jax.Array], output: int = 0
    ) -> None:
        self.tracer = tracer  # also keeps its id from being used again
        self.value: jax.Array | None = None
        self.program, self.inputs, self.output = program, inputs, output
        self.roots: frozenset[int] = frozenset()


class KnownValues:
    """Known values of the tracers of one trace and of those inside of it.

    Attributes:
        everywhere: True if conditions of converted statements are decided by known values, too.
    """

    def __init__(self, everywhere: bool = False) -> None:
        self.everywhere = everywhere
        self._facts: dict[int, Recipe] = {}
        self._reasons: dict[int, tuple[jax.Array, str]] = {}
        self._used: set[int] = set()

    def record_given(self, tracer: jax.Array, value: jax.Array | None) -> None:
        """Record that a tracer stands for an argument or captured Tensor with this outer value (None: unknown)."""
        if isinstance(value, Tracer) and id(value) not in self._facts:
            self._reasons[id(tracer)] = tracer, self.reason(value)
        elif value is None:
            self._reasons[id(tracer)] = tracer, UNFORESEEN
        elif not isinstance(value, Tracer) and not _small(value):
            what = f"a Tensor of shape {list(value.shape)} and dtype {dtypes.of(value.dtype)}"
            why = f"it depends on {what}, and a program can be made for the values of {MOST_ELEMENTS} elements at most"
            self._reasons[id(tracer)] = tracer, why
        else:
            # The value may be a tracer of the trace around whose own value is known: it is found when it is asked for.
            fact = self._facts[id(tracer)] = Recipe(tracer, _identity, (value,))
            fact.roots = frozenset({id(tracer)})

    def record_computed(self, program: _Callable, values: Sequence[jax.Array], out: object) -> None:
        """Record that a program was called with these values in a trace and returned `out`."""
        # One unknown input makes all outputs unknown; they inherit the reason, for the error message.
        for value in values:
            if isinstance(value, Tracer) and id(value) not in self._facts:
                reason = self.reason(value)
                for leaf in jax.tree.leaves(out):
                    self._reasons[id(leaf)] = leaf, reason
                return
        # Nothing is computed yet: most values are never asked for.
        for i, leaf in enumerate(jax.tree.leaves(out)):
            if isinstance(leaf, Tracer) and id(leaf) not in self._facts:  # a result may be an argument
                self._facts[id(leaf)] = Recipe(leaf, program.call, tuple(values), i)

    def record_equal(self, tracer: jax.Array, value: jax.Array) -> None:
        """Record that a tracer has the value of another one."""
        self.record_computed(_SAME, (value,), tracer)

    def reason(self, tracer: object) -> str:
        """Return why nothing is known of a tracer."""
        return self._reasons.get(id(tracer), (None, UNFORESEEN))[1]

    def value(self, tracer: object) -> jax.Array | None:
        """Return the value of a tracer or None; a known value specializes the program for the inputs that it depends on."""
        fact = self._facts.get(id(tracer))
        if fact is None:
            return None
        self._settle(fact)
        self._used |= fact.roots
        return fact.value

    def decides(self, tracer: object) -> bool:
        """Return True if a condition is to be decided at trace time."""
        return self.everywhere and id(tracer) in self._facts

    def uses(self, tracer: object) -> bool:
        """Return True if the value of this argument, or one that depends on it, was asked for."""
        return id(tracer) in self._used

    def _settle(self, wanted: Recipe) -> None:
        """Compute a fact and all that it depends on; with an explicit stack, because chains may be long."""
        stack = [wanted]
        while stack:
            fact = stack[-1]
            known = [self._facts.get(id(x)) if isinstance(x, Tracer) else None for x in fact.inputs]
            if missing := [k for k in known if k is not None and k.value is None]:
                stack += missing
                continue
            if fact.value is None:
                inputs = [x if k is None else k.value for x, k in zip(fact.inputs, known, strict=True)]
                # The fact is computed for real, in the middle of a trace.
                with jax.ensure_compile_time_eval():
                    fact.value = jax.tree.leaves(fact.program(*inputs))[fact.output]
                fact.roots = fact.roots.union(*[k.roots for k in known if k is not None])
            stack.pop()


def _identity(value: ValueT) -> ValueT:
    return value


class _Same:
    call = staticmethod(_identity)


_SAME = _Same()


def _small(value: jax.Array) -> bool:
    return value.size <= MOST_ELEMENTS
