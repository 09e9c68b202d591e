"""From a Python function over boxes to a pure function over arrays.

`trace` calls the function with its own arguments while a `Frame` lies over all boxes: what the function reads and
writes is looked up and kept there, never in the boxes. What it read from outside becomes an input of the pure
function, what it wrote becomes an output, and nothing has happened to any box until `Traced.finish` puts the results
back. All transformations are: trace, JAX's own transformation of `Traced.fn`, one call of that as an operator.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from msjax.core import attributes, autograph, failure, mutable, outside, texts, trees
from msjax.core.box import NeedsValue, owns_leaf
from msjax.core.frame import Frame, Slot, outside_of
from msjax.core.known import Book
from msjax.core.state import ENABLED, state, swapped
from msjax.core.tape import Leaf, Var
from msjax.core.tensor import Tensor, alias, is_tensor, mark_leaf, node_of, resolve, wrap

_MOST_TRACES = 3


class Traced:
    """A function over boxes, traced once: a pure function of (argument arrays, captured arrays).

    Attributes:
        fn: (*arguments, *captured) -> list of arrays: the outputs, then what was written.
        captured: the slots beyond the arguments that it reads, in order.
        written: the slots that it writes, in order, each with whether it has a value (a `.grad` may become None).
        marked: the boxes whose `requires_grad` it changes, each with the new value.
        fails: whether it may raise what it writes; see `failure`.
        numbers: which of its outputs stand for numbers; see `mutable`.
        takes: whether it changes or returns a list or dict among its arguments.
        guards: what must be in the lists, dicts and objects that it changes; see `outside`.
        settled: keys of those that stay leaves, or gradients of leaves: no gradient passes what is written there.
        cells: the Cells that were called.
        decided: the slots whose values the program was made for, each with that value; see `known`.
        open: whether an output still hangs on a tensor with `requires_grad`, so that the call must be recorded.
        reusable: whether it may outlive the trace around it.
    """

    def __init__(self, closed: Any, run: "_Run") -> None:
        read = {var for eqn in closed.jaxpr.eqns for var in eqn.invars if not hasattr(var, "val")}
        read |= {var for var in closed.jaxpr.outvars if not hasattr(var, "val")}
        count = len(run.boxes)
        used = [var in read for var in closed.jaxpr.invars[count:]]
        self.closed = closed
        self.captured = [slot for slot, u in zip(run.captured, used, strict=True) if u]
        self.written, self.settled, self.marked = run.written, run.settled, run.marked
        self.fails = any(failure.is_box(slot.box) for slot, _ in run.written)
        self.cells = list(run.frame.cells.values())
        self.open, self.decided = run.open, run.decided
        self.out_tree, self.statics, self.order = run.out_tree, run.statics, run.order
        self.numbers = run.numbers
        self.takes = run.reach is not None and run.reach.takes
        self.guards = [] if run.reach is None else run.reach.guards({id(slot.box) for slot in self.captured})
        self.reusable = not any(isinstance(c, Tracer) for c in closed.consts)
        self._standins = {id(box): i for i, box in enumerate(run.boxes)}
        self._boxes = run.boxes  # keeps the ids above valid
        self._ids = {id(slot.box) for slot in self.captured} | {id(slot.box) for slot, _ in self.written}
        self._keep = [True] * count + used
        self._call = jax.extend.core.jaxpr_as_fun(closed)

    def fn(self, *values: Any) -> list[Any]:
        """The pure function. Captures that turned out to be unused are left out."""
        return self._call(*self.full(values))

    def full(self, values: Sequence[Any]) -> list[Any]:
        """What `closed` takes, from what `fn` does."""
        given = iter(values)
        return [
            next(given) if keep else jnp.zeros(aval.shape, aval.dtype)
            for keep, aval in zip(self._keep, self.closed.in_avals, strict=True)
        ]

    def owner(self, slot: Slot, arguments: Sequence[Tensor]) -> Tensor:
        """The box of a slot: itself, or the argument that stands in its place in this call."""
        i = self._standins.get(id(slot.box))
        return slot.box if i is None else arguments[i]

    def argument(self, slot: Slot) -> int | None:
        """Which argument a slot is the value of, if it is one."""
        return self._standins.get(id(slot.box)) if slot.kind == "value" else None

    def read(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """The boxes that hold what it captures, now."""
        return [Slot(self.owner(slot, arguments), slot.kind).read() for slot in self.captured]

    def entangled(self, arguments: Sequence[Tensor]) -> tuple | None:
        """How arguments share memory with each other or with what is captured, if the function writes to any of it."""
        if not self.written:
            return None
        return entanglement(arguments, self._ids)

    @property
    def outcome(self) -> int:
        """Which of the arrays that `fn` returns is not 0 where the function raises."""
        present = [slot for slot, there in self.written if there]
        return self.outputs + next(n for n, slot in enumerate(present) if failure.is_box(slot.box))

    @property
    def outputs(self) -> int:
        """How many of the arrays that `fn` returns are outputs."""
        return sum(static is DYNAMIC for static in self.statics)

    def mark(self, arguments: Sequence[Tensor]) -> None:
        """Put back what the function did to the `requires_grad` of boxes."""
        for box, flag in self.marked:
            self.owner(Slot(box), arguments)._mark(flag)

    def finish(self, results: Sequence[Var], arguments: Sequence[Tensor]) -> Any:
        """Put back what was written, and rebuild what the function returned, of Tensors."""
        each = iter(results)
        outputs = [wrap(*next(each)) if static is DYNAMIC else static for static in self.statics]
        failed = self.fails and state.frame is None and bool(results[self.outcome][0])
        for slot, present in self.written:
            result = next(each) if present else None
            if failed and not failure.is_box(slot.box):
                continue
            if result is not None and slot.key in self.settled:
                result = (result[0], None)
            put_back(self.owner(slot, arguments), slot.kind, result)
        self.mark(arguments)
        if self.fails:
            failure.check()
        return self.rebuilt(outputs)

    def rebuilt(self, outputs: Sequence[Any]) -> Any:
        """What the function returned, with other leaves."""
        if self.numbers:
            outputs = mutable.returned(outputs, self.numbers)
        return trees.like(jax.tree.unflatten(self.out_tree, outputs), self.order)


def entanglement(arguments: Sequence[Tensor], others: set[int]) -> tuple | None:
    """For each argument which part of which box it is, if another argument or one of `others` shares that, else None."""
    roots = [id(box if box._view is None else root(box)) for box in arguments]
    if others.isdisjoint(roots) and len(set(roots)) == len(roots):
        return None
    shared = [r in others or roots.count(r) > 1 for r in roots]
    return tuple(
        [(r, *_path(box)) if s else None for r, s, box in zip(roots, shared, arguments, strict=True)]
    )


def _path(box: Tensor) -> Iterator[Any]:
    """What leads from a box to the one whose memory it shares, by ids that hold as long as the views do."""
    while (view := box._view) is not None:
        yield view.detached, view.lens.key()
        box = view.base


def root(box: Tensor) -> Tensor:
    """The box whose memory a view shares."""
    while box._view is not None:
        box = box._view.base
    return box


def put_back(owner: Tensor, kind: str, result: Var | None) -> None:
    """Store what a lifted function wrote."""
    if kind == "value":
        owner._assign(*result)  # type: ignore[misc]
        return
    owner = resolve(owner)
    if result is None:
        owner._grad = None
    elif owner._grad is None:
        owner._grad = wrap(*result)
    else:
        owner._grad._assign(*result)


def value_of(slot: Slot) -> np.ndarray | None:
    """The value of a slot in the current frame, if it is known."""
    try:
        value = slot.read()._value
    except LookupError:
        return None
    if isinstance(value, Tracer):
        value = None if state.known is None else state.known.value(value)
    return None if value is None else np.asarray(value)


class _Dynamic:
    """Marks an output that is an array."""


DYNAMIC = _Dynamic()


class _Run:
    """One run of a function under a frame, and what it left there."""

    def __init__(
        self,
        fn: Callable,
        args: Any,
        boxes: list[Tensor],
        captured: list[Slot],
        known: Sequence[Any],
        keeps: bool | str,
    ) -> None:
        self.fn, self.args, self.boxes, self.captured = fn, args, boxes, captured
        # The values that arguments and captured slots have, None for those that differ inside.
        self.known = known
        self.keeps = keeps
        self.reach: outside.Outside | None = None

    def __call__(self, *values: Any) -> list[Any]:
        frame = self.frame = Frame(state.frame)
        frame.arguments = self.boxes if self.keeps is True else []
        slots = [*(Slot(box) for box in self.boxes), *self.captured]
        for slot, value, known in zip(slots, values, self.known, strict=True):
            frame.inputs[slot.key] = value
            if slot.box._home is not frame.outer:
                frame.inputs[slot.place] = value
            if state.known is not None:
                state.known.given(value, outside_of(slot, known))
        with swapped(frame=frame, scope=None, watch=None, keeps=self.keeps):
            args, kwargs = self.args
            call = self._with_attributes if self.keeps else autograph.steered(self.fn)
            out = trees.sortable(call(*args, **kwargs))
            leaves, self.out_tree = jax.tree.flatten(out, is_leaf=is_tensor)
            self.order = trees.order(attributes.returned(outside.returned(out)))
            self.numbers = [i for i, x in enumerate(leaves) if type(x) is mutable.Number]
            self.statics = [DYNAMIC if isinstance(x, Tensor | jax.Array) else x for x in leaves]
            boxes = [
                resolve(x) if isinstance(x, Tensor) else wrap(x)
                for x in leaves
                if isinstance(x, Tensor | jax.Array)
            ]
            self.written = []
            self.settled = set()
            for slot, box in frame.written():
                self.written.append((slot, box is not None))
                if box is not None:
                    boxes.append(resolve(box))
                    if _settled(slot, boxes[-1]):
                        self.settled.add(slot.key)
            self.marked = frame.marked()
            self.decided = _decided(slots, values)
            self.open = any(_open(node_of(box)) for box in boxes)
        return [box._value for box in boxes]

    def _with_attributes(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns, with the attributes that it set, which are as they were before."""
        reach = self.reach = outside.Outside(self.fn, (args, kwargs))
        try:
            try:
                out = autograph.steered(self.fn)(*args, **kwargs)
            except failure.Over:
                out = None
            out = reach.referring(out)
            return reach.taken(attributes.taken(self.frame, attributes.listed(out)))
        finally:
            attributes.restore(self.frame)
            reach.restore()


