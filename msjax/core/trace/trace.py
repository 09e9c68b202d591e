"""Trace (functionalize): turn a Python function over boxes into a pure function over arrays.

`trace` calls the function with its own arguments while a `Frame` lies over all boxes: what the function reads and
writes is looked up and kept there, never in the boxes. What it read from outside becomes an input of the pure
function, what it wrote becomes an output, and nothing has happened to any box until `Traced.commit` puts the results
back. All transformations are: trace, JAX's own transformation of `Traced.fn`, one call of that as an operator.
"""

import contextlib
import enum
import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr

from msjax.core import ordered_trees
from msjax.core.autograph import conversion
from msjax.core.state import DEFAULT, ENABLED, override_state, state
from msjax.core.tape.nodes import Leaf, Ref, Var
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import Choice, NeedsValue, fill, is_lens_view, owns_leaf, root, roots
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import (
    Tensor,
    alias,
    in_dialect,
    is_tensor,
    mark_leaf,
    node_of,
    resolve,
    tensors_in,
    wrap,
)
from msjax.core.trace import cell_attributes, deferred_errors, deferred_text, side_effects
from msjax.core.trace.frame import Frame, Slot, outside_of
from msjax.core.trace.known_values import KnownValues
from msjax.core.tracebacks import hide_engine
from msjax.core.xla import integer_gradients
from msjax.core.xla.collectives import world
from msjax.core.xla.jaxpr_queries import find_differentiable_outputs

ResultT = TypeVar("ResultT")
Write = cell_attributes.AttributeWrite | side_effects.ContainerWrite  # an entry of the journal

# A function that reads new boxes in each of three runs makes them itself or depends on the run: more would not help.
_MOST_TRACES = 3


