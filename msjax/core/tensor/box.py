"""The mutable box under every Tensor: an array, or a view of another box, and a reference to the tape.

What happens to a box is looked up in the current frame (see `trace`) and kept there. There are two ways to write one:
`Box._assign`, for the result of an operator, and `set_value`, for new values in a box that keeps its tape reference.
"""

import contextlib
import functools
import sys
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.bounded_cache import keep
from msjax.core.state import DEFAULT, ENABLED, NO_GRAD, invalidate_guards, override_state, state
from msjax.core.tape import nodes, pullbacks
from msjax.core.tensor.view_strides import Geometry, contiguous_geometry
from msjax.core.xla import collectives, shapes_only

BoxT = TypeVar("BoxT", bound="Box")

_NOT_THE_USER = (__name__.partition(".")[0] + ".", "jax.")


class Lens:
    """Get/put pair of a view: how it reads its base and how a write to it reaches the base. This one is the identity."""

    __slots__ = ()

    def read(self, base: nodes.Var) -> nodes.Var:
        """Compute the view's variable from its base's (get)."""
        return base

    def write(self, base: nodes.Var, changed: nodes.Var) -> nodes.Var:
        """Compute the base's new variable from the changed view's (put)."""
        return changed

    def key(self) -> tuple:
        """Return a key of the lens, by ids that are valid as long as it lives."""
        return ()

    def strides_key(self) -> object:
        """Return a cache key, equal for lenses with the same strides and any offset (see `is_copy`)."""
        return type(self)

    def arrays(self) -> Sequence[jax.Array]:
        """Return the arrays beside the base that decide what is shown, such as an index."""
        return ()

    def with_arrays(self, arrays: Sequence[jax.Array]) -> "Lens":
        """Return the lens with others in place of these arrays."""
        return self

    def geometry(self, base: Geometry) -> Geometry | None:
        """Return the strides and offset of the view, from those of the base; None if they are not known."""
        return base


SAME = Lens()


class View:
    """Base and lens of a box that is a view."""

    __slots__ = ("base", "detached", "lens", "seen", "unrecorded")

    def __init__(self, base: Any, lens: Lens, seen: int | None = -1, detached: bool = False) -> None:
        self.base = base
        self.lens = lens
        # Version of the base that the box's own value was read from; another version means that it must be read again.
        # None: an argument of a traced function, whose own value holds until the base is written in the trace.
        self.seen = seen
        # A detached view shares values alone: a write to it leaves the gradient of the base as it is.
        self.detached = detached
        # What is made under `no_grad` stays off the tape, and what is made outside of it stays on the tape, whenever it is
        # read again (test_views.test_a_view_is_recorded_as_where_it_was_made).
        self.unrecorded = state.mode == NO_GRAD

    def within(self) -> "View":
        """Return the view of a shadow, in a frame where nothing has been written yet."""
        view = View(self.base, self.lens, None, self.detached)
        view.unrecorded = self.unrecorded
        return view


class Case(NamedTuple):
    """Box that a `Choice` may show, and the value of the selector for which it does."""

    key: int
    box: Any  # a Tensor; that class stands above this one


class Choice(View):
    """View of one of several boxes: what a variable is after a branch or a loop in which it was bound to another Tensor.

    Which one, the program knows only when it runs. The value that it has is kept until one of the boxes is written.
    """

    __slots__ = ("cases", "roots", "selector")

    def __init__(self, selector: Any, cases: Sequence[Case], seen: tuple[int, ...] | None = None) -> None:
        self.selector, self.cases = selector, cases
        self.roots = list({id(box): box for case in cases for box in roots(case.box)}.values())
        super().__init__(cases[-1].box, SAME, None)
        self.seen: Any = self.versions() if seen is None else seen

    def within(self) -> "Choice":
        """Return the view of a shadow, in a frame where nothing has been written yet."""
        view = Choice(self.selector, self.cases, (0,) * len(self.roots))
        view.unrecorded = self.unrecorded
        return view

    def versions(self) -> tuple[int, ...]:
        """Return the versions of what lies under the boxes in the current frame; those that are not there have 0."""
        frame = state.frame
        if frame is None:
            return tuple([box._version for box in self.roots])
        found = [frame.find(box) for box in self.roots]
        return tuple([0 if box is None else box._version for box in found])

    def read(self) -> nodes.Var:
        """Compute the variable of the box that is shown."""
        boxes = [resolve(case.box) for case in self.cases]
        values = [resolve(self.selector)._value, *[box._value for box in boxes]]
        program = _choice_program(tuple([case.key for case in self.cases]))
        return nodes.variables(*nodes.execute(program, values, [None, *map(node_of, boxes)]))[0]

    def write(self, value: jax.Array, node: nodes.Ref | None, keeps: bool) -> None:
        """Write the box that is shown; with `keeps`, boxes keep their places on the tape."""
        for key, box in self.cases:
            here, program = resolve(box), _choice_program((key, None))
            values = [resolve(self.selector)._value, value, here._value]
            if keeps or owns_leaf(here):
                set_value(box, program.call(*values))
            else:
                refs = [None, node, node_of(here)]
                _write(box, *nodes.variables(*nodes.execute(program, values, refs))[0])