def _settled(slot: Slot, box: Tensor) -> bool:
    """Whether a box that was written is nevertheless a leaf, or the gradient of one and itself off the tape."""
    if slot.kind == "grad":
        return node_of(box) is None
    return owns_leaf(box) or (
        node_of(box) is None and state.mode == ENABLED and getattr(box, "_trainable", False)
    )


def _decided(slots: Sequence[Slot], values: Sequence[Any]) -> list[tuple[Slot, Any]]:
    """The slots whose values were asked for, with these."""
    known = state.known
    if known is None:
        return []
    pairs = zip(slots, values, strict=True)
    return [(slot, np.asarray(known.value(value))) for slot, value in pairs if known.uses(value)]


def _open(ref: Any) -> bool:
    return ref is not None and not isinstance(ref[0], Leaf) and not ref[0].released()


def trace(
    fn: Callable,
    args: tuple,
    kwargs: dict[str, Any],
    avals: Sequence[Any] | None = None,
    guess: Iterable[Slot] = (),
    through: bool | Sequence[bool] = False,
    keeps: bool | str = False,
) -> Traced:
    """Run a function over boxes once, on tracers; rewritten by `autograph`, if it needs values that are not known.

    If that does not help, the values that follow from small arguments and captured Tensors become known; see `known`.
    Where arguments share memory with each other or with what is captured, and the function writes to any of it, it is
    run again with boxes that share it too.

    Args:
        fn: takes and returns any nesting of lists, tuples and dicts with Tensors in it.
        args: its arguments. It is called with boxes that stand in for the Tensors among them, so that what it reads
            by another way, say as a Parameter of a Cell, is told apart.
        kwargs: its keyword arguments.
        avals: shape and dtype that each Tensor among the arguments has inside. Default: those that it has.
        guess: slots that it will probably read; one that is read and not guessed costs a second run.
        through: whether the Tensors among the arguments, all or each, have the values inside that they have outside.
        keeps: what is assigned to attributes of Cells is part of what `fn` returns, and is set by `Traced.finish`. If it is
            True, `x[i] = y` changes of an argument what the function calls so, and leaves the caller's Tensor alone.

    Raises:
        NeedsValue: if it needs a value that is not known.
        RuntimeError: if every run reads boxes that the one before did not.
        ValueError: if memory is shared and written, but an argument has another shape inside.
    """
    guess = list(guess)
    run = functools.partial(_trace_shared, fn, args, kwargs, avals, guess, through, keeps)
    if state.frame is None:
        with texts.shown():
            return _settled_trace(fn, run, through)
    return _settled_trace(fn, run, through)