class Traced:
    """A function over boxes, traced once: a pure function of (argument arrays, captured arrays).

    Attributes:
        fn: (*arguments, *captured) -> list of arrays: the outputs, then what was written.
        captured: the slots beyond the arguments that it reads, in order.
        written: the slots that it writes, in order, each with True if it has a value (a `.grad` may become None).
        marked: the boxes whose `requires_grad` it changes, each with the new value.
        fails: True if it may raise an exception through the box of `deferred_errors`.
        numbers: indices of its outputs that stand for numbers; see `mutable`.
        dialects: the classes of outputs that are Tensors of another dialect, by index.
        takes: True if it changes or returns a list or dict among its arguments.
        journal: its side effects on Python objects, which `deliver` performs: `AttributeWrite`s and `ContainerWrite`s.
        texts: True if there are deferred strings in its result or journal.
        aliases: True if its result or journal has aliases of lists and dicts; see `side_effects`.
        guards: required contents of the lists, dicts and objects that it changes; see `side_effects`.
        settled: keys of written slots that stay leaves, or gradients of leaves: no gradient passes what is written there.
        cells: the Cells that were called.
        decisions: what it depends on beside its inputs; see `frame.decide`.
        decided: the slots whose values the program is specialized for, each with that value; see `known_values`.
        open: True if an output still depends on a tensor with `requires_grad`, so that the call must be recorded.
        reusable: True if it may outlive the trace around it.
    """

    def __init__(self, closed: ClosedJaxpr, run: "_Run") -> None:
        # Guesses that turned out to be unused are dropped: every captured slot costs a lookup in each call, and would be
        # recorded as an input.
        read = {var for eqn in closed.jaxpr.eqns for var in eqn.invars if not hasattr(var, "val")}
        read |= {var for var in closed.jaxpr.outvars if not hasattr(var, "val")}
        count = len(run.boxes)
        used = [var in read for var in closed.jaxpr.invars[count:]]
        self.closed = closed
        self.captured = [slot for slot, u in zip(run.captured, used, strict=True) if u]
        self.written, self.settled, self.marked = run.written, run.settled, run.marked
        self.fails = any(deferred_errors.is_error_box(slot.box) for slot, _ in run.written)
        self.cells = list(run.frame.cells.values())
        self.open, self.decided = run.open, run.decided
        self.decisions = list((run.frame.decisions or {}).values())
        self.out_tree, self.statics, self.order = run.out_tree, run.statics, run.order
        self.numbers, self.dialects, self.texts = run.numbers, run.dialects, run.texts
        self.journal = run.journal
        self.aliases = run.reach is not None and run.reach.aliases
        self.takes = run.reach is not None and run.reach.takes
        self.guards = [] if run.reach is None else run.reach.guards({id(slot.box) for slot in self.captured})
        # A constant that is a tracer belongs to the trace around: the program is worthless after that.
        self.reusable = not any(isinstance(c, Tracer) for c in closed.consts)
        self.takes_parameters = any(isinstance(box, Parameter) for box in run.boxes)
        self._standins = {id(box): i for i, box in enumerate(run.boxes)}
        self._boxes = run.boxes  # keeps the ids above valid
        self._ids = {id(slot.box) for slot in self.captured} | {id(slot.box) for slot, _ in self.written}
        self._keep = [True] * count + used
        self._call = jax.extend.core.jaxpr_as_fun(closed)
        self._opens = integer_gradients.opens(closed.jaxpr)
        self._recorded: dict[tuple[bool, ...], list[bool]] = {}

    def fn(self, *values: jax.Array) -> list[jax.Array]:
        """Call the pure function with arrays for arguments and captured slots; unused captures are left out."""
        if self._opens:
            integer_gradients.note_opening()
        return self._call(*self.full(values))

    def full(self, values: Sequence[jax.Array]) -> list[jax.Array]:
        """Expand the inputs of `fn` to those of `closed`, with zeros for captures that are unused."""
        given = iter(values)
        return [
            next(given) if keep else jnp.zeros(aval.shape, aval.dtype)
            for keep, aval in zip(self._keep, self.closed.in_avals, strict=True)
        ]

    def find_recorded(self, mask: tuple[bool, ...]) -> list[bool]:
        """Return for each array that `fn` returns whether it is on the tape, where the inputs in `mask` are."""
        found = self._recorded.get(mask)
        if found is None:
            jaxpr = self.closed.jaxpr
            inputs = itertools.compress(itertools.compress(jaxpr.invars, self._keep), mask)
            found = self._recorded[mask] = find_differentiable_outputs(jaxpr, inputs)
        return found

    def owner(self, slot: Slot, arguments: Sequence[Tensor]) -> Tensor:
        """Return the box of a slot: its own, or the argument that takes its place in this call."""
        i = self._standins.get(id(slot.box))
        return slot.box if i is None else arguments[i]

    def argument(self, slot: Slot) -> int | None:
        """Return the index of the argument whose value a slot is, or None."""
        return self._standins.get(id(slot.box)) if slot.kind == "value" else None

    def read(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """Return the boxes that hold the captured values now."""
        return [Slot(self.owner(slot, arguments), slot.kind).read() for slot in self.captured]

    def describe_aliasing(self, arguments: Sequence[Tensor]) -> tuple | None:
        """Describe how arguments share memory with each other or with captures, if the function writes to any of it."""
        # Shared memory that is only read is like two separate arrays; but gradients by an argument that is a Parameter are
        # those of the network that has it.
        if not self.written and not self.takes_parameters:
            return None
        return describe_shared_memory(arguments, self._ids)

    @property
    def outcome(self) -> int:
        """Index, among the arrays that `fn` returns, of the one that is not 0 if the function raises."""
        present = [slot for slot, there in self.written if there]
        return self.outputs + next(
            n for n, slot in enumerate(present) if deferred_errors.is_error_box(slot.box)
        )

    @property
    def outputs(self) -> int:
        """Number of arrays that `fn` returns as outputs, before the written ones."""
        return sum(static is DYNAMIC for static in self.statics)

    def commit(
        self, results: Sequence[Var], arguments: Sequence[Tensor], donated: Collection[object] | None = None
    ) -> Sequence[object]:
        """Write the results of a call back to the boxes; return the outputs, each a Tensor or a static value.

        Args:
            results: what `fn` returned, each with its tape reference.
            arguments: the Tensors among the arguments of the call.
            donated: keys of the slots whose old arrays the program has overwritten. Given only for results that nobody
                else holds: the boxes then own them.
        """
        each = iter(results)
        outputs = [wrap(*next(each)) if static is DYNAMIC else static for static in self.statics]
        # A program cannot raise in its middle: it computes everything and says at the end that it failed. Nothing of
        # what it wrote may reach a box then
        # (test_deferred_errors.test_a_step_that_raises_when_it_runs_leaves_its_state). Donated memory is gone even so:
        # those boxes get the result, in which the program itself has put the old content back (`Entry._split`). In a
        # trace around this one the outcome is not known yet; the outermost call decides.
        failed = self.fails and state.frame is None and bool(results[self.outcome][0])
        for slot, present in self.written:
            result = next(each) if present else None
            if failed and slot.key not in (donated or ()) and not deferred_errors.is_error_box(slot.box):
                continue
            if result is not None and result[1] is not None and slot.key in self.settled:
                result = (result[0], None)
            put_back(self.owner(slot, arguments), slot.kind, result, owned=donated is not None)
        if not failed:
            for box, flag in self.marked:
                self.owner(Slot(box), arguments)._mark(flag)
        return outputs

    def finish(self, results: Sequence[Var], arguments: Sequence[Tensor], given: object = None) -> Any:
        """Commit the results of a call that was an operator of the tape; return the function's return value."""
        outputs = self.commit(results, arguments)
        if self.fails:
            deferred_errors.raise_reported()
        return self.deliver(outputs, given)

    def deliver(self, outputs: Sequence[object], given: object = None) -> Any:
        """Perform the side effects on Python objects; return the function's return value.

        Args:
            outputs: what `commit` returned.
            given: (args, kwargs) of the call, for a compiled function.
        """
        out = self.rebuild(outputs)
        if self.texts:
            out = deferred_text.resolve_texts(out)
        if self.aliases:
            out = side_effects.resolve_aliases(out, given)
        if self.journal:
            out, contents = out
            for write, content in zip(self.journal, contents, strict=True):
                write.perform(content)
        return out

    def rebuild(self, outputs: Sequence[object]) -> Any:
        """Rebuild the function's return value around other leaves; if there is a journal, a pair with its contents."""
        if self.numbers:
            outputs = scalar_inputs.convert_results(outputs, self.numbers)
        if self.dialects:
            outputs = [in_dialect(x, self.dialects.get(i, Tensor)) for i, x in enumerate(outputs)]
        return ordered_trees.reorder(jax.tree.unflatten(self.out_tree, outputs), self.order)


def describe_shared_memory(arguments: Sequence[Tensor], others: set[int]) -> tuple | None:
    """Describe, for each argument that shares memory, its box and lenses; None if no argument shares memory.

    Args:
        arguments: the Tensors of a call.
        others: ids of captured and written boxes.
    """
    under = [id(box if box._view is None else root(box)) for box in arguments]
    if any(type(box._view) is Choice for box in arguments if box._view is not None):
        return tuple([(tuple(map(id, roots(box))), *_path(box)) for box in arguments])
    # Nearly always nothing is shared, and this check runs in every call.
    if others.isdisjoint(under) and len(set(under)) == len(under):
        return None
    shared = [r in others or under.count(r) > 1 for r in under]
    return tuple(
        [(r, *_path(box)) if s else None for r, s, box in zip(under, shared, arguments, strict=True)]
    )


def _path(box: Tensor) -> Iterator[tuple[bool, tuple]]:
    """Yield the lenses from a box down to its root, by ids that hold as long as the views do."""
    while is_lens_view(box):
        yield box._view.detached, box._view.lens.key()  # type: ignore[union-attr]
        box = box._view.base  # type: ignore[union-attr]


def put_back(owner: Tensor, kind: str, result: Var | None, owned: bool = False) -> None:
    """Store a written result in its box, or in the box's `.grad`; `owned` if nobody else holds the array."""
    if kind == "value":
        if owned and owner._view is None:
            # The box may hold the result of a recorded step; the new value comes from no recorded one.
            if owner._node is not None and not isinstance(owner._node[0], Leaf):
                owner._node = None
            owner._version += 1  # first: the box may be empty (`core/jit/joint_state.py`)
            owner._value = result[0]  # type: ignore[index]
            owner._joint = None
            world.touched += 1
            owner._owned = True
        else:
            # Only `leave_arguments` lets an inner trace write a choice itself: it is one no more.
            if type(owner._view) is Choice:
                resolve(owner)._view = None
            owner._assign(*result)  # type: ignore[misc]
        return
    owner = resolve(owner)
    if result is None:
        owner._grad = None
        return
    if owner._grad is None:
        owner._grad = wrap(*result)
    else:
        owner._grad._assign(*result)
    if owned:
        owner._grad._owned = True


def value_of(slot: Slot) -> np.ndarray | None:
    """Return the value of a slot in the current frame as a NumPy array, or None if it is not known."""
    try:
        value = slot.read()._value
    except LookupError:
        return None
    if isinstance(value, Tracer):
        value = None if state.known is None else state.known.value(value)
    return None if value is None else np.asarray(value)


class _Dynamic:
    """Type of the marker of an output that is an array."""


DYNAMIC = _Dynamic()


class _Run:
    """One run of a function under a frame, as `jax.make_jaxpr` calls it, and what it left there."""

    def __init__(
        self,
        fn: Callable,
        args: tuple[tuple, dict[str, object]],
        boxes: list[Tensor],
        captured: list[Slot],
        known: Sequence[jax.Array | None],
        effects: bool,
        detaches: bool,
    ) -> None:
        self.fn, self.args, self.boxes, self.captured = fn, args, boxes, captured
        # The values that arguments and captured slots have, None for those that differ inside.
        self.known = known
        self.effects, self.detaches = effects, detaches
        self.reach: side_effects.SideEffects | None = None

    def __call__(self, *values: jax.Array) -> list[jax.Array]:
        frame = self.frame = Frame(state.frame)
        if self.detaches:
            args, kwargs = self.args
            frame.detaches, frame.graph = True, self.effects
            frame.arguments = self.boxes
            frame.direct = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, Tensor)]
        # In a trace around this one a box may have another value, of which nothing is known.
        if self.effects and frame.outer is None:
            frame.decisions = {}
        slots = [*(Slot(box) for box in self.boxes), *self.captured]
        for slot, value, known in zip(slots, values, self.known, strict=True):
            frame.inputs[slot.key] = value
            # Where a captured box belongs to a frame further out, the frame around reads it through its shadow: the
            # input must be found under both identities.
            if slot.box._home is not frame.outer:
                frame.inputs[slot.place] = value
            if state.known is not None:
                state.known.record_given(value, outside_of(slot, known))
        # A trace starts with no `grad` of its own: what is recorded inside must not be undone, or watched, by the scope
        # outside. The frame stays set while results are resolved, because they live in it. Hooks on saved tensors of eager
        # code get what the whole call saves, never tracers.
        packing = None if frame.outer is None else state.packing
        with override_state(frame=frame, scope=None, watch=None, effects=self.effects, packing=packing):
            args, kwargs = self.args
            journal: list[Any] = []
            if self.effects:
                out, journal = self._call_with_effects(*args, **kwargs)
            else:
                out = conversion.convert_callback(self.fn)(*args, **kwargs)
            # Nothing but data is flattened: what is done with the contents stands in the journal.
            self.journal = [write for write, _ in journal]
            if journal:
                out = out, [content for _, content in journal]
            out = ordered_trees.sortable(out)
            leaves, self.out_tree = jax.tree.flatten(out, is_leaf=is_tensor)
            self.order, self.texts = ordered_trees.order(out), deferred_text.contains_texts(out)
            self.numbers = [i for i, x in enumerate(leaves) if type(x) is scalar_inputs.Number]
            self.dialects = {
                i: x._dialect
                for i, x in enumerate(leaves)
                if isinstance(x, Tensor) and x._dialect is not Tensor
            }
            self.statics = [DYNAMIC if isinstance(x, Tensor | jax.Array) else x for x in leaves]
            boxes = [
                resolve(x) if isinstance(x, Tensor) else wrap(x)
                for x in leaves
                if isinstance(x, Tensor | jax.Array)
            ]
            self.written = []
            self.settled = set()
            for slot, box in frame.list_written():
                if box is not None and _is_unchanged(frame, slot, resolve(box)):
                    continue
                self.written.append((slot, box is not None))
                if box is not None:
                    boxes.append(resolve(box))
                    if _is_settled(slot, boxes[-1]):
                        self.settled.add(slot.key)
            self.marked = frame.list_marked()
            self.decided = _decided_slots(slots, values)
            self.open = any(_open(node_of(box)) for box in boxes)
        return [box._value for box in boxes]

    def _call_with_effects(
        self, *args: object, **kwargs: object
    ) -> tuple[object, list[tuple[Write, object]]]:
        """Call the function; return its result and its side effects on attributes and containers, which are undone here."""
        reach = self.reach = side_effects.SideEffects(self.fn, (args, kwargs))
        try:
            try:
                out = conversion.convert_callback(self.fn)(*args, **kwargs)
            except deferred_errors.StopTracing:
                out = None
            out = cell_attributes.materialize_iterators(reach.referring(out))
            out, attributes = cell_attributes.journal(self.frame, out)
            return out, [*attributes, *reach.journal()]
        finally:
            # Undone even without an error: tracing must have no effect. The effects are results of the program, and happen
            # at each call (test_cell_attributes.test_what_is_assigned_takes_effect_at_each_call).
            cell_attributes.restore(self.frame)
            reach.restore()