@functools.cache
def _choice_program(keys: tuple[int, ...]) -> nodes.Program:
    """Return the program that takes the array of the key which the selector has, or the last one."""

    def choose(selector: jax.Array, *values: jax.Array) -> jax.Array:
        chosen = values[-1]
        for key, value in zip(keys[:-1], values[:-1], strict=True):
            chosen = jnp.where(selector == key, value, chosen)
        return chosen

    return nodes.Program(choose, "choice")


class Box:
    """The engine's side of a Tensor: value, tape reference, view, version and owning frame."""

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_agreed",
        "_aliases",
        "_grad",
        "_holder",
        "_home",
        "_joint",
        "_last_sharding",
        "_node",
        "_owned",
        "_raw",
        "_version",
        "_view",
    )

    # The value as it was computed: by NumPy (`changing_shapes`), until somebody wants JAX's array of it. To make that array
    # takes as long as a small operator, and what comes next often is NumPy's, too.
    _raw: Any  # jax.Array | np.ndarray; where either is taken, as by programs, annotations say jax.Array
    _home: Any  # the frame in which the box was made; None in eager code
    _node: nodes.Ref | None
    _view: View | None
    _version: int
    _grad: Any
    _owned: bool  # no one but this box holds the array, so that a compiled step may reuse its memory
    # The joint array (`core/xla/collectives.py`) whose own part is the value, while `_raw` is unset; else None. Unset
    # where no program of several processes has written the box.
    _joint: jax.Array | None
    # The program of several processes (`core/jit/joint_state.py`) that keeps `_joint` and `_version`, while these are unset.
    # None or unset otherwise.
    _holder: Any
    # How the joint array lay in parts before somebody read all of it; None if it did not. Unset where nobody did.
    _last_sharding: jax.sharding.Sharding | None
    # The version whose value is known to be the same in all processes that spread an array over them. Unset otherwise.
    _agreed: int
    # Weak references to aliases that keep their values when the box gets other memory (`interchange.part_from_aliases`);
    # unset where there never was one.
    _aliases: list[weakref.ref]

    @property
    def _value(self) -> jax.Array:
        """The array of this very box."""
        value = self._raw
        if type(value) is np.ndarray:
            value = self._raw = jnp.asarray(value, dtype=value.dtype)
        return value

    @_value.setter
    def _value(self, value: jax.Array | np.ndarray) -> None:
        # What was written once is often read by compiled programs from then on: it is JAX's.
        self._raw = jnp.asarray(value, dtype=value.dtype) if type(value) is np.ndarray else value

    @property
    def array(self) -> jax.Array:
        """The array, of shape `shape`. Inside a trace this is JAX's tracer."""
        # Whoever asks for the array may keep it, so it may no longer be donated to a compiled step
        # (test_memory.test_an_array_that_someone_holds_is_not_reused).
        box = self if self._home is state.frame and self._view is None else resolve(self)
        box._owned = False
        return box._value

    def _assign(self, value: jax.Array, node: nodes.Ref | None = None) -> Self:
        """Set the content of this box, and its tape reference; a view passes it on to its base.

        Without a reference, a leaf remains a leaf. Under `no_grad` every box keeps its reference, as in PyTorch.
        """
        if state.mode == NO_GRAD:
            return set_value(self, value)
        _write(self, value, node)
        return self


