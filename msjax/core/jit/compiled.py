"""A compiled function: one XLA program for each kind of call, found again by a cheap guard."""

import functools
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from msjax.core import ordered_trees
from msjax.core.jit import (
    compile_progress,
    execution,
    fast_call,
    input_specs,
    placement,
    recompile_log,
    spread,
)
from msjax.core.jit.program import Entry, Specialised
from msjax.core.op.op import values_and_refs
from msjax.core.op.static_args import with_type
from msjax.core.state import ENABLED, NO_GRAD, generation, override_state, state
from msjax.core.tape import nodes
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.tensor import Tensor, node_of, resolve
from msjax.core.trace import captures, trace
from msjax.core.trace.stateful import Stateful
from msjax.core.xla import compiler_options
from msjax.core.xla.collectives import world

_MANY_VALUES = 16  # programs that differ in values alone after which there is a warning
_MOST_VALUES = 64  # and how many of these are kept
_MOST_CONTENTS = 8  # programs for certain contents of lists and dicts outside that are kept


class MissingKeyError(KeyError, ValueError):
    """KeyError raised by a compiled function; also a ValueError, as in MindSpore."""


class ZeroDivisorError(ZeroDivisionError, ValueError):
    """ZeroDivisionError raised by a compiled function; also a ValueError, as in MindSpore."""


_OF_BOTH_KINDS: dict[type[Exception], type[Exception]] = {
    KeyError: MissingKeyError,
    ZeroDivisionError: ZeroDivisorError,
}