def _is_unchanged(frame: Frame, slot: Slot, box: Tensor) -> bool:
    """Return True if a written box holds the very value that was read from it: it is no output then."""
    if slot.kind != "value" or box._value is not frame.inputs.get(slot.key):
        return False
    return box._node is None or owns_leaf(box)


def _is_settled(slot: Slot, box: Tensor) -> bool:
    """Return True if a written box is still a leaf, or is the `.grad` of one and off the tape."""
    if slot.kind == "grad":
        return node_of(box) is None
    return owns_leaf(box) or (
        node_of(box) is None and state.mode == ENABLED and getattr(box, "_trainable", False)
    )


def _decided_slots(slots: Sequence[Slot], values: Sequence[jax.Array]) -> list[tuple[Slot, np.ndarray]]:
    """List the slots whose values were asked for, with those values."""
    known = state.known
    if known is None:
        return []
    pairs = zip(slots, values, strict=True)
    return [(slot, np.asarray(known.value(value))) for slot, value in pairs if known.uses(value)]


def _open(ref: Ref | None) -> bool:
    return ref is not None and not isinstance(ref[0], Leaf) and not ref[0].is_released()


def trace(
    fn: Callable,
    args: tuple,
    kwargs: dict[str, object],
    avals: Sequence[jax.ShapeDtypeStruct | jax.Array] | None = None,
    guess: Iterable[Slot] = (),
    same_values: bool = False,
    effects: bool = False,
    detaches: bool = False,
    differentiable: bool = False,
) -> Traced:
    """Trace a function over boxes; in its AutoGraph-converted form if it needs values that are not known.

    If that does not help, the program is specialized for the values of small arguments and captured Tensors; see
    `known_values`. Where arguments share memory with each other or with what is captured, and the function writes to
    any of it, it is run again with boxes that share it too.

    Args:
        fn: takes and returns any nesting of lists, tuples and dicts with Tensors in it.
        args: its arguments. It is called with stand-ins for the Tensors among them, so that a Tensor which it also
            reads in another way, say as a Parameter of a Cell, is told apart.
        kwargs: its keyword arguments.
        avals: shape and dtype that each Tensor among the arguments has inside. Default: its own.
        guess: slots that it will probably read; one that is read and not guessed costs a second run.
        same_values: True if the Tensors among the arguments have the values inside that they have outside. Those with
            another shape inside, which `vmap` maps, never do.
        effects: True for a compiled function, which may raise by its program and change attributes of Cells, lists and
            dicts: all that happens at each call (`Traced.deliver`).
        detaches: True if `x[i] = y` changes only the function's own variable `x`, not the caller's Tensor.
        differentiable: True if JAX will differentiate the pure function: then it is traced with gradients even under
            `no_grad`, which would make them zero.

    Returns:
        The traced function.

    Raises:
        NeedsValue: if it needs a value that is not known.
        RuntimeError: if every run reads boxes that the one before did not.
        ValueError: if memory is shared and written, but an argument has another shape inside.
    """
    if differentiable:
        with override_state(mode=DEFAULT):
            return trace(fn, args, kwargs, avals, guess, same_values, effects, detaches)
    guess = list(guess)
    once = functools.partial(
        _trace, fn, args, kwargs, avals, same_values=same_values, effects=effects, detaches=detaches
    )
    run = functools.partial(_trace_shared, fn, args, kwargs, avals, guess, once)
    # Values decide only at the outermost level and where arguments have them: under vmap a value differs by lane.
    specializes = same_values and avals is None and state.frame is None and state.specializes
    # Only the outermost trace replaces `print`, for all those inside of it.
    with deferred_text.printing_deferred() if state.frame is None else contextlib.nullcontext():
        return run_by_strategy(fn, run, specializes)