def _find_missing(box: Box, name: str) -> Any:
    """Return an attribute that is unset: the value of a box that a program of several processes has written."""
    if name == "_holder":
        return None
    if name in ("_joint", "_raw", "_version") and (holder := box._holder) is not None:
        holder.release()
        return getattr(box, name)
    if name == "_joint":
        return None
    if name == "_agreed":
        return -1
    joint = box._joint if name == "_raw" else None
    if joint is None:
        return object.__getattribute__(box, name)  # raises, in the words of the attribute
    collectives.world.touched += 1
    box._last_sharding = None if joint.is_fully_replicated else joint.sharding
    box._value, box._joint = collectives.gather_whole(joint, getattr(box, "name", "")), None
    box._agreed = box._version
    return box._value


def read_joint_values_late() -> None:
    """Let boxes hold joint arrays, and find their values when they are asked for: called in programs of several processes.

    To take the own part of a joint array, and make one of it in the next step, takes Python 30 us, for each Parameter.
    A `__getattr__` for all programs would make each access of an attribute slower on Python 3.11.
    """
    Box.__getattr__ = _find_missing  # type: ignore[attr-defined]


def may_hold_joint(box: Box) -> bool:
    """Return True if `write_joint` may be used: the class of the box has not replaced `__getattr__`."""
    return getattr(type(box), "__getattr__", None) is _find_missing


def write_joint(box: Box, joint: jax.Array) -> None:
    """Set the content of a box that is no view to the own part of a joint array, which no one else holds."""
    collectives.world.touched += 1
    if box._joint is None:
        del box._raw  # from here on `_find_missing` gives it
    box._joint = joint
    box._version += 1
    box._owned = True


def fill(box: Box, value: Any, home: object) -> None:
    """Initialize the fields of a box that was made by `object.__new__`."""
    box._value = value
    box._joint = None
    box._home = home
    box._node = None
    box._view = None
    box._version = 0
    box._grad = None
    box._owned = False


# ---------------------------------------------------------------------- reading


def _in_current_frame(box: BoxT) -> BoxT:
    """Return the box that stands for `box` in the current frame: itself, or its shadow there."""
    frame = state.frame
    if box._home is frame:
        return box
    if frame is None:
        raise leak_error(box)
    return frame.shadow(box)


def resolve(box: BoxT) -> BoxT:
    """Return the box that stands for `box` in the current frame, with an up-to-date value."""
    box = _in_current_frame(box)
    view = box._view
    if type(view) is Choice:
        if view.versions() != view.seen:
            with _as_made(view):
                value, node = view.read()
            box._value, box._node, view.seen = value, _move_reference(box, node), view.versions()
            box._version += 1
    elif view is not None:
        # Arguments that are views come with their value: reading it through the base would make the base an input too
        # (test_views.test_an_argument_may_be_a_view_of_what_is_captured)
        if view.seen is None and box._home.is_untouched(view.base):
            return box
        base = resolve(view.base)
        if base._version != view.seen:
            # Views are lazy: a write only counts up the base's version, and each view reads again when it is used next.
            with _as_made(view):
                value, node = view.lens.read((base._raw, node_of(base)))
            # An alias shares its base's very array; donating that to a step would empty the alias.
            if value is base._raw:
                base._owned = False
            # What a detached view was written with is its own, whatever else is written to the memory that it shares.
            if view.detached and box._node is not None:
                value, node = _keep_reference(box, value)
            # A view that a user marked as a leaf stays one (test_views.test_a_view_may_be_a_leaf).
            box._node = _move_reference(box, node) if not owns_leaf(box) else box._node
            box._raw = value
            box._version += 1
            view.seen = base._version
    return box


def _as_made(view: View) -> contextlib.AbstractContextManager[None]:
    """Record as where a view was made: under `no_grad`, or not."""
    if view.unrecorded is (state.mode == NO_GRAD):
        return _UNCHANGED
    return override_state(mode=NO_GRAD if view.unrecorded else DEFAULT)


_UNCHANGED = contextlib.nullcontext()


