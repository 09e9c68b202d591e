"""Fast path for repeated calls of a compiled function: if the call is like the last one, skip flattening and lookup.

It halves the Python time of a call: a step of a tiny MLP takes about as long as `jax.jit` by hand (docs/performance.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msjax.core.jit import execution
from msjax.core.state import DEFAULT, generation, state
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace.stateful import Stateful

if TYPE_CHECKING:
    from msjax.core.jit.program import Entry

MISSED = object()


class FastCall:
    """A program together with the comparisons that tell that a call is like the last one.

    Args:
        entry: the program, for which `can_repeat` holds.
        args: of the last call, all positional.
    """

    __slots__ = ("alike", "boxes", "count", "decisions", "entry", "expected", "fresh", "ids")

    def __init__(self, entry: Entry, args: tuple) -> None:
        self.entry = entry
        self.boxes = owners, _ = entry.boxes
        known = set(map(id, owners))
        self.fresh = [box for box in entry.replaced if id(box) not in known]
        self.count = len(args)
        avals = [arg._value.aval if isinstance(arg, Tensor) else None for arg in args]
        kinds = [(None, None) if aval is None else (aval.shape, aval.dtype) for aval in avals]
        self.expected = [
            (arg if aval is None else aval, *kind) for arg, aval, kind in zip(args, avals, kinds, strict=True)
        ]
        # True if one Tensor could be given twice, which is another program: then identities are compared too.
        self.alike = any(kind[1] is not None and kinds.count(kind) > 1 for kind in kinds)
        self.ids, self.decisions = entry.traced._ids, entry.decisions

    def call(self, args: tuple) -> Any:
        """Return the function's result, or MISSED if the call is not like the last one."""
        # Everything that `Compiled.__call__` would look at must be excluded here: modes (`state.plain`), a running `grad`,
        # flags and structure (the generation), number of arguments. test_fast_call goes through them one by one.
        if (
            not state.plain
            or state.scope is not None
            or generation.count != self.entry.generation
            or len(args) != self.count
        ):
            return MISSED
        ids = self.ids
        values = []
        for arg, (expected, shape, dtype) in zip(args, self.expected):  # noqa: B905 (the lengths are equal, and `strict` is slow)
            if type(arg) is Tensor:
                # On the tape, a view, of a trace, or captured as well: the general call knows these cases.
                if arg._node is not None or arg._view is not None or arg._home is not None or id(arg) in ids:
                    return MISSED
                value = arg._value
                aval = value.aval
                # JAX mostly hands out the same aval for the same shape and dtype, and `is` is faster than `==`.
                if aval is not expected and (aval.dtype != dtype or aval.shape != shape):
                    return MISSED
                values.append(value)
            elif arg is not expected:
                return MISSED
        if generation.hooked and _has_hooks(args):
            return MISSED
        if self.alike and len({*map(id, args)}) != self.count:
            return MISSED
        # Donated memory must be held by its box alone, and neither box may have become a view or be recorded since.
        owners, others = self.boxes
        if self.entry.joint is not None:
            given = self.entry.joint.reuse_last()
            if given is not None and not any(box._view is not None for box in others):
                return self._run(given, self.entry.joint.take_rest(others), values)
            plain = [box for box in owners if box._owned and box._view is None and box._node is None]
            if len(plain) != len(owners) or any(box._view is not None for box in others):
                return MISSED
            return self._run(*self.entry.joint.take(owners, others), values)
        given = [box._raw for box in owners if box._owned and box._view is None and box._node is None]
        rest = [box._raw for box in others if box._view is None]
        if len(given) != len(owners) or len(rest) != len(others):
            return MISSED
        return self._run(given, rest, values)

    def _run(self, given: list[Any], rest: list[Any], values: list[Any]) -> Any:
        for decision in self.decisions:
            if decision.box._raw is not decision.seen:
                return MISSED
        for box in self.fresh:
            if box._view is not None or box._node is not None:
                return MISSED
        return execution.run_again(self.entry, given, rest, values)


def _has_hooks(args: tuple) -> bool:
    return any("_hooks" in arg.__dict__ for arg in args if type(arg) is Tensor)


def can_repeat(entry: Entry, args: tuple) -> bool:
    """Return True if `FastCall` compares everything that a call with such arguments depends on."""
    return (
        entry.simple
        and entry.linked is None
        and entry.mode == (DEFAULT, None)
        and not entry.inner
        and not (generation.hooked and _has_hooks(args))
        and all(type(arg) is Tensor or isinstance(arg, Stateful) for arg in args)
    )