class _Strategy(enum.IntEnum):
    """Ways to trace a function, in the order of trying: each makes more functions traceable, at a price."""

    AS_IS = 0  # most need no conversion, and Python's own `if` over constants costs nothing in the program
    CONVERTED = 1  # by AutoGraph
    SPECIALIZED = 2  # converted, for the values of small arguments where these are asked for
    SPECIALIZED_EVERYWHERE = 3  # these values decide every condition that they can, which makes more programs

    def fallback_after(self, error: Exception) -> "_Strategy | None":
        """Return the strategy that may help where this one ended with an error, or None."""
        if self is _Strategy.AS_IS:
            # Dicts have `has_key` in MindSpore's compiled functions.
            missing = isinstance(error, AttributeError) and error.name == "has_key"
            return _Strategy.CONVERTED if missing or isinstance(error, NeedsValue) else None
        if isinstance(error, NeedsValue):
            return _Strategy.SPECIALIZED if self is _Strategy.CONVERTED else None
        # A recursion ends, and branches leave different things, by a condition that must be known.
        recursive = isinstance(error, RecursionError) and self is _Strategy.CONVERTED
        if self < _Strategy.SPECIALIZED_EVERYWHERE and (recursive or getattr(error, "by_value", False)):
            return _Strategy.SPECIALIZED_EVERYWHERE
        return None