def is_visible(box: Box) -> bool:
    """Return True if a box was made in the current frame or around it; in others it has no value."""
    frame = state.frame
    while frame is not box._home and frame is not None:
        frame = frame.outer
    return frame is box._home


def leak_error(box: Box) -> RuntimeError:
    """Return the error for a box that outlived the trace in which it was made."""
    return RuntimeError(
        f"A Tensor of shape {list(box._raw.shape)} and dtype {dtypes.of(box._raw.dtype)} was made inside a "
        "function that was being compiled or transformed and is used after that ended, where it has no value. Return "
        "it from the function, or write it into a Tensor or Parameter that existed before with `set_data` or "
        "`ops.assign`."
    )


def peek(box: Box) -> jax.Array:
    """Return the array of a box to look at its shape and dtype. Unlike `array`, this does not count as holding it."""
    return (box if box._home is state.frame and box._view is None else resolve(box))._raw


def look(box: Box) -> Any:
    """Return something that has the shape and dtype of a box: its array, or the joint one, which is not gathered."""
    box = box if box._home is state.frame and box._view is None else resolve(box)
    if collectives.world.places and box._joint is not None:
        return box._joint
    return box._raw


def users_line() -> str:
    """Return file and line of the innermost running frame outside of this package, as text for messages."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "jax.").startswith(_NOT_THE_USER):
        frame = frame.f_back
    return "" if frame is None else f" (in {frame.f_code.co_filename}, line {frame.f_lineno})"


class NeedsValue(RuntimeError):  # noqa: N818
    """The value of a Tensor is needed before it is known.

    The thread's state keeps the message: a trace in which a user's `try` caught this must not count
    (`trace.run_by_strategy`). What handles it in the library puts back the `unmet` of before.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        state.unmet = message


def concrete(box: Box, what: str) -> jax.Array:
    """Return the array of a box whose value is known: outside of traces, or by `known_values.KnownValues`.

    Raises:
        NeedsValue: where it is not known.
    """
    value = peek(box)
    if isinstance(value, Tracer):
        known = None if state.known is None else state.known.value(value)
        if known is None:
            raise _unknown(value, what)
        return known
    if shapes_only.is_one(value):
        raise NotImplementedError(
            f"`{what}`: Cannot copy out of meta tensor; no data! It has the shape {list(value.shape)} and no elements."
        )
    return value


def _unknown(value: jax.Array, what: str) -> NeedsValue:
    why = "" if state.known is None else f": {state.known.reason(value)}"
    return NeedsValue(
        f"`{what}` needs the value of a Tensor of shape {list(value.shape)} and dtype {dtypes.of(value.dtype)}, "
        f"which is not known while the function is being compiled or transformed{users_line()}{why}. Return the Tensor "
        "and look at it outside, compute the value before the call and pass it as an argument, or choose between values "
        "with ops.where or ops.WhileLoop."
    )


# ---------------------------------------------------------------------- tape references


def node_of(box: Box) -> nodes.Ref | None:
    """Return the tape reference of a resolved box for the current thread, or None."""
    # `grad` watches by (id, version) in a table of the thread instead of marking the box, so that two threads can
    # differentiate one net at once (test_deferred_errors.test_two_threads_differentiate_one_net_at_once). A box that
    # was written since has another version, and its own reference counts.
    watch = state.watch
    if watch is not None:
        entry = watch.get(id(box))
        if entry is not None and entry[1] == box._version:
            return entry[0]
    node = box._node
    if node is None:
        return None
    # Forget references of a `grad` that has ended, lazily: nobody walks over all boxes when a scope ends.
    if not node[0].alive():
        box._node = None
        return None
    if type(node[0]) is nodes.TrainableLeaf and state.mode != ENABLED:
        return None
    return node


def mark_leaf(box: Box, kind: type[nodes.Leaf] = nodes.Leaf) -> nodes.Ref:
    """Mark a resolved box as a leaf that accumulates into its own `.grad`."""
    # A weak reference: a leaf that kept its box alive, and the box its leaf, would be a cycle for the garbage collector.
    ref = box._node = (kind(box._raw, weakref.ref(box)), 0)
    return ref