def _settled_trace(fn: Callable, run: Callable[[], Traced], through: bool | Sequence[bool]) -> Traced:
    """As the function is; rewritten, if it needs values that are not known; for values of small arguments, if it must."""
    if state.converting:
        return run()
    settles = through is True and state.frame is None and state.specialises
    if not autograph.is_needed(fn):
        try:
            return run()
        except NeedsValue:
            autograph.remember(fn)
        except AttributeError as error:  # what dicts have in MindSpore's compiled functions
            if error.name != "has_key":
                raise
            autograph.remember(fn)
    with swapped(converting=True):
        everywhere = False
        try:
            if not settles or not autograph.is_needed(fn, values=True):
                return run()
        except NeedsValue as error:
            if not settles:
                autograph.explain(error)
                raise
            autograph.remember(fn, values=True)
        except (RecursionError, TypeError) as error:
            # A recursion ends, and branches leave different things, by a condition that must be known.
            if not settles or not (isinstance(error, RecursionError) or getattr(error, "by_value", False)):
                raise
            everywhere = True
        try:
            return _specialised(run, everywhere)
        except TypeError as error:
            if everywhere or not getattr(error, "by_value", False):
                raise
        return _specialised(run, everywhere=True)


def _specialised(run: Callable[[], Traced], everywhere: bool) -> Traced:
    """The trace for the values of small arguments; with `everywhere` these decide all that they can."""
    with swapped(known=Book(everywhere)):
        try:
            return run()
        except NeedsValue as error:
            autograph.explain(error)
            raise