def run_by_strategy(fn: Callable, run: Callable[[], ResultT], specializes: bool = False) -> ResultT:
    """Trace with the first strategy that succeeds; only the first two, unless the program may be specialized.

    Args:
        fn: function that is traced. What is known of it from earlier traces decides which strategy comes first.
        run: traces it, and is called once for each strategy that is tried.
        specializes: True if the program may be specialized for values.

    Returns:
        The result of `run`.
    """
    if state.converting:
        return run()
    # A function that needed a strategy once is marked, so that later traces begin with it.
    strategy = _Strategy.AS_IS
    if conversion.needs_conversion(fn):
        by_value = specializes and conversion.needs_conversion(fn, values=True)
        strategy = _Strategy.SPECIALIZED if by_value else _Strategy.CONVERTED
    while True:
        known = state.known
        if strategy >= _Strategy.SPECIALIZED:
            known = KnownValues(everywhere=strategy is _Strategy.SPECIALIZED_EVERYWHERE)
        try:
            with override_state(converting=strategy is not _Strategy.AS_IS, known=known, unmet=None):
                result = run()
                if state.unmet is not None:  # a user's `except` caught it
                    raise NeedsValue(state.unmet)
                return result
        except Exception as error:
            following = strategy.fallback_after(error)
            if following is None or (following > _Strategy.CONVERTED and not specializes):
                if isinstance(error, NeedsValue):
                    conversion.note_reason(error)
                raise
        if following is not _Strategy.SPECIALIZED_EVERYWHERE:
            conversion.mark_for_conversion(fn, values=following is _Strategy.SPECIALIZED)
        strategy = following


def _trace_shared(
    fn: Callable,
    args: tuple,
    kwargs: dict[str, object],
    avals: Sequence[jax.ShapeDtypeStruct | jax.Array] | None,
    guess: Iterable[Slot],
    once: Callable[[Iterable[Slot], Callable[[Tensor], Tensor]], Traced],
) -> Traced:
    """Trace with unrelated boxes in place of the arguments; again with related ones, if memory is shared and written."""
    arguments = [leaf for leaf in jax.tree.leaves((args, kwargs), is_leaf=is_tensor) if is_tensor(leaf)]
    traced = once(guess, _standin)
    if traced.describe_aliasing(arguments) is None:
        return traced
    # Under vmap the mapped argument has another shape inside than the memory it shares, so no view of it exists there.
    if avals is not None and any(box.shape != aval.shape for box, aval in zip(arguments, avals, strict=True)):
        raise ValueError(
            f"`{getattr(fn, '__name__', fn)}` changes a Tensor in place while another argument, or a Tensor that it reads "
            "from outside, shares memory with it. Under vmap that has no meaning: pass a copy of one of them."
        )
    return once([*guess, *traced.captured], _link_box)


def _trace(
    fn: Callable,
    args: tuple,
    kwargs: dict[str, object],
    avals: Sequence[jax.ShapeDtypeStruct | jax.Array] | None,
    guess: Iterable[Slot],
    standin: Callable[[Tensor], Tensor],
    *,
    same_values: bool,
    effects: bool,
    detaches: bool,
) -> Traced:
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=is_tensor)
    boxes = [leaf for leaf in leaves if is_tensor(leaf)]
    scalar_inputs.require_conversion(boxes)
    standins = [standin(box) for box in boxes]
    each = iter(standins)
    inside = jax.tree.unflatten(tree, [next(each) if is_tensor(leaf) else leaf for leaf in leaves])
    outside, (args, kwargs) = (
        (args, kwargs),
        ordered_trees.reorder(inside, ordered_trees.order((args, kwargs))),
    )
    constants = (
        _constants(outside, (args, kwargs)) if state.graph and state.frame is None else state.constants
    )
    given = [resolve(box)._value for box in boxes] if avals is None else avals
    # By key: the same slot may be guessed twice, and each becomes one input.
    captured = list({slot.key: slot for slot in guess}.values())
    for _ in range(_MOST_TRACES):
        read = [slot.read()._value for slot in captured]
        outer = [resolve(box)._value for box in boxes]
        values = [*given, *read]
        known = [v if same_values and v.shape == g.shape else None for v, g in zip(outer, given, strict=True)]
        run = _Run(fn, (args, kwargs), standins, captured, [*known, *read], effects, detaches)
        # The function runs here. Reads that nobody expected become inputs of the next run; the result of this one,
        # with the values as constants, would be wrong after the next change of such a box.
        with override_state(constants=constants), _engine_hidden():
            closed = jax.make_jaxpr(run)(*[jax.ShapeDtypeStruct(v.shape, v.dtype) for v in values])
        if not run.frame.missing:
            return Traced(closed, run)
        captured = captured + run.frame.missing
    raise RuntimeError(
        f"`{getattr(fn, '__name__', fn)}` read new Tensors in each of {_MOST_TRACES} runs, so it cannot be compiled or "
        f"transformed. The last new ones: {[slot.box.shape for slot in run.frame.missing]}. Pass them as arguments."
    )