def owns_leaf(box: Box) -> bool:
    """Return True if a resolved box is a leaf with a `.grad` of its own (aliases share the node, not the `.grad`)."""
    node = box._node
    if node is None or not isinstance(node[0], nodes.Leaf):
        return False
    return node[0].owner is not None and node[0].owner() is box


def retain(box: Box, node: nodes.Ref) -> None:
    """Let `backward` accumulate the gradient of `node` into the `.grad` of a box."""
    if node[0].retained is None:
        node[0].retained = {}
    node[0].retained[node[1]] = weakref.ref(box)


def retains(box: Box, node: nodes.Ref | None) -> bool:
    """Return True if `retain` was called for this box and node."""
    if node is None or node[0].retained is None:
        return False
    owner = node[0].retained.get(node[1])
    return owner is not None and owner() is box


def _move_reference(box: Box, node: nodes.Ref | None) -> nodes.Ref | None:
    """Return the new reference `node` of a box, moving a retained gradient along with it."""
    before = box._node
    if before is not None and node is not None and retains(box, before):
        del before[0].retained[before[1]]  # type: ignore[index]
        retain(box, node)
    return node


# ---------------------------------------------------------------------- writing


def set_value(box: BoxT, value: jax.Array) -> BoxT:
    """Set new values in a box that keeps its tape reference: later gradients are those of the new values."""
    here = _in_current_frame(box)
    view = here._view
    if view is None:
        _store_in_frame(here, *_keep_reference(here, value))
    elif type(view) is Choice:
        view.write(value, None, keeps=True)
    else:
        base = resolve(view.base)
        set_value(view.base, view.lens.write((base._value, None), (value, None))[0])
    return box


@jax.custom_jvp
def _as_old(old: jax.Array, new: jax.Array) -> jax.Array:
    """Return `new` with the derivative of `old`."""
    return new


_as_old.defjvp(lambda primals, tangents: (_as_old(*primals), tangents[0]))
_AS_OLD = nodes.Program(_as_old, "as_old")


def _keep_reference(box: Box, value: jax.Array) -> nodes.Var:
    """Return a value as a variable with the box's tape reference; in a trace, also for JAX's own differentiation."""
    old = box._value
    if (
        state.frame is not None
        and value is not old
        and pullbacks.is_inexact(old.dtype)
        and (old.shape, old.dtype) == (value.shape, value.dtype)
    ):
        # In a trace JAX may differentiate the program later (jax.grad of a lifted step). It must see the gradient flow
        # to the old value, as the tape does, and nothing through what was written, in any order
        # (test_autodiff_goldens.test_what_is_written_to_a_parameter_has_no_derivative_of_any_order).
        new, value = value, _AS_OLD.call(old, value)
        if state.known is not None:
            state.known.record_equal(value, new)
    return value, node_of(box)


def _write(box: Any, value: jax.Array, node: nodes.Ref | None, what: str = "a leaf Variable") -> None:
    """Write to a box, or through the lens to its base if it is a view."""
    box = _in_current_frame(box)
    view = box._view
    if view is not None:
        view.unrecorded = False
    if view is None:
        if node is not None and owns_leaf(box) and type(box._node[0]) is nodes.Leaf:
            raise RuntimeError(
                f"{what} that requires grad is being used in an in-place operation. Change it under `no_grad`, or "
                "change its `.data`, or compute a new Tensor."
            )
        _store_in_frame(box, value, node)
    elif type(view) is Choice:
        view.write(value, node, keeps=False)
    elif view.detached:
        # The base keeps its gradient, so the new reference belongs to this box alone; its version is noted, or the next
        # `resolve` would read the base again and lose the reference.
        set_value(box, value)
        box._value, box._node, view.seen = value, node, resolve(view.base)._version
        box._version += 1
    else:
        base = resolve(view.base)
        _write(
            view.base,
            *view.lens.write((base._value, node_of(base)), (value, node)),
            what="a view of a leaf Variable",
        )