def _trace_shared(
    fn: Callable,
    args: tuple,
    kwargs: dict[str, Any],
    avals: Sequence[Any] | None,
    guess: Iterable[Slot],
    through: bool | Sequence[bool],
    keeps: bool | str,
) -> Traced:
    """Trace with unrelated boxes in the place of the arguments, and again if they turn out to be related."""
    arguments = [leaf for leaf in jax.tree.leaves((args, kwargs), is_leaf=is_tensor) if is_tensor(leaf)]
    traced = _trace(fn, args, kwargs, avals, guess, _standin, through, keeps)
    if traced.entangled(arguments) is None:
        return traced
    if avals is not None and any(box.shape != aval.shape for box, aval in zip(arguments, avals, strict=True)):
        raise ValueError(
            f"`{getattr(fn, '__name__', fn)}` changes a Tensor in place while another argument, or a Tensor that it reads "
            "from outside, shares memory with it. That has no meaning where it is mapped: pass a copy of one of them."
        )
    return _trace(fn, args, kwargs, avals, [*guess, *traced.captured], _linked, through, keeps)


def _trace(
    fn: Callable,
    args: tuple,
    kwargs: dict[str, Any],
    avals: Sequence[Any] | None,
    guess: Iterable[Slot],
    standin: Callable[[Tensor], Tensor],
    through: bool | Sequence[bool],
    keeps: bool | str,
) -> Traced:
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=is_tensor)
    boxes = [leaf for leaf in leaves if is_tensor(leaf)]
    standins = [standin(box) for box in boxes]
    each = iter(standins)
    inside = jax.tree.unflatten(tree, [next(each) if is_tensor(leaf) else leaf for leaf in leaves])
    args, kwargs = trees.like(inside, trees.order((args, kwargs)))
    given = [resolve(box)._value for box in boxes] if avals is None else avals
    captured = list({slot.key: slot for slot in guess}.values())
    for _ in range(_MOST_TRACES):
        read = [slot.read()._value for slot in captured]
        same = [through] * len(boxes) if isinstance(through, bool) else through
        known = [*(resolve(box)._value if s else None for box, s in zip(boxes, same, strict=True)), *read]
        run = _Run(fn, (args, kwargs), standins, captured, known, keeps)
        values = [*given, *read]
        closed = jax.make_jaxpr(run)(*[jax.ShapeDtypeStruct(v.shape, v.dtype) for v in values])
        if not run.frame.missing:
            return Traced(closed, run)
        captured = captured + run.frame.missing
    raise RuntimeError(
        f"`{getattr(fn, '__name__', fn)}` read other Tensors in each of {_MOST_TRACES} runs, so it cannot be compiled or "
        f"transformed. The last new ones: {[slot.box.shape for slot in run.frame.missing]}. Pass them as arguments."
    )


def _standin(box: Tensor) -> Tensor:
    """A box like this one, unrelated to it."""
    before = resolve(box)
    made: Any = object.__new__(type(box))
    if type(box) is not Tensor:
        made.__dict__ = box.__dict__
    made._value, made._home, made._view, made._version = before._value, state.frame, None, 0
    made._node, made._grad, made._owned = None, before._grad, False
    if (node := before._node) is not None and isinstance(node[0], Leaf) and node[0].owner is not None:
        mark_leaf(made, type(node[0]))
    return made


def _linked(box: Tensor) -> Tensor:
    return alias(box, None)