class Compiled:
    """Compiled function, as returned by `jit`; call it like the original."""

    # Whether `x[i] = y` leaves the caller's Tensor alone, as in MindSpore's graph mode.
    _detaches = True

    def __init__(self, fn: Callable, reads: Callable[[], object] | None = None) -> None:
        self._fn = fn
        # Returns the function whose closure tells what is captured, if that is not `fn` itself.
        self._reads = reads
        self._name = getattr(fn, "__name__", type(fn).__name__)
        self._entries: dict[Any, list[Entry]] = {}
        self._last: fast_call.FastCall | None = None
        self.cell: Any = None  # the Cell that it is, if it is one
        self._cells: tuple[int, list[Any]] = (
            -1,
            [],
        )  # that Cell and those in it, for a count of `generation`
        functools.update_wrapper(self, fn, updated=())

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<compiled {self._fn!r}>"

    @property
    def programs(self) -> int:
        """Number of programs that have been compiled."""
        return sum(map(len, self._entries.values()))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the program for these arguments, compiling it if there is none."""
        if world.size > 1 and state.frame is None:
            args, kwargs = self._spread_arguments(args, kwargs)
        # Fast path first: a training loop repeats the same call. It halved the Python time of a call (`fast_call`).
        if self._last is not None and not kwargs and (out := self._last.call(args)) is not fast_call.MISSED:
            return out
        given = args, kwargs
        entry, args, kwargs, arguments, key = self._find(args, kwargs)
        if entry is not None:
            return self._run(entry, given, arguments, None if kwargs else args)
        # Compiling allocates so much that Python's cycle collector would take a tenth of the time.
        with (
            compiler_options.garbage_collection_paused(),
            compile_progress.CompileProgress(self._fn, arguments),
        ):
            entry = self._compile(args, kwargs, arguments, key)
            return self._run(entry, given, arguments, None if kwargs else args)

    def lower(self, *args: object, **kwargs: object) -> jax.stages.Lowered:
        """Return the program for these arguments before XLA compiles it; nothing is run."""
        return self._lower(args, kwargs)[1]

    def prepare(self, *args: object, **kwargs: object) -> Entry:
        """Compile the program for these arguments, and put its state where that wants it; nothing is run."""
        entry, lowered = self._lower(args, kwargs)
        lowered.compile()
        if isinstance(entry.joint, spread.SpreadState):
            entry.joint.settle(*entry.boxes)
        return entry

    def _lower(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Entry, jax.stages.Lowered]:
        if world.size > 1 and state.frame is None:
            args, kwargs = self._spread_arguments(args, kwargs)
        if (
            state.target is not None and self._entries
        ):  # a program for other devices is not kept among those for these
            made = Compiled(self._fn, self._reads)
            made._detaches = self._detaches
            return made._lower(args, kwargs)
        entry, args, kwargs, arguments, key = self._find(args, kwargs)
        if entry is None:
            entry = self._compile(args, kwargs, arguments, key)
            if state.target is not None:
                self._entries.clear()
        return entry, execution.lower(entry, arguments)

    def _spread_arguments(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Return the arguments, as arrays of all processes if the program's arrays lie on all of them."""
        if self._cells[0] != generation.count:
            cell = self.cell or getattr(self._fn, "__self__", None)
            walk = getattr(cell, "cells_and_names", None)
            self._cells = generation.count, [each for _, each in walk()] if walk is not None else []
        where = placement.of_program(self._cells[1])
        return (args, kwargs) if where is None else spread.spread_arguments(where, (args, kwargs))

    def _find(
        self, args: tuple, kwargs: dict[str, object]
    ) -> tuple[Entry | None, tuple, dict, list[Tensor], tuple]:
        """Return the program for these arguments, or None; the arguments, the Tensors among them, and their key."""
        try:
            leaves, tree = _flatten_call(args, kwargs)
        except ValueError:  # dicts with keys that cannot be sorted
            args, kwargs = ordered_trees.sortable((args, kwargs))
            leaves, tree = _flatten_call(args, kwargs)
        # Numbers marked `mutable` become 0-d Tensors, inputs of the program; the key says which they were, because a number
        # and a Tensor promote differently.
        if not scalar_inputs.KINDS.isdisjoint(map(type, leaves)):
            leaves = [
                scalar_inputs.box_number(leaf) if type(leaf) in scalar_inputs.KINDS else leaf
                for leaf in leaves
            ]
            given = args, kwargs
            args, kwargs = ordered_trees.reorder(jax.tree.unflatten(tree, leaves), ordered_trees.order(given))
            args = tuple(map(scalar_inputs.mark_container, args, given[0]))
            kwargs = {name: scalar_inputs.mark_container(kwargs[name], given[1][name]) for name in kwargs}
            tree = tree, *[type(leaf) is scalar_inputs.Number for leaf in leaves]
        arguments = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        # Shapes, dtypes and static values are in the key; state of Cells, memory that is shared, values are not, and are
        # compared one program at a time. There is seldom more than one per key.
        key = (tree, *[_key(leaf) for leaf in leaves])
        for entry in self._entries.get(key, ()):
            if entry.fits(arguments):
                return entry, args, kwargs, arguments, key
        return None, args, kwargs, arguments, key

    def _run(self, entry: Entry, given: tuple, arguments: list[Tensor], positional: tuple | None) -> Any:
        call = _record_call if _must_record(entry, arguments) else execution.run
        out = call(entry, arguments, given)
        if positional is None or not fast_call.can_repeat(entry, positional):
            self._last = None
        # Reset rather than keep: a fast path for another program would be tried, and missed, in every call.
        elif self._last is None or self._last.entry is not entry:
            self._last = fast_call.FastCall(entry, positional)
        # The callbacks of `print` run in threads of XLA's; wait, so that text appears before the call returns.
        if entry.prints and state.frame is None:
            jax.effects_barrier()
        return out

    def _compile(self, args: tuple, kwargs: dict, arguments: list[Tensor], key: tuple) -> Entry:
        fn = self._fn
        input_specs.check_call(fn, self, args, kwargs)
        recompile_log.report_compilation(self, fn, key, args, kwargs, arguments)
        slots = captures.guess_captures(fn if self._reads is None else self._reads(), (args, kwargs))
        try:
            with override_state(graph=True):
                traced = trace.trace(
                    fn, args, kwargs, None, slots, same_values=True, effects=True, detaches=self._detaches
                )
        # MindSpore raises ValueError for a missing key and for a number divided by 0 in a compiled function, Python other
        # errors: this is both (test_deferred_errors.test_a_key_that_a_dict_lacks_is_both_of_pythons_and_of_mindspores_kind).
        except (KeyError, ZeroDivisionError) as error:
            kind = _OF_BOTH_KINDS.get(type(error))
            if kind is None:
                raise
            raise kind(*error.args).with_traceback(error.__traceback__) from error.__cause__
        for cell in _given_cells(fn, (args, kwargs)):
            cell._record_use()
            traced.cells.append(cell)
        entry = (Specialised if traced.decided else Entry)(traced, self._name, arguments)
        # What holds tracers of a trace around is used once, and not kept.
        if traced.reusable:
            kept = self._entries.setdefault(key, [])
            kept.append(entry)
            # A list that changes in every call would otherwise keep a program for each content it ever had.
            if len(guarded := [known for known in kept if known.guards]) > _MOST_CONTENTS:
                kept.remove(guarded[0])
            if traced.decided:
                self._bound_programs(recompile_log.name_deciding_values(fn, entry, args, kwargs, arguments))
        return entry

    def _bound_programs(self, names: list[str]) -> None:
        """Bound the number of specialized programs, and warn when every call seems to make one."""
        special = [
            (kept, entry) for kept in self._entries.values() for entry in kept if type(entry) is Specialised
        ]
        if len(special) == _MANY_VALUES:
            recompile_log.warn_many_values(self._name, names, _MANY_VALUES, _MOST_VALUES)
        if len(special) > _MOST_VALUES:
            kept, oldest = special[0]
            kept.remove(oldest)