@contextlib.contextmanager
def _engine_hidden() -> Iterator[None]:
    """Show the user's frames in an exception of the user's function, without the engine's and without JAX's note."""
    try:
        yield
    except Exception as error:
        hide_engine(error)
        raise


def _constants(outside: tuple, inside: tuple) -> frozenset[int]:
    """Return the ids of the stand-ins in containers that are not `mutable`: MindSpore has no gradients by these."""
    (args, kwargs), (inner_args, inner_kwargs) = outside, inside
    pairs = [*zip(args, inner_args, strict=True), *((kwargs[name], inner_kwargs[name]) for name in kwargs)]
    plain = [inner for outer, inner in pairs if type(outer) in (tuple, list, dict)]
    return frozenset(map(id, tensors_in(plain))) if plain else frozenset()


def _standin(box: Tensor) -> Tensor:
    """Return a box with the content of this one, and unrelated to it."""
    before = resolve(box)
    made: Any = object.__new__(type(box))
    if type(box) is not Tensor or "_hooks" in box.__dict__:
        # Its attributes are those of the original object: a Parameter's name, a hook, a mark of the user's.
        made.__dict__ = box.__dict__
    fill(made, before._value, state.frame)
    made._grad = before._grad
    if (node := before._node) is not None and isinstance(node[0], Leaf) and node[0].owner is not None:
        mark_leaf(made, type(node[0]))
    return made


def _link_box(box: Tensor) -> Tensor:
    # A Parameter is found by identity among those of a network.
    return box if isinstance(box, Parameter) else alias(box, None)