def _store_in_frame(box: Box, value: jax.Array, node: nodes.Ref | None) -> None:
    """Store a value and its tape reference in a box of the current frame that is no view."""
    before, place = box._value, box._node
    if state.frame is None:
        check_not_tracer(before, value)
    # The first write in a scope is logged with the old content, to be undone if the function raises
    # (test_deferred_errors.test_an_exception_leaves_everything_as_it_was).
    if state.scope is not None and id(box) not in state.scope.log:
        state.scope.log[id(box)] = (box, (before, place))
    if place is not None:
        node = place if node is None and owns_leaf(box) else _move_reference(box, node)
    # Compiled programs were made for a shape, a dtype and whether the box is recorded; only such changes invalidate
    # guards. Values are inputs of the programs and change in every step.
    if value.shape != before.shape or value.dtype != before.dtype or (place is None) is not (node is None):
        invalidate_guards()
    box._value = value
    box._node = node
    box._version += 1
    box._owned = False


def check_not_tracer(before: object, value: object) -> None:
    """Raise RuntimeError where a JAX tracer would replace an array: it is worthless after the trace."""
    if isinstance(value, Tracer) and not isinstance(before, Tracer):
        raise RuntimeError(
            "A Tensor was written inside a function that JAX is transforming, which would leave a tracer in it. "
            "Use msjax.jit, msjax.vmap ..., or msjax.interop.functional_call to make the function pure."
        )


def root(box: BoxT) -> BoxT:
    """Return the box whose memory a view shares: the end of its chain of bases, or a choice among boxes."""
    while box._view is not None and is_lens_view(box):
        box = box._view.base
    return box


def roots(box: BoxT) -> list[BoxT]:
    """Return the boxes of whose memory a view shows a part: one, or those among which it chooses."""
    box = root(box)
    return box._view.roots if isinstance(box._view, Choice) else [box]


def is_lens_view(box: Box) -> bool:
    """Return True if a box is a view through a lens: not a box with memory of its own, nor a choice among such."""
    return box._view is not None and type(box._view) is not Choice


# ---------------------------------------------------------------------- layout


def layout(box: Box) -> tuple[list[int], int] | None:
    """Return the strides and the storage offset of a view, in elements of the array that it is seen from.

    Along a dimension of one element, where nothing is next, the stride is that of a contiguous array. None for what is no
    view, in traces, for views of nothing, and for those that are arrays of their own in MindSpore: turned around, or
    reshaped so that no strides lead along a dimension.
    """
    return None if state.frame is not None else _layout(box)


def _layout(box: Box) -> tuple[list[int], int] | None:
    if box._view is None or not box._raw.size:
        return None
    found = _geometry(*_chain(box))
    if found is None:
        return None
    strides, whole = [], 1
    for length, stride in zip(reversed(found.shape), reversed(found.strides), strict=True):
        strides.insert(0, stride if length > 1 else whole)
        whole = strides[0] * length
    return None if min(strides, default=0) < 0 else (strides, found.offset)


def lies_in_order(box: Box) -> bool:
    """Return True if the elements of a box lie side by side in their order; in traces, too."""
    if type(box._view) is Choice:
        return all(lies_in_order(case.box) for case in box._view.cases)
    found = _layout(box)
    return found is None or found[0] == list(contiguous_geometry(box._raw.shape).strides)


_copies: dict[tuple, bool] = {}


def is_copy(box: Box, lens: Lens) -> bool:
    """Return True if `lens` gives a copy, since no strides describe its elements in the memory of the base."""
    shape, lenses = _chain(box)
    key = (shape, *[each.strides_key() for each in lenses], lens.strides_key())
    found = _copies.get(key)
    if found is None:
        base = _geometry(shape, lenses)
        found = keep(_copies, key, base is not None and lens.geometry(base) is None)
    return found


def _chain(box: Box) -> tuple[tuple[int, ...], list[Lens]]:
    """Return the shape of the array that a view is seen from, and the lenses from there to the view."""
    lenses: list[Lens] = []
    while is_lens_view(box):
        lenses.insert(0, box._view.lens)  # type: ignore[union-attr]
        box = box._view.base  # type: ignore[union-attr]
    return box._raw.shape, lenses


def _geometry(shape: tuple[int, ...], lenses: list[Lens]) -> Geometry | None:
    found: Geometry | None = contiguous_geometry(shape)
    for lens in lenses:
        found = found and lens.geometry(found)
    return found