@functools.lru_cache(64)
def _flat_tree(count: int) -> object:
    return jax.tree.structure(((0,) * count, {}))


def _flatten_call(args: tuple, kwargs: dict) -> tuple[list | tuple, object]:
    """Flatten a call's arguments to leaves and tree; arguments that are all Tensors need no look into containers."""
    if not kwargs:
        for arg in args:
            if not isinstance(arg, Tensor):
                break
        else:
            return args, _flat_tree(len(args))
    return jax.tree.flatten((args, kwargs), is_leaf=trace.is_tensor)


def _given_cells(fn: Callable, args: object) -> list[Stateful]:
    """List the Cells that a program depends on without calling them: its `self`, and arguments."""
    things = [getattr(fn, "__self__", None), *jax.tree.leaves(args, is_leaf=trace.is_tensor)]
    return [thing for thing in things if isinstance(thing, Stateful)]


def _must_record(entry: Entry, arguments: list[Tensor]) -> bool:
    """Return True if the call is part of a trace, or of something that will be differentiated."""
    if state.frame is not None or state.scope is not None or state.mode == ENABLED:
        return True
    # `entry.inner`: a captured Tensor is the result of a recorded step, so its graph goes on behind this program.
    open_ = entry.traced.open and state.mode != NO_GRAD
    if (entry.leaves and open_) or (entry.inner and state.mode != NO_GRAD):
        return True
    for leaf in arguments:
        box = leaf if leaf._home is None and leaf._view is None else resolve(leaf)
        node = None if box._node is None else node_of(box)
        if node is not None and (open_ or not isinstance(node[0], nodes.Leaf)):
            return True
    return False


def _record_call(entry: Entry, arguments: list[Tensor], call: object) -> Any:
    """Call the program as an operator of whatever records or traces around it."""
    if isinstance(entry.joint, spread.SpreadState):
        raise NotImplementedError(
            f"`{entry.program.name}`: a program whose arrays lie on several processes cannot be differentiated from "
            "outside. Compile the whole training step."
        )
    # The trace around must depend on the same Cells, or it would miss a change of their flags.
    if state.frame is not None:
        for cell in entry.traced.cells:
            cell._record_use()
    values, refs = values_and_refs([*arguments, *entry.traced.read(arguments)])
    out, node = nodes.execute(entry.program, values, refs)
    found = nodes.variables(out, node)
    if node is not None:
        # What was detached, or computed under `no_grad` as moving averages are, is not on the tape: as an input of the next
        # call it would lead to all the calls before.
        recorded = entry.traced.find_recorded(node.mask)
        found = [var if on_tape else (var[0], None) for var, on_tape in zip(found, recorded, strict=True)]
    return entry.traced.finish(found, arguments, call)


def _key(leaf: object) -> object:
    """Return the part of the cache key for one argument: shape and dtype of a Tensor, the value of anything else."""
    if isinstance(leaf, Tensor):
        box = leaf if leaf._view is None and leaf._home is state.frame else resolve(leaf)
        value, (node, _) = box._value, box._node or (None, 0)
        aval = value.aval
        if generation.hooked and (hooks := leaf.__dict__.get("_hooks")):
            return aval.shape, aval.dtype, box._grad is None, *map(_Same, hooks.values())
        # For a leaf, whether it has a `.grad` decides what `backward` inside of the program writes.
        if not isinstance(node, nodes.Leaf) or node.owner is None:
            return aval.shape, aval.dtype
        return aval.shape, aval.dtype, box._grad is None
    if isinstance(leaf, np.ndarray):
        return np.ndarray, leaf.shape, leaf.dtype, leaf.tobytes()
    try:
        hash(leaf)
    except TypeError:
        # By identity: an object without a hash may change, and equality would ask it every time.
        return _Same(leaf)
    return with_type(leaf)


class _Same:
    """Key of an unhashable object, which is equal to itself alone."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing
